//! `retake run`.

use crate::cli::args::{Progress, RunArgs, ShotArgs, Talk};
use crate::cli::exit::{Exit, refused};
use crate::cli::progress::Teller;
use crate::cli::{interruption, snippet, terminal, use_threads, values};
use crate::diagnostics::Diagnostic;
use crate::production::{self, End, Job, Outcome, Project, Source, Wishes};
use serde_json::json;

/// Simulates, exports and renders one shot.
pub(in crate::cli) fn run(args: &RunArgs, talk: &Talk) -> Exit {
    let mut job = match values::source(&args.build).and_then(|s| job(s, &args.shot)) {
        Ok(job) => job,
        Err(problems) => return refused(&problems, None),
    };
    job.out.clone_from(&args.out);
    job.take.clone_from(&args.take);
    if let Some(take) = args.take.as_deref().filter(|t| !production::is_file_safe(t)) {
        let problem = Diagnostic::error(format!("`--take {take}` is not a file-safe name"));
        return refused(&[problem], None);
    }
    if let Err(exit) = use_threads(args.shot.threads) {
        return exit;
    }
    let root = Project::of(&job.source.script).ok().map(|p| p.root);
    let teller = Teller::new(talk, root.clone());
    let Outcome { end, folder } = production::run(&job, &teller, &interruption(talk));
    teller.finish();
    if let (Some(folder), false, true) = (&folder, talk.quiet, !matches!(end, End::Refused(_))) {
        terminal::err(&format!("{}\n", folder.display()));
    }
    let (exit, problems) = match end {
        End::Done => (Exit::Done, Vec::new()),
        End::ChecksFailed(problems) => (Exit::CheckFailed, problems),
        End::Interrupted => {
            if !talk.quiet {
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
