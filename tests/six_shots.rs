//! The shots of `scripts/`, whole, dear ones of fewer parts: each passes its own checks, and in no frame
//! does a triangle cross another, by the exact test of `retake verify` on the stored positions.
#![allow(missing_docs)]

#[path = "support/scripts.rs"]
mod scripts;

use scripts::{names, retake};
use std::path::Path;
use std::process::Output;

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Simulates a script into a folder of its own and returns that folder.
fn simulate(script: &str, more: &[&str]) -> (tempfile::TempDir, Output) {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("a plain path");
    let mut arguments =
        vec!["run", script, "--out", out, "--no-images", "--no-export", "--progress", "none"];
    arguments.extend_from_slice(more);
    let output = retake(&arguments);
    (folder, output)
}

fn passes_and_is_certified(script: &str, more: &[&str]) -> tempfile::TempDir {
    let (folder, output) = simulate(script, more);
    assert_eq!(output.status.code(), Some(0), "{script}: {}", text(&output));
    let verified = retake(&["verify", folder.path().to_str().expect("a plain path")]);
    assert_eq!(verified.status.code(), Some(0), "{script}: {}", text(&verified));
    folder
}

macro_rules! shots {
    ($($name:ident $(with $more:literal)?),*) => {
        $(#[test]
        fn $name() {
            let more: &[&str] = &[$("--set", $more)?];
            passes_and_is_certified(concat!("scripts/", stringify!($name), ".lua"), more);
        })*

        #[test]
        fn every_script_is_a_test_here() {
            let scripts = names("scripts");
            assert_eq!(scripts, [$(stringify!($name)),*]);
            for script in scripts {
                let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(format!("{script}.lua"));
                let lines = std::fs::read_to_string(path).expect("text").lines().count();
                assert!(lines <= 60, "{script} has {lines} lines");
            }
        }
    };
}

shots!(
    banner_tears,
    bin,
    catch,
    curtain,
    flag,
    hammock,
    jelly,
    napkin,
    net,
    parcel,
    rag_doll,
    rope_bridge,
    tablecloth,
    tablecloth_trick,
    toys,
    walk,
    washing_line
);

/// The film's paper in Retake's own cloth comes off its board as a whole: all 49 spots of glue give way, one after
/// another, and nothing crosses.
#[test]
fn the_paper_tears_off_its_board() {
    let folder = passes_and_is_certified("scripts/theses/flex3d/paper_tears_off.lua", &[]);
    let events = std::fs::read_to_string(folder.path().join("events.jsonl")).expect("written");
    let broke: Vec<&str> = events.lines().filter(|l| l.contains("\"broke\"")).collect();
    assert_eq!(broke.len(), 49);
    let time = |line: &str| line.rsplit(':').next().map(str::to_owned);
    assert!(time(broke[0]) != time(broke[48]), "at once");
}

/// 255 dominoes in a spiral fall one after another, all of them, at least 21 a second.
#[test]
fn the_spiral_of_dominoes_falls() {
    passes_and_is_certified("scripts/theses/galante/dominoes.lua", &[]);
}

/// A heap of boxes, balls, stones, sponges and ropes comes to the same bytes on any number of threads, and where the
/// program was stopped in between.
#[test]
fn a_shaken_bin_is_the_same_on_any_number_of_threads_and_after_a_stop() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = |name: &str| folder.path().join(name);
    let simulate = |name: &str, more: &[&str]| {
        let out = out(name);
        let mut arguments = vec!["run", "scripts/bin.lua", "--set", "pieces=20"];
        arguments.extend(["--out", out.to_str().expect("a plain path")]);
        arguments.extend(["--no-images", "--no-export", "--progress", "none"]);
        arguments.extend_from_slice(more);
        let output = retake(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    };
    for threads in ["1", "2", "3", "8"] {
        simulate(threads, &["--until", "40", "--threads", threads]);
    }
    simulate("stopped", &["--until", "23", "--threads", "2"]);
    simulate("stopped", &["--until", "40", "--threads", "3"]);
    for name in ["2", "3", "8", "stopped"] {
        for number in 1..=40 {
            let of =
                |name: &str| std::fs::read(out(name).join(format!("frames/{number:04}.frame")));
            let [one, other] = ["1", name].map(|name| of(name).expect("a frame"));
            assert!(one == other, "frame {number} of {name} differs");
        }
    }
}

#[test]
fn holds_close_let_go_and_freeze() {
    let folder = passes_and_is_certified("scenes/holds.lua", &[]);
    let events = std::fs::read_to_string(folder.path().join("events.jsonl")).expect("written");
    for word in ["\"first_touch\"", "\"released\"", "\"froze\""] {
        assert!(events.contains(word), "no {word} in\n{events}");
    }
}

#[test]
fn fast_ball_is_retaken_and_caught() {
    let (folder, output) = simulate("scenes/fast_ball.lua", &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let folder = folder.path();
    let shot = std::fs::read_to_string(folder.join("shot.json")).expect("written");
    assert!(shot.contains("contact_too_deep"), "the big step should have been taken again");
    let verified = retake(&["verify", folder.to_str().expect("a plain path")]);
    assert_eq!(verified.status.code(), Some(0), "{}", text(&verified));
}

#[test]
fn fast_ball_goes_through_without_guard_and_retakes() {
    let (folder, output) =
        simulate("scenes/fast_ball.lua", &["--set", "guard=off", "--set", "rollback=false"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let verified = retake(&["verify", folder.path().to_str().expect("a plain path")]);
    assert_eq!(verified.status.code(), Some(1), "{}", text(&verified));
    assert!(text(&verified).contains("crosses"), "{}", text(&verified));
}
