//! `retake compare`.

use crate::cli::args::{CompareArgs, Talk};
use crate::cli::exit::{Exit, refused};
use crate::cli::progress::Teller;
use crate::cli::table::table;
use crate::cli::{interruption, terminal};
use crate::diagnostics::Diagnostic;
use crate::production::json::{number, sorted_text};
use crate::production::{
    BodyDifference, Comparison, Pixels, compare as look, frames_in_words, write_comparison_sheet,
};
use crate::report::table::five_digits;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Tells how two runs differ.
pub(in crate::cli) fn compare(args: &CompareArgs, talk: &Talk) -> Exit {
    let teller = Teller::new(talk, None);
    let result = look([&args.a, &args.b], &teller, &interruption(talk));
    teller.finish();
    let made = match result {
        Ok(made) => made,
        Err(problem) => return refused(&[problem], None),
    };
    terminal::out(&if args.json { sorted_text(&as_json(&made)) } else { text(&made) });
    if made.interrupted {
        return Exit::Interrupted;
    }
    let Some(out) = &args.out else { return Exit::Done };
    let labels = [args.a.display().to_string(), args.b.display().to_string()];
    match write_comparison_sheet(out, [&labels[0], &labels[1]], &made.pictures) {
        Ok(Some(path)) => {
            if !talk.quiet {
                terminal::err(&format!("{}\n", path.display()));
            }
            Exit::Done
        }
        Ok(None) => {
            let problem =
                Diagnostic::error("the runs have no numbered pictures to put side by side");
            refused(
                &[problem.hint("draw the same frames of both in one size with `retake render`")],
                None,
            )
        }
        Err(e) => {
            let problem = Diagnostic::error(format!("the sheet could not be written: {e}"));
            crate::cli::snippet::print_all(&[problem], None);
            Exit::Failed
        }
    }
}

/// At most so many rows of a kind are shown.
const ROWS: usize = 24;

fn text(made: &Comparison) -> String {
    let mut out = String::new();
    if !made.changes.is_empty() {
        out += "the shots differ (A | B):\n";
        for change in made.changes.iter().take(ROWS) {
            let told = |side: &Option<String>| side.clone().unwrap_or_else(|| "-".into());
            let field = if change.field.is_empty() { "" } else { ", " };
            let (old, new) = (told(&change.old), told(&change.new));
            let _ = writeln!(out, "  {}{field}{}: {old} | {new}", change.of, change.field);
        }
        more(&mut out, made.changes.len());
    }
    if made.frames.is_empty() {
        out += "they have no frames in common\n";
    } else {
        let _ = writeln!(out, "frames that both have: {}\n", frames_in_words(&made.frames));
        out += &figures(made);
        out.push('\n');
        out += &bodies(made);
    }
    if !made.pictures.is_empty() {
        out.push('\n');
        out += &pictures(made);
    }
    if is_equal(made) {
        out += "frames and pictures are equal\n";
    }
    out
}

fn figures(made: &Comparison) -> String {
    let mut rows =
        vec![head(&["figure", "of frames", "A", "B", "B - A", "most in a frame", "frame"])];
    for figure in &made.figures {
        let [a, b] = figure.values;
        if a.is_none() && b.is_none() {
            continue;
        }
        rows.push(vec![
            figure.name.clone(),
            figure.over.text().into(),
            optional(a),
            optional(b),
            optional(a.zip(b).map(|(a, b)| b - a)),
            figure.largest.map_or_else(String::new, |(by, _)| five_digits(by)),
            figure.largest.map_or_else(String::new, |(_, frame)| frame.to_string()),
        ]);
    }
    let [a, b] = made.seconds;
    if a > 0.0 && b > 0.0 {
        let cell = |x: f64| format!("{x:.2}");
        rows.push(vec!["seconds on the clock".into(), "sum".into(), cell(a), cell(b), cell(b - a)]);
    }
    table(&rows)
}

fn bodies(made: &Comparison) -> String {
    let mut rows = vec![head(&["body", "largest [mm]", "frame", "vertex", "rms [mm]", "remark"])];
    for (name, difference) in made.bodies.iter().take(ROWS) {
        let remark = |text: String| {
            vec![name.clone(), String::new(), String::new(), String::new(), String::new(), text]
        };
        rows.push(match difference {
            BodyDifference::OnlyFirst => remark("only in A".into()),
            BodyDifference::OnlySecond => remark("only in B".into()),
            BodyDifference::OtherMesh([a, b]) => remark(format!(
                "another mesh: {} vertices and {} triangles in A, {} and {} in B",
                a[0], a[1], b[0], b[1]
            )),
            BodyDifference::Apart { frame: None, .. } => remark("equal".into()),
            BodyDifference::Apart { largest, frame: Some(frame), vertex, rms } => vec![
                name.clone(),
                five_digits(1e3 * largest),
                frame.to_string(),
                vertex.to_string(),
                five_digits(1e3 * rms),
            ],
        });
    }
    let mut out = table(&rows);
    more(&mut out, made.bodies.len());
    out
}

fn pictures(made: &Comparison) -> String {
    let mut rows = vec![head(&["picture", "rms", "largest of 255", "remark"])];
    for picture in made.pictures.iter().take(ROWS) {
        let mut row = vec![picture.name.clone()];
        match picture.difference {
            Pixels::By { rms, largest } => row.extend([format!("{rms:.3}"), largest.to_string()]),
            Pixels::Sizes([a, b]) => {
                let text = format!("{} x {} in A, {} x {} in B", a[0], a[1], b[0], b[1]);
                row.extend([String::new(), String::new(), text]);
            }
        }
        rows.push(row);
    }
    let mut out = table(&rows);
    more(&mut out, made.pictures.len());
    out
}

fn head(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn more(out: &mut String, count: usize) {
    if let Some(more) = count.checked_sub(ROWS).filter(|more| *more > 0) {
        let _ = writeln!(out, "and {more} more");
    }
}

fn optional(x: Option<f64>) -> String {
    x.map_or_else(|| "-".into(), five_digits)
}

/// Whether frames and pictures are the same in both runs, as far as they are in both.
fn is_equal(made: &Comparison) -> bool {
    let same_body =
        |(_, d): &(String, BodyDifference)| matches!(d, BodyDifference::Apart { frame: None, .. });
    let same_picture = |d: &Pixels| matches!(d, Pixels::By { largest: 0, .. });
    !made.frames.is_empty()
        && made.figures.iter().all(|f| f.largest.is_none() && f.values[0] == f.values[1])
        && made.bodies.iter().all(same_body)
        && made.pictures.iter().all(|p| same_picture(&p.difference))
}

fn as_json(made: &Comparison) -> Value {
    let optional = |x: Option<f64>| x.map_or(Value::Null, number);
    let body = |(name, difference): &(String, BodyDifference)| match difference {
        BodyDifference::OnlyFirst => json!({ "name": name, "only_in": "a" }),
        BodyDifference::OnlySecond => json!({ "name": name, "only_in": "b" }),
        BodyDifference::OtherMesh([a, b]) => json!({ "name": name,
            "vertices": { "a": a[0], "b": b[0] }, "triangles": { "a": a[1], "b": b[1] } }),
        BodyDifference::Apart { largest, frame, vertex, rms } => json!({ "name": name,
            "largest": number(*largest), "frame": frame, "vertex": vertex, "rms": number(*rms) }),
    };
    let picture = |name: &str, pixels: &Pixels| match pixels {
        Pixels::By { rms, largest } => {
            json!({ "name": name, "rms": number(*rms), "largest": largest })
        }
        Pixels::Sizes([a, b]) => json!({ "name": name, "size": { "a": a, "b": b } }),
    };
    json!({
        "shots": made.changes.iter().map(|c| json!({ "of": c.of, "field": c.field, "a": c.old,
            "b": c.new })).collect::<Vec<_>>(),
        "frames": made.frames,
        "figures": made.figures.iter().map(|f| json!({ "name": f.name, "over": f.over.text(),
            "a": optional(f.values[0]), "b": optional(f.values[1]),
            "largest": optional(f.largest.map(|(by, _)| by)),
            "frame": f.largest.map(|(_, frame)| frame) })).collect::<Vec<_>>(),
        "bodies": made.bodies.iter().map(body).collect::<Vec<_>>(),
        "seconds": { "a": number(made.seconds[0]), "b": number(made.seconds[1]) },
        "pictures": made.pictures.iter().map(|p| picture(&p.name, &p.difference))
            .collect::<Vec<_>>(),
        "equal": is_equal(made),
    })
}
