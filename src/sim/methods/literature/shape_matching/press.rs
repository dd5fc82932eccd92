//! What contacts do to velocities: equal and opposite impulses on a vertex (or an edge) and on the face that it
//! comes out at, so that they come no nearer. The thesis says nothing of it; without it a body that lies
//! on another would fall faster and faster into it.

use glam::DVec3;

/// Passes over all contacts.
const PASSES: u32 = 10;

/// A place where two solids meet.
#[derive(Clone, Debug)]
pub(super) struct Contact {
    /// The vertex twice, or the ends of the edge.
    pub(super) lead: [u32; 2],
    /// Bodies: of the vertex or edge, and of the face.
    pub(super) bodies: [usize; 2],
    nodes: [u32; 5],
    weights: [f64; 5],
    normal: DVec3,
    friction: f64,
    restitution: f64,
    /// One over the mass that moves there [1/kg].
    inverse: f64,
    /// Impulses along the normal and across it [N s].
    pub(super) along: f64,
    across: DVec3,
}

impl Contact {
    /// A contact of a vertex or edge with a face.
    pub(super) fn new(
        (lead, lead_weights): ([u32; 2], [f64; 2]),
        (face, face_weights): ([u32; 3], [f64; 3]),
        normal: DVec3,
        bodies: [usize; 2],
        friction: f64,
        restitution: f64,
        inverse_mass: &[f64],
    ) -> Self {
        let nodes = [lead[0], lead[1], face[0], face[1], face[2]];
        let [u, v, w] = face_weights;
        let weights = [lead_weights[0], lead_weights[1], -u, -v, -w];
        let inverse =
            nodes.iter().zip(weights).map(|(i, w)| w * w * inverse_mass[*i as usize]).sum();
        Self {
            lead,
            bodies,
            nodes,
            weights,
            normal,
            friction,
            restitution,
            inverse,
            along: 0.0,
            across: DVec3::ZERO,
        }
    }

    fn speed(&self, v: &[DVec3]) -> DVec3 {
        self.nodes.iter().zip(self.weights).map(|(i, w)| v[*i as usize] * w).sum()
    }

    fn push(&self, impulse: DVec3, v: &mut [DVec3], inverse_mass: &[f64]) {
        for (i, w) in self.nodes.iter().zip(self.weights) {
            v[*i as usize] += impulse * (w * inverse_mass[*i as usize]);
        }
    }
}

/// Takes the speed of approach from all contacts, or turns the part of it that their restitution says, with
/// Coulomb's friction.
pub(super) fn press(contacts: &mut [Contact], v: &mut [DVec3], inverse_mass: &[f64]) {
    let wanted: Vec<f64> =
        contacts.iter().map(|c| c.restitution * (-c.normal.dot(c.speed(v))).max(0.0)).collect();
    for _ in 0..PASSES {
        for (contact, wanted) in contacts.iter_mut().zip(&wanted) {
            if contact.inverse <= 0.0 {
                continue;
            }
            let speed = contact.speed(v);
            let (along, normal) = (contact.along, contact.normal);
            contact.along = (along + (wanted - normal.dot(speed)) / contact.inverse).max(0.0);
            let slip = speed - normal * normal.dot(speed);
            let across = contact.across;
            contact.across = (across - slip / contact.inverse)
                .clamp_length_max(contact.friction * contact.along);
            let impulse = normal * (contact.along - along) + (contact.across - across);
            contact.push(impulse, v, inverse_mass);
        }
    }
}
