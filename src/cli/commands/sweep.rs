//! `retake sweep`.

use super::many::{arguments, exit, run_tasks, status};
use crate::cli::args::{SweepArgs, Talk};
use crate::cli::exit::{Exit, refused};
use crate::cli::progress::Teller;
use crate::cli::table::table;
use crate::cli::{interruption, snippet, terminal, values};
use crate::diagnostics::Diagnostic;
use crate::production::{
    Project, SweepRow, Task, Variant, Varied, load, sweep_row, variants, write_sweep_sheet,
    write_sweep_table,
};
use crate::report::table::five_digits;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Runs a shot for every combination of values.
pub(in crate::cli) fn sweep(args: &SweepArgs, talk: &Talk) -> Exit {
    let root = Project::of(&args.build.script).ok().map(|p| p.root);
    let (variants, folder) = match plan(args) {
        Ok(plan) => plan,
        Err(problems) => return refused(&problems, root.as_deref()),
    };
    let parameters = match values::source(&args.build) {
        Ok(source) => source.parameters,
        Err(problems) => return refused(&problems, None),
    };
    let task = |variant: &Variant| {
        let set = parameters.clone().into_iter().chain(variant.values.iter().cloned());
        let mut arguments = arguments(&args.build.script, set, &args.shot, args.jobs);
        for assets in &args.build.values.assets {
            arguments.extend(["--assets".into(), assets.into()]);
        }
        arguments.extend(["--out".into(), folder.join(&variant.name).into()]);
        Task { name: variant.name.clone(), arguments, after: Vec::new() }
    };
    let tasks: Vec<Task> = variants.iter().map(task).collect();
    let interrupted = interruption(talk);
    let endings = run_tasks(&tasks, args.jobs, talk, &interrupted);
    let rows: Vec<SweepRow> = variants
        .iter()
        .zip(&endings)
        .map(|(variant, ending)| sweep_row(&folder, variant, &status(ending)))
        .collect();
    terminal::out(&text(&rows));
    if let Err(e) = write_sweep_table(&folder, &rows) {
        let problem = Diagnostic::error(format!("{} cannot be written: {e}", folder.display()));
        snippet::print_all(&[problem], None);
        return Exit::Failed;
    }
    if !args.shot.no_images && !interrupted.load(Ordering::SeqCst) {
        let teller = Teller::new(talk, None);
        let title = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let quality = args.shot.quality.map(Into::into);
        let drawn = write_sweep_sheet(&folder, &title, &rows, &teller, &interrupted, quality);
        teller.finish();
        if let Err(e) = drawn {
            let problem = Diagnostic::error(format!("the contact sheet could not be made: {e}"));
            snippet::print_all(&[problem], None);
            return Exit::Failed;
        }
    }
    if !talk.quiet {
        terminal::err(&format!("{}\n", folder.display()));
    }
    exit(&endings, &interrupted)
}

/// The variants and the sweep's folder. The first variant is built, so that a mistake in the script
/// or a parameter's name is told before anything runs.
fn plan(args: &SweepArgs) -> Result<(Vec<Variant>, PathBuf), Vec<Diagnostic>> {
    let read = |text: &String| Varied::parse(text, values::value_of);
    let varied: Vec<Varied> =
        args.vary.iter().map(read).collect::<Result<_, _>>().map_err(|d| vec![d])?;
    let variants = variants(&varied).map_err(|d| vec![d])?;
    let mut source = values::source(&args.build)?;
    source.parameters.extend(variants.iter().take(1).flat_map(|v| v.values.iter().cloned()));
    let loaded = load(&source)?;
    let name = format!("{}.sweep", loaded.scene.name);
    let folder = args.out.clone().unwrap_or_else(|| loaded.project.renders().join(name));
    Ok((variants, folder))
}

fn text(rows: &[SweepRow]) -> String {
    let Some(first) = rows.iter().max_by_key(|r| r.columns.len()) else { return String::new() };
    let mut lines = vec![first.columns.iter().map(|(name, _)| name.clone()).collect()];
    for row in rows {
        lines.push(
            row.columns
                .iter()
                .map(|(_, value)| match value {
                    serde_json::Value::String(text) => text.clone(),
                    serde_json::Value::Null => "-".into(),
                    value => value.as_f64().map_or_else(|| value.to_string(), five_digits),
                })
                .collect::<Vec<String>>(),
        );
    }
    table(&lines)
}
