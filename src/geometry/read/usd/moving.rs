//! Meshes and cameras of a USD file with what moves them: samples of transforms and of points.

use super::{CLIP, File, mesh, open, values};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use crate::geometry::read::rigged::{CameraOnRig, Rigged, hang};
use crate::geometry::read::{Neighbour, Source, drop_unused};
use crate::geometry::rig::{Between, Hangs, Moved, Rig, RigNode, RigSurface, Track};
use glam::{DMat4, DQuat, DVec3};

/// Most keys of a transform.
const MOST_KEYS: usize = 100_000;

/// Most points of all samples of a mesh together.
const MOST_POINTS: usize = 20_000_000;

/// What a prim hangs on, from the outermost, as nodes and what moves them.
struct Chain {
    nodes: Vec<RigNode>,
    tracks: Vec<Track>,
}

/// The mesh of entry `node` with what moves it in `clip`.
pub(in crate::geometry::read) fn rigged(
    bytes: &[u8],
    source: Source<'_>,
    node: usize,
    clip: Option<&str>,
    neighbour: &Neighbour<'_>,
) -> Result<Rigged, Diagnostic> {
    open(bytes, source, neighbour, |file| {
        let entry = file.entries.get(node).ok_or_else(|| file.error("it has no such mesh"))?;
        let (prim, moves) = (&entry.prim, clip == Some(CLIP));
        let mut surface = TriMesh::default();
        mesh::add(file, node, DMat4::IDENTITY, &mut surface)?;
        let mut chain = file.chain(node, moves)?;
        let own = chain.nodes.len() - 1;
        if moves && file.is_skinned(node)? {
            let message = format!("`{}` hangs on a skeleton, which is not built yet", entry.name);
            return Err(file.error(message).hint("bake it to samples of its points"));
        }
        let times = file.times(prim, "points")?;
        let mut samples = Vec::new();
        if moves && times.len() > 1 {
            for topology in ["faceVertexCounts", "faceVertexIndices"] {
                if file.times(prim, topology)?.len() > 1 {
                    let message = format!("the faces of `{}` change as it moves", entry.name);
                    return Err(file.error(message));
                }
            }
            if times.len().saturating_mul(surface.positions.len()) > MOST_POINTS {
                let message = format!(
                    "`{}` has {} samples of {} points",
                    entry.name,
                    times.len(),
                    surface.positions.len()
                );
                let hint = format!("{MOST_POINTS} points in all are possible");
                return Err(file.error(message).hint(hint));
            }
            for code in &times {
                let points = file.value_at(prim, "points", *code)?;
                let points = points.as_ref().and_then(values::vectors).unwrap_or_default();
                if points.len() != surface.positions.len() {
                    let message = format!(
                        "`{}` has {} points at time code {code}, and {} at the start",
                        entry.name,
                        points.len(),
                        surface.positions.len()
                    );
                    return Err(file.error(message));
                }
                samples.push(points);
            }
        }
        let (shapes, weights) =
            shapes(&mut surface, &samples, own, &file.seconds(&times), &mut chain.tracks);
        if surface.triangles.is_empty() {
            return Err(file.error(format!("`{}` holds no triangles", entry.name)));
        }
        let hangs = Hangs::Surface(RigSurface { node: own, skin: None, shapes, weights });
        hang(surface, Rig { nodes: chain.nodes, tracks: chain.tracks, hangs }, own, source)
    })
}

/// The camera of entry `node`, as [`rigged`] has it.
pub(in crate::geometry::read) fn camera(
    bytes: &[u8],
    source: Source<'_>,
    node: usize,
    clip: Option<&str>,
    neighbour: &Neighbour<'_>,
) -> Result<CameraOnRig, Diagnostic> {
    open(bytes, source, neighbour, |file| {
        let entry = file.entries.get(node).ok_or_else(|| file.error("it has no such camera"))?;
        let value = |name| file.value(&entry.prim, name);
        let number = |name, usual| {
            let value = value(name)?;
            Ok::<f64, Diagnostic>(value.as_ref().and_then(values::number).unwrap_or(usual))
        };
        if value("projection")?.as_ref().and_then(values::word).as_deref() == Some("orthographic") {
            return Err(file.error("the camera sees in parallel, which is not built yet"));
        }
        // Both in the same unit, with what USD says where a file does not.
        let (height, length) = (number("verticalAperture", 15.2908)?, number("focalLength", 50.0)?);
        let yfov = 2.0 * libm::atan2(0.5 * height, length);
        if !(yfov > 0.0 && yfov < std::f64::consts::PI) {
            return Err(file.error(format!("the camera's angle of view is {yfov}")));
        }
        let Chain { nodes, tracks } = file.chain(node, clip == Some(CLIP))?;
        let hangs = Hangs::Piece(nodes.len() - 1);
        let rig = Rig { nodes, tracks, hangs };
        rig.check(0).map_err(|why| file.error(why))?;
        Ok(CameraOnRig { rig, yfov })
    })
}

/// Makes shapes of samples of the points, one of each but the first, which becomes the mesh, and adds the track
/// that goes from one to the next. Drops vertices that no triangle uses.
fn shapes(
    surface: &mut TriMesh,
    samples: &[Vec<DVec3>],
    node: usize,
    times: &[f64],
    tracks: &mut Vec<Track>,
) -> (Vec<Vec<(u32, DVec3)>>, Vec<f64>) {
    if let Some(first) = samples.first() {
        surface.positions.clone_from(first);
    }
    surface.keep_triangles(|_, [a, b, c]| a != b && b != c && c != a);
    let mut kept: Vec<u32> = surface.triangles.iter().flatten().copied().collect();
    kept.sort_unstable();
    kept.dedup();
    drop_unused(surface);
    let Some((first, later)) = samples.split_first() else { return (Vec::new(), Vec::new()) };
    let shape = |sample: &Vec<DVec3>| {
        let moved = (0..).zip(&kept).map(|(new, old)| {
            let old = *old as usize;
            (new, sample[old] - first[old])
        });
        moved.filter(|(_, by)| *by != DVec3::ZERO).collect::<Vec<(u32, DVec3)>>()
    };
    let shapes: Vec<_> = later.iter().map(shape).collect();
    let count = shapes.len();
    let mut values = vec![0.0; times.len() * count];
    for key in 1..times.len() {
        values[key * count + key - 1] = 1.0;
    }
    let (moved, between, times) = (Moved::Weights, Between::Linear, times.to_vec());
    tracks.push(Track { node, moved, between, times, values });
    (shapes, vec![0.0; count])
}

impl File<'_> {
    /// Seconds of the clip at time codes.
    fn seconds(&self, codes: &[f64]) -> Vec<f64> {
        codes.iter().map(|code| (code - self.start) / self.rate).collect()
    }

    /// Whether a skeleton moves a mesh.
    fn is_skinned(&self, index: usize) -> Result<bool, Diagnostic> {
        let names = self.entries[index].prim.property_names().map_err(|e| self.damaged(&e))?;
        Ok(names.iter().any(|name| *name == "primvars:skel:jointIndices"))
    }

    /// What entry `index` hangs on and itself; with its samples if it `moves`.
    fn chain(&self, index: usize, moves: bool) -> Result<Chain, Diagnostic> {
        let (mut way, mut at) = (Vec::new(), Some(index));
        while let Some(entry) = at {
            way.push(entry);
            at = self.parent(entry)?;
        }
        let (rotate, unit) = self.root;
        let (translate, scale) = (DVec3::ZERO, DVec3::splat(unit));
        let mut chain = Chain {
            nodes: vec![RigNode { parent: None, translate, rotate, scale }],
            tracks: Vec::new(),
        };
        for entry in way.into_iter().rev() {
            let (scale, rotate, translate) = self.parts(entry, self.start)?;
            let node = chain.nodes.len();
            chain.nodes.push(RigNode { parent: Some(node - 1), translate, rotate, scale });
            if moves {
                self.add_tracks(entry, node, &mut chain.tracks)?;
            }
        }
        chain.tracks.sort_by_key(|track| (track.node, track.moved));
        Ok(chain)
    }

    /// Scale, turn and place of an entry in what it hangs on.
    fn parts(&self, index: usize, code: f64) -> Result<(DVec3, DQuat, DVec3), Diagnostic> {
        let matrix = self.local(index, code)?;
        let parts = matrix.to_scale_rotation_translation();
        let again = DMat4::from_scale_rotation_translation(parts.0, parts.1, parts.2);
        let largest = matrix.to_cols_array().iter().fold(1.0f64, |most, x| most.max(x.abs()));
        if !again.abs_diff_eq(matrix, 1e-5 * largest) {
            let name = &self.entries[index].name;
            return Err(self.error(format!("the transform of `{name}` shears, or is damaged")));
        }
        Ok((parts.0, parts.1.normalize(), parts.2))
    }

    /// Adds the keys of an entry's transform.
    fn add_tracks(
        &self,
        index: usize,
        node: usize,
        tracks: &mut Vec<Track>,
    ) -> Result<(), Diagnostic> {
        let entry = &self.entries[index];
        let (mut codes, mut turns) = (Vec::new(), false);
        for name in self.operations(index)? {
            let name = name.trim_start_matches("!invert!");
            let own = self.times(&entry.prim, name)?;
            if own.len() > 1 {
                turns |= values::turns(name);
                codes.extend(own);
            }
        }
        let bounds = codes.iter().fold(None, |bounds: Option<(f64, f64)>, code| {
            Some(bounds.map_or((*code, *code), |(low, high)| (low.min(*code), high.max(*code))))
        });
        let Some((low, high)) = bounds else { return Ok(()) };
        let many = || self.error(format!("`{}` has more than {MOST_KEYS} keys", entry.name));
        if codes.len() > MOST_KEYS || (turns && high - low > MOST_KEYS as f64) {
            return Err(many());
        }
        if turns {
            // Angles go straight from key to key, turns the shorter way: they are the same from code to code.
            let whole = (high.floor() - low.ceil()).max(0.0) as usize;
            codes.extend((0..=whole).map(|k| low.ceil() + k as f64).filter(|code| *code <= high));
        }
        codes.sort_by(f64::total_cmp);
        codes.dedup();
        let mut values = [Vec::new(), Vec::new(), Vec::new()];
        for code in &codes {
            let (scale, rotate, translate) = self.parts(index, *code)?;
            values[0].extend(translate.to_array());
            values[1].extend(rotate.to_array());
            values[2].extend(scale.to_array());
        }
        let times = self.seconds(&codes);
        let kinds = [(Moved::Translate, 3), (Moved::Rotate, 4), (Moved::Scale, 3)];
        for ((moved, width), values) in kinds.into_iter().zip(values) {
            // Scales are read off matrices, to rounding.
            let slack = if moved == Moved::Scale { 1e-9 } else { 0.0 };
            let differs = |(x, first): (&f64, &f64)| (x - first).abs() > slack * first.abs();
            if values.chunks(width).any(|value| value.iter().zip(&values[..width]).any(differs)) {
                let (between, times) = (Between::Linear, times.clone());
                tracks.push(Track { node, moved, between, times, values });
            }
        }
        Ok(())
    }
}
