//! The calls of a script, one file a topic.

mod bodies;
mod chance;
mod clips;
mod constraints;
mod curves;
pub(super) mod fabrics;
pub(super) mod fields;
mod flex3d;
mod forces;
mod joint_changes;
pub(super) mod joints;
mod materials;
mod mesh_calls;
mod mesh_files;
mod meshes;
mod moves;
pub(super) mod outputs;
pub(super) mod parameters;
mod perforate;
mod points;
mod ropes;
mod running;
mod scatter;
mod shares;
mod shots;
mod solids;
mod solving;
mod spots;
mod springs;
mod stages;
mod views;
pub(super) mod world;

use super::schema::Call;

/// A topic of the reference.
pub(super) struct Topic {
    pub(super) title: &'static str,
    pub(super) calls: &'static [Call],
}

/// All topics, in the order of the reference.
pub(super) const TOPICS: [Topic; 24] = [
    Topic { title: "Parameters", calls: parameters::CALLS },
    Topic { title: "The shot", calls: shots::CALLS },
    Topic { title: "Meshes", calls: meshes::CALLS },
    Topic { title: "Meshes of files", calls: mesh_files::CALLS },
    Topic { title: "Files as stages", calls: stages::CALLS },
    Topic { title: "What a mesh can do", calls: mesh_calls::CALLS },
    Topic { title: "Bodies", calls: bodies::CALLS },
    Topic { title: "Rigid and soft bodies", calls: solids::CALLS },
    Topic { title: "Ropes", calls: ropes::CALLS },
    Topic { title: "Materials", calls: materials::CALLS },
    Topic { title: "Points", calls: points::CALLS },
    Topic { title: "Pins and other constraints", calls: constraints::CALLS },
    Topic { title: "Perforations", calls: perforate::CALLS },
    Topic { title: "Moving and releasing", calls: moves::CALLS },
    Topic { title: "Forces", calls: forces::CALLS },
    Topic { title: "Fields of force", calls: fields::CALLS },
    Topic { title: "How it is solved", calls: solving::CALLS },
    Topic { title: "Cameras and lights", calls: views::CALLS },
    Topic { title: "Outputs", calls: outputs::CALLS },
    Topic { title: "Curves", calls: curves::CALLS },
    Topic { title: "Chance", calls: chance::CALLS },
    Topic { title: "Directing while it runs", calls: running::CALLS },
    Topic { title: "What callbacks see", calls: world::CALLS },
    Topic { title: "What callbacks change of joints", calls: joint_changes::CALLS },
];

/// All calls.
pub(super) fn calls() -> impl Iterator<Item = &'static Call> {
    TOPICS.iter().flat_map(|topic| topic.calls.iter())
}
