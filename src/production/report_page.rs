//! `report.html`: what happened in a run as one page with plots and the shot in motion.

use super::digest::{AT_REST, Digest, PaceDigest};
use super::pictures;
use super::queue::LONGEST;
use crate::diagnostics::Diagnostic;
use crate::frames::{Chosen, Event, EventKind, Retake, Store, write_whole};
use crate::render::View;
use crate::report::page::{Part, page};
use crate::report::playback::{Mark, MarkKind, Playback, Show};
use crate::report::plot::{Course, Line, Plot};
use crate::report::table::{Cell, Table};
use std::fs;
use std::path::{Path, PathBuf};

/// Name of the file in the run's folder.
const REPORT_FILE: &str = "report.html";
/// Most bytes of the page, so that browsers open it at once; the playback makes do with what the rest leaves.
const MOST_BYTES: usize = 48_000_000;
/// Room of the page that is kept for its clocks.
const CLOCKS_BYTES: usize = 1 << 20;
/// Rows of a table that are shown; what is beyond is counted.
const ROWS: usize = 500;

/// Writes the page of the run in `folder`; tells where it lies.
pub fn write_report(folder: &Path) -> Result<PathBuf, Diagnostic> {
    let digest = Digest::read(folder)?;
    let path = folder.join(REPORT_FILE);
    let mut parts = parts(&digest, folder);
    // What is played must not hang on how long the clocks' part is.
    let others = page(&digest.scene.name, &parts).len() + CLOCKS_BYTES;
    let shown = playback(&digest, folder, others).map_or_else(
        |problem| Part::Text(format!("The playback in 3D is not here: {problem}")),
        Part::Playback,
    );
    // After what it is about.
    parts.insert(1, shown);
    parts.push(Part::Clocks);
    parts.extend(clocks(&digest));
    parts.push(Part::ClocksEnd);
    let text = page(&digest.scene.name, &parts);
    write_whole(&path, text.as_bytes())
        .map_err(|e| Diagnostic::error(format!("{} cannot be written: {e}", path.display())))?;
    Ok(path)
}

fn parts(digest: &Digest, folder: &Path) -> Vec<Part> {
    let mut parts = vec![Part::Text(about(digest))];
    if let Some(why) = digest.uncertified() {
        parts.push(Part::Text(format!("Uncertified: {why}.")));
    }
    if let Ok(bytes) = fs::read(folder.join("sheet.png")) {
        parts.push(Part::Picture(bytes, "contact sheet".into()));
    }
    parts.push(Part::Heading("Frame by frame".into()));
    parts.push(Part::Plots(figures(digest)));
    let measures = measures(digest);
    if !measures.is_empty() {
        parts.push(Part::Heading("Measures".into()));
        parts.push(Part::Plots(measures));
    }
    if let Some(events) = event_table(digest) {
        parts.push(Part::Heading("Events".into()));
        parts.push(Part::FrameTable(events));
    }
    parts.push(Part::Heading("Retakes".into()));
    parts.push(Part::Text(retaken(digest)));
    if !digest.retakes.is_empty() {
        parts.push(Part::FrameTable(retakes(digest)));
    }
    parts.push(Part::Heading("Regions: what was solved apart".into()));
    parts.push(Part::Text(saved(digest)));
    parts.push(Part::Table(regions(digest)));
    parts
}

/// The shot in motion, beside `others` bytes of the page.
fn playback(digest: &Digest, folder: &Path, others: usize) -> Result<Playback, Diagnostic> {
    let store = Store::new(folder.join("frames"));
    let scene = pictures::with_kept(&digest.scene, folder)
        .unwrap_or_else(|_| pictures::without(&digest.scene));
    let numbers: Vec<i32> = digest.frames.iter().map(|f| f.number).collect();
    let last = digest.frames[digest.frames.len() - 1].number;
    let views: Vec<View> = pictures::eyes_of(&scene, &store, last, &[])
        .map_err(|e| Diagnostic::error(format!("a frame cannot be read: {e}")))?
        .into_iter()
        .map(|eye| eye.view)
        .collect();
    Playback::new(&Show {
        scene: &scene,
        frames: &Chosen::new(&store, numbers),
        views: &views,
        marks: marks(digest),
        page_bytes: MOST_BYTES,
        other_bytes: others,
    })
}

/// Retakes and events as places to go to.
fn marks(digest: &Digest) -> Vec<Mark> {
    let retakes = digest.retakes.iter().map(|retake| Mark {
        frame: retake.frame,
        kind: MarkKind::Retake,
        text: format!("{}: {}", retake.reason.text(), together(&retake.between)),
    });
    let events = events(digest).map(|(frame, event)| {
        let kind = match event.kind {
            EventKind::FirstTouch => MarkKind::Touch,
            _ => MarkKind::Event,
        };
        let (what, names) = (event.kind.text(), together(&event.names));
        let text = if names.is_empty() { what } else { format!("{what}: {names}") };
        Mark { frame, kind, text }
    });
    retakes.chain(events).collect()
}

/// What happened, each with its frame.
fn events(digest: &Digest) -> impl Iterator<Item = (i32, &Event)> {
    digest.frames.iter().flat_map(|f| f.events.iter().map(|event| (f.number, event)))
}

/// The events of a run.
fn event_table(digest: &Digest) -> Option<Table> {
    let mut table =
        Table::new().column("frame", "").column("time", "s").column("what", "").column("of", "");
    for (frame, event) in events(digest).take(ROWS) {
        let names = together(&event.names);
        table.row([frame.into(), event.time.into(), event.kind.text().into(), names.into()]);
    }
    let count = events(digest).count();
    if count > ROWS {
        table.row([Cell::Empty, Cell::Empty, more(count)]);
    }
    (!table.is_empty()).then_some(table)
}

fn about(digest: &Digest) -> String {
    let (first, last) = (&digest.frames[0], &digest.frames[digest.frames.len() - 1]);
    let rest = match digest.rests_from() {
        Some((n, t)) => format!("nothing moves faster than 1 mm/s from frame {n} ({t:.3} s) on"),
        None => "something moves at the end".to_owned(),
    };
    format!(
        "Frames {} to {}, {:.3} s to {:.3} s of the script; {rest}.",
        first.number, last.number, first.time, last.time
    )
}

fn plot(title: &str, lines: Vec<Line>) -> Plot {
    Plot { title: title.to_owned(), across: "script time [s]".into(), lines, powers: false }
}

fn figures(digest: &Digest) -> Vec<Plot> {
    let line = |name: &str, course: Course, value: &dyn Fn(usize) -> f64| Line {
        name: name.to_owned(),
        points: (0..digest.frames.len()).map(|i| (digest.frames[i].time, value(i))).collect(),
        course,
    };
    let figure = |i: usize| &digest.frames[i].figures;
    let straight = Course::Straight;
    vec![
        steps(digest),
        plot(
            "Steps and rejected attempts a frame",
            vec![
                line("steps", Course::Steps, &|i| f64::from(figure(i).steps)),
                line("rejected", Course::Steps, &|i| f64::from(figure(i).retakes)),
            ],
        ),
        plot(
            "Energy [J]",
            vec![
                line("kinetic", straight, &|i| figure(i).kinetic),
                line("elastic", straight, &|i| figure(i).elastic),
            ],
        ),
        plot("Speed of the fastest point [m/s]", vec![line("", straight, &|i| figure(i).fastest)]),
        plot("Touching places", vec![line("", straight, &|i| f64::from(figure(i).contacts))]),
        plot(
            "Closest approach [mm]",
            vec![line("", straight, &|i| {
                figure(i).closest_approach.map_or(f64::NAN, |d| 1000.0 * d)
            })],
        ),
        plot(
            "Regions",
            vec![
                line("solved", Course::Steps, &|i| digest.frames[i].regions.len() as f64),
                line("at rest", Course::Steps, &|i| {
                    let resting = digest.frames[i].regions.iter().filter(|r| r.fastest < AT_REST);
                    resting.count() as f64
                }),
            ],
        ),
    ]
}

/// The step against time: the mean of each frame in its finest region, and every step that was tried and
/// taken back.
fn steps(digest: &Digest) -> Plot {
    let mut taken = Vec::new();
    for pair in digest.frames.windows(2) {
        let span = pair[1].time - pair[0].time;
        let step = if pair[1].figures.steps > 0 {
            1000.0 * span / f64::from(pair[1].figures.steps)
        } else {
            f64::NAN
        };
        taken.extend([(pair[0].time, step), (pair[1].time, step)]);
    }
    let lines =
        vec![Line { name: "mean of the frame".into(), points: taken, course: Course::Straight }];
    Plot { powers: true, ..plot("Step of the finest region [ms]", lines) }
}

fn measures(digest: &Digest) -> Vec<Plot> {
    let measured = digest.scene.measures.iter().enumerate();
    measured
        .map(|(m, measure)| {
            let value = |f: &super::digest::FrameDigest| {
                (f.time, f.figures.measures.get(m).copied().unwrap_or(f64::NAN))
            };
            let points = digest.frames.iter().map(value).collect();
            let unit = if measure.unit.is_empty() {
                String::new()
            } else {
                format!(" [{}]", measure.unit)
            };
            let line = Line { name: String::new(), points, course: Course::Straight };
            plot(&format!("{}{unit}", measure.name), vec![line])
        })
        .collect()
}

fn retaken(digest: &Digest) -> String {
    let (steps, share) = digest.retake_share();
    format!(
        "{} attempts were taken back beside {steps} steps of the finest regions: {:.1} % of all attempts.",
        digest.retakes.len(),
        100.0 * share
    )
}

fn retakes(digest: &Digest) -> Table {
    let mut table = Table::new()
        .column("frame", "")
        .column("time", "s")
        .column("reason", "")
        .column("between", "")
        .column("region", "bodies")
        .column("step before", "ms")
        .column("step after", "ms")
        .column("steps back", "")
        .column("again", "ms");
    for retake in digest.retakes.iter().take(ROWS) {
        table.row(retake_cells(retake));
    }
    if digest.retakes.len() > ROWS {
        table.row([Cell::Empty, Cell::Empty, more(digest.retakes.len())]);
    }
    table
}

fn retake_cells(retake: &Retake) -> [Cell; 9] {
    let between = together(&retake.between);
    [
        retake.frame.into(),
        retake.time.into(),
        retake.reason.text().into(),
        between.into(),
        (retake.region.len() as i64).into(),
        (1000.0 * retake.step_before).into(),
        (1000.0 * retake.step_after).into(),
        i64::from(retake.steps_back).into(),
        (1000.0 * retake.seconds).into(),
    ]
}

/// Things that met, or one that met itself.
fn together(names: &[String]) -> String {
    let mut names = names.to_vec();
    names.dedup();
    names.join(" and ")
}

fn more(count: usize) -> Cell {
    format!("and {} more", count - ROWS).into()
}

fn saved(digest: &Digest) -> String {
    let (own, finest) = digest.body_steps();
    let less = 100.0 * (1.0 - own as f64 / finest.max(1) as f64);
    format!(
        "Steps of single bodies: {own}; had all gone with the finest region of each frame, {finest} \
         ({less:.1} % less by regions)."
    )
}

/// The regions of a run.
fn regions(digest: &Digest) -> Table {
    let mut table = Table::new()
        .column("region", "")
        .column("first frame", "")
        .column("last frame", "")
        .column("frames", "")
        .column("steps a frame", "")
        .column("shortest step", "ms")
        .column("retakes", "")
        .column("at rest", "frames");
    for region in digest.regions.iter().take(ROWS) {
        table.row([
            digest.names(&region.bodies).into(),
            region.range.0.into(),
            region.range.1.into(),
            (region.frames as i64).into(),
            (region.steps as f64 / region.frames as f64).into(),
            (1000.0 * region.shortest).into(),
            (region.retakes as i64).into(),
            (region.resting as i64).into(),
        ]);
    }
    if digest.regions.len() > ROWS {
        table.row([more(digest.regions.len())]);
    }
    table
}

fn clocks(digest: &Digest) -> Vec<Part> {
    let mut parts = vec![Part::Heading("Clocks".into())];
    let mut table = Table::new().column("work", "").column("on the clock", "s");
    for (what, seconds) in digest.parts() {
        table.row([what.into(), seconds.into()]);
    }
    if let Some(pace) = digest.pace() {
        parts.push(Part::Text(format!(
            "Whoever begins to play the shot {:.1} s after its making began never waits for a frame.",
            pace.head_start
        )));
        parts.push(Part::Plots(pace_plots(&pace)));
    }
    if !table.is_empty() {
        parts.push(Part::Table(table));
    }
    let spans = digest.taken_over();
    if !spans.is_empty() {
        let mut table = Table::new()
            .column("taken over", "")
            .column("first frame", "")
            .column("last frame", "");
        for (bodies, from, to) in spans.iter().take(ROWS) {
            table.row([digest.names(bodies).into(), (*from).into(), (*to).into()]);
        }
        if spans.len() > ROWS {
            table.row([more(spans.len())]);
        }
        parts.push(Part::Table(table));
    }
    parts
}

/// Galante's figures: simulated against wall time, frames in stock, work a frame.
fn pace_plots(pace: &PaceDigest) -> Vec<Plot> {
    let over = |title: &str, lines: Vec<Line>| Plot {
        title: title.to_owned(),
        across: "clock [s]".into(),
        lines,
        powers: false,
    };
    let line = |name: &str, points: Vec<(f64, f64)>| Line {
        name: name.to_owned(),
        points,
        course: Course::Straight,
    };
    let frames = &pace.frames;
    let simulated = frames.iter().map(|(plays, f)| (f.simulated, *plays)).collect();
    let written = frames.iter().filter_map(|(plays, f)| Some((f.written?, *plays))).collect();
    let end = frames.iter().map(|(_, f)| f.simulated).fold(0.0, f64::max);
    let real = vec![(0.0, 0.0), (end, end)];
    let mut drawn: Vec<(f64, f64)> =
        frames.iter().filter_map(|(plays, f)| Some((f.drawn?, *plays))).collect();
    drawn.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut lines =
        vec![line("simulated", simulated), line("written", written), line("as it plays", real)];
    if !drawn.is_empty() {
        lines.push(line("drawn", drawn));
    }
    let waiting = frames.iter().map(|(_, f)| (f.simulated, f.queued as f64)).collect();
    let took = frames.iter().map(|(plays, f)| (*plays, 1000.0 * f.took)).collect();
    vec![
        over("Shot time [s]", lines),
        over(
            &format!("Frames that wait for the disk (room for {LONGEST})"),
            vec![line("", waiting)],
        ),
        over("Frames in stock for who plays from the head start on", vec![line("", stock(pace))]),
        Plot { across: "shot time [s]".into(), ..over("Work a frame [ms]", vec![line("", took)]) },
    ]
}

/// Frames that lie ready over the clock, less those that were played since the head start.
fn stock(pace: &PaceDigest) -> Vec<(f64, f64)> {
    let frames = &pace.frames;
    let made = |i: usize| frames[i].1.written.unwrap_or(frames[i].1.simulated);
    let mut changes: Vec<(f64, f64)> = (0..frames.len())
        .flat_map(|i| [(made(i), 1.0), (pace.head_start + frames[i].0, -1.0)])
        .collect();
    // A frame that comes at the moment at which it is played was there.
    changes.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut ready = 0.0;
    changes
        .into_iter()
        .map(|(at, by)| {
            ready += by;
            (at, ready)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::digest::FramePace;
    use super::*;

    #[test]
    fn the_stock_never_runs_out_after_the_head_start() {
        let made = [0.5, 0.6, 2.0, 2.1, 2.2];
        let frames: Vec<(f64, FramePace)> = made
            .iter()
            .enumerate()
            .map(|(i, at)| {
                (0.1 * i as f64, FramePace { written: Some(*at), ..FramePace::default() })
            })
            .collect();
        let head_start =
            frames.iter().map(|(plays, f)| f.written.unwrap() - plays).fold(0.0, f64::max);
        let stock = stock(&PaceDigest { frames, head_start });
        assert!(stock.iter().all(|(_, ready)| *ready >= 0.0), "{stock:?}");
        assert_eq!(stock.last().unwrap().1, 0.0);
        assert_eq!(stock.iter().map(|(_, ready)| *ready).fold(0.0, f64::max), 2.0);
    }
}
