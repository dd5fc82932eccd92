//! Tables of text.

use std::fmt::Write;

/// A table; the first row is its head. Numbers stand to the right.
pub(super) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &[String], c: usize| row.get(c).cloned().unwrap_or_default();
    let width = |c: usize| rows.iter().map(|r| cell(r, c).chars().count()).max().unwrap_or(0);
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let right: Vec<bool> = (0..columns)
        .map(|c| {
            rows.iter().skip(1).any(|r| !cell(r, c).is_empty())
                && rows.iter().skip(1).all(|r| cell(r, c).is_empty() || is_number(&cell(r, c)))
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for c in 0..columns {
            let (value, width) = (cell(row, c), width(c));
            let _ = if right[c] {
                write!(line, "{value:>width$}  ")
            } else {
                write!(line, "{value:<width$}  ")
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right() {
        let rows = [["shot", "frames"], ["a", "7"], ["longer", "120"]];
        let rows: Vec<Vec<String>> =
            rows.iter().map(|r| r.iter().map(ToString::to_string).collect()).collect();
        assert_eq!(table(&rows), "shot    frames\na            7\nlonger     120\n");
    }
}
