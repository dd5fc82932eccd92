//! `retake convert`.

use crate::cli::args::{BuildArgs, ConvertArgs, Talk};
use crate::cli::exit::{Exit, refused};
use crate::cli::{snippet, terminal, values};
use crate::diagnostics::{Diagnostic, Place};
use crate::export::{ModelFormat, ModelObject, write_model};
use crate::geometry::read::{MeshFormat, MeshObjects, Paint, mesh_objects, read_beside};
use crate::production::{Project, convert_script, is_flex3d};
use crate::scene::{Color, Look};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes a mesh file in another format, or a FLEX3D script as a Lua script.
pub(in crate::cli) fn convert(args: &ConvertArgs, talk: &Talk) -> Exit {
    if is_flex3d(&args.from) { script(args, talk) } else { mesh(args, talk) }
}

fn script(args: &ConvertArgs, talk: &Talk) -> Exit {
    let (from, to) = (&args.from, &args.out);
    if to.extension().is_none_or(|e| e != "lua") {
        let problem = Diagnostic::error(format!("`{}` is no Lua script", to.display()));
        return refused(&[problem.hint("a FLEX3D script becomes a .lua script")], None);
    }
    let root = Project::of(from).ok().map(|p| p.root);
    let build = BuildArgs { script: from.clone(), values: args.values.clone() };
    let converted = values::source(&build).and_then(|source| convert_script(&source, to));
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

fn mesh(args: &ConvertArgs, talk: &Talk) -> Exit {
    let read = plan(args).and_then(|format| Ok((format, read(&args.from, &args.out, format)?)));
    let (format, MeshObjects { objects, mut left_out }) = match read {
        Ok(read) => read,
        Err(problem) => return refused(&[problem], None),
    };
    let count = |number: usize, what: &str| match number {
        1 => format!("1 {what}"),
        n if what == "vertex" => format!("{n} vertices"),
        n => format!("{n} {what}s"),
    };
    let mut line = format!(
        "{}: {}, {}, {}",
        args.out.display(),
        count(objects.len(), "object"),
        count(objects.iter().map(|o| o.mesh.positions.len()).sum(), "vertex"),
        count(objects.iter().map(|o| o.mesh.triangles.len()).sum(), "face"),
    );
    let objects = objects
        .into_iter()
        .map(|o| ModelObject { name: o.name, mesh: o.mesh, look: look(o.paint) })
        .collect();
    match write_model(format, objects, &args.out) {
        Ok(left) => left_out.extend(left),
        Err(problem) => {
            snippet::print_all(&[problem], None);
            return Exit::Failed;
        }
    }
    if !left_out.is_empty() {
        let _ = write!(line, "; left out: {}", left_out.join(", "));
    }
    if !talk.quiet {
        terminal::out(&format!("{line}\n"));
    }
    Exit::Done
}

/// The format to write; an error where the command cannot be meant so.
fn plan(args: &ConvertArgs) -> Result<ModelFormat, Diagnostic> {
    let values = &args.values;
    if !values.set.is_empty() || values.params.is_some() || values.model.is_some() {
        let message = "`--set`, `--params` and `--model` are for FLEX3D scripts (.par)";
        return Err(Diagnostic::error(message));
    }
    let from = &args.from;
    MeshFormat::of(&from.display().to_string())?;
    if args.out.extension().is_some_and(|e| e == "lua") {
        let message = format!("`{}` is a mesh, and no script can be made of it", from.display());
        return Err(Diagnostic::error(message)
            .hint("FLEX3D scripts (.par) become .lua; load a mesh with `retake.mesh.load`"));
    }
    ModelFormat::of(&args.out)
}

/// Reads the file, and refuses to write over any that was read for it.
fn read(from: &Path, out: &Path, format: ModelFormat) -> Result<MeshObjects, Diagnostic> {
    let beside = RefCell::new(vec![from.to_path_buf()]);
    let neighbour = |name: &str| {
        beside.borrow_mut().push(from.with_file_name(name));
        read_beside(from, name)
    };
    let objects = mesh_objects(from, &from.display().to_string(), &neighbour)?;
    let real = |path: &PathBuf| path.canonicalize().ok();
    let inputs: Vec<PathBuf> = beside.borrow().iter().filter_map(real).collect();
    let own = format.files(out).into_iter().find(|f| real(f).is_some_and(|f| inputs.contains(&f)));
    match own {
        None => Ok(objects),
        Some(file) => {
            let place = Place::new(file.display().to_string(), 0);
            let problem = Diagnostic::error("the file is read, and would be written over");
            Err(problem.at(place).hint("take another name"))
        }
    }
}

fn look(paint: Option<Paint>) -> Look {
    let usual = Look::default();
    match paint {
        // Neither light nor dark, where a format must have a colour.
        None => Look { color: Color([0.8; 3]), ..usual },
        Some(paint) => Look {
            color: Color(paint.color),
            color_given: true,
            opacity: paint.opacity,
            roughness: paint.roughness.unwrap_or(usual.roughness),
            metallic: paint.metallic.unwrap_or(usual.metallic),
            ..usual
        },
    }
}
