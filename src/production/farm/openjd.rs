//! Job templates of Open Job Description, specification `jobtemplate-2023-09`.

use super::{FarmJob, FarmStep, Word};
use crate::diagnostics::Diagnostic;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Most characters of the name of a job, and of a step.
const LONGEST: (usize, usize) = (128, 64);

/// `job` as a template. What lies below `here`, where the template will lie, is the default of its parameter;
/// what lies elsewhere has none, since a template must not name what lies outside of its folder. The second
/// part of the answer are the values that they need: `Project=/film`.
pub fn openjd_template(job: &FarmJob, here: &Path) -> Result<(Value, Vec<String>), Diagnostic> {
    let mut parameters = vec![json!({
        "name": "Retake",
        "type": "STRING",
        "description": "The program, as a worker finds it",
        "default": job.program,
    })];
    let mut needed = Vec::new();
    for folder in &job.paths {
        let mut parameter = json!({
            "name": folder.label,
            "type": "PATH",
            "description": folder.about,
            "objectType": if folder.is_file { "FILE" } else { "DIRECTORY" },
            "dataFlow": if folder.is_written { "INOUT" } else { "IN" },
        });
        match folder.path.strip_prefix(here) {
            Ok(below) if below.as_os_str().is_empty() => parameter["default"] = ".".into(),
            Ok(below) => {
                let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
                parameter["default"] = parts.join("/").into();
            }
            Err(_) => needed.push(format!("{}={}", folder.label, folder.path.display())),
        }
        parameters.push(parameter);
    }
    let names = step_names(job);
    let steps: Result<Vec<Value>, Diagnostic> =
        job.steps.iter().enumerate().map(|(i, step)| step_of(job, step, i, &names)).collect();
    let template = json!({
        "specificationVersion": "jobtemplate-2023-09",
        "name": literal(&shortened(&job.name, LONGEST.0))?,
        "parameterDefinitions": parameters,
        "steps": steps?,
    });
    Ok((template, needed))
}

fn step_of(
    job: &FarmJob,
    step: &FarmStep,
    index: usize,
    names: &[String],
) -> Result<Value, Diagnostic> {
    let mut words: Vec<String> =
        step.words.iter().map(|word| argument(job, word)).collect::<Result<_, _>>()?;
    let mut value = json!({ "name": names[index] });
    if !step.after.is_empty() {
        let after = step.after.iter().map(|i| json!({ "dependsOn": names[*i] }));
        value["dependencies"] = after.collect();
    }
    if !step.chunks.is_empty() {
        let range = json!({ "name": "Frames", "type": "STRING", "range": step.chunks });
        value["parameterSpace"] = json!({ "taskParameterDefinitions": [range] });
        words.push("--frames={{Task.Param.Frames}}".to_owned());
    }
    if let Some(threads) = job.threads {
        let amount = json!({ "name": "amount.worker.vcpu", "min": threads });
        value["hostRequirements"] = json!({ "amounts": [amount] });
    }
    let run = json!({ "command": "{{Param.Retake}}", "args": words });
    value["script"] = json!({ "actions": { "onRun": run } });
    Ok(value)
}

fn argument(job: &FarmJob, word: &Word) -> Result<String, Diagnostic> {
    match word {
        Word::Plain(text) => literal(text),
        Word::Path { before, folder, rest } => {
            let slash = if rest.is_empty() { "" } else { "/" };
            let label = &job.paths[*folder].label;
            Ok(format!("{}{{{{Param.{label}}}}}{slash}{}", literal(before)?, literal(rest)?))
        }
    }
}

/// Text that a template takes as it is: what stands in double braces would be looked up.
fn literal(text: &str) -> Result<String, Diagnostic> {
    if text.chars().any(|c| c.is_control() && !"\n\r".contains(c)) {
        let message = format!("{text:?} cannot be written in a job template");
        return Err(Diagnostic::error(message).hint("it holds a control character"));
    }
    if text.contains("{{") {
        let message = format!("`{text}` cannot be written in a job template");
        return Err(Diagnostic::error(message).hint("`{{` begins a reference in it"));
    }
    Ok(text.to_owned())
}

/// Names of the steps, as long as they may be, none twice.
fn step_names(job: &FarmJob) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut names = Vec::new();
    for step in &job.steps {
        let mut name = shortened(&step.name, LONGEST.1);
        let mut number = 2;
        while !taken.insert(name.clone()) {
            let mark = format!(" {number}");
            name = shortened(&step.name, LONGEST.1 - mark.len()) + &mark;
            number += 1;
        }
        names.push(name);
    }
    names
}

fn shortened(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_steps_are_short_and_differ() {
        let step = |name: String| FarmStep {
            name,
            words: vec!["run".into()],
            chunks: Vec::new(),
            after: Vec::new(),
        };
        let long = "x".repeat(90);
        let steps = vec![step(format!("{long} a")), step(format!("{long} b")), step("c".into())];
        let names = step_names(&FarmJob { steps, ..FarmJob::default() });
        assert!(names.iter().all(|n| n.chars().count() <= 64), "{names:?}");
        assert!(names[1].ends_with("x 2") && names[2] == "c", "{names:?}");
    }

    #[test]
    fn references_cannot_be_smuggled_in() {
        let words = vec![Word::Plain("--set=a={{Job.Name}}".into())];
        let step = FarmStep { name: "a".into(), words, chunks: Vec::new(), after: Vec::new() };
        let job = FarmJob { steps: vec![step], ..FarmJob::default() };
        assert!(openjd_template(&job, Path::new("/")).is_err());
    }
}
