//! Makes the pictures of `renders/gallery/` again: one good frame of each shot in `scripts/`.
//!
//! ```text
//! cargo run --release --example gallery                   # all of them
//! cargo run --release --example gallery -- flag napkin    # these only
//! cargo run --release --example gallery -- napkin:20      # another frame of it
//! ```
//!
//! Each shot is run into `renders/<shot>/`, as `retake run` does, no further than its frame; frames
//! that are there are not made again, so that a shot that was run before costs its picture only.
//! That picture takes the place of the same one in `images/` of the run (`retake run` draws it in
//! its own size again). Afterwards `git diff --stat renders/gallery` tells what changed.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

#[path = "support/draw.rs"]
mod draw;

use draw::draw;
use retake::production::{Job, Source};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// The shots and the frame of each that shows best what it is about.
const SHOTS: [(&str, i32); 11] = [
    ("curtain", 58),      // drawn together
    ("tablecloth", 60),   // draped
    ("flag", 66),         // the wind has set in
    ("napkin", 7),        // sliding off the ball
    ("hammock", 72),      // the ball rests in the cloth
    ("banner_tears", 31), // the seam is open half-way
    ("catch", 49),        // all caught
    ("toys", 23),         // most have landed
    ("walk", 32),         // the left leg is in front
    ("washing_line", 71), // the gust dies down
    ("rag_doll", 20),     // head first on the stairs
];
const WIDTH: u32 = 480;
const HEIGHT: u32 = 270;
/// Paths a pixel.
const SAMPLES: u32 = 48;
/// Pictures lie in the repository, so they are kept small [bytes].
const MOST_BYTES: u64 = 150_000;

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let shots = match chosen(&wanted) {
        Ok(shots) => shots,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let mut ended = ExitCode::SUCCESS;
    for (shot, frame) in shots {
        let began = Instant::now();
        match make(shot, frame) {
            Ok(picture) => {
                let size = fs::metadata(&picture).map_or(0, |m| m.len());
                let seconds = began.elapsed().as_secs_f64();
                println!("{}: frame {frame}, {size} bytes, {seconds:.0} s", picture.display());
                if size > MOST_BYTES {
                    eprintln!("{shot}: the picture is larger than {MOST_BYTES} bytes");
                    ended = ExitCode::FAILURE;
                }
            }
            Err(why) => {
                eprintln!("{shot}: {why}");
                ended = ExitCode::FAILURE;
            }
        }
    }
    ended
}

/// The shots that are asked for as `name` or `name:frame`; all where none is.
fn chosen(wanted: &[String]) -> Result<Vec<(&'static str, i32)>, String> {
    if wanted.is_empty() {
        return Ok(SHOTS.to_vec());
    }
    let find = |word: &String| {
        let (name, frame) = word.split_once(':').unwrap_or((word, ""));
        let (shot, usual) = SHOTS.into_iter().find(|(s, _)| *s == name).ok_or_else(|| {
            format!("`{name}` is none of the shots {}", SHOTS.map(|(s, _)| s).join(", "))
        })?;
        let frame = if frame.is_empty() { Ok(usual) } else { frame.parse() };
        frame.map(|f| (shot, f)).map_err(|e| format!("`{word}`: {e}"))
    };
    wanted.iter().map(find).collect()
}

/// Runs a shot as far as `frame`, draws it, and puts the picture into the gallery.
fn make(shot: &'static str, frame: i32) -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = root.join("scripts").join(format!("{shot}.lua"));
    let picture = root.join("renders/gallery").join(format!("{shot}.png"));
    let job = Job { source: Source { script, ..Source::default() }, ..Job::default() };
    draw(job, shot, frame, [WIDTH, HEIGHT], SAMPLES, &picture)?;
    Ok(picture)
}
