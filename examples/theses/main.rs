//! Makes the tables and the pictures of `scenes/theses/README.md` again.
//!
//! ```text
//! cargo run --release --example theses                      # all of them
//! cargo run --release --example theses -- --quick           # without what takes longer than minutes
//! cargo run --release --example theses -- piles carvalho_1  # these tables and pictures only
//! ```
//!
//! A table stands in the page between `<!-- table NAME -->` and `<!-- end -->`, a picture beside the page. Shots
//! are run into `renders/theses/`; frames that are there are not made again but for tables, whose times count.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

#[path = "../support/draw.rs"]
mod draw;
#[path = "../../benches/methods_lab.rs"]
mod methods_lab;
mod pictures;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// The repository's root.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page() -> PathBuf {
    root().join("scenes/theses/README.md")
}

fn main() -> ExitCode {
    let mut wanted: Vec<String> = std::env::args().skip(1).collect();
    let quick = wanted.iter().any(|word| word == "--quick");
    wanted.retain(|word| word != "--quick");
    let names: Vec<&str> = tables::NAMES.into_iter().chain(pictures::names()).collect();
    if let Some(word) = wanted.iter().find(|word| !names.contains(&word.as_str())) {
        eprintln!("`{word}` is none of {}", names.join(", "));
        return ExitCode::from(2);
    }
    let asked = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    let mut ended = ExitCode::SUCCESS;
    let mut after = |name: &str, began: Instant, outcome: Result<(), String>| match outcome {
        Ok(()) => println!("{name}: {:.0} s", began.elapsed().as_secs_f64()),
        Err(why) => {
            eprintln!("{name}: {why}");
            ended = ExitCode::FAILURE;
        }
    };
    for name in pictures::names().filter(|name| asked(name)) {
        let began = Instant::now();
        after(name, began, pictures::make(name));
    }
    for name in tables::NAMES.into_iter().filter(|name| asked(name)) {
        if quick && tables::LONG.contains(&name) {
            continue;
        }
        let began = Instant::now();
        let made = tables::make(name, quick).and_then(|table| put(name, &table));
        after(name, began, made);
    }
    ended
}

/// Puts `table` into its place of the page.
fn put(name: &str, table: &str) -> Result<(), String> {
    let page = page();
    let failed = |e: std::io::Error| format!("{}: {e}", page.display());
    let text = fs::read_to_string(&page).map_err(failed)?;
    let mark = format!("<!-- table {name} -->\n");
    let missing = || format!("{}: there is no place for table {name}", page.display());
    let (before, rest) = text.split_once(&mark).ok_or_else(missing)?;
    let (_, after) = rest.split_once("<!-- end -->").ok_or_else(missing)?;
    fs::write(&page, format!("{before}{mark}{table}<!-- end -->{after}")).map_err(failed)
}
