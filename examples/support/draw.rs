//! Runs a shot as far as one frame, and draws it.

use retake::diagnostics::Diagnostic;
use retake::production::{
    End, Job, Listener, Message, Outcome, Redraw, Trouble, Wishes, redraw, run,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Runs `job` as far as `frame`, without outputs, and gives its folder. `shot` is what it is called in what is told
/// on the way.
pub(crate) fn make(mut job: Job, shot: &str, frame: Option<i32>) -> Result<PathBuf, String> {
    job.until = frame;
    job.outputs = Wishes { no_images: true, no_export: true, ..Wishes::default() };
    let Outcome { end, folder } = run(&job, &Teller { shot }, &AtomicBool::new(false));
    match end {
        // The checks of the script are about the whole shot, and `retake run` tells of them.
        End::Done | End::ChecksFailed(_) => {}
        End::Interrupted => return Err("it was interrupted".into()),
        End::Failed(problems) | End::Refused(problems) => return Err(told(&problems)),
    }
    folder.ok_or_else(|| "the run has no folder".into())
}

/// Runs `job` as far as `frame`, draws that frame with so many pixels and paths a pixel, and puts it to `picture`.
pub(crate) fn draw(
    job: Job,
    shot: &str,
    frame: i32,
    [width, height]: [u32; 2],
    samples: u32,
    picture: &Path,
) -> Result<(), String> {
    let folder = make(job, shot, Some(frame))?;
    let how = Redraw {
        frames: Some(frame.to_string().parse().map_err(|d| told(&[d]))?),
        samples: Some(samples),
        width: Some(width),
        height: Some(height),
        ..Redraw::default()
    };
    let drawn = folder.join("images");
    redraw(&folder, &how, &Teller { shot }, &AtomicBool::new(false)).map_err(|trouble| {
        match trouble {
            Trouble::Wrong(problem) | Trouble::Failed(problem) => told(&[problem]),
        }
    })?;
    let ending = format!(".{frame:04}.png");
    let is_it = |name: &str| name.ends_with(&ending);
    let found = fs::read_dir(&drawn)
        .map_err(|e| format!("{}: {e}", drawn.display()))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.file_name().and_then(|n| n.to_str()).is_some_and(is_it))
        .min()
        .ok_or("no picture was drawn")?;
    let to = picture.parent().ok_or("a picture needs a folder")?;
    fs::create_dir_all(to)
        .and_then(|()| fs::copy(found, picture))
        .map_err(|e| format!("{}: {e}", picture.display()))?;
    Ok(())
}

/// Problems as a person reads them.
pub(crate) fn told(problems: &[Diagnostic]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Tells of every tenth frame, and of warnings.
pub(crate) struct Teller<'a> {
    pub(crate) shot: &'a str,
}

impl Listener for Teller<'_> {
    fn hear(&self, message: Message) {
        match message {
            Message::Frame { frame, last, .. } if frame % 10 == 0 => {
                eprintln!("{}: frame {frame} of {last}", self.shot);
            }
            Message::Warning(problem) => eprintln!("{}: {problem}", self.shot),
            _ => {}
        }
    }
}
