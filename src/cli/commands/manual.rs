//! `retake completions`, `retake man`.

use crate::cli::args::Cli;
use crate::cli::exit::{Exit, wrong};
use crate::cli::terminal;
use clap::CommandFactory;
use std::io;
use std::path::Path;

/// Prints completions for a shell.
pub(in crate::cli) fn completions(shell: clap_complete::Shell) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "retake", &mut text);
    terminal::out(&String::from_utf8_lossy(&text));
    Exit::Done
}

/// Prints the man page, or writes one page a command into a folder.
pub(in crate::cli) fn man(out: Option<&Path>) -> Exit {
    let command = Cli::command();
    let written = match out {
        Some(folder) => {
            std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder))
        }
        None => page(command).map(|text| terminal::out(&text)),
    };
    match written {
        Ok(()) => Exit::Done,
        Err(e) => wrong(&format!("the man page could not be written: {e}")),
    }
}

fn page(command: clap::Command) -> io::Result<String> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
