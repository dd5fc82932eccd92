//! Scripts for Slurm.

use super::{FarmJob, FarmStep, Word};
use std::fmt::Write;
use std::path::Path;

/// `job` as a script called `file`, for the folder `here`. Handed in, it hands in its steps: each is the script
/// again, with the step's number, and waits for those before it; chunks of frames are an array.
pub fn slurm_script(job: &FarmJob, file: &str, here: &Path) -> String {
    let mut text = String::from("#!/bin/bash\n");
    let name = plain(&job.name);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "#SBATCH --job-name={name}\n#SBATCH --output={name}.%j.log");
    if let Some(threads) = job.threads {
        let _ = writeln!(text, "#SBATCH --cpus-per-task={threads}");
    }
    let _ = writeln!(
        text,
        "#\n# {}\n# Hand it in from the folder that it lies in: sbatch {}\n\n\
         set -eu\nretake={}\nscript={}\nstep=${{1:-submit}}\n",
        name,
        // A comment ends with its line.
        quoted(&file.replace(char::is_control, "_")),
        quoted(&job.program),
        quoted(&format!("./{file}")),
    );
    text.push_str("case \"$step\" in\nsubmit)\n");
    for (index, step) in job.steps.iter().enumerate() {
        let _ = write!(text, "  # {}\n  id_{index}=$(sbatch --parsable", step.name);
        let waits: Vec<String> = step.after.iter().map(|i| format!("${{id_{i}%%;*}}")).collect();
        if !waits.is_empty() {
            let ids = waits.join(":");
            let _ = write!(text, " --kill-on-invalid-dep=yes --dependency=\"afterok:{ids}\"");
        }
        if !step.chunks.is_empty() {
            let last = step.chunks.len() - 1;
            let _ = write!(text, " --array=0-{last} --output={name}.%A_%a.log");
        }
        let _ = writeln!(text, " \"$script\" {index})");
    }
    text.push_str("  ;;\n");
    for (index, step) in job.steps.iter().enumerate() {
        let _ = writeln!(text, "{index}) # {}", step.name);
        call(&mut text, job, step, here);
        text.push_str("  ;;\n");
    }
    text.push_str("*)\n  echo \"there is no step $step\" >&2\n  exit 2\n  ;;\nesac\n");
    text
}

fn call(text: &mut String, job: &FarmJob, step: &FarmStep, here: &Path) {
    if !step.chunks.is_empty() {
        let chunks: Vec<String> = step.chunks.iter().map(|chunk| quoted(chunk)).collect();
        let _ = writeln!(text, "  frames=({})", chunks.join(" "));
    }
    text.push_str("  exec \"$retake\"");
    for word in &step.words {
        let _ = write!(text, " {}", quoted(&argument(job, word, here)));
    }
    if !step.chunks.is_empty() {
        text.push_str(" --frames=\"${frames[$SLURM_ARRAY_TASK_ID]}\"");
    }
    text.push('\n');
}

/// An argument; what lies below `here` relative to it.
fn argument(job: &FarmJob, word: &Word, here: &Path) -> String {
    match word {
        Word::Plain(text) => text.clone(),
        Word::Path { before, folder, rest } => {
            let folder = &job.paths[*folder].path;
            let path = if rest.is_empty() { folder.clone() } else { folder.join(rest) };
            let path = path.strip_prefix(here).map_or(path.clone(), Path::to_path_buf);
            let dot = if path.as_os_str().is_empty() { "." } else { "" };
            format!("{before}{dot}{}", path.display())
        }
    }
}

/// A word as the shell takes it for that.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=+.,/:@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A name in a line for Slurm, which has words and replacements of its own.
fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.@".contains(c);
    name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_the_shell_would_read_them() {
        assert_eq!(quoted("--set=wind=12"), "--set=wind=12");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted(""), "''");
        assert_eq!(plain("a b%j"), "a_b_j");
    }
}
