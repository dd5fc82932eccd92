//! Gmsh meshes (.msh), as text in the formats 2 and 4.1: tetrahedra, or triangles where there are none.

use super::{Contents, Source};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use glam::DVec3;
use std::collections::BTreeMap;
use std::str::FromStr;

/// The words of a file with the lines that they are on.
struct Words<'a> {
    source: Source<'a>,
    lines: Vec<&'a str>,
    /// Bytes of the file from each line on.
    bytes_from: Vec<usize>,
    /// The line that is read next, counted from 0.
    next: usize,
    /// What is left of the present line.
    left: std::str::SplitWhitespace<'a>,
}

impl<'a> Words<'a> {
    fn error(&self, message: impl Into<String>) -> Diagnostic {
        self.source.error(self.next, message)
    }

    /// The next line that is not empty.
    fn line(&mut self) -> Option<&'a str> {
        self.left = "".split_whitespace();
        while let Some(line) = self.lines.get(self.next) {
            self.next += 1;
            if !line.trim().is_empty() {
                return Some(line.trim());
            }
        }
        None
    }

    fn word(&mut self, what: &str) -> Result<&'a str, Diagnostic> {
        loop {
            if let Some(word) = self.left.next() {
                return Ok(word);
            }
            match self.line() {
                Some(line) => self.left = line.split_whitespace(),
                None => return Err(self.error(format!("the file ends where {what} should be"))),
            }
        }
    }

    fn value<T: FromStr>(&mut self, what: &str) -> Result<T, Diagnostic> {
        let word = self.word(what)?;
        word.parse().map_err(|_| self.error(format!("`{word}` is not {what}")))
    }

    /// A number of things that follow. One that the rest of the file cannot hold is refused before any
    /// room is made for it.
    fn count(&mut self, what: &str) -> Result<usize, Diagnostic> {
        let count: usize = self.value(&format!("the number of {what}"))?;
        // The present line counts as well.
        if count > self.bytes_from[self.next.saturating_sub(1)] {
            return Err(self.error(format!("the file is too short for {count} {what}")));
        }
        Ok(count)
    }

    fn coordinate(&mut self) -> Result<f64, Diagnostic> {
        let value: f64 = self.value("a coordinate")?;
        if value.is_finite() { Ok(value) } else { Err(self.error("a coordinate is not finite")) }
    }
}

/// Dimension and tag of a group, or of a piece of geometry.
type Group = (i64, i64);

#[derive(Default)]
struct Parts {
    names: BTreeMap<Group, String>,
    /// First physical group of each piece of geometry.
    groups: BTreeMap<Group, i64>,
    positions: Vec<DVec3>,
    /// Index of the node with each tag.
    nodes: BTreeMap<u64, u32>,
    /// Physical group, or none, and corners.
    tets: Vec<(Option<i64>, [u32; 4])>,
    triangles: Vec<(Option<i64>, [u32; 3])>,
}

pub(super) fn read(bytes: &[u8], source: Source<'_>) -> Result<Contents, Diagnostic> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(256)]);
    let mut first = head.lines().filter(|l| !l.trim().is_empty());
    if first.next().map(str::trim) != Some("$MeshFormat") {
        return Err(source.error(1, "a .msh file begins with `$MeshFormat`"));
    }
    let mut format = first.next().unwrap_or("").split_whitespace();
    let version = format.next().unwrap_or("").to_owned();
    let is_new = match version.as_str() {
        "2" | "2.0" | "2.1" | "2.2" => false,
        "4.1" => true,
        _ => {
            let message = format!("this is .msh format `{version}`; 2.2 and 4.1 can be read");
            return Err(source.error(2, message).hint("in Gmsh: Mesh.MshFileVersion = 4.1"));
        }
    };
    if format.next() != Some("0") {
        let message = "this .msh file is binary; only those written as text can be read";
        return Err(source.error(2, message).hint("in Gmsh: Mesh.Binary = 0"));
    }
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    let mut bytes_from = vec![0; lines.len() + 1];
    for (k, line) in lines.iter().enumerate().rev() {
        bytes_from[k] = bytes_from[k + 1] + line.len() + 1;
    }
    let mut words = Words { source, lines, bytes_from, next: 0, left: "".split_whitespace() };
    let mut parts = Parts::default();
    while let Some(line) = words.line() {
        let Some(name) = line.strip_prefix('$') else {
            return Err(words.error(format!("`{line}` is in no section")));
        };
        match (name, is_new) {
            ("PhysicalNames", _) => parts.names(&mut words)?,
            ("Entities", true) => parts.entities(&mut words)?,
            ("Nodes", true) => parts.nodes_by_block(&mut words)?,
            ("Nodes", false) => parts.nodes_in_a_row(&mut words)?,
            ("Elements", true) => parts.elements_by_block(&mut words)?,
            ("Elements", false) => parts.elements_in_a_row(&mut words)?,
            _ => {}
        }
        let end = format!("$End{name}");
        loop {
            match words.line() {
                Some(line) if line == end => break,
                Some(_) => {}
                None => return Err(words.error(format!("`{end}` is missing"))),
            }
        }
    }
    parts.finish(&words)
}

impl Parts {
    fn names(&mut self, words: &mut Words<'_>) -> Result<(), Diagnostic> {
        for _ in 0..words.count("names")? {
            let line = words.line().ok_or_else(|| words.error("a name is missing"))?;
            let mut fields = line.splitn(3, char::is_whitespace);
            let mut number = || fields.next().and_then(|f| f.trim().parse::<i64>().ok());
            let (dimension, tag) = (number(), number());
            let name = fields.next().unwrap_or("").trim().trim_matches('"').to_owned();
            let (Some(dimension), Some(tag)) = (dimension, tag) else {
                return Err(
                    words.error(format!("`{line}` is not a dimension, a number and a name"))
                );
            };
            self.names.insert((dimension, tag), name);
        }
        Ok(())
    }

    fn entities(&mut self, words: &mut Words<'_>) -> Result<(), Diagnostic> {
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = words.count("pieces of geometry")?;
        }
        for (dimension, count) in (0..).zip(counts) {
            for _ in 0..count {
                let tag: i64 = words.value("the number of a piece")?;
                for _ in 0..if dimension == 0 { 3 } else { 6 } {
                    words.value::<f64>("a coordinate")?;
                }
                for k in 0..words.count("groups")? {
                    let group: i64 = words.value("the number of a group")?;
                    if k == 0 {
                        self.groups.insert((dimension, tag), group);
                    }
                }
                if dimension > 0 {
                    for _ in 0..words.count("borders")? {
                        words.value::<i64>("the number of a border")?;
                    }
                }
            }
        }
        Ok(())
    }

    fn node(&mut self, tag: u64, place: [f64; 3], words: &Words<'_>) -> Result<(), Diagnostic> {
        if self.nodes.insert(tag, self.positions.len() as u32).is_some() {
            return Err(words.error(format!("there are two nodes {tag}")));
        }
        self.positions.push(DVec3::from_array(place));
        Ok(())
    }

    fn nodes_in_a_row(&mut self, words: &mut Words<'_>) -> Result<(), Diagnostic> {
        for _ in 0..words.count("nodes")? {
            let tag = words.value("the number of a node")?;
            let place = [words.coordinate()?, words.coordinate()?, words.coordinate()?];
            self.node(tag, place, words)?;
        }
        Ok(())
    }

    fn nodes_by_block(&mut self, words: &mut Words<'_>) -> Result<(), Diagnostic> {
        let blocks = words.count("blocks")?;
        for what in ["the number of nodes", "the lowest node", "the highest node"] {
            words.value::<u64>(what)?;
        }
        for _ in 0..blocks {
            let dimension: i64 = words.value("a dimension")?;
            words.value::<i64>("the number of a piece")?;
            let parameters = match words.value::<i64>("0 or 1")? {
                0 => 0,
                _ => dimension.clamp(0, 3),
            };
            let count = words.count("nodes")?;
            let mut tags = Vec::with_capacity(count);
            for _ in 0..count {
                tags.push(words.value("the number of a node")?);
            }
            for tag in tags {
                let place = [words.coordinate()?, words.coordinate()?, words.coordinate()?];
                for _ in 0..parameters {
                    words.value::<f64>("a parameter")?;
                }
                self.node(tag, place, words)?;
            }
        }
        Ok(())
    }

    fn elements_in_a_row(&mut self, words: &mut Words<'_>) -> Result<(), Diagnostic> {
        for _ in 0..words.count("elements")? {
            words.value::<u64>("the number of an element")?;
            let kind = words.value("the type of an element")?;
            let mut group = None;
            for k in 0..words.count("tags")? {
                let tag: i64 = words.value("a tag")?;
                if k == 0 && tag != 0 {
                    group = Some(tag);
                }
            }
            self.element(kind, group, words)?;
        }
        Ok(())
    }

    fn elements_by_block(&mut self, words: &mut Words<'_>) -> Result<(), Diagnostic> {
        let blocks = words.count("blocks")?;
        for what in ["the number of elements", "the lowest element", "the highest element"] {
            words.value::<u64>(what)?;
        }
        for _ in 0..blocks {
            let dimension: i64 = words.value("a dimension")?;
            let tag: i64 = words.value("the number of a piece")?;
            let kind = words.value("the type of elements")?;
            let group = self.groups.get(&(dimension, tag)).copied();
            for _ in 0..words.count("elements")? {
                words.value::<u64>("the number of an element")?;
                self.element(kind, group, words)?;
            }
        }
        Ok(())
    }

    /// Reads the nodes of an element of a type; of elements of second order, the corners count.
    fn element(
        &mut self,
        kind: u32,
        group: Option<i64>,
        words: &mut Words<'_>,
    ) -> Result<(), Diagnostic> {
        let Some(count) = nodes_of(kind) else {
            let message = format!("elements of type {kind} cannot be read");
            return Err(words.error(message).hint("export tetrahedra of first or second order"));
        };
        let mut corners = [0; 4];
        for k in 0..count {
            let tag: u64 = words.value("the number of a node")?;
            let Some(index) = self.nodes.get(&tag) else {
                return Err(words.error(format!("an element names node {tag}, which is not there")));
            };
            if k < 4 {
                corners[k] = *index;
            }
        }
        match kind {
            4 | 11 => self.tets.push((group, corners)),
            2 | 9 => self.triangles.push((group, [corners[0], corners[1], corners[2]])),
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self, words: &Words<'_>) -> Result<Contents, Diagnostic> {
        let name = |dimension: i64, group: Option<i64>| {
            group.map_or_else(String::new, |g| {
                self.names.get(&(dimension, g)).cloned().unwrap_or_else(|| g.to_string())
            })
        };
        let mut mesh = TriMesh { positions: self.positions, ..TriMesh::default() };
        let mut objects: Vec<(String, std::ops::Range<usize>)> = Vec::new();
        let mut note = |name: String, at: usize| match objects.last_mut() {
            Some((last, range)) if *last == name => range.end = at + 1,
            _ => objects.push((name, at..at + 1)),
        };
        for (at, (group, mut tet)) in self.tets.drain(..).enumerate() {
            let [a, b, c, d] = tet.map(|i| mesh.positions[i as usize]);
            let volume = (b - a).cross(c - a).dot(d - a);
            if volume == 0.0 {
                let message = format!("tetrahedron {at} (counted from 0) is flat");
                return Err(words.source.error(0, message));
            }
            if volume < 0.0 {
                tet.swap(2, 3);
            }
            mesh.tets.push(tet);
            note(name(3, group), at);
        }
        if mesh.tets.is_empty() {
            for (at, (group, triangle)) in self.triangles.into_iter().enumerate() {
                mesh.triangles.push(triangle);
                note(name(2, group), at);
            }
        }
        Ok(Contents { mesh, objects, ..Contents::default() })
    }
}

/// How many nodes an element of a Gmsh type has: lines, triangles, quadrangles, tetrahedra, hexahedra,
/// prisms, pyramids and points of first and second order.
fn nodes_of(kind: u32) -> Option<usize> {
    let counts = [2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13];
    counts.get((kind as usize).checked_sub(1)?).copied()
}
