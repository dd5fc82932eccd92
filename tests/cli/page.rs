//! The playback in `report.html`: what it holds is what the frames hold, whatever bodies are called and however
//! little room there is.

use crate::retake;
use crate::support::falling;
use retake::frames::{BodyState, Chosen, Drawn, Figures, Frame, FrameSource, Store};
use retake::render::{View, choose_view};
use retake::report::page::{Part, page};
use retake::report::playback::{Mark, MarkKind, Playback, Show};
use retake::scene::Scene;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

/// One of everything that is drawn in its own way: a cloth on a ball, a rigid box that comes late, a rope, a soft
/// block, a collider that turns, one that pictures do not show, a camera that moves.
const SCRIPT: &str = r#"
local retake = require "retake"
local shot = retake.shot { name = "all", fps = 24, frames = 7, start_frame = -2 }
shot:cloth { name = "cape", material = retake.material.fabric "silk",
  mesh = retake.mesh.grid { size = { 0.4, 0.4 }, vertices = { 7, 7 }, normal = { 0, 1, 0 }, center = { 0, 0.36, 0 } } }
shot:collider { name = "ball", mesh = retake.mesh.sphere { radius = 0.15, subdivisions = 1, center = { 0, 0.2, 0 } },
  rotate = retake.keys { { 0, { 0, 0, 0 } }, { 0.3, { 0, 40, 20 }, ease = "linear" } } }
shot:rigid { name = "box", mesh = retake.mesh.box { size = { 0.1, 0.1, 0.1 } }, translate = { 0.6, 0.5, 0 }, spin = { 90, 0, 30 }, appears = 0.1 }
shot:rope { name = "cord", radius = 0.01, mesh = retake.mesh.rope { from = { -0.5, 0.5, 0 }, to = { -0.2, 0.7, 0 }, segments = 6 } }
shot:soft { name = "block", mesh = retake.mesh.box { size = { 0.2, 0.2, 0.2 }, center = { 0.6, 0.2, 0.5 } }:tetrahedralized { spacing = 0.08 } }
shot:collider { name = "helper", mesh = retake.mesh.box { size = { 0.1, 0.1, 0.1 } }, translate = { 0, 2, 0 }, visible = false }
shot:ground { height = 0 }
shot:camera { name = "dolly", look_at = { 0, 0.3, 0 }, lens = 35,
  position = retake.keys { { 0, { 0, 0.6, 2 } }, { 0.3, { 1, 0.6, 2 }, ease = "linear" } } }
shot:output { images = false, sheet = 0, gltf = false }
return shot
"#;

/// What a page has embedded.
struct Embedded {
    about: Value,
    bytes: Vec<u8>,
}

impl Embedded {
    fn of(page: &str) -> Self {
        let element = |begins: &str| {
            let from = page.find(begins).unwrap_or_else(|| panic!("no {begins}")) + begins.len();
            &page[from..from + page[from..].find("</script>").unwrap()]
        };
        let about = element("<script type=\"application/json\" id=\"playback-about\">");
        let bytes = element("<script type=\"text/plain\" id=\"playback-bytes\">");
        Self { about: serde_json::from_str(about).unwrap(), bytes: from_base64(bytes) }
    }

    fn frames(&self) -> Vec<i32> {
        let numbers = self.about["frames"].as_array().unwrap();
        numbers.iter().map(|n| n.as_i64().unwrap() as i32).collect()
    }

    fn bodies(&self) -> &[Value] {
        self.about["bodies"].as_array().unwrap()
    }

    fn words<const N: usize>(&self, at: &Value, count: usize) -> Vec<[u8; N]> {
        let at = at.as_u64().unwrap() as usize;
        assert_eq!(at % 4, 0, "typed arrays begin at multiples of their size");
        let bytes = &self.bytes[at..at + N * count];
        bytes.chunks_exact(N).map(|word| word.try_into().unwrap()).collect()
    }

    fn f32s(&self, at: &Value, count: usize) -> Vec<f32> {
        self.words(at, count).into_iter().map(f32::from_le_bytes).collect()
    }

    fn u32s(&self, list: &Value, width: usize) -> Vec<u32> {
        let count = width * list["count"].as_u64().unwrap() as usize;
        self.words(&list["at"], count).into_iter().map(u32::from_le_bytes).collect()
    }

    /// World places of the corners of a body's triangles in the shown frame `frame` (counted from 0), and how far
    /// they may be off.
    fn corners(&self, body: &Value, frame: usize) -> (Vec<[f64; 3]>, f64) {
        let surface = &self.about["surfaces"][body["surface"].as_u64().unwrap() as usize];
        let vertices = surface["vertices"].as_u64().unwrap() as usize;
        let (places, off) = if body["places"].is_object() {
            let own = &body["places"];
            let number = |key: &str, axis: usize| own[key][axis].as_f64().unwrap();
            let begins = own["at"].as_u64().unwrap() as usize + 6 * vertices * frame;
            let steps = &self.bytes[begins..begins + 6 * vertices];
            let step = |i: usize| f64::from(u16::from_le_bytes([steps[2 * i], steps[2 * i + 1]]));
            let place = |v: usize| {
                [0, 1, 2]
                    .map(|axis| number("low", axis) + step(3 * v + axis) * number("step", axis))
            };
            let coarsest = (0..3).map(|axis| number("step", axis)).fold(0.0, f64::max);
            ((0..vertices).map(place).collect::<Vec<_>>(), 0.5 * coarsest)
        } else {
            let points = self.f32s(&surface["points"], 3 * vertices);
            let count = body["poses"]["count"].as_u64().unwrap() as usize;
            let poses = self.f32s(&body["poses"]["at"], 7 * count);
            let at = if count > 1 { 7 * frame } else { 0 };
            let state = BodyState::Posed {
                translate: poses[at..at + 3].try_into().unwrap(),
                rotate: poses[at + 3..at + 7].try_into().unwrap(),
            };
            let mesh: Vec<glam::DVec3> = points
                .chunks_exact(3)
                .map(|p| glam::DVec3::new(p[0].into(), p[1].into(), p[2].into()))
                .collect();
            let world = state.world_positions(&mesh);
            (world.iter().map(|p| p.map(f64::from)).collect(), 0.0)
        };
        let corners = self.u32s(&surface["corners"], 2);
        let triangles = self.u32s(&surface["triangles"], 3);
        (triangles.iter().map(|c| places[corners[2 * *c as usize] as usize]).collect(), off)
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => panic!("no letter of base64: {c}"),
    };
    let letters: Vec<u8> = text.bytes().filter(|c| *c != b'=').map(value).collect();
    let mut bytes = Vec::new();
    for four in letters.chunks(4) {
        let bits =
            (0..4).fold(0u32, |bits, i| bits << 6 | u32::from(four.get(i).copied().unwrap_or(0)));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}

/// Compares every body of every frame in a page with the frames; gives how far the worst place is off.
fn compare(embedded: &Embedded, scene: &Scene, frames: &dyn FrameSource) -> f64 {
    let drawn = Drawn::new(scene);
    let mut worst: f64 = 0.0;
    for (place, number) in embedded.frames().into_iter().enumerate() {
        let frame = frames.frame(number).unwrap();
        let frame = drawn.frame(&frame);
        assert_eq!(embedded.about["times"][place].as_f64().unwrap(), frame.time);
        for body in embedded.bodies() {
            let name = body["name"].as_str().unwrap();
            let index = scene.bodies.iter().position(|b| b.name == name).unwrap();
            let positions = frame.world_positions(drawn.scene(), index);
            let (corners, off) = embedded.corners(body, place);
            let triangles = &drawn.scene().mesh_of(index).triangles;
            assert_eq!(corners.len(), 3 * triangles.len(), "{name}");
            for (corner, vertex) in corners.iter().zip(triangles.iter().flatten()) {
                let stored = positions[*vertex as usize].map(f64::from);
                for axis in 0..3 {
                    let away = (corner[axis] - stored[axis]).abs();
                    // Meshes are kept as f32: that is a rounding more than the frames have.
                    let rounded = 2e-7 * stored[axis].abs().max(1.0);
                    assert!(away <= off + rounded, "{name} in frame {number} is off by {away} m");
                    worst = worst.max(away);
                }
            }
            let range = body["there"].as_array();
            let is_in = range.is_none_or(|r| {
                (r[0].as_u64().unwrap()..=r[1].as_u64().unwrap()).contains(&(place as u64))
            });
            assert_eq!(is_in, scene.bodies[index].is_there(frame.time), "{name} in {number}");
        }
    }
    worst
}

fn report(folder: &Path, run: &str) -> String {
    retake(folder).args(["inspect", run, "--report"]).assert().code(0);
    std::fs::read_to_string(folder.join(run).join("report.html")).unwrap()
}

#[test]
fn the_page_holds_what_the_frames_hold() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("all.lua"), SCRIPT).unwrap();
    retake(folder.path()).args(["run", "all.lua", "--out", "run"]).assert().code(0);
    let embedded = Embedded::of(&report(folder.path(), "run"));
    let store = Store::new(folder.path().join("run/frames"));
    let scene = store.scene().unwrap();
    let numbers: Vec<i32> = (-2..6).collect();
    assert_eq!(embedded.frames(), numbers);
    let worst = compare(&embedded, &scene, &Chosen::new(&store, numbers));
    assert!(worst > 1e-7, "places are rounded to 16 bits, or nothing was compared: {worst}");

    let names: Vec<&str> = embedded.bodies().iter().map(|b| b["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["cape", "ball", "box", "cord", "block", "helper", "ground"]);
    let body = |name: &str| embedded.bodies().iter().find(|b| b["name"] == name).unwrap();
    assert_eq!(body("helper")["shown"], false);
    assert_eq!(body("box")["there"], serde_json::json!([3, 7]));
    assert_eq!(
        (&body("box")["poses"]["count"], &body("ground")["poses"]["count"]),
        (&8.into(), &1.into())
    );
    // Where the camera stands in the last frame, at 7/24 s: most of the way.
    let camera = &embedded.about["cameras"][0];
    let sights = embedded.f32s(&camera["sights"]["at"], 80);
    assert_eq!((&camera["name"], sights[79]), (&"dolly".into(), 35.0));
    assert!((f64::from(sights[70]) - 7.0 / 24.0 / 0.3).abs() < 1e-6, "{sights:?}");
}

/// Frames of a scene of one cloth, and how it is seen.
fn shown(scene: &Scene, count: i32) -> (Vec<Frame>, Vec<View>) {
    let mesh = scene.mesh_of(0);
    let frame = |number: i32| Frame {
        number,
        time: f64::from(number - 1) / 24.0,
        bodies: vec![BodyState::Deformed {
            positions: mesh
                .positions
                .iter()
                .map(|p| (*p - glam::DVec3::Y * 0.01 * f64::from(number)).as_vec3().to_array())
                .collect(),
        }],
        figures: Figures::default(),
        regions: Vec::new(),
        retakes: Vec::new(),
        events: Vec::new(),
        state_hash: [0; 32],
        samples: Vec::new(),
    };
    let frames: Vec<Frame> = (1..=count).map(frame).collect();
    let mut read = |n: i32| -> std::io::Result<Frame> { Ok(frames[n as usize - 1].clone()) };
    let view = choose_view(scene, &mut read, &[1, count]).unwrap();
    (frames, vec![view])
}

#[test]
fn names_that_look_like_a_page_do_no_harm() {
    const HOSTILE: &str = "</script><script>alert(1)</script><!--\u{2028}\"'&\\";
    let mut scene = falling("fall", 3);
    scene.bodies[0].name = HOSTILE.into();
    let (frames, views) = shown(&scene, 3);
    let mark = |frame, text: &str| Mark { frame, kind: MarkKind::Event, text: text.into() };
    let show = |page_bytes| Show {
        scene: &scene,
        frames: &frames,
        views: &views,
        marks: vec![mark(2, HOSTILE), mark(2, "b"), mark(1, "c")],
        page_bytes,
        other_bytes: 0,
    };
    let of = |page_bytes| page("t", &[Part::Playback(Playback::new(&show(page_bytes)).unwrap())]);
    let whole = of(1_000_000);
    let embedded = Embedded::of(&whole);
    assert_eq!(embedded.bodies()[0]["name"], HOSTILE);
    assert_eq!(embedded.about["marks"][1]["text"], format!("{HOSTILE}; b"));
    assert_eq!(embedded.about["marks"][1]["frame"], 2);
    // The page's own three elements, whatever names there are.
    for page in [whole, of(0)] {
        assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (3, 3));
        assert!(!page.contains("<!--"));
        assert!(!page.contains("://"), "it loads something");
    }
}

#[test]
fn a_page_stays_below_its_size_and_says_what_is_missing() {
    let scene = falling("fall", 2000);
    let (frames, views) = shown(&scene, 2000);
    let of = |page_bytes| {
        let show = Show {
            scene: &scene,
            frames: &frames,
            views: &views,
            marks: Vec::new(),
            page_bytes,
            other_bytes: 1000,
        };
        page("t", &[Part::Playback(Playback::new(&show).unwrap())])
    };
    let all = of(10_000_000);
    assert_eq!(Embedded::of(&all).frames(), (1..=2000).collect::<Vec<_>>());
    assert!(!all.contains("One frame in"));

    // 16 vertices take 96 bytes a frame, 128 letters: this leaves out half of them, and what is kept free.
    let most = all.len() + 1000 - 1000 * 128;
    let some = of(most);
    assert!(some.len() + 1000 <= most, "{} of {most}", some.len());
    let embedded = Embedded::of(&some);
    let frames_left = embedded.frames();
    let every = frames_left[1] - 1;
    assert!(every >= 2 && frames_left.len() >= 12, "{frames_left:?}");
    let even: Vec<i32> = (1..=2000).filter(|n| (n - 1) % every == 0 || *n == 2000).collect();
    assert_eq!(frames_left, even);
    assert!(some.contains(&format!("One frame in {every} of the 2000, and the last, are here")));
    compare(&embedded, &scene, &frames);

    let none = of(30_000);
    assert!(Embedded::of(&none).bodies().is_empty());
    assert!(none.contains("Not here, so that the page stays below 1 MB: cloth."), "{none}");
}
