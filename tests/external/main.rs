//! What other programs make of Retake's files: Blender, the Khronos validator, OpenEXR, OpenUSD, Open Job
//! Description.
//!
//! The programs are fetched once, into the target folder, with pip and npm. One line a check:
//! `passed`, `skipped` (with the reason: a check that cannot be made here says nothing about the
//! files) or `FAILED`. Only failures end with exit code 1. See `README.md`.
#![allow(clippy::print_stdout, reason = "its lines are its result")]

mod bounded;
mod environments;
mod farm;
mod shots;

use bounded::{Ended, run};
use environments::Environment;
use shots::{SHOTS, Shot};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// Longest that one check may take. They take seconds; a program that hangs is a failure.
const CHECK_LIMIT: Duration = Duration::from_mins(3);
/// Longest wait for another run that uses the same folder.
const LOCK_LIMIT: Duration = Duration::from_mins(5);

/// How a check ended.
enum Verdict {
    Passed,
    /// Why it could not be made.
    Skipped(String),
    /// What is wrong.
    Failed(String),
}

/// Prints and counts verdicts.
#[derive(Default)]
struct Tally {
    passed: u32,
    skipped: u32,
    failed: u32,
}

impl Tally {
    fn note(&mut self, name: &str, verdict: Verdict) {
        match verdict {
            Verdict::Passed => {
                self.passed += 1;
                println!("passed   {name}");
            }
            Verdict::Skipped(why) => {
                self.skipped += 1;
                println!("skipped  {name}: {}", why.trim());
            }
            Verdict::Failed(what) => {
                self.failed += 1;
                println!("FAILED   {name}: {}", what.trim().replace('\n', "\n         "));
            }
        }
    }
}

fn main() -> ExitCode {
    if !is_wanted(&std::env::args().skip(1).collect::<Vec<_>>()) {
        return ExitCode::SUCCESS;
    }
    let began = Instant::now();
    let mut tally = Tally::default();
    match folder() {
        Ok((folder, _lock)) => check_all(&folder, &mut tally),
        Err(why) => tally.note("all checks", Verdict::Skipped(why)),
    }
    let Tally { passed, skipped, failed } = tally;
    println!(
        "external: {passed} passed, {skipped} skipped, {failed} failed in {:.0} s",
        began.elapsed().as_secs_f64()
    );
    if failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Whether the options that `cargo test` hands on ask for this target: a filter by name must fit
/// it, lists and ignored tests are none of it.
fn is_wanted(arguments: &[String]) -> bool {
    let mut filters = Vec::new();
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--list" | "--ignored" => return false,
            "--skip" => {
                if words.next().is_some_and(|w| "external".contains(w)) {
                    return false;
                }
            }
            "--test-threads" | "--format" | "--color" | "--logfile" | "-Z" => {
                words.next();
            }
            _ if word.starts_with('-') => {}
            _ => filters.push(word),
        }
    }
    filters.is_empty() || filters.iter().any(|f| "external".contains(f))
}

/// The folder for environments and runs, held against other runs until the file is dropped.
fn folder() -> Result<(PathBuf, std::fs::File), String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("external");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let lock = std::fs::File::create(folder.join("lock")).map_err(|e| e.to_string())?;
    let began = Instant::now();
    while lock.try_lock().is_err() {
        if began.elapsed() > LOCK_LIMIT {
            return Err("another run of these checks does not end".into());
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok((folder, lock))
}

fn check_all(folder: &Path, tally: &mut Tally) {
    // Fetching waits for the network, simulating for the processor.
    let (blender, openexr, usd, validator, openjd, made) = std::thread::scope(|scope| {
        let blender = scope.spawn(|| environments::blender(folder));
        let openexr = scope.spawn(|| environments::openexr(folder));
        let usd = scope.spawn(|| environments::usd(folder));
        let validator = scope.spawn(|| environments::gltf_validator(folder));
        let openjd = scope.spawn(|| environments::openjd(folder));
        let made = SHOTS.map(|shot| shot.make(&folder.join("runs")));
        (
            blender.join().expect("a panic says what is wrong with the check"),
            openexr.join().expect("a panic says what is wrong with the check"),
            usd.join().expect("a panic says what is wrong with the check"),
            validator.join().expect("a panic says what is wrong with the check"),
            openjd.join().expect("a panic says what is wrong with the check"),
            made,
        )
    });
    tally.note("openjd runs the job of a shot", farm::check(&openjd, folder));
    let node = environments::node();
    for (shot, made) in SHOTS.iter().zip(made) {
        match made {
            Ok(run) => {
                tally.note(&format!("retake makes {}", shot.name), Verdict::Passed);
                let programs = [&blender, &openexr, &usd, &validator, &node];
                check_shot(shot, &run, programs, tally);
            }
            Err(what) => {
                tally.note(&format!("retake makes {}", shot.name), Verdict::Failed(what));
            }
        }
    }
}

fn check_shot(
    shot: &Shot,
    run: &Path,
    [blender, openexr, usd, validator, node]: [&Result<Environment, String>; 5],
    tally: &mut Tally,
) {
    let name = format!("blender shows {} as its OBJ files have it", shot.name);
    tally.note(&name, check(blender, "blender_check.py", |c| c.arg(run)));
    let name = format!("blender reads the USD file of {} as its OBJ files have it", shot.name);
    tally.note(&name, check(blender, "blender_usd_check.py", |c| c.arg(run)));
    let name = format!("blender reads the Alembic file of {} as its OBJ files have it", shot.name);
    tally.note(&name, check(blender, "blender_abc_check.py", |c| c.arg(run)));
    let name = format!("usd-core reads {} as its OBJ files have it", shot.name);
    tally.note(&name, check(usd, "usd_check.py", |c| c.arg(run)));
    let files = files(&run.join("gltf"), "glb");
    let name = format!("gltf-validator likes the {} files of {}", files.len(), shot.name);
    tally.note(&name, check(validator, "gltf_check.js", |c| c.args(&files)));
    let name = format!("node reads the playback of {} as its OBJ files have it", shot.name);
    tally.note(&name, check(node, "page_check.js", |c| c.arg(run)));
    if shot.has_layers {
        let name = format!("openexr reads the layers of {}", shot.name);
        tally.note(&name, check(openexr, "exr_check.py", |c| c.arg(run)));
    }
}

/// Runs one of the checking programs of this folder.
fn check(
    environment: &Result<Environment, String>,
    program: &str,
    arguments: impl FnOnce(&mut Command) -> &mut Command,
) -> Verdict {
    let environment = match environment {
        Ok(environment) => environment,
        Err(why) => return Verdict::Skipped(why.clone()),
    };
    let mut command = environment.command();
    command.arg(source(program));
    match run(arguments(&mut command), CHECK_LIMIT) {
        Ended { success: true, .. } => Verdict::Passed,
        Ended { said, .. } => Verdict::Failed(said),
    }
}

/// A file beside this one.
fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/external").join(name)
}

/// The files of a folder that end so, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> =
        entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == ending)).collect();
    found.sort();
    found
}
