//! `retake inspect`.

use crate::cli::args::InspectArgs;
use crate::cli::exit::{Exit, refused};
use crate::cli::table::table;
use crate::cli::terminal;
use crate::diagnostics::{Diagnostic, Place};
use crate::geometry::read::{self, LoadOptions, MeshFormat, NodeKind};
use crate::production::digest::Digest;
use crate::production::{standing, write_report};
use crate::report::table::five_digits;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Tells what happened in a run.
pub(in crate::cli) fn inspect(args: &InspectArgs) -> Exit {
    if args.report {
        return match write_report(&args.path) {
            Ok(path) => {
                terminal::out(&format!("wrote {}\n", path.display()));
                Exit::Done
            }
            Err(problem) => refused(&[problem], None),
        };
    }
    if args.path.is_file() {
        return mesh_file(&args.path);
    }
    match standing(&args.path) {
        Ok(shot) if args.json => terminal::out(&format!("{shot:#}\n")),
        Ok(shot) => terminal::out(&summary(&shot, &args.path)),
        Err(problem) => return refused(&[problem], None),
    }
    Exit::Done
}

/// Lists the objects of a mesh file, as names to paste.
fn mesh_file(path: &Path) -> Exit {
    let name = path.display().to_string();
    let listed = read::objects(path, &name).and_then(|objects| {
        let head = ["object", "vertices", "triangles", "uvs", "maps"];
        let mut rows: Vec<Vec<String>> = vec![head.iter().map(ToString::to_string).collect()];
        for object in objects {
            let wanted = (!object.name.is_empty()).then(|| object.name.clone());
            let options = LoadOptions { object: wanted, ..LoadOptions::default() };
            let mesh = read::load(path, &name, &options)?;
            let maps: Vec<&str> = mesh.maps.keys().map(String::as_str).collect();
            rows.push(vec![
                object.name,
                mesh.positions.len().to_string(),
                object.triangles.to_string(),
                if mesh.uvs.is_empty() { "no" } else { "yes" }.into(),
                maps.join(", "),
            ]);
        }
        Ok((rows, clips_and_cameras(path, &name)?))
    });
    match listed {
        Ok((rows, more)) => {
            terminal::out(&format!("{}{more}", table(&rows)));
            Exit::Done
        }
        Err(problem) => refused(&[problem], None),
    }
}

/// The clips and cameras of a file that has such, as names to paste.
fn clips_and_cameras(path: &Path, name: &str) -> Result<String, Diagnostic> {
    if !matches!(MeshFormat::of(name)?, MeshFormat::Gltf | MeshFormat::Glb | MeshFormat::Usd) {
        return Ok(String::new());
    }
    let bytes =
        fs::read(path).map_err(|e| Diagnostic::error(e.to_string()).at(Place::new(name, 0)))?;
    let nodes = read::stage_nodes(&bytes, name, &|n| read::read_beside(path, n))?;
    let cameras = nodes.into_iter().filter(|n| n.kind == NodeKind::Camera).map(|n| n.name);
    let mut more = String::new();
    for (what, names) in [
        ("clips", read::stage_clips(&bytes, name, &|n| read::read_beside(path, n))?),
        ("cameras", cameras.collect::<Vec<_>>()),
    ] {
        if !names.is_empty() {
            let _ = writeln!(more, "{what}: {}", names.join(", "));
        }
    }
    Ok(more)
}

fn summary(shot: &Value, folder: &Path) -> String {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let range = &shot["frame_range"];
    let made = match range["made_to"].as_i64() {
        Some(last) => format!("frames {} to {last} of {}", range["first"], range["last"]),
        None => format!("none of frames {} to {} is there yet", range["first"], range["last"]),
    };
    let mut out = format!("{}: {}, {made}\n", text(&shot["name"]), text(&shot["status"]));
    for key in ["problems", "warnings"] {
        for line in shot[key].as_array().into_iter().flatten() {
            let _ = writeln!(out, "{}: {}", key.trim_end_matches('s'), text(line));
        }
    }
    if let Some(why) = shot["uncertified"].as_str() {
        let _ = writeln!(out, "uncertified: {why}");
    }
    out += "\n";
    let clocks = read_clocks(folder).unwrap_or_default();
    out += &frames(shot, &clocks);
    out += &measures(shot);
    out += &overlaps(&clocks, shot);
    out += &retakes(shot);
    if let Ok(digest) = Digest::read(folder) {
        out += &regions(&digest);
        out += &taken_over(&digest);
    }
    for check in shot["checks"].as_array().into_iter().flatten() {
        let verdict = if check["ok"] == true { "ok" } else { "FAILED" };
        let _ = writeln!(out, "check {}: {verdict}", text(&check["measure"]));
    }
    out += &parts(&clocks);
    out
}

/// At most so many rows of frames are shown.
const ROWS: usize = 24;

/// Figures of frames, and how long each took by the clocks of the last run.
fn frames(shot: &Value, clocks: &Value) -> String {
    let figures = shot["figures"].as_array().map_or(&[][..], Vec::as_slice);
    let head = [
        "frame",
        "steps",
        "retakes",
        "contacts",
        "closest [mm]",
        "pressed in",
        "stretch",
        "kinetic [J]",
        "elastic [J]",
        "took [s]",
    ];
    let mut rows: Vec<Vec<String>> = vec![head.iter().map(ToString::to_string).collect()];
    let every = figures.len().div_ceil(ROWS).max(1);
    for (i, f) in figures.iter().enumerate() {
        if i % every != 0 && i + 1 != figures.len() {
            continue;
        }
        let real = |key: &str, factor: f64, digits: usize| {
            f[key].as_f64().map_or_else(|| "-".into(), |x| decimals(x * factor, digits))
        };
        let took = clocks["simulate"][f["frame"].to_string()].as_f64();
        rows.push(vec![
            f["frame"].to_string(),
            f["steps"].to_string(),
            f["retakes"].to_string(),
            f["contacts"].to_string(),
            real("closest_approach", 1e3, 3),
            real("pressed_in", 1.0, 3),
            real("rms_stretch", 1.0, 4),
            real("kinetic", 1.0, 5),
            real("elastic", 1.0, 5),
            took.map_or_else(|| "-".into(), |seconds| decimals(seconds, 2)),
        ]);
    }
    table(&rows)
}

/// `x` with so many decimals; what they show as zero has no sign.
fn decimals(x: f64, digits: usize) -> String {
    let text = format!("{x:.digits$}");
    if text.parse() == Ok(0.0) { text.trim_start_matches('-').to_owned() } else { text }
}

/// The values of the script's measures: at the last frame, and the least and the most.
fn measures(shot: &Value) -> String {
    let figures = shot["figures"].as_array().map_or(&[][..], Vec::as_slice);
    let head = ["measure", "unit", "last", "least", "at frame", "most", "at frame"];
    let mut rows: Vec<Vec<String>> = vec![head.iter().map(ToString::to_string).collect()];
    for measure in shot["measures"].as_array().into_iter().flatten() {
        let name = measure["name"].as_str().unwrap_or_default();
        let told = |f: &Value| Some((f["measures"][name].as_f64()?, f["frame"].to_string()));
        let values: Vec<(f64, String)> = figures.iter().filter_map(told).collect();
        let mut row = vec![name.to_owned(), measure["unit"].as_str().unwrap_or_default().into()];
        let least = values.iter().min_by(|a, b| a.0.total_cmp(&b.0));
        // Of equal ones the first, as of the least.
        let most = values.iter().rev().max_by(|a, b| a.0.total_cmp(&b.0));
        if let (Some((last, _)), Some(least), Some(most)) = (values.last(), least, most) {
            let [least, most] = [least, most].map(|(x, frame)| [five_digits(*x), frame.clone()]);
            row.push(five_digits(*last));
            row.extend(least.into_iter().chain(most));
        }
        rows.push(row);
    }
    if rows.len() == 1 { String::new() } else { format!("\n{}\n", table(&rows)) }
}

/// Counts and times of shape matching, the means over the steps of each frame and of all; nothing for other
/// methods.
fn overlaps(clocks: &Value, shot: &Value) -> String {
    let figures = shot["figures"].as_array().map_or(&[][..], Vec::as_slice);
    let counts = ["potential_vertices", "colliding_vertices", "colliding_faces", "colliding_cells"];
    if figures.iter().all(|f| f[counts[0]].is_null()) {
        return String::new();
    }
    let head = [
        "frame",
        "potential vertices",
        "in cells",
        "faces",
        "cells",
        "potential [ms]",
        "exact [ms]",
        "depth [ms]",
        "matching [ms]",
    ];
    let mut rows: Vec<Vec<String>> = vec![head.iter().map(ToString::to_string).collect()];
    let every = figures.len().div_ceil(ROWS).max(1);
    let (mut sums, mut all) = ([0.0; 8], 0.0);
    let row = |name: String, values: [f64; 8], steps: f64| {
        let of = |k: usize| format!("{:.*}", if k < 4 { 1 } else { 3 }, values[k] / steps.max(1.0));
        std::iter::once(name).chain((0..8).map(of)).collect()
    };
    for (i, f) in figures.iter().enumerate() {
        let seconds = &clocks["stages"][f["frame"].to_string()];
        let values: [f64; 8] = std::array::from_fn(|k| match k {
            0..4 => f[counts[k]].as_f64().unwrap_or(0.0),
            _ => 1e3 * seconds[k - 4].as_f64().unwrap_or(0.0),
        });
        let steps = f["steps"].as_f64().unwrap_or(0.0);
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        all += steps;
        if i % every == 0 || i + 1 == figures.len() {
            rows.push(row(f["frame"].to_string(), values, steps));
        }
    }
    rows.push(row("mean".into(), sums, all));
    format!("\na step's solids in solids, and what it took:\n{}", table(&rows))
}

fn retakes(shot: &Value) -> String {
    let mut by_reason: BTreeMap<String, (u32, f64, u64)> = BTreeMap::new();
    for retake in shot["retakes"].as_array().into_iter().flatten() {
        let reason = retake["reason"].as_str().unwrap_or_default().replace('_', " ");
        let mut names: Vec<&str> =
            retake["between"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        names.dedup();
        let entry = by_reason.entry(format!("{reason}: {}", names.join(" and "))).or_default();
        entry.0 += 1;
        entry.1 += retake["seconds"].as_f64().unwrap_or(0.0);
        entry.2 += retake["steps_back"].as_u64().unwrap_or(0);
    }
    let mut out = String::new();
    for (what, (count, seconds, back)) in by_reason {
        let back = if back > 0 { format!(", {back} accepted steps back") } else { String::new() };
        let _ =
            writeln!(out, "retaken {count} times{back}, {seconds:.4} s of the shot again: {what}");
    }
    out
}

/// What was solved apart, what that saved, and when all came to rest.
fn regions(digest: &Digest) -> String {
    let mut out = String::new();
    let (_, share) = digest.retake_share();
    if share > 0.0 {
        let _ = writeln!(out, "retaken: {:.1} % of all attempts", 100.0 * share);
    }
    if let Some((n, time)) = digest.rests_from() {
        let _ = writeln!(out, "at rest (below 1 mm/s) from frame {n}, {time:.3} s, on");
    }
    if digest.regions.len() < 2 {
        return out;
    }
    let head =
        ["region", "frames", "number", "steps a frame", "shortest [ms]", "retakes", "at rest"];
    let mut rows: Vec<Vec<String>> = vec![head.iter().map(ToString::to_string).collect()];
    for region in digest.regions.iter().take(ROWS) {
        rows.push(vec![
            digest.names(&region.bodies),
            format!("{} to {}", region.range.0, region.range.1),
            region.frames.to_string(),
            format!("{:.1}", region.steps as f64 / region.frames as f64),
            format!("{:.3}", 1000.0 * region.shortest),
            region.retakes.to_string(),
            region.resting.to_string(),
        ]);
    }
    let _ = write!(out, "\n{}", table(&rows));
    let more = digest.regions.len().saturating_sub(ROWS);
    if more > 0 {
        let _ = writeln!(out, "and {more} more regions, of fewer frames");
    }
    let (own, finest) = digest.body_steps();
    let less = 100.0 * (1.0 - own as f64 / finest.max(1) as f64);
    let _ = writeln!(
        out,
        "steps of single bodies: {own}, {less:.1} % fewer than with the finest region's step for all"
    );
    out
}

/// Regions that an earlier run had solved.
fn taken_over(digest: &Digest) -> String {
    let spans = digest.taken_over();
    let mut out = String::new();
    for (bodies, from, to) in spans.iter().take(ROWS) {
        let names = digest.names(bodies);
        let _ = writeln!(out, "taken over: {names}, frames {from} to {to}");
    }
    let more = spans.len().saturating_sub(ROWS);
    if more > 0 {
        let _ = writeln!(out, "and {more} more spans of frames");
    }
    out
}

fn read_clocks(folder: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(folder.join("timings.json")).ok()?).ok()
}

/// How long each part of the run took.
fn parts(clocks: &Value) -> String {
    let mut out = String::new();
    for (what, seconds) in clocks["parts"].as_object().into_iter().flatten() {
        let _ = writeln!(out, "{what}: {:.1} s", seconds.as_f64().unwrap_or(0.0));
    }
    out
}
