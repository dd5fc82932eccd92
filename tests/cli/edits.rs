//! What an edit keeps, and what is moved aside.

use crate::support::{assert_equal_files, falling, write};
use crate::{retake, shot};
use tempfile::TempDir;

#[test]
fn what_an_edit_keeps() {
    let folder = TempDir::new().unwrap();
    let mut scene = falling("fall", 20);
    let run = |scene: &retake::scene::Scene| {
        write(folder.path(), scene);
        let done = retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
        String::from_utf8_lossy(&done.get_output().stderr).into_owned()
    };
    run(&scene);
    scene.bodies[0].look.roughness = 0.1;
    assert!(run(&scene).contains("all frames to 21 are there"));
    scene.timing.frames = 25;
    assert!(run(&scene).contains("goes on after frame 21"));
    scene.bodies[0].translate = retake::math::Curve::Constant(glam::DVec3::new(0.0, 3.0, 0.0));
    assert!(run(&scene).contains("made again"));
    assert!(!folder.path().join("renders/fall.previous").exists());
    scene.source.parameters.insert("wind".into(), 3.into());
    let said = run(&scene);
    assert!(said.contains("fall.previous") && said.contains("wind was not set, is 3"), "{said}");
    let previous = folder.path().join("renders/fall.previous");
    assert!(previous.join("frames/0026.frame").exists());
    scene.source.script = "scripts/other.lua".into();
    assert!(run(&scene).contains("frames of another scene"));
    // What was made in pieces is what is made at once.
    retake(folder.path()).args(["run", "fall.json", "--out", "whole"]).assert().code(0);
    assert_equal_files(&folder.path().join("whole"), &folder.path().join("renders/fall"));
}

#[test]
fn an_edit_keeps_the_frames_before_the_first_that_changes() {
    use retake::math::{Curve, Ease, Key};
    let folder = TempDir::new().unwrap();
    let mut scene = falling("fall", 40);
    let gravity = |last: f64| {
        let key = |time: f64, y: f64| Key {
            time,
            value: glam::DVec3::new(0.0, y, 0.0),
            ease: Ease::Linear,
        };
        let keys = vec![key(0.0, -9.0), key(0.5, -3.0), key(1.0, -9.0), key(1.5, last)];
        Curve::Keys { keys, looped: false }
    };
    for (last, expected) in [(-1.0, "frames 1 to 41"), (4.0, "frames after 12 are made again")] {
        scene.gravity = gravity(last);
        write(folder.path(), &scene);
        let done = retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
        let said = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        assert!(said.contains(expected), "{said}");
    }
    retake(folder.path()).args(["run", "fall.json", "--out", "whole"]).assert().code(0);
    assert_equal_files(&folder.path().join("whole"), &folder.path().join("renders/fall"));
}

#[test]
fn until_and_then_to_the_end() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 30));
    let run = folder.path().join("renders/fall");
    retake(folder.path()).args(["run", "fall.json", "--until", "7"]).assert().code(0);
    assert_eq!(shot(&run)["frame_range"]["made_to"], 7);
    retake(folder.path()).args(["run", "fall.json", "--frames", "1-14x3"]).assert().code(0);
    assert_eq!(shot(&run)["frame_range"]["made_to"], 13);
    retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
    retake(folder.path()).args(["run", "fall.json", "--out", "whole"]).assert().code(0);
    assert_equal_files(&folder.path().join("whole"), &run);
    for wrong in [["--until", "0"], ["--frames", "40-50"], ["--frames", "x"]] {
        retake(folder.path()).args(["run", "fall.json"]).args(wrong).assert().code(2);
    }
}

/// Another picture on a body is drawn and exported again, and nothing is simulated again.
#[test]
fn a_changed_picture_redraws_and_keeps_the_frames() {
    let folder = TempDir::new().unwrap();
    let paint = |red: u8| {
        let picture = image::RgbImage::from_pixel(4, 4, image::Rgb([red, 20, 20]));
        picture.save(folder.path().join("dye.png")).unwrap();
    };
    let script = "local retake = require \"retake\"\n\
        local shot = retake.shot { name = \"dyed\", frames = 2 }\n\
        local mesh = retake.mesh.grid { size = { 1, 1 }, vertices = { 4, 4 } }\n\
        shot:cloth { name = \"cloth\", mesh = mesh }:look { color_map = \"dye.png\" }\n\
        shot:output { sheet = 0, images = { width = 32, height = 18, samples = 1, every = 2 } }\n\
        return shot";
    std::fs::write(folder.path().join("dyed.lua"), script).unwrap();
    let run = || {
        let done = retake(folder.path()).args(["run", "dyed.lua"]).assert().code(0);
        String::from_utf8_lossy(&done.get_output().stderr).into_owned()
    };
    let out = folder.path().join("renders/dyed");
    paint(200);
    run();
    let read = |name: &str| std::fs::read(out.join(name)).unwrap();
    let names = ["frames/0003.frame", "images/dyed.0001.png", "gltf/dyed.glb"];
    let before = names.map(read);
    assert!(out.join("cache/dye.png").exists());
    paint(20);
    let said = run();
    assert!(said.contains("all frames to 3 are there"), "{said}");
    let after = names.map(read);
    assert_eq!(before[0], after[0]);
    assert_ne!(before[1], after[1]);
    assert_ne!(before[2], after[2]);
    // What is drawn later is drawn with the picture of the shot, of which the run has a copy.
    paint(90);
    let render =
        || retake(folder.path()).args(["render", "renders/dyed", "--frames", "3"]).assert();
    std::fs::remove_file(out.join("images/dyed.0003.png")).unwrap();
    render().code(0);
    assert_eq!(after[1], read("images/dyed.0001.png"));
    std::fs::copy(folder.path().join("dye.png"), out.join("script/dye.png")).unwrap();
    let said = String::from_utf8_lossy(&render().code(2).get_output().stderr).into_owned();
    assert!(said.contains("`dye.png` cannot be used: it is not the picture that"), "{said}");
}

/// Other parameters whose effect begins at a time leave the frames before it.
#[test]
fn another_parameter_keeps_the_frames_before_its_effect() {
    let folder = TempDir::new().unwrap();
    let script = "local retake = require \"retake\"\n\
        local gust = retake.param(\"gust\", 0.5, { unit = \"s\" })\n\
        local shot = retake.shot { name = \"gust\", fps = 24, frames = 36 }\n\
        local mesh = retake.mesh.grid { size = { 1, 1 }, vertices = { 5, 5 } }\n\
        local cloth = shot:cloth { name = \"cloth\", mesh = mesh }\n\
        shot:pin { points = cloth:edge \"top\" }\n\
        shot:wind { velocity = { 0, 0, 6 }, starts = gust }\n\
        -- MORE\n\
        shot:output { sheet = 0 }\n\
        return shot";
    std::fs::write(folder.path().join("gust.lua"), script).unwrap();
    let run = |more: &[&str]| {
        let done = retake(folder.path()).args(["run", "gust.lua"]).args(more).assert().code(0);
        String::from_utf8_lossy(&done.get_output().stderr).into_owned()
    };
    run(&[]);
    let said = run(&["--set", "gust=1"]);
    // Frame 12 ends at 0.458 s; that from 0.458 to 0.5 s may have looked ahead.
    assert!(said.contains("gust was 0.5, is 1"), "{said}");
    assert!(said.contains("frames to 12 are the same with both"), "{said}");
    assert!(said.contains("goes on after frame 12"), "{said}");
    let out = folder.path().join("renders");
    assert!(out.join("gust.previous/frames/0037.frame").exists());
    run(&["--set", "gust=1", "--out", "whole"]);
    assert_equal_files(&folder.path().join("whole"), &out.join("gust"));
    // A measure of a parameter is taken again of the frames that are taken over.
    let measure = "shot:measure { name = \"gust\", value = function() return gust end }";
    let text = script.replace("-- MORE", measure);
    std::fs::write(folder.path().join("gust.lua"), text).unwrap();
    run(&[]);
    let said = run(&["--set", "gust=1"]);
    assert!(said.contains("frames to 12 are the same with both"), "{said}");
    assert!(said.contains("measures taken again: frames 1-12"), "{said}");
    assert_eq!(shot(&out.join("gust"))["figures"][0]["measures"]["gust"], 1.0);
    std::fs::remove_dir_all(folder.path().join("whole")).unwrap();
    run(&["--set", "gust=1", "--out", "whole"]);
    assert_equal_files(&folder.path().join("whole"), &out.join("gust"));
}

/// A ball comes in above one of two stacks: the frames before are taken over, the other stack moves as
/// without it to the bit, and the log names who came together.
#[test]
fn what_comes_in_touches_its_own_region_only() {
    let folder = TempDir::new().unwrap();
    let script = "local retake = require \"retake\"\n\
        local added = retake.param(\"added\", 99, { unit = \"s\" })\n\
        local shot = retake.shot { name = \"added\", fps = 30, frames = 45 }\n\
        shot:ground {}\n\
        local box = retake.mesh.box { size = 0.2 }\n\
        for i, x in ipairs { 0, 3 } do\n\
          for k = 1, 2 do\n\
            shot:rigid { name = (\"box %d%d\"):format(i, k), mesh = box, translate = { x, 0.22 * k - 0.1, 0 } }\n\
          end\n\
        end\n\
        shot:rigid { name = \"ball\", mesh = retake.mesh.sphere { radius = 0.1, subdivisions = 1 }, translate = { 0, 0.7, 0 }, appears = added }\n\
        shot:output { sheet = 0, gltf = false, caches = false }\n\
        return shot";
    std::fs::write(folder.path().join("added.lua"), script).unwrap();
    let run = |more: &[&str]| {
        let done = retake(folder.path()).args(["run", "added.lua"]).args(more).assert().code(0);
        String::from_utf8_lossy(&done.get_output().stderr).into_owned()
    };
    run(&["--out", "without"]);
    run(&[]);
    // It comes in at frame 25, 0.8 s.
    let said = run(&["--set", "added=0.8"]);
    assert!(said.contains("goes on after frame 24"), "{said}");
    run(&["--set", "added=0.8", "--out", "whole"]);
    let with = folder.path().join("renders/added");
    assert_equal_files(&folder.path().join("whole"), &with);
    let frames = |folder: &std::path::Path| {
        let store = retake::frames::Store::new(folder.join("frames"));
        (1..=46).map(|n| store.record(n).unwrap().frame).collect::<Vec<_>>()
    };
    let (with_ball, without) = (frames(&with), frames(&folder.path().join("without")));
    // Bodies: the ground, the boxes 11 and 12 under the ball, 21 and 22 aside, the ball.
    let mut differs = None;
    for (a, b) in with_ball.iter().zip(&without) {
        assert_eq!(a.bodies[3..5], b.bodies[3..5], "frame {}", a.number);
        if a.bodies[1..3] != b.bodies[1..3] {
            differs = differs.or(Some(a.number));
        }
    }
    assert!(differs.is_some_and(|n| n > 25), "{differs:?}");
    let events = std::fs::read_to_string(with.join("events.jsonl")).unwrap();
    let named = events.lines().any(|line| {
        line.contains("\"event\":\"region\"") && line.contains("[\"box 11\",\"box 12\",\"ball\"]")
    });
    assert!(named, "{events}");
    let inspect = |run: &str| {
        let told = retake(folder.path()).args(["inspect", run]).assert().code(0);
        String::from_utf8_lossy(&told.get_output().stdout).into_owned()
    };
    let told = inspect("renders/added");
    assert!(told.contains("box 11, box 12, ball") && told.contains("box 21, box 22"), "{told}");
    let told = inspect("without");
    assert!(told.contains("at rest (below 1 mm/s) from frame"), "{told}");
}

/// What functions of a script use, and what they do not.
#[test]
fn an_edit_of_what_functions_do_not_use_keeps_the_frames() {
    let folder = TempDir::new().unwrap();
    let plain = r##"
local retake = require "retake"
local shot = retake.shot { name = "watched", fps = 24, frames = 12 }
local cloth = shot:cloth { name = "cloth", mesh = retake.mesh.grid { size = 1, vertices = { 5, 5 } } }
cloth:look { color = "#aa3322" }
shot:pin { points = cloth:edge "top", name = "rail" }
shot:on_frame(function(frame, world)
  world.memory.lowest = math.min(world.memory.lowest or 0, world:body(cloth):bounds()[2])
  if frame == 5 then world:body(cloth):push { impulse = { 0, 0, 0.02 } } end
  print("lowest", world.memory.lowest)
end)
shot:measure { name = "rail", unit = "N", max = 500, value = function(world)
  print("rail at", world.time)
  return world:reaction("rail") + (world.memory.lowest or 0)
end }
shot:output { sheet = 0, gltf = false, caches = true }
return shot
"##;
    let run = |text: &str, more: &[&str], code: i32| {
        std::fs::write(folder.path().join("watched.lua"), text).unwrap();
        let done = retake(folder.path()).args(["run", "watched.lua"]).args(more).assert();
        String::from_utf8_lossy(&done.code(code).get_output().stderr).into_owned()
    };
    run(plain, &[], 0);
    let colour =
        plain.replace("cloth:look", "-- brick\n\ncloth:look").replace("#aa3322", "#3322aa");
    let said = run(&colour, &[], 0);
    assert!(said.contains("all frames to 13 are there"), "{said}");
    assert!(!said.contains("measures taken again"), "{said}");
    // Other measures are taken of what is kept of the frames: nothing is simulated.
    let measures = colour
        .replace("world:reaction(\"rail\")", "2 * world:reaction(\"rail\")")
        .replace("rail at", "rail then")
        .replace("shot:output", "shot:measure { name = \"sway\", value = function(world) return world:body(cloth):velocity()[3] end }\nshot:output");
    let said = run(&measures, &[], 0);
    assert!(said.contains("measures taken again: frames 1-13"), "{said}");
    assert!(said.contains("all frames to 13 are there"), "{said}");
    let kept = folder.path().join("renders/watched");
    run(&measures, &["--out", "whole"], 0);
    assert_equal_files(&folder.path().join("whole"), &kept);
    // A limit is looked at without taking anything again, and a function that fails tells where.
    let said = run(&measures.replace("max = 500", "max = 0.001"), &[], 4);
    assert!(!said.contains("measures taken again"), "{said}");
    let broken =
        measures.replace("return 2 *", "if world.frame == 7 then error(\"seven\") end return 2 *");
    let said = run(&broken, &[], 1);
    assert!(said.contains("seven (at frame 7)"), "{said}");
    let figures = &shot(&kept)["figures"];
    assert!(figures[5]["measures"]["sway"].is_number(), "{figures}");
    assert_eq!(figures[6]["measures"], serde_json::json!({}));
    // Back to what it was, and then another push.
    let said = run(&measures, &[], 0);
    assert!(said.contains("measures taken again"), "{said}");
    assert_equal_files(&folder.path().join("whole"), &kept);
    let said = run(&measures.replace("0.02", "0.03"), &[], 0);
    assert!(said.contains("the shot has changed: all frames are made again"), "{said}");
}
