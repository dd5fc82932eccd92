//! Tables that are measured.

use super::draw::{Teller, make as run};
use super::methods_lab;
use super::pictures::job;
use retake::production::verify;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Names of all tables.
pub(super) const NAMES: [&str; 6] =
    ["piles", "carvalho_1", "carvalho_1_always", "carvalho_2", "carvalho_3", "energy"];

/// Those that take longer than minutes.
pub(super) const LONG: [&str; 2] = ["carvalho_2", "carvalho_3"];

/// Methods that stand in the table of simulation 2: the page says what is the matter with the others.
const SYMMETRIC: [&str; 6] =
    ["explicit_euler", "midpoint", "rk4", "implicit_jacobi", "implicit_pcg", "bdf2"];

/// What table 6.2 prints for 8, 18 and 27 balls: potential and real vertices, faces, cells; ms of four stages.
const PRINTED: [(&str, [&str; 8]); 3] = [
    ("8", ["23", "18", "12", "35", "0.37", "0.17", "0.38", "0.45"]),
    ("18", ["108", "90", "65", "179", "2.2", "1.0", "2.0", "1.2"]),
    ("27", ["210", "177", "123", "367", "4.4", "2.3", "4.7", "1.9"]),
];

/// Makes the table of this name.
pub(super) fn make(name: &str, quick: bool) -> Result<String, String> {
    let mut lines: Vec<String> = Vec::new();
    let mut tell = |line: &str| {
        eprintln!("{line}");
        lines.push(line.to_owned());
    };
    match name {
        "piles" => return piles(quick),
        "energy" => methods_lab::energies(&mut tell),
        "carvalho_1" => methods_lab::table(1, "active", |_| true, &mut tell),
        "carvalho_2" => {
            methods_lab::table(2, "active", |method| SYMMETRIC.contains(&method), &mut tell);
        }
        "carvalho_3" => methods_lab::table(3, "active", |_| true, &mut tell),
        _ => {
            methods_lab::table(1, "always", |_| true, &mut tell);
            lines = lines.iter().map(|line| two_columns(line)).collect();
        }
    }
    Ok(lines.join("\n") + "\n")
}

/// The first two columns of a line of a table.
fn two_columns(line: &str) -> String {
    line.splitn(4, '|').take(3).collect::<Vec<_>>().join("|") + "|"
}

/// Frames in which something crosses, of how many: by the method alone and with the guard.
fn crossing(folder: &Path, shot: &str) -> Result<String, String> {
    let verdict = verify(folder, &Teller { shot }, &AtomicBool::new(false))
        .map_err(|problem| problem.to_string())?;
    let crosses = verdict.findings.iter().filter(|line| line.contains(" crosses "));
    let frames: BTreeSet<&str> = crosses.filter_map(|line| line.split(':').next()).collect();
    Ok(format!("{} of {}", frames.len(), verdict.frames))
}

/// Table 6.2, and frames with crossings.
fn piles(quick: bool) -> Result<String, String> {
    let head = "| balls | frames that cross | potential vertices | in cells | faces | cells | potential | exact | \
                depth and separation | matching |\n|---|---|---|---|---|---|---|---|---|---|\n";
    let mut table = head.to_owned();
    for (count, printed) in PRINTED {
        if quick && count != "8" {
            continue;
        }
        for (guard, called) in [("report", "alone"), ("enforce", "with the guard")] {
            let name = format!("pile_{count}_{guard}");
            let set = [("balls", count), ("duration", "1.5"), ("guard", guard)];
            table += &row(&format!("{count}, {called}"), &name, "sotomayor/pile.lua", &set)?;
        }
        table.extend(["| ", count, ", printed | - | ", &printed.join(" | "), " |\n"]);
    }
    for (guard, called) in [("report", "alone"), ("enforce", "with the guard")] {
        let set = [("duration", "1.5"), ("guard", guard)];
        let name = format!("toys_{guard}");
        table += &row(&format!("toys, {called}"), &name, "sotomayor/toys.lua", &set)?;
    }
    Ok(table)
}

/// A row: means of what `retake inspect` prints for each frame.
fn row(called: &str, name: &str, script: &str, set: &[(&str, &str)]) -> Result<String, String> {
    let mut own = job(name, script, set);
    own.fresh = true;
    let folder = run(own, name, None)?;
    let read = |file: &str| {
        fs::read_to_string(folder.join(file)).map_err(|e| format!("{name}: {file}: {e}"))
    };
    let figures = read("figures.csv")?;
    let clocks: Value =
        serde_json::from_str(&read("timings.json")?).map_err(|e| format!("{name}: {e}"))?;
    let mut lines = figures.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let counted =
        ["potential_vertices", "colliding_vertices", "colliding_faces", "colliding_cells"];
    let column = |name: &str| {
        head.iter().position(|own| *own == name).ok_or(format!("figures.csv has no {name}"))
    };
    let (steps, number) = (column("steps")?, column("frame")?);
    let counted = counted.map(column);
    let (mut all, mut sums, mut seconds) = (0.0, [0.0; 4], [0.0; 4]);
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let value = |k: usize| cells.get(k).and_then(|c| c.parse::<f64>().ok()).unwrap_or(0.0);
        all += value(steps);
        for (sum, k) in sums.iter_mut().zip(&counted) {
            *sum += value(k.clone()?);
        }
        let own = &clocks["stages"][cells.get(number).copied().unwrap_or_default()];
        for (k, sum) in seconds.iter_mut().enumerate() {
            *sum += own[k].as_f64().unwrap_or(0.0);
        }
    }
    let counts = sums.map(|sum| format!("{:.0}", sum / all)).join(" | ");
    let times = seconds.map(|sum| format!("{:.2}", 1000.0 * sum / all)).join(" | ");
    Ok(format!("| {called} | {} | {counts} | {times} |\n", crossing(&folder, name)?))
}
