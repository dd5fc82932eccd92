//! Several shots, each in a process of its own: one that fails cannot harm the others.

use serde_json::Value;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// How often a request to stop is looked for.
const PAUSE: Duration = Duration::from_millis(100);

/// A shot to run.
#[derive(Clone, Debug)]
pub struct Task {
    /// What people call it.
    pub name: String,
    /// Arguments of the program.
    pub arguments: Vec<OsString>,
    /// Indices of the tasks that have to succeed before it.
    pub after: Vec<usize>,
}

/// How a task ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// The exit code; none if it never ran or was killed.
    pub code: Option<i32>,
    /// The run's folder, as far as it is known.
    pub folder: Option<PathBuf>,
    /// Why it has no exit code, or the last thing that it said when it failed.
    pub reason: String,
}

/// What a running task tells.
#[derive(Clone, Debug)]
pub enum News {
    /// It began.
    Began,
    /// It made a frame of so many.
    Frame(i64, i64),
    /// It said something.
    Said(String),
    /// It ended.
    Ended(Ending),
}

enum Report {
    Frame(i64, i64),
    Said(String),
    Folder(PathBuf),
    /// One of a task's two streams is at its end.
    Closed,
}

struct Running {
    index: usize,
    child: Child,
    open_streams: u32,
    ending: Ending,
}

/// Runs `tasks` with `program`, at most `jobs` at a time, in order. The answer is in the order of
/// the tasks.
pub fn run_all(
    program: &Path,
    tasks: &[Task],
    jobs: usize,
    interrupted: &AtomicBool,
    mut hear: impl FnMut(usize, News),
) -> Vec<Ending> {
    let (sender, reports) = channel();
    let mut endings: Vec<Option<Ending>> = vec![None; tasks.len()];
    let mut running: Vec<Running> = Vec::new();
    let mut told_to_stop = false;
    loop {
        let stop = interrupted.load(Ordering::SeqCst);
        if stop && !told_to_stop {
            told_to_stop = true;
            for r in &running {
                ask_to_stop(&r.child);
            }
        }
        while !stop && running.len() < jobs.max(1) {
            let busy: Vec<usize> = running.iter().map(|r| r.index).collect();
            let Some(index) = next(tasks, &mut endings, &busy, &mut hear) else { break };
            match start(program, &tasks[index], index, &sender) {
                Ok(child) => {
                    hear(index, News::Began);
                    let ending = Ending::default();
                    running.push(Running { index, child, open_streams: 2, ending });
                }
                Err(e) => {
                    let ending = Ending { reason: e.to_string(), ..Ending::default() };
                    hear(index, News::Ended(ending.clone()));
                    endings[index] = Some(ending);
                }
            }
        }
        if running.is_empty() {
            break;
        }
        if let Ok((index, report)) = reports.recv_timeout(PAUSE)
            && let Some(at) = running.iter().position(|r| r.index == index)
        {
            take(&mut running[at], report, &mut hear);
            if running[at].open_streams == 0 {
                let mut done = running.swap_remove(at);
                done.ending.code = done.child.wait().ok().and_then(|status| status.code());
                hear(index, News::Ended(done.ending.clone()));
                endings[index] = Some(done.ending);
            }
        }
    }
    let never = || Ending { reason: "not started".into(), ..Ending::default() };
    endings.into_iter().map(|e| e.unwrap_or_else(never)).collect()
}

/// The next task that can start; those that never can are ended.
fn next(
    tasks: &[Task],
    endings: &mut [Option<Ending>],
    busy: &[usize],
    hear: &mut impl FnMut(usize, News),
) -> Option<usize> {
    for index in 0..tasks.len() {
        if endings[index].is_some() || busy.contains(&index) {
            continue;
        }
        let code = |i: &usize| endings[*i].as_ref().map(|e| e.code);
        // A check that failed leaves a whole shot behind: others can build on it.
        let failed = |i: &&usize| code(i).is_some_and(|c| !matches!(c, Some(0 | 4)));
        if let Some(first) = tasks[index].after.iter().find(failed) {
            let reason = format!("left out: {} failed", tasks[*first].name);
            let ending = Ending { reason, ..Ending::default() };
            hear(index, News::Ended(ending.clone()));
            endings[index] = Some(ending);
        } else if tasks[index].after.iter().all(|i| endings[*i].is_some()) {
            return Some(index);
        }
    }
    None
}

fn start(
    program: &Path,
    task: &Task,
    index: usize,
    sender: &Sender<(usize, Report)>,
) -> std::io::Result<Child> {
    let mut command = Command::new(program);
    command.args(&task.arguments).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own: Ctrl-C reaches it once, through us, and not a second time by itself.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    if let Some(stream) = child.stdout.take() {
        follow(stream, index, sender.clone(), frame_line);
    }
    if let Some(stream) = child.stderr.take() {
        follow(stream, index, sender.clone(), |line| Some(Report::Said(line.to_owned())));
    }
    Ok(child)
}

/// Reports the lines of a stream until its end.
fn follow(
    stream: impl Read + Send + 'static,
    index: usize,
    sender: Sender<(usize, Report)>,
    read: impl Fn(&str) -> Option<Report> + Send + 'static,
) {
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if let Some(report) = read(&line) {
                // Nobody listens any more once all tasks are done.
                let _ = sender.send((index, report));
            }
        }
        let _ = sender.send((index, Report::Closed));
    });
}

fn frame_line(line: &str) -> Option<Report> {
    let value: Value = serde_json::from_str(line).ok()?;
    if let Some(folder) = value["folder"].as_str() {
        return Some(Report::Folder(folder.into()));
    }
    Some(Report::Frame(value["frame"].as_i64()?, value["last"].as_i64()?))
}

fn take(running: &mut Running, report: Report, hear: &mut impl FnMut(usize, News)) {
    match report {
        Report::Frame(frame, last) => hear(running.index, News::Frame(frame, last)),
        Report::Folder(folder) => running.ending.folder = Some(folder),
        Report::Said(line) => {
            if line.trim_start().starts_with("error:") {
                line.trim_start()["error:".len()..].trim().clone_into(&mut running.ending.reason);
            }
            hear(running.index, News::Said(line));
        }
        Report::Closed => running.open_streams -= 1,
    }
}

/// Asks a process to stop as Ctrl-C does. The standard library has no call for it.
fn ask_to_stop(child: &Child) {
    if cfg!(unix) {
        // A process that is gone already needs no asking.
        let _ = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
}
