//! A report as one HTML page that needs nothing else: plots, tables and a picture lie in it.

use super::playback::Playback;
use super::plot::{Plot, escaped};
use super::table::Table;
use std::fmt::Write;

/// Lines between which the numbers of clocks stand; comparisons of pages leave them out.
pub const CLOCKS: (&str, &str) = ("<!-- clocks -->", "<!-- end of clocks -->");

const STYLE: &str = "
body { font: 15px/1.45 system-ui, sans-serif; color: #222; margin: 2em auto; max-width: 1360px; padding: 0 1em }
h1 { font-size: 1.5em; margin-bottom: .2em } h2 { font-size: 1.15em; margin-top: 1.6em; border-bottom: 1px solid #ccc }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(460px, 1fr)); gap: 10px }
svg { width: 100%; background: #fbfbfa; border: 1px solid #e2e2de }
svg path { fill: none; stroke-width: 1.4 } svg .grid { stroke: #e0e0dc; stroke-width: 1 }
svg text { font: 11px system-ui, sans-serif; fill: #555 } svg .title { font-weight: 600; font-size: 12px; fill: #222 }
svg .x { text-anchor: middle } svg .y, svg .name { text-anchor: end }
table { border-collapse: collapse; font-size: 13px; margin: .6em 0 } th { text-align: left; border-bottom: 1px solid #999 }
th, td { padding: 2px 12px 2px 0; vertical-align: top } .number { text-align: right; font-variant-numeric: tabular-nums }
.scroll { max-height: 26em; overflow: auto } img { max-width: 100% } .none { color: #777 }
";

/// What stands on a page, from top to bottom.
#[derive(Clone, Debug)]
pub enum Part {
    /// A heading.
    Heading(String),
    /// A line of words.
    Text(String),
    /// Plots beside each other.
    Plots(Vec<Plot>),
    /// A table.
    Table(Table),
    /// A table whose first column has frame numbers; where there is a playback, a click on a row shows its frame.
    FrameTable(Table),
    /// The shot in motion.
    Playback(Playback),
    /// The bytes of a PNG file, and what it shows.
    Picture(Vec<u8>, String),
    /// What follows until [`Part::ClocksEnd`] is of clocks.
    Clocks,
    /// The end of what is of clocks.
    ClocksEnd,
}

/// The page.
pub fn page(title: &str, parts: &[Part]) -> String {
    let title = escaped(title);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n<h1>{title}</h1>\n"
    );
    for part in parts {
        let _ = match part {
            Part::Heading(text) => writeln!(out, "<h2>{}</h2>", escaped(text)),
            Part::Text(text) => writeln!(out, "<p>{}</p>", escaped(text)),
            Part::Plots(plots) => {
                let drawn: String = plots.iter().map(Plot::svg).collect();
                writeln!(out, "<div class=\"plots\">\n{drawn}</div>")
            }
            Part::Table(table) => writeln!(out, "<div class=\"scroll\">{}</div>", table.html()),
            Part::FrameTable(table) => {
                writeln!(out, "<div class=\"scroll frames\">{}</div>", table.html())
            }
            Part::Playback(playback) => out.write_str(&playback.html()),
            Part::Picture(bytes, what) => writeln!(
                out,
                "<img alt=\"{}\" src=\"data:image/png;base64,{}\">",
                escaped(what),
                base64(bytes)
            ),
            Part::Clocks => writeln!(out, "{}", CLOCKS.0),
            Part::ClocksEnd => writeln!(out, "{}", CLOCKS.1),
        };
    }
    out + "</html>\n"
}

/// RFC 4648, with the usual letters and padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= three.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let cases =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, text) in cases {
            assert_eq!(base64(plain.as_bytes()), text);
        }
    }

    #[test]
    fn a_page_needs_nothing_else() {
        let mut table = Table::new().column("a<b", "").column("n", "m");
        table.row(["x & y".into(), 0.5.into()]);
        let parts = [
            Part::Heading("what".into()),
            Part::Table(table),
            Part::Clocks,
            Part::Text("1 s".into()),
            Part::ClocksEnd,
            Part::Picture(vec![1, 2, 3], "sheet".into()),
        ];
        let page = page("a shot", &parts);
        assert!(page.contains("<td>x &amp; y</td><td class=\"number\">0.5</td>"), "{page}");
        assert!(!page.contains("http"), "{page}");
        assert!(page.find(CLOCKS.0) < page.find("1 s"));
    }
}
