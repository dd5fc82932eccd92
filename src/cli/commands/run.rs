//! `retake run`.

use crate::cli::args::{Progress, RunArgs, ShotArgs, Talk};
use crate::cli::exit::{Exit, refused};
use crate::cli::progress::Teller;
use crate::cli::{interruption, snippet, terminal, use_threads, values};
use crate::diagnostics::Diagnostic;
use crate::production::{self, End, Job, Outcome, Project, Source, Wishes};
use serde_json::json;
use std::sync::atomic::AtomicBool;

/// Simulates, exports and renders one shot.
pub(in crate::cli) fn run(args: &RunArgs, talk: &Talk) -> Exit {
    if let Some(exit) = refusal(args) {
        return exit;
    }
    if let Err(exit) = use_threads(args.shot.threads) {
        return exit;
    }
    once(args, talk, &interruption(talk), true)
}

/// What is wrong with the command, whatever the script says; none where nothing is.
pub(super) fn refusal(args: &RunArgs) -> Option<Exit> {
    if let Some(take) = args.take.as_deref().filter(|t| !production::is_file_safe(t)) {
        let problem = Diagnostic::error(format!("`--take {take}` is not a file-safe name"));
        return Some(refused(&[problem], None));
    }
    let frames = args.shot.frames.as_deref().map(str::parse::<production::FrameList>);
    if let Some(Err(problem)) = frames {
        return Some(refused(&[problem], None));
    }
    (!args.build.script.is_file()).then(|| refused(&[values::no_script(&args.build.script)], None))
}

/// Runs the shot once; `tells_of_stop`: says how it goes on where it is stopped.
pub(super) fn once(
    args: &RunArgs,
    talk: &Talk,
    interrupted: &AtomicBool,
    tells_of_stop: bool,
) -> Exit {
    let mut job = match values::source(&args.build).and_then(|s| job(s, &args.shot)) {
        Ok(job) => job,
        Err(problems) => return refused(&problems, None),
    };
    job.out.clone_from(&args.out);
    job.take.clone_from(&args.take);
    let root = Project::of(&job.source.script).ok().map(|p| p.root);
    let teller = Teller::new(talk, root.clone());
    let Outcome { end, folder } = production::run(&job, &teller, interrupted);
    teller.finish();
    if let (Some(folder), false, true) = (&folder, talk.quiet, !matches!(end, End::Refused(_))) {
        terminal::err(&format!("{}\n", folder.display()));
    }
    let (exit, problems) = match end {
        End::Done => (Exit::Done, Vec::new()),
        End::ChecksFailed(problems) => (Exit::CheckFailed, problems),
        End::Interrupted => {
            if tells_of_stop && !talk.quiet {
                terminal::err("interrupted; run again to go on from here\n");
            }
            (Exit::Interrupted, Vec::new())
        }
        End::Failed(problems) => (Exit::Failed, problems),
        End::Refused(problems) => (Exit::Wrong, problems),
    };
    snippet::print_all(&problems, root.as_deref());
    if talk.progress == Progress::Json {
        let folder = folder.map(|f| f.display().to_string());
        terminal::out(&format!("{}\n", json!({ "code": exit.code(), "folder": folder })));
    }
    exit
}

/// A job with what `run`, `sweep` and `batch` share.
pub(in crate::cli) fn job(source: Source, args: &ShotArgs) -> Result<Job, Vec<Diagnostic>> {
    let frames = args.frames.as_deref().map(str::parse).transpose().map_err(|d| vec![d])?;
    Ok(Job {
        source,
        until: args.until,
        frames,
        fresh: args.fresh,
        outputs: Wishes {
            no_images: args.no_images,
            no_export: args.no_export,
            bodies: args.bodies.clone(),
            quality: args.quality.map(Into::into),
        },
        ..Job::default()
    })
}
