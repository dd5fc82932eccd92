//! Problems as a person reads them: the sentence, the line of the script, the way out.

use super::{openjd, terminal};
use crate::diagnostics::{Diagnostic, Severity};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::fs;
use std::path::{Path, PathBuf};

/// Prints problems to standard error. `root` is where their files are told relative to.
pub(super) fn print_all<'a>(
    problems: impl IntoIterator<Item = &'a Diagnostic>,
    root: Option<&Path>,
) {
    for problem in problems {
        terminal::err(&format!("{}\n", render(problem, root)));
        openjd::fail(problem);
    }
}

/// A problem as text with colours (the writer takes them out where they do not belong).
pub(super) fn render(problem: &Diagnostic, root: Option<&Path>) -> String {
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(problem.message.as_str());
    let source = problem.place.as_ref().and_then(|p| Some((p, source(&p.file, root)?)));
    let line = source.as_ref().and_then(|(p, text)| line_span(text, p.line).map(|s| (p, text, s)));
    let mut group = match (line, &problem.place) {
        (Some((place, text, span)), _) => title.element(
            Snippet::source(text.as_str())
                .path(place.file.as_str())
                .annotation(AnnotationKind::Primary.span(span)),
        ),
        (None, Some(place)) => {
            let origin = Origin::path(place.file.as_str());
            let line = place.line as usize;
            title.element(if line > 0 { origin.line(line) } else { origin })
        }
        (None, None) => Group::with_title(title),
    };
    if let Some(hint) = &problem.hint {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    Renderer::styled().term_width(terminal::width()).render(&[group])
}

/// The text of a file that a problem names, if it is text and can be found.
fn source(file: &str, root: Option<&Path>) -> Option<String> {
    let below_root = root.map(|root| root.join(file));
    let path = below_root.into_iter().chain([PathBuf::from(file)]).find(|p| p.is_file())?;
    if fs::metadata(&path).ok()?.len() > 1 << 22 {
        return None;
    }
    // Tabs and other controls are the renderer's own care.
    fs::read_to_string(path).ok()
}

/// Where line `line` (from 1) lies in `text`, without the spaces around it.
fn line_span(text: &str, line: u32) -> Option<std::ops::Range<usize>> {
    let index = (line as usize).checked_sub(1)?;
    let start: usize = text.split_inclusive('\n').take(index).map(str::len).sum();
    let content = text.split_inclusive('\n').nth(index)?;
    let trimmed = content.trim();
    let skipped = content.len() - content.trim_start().len();
    let start = start + if trimmed.is_empty() { 0 } else { skipped };
    Some(start..start + trimmed.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Place;

    #[test]
    fn shows_the_line_and_the_hint() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.lua"), "local a = 1\n  shot:cloth{ colour = 2 }\n")
            .unwrap();
        let problem = Diagnostic::error("unknown key `colour` in cloth")
            .at(Place::new("a.lua", 2))
            .hint("did you mean `color`?");
        let text = anstream::adapter::strip_str(&render(&problem, Some(folder.path()))).to_string();
        for part in ["error: unknown key", "a.lua:2", "shot:cloth{ colour", "did you mean"] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        let lost = Diagnostic::error("gone").at(Place::new("nowhere.lua", 7));
        assert!(render(&lost, None).contains("nowhere.lua:7"));
        let past = Diagnostic::error("past").at(Place::new("a.lua", 99));
        assert!(render(&past, Some(folder.path())).contains("a.lua:99"));
    }
}
