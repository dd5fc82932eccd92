//! `retake render`, `retake export`.

use crate::cli::args::{ExportArgs, RenderArgs, Talk};
use crate::cli::exit::{Exit, refused};
use crate::cli::progress::Teller;
use crate::cli::{interruption, snippet, use_threads};
use crate::diagnostics::Diagnostic;
use crate::export::Format;
use crate::production::{FrameList, Redraw, Trouble, export_again, redraw};

/// Draws pictures of a run.
pub(in crate::cli) fn render(args: &RenderArgs, talk: &Talk) -> Exit {
    let frames = match list(args.frames.as_deref()) {
        Ok(frames) => frames,
        Err(problem) => return refused(&[problem], None),
    };
    if let Err(exit) = use_threads(args.threads) {
        return exit;
    }
    let how = Redraw {
        frames,
        samples: args.samples,
        cameras: args.camera.clone(),
        width: args.width,
        height: args.height,
        quality: args.quality.map(Into::into),
    };
    let teller = Teller::new(talk, None);
    let result = redraw(&args.dir, &how, &teller, &interruption(talk));
    teller.finish();
    exit(result)
}

/// Writes exports of a run.
pub(in crate::cli) fn export(args: &ExportArgs, talk: &Talk) -> Exit {
    let mut formats = Vec::new();
    for name in &args.format {
        match Format::from_name(name) {
            Ok(format) => formats.push(format),
            Err(problem) => return refused(&[problem], None),
        }
    }
    let frames = match list(args.frames.as_deref()) {
        Ok(frames) => frames,
        Err(problem) => return refused(&[problem], None),
    };
    let teller = Teller::new(talk, None);
    let bodies = args.bodies.as_deref();
    let result =
        export_again(&args.dir, &formats, frames.as_ref(), bodies, &teller, &interruption(talk));
    teller.finish();
    exit(result)
}

fn list(text: Option<&str>) -> Result<Option<FrameList>, Diagnostic> {
    text.map(str::parse).transpose()
}

fn exit(result: Result<bool, Trouble>) -> Exit {
    match result {
        Ok(true) => Exit::Done,
        Ok(false) => Exit::Interrupted,
        Err(Trouble::Wrong(problem)) => refused(&[problem], None),
        Err(Trouble::Failed(problem)) => {
            snippet::print_all(&[problem], None);
            Exit::Failed
        }
    }
}
