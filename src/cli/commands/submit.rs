//! `retake submit`.

use super::batch::{folder_of_listed, options_of};
use super::many::{quality_name, words};
use super::run::job as run_job;
use crate::cli::args::{Farm, ShotArgs, SubmitArgs, Talk};
use crate::cli::exit::{Exit, refused};
use crate::cli::{snippet, terminal, tools, values};
use crate::diagnostics::{Diagnostic, Place};
use crate::frames::write_whole;
use crate::production::farm::{self, FarmJob, FarmStep, Word, chunks};
use crate::production::{
    Job, ListedShot, Loaded, Project, Source, drawn, folder_of, is_file_safe, load, read_shots,
};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One shot of a job.
struct Shot {
    /// What stands before the names of its steps.
    label: String,
    /// What `retake run` gets: the script, its values and folders.
    source: Source,
    /// Text of `--set`, as typed.
    set: Vec<String>,
    /// File of `--params`.
    params: Option<PathBuf>,
    /// `--model`.
    model: Option<String>,
    options: ShotArgs,
    out: Option<PathBuf>,
    take: Option<String>,
    /// Shots that come before it.
    after: Vec<usize>,
}

/// Writes shots as a job for a farm, and hands it in where that is asked for.
pub(in crate::cli) fn submit(args: &SubmitArgs, talk: &Talk) -> Exit {
    let program = match args.to {
        Farm::Openjd => "openjd",
        Farm::Slurm => "sbatch",
    };
    let found = tools::find(program);
    if args.run && found.is_none() {
        let message =
            format!("`--run` needs the program `{program}`, which is in no folder of PATH");
        let hint = match args.to {
            Farm::Openjd => {
                "pip install openjd-cli; or leave `--run` out and hand the file in elsewhere"
            }
            Farm::Slurm => "leave `--run` out, and hand the file in where Slurm is",
        };
        return refused(&[Diagnostic::error(message).hint(hint)], None);
    }
    let root = Project::of(&args.build.script).ok().map(|p| p.root);
    let made = plan(args).and_then(|job| write(&job, args.to).map_err(|d| vec![d]));
    let (file, needed) = match made {
        Ok(made) => made,
        Err(problems) => return refused(&problems, root.as_deref()),
    };
    let mut words: Vec<String> = match args.to {
        Farm::Openjd => vec!["run".into(), file.clone()],
        Farm::Slurm => vec![file.clone()],
    };
    words.extend(needed.iter().flat_map(|value| ["-p".to_owned(), value.clone()]));
    terminal::out(&format!("{file}\n"));
    let (true, Some(found)) = (args.run, found) else {
        if !talk.quiet {
            let words: Vec<String> = words.iter().map(|word| farm::quoted(word)).collect();
            terminal::out(&format!("hand it in: {program} {}\n", words.join(" ")));
        }
        return Exit::Done;
    };
    let problem = match Command::new(&found).args(&words).status() {
        Ok(status) if status.success() => return Exit::Done,
        Ok(status) => format!("`{program}` did not take it: {status}"),
        Err(e) => format!("{} cannot be run: {e}", found.display()),
    };
    snippet::print_all(&[Diagnostic::error(problem)], None);
    Exit::Failed
}

/// Writes the job into the current folder; the file's name, and the values that it needs beside.
fn write(job: &FarmJob, to: Farm) -> Result<(String, Vec<String>), Diagnostic> {
    let here = here()?;
    let (file, text, needed) = match to {
        Farm::Openjd => {
            let (template, needed) = farm::openjd_template(job, &here)?;
            (format!("{}.openjd.json", job.name), format!("{template:#}\n"), needed)
        }
        Farm::Slurm => {
            let file = format!("{}.sbatch", job.name);
            let text = farm::slurm_script(job, &file, &here);
            (file, text, Vec::new())
        }
    };
    let place = || Place::new(file.clone(), 0);
    write_whole(&here.join(&file), text.as_bytes())
        .map_err(|e| Diagnostic::error(format!("the job cannot be written: {e}")).at(place()))?;
    Ok((file, needed))
}

fn here() -> Result<PathBuf, Diagnostic> {
    let here = std::env::current_dir().and_then(|folder| folder.canonicalize());
    here.map_err(|e| Diagnostic::error(format!("the current folder cannot be found: {e}")))
}

/// The job of the shots that are meant. Every script is built, so that mistakes are told before the farm has them.
fn plan(args: &SubmitArgs) -> Result<FarmJob, Vec<Diagnostic>> {
    if args.shot.threads == Some(0) {
        return Err(vec![Diagnostic::error("`--threads` must be at least 1")]);
    }
    let is_list = args.build.script.extension().is_some_and(|e| e == "toml");
    let shots = if is_list { listed(args)? } else { vec![single(args)?] };
    let mut job =
        FarmJob { program: args.program.clone(), threads: args.shot.threads, ..FarmJob::default() };
    // The step that ends each shot.
    let mut ends: Vec<usize> = vec![0; shots.len()];
    for index in in_order(&shots) {
        let shot = &shots[index];
        let loaded = load(&shot.source)?;
        let mut asked = run_job(shot.source.clone(), &shot.options)?;
        asked.out.clone_from(&shot.out);
        asked.take.clone_from(&shot.take);
        if job.name.is_empty() {
            job.name = if is_list {
                args.build.script.file_stem().unwrap_or_default().to_string_lossy().into_owned()
            } else {
                let take = shot.take.as_ref().map_or_else(String::new, |take| format!("@{take}"));
                format!("{}{take}", loaded.scene.name)
            };
        }
        let after: Vec<usize> = shot.after.iter().map(|i| ends[*i]).collect();
        ends[index] =
            add_shot(&mut job, shot, &loaded, &asked, after, args).map_err(|d| vec![d])?;
    }
    Ok(job)
}

/// The shot of a script.
fn single(args: &SubmitArgs) -> Result<Shot, Vec<Diagnostic>> {
    if let Some(take) = args.take.as_deref().filter(|t| !is_file_safe(t)) {
        return Err(vec![Diagnostic::error(format!("`--take {take}` is not a file-safe name"))]);
    }
    Ok(Shot {
        label: String::new(),
        source: values::source(&args.build)?,
        set: args.build.values.set.clone(),
        params: args.build.values.params.clone(),
        model: args.build.values.model.clone(),
        options: args.shot.clone(),
        out: args.out.clone(),
        take: args.take.clone(),
        after: Vec::new(),
    })
}

/// The shots of a list.
fn listed(args: &SubmitArgs) -> Result<Vec<Shot>, Vec<Diagnostic>> {
    let values = &args.build.values;
    let is_given = [
        ("--set", !values.set.is_empty()),
        ("--params", values.params.is_some()),
        ("--model", values.model.is_some()),
        ("--take", args.take.is_some()),
    ];
    if let Some((name, _)) = is_given.iter().find(|(_, given)| *given) {
        let problem = Diagnostic::error(format!("`{name}` is for one script, and this is a list"));
        return Err(vec![problem.hint("write it into the list, for each shot that it is for")]);
    }
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let shots = read_shots(&args.build.script)?;
    let shot = |listed: &ListedShot| Shot {
        label: format!("{}: ", listed.name),
        source: Source {
            script: listed.script.clone(),
            parameters: listed.set.clone(),
            assets: values.assets.clone(),
        },
        set: listed.set.iter().map(|(name, value)| format!("{name}={}", text(value))).collect(),
        params: None,
        model: None,
        options: options_of(listed, &args.shot),
        out: folder_of_listed(listed, args.out.as_deref()),
        take: None,
        after: listed.after.clone(),
    };
    Ok(shots.iter().map(shot).collect())
}

/// Indices of the shots, each after those that it waits for; the list has no circles.
fn in_order(shots: &[Shot]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    while order.len() < shots.len() {
        let is_next =
            |i: &usize| !order.contains(i) && shots[*i].after.iter().all(|a| order.contains(a));
        match (0..shots.len()).find(is_next) {
            Some(next) => order.push(next),
            None => break,
        }
    }
    order
}

/// Adds the steps of a shot: simulating, which goes from frame to frame; drawing, in chunks beside each other;
/// and what is made of all pictures. Gives the last one.
fn add_shot(
    job: &mut FarmJob,
    shot: &Shot,
    loaded: &Loaded,
    asked: &Job,
    after: Vec<usize>,
    args: &SubmitArgs,
) -> Result<usize, Diagnostic> {
    let progress = Word::from(match args.to {
        Farm::Openjd => "--progress=openjd",
        Farm::Slurm => "--progress=plain",
    });
    let real = |path: &Path| {
        path.canonicalize().map_err(|e| {
            Diagnostic::error(format!("cannot be found: {e}"))
                .at(Place::new(path.display().to_string(), 0))
        })
    };
    let out = planned(&folder_of(asked, loaded))?;
    let renders = out.parent().unwrap_or(&out);
    // The folder of the shots comes first: it may lie in the project, and is written.
    let renders = job.folder(renders, "Renders", "Folder of the shots' folders");
    job.paths[renders].is_written = true;
    job.folder(
        &real(&loaded.project.root)?,
        "Project",
        "The project: scripts and all that they read",
    );

    let script = job.path("", &real(&shot.source.script)?, "Script", "The script")?;
    let mut run: Vec<Word> = vec!["run".into(), script];
    run.extend(shot.set.iter().map(|set| Word::Plain(format!("--set={set}"))));
    if let Some(params) = &shot.params {
        run.push(job.path("--params=", &real(params)?, "Params", "Values of parameters")?);
    }
    for assets in &shot.source.assets {
        run.push(job.path("--assets=", &real(assets)?, "Assets", "Files that scripts read")?);
    }
    run.extend(shot.model.iter().map(|model| Word::Plain(format!("--model={model}"))));
    let options = ShotArgs { fresh: false, no_images: false, ..shot.options.clone() };
    run.extend(words(&options).into_iter().map(Word::Plain));
    let threads = shot.options.threads.map(|n| Word::Plain(format!("--threads={n}")));
    run.extend(threads.clone());
    run.push(job.path("--out=", &out, "Renders", "")?);
    run.push(progress.clone());

    let drawn = drawn(asked, &loaded.scene)?;
    let mut simulate = run.clone();
    let draws = !drawn.numbers.is_empty() || drawn.has_sheet;
    if draws || shot.options.no_images {
        simulate.push("--no-images".into());
    }
    if shot.options.fresh {
        simulate.push("--fresh".into());
    }
    let mut draw: Vec<Word> = vec!["render".into(), job.path("", &out, "Renders", "")?];
    let quality = shot.options.quality.map(quality_name);
    draw.extend(quality.map(|name| Word::Plain(format!("--quality={name}"))));
    draw.extend(threads);
    draw.push(progress);
    let mut add = |name: &str, words: Vec<Word>, chunks: Vec<String>, after: Vec<usize>| {
        let name = format!("{}{name}", shot.label);
        job.steps.push(FarmStep { name, words, chunks, after });
        job.steps.len() - 1
    };
    let mut last = add("simulate", simulate, Vec::new(), after);
    if !drawn.numbers.is_empty() {
        last = add("draw", draw, chunks(&drawn.numbers, args.chunk), vec![last]);
    }
    if draws {
        last = add("finish", run, Vec::new(), vec![last]);
    }
    Ok(last)
}

/// The absolute path of a file that need not be there, without links as far as it is.
fn planned(path: &Path) -> Result<PathBuf, Diagnostic> {
    let absolute = std::path::absolute(path).map_err(|e| {
        Diagnostic::error(format!("cannot be found: {e}"))
            .at(Place::new(path.display().to_string(), 0))
    })?;
    let real =
        |above: &Path| Some((above.canonicalize().ok()?, absolute.strip_prefix(above).ok()?));
    let found = absolute.ancestors().find_map(real);
    Ok(found.map_or(absolute.clone(), |(above, below)| above.join(below)))
}
