//! Contact sheets: pictures of a shot side by side, and variants of a sweep below each other.
//!
//! Equal pictures and labels give equal bytes.

use super::bitmap::Bitmap;
use super::lettering::Lettering;

/// Colour of the page, of headings, and of notes.
const PAPER: [u8; 3] = [0xf6, 0xf5, 0xf2];
const INK: [u8; 3] = [0x26, 0x27, 0x29];
const PALE_INK: [u8; 3] = [0x84, 0x82, 0x7d];
const LINE: [u8; 3] = [0xdd, 0xda, 0xd3];
const ALARM: [u8; 3] = [0xa6, 0x2f, 0x26];
const EMPTY: [u8; 3] = [0xea, 0xe8, 0xe3];

/// One picture of a sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The picture; none where there is nothing to show.
    pub picture: Option<Bitmap>,
    /// Below it, left: what it is ("frame 24").
    pub label: String,
    /// Below it, right and paler: when or how ("0.958 s"). In red where `alarm` is set.
    pub note: String,
    /// Whether the note is bad news ("failed at frame 31").
    pub alarm: bool,
}

impl Tile {
    /// A picture of a frame, labelled by its number and its script time [s].
    pub fn of_frame(picture: Bitmap, number: i32, time: f64) -> Self {
        let (label, note) = (format!("frame {number}"), format!("{time:.3} s"));
        Self { picture: Some(picture), label, note, alarm: false }
    }

    /// A picture with a label and nothing else.
    pub fn new(picture: Option<Bitmap>, label: impl Into<String>) -> Self {
        Self { picture, label: label.into(), note: String::new(), alarm: false }
    }

    /// The same tile with a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>, alarm: bool) -> Self {
        self.note = note.into();
        self.alarm = alarm;
        self
    }
}

/// One variant of a sweep: a row of pictures below its parameter values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The values that make it, in the order of the sweep: ("wind", "4 m/s").
    pub values: Vec<(String, String)>,
    /// Figures worth comparing, at the right: ("max stretch", "1.2 %").
    pub figures: Vec<(String, String)>,
    /// Its pictures, the same moments as the other variants'.
    pub tiles: Vec<Tile>,
}

/// The sheet of one shot: its frames in rows, under the shot's name and a line about it.
pub fn contact_sheet(title: &str, about: &str, tiles: &[Tile]) -> Bitmap {
    let columns = columns_for(tiles.len());
    let rows: Vec<&[Tile]> = tiles.chunks(columns).collect();
    let page = Page::new(columns, rows.iter().copied().flatten());
    let mut bitmap = page.paper(rows.len() as u32 * page.row_height());
    page.heading(&mut bitmap, title, about);
    for (i, row) in rows.iter().enumerate() {
        let y = page.top() + i as u32 * page.row_height();
        page.row(&mut bitmap, y, row);
    }
    bitmap
}

/// The sheet of a sweep: a labelled row of pictures for each variant. Variants of one picture each
/// are laid out in a grid.
pub fn sweep_sheet(title: &str, about: &str, variants: &[Variant]) -> Bitmap {
    if variants.iter().all(|v| v.tiles.len() <= 1) {
        return sweep_grid(title, about, variants);
    }
    let columns = variants.iter().map(|v| v.tiles.len()).max().unwrap_or(1).max(1);
    let page = Page::new(columns, variants.iter().flat_map(|v| &v.tiles));
    let band = page.band_height();
    let row_height = band + page.row_height();
    let mut bitmap = page.paper(variants.len() as u32 * row_height);
    page.heading(&mut bitmap, title, about);
    for (i, variant) in variants.iter().enumerate() {
        let y = page.top() + i as u32 * row_height;
        page.band(&mut bitmap, y, variant);
        page.row(&mut bitmap, y + band, &variant.tiles);
    }
    bitmap
}

/// One picture a variant: the variant's values are the picture's label.
fn sweep_grid(title: &str, about: &str, variants: &[Variant]) -> Bitmap {
    let tiles: Vec<Tile> = variants
        .iter()
        .map(|v| {
            let mut tile = v.tiles.first().cloned().unwrap_or_else(|| Tile::new(None, ""));
            tile.label = joined(&v.values);
            if !tile.alarm && !v.figures.is_empty() {
                tile.note = joined(&v.figures);
            }
            tile
        })
        .collect();
    contact_sheet(title, about, &tiles)
}

fn joined(pairs: &[(String, String)]) -> String {
    let pairs: Vec<String> = pairs.iter().map(|(n, v)| format!("{n} {v}")).collect();
    pairs.join("   ")
}

/// Columns that make a sheet a little wider than tall, without a nearly empty last row.
fn columns_for(count: usize) -> usize {
    match count {
        0..=3 => count.max(1),
        4 => 2,
        _ => {
            let empty = |columns: usize| (columns - count % columns) % columns;
            (3..=6)
                .filter(|&c| c * c >= count || c == 6)
                .take(2)
                .min_by_key(|&c| empty(c))
                .unwrap_or(4)
        }
    }
}

/// Measures of a sheet, in proportion to its pictures.
struct Page {
    columns: u32,
    /// Size of a picture on the page [pixels].
    tile: (u32, u32),
    margin: u32,
    gap: u32,
    large: Option<Lettering>,
    small: Option<Lettering>,
}

impl Page {
    /// For so many columns of the given tiles; the first picture sets the size.
    fn new<'a>(columns: usize, tiles: impl Iterator<Item = &'a Tile>) -> Self {
        let mut pictures = tiles.filter_map(|t| t.picture.as_ref());
        let tile = pictures
            .find(|p| p.width > 0 && p.height > 0)
            .map_or((480, 270), |p| (p.width, p.height));
        // Lettering follows the pictures' width, within what can be read and what looks right.
        let unit = (f64::from(tile.0) / 480.0).clamp(0.5, 3.0);
        let pixels = |x: f64| (x * unit).round() as u32;
        Self {
            columns: columns.max(1) as u32,
            tile,
            margin: pixels(36.0),
            gap: pixels(18.0),
            large: Lettering::new((30.0 * unit) as f32),
            small: Lettering::new((17.0 * unit) as f32),
        }
    }

    fn letters(height: Option<&Lettering>) -> u32 {
        height.map_or(0, |l| l.height().ceil() as u32)
    }

    /// Height of the caption below a picture.
    fn caption(&self) -> u32 {
        Self::letters(self.small.as_ref()) + self.gap / 2
    }

    fn row_height(&self) -> u32 {
        self.tile.1 + self.caption() + self.gap
    }

    fn band_height(&self) -> u32 {
        Self::letters(self.small.as_ref()) + self.gap + self.gap / 2
    }

    /// Where the first row begins.
    fn top(&self) -> u32 {
        self.margin + Self::letters(self.large.as_ref()) + self.gap
    }

    fn width(&self) -> u32 {
        2 * self.margin + self.columns * self.tile.0 + (self.columns - 1) * self.gap
    }

    fn paper(&self, rows: u32) -> Bitmap {
        let height = self.top() + rows + self.margin.saturating_sub(self.gap);
        Bitmap::filled(self.width(), height.max(1), PAPER)
    }

    fn heading(&self, onto: &mut Bitmap, title: &str, about: &str) {
        let (Some(large), Some(small)) = (&self.large, &self.small) else { return };
        let room = (self.width() - 2 * self.margin) as f32;
        let title = large.fit(title, room);
        large.draw(onto, self.margin as f32, self.margin as f32 * 0.8, &title, INK);
        let rest = room - large.width(&title) - 2.0 * self.gap as f32;
        let about = small.fit(about, rest);
        let y = self.margin as f32 * 0.8 + (large.height() - small.height()) * 0.8;
        small.draw_before(onto, (self.width() - self.margin) as f32, y, &about, PALE_INK);
    }

    fn row(&self, onto: &mut Bitmap, y: u32, tiles: &[Tile]) {
        for (i, tile) in tiles.iter().enumerate() {
            let x = self.margin + i as u32 * (self.tile.0 + self.gap);
            self.tile(onto, x, y, tile);
        }
    }

    fn tile(&self, onto: &mut Bitmap, x: u32, y: u32, tile: &Tile) {
        let (width, height) = self.tile;
        onto.fill(x, y, width, height, EMPTY);
        if let Some(picture) = tile.picture.as_ref().filter(|p| p.width > 0 && p.height > 0) {
            // Pictures of another size keep their shape.
            let fit = (f64::from(width) / f64::from(picture.width))
                .min(f64::from(height) / f64::from(picture.height));
            let w = ((f64::from(picture.width) * fit).round() as u32).clamp(1, width);
            let h = ((f64::from(picture.height) * fit).round() as u32).clamp(1, height);
            onto.paste(&picture.scaled(w, h), x + (width - w) / 2, y + (height - h) / 2);
        }
        let Some(small) = &self.small else { return };
        let line = (y + height + self.gap / 3) as f32;
        let note = small.fit(&tile.note, width as f32);
        let note_width = small.width(&note);
        let color = if tile.alarm { ALARM } else { PALE_INK };
        small.draw_before(onto, (x + width) as f32, line, &note, color);
        let gap = if note.is_empty() { 0.0 } else { self.gap as f32 };
        let label = small.fit(&tile.label, width as f32 - note_width - gap);
        small.draw(onto, x as f32, line, &label, INK);
    }

    /// The line above a variant's pictures: a rule, values at the left, figures at the right.
    fn band(&self, onto: &mut Bitmap, y: u32, variant: &Variant) {
        let width = self.width() - 2 * self.margin;
        onto.fill(self.margin, y, width, (self.gap / 12).max(1), LINE);
        let Some(small) = &self.small else { return };
        let line = (y + self.gap * 2 / 3) as f32;
        let mut pen = self.margin as f32;
        let end = (self.width() - self.margin) as f32;
        let space = small.width(" ");
        for (name, value) in &variant.values {
            let name = small.fit(name, end - pen);
            small.draw(onto, pen, line, &name, PALE_INK);
            pen += small.width(&name) + space;
            let value = small.fit(value, end - pen);
            small.draw(onto, pen, line, &value, INK);
            pen += small.width(&value) + 3.0 * space;
        }
        let figures = small.fit(&joined(&variant.figures), (end - pen).max(0.0));
        small.draw_before(onto, end, line, &figures, PALE_INK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(i: i32) -> Tile {
        let shade = (i * 20) as u8;
        Tile::of_frame(Bitmap::filled(96, 54, [shade, 80, 120]), i, f64::from(i) / 24.0)
    }

    #[test]
    fn a_sheet_holds_every_picture_at_full_size() {
        let tiles: Vec<Tile> = (1..=12).map(tile).collect();
        let sheet = contact_sheet("curtain", "wind 4 m/s", &tiles);
        for i in 1..=12u8 {
            let pixels = sheet.rgb.chunks_exact(3).filter(|p| *p == [i * 20, 80, 120]).count();
            assert_eq!(pixels, 96 * 54, "picture {i}");
        }
        assert_eq!(sheet, contact_sheet("curtain", "wind 4 m/s", &tiles));
    }

    #[test]
    fn sheets_are_a_little_wider_than_tall() {
        assert_eq!([1, 2, 4, 6, 8, 9, 12, 16].map(columns_for), [1, 2, 2, 3, 4, 3, 4, 4]);
    }

    #[test]
    fn odd_input_makes_a_sheet_too() {
        contact_sheet("", "", &[]);
        let empty = Tile::new(None, "nothing").note("failed at frame 3", true);
        let strange = Tile::new(Some(Bitmap::filled(0, 7, [0; 3])), "x".repeat(500));
        let tall = Tile::new(Some(Bitmap::filled(3, 300, [1; 3])), "tall");
        contact_sheet("t", "a", &[tile(1), empty.clone(), strange, tall]);
        let values = vec![("wind".to_owned(), "2".to_owned()); 40];
        let variant = Variant { values: values.clone(), figures: values, tiles: vec![] };
        let other = Variant { tiles: vec![empty.clone(), empty], ..variant.clone() };
        sweep_sheet("sweep", "", &[variant, other]);
    }
}
