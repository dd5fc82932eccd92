//! Tables of figures: for a terminal, as CSV, as JSON, and for a page.

use super::plot::escaped;
use serde_json::Value;
use std::fmt::Write;

/// A table: named columns and rows of cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

/// A column's heading.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Column {
    name: String,
    unit: String,
}

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// Words.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number. Not finite ones count as nothing.
    Number(f64),
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        if value.is_finite() { Self::Number(value) } else { Self::Empty }
    }
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<i32> for Cell {
    fn from(value: i32) -> Self {
        Self::Integer(value.into())
    }
}

impl From<u32> for Cell {
    fn from(value: u32) -> Self {
        Self::Integer(value.into())
    }
}

impl From<&str> for Cell {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Cell {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

impl Table {
    /// A table without columns.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same table with one more column; `unit` may be empty.
    #[must_use]
    pub fn column(mut self, name: impl Into<String>, unit: impl Into<String>) -> Self {
        self.columns.push(Column { name: name.into(), unit: unit.into() });
        self
    }

    /// Adds a row. Missing cells are empty, cells beyond the last column are left out.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut row: Vec<Cell> = cells.into_iter().take(self.columns.len()).collect();
        row.resize(self.columns.len(), Cell::Empty);
        self.rows.push(row);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// For people: columns in line, numbers to the right with five digits, words to the left.
    pub fn text(&self) -> String {
        let shown: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(Cell::short).collect()).collect();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|c| {
                let cells = shown.iter().map(|row| row[c].chars().count());
                cells.chain([self.columns[c].heading().chars().count()]).max().unwrap_or(0)
            })
            .collect();
        let is_word = |c: usize| self.rows.iter().any(|row| matches!(row[c], Cell::Text(_)));
        let line = |cells: &[String]| {
            let padded: Vec<String> = cells
                .iter()
                .enumerate()
                .map(|(c, cell)| {
                    let width = widths[c];
                    if is_word(c) { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
                })
                .collect();
            format!("{}\n", padded.join("  ").trim_end())
        };
        let headings: Vec<String> = self.columns.iter().map(Column::heading).collect();
        let rule: Vec<String> = widths.iter().map(|&w| "─".repeat(w)).collect();
        let mut text = line(&headings) + &line(&rule);
        for row in &shown {
            text += &line(row);
        }
        text
    }

    /// Comma-separated values (RFC 4180 with plain line feeds), numbers in full.
    pub fn csv(&self) -> String {
        let headings = self.columns.iter().map(Column::heading).map(|h| quoted(&h));
        let mut text = headings.collect::<Vec<_>>().join(",") + "\n";
        for row in &self.rows {
            let cells = row.iter().map(|cell| quoted(&cell.full()));
            text += &cells.collect::<Vec<_>>().join(",");
            text.push('\n');
        }
        text
    }

    /// An HTML table, numbers to the right with five digits.
    pub fn html(&self) -> String {
        let headings: Vec<String> = self.columns.iter().map(Column::heading).collect();
        let headings = headings.iter().map(|h| format!("<th>{}</th>", escaped(h)));
        let mut text = format!("<table>\n<tr>{}</tr>\n", headings.collect::<String>());
        for row in &self.rows {
            text += "<tr>";
            for cell in row {
                let class = if matches!(cell, Cell::Integer(_) | Cell::Number(_)) {
                    " class=\"number\""
                } else {
                    ""
                };
                let _ = write!(text, "<td{class}>{}</td>", escaped(&cell.short()));
            }
            text += "</tr>\n";
        }
        text + "</table>"
    }

    /// A list of objects by column name, with what is empty as null.
    pub fn json(&self) -> Value {
        let object = |row: &Vec<Cell>| {
            let pairs = self.columns.iter().zip(row);
            Value::Object(pairs.map(|(c, cell)| (c.name.clone(), cell.json())).collect())
        };
        Value::Array(self.rows.iter().map(object).collect())
    }
}

impl Column {
    fn heading(&self) -> String {
        if self.unit.is_empty() {
            self.name.clone()
        } else {
            format!("{} [{}]", self.name, self.unit)
        }
    }
}

impl Cell {
    fn short(&self) -> String {
        match self {
            Self::Empty => "–".to_owned(),
            Self::Text(text) => text.clone(),
            Self::Integer(value) => value.to_string(),
            Self::Number(value) => five_digits(*value),
        }
    }

    fn full(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Integer(value) => value.to_string(),
            Self::Number(value) if value.is_finite() => format!("{value}"),
            Self::Empty | Self::Number(_) => String::new(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Empty => Value::Null,
            Self::Text(text) => Value::from(text.clone()),
            Self::Integer(value) => Value::from(*value),
            Self::Number(value) => Value::from(*value),
        }
    }
}

/// A number as a person wants to read it: five significant digits at most, no trailing zeros.
pub fn five_digits(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return "–".to_owned();
    }
    let size = value.abs();
    if !(1e-4..1e6).contains(&size) {
        let text = format!("{value:.3e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        return format!("{digits}e{exponent}");
    }
    let before = libm::floor(libm::log10(size)) as i32;
    let decimals = (4 - before).clamp(0, 8) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A CSV field, in quotes where it needs them.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new().column("variant", "").column("push", "N s").column("n", "");
        table.row(["wind=2, calm".into(), 0.1.into(), 3.into()]);
        table.row(["a \"b\"".into(), f64::NAN.into()]);
        table
    }

    #[test]
    fn csv_quotes_what_needs_it_and_keeps_all_digits() {
        assert_eq!(
            table().csv(),
            "variant,push [N s],n\n\"wind=2, calm\",0.1,3\n\"a \"\"b\"\"\",,\n"
        );
    }

    #[test]
    fn text_lines_up() {
        let text = table().text();
        let ends: Vec<usize> = text.lines().map(|l| l.chars().count()).collect();
        assert!(ends.iter().all(|&e| e == ends[0]), "{text}");
    }

    #[test]
    fn numbers_are_short_but_right() {
        let cases = [
            (1.0, "1"),
            (0.1 + 0.2, "0.3"),
            (123456.7, "123457"),
            (1.5e-7, "1.5e-7"),
            (-2.0e9, "-2e9"),
            (100.0, "100"),
            (0.000_123_456_7, "0.00012346"),
        ];
        for (value, text) in cases {
            assert_eq!(five_digits(value), text);
        }
    }

    #[test]
    fn json_names_columns_and_keeps_gaps() {
        assert_eq!(table().json()[1]["push"], Value::Null);
        assert_eq!(table().json()[0]["n"], Value::from(3));
    }
}
