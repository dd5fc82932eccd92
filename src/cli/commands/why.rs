//! `retake why`.

use crate::cli::args::{Talk, WhyArgs};
use crate::cli::exit::{Exit, refused};
use crate::cli::{snippet, terminal, values};
use crate::production::json::sorted_text;
use crate::production::{
    Cause, Project, Sureness, Why, frames_in_words, source_of_run, why as judge,
};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// Tells what of a run is stale.
pub(in crate::cli) fn why(args: &WhyArgs, talk: &Talk) -> Exit {
    let mut given = match values::parameters(&args.values) {
        Ok(given) => given,
        Err(problem) => return refused(&[problem], None),
    };
    if let Some(model) = &args.values.model {
        given.insert("model".to_owned(), Value::from(model.as_str()));
    }
    let source = match source_of_run(&args.dir, &given, &args.values.assets) {
        Ok(source) => source,
        Err(problem) => return refused(&[problem], None),
    };
    let root = Project::of(&source.script).ok().map(|p| p.root);
    let why = match judge(&args.dir, &source) {
        Ok(why) => why,
        Err(problems) => return refused(&problems, root.as_deref()),
    };
    if !talk.quiet {
        snippet::print_all(&why.warnings, root.as_deref());
    }
    terminal::out(&if args.json { sorted_text(&as_json(&why)) } else { text(&why, &args.dir) });
    Exit::Done
}

/// At most so many causes are told one by one.
const MOST: usize = 24;

fn text(why: &Why, folder: &Path) -> String {
    let (first, last) = why.range;
    let mut out = String::new();
    if let Some(name) = &why.renamed {
        let _ = writeln!(
            out,
            "the shot is called {name} now: `retake run` makes a folder of that name, and leaves {} as it is \
             unless it is told `--out`",
            folder.display()
        );
    }
    match why.missing.first() {
        None => {
            let _ = writeln!(out, "frames {first} to {last} are as the script has them");
        }
        Some(from) => {
            let kept = from - 1;
            if kept >= first {
                let _ = writeln!(out, "frames {first} to {kept} are kept");
            }
            let missing = frames_in_words(&why.missing);
            let _ = writeln!(out, "simulation starts at frame {from}, and makes frames {missing}");
            if why.moved_aside {
                let name = folder.file_name().unwrap_or_default().to_string_lossy();
                let _ = writeln!(out, "the frames that are there are moved to {name}.previous");
            }
        }
    }
    for cause in why.causes.iter().take(MOST) {
        let _ = match cause {
            Cause::Changed { change, from } => writeln!(out, "  from frame {from}: {change}"),
            Cause::Other(text) => writeln!(out, "  {text}"),
        };
    }
    if let Some(more) = why.causes.len().checked_sub(MOST).filter(|more| *more > 0) {
        let _ = writeln!(out, "  and {more} more");
    }
    if !why.measured_again.is_empty() {
        let frames = frames_in_words(&why.measured_again);
        let _ = writeln!(
            out,
            "measures of frames {frames}: would be taken again, of what is kept of the frames"
        );
    }
    for output in &why.outputs {
        let frames = match frames_in_words(&output.frames) {
            frames if frames.is_empty() => String::new(),
            frames => format!(" of frames {frames}"),
        };
        let how = match output.sureness {
            Sureness::Sure => "would be written",
            Sureness::ByFrames => "would be written unless the frames come out as they were",
        };
        let _ = writeln!(out, "{}{frames}: {how}: {}", output.what, output.why);
    }
    if !is_stale(why) {
        out += "nothing is stale\n";
    }
    out
}

fn as_json(why: &Why) -> Value {
    let cause = |cause: &Cause| match cause {
        Cause::Changed { change, from } => json!({ "from": from, "of": change.of,
            "field": change.field, "old": change.old, "new": change.new }),
        Cause::Other(text) => json!({ "text": text }),
    };
    json!({
        "script": why.script.display().to_string(),
        "renamed": why.renamed,
        "frame_range": { "first": why.range.0, "last": why.range.1 },
        "from": why.missing.first(),
        "frames": why.missing,
        "measured_again": why.measured_again,
        "moved_aside": why.moved_aside,
        "causes": why.causes.iter().map(cause).collect::<Vec<_>>(),
        "outputs": why.outputs.iter().map(|o| json!({ "what": o.what, "frames": o.frames,
            "why": o.why, "sure": o.sureness == Sureness::Sure })).collect::<Vec<_>>(),
        "stale": is_stale(why),
    })
}

fn is_stale(why: &Why) -> bool {
    !(why.missing.is_empty() && why.measured_again.is_empty() && why.outputs.is_empty())
}
