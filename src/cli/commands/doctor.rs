//! `retake doctor`.

use crate::cli::exit::Exit;
use crate::cli::table::table;
use crate::cli::{terminal, tools};
use crate::scene::SCENE_VERSION;

/// Programs that go well with this one, and for what.
const OPTIONAL: [(&str, &str); 4] = [
    ("blender", "opens import_<shot>.py"),
    ("ffmpeg", "makes films of the pictures"),
    ("openjd", "runs what `submit --to openjd` writes"),
    ("sbatch", "hands in what `submit --to slurm` writes"),
];

/// Tells versions, cores, and what optional tools were found.
pub(in crate::cli) fn doctor() -> Exit {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let row = |a: &str, b: String| vec![a.to_owned(), b];
    let mut rows = vec![
        row("retake", env!("CARGO_PKG_VERSION").into()),
        row("scene format", SCENE_VERSION.to_string()),
        row("system", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        row("cores", cores.to_string()),
        row("threads used", rayon::current_num_threads().to_string()),
    ];
    for (program, purpose) in OPTIONAL {
        let found = tools::find(program).map_or("not found".into(), |p| p.display().to_string());
        rows.push(row(program, format!("{found} ({purpose})")));
    }
    terminal::out(&table(&rows));
    Exit::Done
}
