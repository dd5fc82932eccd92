//! `retake convert`.

use crate::cli::args::{ConvertArgs, Talk};
use crate::cli::exit::{Exit, refused};
use crate::cli::{snippet, terminal, values};
use crate::diagnostics::{Diagnostic, Place};
use crate::production::{Project, convert_script, is_flex3d, not_built};
use std::fs::File;
use std::io::{ErrorKind, Write};

/// Writes a FLEX3D script as a Lua script.
pub(in crate::cli) fn convert(args: &ConvertArgs, talk: &Talk) -> Exit {
    let (from, to) = (&args.build.script, &args.out);
    if !is_flex3d(from) {
        let problem = not_built("converting anything but FLEX3D scripts");
        return refused(&[problem.hint("retake convert shot.par shot.lua")], None);
    }
    if to.extension().is_none_or(|e| e != "lua") {
        let problem = Diagnostic::error(format!("`{}` is no Lua script", to.display()));
        return refused(&[problem.hint("a FLEX3D script becomes a .lua script")], None);
    }
    let root = Project::of(from).ok().map(|p| p.root);
    let converted = values::source(&args.build).and_then(|source| convert_script(&source, to));
    let (text, warnings) = match converted {
        Ok(converted) => converted,
        Err(problems) => return refused(&problems, root.as_deref()),
    };
    if !talk.quiet {
        snippet::print_all(&warnings, root.as_deref());
    }
    // A script is work: one that is there is never written over.
    let written = File::create_new(to).and_then(|mut file| file.write_all(text.as_bytes()));
    let place = Place::new(to.display().to_string(), 0);
    match written {
        Ok(()) => {
            terminal::out(&format!("{}\n", to.display()));
            Exit::Done
        }
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {
            let problem = Diagnostic::error("the file is there already").at(place);
            refused(&[problem.hint("take another name, or move the old one away")], None)
        }
        Err(e) => {
            let problem = Diagnostic::error(format!("the file could not be written: {e}"));
            snippet::print_all(&[problem.at(place)], None);
            Exit::Failed
        }
    }
}
