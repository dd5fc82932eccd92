//! Pictures of the five theses' systems.

use super::draw::draw;
use super::root;
use retake::production::{Job, Source};
use serde_json::Value;
use std::collections::BTreeMap;

const SIZE: [u32; 2] = [360, 240];
/// Paths a pixel.
const SAMPLES: u32 = 32;

/// A picture: its name, the script below `scripts/theses/`, parameters, and the frame.
struct Picture {
    name: &'static str,
    script: &'static str,
    set: &'static [(&'static str, &'static str)],
    frame: i32,
}

const fn picture(
    name: &'static str,
    script: &'static str,
    set: &'static [(&'static str, &'static str)],
    frame: i32,
) -> Picture {
    Picture { name, script, set, frame }
}

const PICTURES: &[Picture] = &[
    picture("sotomayor_pile", "sotomayor/pile.lua", &[("balls", "27")], 40),
    picture("sotomayor_toys", "sotomayor/toys.lua", &[], 46),
    picture("carvalho_simulation_1", "carvalho/simulation_1.lua", &[], 16),
    picture("carvalho_simulation_2", "carvalho/simulation_2.lua", &[("step", "0.0005")], 21),
    picture("carvalho_simulation_3", "carvalho/simulation_3.lua", &[("step", "0.0004")], 28),
    picture("galante_dominoes", "galante/dominoes.lua", &[("count", "120")], 70),
    picture("galante_meshes", "galante/meshes.lua", &[], 60),
    picture(
        "galante_tower_falls",
        "galante/tower.lua",
        &[("shock", "false"), ("rollback", "false")],
        29,
    ),
    picture(
        "galante_tower_stands",
        "galante/tower.lua",
        &[("shock", "false"), ("rollback", "true")],
        60,
    ),
    picture("flex3d_wind", "flex3d/fig_A2_2_vento.par", &[], 12),
    picture("flex3d_curtains", "flex3d/fig_A2_4_cortinas.par", &[], 40),
    picture("flex3d_paper", "flex3d/paper_tears_off.lua", &[], 30),
    picture("matos_rag_doll", "matos/rag_doll.lua", &[], 16),
];

/// Names of all pictures.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PICTURES.iter().map(|picture| picture.name)
}

/// Makes the picture of this name again.
pub(super) fn make(name: &str) -> Result<(), String> {
    let picture = PICTURES.iter().find(|p| p.name == name).ok_or("there is no such picture")?;
    let job = job(picture.name, picture.script, picture.set);
    let to = root().join("scenes/theses").join(format!("{name}.png"));
    draw(job, name, picture.frame, SIZE, SAMPLES, &to)
}

/// A run of a thesis' script with parameters, into a folder of its own.
pub(super) fn job(name: &str, script: &str, set: &[(&str, &str)]) -> Job {
    let parameters: BTreeMap<String, Value> =
        set.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())).collect();
    let script = root().join("scripts/theses").join(script);
    let out = Some(root().join("renders/theses").join(name));
    Job { source: Source { script, parameters, ..Source::default() }, out, ..Job::default() }
}
