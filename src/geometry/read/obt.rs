//! FLEX3D objects (Nedel 1993, sections 5.2.1 and annex A1):
//! `$OBJETO name x y z radius $VÉRTICES n x y z ... $FACES n nv v1 ... colour ... $DESCRIÇÃO # id r g
//! b diffuse specular ambient ... $END_OBJ`. White space only separates; `#` may touch its number.

use super::flex3d_text::{decode, fold};
use super::objects::{Material, Paint};
use super::{Contents, Source, polygon};
use crate::diagnostics::{Diagnostic, nearest};
use glam::DVec3;

const WORDS: [&str; 5] = ["$OBJETO", "$VÉRTICES", "$FACES", "$DESCRIÇÃO", "$END_OBJ"];

/// A file's objects, and the colour that covers most of their surface.
pub(super) struct Objects {
    pub(super) contents: Contents,
    pub(super) color: Option<[f64; 3]>,
}

impl Objects {
    /// The objects, each in the colour that covers most of the surface of all.
    pub(super) fn painted(self) -> Contents {
        let mut contents = self.contents;
        if let Some(color) = self.color {
            let material = Material { paint: Some(Paint::of_color(color)), ..Material::default() };
            let each = 0..contents.objects.len();
            contents.materials.extend(each.map(|i| (i, vec![material.clone()])));
        }
        contents
    }
}

pub(super) fn read(bytes: &[u8], source: Source<'_>) -> Result<Objects, Diagnostic> {
    let text = decode(bytes);
    let mut reader = Reader::new(&text, source);
    let mut contents = Contents::default();
    // Area and colour of each description entry that faces use.
    let mut areas: Vec<(f64, [f64; 3])> = Vec::new();
    while reader.peek().is_some() {
        object(&mut reader, &mut contents, &mut areas)?;
    }
    if contents.objects.is_empty() {
        return Err(source.error(1, "the file has no `$OBJETO`"));
    }
    let most = areas.iter().copied().reduce(|a, b| if b.0 > a.0 { b } else { a });
    // Larger than 1 means 0..255.
    let scale = if areas.iter().any(|(_, c)| c.iter().any(|v| *v > 1.0)) { 255.0 } else { 1.0 };
    let color = most.map(|(_, c)| c.map(|v| (v / scale).clamp(0.0, 1.0)));
    Ok(Objects { contents, color })
}

fn object(
    reader: &mut Reader<'_>,
    contents: &mut Contents,
    areas: &mut Vec<(f64, [f64; 3])>,
) -> Result<(), Diagnostic> {
    reader.word("$OBJETO")?;
    let (name, line) = reader.next("the object's name")?;
    let name = name.to_owned();
    if name.starts_with('$') {
        return Err(reader.source.error(line, "`$OBJETO` has no name"));
    }
    for what in ["x of the centre", "y of the centre", "z of the centre", "the radius"] {
        reader.number(what)?;
    }
    reader.word("$VÉRTICES")?;
    let count = reader.count("the number of vertices")?;
    let first = contents.mesh.positions.len();
    for _ in 0..count {
        let p = [reader.number("x")?, reader.number("y")?, reader.number("z")?];
        contents.mesh.positions.push(DVec3::from_array(p));
    }
    reader.word("$FACES")?;
    let count = reader.count("the number of faces")?;
    let (mut faces, mut colors) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let line = reader.line();
        let corners = reader.count("the number of a face's corners")?;
        if corners < 3 {
            return Err(reader.source.error(line, format!("a face has {corners} corners")));
        }
        let mut face = Vec::new();
        for _ in 0..corners {
            face.push(reader.count("a vertex of a face")?);
        }
        faces.push((face, line));
        colors.push(reader.count("the colour of a face")?);
    }
    let described = description(reader)?;
    let start = contents.mesh.triangles.len();
    let points = &contents.mesh.positions[first..];
    let base = base_of(&faces, points.len(), reader.source)?;
    for ((face, _), color) in faces.iter().zip(&colors) {
        let places: Vec<DVec3> = face.iter().map(|v| points[v - base]).collect();
        let cut = polygon::triangles(&places);
        let area: f64 = cut
            .iter()
            .map(|[a, b, c]| (places[*b] - places[*a]).cross(places[*c] - places[*a]).length())
            .sum();
        contents
            .mesh
            .triangles
            .extend(cut.iter().map(|t| t.map(|i| (first + face[i] - base) as u32)));
        if let Some((_, rgb)) = described.iter().find(|(id, _)| id == color) {
            match areas.iter_mut().find(|(_, known)| known == rgb) {
                Some(entry) => entry.0 += area,
                None => areas.push((area, *rgb)),
            }
        }
    }
    contents.objects.push((name, start..contents.mesh.triangles.len()));
    Ok(())
}

/// The colours up to `$END_OBJ`; `$DESCRIÇÃO` may be left out.
fn description(reader: &mut Reader<'_>) -> Result<Vec<(usize, [f64; 3])>, Diagnostic> {
    let mut described = Vec::new();
    if reader.peek().is_some_and(|word| fold(word) != "$END_OBJ") {
        reader.word("$DESCRIÇÃO")?;
        while reader.peek().is_some_and(|word| !word.starts_with('$')) {
            let id = reader.count("the number of a colour")?;
            let rgb = [reader.number("r")?, reader.number("g")?, reader.number("b")?];
            for what in ["the diffuse share", "the specular share", "the ambient share"] {
                reader.number(what)?;
            }
            described.push((id, rgb));
        }
    }
    reader.word("$END_OBJ")?;
    Ok(described)
}

/// The number of the first vertex: a file that uses `count` and not 0 counts from 1.
fn base_of(
    faces: &[(Vec<usize>, usize)],
    count: usize,
    source: Source<'_>,
) -> Result<usize, Diagnostic> {
    let all = || faces.iter().flat_map(|(face, line)| face.iter().map(move |v| (*v, *line)));
    let base = usize::from(all().any(|(v, _)| v == count) && all().all(|(v, _)| v != 0));
    match all().find(|(v, _)| *v >= count + base) {
        None => Ok(base),
        Some((v, line)) => Err(source
            .error(line, format!("a face names vertex {v} of {count}"))
            .hint(format!("vertices are counted from {base} in this file"))),
    }
}

/// Words with their lines.
struct Reader<'a> {
    words: Vec<(&'a str, usize)>,
    at: usize,
    source: Source<'a>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, source: Source<'a>) -> Self {
        let of_line = |(i, line): (usize, &'a str)| {
            line.split(|c: char| c.is_whitespace() || c == '#')
                .filter(|word| !word.is_empty())
                .map(move |word| (word, i + 1))
        };
        Self { words: text.lines().enumerate().flat_map(of_line).collect(), at: 0, source }
    }

    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).map(|w| w.0)
    }

    fn line(&self) -> usize {
        self.words.get(self.at).or(self.words.last()).map_or(1, |w| w.1)
    }

    fn next(&mut self, what: &str) -> Result<(&'a str, usize), Diagnostic> {
        let found = self.words.get(self.at).copied();
        self.at += 1;
        found.ok_or_else(|| {
            let line = self.words.last().map_or(1, |w| w.1);
            self.source.error(line, format!("the file ends where {what} is expected"))
        })
    }

    fn word(&mut self, wanted: &str) -> Result<(), Diagnostic> {
        let (word, line) = self.next(&format!("`{wanted}`"))?;
        if fold(word) == fold(wanted) {
            return Ok(());
        }
        let problem =
            self.source.error(line, format!("`{wanted}` is expected here, and not `{word}`"));
        Err(match nearest(word, WORDS) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem,
        })
    }

    fn number(&mut self, what: &str) -> Result<f64, Diagnostic> {
        let (word, line) = self.next(what)?;
        word.parse::<f64>().ok().filter(|n| n.is_finite()).ok_or_else(|| {
            self.source.error(line, format!("{what} must be a number, and not `{word}`"))
        })
    }

    fn count(&mut self, what: &str) -> Result<usize, Diagnostic> {
        let (word, line) = self.next(what)?;
        word.parse::<u32>().map(|n| n as usize).map_err(|_| {
            self.source.error(line, format!("{what} must be a whole number, and not `{word}`"))
        })
    }
}
