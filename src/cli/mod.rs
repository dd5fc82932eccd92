//! Talks to the person: commands and options, the progress line, exit codes.

mod args;
mod commands;
mod exit;
mod openjd;
mod processor;
mod progress;
mod snippet;
mod table;
mod terminal;
mod tools;
mod values;

use args::{Cli, Color, Command, Progress, Talk};
use clap::Parser;
use exit::Exit;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs the program.
pub fn main() -> ExitCode {
    if let Some(feature) = processor::lacks() {
        // As plainly as can be: anything more may already ask for what is not there.
        terminal::err(&format!(
            "error: this build of retake needs {feature}, which this processor lacks\n\
             help: build it with `RUSTFLAGS=-Ctarget-cpu=x86-64 cargo build --release`\n"
        ));
        return Exit::Wrong.into();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // Help and version come this way too; a reader that went away is no failure.
            let _ = e.print();
            return if e.use_stderr() { Exit::Wrong.into() } else { Exit::Done.into() };
        }
    };
    match cli.talk.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    if cli.talk.progress == Progress::Openjd {
        openjd::listen();
    }
    dispatch(cli).into()
}

fn dispatch(cli: Cli) -> Exit {
    let talk = cli.talk;
    match cli.command {
        Command::Run(args) => commands::run(&args, &talk),
        Command::Check(args) => commands::check(&args, &talk),
        Command::Params { build, json } => commands::params(&build, json),
        Command::Scene(args) => commands::scene(&args),
        Command::Render(args) => commands::render(&args, &talk),
        Command::Export(args) => commands::export(&args, &talk),
        Command::Sweep(args) => commands::sweep(&args, &talk),
        Command::Batch(args) => commands::batch(&args, &talk),
        Command::Inspect(args) => commands::inspect(&args),
        Command::Verify { dir } => commands::verify(&dir, &talk),
        Command::New { name } => commands::new(&name),
        Command::Doctor => commands::doctor(),
        Command::Completions { shell } => commands::completions(shell),
        Command::Man { out } => commands::man(out.as_deref()),
        Command::Submit(args) => commands::submit(&args, &talk),
        Command::Watch(args) => commands::watch(&args, &talk),
        Command::Why(args) => commands::why(&args, &talk),
        Command::Compare(args) => commands::compare(&args, &talk),
        Command::Bench(args) => commands::bench(&args, &talk),
        Command::Convert(args) => commands::convert(&args, &talk),
    }
}

/// A flag that the first Ctrl-C (or a farm's request to end) raises: the work saves what it has and
/// ends. The second one ends the program at once; what is on the disk is sound at any moment.
fn interruption(talk: &Talk) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let (raised, quiet) = (flag.clone(), talk.quiet);
    // Without a handler Ctrl-C ends the program at once, which loses little.
    let _ = ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::SeqCst) {
            std::process::exit(Exit::Interrupted.code().into());
        }
        if !quiet {
            terminal::err("stopping after this step; once more to stop at once\n");
        }
    });
    flag
}

/// Sets the number of threads of all parallel work.
fn use_threads(threads: Option<usize>) -> Result<(), Exit> {
    match threads {
        None => Ok(()),
        Some(0) => Err(exit::wrong("`--threads` must be at least 1")),
        Some(n) => {
            // It can be set once a process, and every command sets it first.
            let _ = rayon::ThreadPoolBuilder::new().num_threads(n).build_global();
            Ok(())
        }
    }
}
