//! Ropes to segments and bends.

use super::Builder;
use crate::geometry::TriMesh;
use crate::scene::Rope;
use crate::sim::potentials::rope::{Bend, Segment};
use crate::sim::potentials::twist::Strand;
use std::f64::consts::PI;

impl Builder {
    pub(super) fn add_rope(&mut self, body: usize, rope: &Rope, mesh: &TriMesh, first: u32) {
        let at = |v: u32| mesh.positions[v as usize];
        let length = |[a, b]: [u32; 2]| at(a).distance(at(b));
        let per_length = rope.density * PI * rope.radius * rope.radius;
        self.mass.resize(first as usize + mesh.positions.len(), 0.0);
        for &[a, b] in &mesh.lines {
            let own = length([a, b]);
            for end in [a, b] {
                self.mass[(first + end) as usize] += 0.5 * per_length * own;
            }
            self.stretch_edges.push((first + a, first + b, own));
            let (nodes, stiffness) = ([first + a, first + b], rope.stretch);
            self.segments.push(Segment { nodes, length: own, stiffness, slots: [0; 4] });
        }
        for pair in mesh.lines.windows(2).filter(|pair| pair[0][1] == pair[1][0]) {
            let mean = 0.5 * (length(pair[0]) + length(pair[1]));
            self.bends.push(Bend {
                nodes: [pair[0][0], pair[0][1], pair[1][1]].map(|v| first + v),
                stiffness: rope.bend / mean,
                slots: [0; 9],
            });
        }
        if rope.twist == 0.0 {
            return;
        }
        for piece in mesh.lines.chunk_by(|a, b| a[1] == b[0]) {
            let ends = piece.iter().map(|line| line[1]);
            let vertices = std::iter::once(piece[0][0]).chain(ends).map(|v| first + v);
            let lengths = piece.iter().map(|line| length(*line));
            self.strands.push(Strand::new(body, vertices.collect(), lengths, rope.twist));
        }
    }
}
