//! Commands, exit codes, batches.

use crate::support::{falling, write};
use crate::{retake, shot, start};
use retake::scene::{Caches, Output};
use tempfile::TempDir;

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 40));
    let mut child = start(folder.path(), &["run", "fall.json"]);
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut child = start(folder.path(), &["scene", "fall.json"]);
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_is_wrong_is_refused_with_code_two() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 5));
    let mut broken = falling("broken", 5);
    broken.meshes[0].triangles[0][0] = 99;
    write(folder.path(), &broken);
    std::fs::write(folder.path().join("half.json"), b"{\"version\": 1").unwrap();
    std::fs::write(folder.path().join("old.json"), b"{\"version\": 0}").unwrap();
    std::fs::write(folder.path().join("a.par"), b"").unwrap();
    let wrong: [&[&str]; 24] = [
        &[],
        &["fly"],
        &["run"],
        &["run", "nowhere.lua"],
        &["run", "broken.json"],
        &["run", "half.json"],
        &["run", "old.json"],
        &["run", "a.par"],
        &["run", "fall.json", "--set", "wind=3"],
        &["run", "fall.json", "--threads", "0"],
        &["run", "fall.json", "--take", "../x"],
        &["run", "fall.json", "--model", "flex3d"],
        &["submit", "nowhere.json", "--to", "slurm"],
        &["watch", "nowhere.json"],
        &["why", "renders/fall"],
        &["compare", "a", "b"],
        &["bench", "hung"],
        &["bench", "hang", "--size", "1"],
        &["convert", "a.obj", "b.ply"],
        &["convert", "a.par", "b.lua"],
        &["convert", "a.par", "b.ply"],
        &["inspect", "nowhere"],
        &["batch", "nowhere.toml"],
        &["sweep", "fall.json", "--vary", "wind"],
    ];
    for arguments in wrong {
        let ended = retake(folder.path()).args(arguments).assert().code(2);
        assert!(!ended.get_output().stderr.is_empty(), "{arguments:?} says nothing");
    }
    assert!(!folder.path().join("renders").exists());
}

#[test]
fn small_commands_answer() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 3));
    retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
    let answered: [(&[&str], &str); 9] = [
        (&["--version"], "retake"),
        (&["--help"], "Usage"),
        (&["doctor"], "cores"),
        (&["bench", "drape", "--size", "8", "--frames", "2"], "drape     8"),
        (&["check", "fall.json"], "cloth"),
        (&["scene", "fall.json"], "\"bodies\""),
        (&["inspect", "renders/fall"], "fall: done"),
        (&["completions", "bash"], "_retake"),
        (&["man"], "retake"),
    ];
    for (arguments, expected) in answered {
        let done = retake(folder.path()).args(arguments).assert().code(0);
        let said = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}

#[test]
fn what_is_no_run_is_told_for_what_it_is() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 2));
    retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
    let commands: [&[&str]; 4] =
        [&["inspect"], &["verify"], &["export", "--format", "obj"], &["render"]];
    for (path, expected) in [
        ("renders/fal", "not the folder of a run: there is no such file or folder"),
        ("renders", "name one, as `renders/fall`"),
    ] {
        for arguments in commands {
            let done = retake(folder.path()).args(arguments).arg(path).assert().code(2);
            let said = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
            assert!(said.contains(expected), "{arguments:?}: {said}");
        }
    }
}

#[test]
fn inspect_shows_measures_and_no_sign_of_zero() {
    let folder = TempDir::new().unwrap();
    let script = r#"local retake = require "retake"
local shot = retake.shot { name = "seen", frames = 2 }
shot:rigid { name = "ball", mesh = retake.mesh.sphere { radius = 0.1 }, density = 500 }
local seen = { 2, 0.25, -1e-7 }
shot:measure { name = "seen", unit = "m", value = function(world) return seen[world.frame] end }
return shot
"#;
    std::fs::write(folder.path().join("seen.lua"), script).unwrap();
    retake(folder.path()).args(["run", "seen.lua", "--no-images"]).assert().code(0);
    let path = folder.path().join("renders/seen/shot.json");
    let mut told = crate::shot(&folder.path().join("renders/seen"));
    told["figures"][1]["elastic"] = (-1e-9).into();
    std::fs::write(path, told.to_string()).unwrap();
    let done = retake(folder.path()).args(["inspect", "renders/seen"]).assert().code(0);
    let said = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    let row =
        said.lines().find(|line| line.starts_with("seen ")).unwrap_or_else(|| panic!("{said}"));
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells, ["seen", "m", "-1e-7", "-1e-7", "3", "2", "1"], "{said}");
    assert!(!said.contains("-0.00000"), "{said}");
}

#[test]
fn bodies_are_exported_by_their_names_and_groups() {
    let folder = TempDir::new().unwrap();
    let mut scene = falling("fall", 2);
    for (name, group, x) in [("cup", "set/cups", 2.0), ("jug", "set", 4.0), ("hat", "cast", 6.0)] {
        let mut body = scene.bodies[0].clone();
        (body.name, body.group) = (name.to_owned(), Some(group.to_owned()));
        body.translate = retake::math::Curve::Constant(glam::DVec3::new(x, 2.0, 0.0));
        scene.bodies.push(body);
    }
    write(folder.path(), &scene);
    retake(folder.path()).args(["run", "fall.json", "--no-export"]).assert().code(0);
    let exported = |bodies: &str| {
        let run = folder.path().join("renders/fall");
        let _ = std::fs::remove_dir_all(run.join("obj"));
        let arguments = ["export", "renders/fall", "--format", "obj", "--bodies", bodies];
        let ended = retake(folder.path()).args(arguments).assert();
        let said = String::from_utf8_lossy(&ended.get_output().stderr).into_owned();
        let there = |name: &&str| run.join(format!("obj/{name}.mtl")).exists();
        (["cloth", "cup", "jug", "hat"].into_iter().filter(there).collect::<Vec<_>>(), said)
    };
    assert_eq!(exported("set").0, ["cup", "jug"]);
    assert_eq!(exported("set/cups,h*").0, ["cup", "hat"]);
    let (none, said) = exported("set/cup");
    assert!(none.is_empty() && said.contains("did you mean `set/cups`?"), "{said}");
}

/// Files that grow with the frames of a run are those that are written from all of its frames later.
#[test]
fn a_run_writes_the_growing_files_of_an_export() {
    let folder = TempDir::new().unwrap();
    let mut scene = falling("fall", 5);
    scene.output = Output { usd: true, alembic: true, caches: Caches::Mdd, ..Output::default() };
    write(folder.path(), &scene);
    let run = folder.path().join("renders/fall");
    let all = ["usd/fall.usdc", "abc/fall.abc", "cache/cloth.mdd"];
    let files = all.map(|name| run.join(name));
    let bytes = || files.each_ref().map(|file| std::fs::read(file).unwrap());
    retake(folder.path()).args(["run", "fall.json", "--no-images"]).assert().code(0);
    let made = bytes();
    assert!(made.iter().all(|bytes| bytes.len() > 1000));
    for name in all {
        let listed = shot(&run)["files"].to_string();
        assert!(listed.contains(name), "{listed}");
    }
    for file in &files {
        std::fs::remove_file(file).unwrap();
    }
    let arguments = ["export", "renders/fall", "--format", "usd,abc,mdd"];
    retake(folder.path()).args(arguments).assert().code(0);
    assert!(made == bytes(), "equal runs are equal files");
}

#[test]
fn one_failed_shot_does_not_stop_the_batch() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("good", 5));
    std::fs::write(folder.path().join("bad.json"), b"{}").unwrap();
    let list = "[[shot]]\nscript = \"bad.json\"\n\
                [[shot]]\nscript = \"good.json\"\n\
                [[shot]]\nscript = \"good.json\"\nname = \"later\"\nafter = [\"bad\"]\n\
                [[shot]]\nscript = \"good.json\"\nname = \"second\"\nafter = [\"good\"]\n";
    std::fs::write(folder.path().join("SHOTS.toml"), list).unwrap();
    let done = retake(folder.path()).args(["batch", "SHOTS.toml", "--jobs", "2"]).assert().code(1);
    let said = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    let rows: Vec<&str> = said.lines().collect();
    assert!(rows[1].contains("wrong"), "{said}");
    assert!(rows[2].contains("done"), "{said}");
    assert!(rows[3].contains("left out: bad failed"), "{said}");
    assert!(rows[4].contains("done"), "{said}");
    assert!(folder.path().join("renders/second/frames/0006.frame").exists());
    assert!(!folder.path().join("renders/later").exists());
}

/// The page of a run holds its plots, and equal runs have equal pages but for what clocks say.
#[test]
fn a_report_is_one_page_that_needs_nothing_else() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 12));
    let page = |out: &str| {
        retake(folder.path()).args(["run", "fall.json", "--out", out]).assert().code(0);
        retake(folder.path()).args(["inspect", out, "--report"]).assert().code(0);
        std::fs::read_to_string(folder.path().join(out).join("report.html")).unwrap()
    };
    let (a, b) = (page("a"), page("b"));
    for part in [
        "<svg",
        "Step of the finest region",
        "Shot time [s]",
        "Frames that wait",
        "Retakes",
        "id=\"playback\"",
    ] {
        assert!(a.contains(part), "{part}");
    }
    // Nothing is fetched: neither "://" nor these can stand in base64.
    for word in ["://", " src=\"/", "<link", "@import", "fetch(", "import("] {
        assert!(!a.contains(word), "{word}");
    }
    let before_clocks = |page: &str| page.split("<!-- clocks -->").next().unwrap().to_owned();
    assert_eq!(before_clocks(&a), before_clocks(&b));
    assert!(a.trim_end().ends_with("<!-- end of clocks -->\n</html>"));
    retake(folder.path()).args(["inspect", "nowhere", "--report"]).assert().code(2);
    // No part of the run's own files.
    retake(folder.path()).args(["verify", "a"]).assert().code(0);
}

/// A sheet is off by `3 g h^2 / 4` after a first substep of backward Euler, and a run with substeps sixteen times as
/// short hardly: here in the first frame, in which nothing touches and the ball is far.
#[test]
fn bench_tells_how_far_a_run_is_from_a_converged_one() {
    let folder = TempDir::new().unwrap();
    let plain = ["bench", "drape", "--size", "8", "--frames", "1", "--json"];
    let told = |more: &[&str]| {
        let done = retake(folder.path()).args(plain).args(more).assert().code(0);
        let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()[0].clone()
    };
    assert!(told(&[])["error"].is_null());
    let figures = told(&["--converged"]);
    let (error, steps) =
        (figures["error"].as_f64().unwrap(), figures["substeps"].as_f64().unwrap());
    let longest = 1.0 / 24.0 / 4.0;
    assert!(error > 1e-6 && error < 0.75 * 9.81 * longest * longest, "{error} m, {steps} substeps");
}

/// Memory is measured once for all benchmarks, which say how many bytes they moved at least; a vertex has some
/// hundreds, and each Newton iteration goes over them several times.
#[test]
fn bench_sets_bytes_moved_against_what_memory_can() {
    let folder = TempDir::new().unwrap();
    let asked = ["bench", "hang", "--size", "12,24", "--frames", "2", "--threads", "1"];
    let done = retake(folder.path()).args(asked).arg("--json").assert().code(0);
    let all: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    let number = |k: usize, name: &str| all[k][name].as_f64().unwrap();
    assert!(number(0, "bandwidth") > 1e8, "{all}");
    assert_eq!(number(0, "bandwidth"), number(1, "bandwidth"));
    for k in 0..2 {
        let bytes = number(k, "bytes_per_piece");
        assert!((1e3..1e6).contains(&bytes), "{bytes}");
        let speed = bytes / (1e-6 * number(k, "microseconds_per_piece"));
        let part = speed / number(k, "bandwidth");
        assert!((number(k, "of_bandwidth") - part).abs() < 1e-9 * part, "{all}");
    }
    let done = retake(folder.path()).args(asked).assert().code(0);
    let table = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(table.contains("bytes/piece/step  memory %"), "{table}");
    let said = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(said.contains("memory moves"), "{said}");
}
