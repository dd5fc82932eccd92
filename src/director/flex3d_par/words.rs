//! The words of a FLEX3D script, with their lines.

use crate::diagnostics::{Diagnostic, Place, nearest};
use crate::geometry::read::flex3d_text::fold;

/// The keywords (Nedel 1993, 5.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Keyword {
    Duration,
    FramesASecond,
    Step,
    Force,
    Friction,
    Objects,
    Surfaces,
    Surface,
    Mesh,
    Spacing,
    Position,
    Normal,
    Mass,
    Elasticity,
    Curvature,
    Restrictions,
    Fixed,
    Translation,
    Starts,
    Ends,
    EndRestrictions,
    EndSurface,
}

/// Keywords as messages spell them, and the other spellings in print.
const SPELLINGS: [(Keyword, &str); 25] = [
    (Keyword::Duration, "DURAÇÃO"),
    (Keyword::FramesASecond, "QUADROS_SEG"),
    (Keyword::Step, "DELTA_t"),
    (Keyword::Force, "FORÇA_EXTERNA"),
    (Keyword::Friction, "ATRITO"),
    (Keyword::Objects, "OBJETOS_NA_CENA"),
    (Keyword::Surfaces, "NUM_SUPERFÍCIES"),
    (Keyword::Surface, "SUPERFÍCIE"),
    (Keyword::Mesh, "MALHA"),
    (Keyword::Spacing, "DENSIDADE"),
    (Keyword::Position, "POSIC_NO_SRU"),
    (Keyword::Normal, "VETOR_NORMAL"),
    (Keyword::Mass, "MASSA"),
    (Keyword::Elasticity, "CONST_ELASTICIDADE"),
    (Keyword::Curvature, "CONST_CURVATURA"),
    (Keyword::Restrictions, "RESTRIÇÕES"),
    (Keyword::Fixed, "PONTOS_FIXOS"),
    (Keyword::Translation, "TRANSLAÇÃO"),
    (Keyword::Starts, "INI_TRANSL"),
    (Keyword::Ends, "FIM_TRANSL"),
    (Keyword::EndRestrictions, "FIM_RESTRIÇÕES"),
    (Keyword::EndSurface, "FIM_SUPERFÍCIE"),
    (Keyword::Restrictions, "RESTRICÇÕES"),
    (Keyword::EndRestrictions, "FIM_RESTRICÇÕES"),
    // A slip of the scan of figure 6.4.
    (Keyword::Starts, "INL_TRANSL"),
];

/// Words that a keyword may have where blanks stand for its underscores (`VETOR NORMAL`).
const MOST_WORDS: usize = 3;

impl Keyword {
    /// As messages spell it.
    pub(super) fn name(self) -> &'static str {
        SPELLINGS.iter().find(|s| s.0 == self).map_or("", |s| s.1)
    }
}

/// A word and its line, counted from 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) line: u32,
}

/// Reads a script word by word. `=` and parentheses are decoration.
pub(super) struct Words {
    list: Vec<Word>,
    at: usize,
    file: String,
}

impl Words {
    /// The words of `text`; `file` is its name in messages.
    pub(super) fn new(text: &str, file: &str) -> Self {
        let mut words = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            let parts =
                line.split(|c: char| c.is_whitespace() || c.is_control() || "=()".contains(c));
            words.extend(
                parts.filter(|p| !p.is_empty()).map(|p| Word { text: p.to_owned(), line: number }),
            );
        }
        Self { list: words, at: 0, file: file.to_owned() }
    }

    /// A problem at `line`.
    pub(super) fn problem(&self, line: u32, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(message).at(Place::new(self.file.as_str(), line))
    }

    pub(super) fn place(&self, line: u32) -> Place {
        Place::new(self.file.as_str(), line)
    }

    /// Whether nothing is left.
    pub(super) fn is_empty(&self) -> bool {
        self.at >= self.list.len()
    }

    /// The line of the next word, or of the last.
    pub(super) fn line(&self) -> u32 {
        self.list.get(self.at).or(self.list.last()).map_or(1, |w| w.line)
    }

    /// The next word as written.
    pub(super) fn peek(&self) -> Option<&str> {
        self.list.get(self.at).map(|w| w.text.as_str())
    }

    /// The next word, whatever it is.
    pub(super) fn next(&mut self) -> Option<Word> {
        let word = self.list.get(self.at).cloned();
        self.at += usize::from(word.is_some());
        word
    }

    /// The keyword that comes next, and how many words it takes.
    fn keyword_here(&self) -> Option<(Keyword, usize)> {
        let mut joined = String::new();
        for (count, word) in
            self.list[self.at.min(self.list.len())..].iter().enumerate().take(MOST_WORDS)
        {
            if count > 0 {
                joined.push('_');
            }
            joined.push_str(&fold(&word.text));
            if let Some((keyword, _)) = SPELLINGS.iter().find(|s| fold(s.1) == joined) {
                return Some((*keyword, count + 1));
            }
        }
        None
    }

    /// Whether a keyword comes next.
    pub(super) fn at_keyword(&self) -> bool {
        self.keyword_here().is_some()
    }

    /// Takes the next keyword, which must be one of `allowed`; gives its line, too.
    pub(super) fn keyword(
        &mut self,
        allowed: &[Keyword],
        within: &str,
    ) -> Result<(Keyword, u32), Diagnostic> {
        let line = self.line();
        let list = || {
            let names: Vec<String> = allowed.iter().map(|k| format!("`{}`", k.name())).collect();
            names.join(", ")
        };
        match self.keyword_here() {
            Some((keyword, count)) if allowed.contains(&keyword) => {
                self.at += count;
                Ok((keyword, line))
            }
            Some((keyword, _)) => {
                let message = format!("`{}` does not belong {within}", keyword.name());
                Err(self.problem(line, message).hint(format!("expected here: {}", list())))
            }
            None => {
                let Some(word) = self.peek() else {
                    let message = format!("the script ends {within}");
                    return Err(self.problem(line, message).hint(format!("expected: {}", list())));
                };
                let message = format!("unknown word `{word}` {within}");
                let problem = self.problem(line, message);
                let folded = fold(word);
                let names: Vec<String> = allowed.iter().map(|k| fold(k.name())).collect();
                let near = nearest(&folded, names.iter().map(String::as_str));
                let near = near.and_then(|near| names.iter().position(|n| n == near));
                Err(match near {
                    Some(i) => problem.hint(format!("did you mean `{}`?", allowed[i].name())),
                    None => problem.hint(format!("expected here: {}", list())),
                })
            }
        }
    }

    /// Whether the next word is a number.
    pub(super) fn at_number(&self) -> bool {
        self.peek().is_some_and(|w| number_of(w).is_some())
    }

    /// The next word as a number; `what` needs it.
    pub(super) fn number(&mut self, what: Keyword) -> Result<f64, Diagnostic> {
        let what = what.name();
        let line = self.line();
        let Some(word) = self.peek() else {
            return Err(
                self.problem(line, format!("the script ends where `{what}` needs a number"))
            );
        };
        if let Some(number) = number_of(word) {
            self.at += 1;
            return Ok(number);
        }
        let problem = self.problem(line, format!("`{what}` needs a number, not `{word}`"));
        Err(if word.contains(',') {
            problem.hint("decimals have a point, and blanks stand between numbers: `(0.5 1 0)`")
        } else {
            problem
        })
    }

    /// The next word as a whole number of at least 0; `what` needs it.
    pub(super) fn whole(&mut self, what: Keyword) -> Result<u32, Diagnostic> {
        let (line, shown) = (self.line(), self.peek().unwrap_or_default().to_owned());
        let number = self.number(what)?;
        if number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number) {
            return Ok(number as u32);
        }
        let message =
            format!("`{}` needs a whole number of at least 0, not `{shown}`", what.name());
        Err(self.problem(line, message))
    }

    /// Three numbers; `what` needs them.
    pub(super) fn vector(&mut self, what: Keyword) -> Result<[f64; 3], Diagnostic> {
        Ok([self.number(what)?, self.number(what)?, self.number(what)?])
    }
}

/// A decimal number with a sign, maybe.
fn number_of(word: &str) -> Option<f64> {
    // `inf` and `nan` are words.
    let digits = word.trim_start_matches(['+', '-']);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    word.parse::<f64>().ok().filter(|n| is_number && n.is_finite())
}
