//! Meshes moved as a whole or point by point.

use super::TriMesh;
use crate::diagnostics::Diagnostic;
use crate::math::rotation_from_degrees;
use glam::DVec3;

/// A place of a mesh: scaled, then turned, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Factors along the mesh's own axes.
    pub scale: DVec3,
    /// Turn about x, then y, then z [degrees].
    pub rotate: DVec3,
    /// Displacement [m].
    pub translate: DVec3,
}

impl Default for Placement {
    fn default() -> Self {
        Self { scale: DVec3::ONE, rotate: DVec3::ZERO, translate: DVec3::ZERO }
    }
}

impl TriMesh {
    /// The mesh scaled, turned and moved. A mirrored mesh keeps its outside outside; a mirrored
    /// grid keeps its column 0 on the left, and so turns its normal round.
    #[must_use]
    pub fn moved(&self, to: &Placement) -> Self {
        let turn = rotation_from_degrees(to.rotate);
        let mut mesh = self.clone();
        for p in &mut mesh.positions {
            *p = turn * (to.scale * *p) + to.translate;
        }
        if to.scale.x * to.scale.y * to.scale.z < 0.0 && mesh.grid.is_none() {
            for t in &mut mesh.triangles {
                t.swap(1, 2);
            }
            for uvs in mesh.seams.values_mut() {
                uvs.swap(1, 2);
            }
            for t in &mut mesh.tets {
                t.swap(2, 3);
            }
        }
        mesh
    }

    /// The mesh with vertex `i` at `place(i, position)`.
    pub fn displaced<E>(
        &self,
        mut place: impl FnMut(usize, DVec3) -> Result<DVec3, E>,
    ) -> Result<Self, E> {
        let mut mesh = self.clone();
        for (i, p) in mesh.positions.iter_mut().enumerate() {
            *p = place(i, *p)?;
        }
        Ok(mesh)
    }

    /// Whether the mesh can be worked with: positions finite, indices in range, no triangle that
    /// names a vertex twice, one map and texture value a vertex.
    pub fn check(&self) -> Result<(), Diagnostic> {
        let n = self.positions.len();
        if let Some(i) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(Diagnostic::error(format!(
                "vertex {i} of the mesh is at {}, which is no place",
                self.positions[i]
            )));
        }
        for (i, &[a, b, c]) in self.triangles.iter().enumerate() {
            if [a, b, c].iter().any(|v| *v as usize >= n) {
                return Err(Diagnostic::error(format!(
                    "triangle {i} names vertex {} of {n}",
                    a.max(b).max(c)
                )));
            }
            if a == b || b == c || c == a {
                return Err(Diagnostic::error(format!("triangle {i} names a vertex twice")));
            }
        }
        if let Some(line) = self.lines.iter().find(|l| l.iter().any(|v| *v as usize >= n)) {
            return Err(Diagnostic::error(format!("the line {line:?} names a vertex of {n}")));
        }
        if !self.uvs.is_empty() && self.uvs.len() != n {
            return Err(Diagnostic::error("the mesh has not one texture coordinate a vertex"));
        }
        if let Some((t, _)) = self
            .seams
            .last_key_value()
            .filter(|(t, _)| **t as usize >= self.triangles.len() || self.uvs.is_empty())
        {
            return Err(Diagnostic::error(format!(
                "the mesh has texture coordinates of triangle {t}, which is not there"
            )));
        }
        if let Some((name, _)) = self.maps.iter().find(|(_, values)| values.len() != n) {
            return Err(Diagnostic::error(format!("map `{name}` has not one value a vertex")));
        }
        Ok(())
    }
}
