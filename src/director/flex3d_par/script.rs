//! The grammar of a FLEX3D script (Nedel 1993, 5.2.1 and 5.2.2).

use super::words::{Keyword, Word, Words};
use crate::diagnostics::{Diagnostic, Place};
use std::collections::BTreeMap;

/// A value and the line of its keyword.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct At<T> {
    pub(super) value: T,
    pub(super) place: Place,
}

/// A script as written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Script {
    /// Length of the animation [s].
    pub(super) duration: At<f64>,
    pub(super) frames_a_second: At<f64>,
    /// Integration step [s].
    pub(super) step: At<f64>,
    /// Force on every point [N].
    pub(super) force: At<[f64; 3]>,
    /// Part of the resultant force that is cancelled.
    pub(super) friction: At<f64>,
    /// Names of outside objects' files.
    pub(super) objects: Vec<At<String>>,
    pub(super) surfaces: Vec<Surface>,
    pub(super) warnings: Vec<Diagnostic>,
}

/// A surface.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Surface {
    /// None where the script gives none.
    pub(super) name: Option<String>,
    pub(super) place: Place,
    /// Rows and columns.
    pub(super) mesh: At<[u32; 2]>,
    /// Distance of neighbours [m].
    pub(super) spacing: At<f64>,
    /// Centre [m].
    pub(super) position: At<[f64; 3]>,
    pub(super) normal: At<[f64; 3]>,
    /// Mass of each point [kg].
    pub(super) mass: At<f64>,
    /// kh kv kd [N/m].
    pub(super) elasticity: At<[f64; 3]>,
    /// Along rows, along columns, along diagonals [N/m].
    pub(super) curvature: At<[f64; 3]>,
    /// Row and column of points that do not obey the dynamics.
    pub(super) fixed: At<Vec<[u32; 2]>>,
    pub(super) translations: Vec<Translation>,
}

/// A translation of a surface's fixed points.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Translation {
    pub(super) place: Place,
    /// From one frame to the next [m].
    pub(super) by: [f64; 3],
    /// [s]
    pub(super) starts: f64,
    /// [s]
    pub(super) ends: f64,
}

/// A surface's fixed points and how they move.
type Restrictions = (At<Vec<[u32; 2]>>, Vec<Translation>);

/// Reads a script; `file` is its name in messages.
pub(super) fn read(text: &str, file: &str) -> Result<Script, Diagnostic> {
    let words = Words::new(text, file);
    Reader { words, warnings: Vec::new() }.script()
}

struct Reader {
    words: Words,
    warnings: Vec<Diagnostic>,
}

/// Values of a section by their keyword, each once.
struct Section {
    numbers: BTreeMap<Keyword, At<Vec<f64>>>,
    /// As messages name it: "before the surfaces".
    within: String,
}

impl Section {
    fn new(within: impl Into<String>) -> Self {
        Self { numbers: BTreeMap::new(), within: within.into() }
    }

    fn put(&mut self, keyword: Keyword, place: Place, values: Vec<f64>) -> Result<(), Diagnostic> {
        match self.numbers.insert(keyword, At { value: values, place: place.clone() }) {
            None => Ok(()),
            Some(first) => {
                let message = format!("`{}` is given twice {}", keyword.name(), self.within);
                let hint = format!("the first is at line {}", first.place.line);
                Err(Diagnostic::error(message).at(place).hint(hint))
            }
        }
    }

    fn take(&mut self, keyword: Keyword, end: &Place) -> Result<At<Vec<f64>>, Diagnostic> {
        self.numbers.remove(&keyword).ok_or_else(|| {
            let message = format!("`{}` is missing {}", keyword.name(), self.within);
            Diagnostic::error(message).at(end.clone())
        })
    }

    fn number(&mut self, keyword: Keyword, end: &Place) -> Result<At<f64>, Diagnostic> {
        self.take(keyword, end).map(|at| At { value: at.value[0], place: at.place })
    }

    fn vector(&mut self, keyword: Keyword, end: &Place) -> Result<At<[f64; 3]>, Diagnostic> {
        self.take(keyword, end)
            .map(|at| At { value: [at.value[0], at.value[1], at.value[2]], place: at.place })
    }
}

impl Reader {
    fn script(mut self) -> Result<Script, Diagnostic> {
        const HEAD: [Keyword; 7] = [
            Keyword::Duration,
            Keyword::FramesASecond,
            Keyword::Step,
            Keyword::Force,
            Keyword::Friction,
            Keyword::Objects,
            Keyword::Surfaces,
        ];
        let mut head = Section::new("before the surfaces");
        let mut objects: Option<Vec<At<String>>> = None;
        let (end, count) = loop {
            let (keyword, line) = self.words.keyword(&HEAD, "before the surfaces")?;
            let place = self.words.place(line);
            match keyword {
                Keyword::Surfaces => break (place, self.words.whole(keyword)?),
                Keyword::Objects => {
                    let count = self.words.whole(keyword)?;
                    head.put(keyword, place, vec![f64::from(count)])?;
                    objects = Some(self.object_names(count)?);
                }
                Keyword::Force => {
                    let vector = self.words.vector(keyword)?;
                    head.put(keyword, place, vector.to_vec())?;
                }
                _ => {
                    let number = self.words.number(keyword)?;
                    head.put(keyword, place, vec![number])?;
                }
            }
        };
        let missing = || {
            let message = format!("`{}` is missing before the surfaces", Keyword::Objects.name());
            Diagnostic::error(message).at(end.clone())
        };
        let script = Script {
            duration: head.number(Keyword::Duration, &end)?,
            frames_a_second: head.number(Keyword::FramesASecond, &end)?,
            step: head.number(Keyword::Step, &end)?,
            force: head.vector(Keyword::Force, &end)?,
            friction: head.number(Keyword::Friction, &end)?,
            objects: objects.ok_or_else(missing)?,
            surfaces: Vec::new(),
            warnings: Vec::new(),
        };
        let mut surfaces = Vec::new();
        for _ in 0..count {
            let within = match surfaces.len() {
                0 => "where the first surface is expected",
                _ => "where a further surface is expected",
            };
            let (_, line) = self.words.keyword(&[Keyword::Surface], within).map_err(|problem| {
                let counted = format!("`{}` says {count}", Keyword::Surfaces.name());
                let hint =
                    problem.hint.as_deref().map_or(counted.clone(), |h| format!("{counted}; {h}"));
                problem.hint(hint)
            })?;
            surfaces.push(self.surface(line)?);
        }
        if !self.words.is_empty() {
            let (line, word) = (self.words.line(), self.words.peek().unwrap_or_default());
            let message = format!("`{word}` stands after the last surface");
            let hint = format!("`{}` at line {} says {count}", Keyword::Surfaces.name(), end.line);
            return Err(self.words.problem(line, message).hint(hint));
        }
        Ok(Script { surfaces, warnings: self.warnings, ..script })
    }

    fn object_names(&mut self, count: u32) -> Result<Vec<At<String>>, Diagnostic> {
        let mut names = Vec::new();
        for _ in 0..count {
            let line = self.words.line();
            let name = if self.words.at_keyword() { None } else { self.words.next() };
            let Some(Word { text, line }) = name else {
                let message = format!(
                    "`{}` says {count} and {} file names follow",
                    Keyword::Objects.name(),
                    names.len()
                );
                return Err(self.words.problem(line, message));
            };
            names.push(At { value: text, place: self.words.place(line) });
        }
        if !self.words.is_empty()
            && !self.words.at_keyword()
            && self.words.peek().is_some_and(|w| w.to_lowercase().ends_with(".obt"))
        {
            let message =
                format!("`{}` says {count} and more file names follow", Keyword::Objects.name());
            return Err(self.words.problem(self.words.line(), message));
        }
        Ok(names)
    }

    fn surface(&mut self, line: u32) -> Result<Surface, Diagnostic> {
        const BODY: [Keyword; 9] = [
            Keyword::Mesh,
            Keyword::Spacing,
            Keyword::Position,
            Keyword::Normal,
            Keyword::Mass,
            Keyword::Elasticity,
            Keyword::Curvature,
            Keyword::Restrictions,
            Keyword::EndSurface,
        ];
        let name = if self.words.at_keyword() { None } else { self.words.next().map(|w| w.text) };
        let within = match &name {
            Some(name) => format!("in the surface `{name}`"),
            None => "in the surface".to_owned(),
        };
        let mut body = Section::new(within.as_str());
        let mut restrictions: Option<Restrictions> = None;
        let end = loop {
            let (keyword, line) = self.words.keyword(&BODY, &within)?;
            let place = self.words.place(line);
            match keyword {
                Keyword::EndSurface => break place,
                Keyword::Restrictions => {
                    body.put(keyword, place, Vec::new())?;
                    restrictions = Some(self.restrictions(&within)?);
                }
                Keyword::Mesh => {
                    let size = [self.words.whole(keyword)?, self.words.whole(keyword)?];
                    body.put(keyword, place, size.map(f64::from).to_vec())?;
                }
                Keyword::Curvature => {
                    // One for all, or one for rows, columns and diagonals.
                    let first = self.words.number(keyword)?;
                    let all = if self.words.at_number() {
                        vec![first, self.words.number(keyword)?, self.words.number(keyword)?]
                    } else {
                        vec![first; 3]
                    };
                    body.put(keyword, place, all)?;
                }
                Keyword::Position | Keyword::Normal | Keyword::Elasticity => {
                    let vector = self.words.vector(keyword)?;
                    body.put(keyword, place, vector.to_vec())?;
                }
                _ => {
                    let number = self.words.number(keyword)?;
                    body.put(keyword, place, vec![number])?;
                }
            }
        };
        let mesh = body.take(Keyword::Mesh, &end)?;
        let Some((fixed, translations)) = restrictions else {
            let message = format!("`{}` is missing {within}", Keyword::Restrictions.name());
            let hint =
                "a surface that nothing holds has `RESTRIÇÕES PONTOS_FIXOS 0 FIM_RESTRIÇÕES`";
            return Err(Diagnostic::error(message).at(end).hint(hint));
        };
        Ok(Surface {
            name,
            place: self.words.place(line),
            mesh: At { value: [mesh.value[0] as u32, mesh.value[1] as u32], place: mesh.place },
            spacing: body.number(Keyword::Spacing, &end)?,
            position: body.vector(Keyword::Position, &end)?,
            normal: body.vector(Keyword::Normal, &end)?,
            mass: body.number(Keyword::Mass, &end)?,
            elasticity: body.vector(Keyword::Elasticity, &end)?,
            curvature: body.vector(Keyword::Curvature, &end)?,
            fixed,
            translations,
        })
    }

    fn restrictions(&mut self, surface: &str) -> Result<Restrictions, Diagnostic> {
        let within = format!("in `RESTRIÇÕES` {surface}");
        let (mut fixed, mut translations) = (None::<At<Vec<[u32; 2]>>>, Vec::new());
        loop {
            let allowed = [Keyword::Fixed, Keyword::Translation, Keyword::EndRestrictions];
            let (keyword, line) = self.words.keyword(&allowed, &within)?;
            let place = self.words.place(line);
            match keyword {
                Keyword::Fixed => {
                    if let Some(first) = &fixed {
                        let message = format!("`{}` is given twice {within}", keyword.name());
                        let hint = format!("the first is at line {}", first.place.line);
                        return Err(Diagnostic::error(message).at(place).hint(hint));
                    }
                    fixed = Some(At { value: self.fixed_points()?, place });
                }
                Keyword::Translation => translations.push(self.translation(place, &within)?),
                _ => {
                    let fixed = fixed.ok_or_else(|| {
                        let message = format!("`{}` is missing {within}", Keyword::Fixed.name());
                        Diagnostic::error(message).at(place)
                    })?;
                    return Ok((fixed, translations));
                }
            }
        }
    }

    fn fixed_points(&mut self) -> Result<Vec<[u32; 2]>, Diagnostic> {
        let count = self.words.whole(Keyword::Fixed)?;
        let mut points = Vec::new();
        for i in 0..count {
            let mut pair = [0; 2];
            for number in &mut pair {
                if !self.words.at_number() && (self.words.is_empty() || self.words.at_keyword()) {
                    let line = self.words.line();
                    let message = format!(
                        "`{}` says {count} points, and the list ends in point {}",
                        Keyword::Fixed.name(),
                        i + 1
                    );
                    let hint =
                        "each point is its row and its column with a blank between them: `9 0`";
                    return Err(self.words.problem(line, message).hint(hint));
                }
                *number = self.words.whole(Keyword::Fixed)?;
            }
            points.push(pair);
        }
        if self.words.at_number() {
            let message =
                format!("`{}` says {count} points, and more follow", Keyword::Fixed.name());
            return Err(self.words.problem(self.words.line(), message));
        }
        Ok(points)
    }

    fn translation(&mut self, place: Place, within: &str) -> Result<Translation, Diagnostic> {
        let by = self.words.vector(Keyword::Translation)?;
        let mut times = [None, None];
        while times.iter().any(Option::is_none) {
            let misspelt = self.words.peek().is_some_and(|w| w.to_uppercase().starts_with("INL_"));
            let allowed = [Keyword::Starts, Keyword::Ends];
            let (keyword, line) =
                self.words.keyword(&allowed, &format!("after `TRANSLAÇÃO` {within}"))?;
            if misspelt && keyword == Keyword::Starts {
                let warning = Diagnostic::warning("`INL_TRANSL` is read as `INI_TRANSL`");
                self.warnings.push(warning.at(self.words.place(line)));
            }
            let slot = &mut times[usize::from(keyword == Keyword::Ends)];
            if slot.is_some() {
                let message = format!("`{}` is given twice after `TRANSLAÇÃO`", keyword.name());
                return Err(self.words.problem(line, message));
            }
            *slot = Some(self.words.number(keyword)?);
        }
        let [starts, ends] = times.map(Option::unwrap_or_default);
        Ok(Translation { place, by, starts, ends })
    }
}
