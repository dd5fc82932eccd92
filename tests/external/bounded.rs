//! Programs that must come to an end.

use std::fs::File;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How a program ended.
pub(crate) struct Ended {
    /// Whether it ended by itself, with exit code 0.
    pub(crate) success: bool,
    /// What it printed, standard output and error together; or why it did not end well.
    pub(crate) said: String,
}

/// Runs `command` without input, for no longer than `limit`.
pub(crate) fn run(command: &mut Command, limit: Duration) -> Ended {
    try_run(command, limit).unwrap_or_else(|e| {
        let program = command.get_program().to_string_lossy();
        Ended { success: false, said: format!("{program} cannot be run: {e}") }
    })
}

fn try_run(command: &mut Command, limit: Duration) -> std::io::Result<Ended> {
    // A file, not a pipe: a grandchild that holds a pipe open would be waited for without end.
    let printed = tempfile::NamedTempFile::new()?;
    let handle = || File::options().append(true).open(printed.path());
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::from(handle()?))
        .stderr(Stdio::from(handle()?))
        .spawn()?;
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if began.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let end = match status {
        None => format!("it did not end within {} s", limit.as_secs()),
        Some(status) if !status.success() => status.to_string(),
        Some(_) => String::new(),
    };
    let said =
        [String::from_utf8_lossy(&std::fs::read(printed.path())?).trim_end(), &end].join("\n");
    Ok(Ended { success: status.is_some_and(|s| s.success()), said })
}
