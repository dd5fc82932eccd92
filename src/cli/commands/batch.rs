//! `retake batch`.

use super::many::{arguments, exit, run_tasks, status};
use crate::cli::args::{BatchArgs, Quality, ShotArgs, Talk};
use crate::cli::exit::{Exit, refused};
use crate::cli::table::table;
use crate::cli::{interruption, terminal};
use crate::production::{Ending, ListedShot, Project, Task, read_shots, standing};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Runs many shots.
pub(in crate::cli) fn batch(args: &BatchArgs, talk: &Talk) -> Exit {
    let shots = match read_shots(&args.shots) {
        Ok(shots) => shots,
        Err(problems) => return refused(&problems, None),
    };
    let tasks: Vec<Task> = shots.iter().map(|shot| task(shot, args)).collect();
    let interrupted = interruption(talk);
    let endings = run_tasks(&tasks, args.jobs, talk, &interrupted);
    terminal::out(&result(&tasks, &endings));
    exit(&endings, &interrupted)
}

fn task(shot: &ListedShot, args: &BatchArgs) -> Task {
    let options = options_of(shot, &args.shot);
    let mut arguments = arguments(&shot.script, shot.set.clone(), &options, args.jobs);
    if let Some(folder) = folder_of_listed(shot, args.out.as_deref()) {
        arguments.push("--out".into());
        arguments.push(folder.into());
    }
    Task { name: shot.name.clone(), arguments, after: shot.after.clone() }
}

/// What a shot of a list is run with.
pub(super) fn options_of(shot: &ListedShot, given: &ShotArgs) -> ShotArgs {
    let mut options = given.clone();
    let quality = |name: &str| if name == "final" { Quality::Final } else { Quality::Draft };
    // The command line is nearer to the person than the list.
    options.frames = options.frames.or_else(|| shot.frames.clone());
    options.until = options.until.or(shot.until);
    options.bodies = options.bodies.or_else(|| shot.bodies.clone());
    options.quality = options.quality.or_else(|| shot.quality.as_deref().map(quality));
    options.no_images |= shot.no_images;
    options.no_export |= shot.no_export;
    options
}

/// The folder of a shot, where it is not the one that the shot itself chooses.
pub(super) fn folder_of_listed(shot: &ListedShot, out: Option<&Path>) -> Option<PathBuf> {
    match out {
        Some(out) => Some(out.join(&shot.name)),
        None if shot.is_named => {
            Project::of(&shot.script).ok().map(|p| p.renders().join(&shot.name))
        }
        None => None,
    }
}

/// The table at the end.
fn result(tasks: &[Task], endings: &[Ending]) -> String {
    let head = ["shot", "result", "frames", "retakes", "deepest", "minutes", "reason"];
    let mut rows: Vec<Vec<String>> = vec![head.iter().map(ToString::to_string).collect()];
    for (task, ending) in tasks.iter().zip(endings) {
        let read = |name: &str| -> Option<Value> {
            serde_json::from_slice(&fs::read(ending.folder.as_ref()?.join(name)).ok()?).ok()
        };
        let shot = ending.folder.as_ref().and_then(|folder| standing(folder).ok());
        let shot = shot.unwrap_or(Value::Null);
        let figures = shot["figures"].as_array().map_or(&[][..], Vec::as_slice);
        let deepest = figures.iter().filter_map(|f| f["pressed_in"].as_f64()).reduce(f64::max);
        let minutes = read("timings.json").map(|t| {
            let parts = t["parts"].as_object();
            parts.into_iter().flat_map(|p| p.values()).filter_map(Value::as_f64).sum::<f64>() / 60.0
        });
        let number = |x: Option<f64>| x.map_or_else(|| "-".into(), |x| format!("{x:.2}"));
        let count = |n: usize| if shot.is_null() { "-".to_owned() } else { n.to_string() };
        rows.push(vec![
            task.name.clone(),
            status(ending),
            count(figures.len()),
            count(shot["retakes"].as_array().map_or(0, Vec::len)),
            number(deepest),
            number(minutes),
            if ending.code.is_some() { ending.reason.clone() } else { String::new() },
        ]);
    }
    table(&rows)
}
