//! `retake bench`.

use crate::cli::args::{BenchArgs, Talk};
use crate::cli::exit::{Exit, refused, wrong};
use crate::cli::table::table;
use crate::cli::{interruption, terminal, use_threads};
use crate::production::bandwidth::bandwidth;
use crate::production::bench::{Bench, CASES, Case, Figures, clean, measure};

/// Runs the benchmarks and prints their table.
pub(in crate::cli) fn bench(args: &BenchArgs, talk: &Talk) -> Exit {
    if let Err(exit) = use_threads(args.threads) {
        return exit;
    }
    let names = CASES.map(|case| case.name);
    if let Some(unknown) = args.cases.iter().find(|case| !names.contains(&case.as_str())) {
        let cases = names.join("`, `");
        return wrong(&format!("there is no benchmark `{unknown}`; there are `{cases}`"));
    }
    let stop = interruption(talk);
    let mut done: Vec<Figures> = Vec::new();
    let chosen = |case: &&Case| args.cases.is_empty() || args.cases.iter().any(|c| c == case.name);
    let mut exit = Exit::Done;
    'all: for case in CASES.iter().filter(chosen) {
        let sizes = if args.size.is_empty() { case.sizes } else { &args.size };
        for &size in sizes {
            if !talk.quiet {
                terminal::err(&format!("{} at {size}\n", case.name));
            }
            let bench = Bench {
                case: case.name.to_owned(),
                size,
                frames: args.frames,
                converged: args.converged,
            };
            match measure(&bench, &stop) {
                Ok(Some(figures)) => done.push(figures),
                Ok(None) => {
                    exit = Exit::Interrupted;
                    break 'all;
                }
                Err(problems) => {
                    exit = refused(&problems, None);
                    break 'all;
                }
            }
        }
    }
    clean();
    // Behind the benchmarks, as what it needs would count as their memory.
    if !done.is_empty() {
        let bandwidth = bandwidth();
        for figures in &mut done {
            figures.compare_with_memory(bandwidth);
        }
        if !talk.quiet {
            terminal::err(&format!("memory moves {:.1} GB/s\n", 1e-9 * bandwidth));
        }
    }
    if args.json {
        let text = serde_json::to_string_pretty(&done).expect("plain numbers");
        terminal::out(&format!("{text}\n"));
    } else if !done.is_empty() {
        terminal::out(&table(&rows(&done)));
    }
    let crossing = done.iter().any(|f| f.crossing > 0);
    if crossing && matches!(exit, Exit::Done) { Exit::Failed } else { exit }
}

fn rows(done: &[Figures]) -> Vec<Vec<String>> {
    let head = [
        "case",
        "size",
        "pieces",
        "threads",
        "frames",
        "ms/frame",
        "us/piece/step",
        "bytes/piece/step",
        "memory %",
        "steps/frame",
        "rounds",
        "newton",
        "cg",
        "retakes",
        "crossing",
        "deepest %",
        "rms %",
        "most %",
        "m/s at end",
        "lost %",
        "off mm",
        "MB",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for f in done {
        rows.push(vec![
            f.case.clone(),
            f.size.to_string(),
            f.pieces.to_string(),
            f.threads.to_string(),
            f.frames.to_string(),
            format!("{:.1}", f.milliseconds),
            format!("{:.2}", f.microseconds_per_piece),
            format!("{:.0}", f.bytes_per_piece),
            f.of_bandwidth.map_or(String::new(), |part| format!("{:.0}", 100.0 * part)),
            format!("{:.1}", f.substeps),
            f.rounds.to_string(),
            format!("{:.1}", f.newton),
            format!("{:.1}", f.linear),
            f.retakes.to_string(),
            f.crossing.to_string(),
            format!("{:.0}", 100.0 * f.pressed_in),
            format!("{:.2}", 100.0 * f.rms_stretch),
            format!("{:.1}", 100.0 * f.max_stretch),
            format!("{:.4}", f.fastest),
            f.lost.map_or(String::new(), |part| format!("{:.1}", 100.0 * part)),
            f.error.map_or(String::new(), |far| format!("{:.2}", 1e3 * far)),
            f.memory.map_or(String::new(), |m| format!("{m:.0}")),
        ]);
    }
    rows
}
