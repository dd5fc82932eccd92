//! Runs that follow what is saved.

use crate::{send, shot};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tempfile::TempDir;

const SCRIPT: &str = "local retake = require \"retake\"\nlocal drop = require \"drop\"\n\
    local shot = retake.shot { name = \"lua\", fps = 24, frames = FRAMES }\n\
    shot:cloth { name = \"cloth\", mesh = retake.mesh.load \"sheet.obj\", translate = { 0, drop, 0 } }\n\
    shot:output { gltf = false, caches = false, sheet = 0 }\nreturn shot\n";
const SHEET: &str = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 3 2\nf 1 4 3\n";

/// `retake watch`, and what it says.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(folder: &Path) -> Self {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("retake"))
            .current_dir(folder)
            .args(["watch", "lua.lua", "--progress", "plain"])
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let said = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || {
            said.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { child, lines }
    }

    /// Waits until it says something, and gives all that it said until then.
    fn says(&self, text: &str) -> String {
        let mut all = String::new();
        while !all.contains(text) {
            let Ok(line) = self.lines.recv_timeout(Duration::from_mins(1)) else {
                panic!("`{text}` was not said, but:\n{all}");
            };
            all.push_str(&line);
            all.push('\n');
        }
        all
    }

    fn stopped(mut self) -> Option<i32> {
        send(&self.child, "-INT");
        self.child.wait().unwrap().code()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // Where a test fails, nothing is left running.
        let _ = self.child.kill();
    }
}

fn prepare(folder: &Path, frames: u32) {
    fs::write(folder.join("lua.lua"), SCRIPT.replace("FRAMES", &frames.to_string())).unwrap();
    fs::write(folder.join("drop.lua"), "return 1\n").unwrap();
    fs::write(folder.join("sheet.obj"), SHEET).unwrap();
}

fn status(folder: &Path) -> (String, i64) {
    let shot = shot(&folder.join("renders/lua"));
    (shot["status"].as_str().unwrap().to_owned(), shot["frame_range"]["last"].as_i64().unwrap())
}

#[test]
fn every_save_of_what_a_script_reads_runs_it_again() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    prepare(path, 5);
    let watch = Watch::start(path);
    let said = watch.says("watching ");
    assert!(said.contains("lua: frames 1 to 6"), "{said}");
    assert_eq!(status(path), ("done".into(), 6));

    // More frames: those that are there are kept. Editors put a new file in place of the old one.
    fs::write(path.join("new"), SCRIPT.replace("FRAMES", "9")).unwrap();
    fs::rename(path.join("new"), path.join("lua.lua")).unwrap();
    let said = watch.says("watching ");
    assert!(said.contains("lua.lua saved") && said.contains("goes on after frame 6"), "{said}");
    assert_eq!(status(path), ("done".into(), 10));

    // A module with a mistake in it, and without.
    fs::write(path.join("drop.lua"), "return 1 +\n").unwrap();
    let said = watch.says("watching ");
    assert!(said.contains("drop.lua saved") && said.contains("error:"), "{said}");
    assert!(said.contains("drop.lua:"), "{said}");
    fs::write(path.join("drop.lua"), "return 2.5\n").unwrap();
    let said = watch.says("watching ");
    assert!(said.contains("lua: frames 1 to 10"), "{said}");

    // A mesh that is away for a while.
    fs::remove_file(path.join("sheet.obj")).unwrap();
    let said = watch.says("watching ");
    assert!(said.contains("cannot find the file `sheet.obj`"), "{said}");
    fs::write(path.join("sheet.obj"), SHEET.replace("v 1 0 1", "v 1 0 1.5")).unwrap();
    let said = watch.says("watching ");
    assert!(said.contains("sheet.obj saved") && said.contains("lua: frames 1 to 10"), "{said}");
    assert_eq!(status(path), ("done".into(), 10));
    assert_eq!(watch.stopped(), Some(0), "nothing was interrupted");
}

#[test]
fn a_save_stops_the_run_and_begins_anew() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    prepare(path, 20_000);
    let watch = Watch::start(path);
    watch.says("frame ");
    fs::write(path.join("lua.lua"), SCRIPT.replace("FRAMES", "19000")).unwrap();
    let said = watch.says("goes on after frame");
    assert!(said.contains("lua.lua saved"), "{said}");
    assert_eq!(watch.stopped(), Some(3), "a run was interrupted");
    assert_eq!(status(path).0, "interrupted");
    assert!(path.join("renders/lua/frames/0001.frame").exists());
}
