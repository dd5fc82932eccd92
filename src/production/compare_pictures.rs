//! Pictures that two runs have both: how they differ, and a sheet of both with their difference.

use super::pictures::spread;
use super::sheet::SHEET_FILE;
use crate::diagnostics::Diagnostic;
use crate::report::Bitmap;
use crate::report::sheet::{Tile, Variant, sweep_sheet};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A picture that two runs have both.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureDifference {
    /// Its number, after its camera where there are several ("0001", "stalls.0001"), or "sheet".
    pub name: String,
    /// Its files.
    pub files: [PathBuf; 2],
    /// How it differs.
    pub difference: Pixels,
}

/// How two pictures differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pixels {
    /// They have other sizes, each width and height [pixels].
    Sizes([[u32; 2]; 2]),
    /// By so much, in steps of 8 bits, 0..255.
    By {
        /// Root of the mean of squared differences over all pixels and channels.
        rms: f64,
        /// Largest difference of a channel.
        largest: u8,
    },
}

/// Compares the PNG files that the runs in two folders have both; `shots` are the names of their shots.
pub(super) fn compare_pictures(
    folders: [&Path; 2],
    shots: [&str; 2],
) -> Result<Vec<PictureDifference>, Diagnostic> {
    let names = [0, 1].map(|i| numbered(folders[i], shots[i]));
    let mut all = Vec::new();
    for name in names[0].intersection(&names[1]) {
        let file = |i: usize| folders[i].join(format!("images/{}.{name}.png", shots[i]));
        all.push((name.clone(), [file(0), file(1)]));
    }
    let sheets = folders.map(|folder| folder.join(SHEET_FILE));
    if sheets.iter().all(|file| file.is_file()) {
        all.push(("sheet".into(), sheets));
    }
    all.into_iter()
        .map(|(name, files)| {
            let difference = pixels(&read(&files[0])?, &read(&files[1])?);
            Ok(PictureDifference { name, files, difference })
        })
        .collect()
}

/// What the numbered PNG files of a run are called after the name of their shot.
fn numbered(folder: &Path, shot: &str) -> BTreeSet<String> {
    let Ok(entries) = fs::read_dir(folder.join("images")) else { return BTreeSet::new() };
    entries
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|name| {
            let rest = name.strip_prefix(shot)?.strip_prefix('.')?;
            Some(rest.strip_suffix(".png")?.to_owned())
        })
        .collect()
}

fn read(file: &Path) -> Result<Bitmap, Diagnostic> {
    Bitmap::read(file).map_err(|e| Diagnostic::error(format!("a picture cannot be read: {e}")))
}

fn pixels(a: &Bitmap, b: &Bitmap) -> Pixels {
    if (a.width, a.height) != (b.width, b.height) {
        return Pixels::Sizes([[a.width, a.height], [b.width, b.height]]);
    }
    let (mut squares, mut largest) = (0u64, 0u8);
    for (x, y) in a.rgb.iter().zip(&b.rgb) {
        let by = x.abs_diff(*y);
        squares += u64::from(by) * u64::from(by);
        largest = largest.max(by);
    }
    Pixels::By { rms: (squares as f64 / a.rgb.len().max(1) as f64).sqrt(), largest }
}

/// Most columns of the sheet.
const COLUMNS: u32 = 4;
/// Small differences are shown so many times as large, at most.
const MOST_TIMES: u8 = 16;
/// Name of the sheet's file.
const FILE: &str = "compare.png";

/// Writes `compare.png` into `folder`: some of the numbered pictures that both runs have in one size, in rows
/// called by `labels`, and below them their difference. Tells where; none where there is no such picture.
pub fn write_comparison_sheet(
    folder: &Path,
    labels: [&str; 2],
    pictures: &[PictureDifference],
) -> io::Result<Option<PathBuf>> {
    let shown: Vec<(&PictureDifference, u8)> = pictures
        .iter()
        .filter_map(|picture| match picture.difference {
            Pixels::By { largest, .. } if picture.name != "sheet" => Some((picture, largest)),
            _ => None,
        })
        .collect();
    if shown.is_empty() {
        return Ok(None);
    }
    let chosen: Vec<&PictureDifference> = spread(0, shown.len() as i32 - 1, COLUMNS)
        .into_iter()
        .map(|i| shown[i as usize].0)
        .collect();
    let largest = shown.iter().map(|(_, largest)| *largest).max().unwrap_or(0);
    let times = (u8::MAX / largest.max(1)).clamp(1, MOST_TIMES);
    let mut rows: [Vec<Tile>; 3] = Default::default();
    for picture in &chosen {
        let [a, b] = [Bitmap::read(&picture.files[0])?, Bitmap::read(&picture.files[1])?];
        let difference = Bitmap {
            rgb: a
                .rgb
                .iter()
                .zip(&b.rgb)
                .map(|(x, y)| x.abs_diff(*y).saturating_mul(times))
                .collect(),
            ..a
        };
        let note = match picture.difference {
            Pixels::By { rms, largest } => format!("rms {rms:.2}, largest {largest} of 255"),
            Pixels::Sizes(_) => String::new(),
        };
        let a = Bitmap::read(&picture.files[0])?;
        rows[0].push(Tile::new(Some(a), &picture.name));
        rows[1].push(Tile::new(Some(b), &picture.name));
        rows[2].push(Tile::new(Some(difference), &picture.name).note(note, false));
    }
    let [a, b, difference] = rows;
    let named = |what: &str, value: String, tiles: Vec<Tile>| Variant {
        values: vec![(what.to_owned(), value)],
        figures: Vec::new(),
        tiles,
    };
    let variants = [
        named("A", labels[0].to_owned(), a),
        named("B", labels[1].to_owned(), b),
        named("difference", format!("times {times}"), difference),
    ];
    let about = format!("{} pictures that both have", shown.len());
    let path = folder.join(FILE);
    sweep_sheet("A and B", &about, &variants).write_png(&path)?;
    Ok(Some(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_pixels() {
        let a = Bitmap::filled(2, 1, [10, 20, 30]);
        assert_eq!(pixels(&a, &a), Pixels::By { rms: 0.0, largest: 0 });
        let mut b = a.clone();
        b.rgb[1] = 26;
        assert_eq!(pixels(&a, &b), Pixels::By { rms: 6f64.sqrt(), largest: 6 });
        let c = Bitmap::filled(1, 2, [0; 3]);
        assert_eq!(pixels(&a, &c), Pixels::Sizes([[2, 1], [1, 2]]));
    }
}
