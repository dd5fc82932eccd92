//! Where a shot starts: what crosses is pulled apart where the script asks for it, what is too far away is told.
#![allow(missing_docs)]

#[path = "support/scripted.rs"]
mod scripted;

use retake::diagnostics::Diagnostic;
use retake::production::certificate::check_frame;
use retake::scene::Scene;
use retake::sim::{BodyPose, Simulation};
use scripted::frame;

const HEAD: &str = "local shot = retake.shot { name = \"tangled\", frames = 4 }\n";
const ASKED: &str = "\nshot:collisions { separate = true }";

fn scene(text: &str) -> Scene {
    scripted::scene(&format!("{HEAD}{text}{ASKED}"))
}

/// Starts a shot that crosses: it is refused without being asked for, free of crossings with it, and goes on.
/// Gives the simulation at its start, and what was told.
fn parted(text: &str) -> (Simulation, Scene, String) {
    let refused = Simulation::start(&scripted::scene(&format!("{HEAD}{text}")));
    let told = shown(&refused.err().expect("it crosses"));
    assert!(told.contains("separate = true"), "{told}");
    let scene = scene(text);
    let started = Simulation::start(&scene).unwrap_or_else(|p| panic!("{}", shown(&p)));
    assert_eq!(check_frame(&scene, &frame(&scene, &started.simulation)), []);
    let mut goes_on = scripted::start(&scene);
    scripted::run(&mut goes_on, 4);
    assert_eq!(check_frame(&scene, &frame(&scene, &goes_on)), []);
    (started.simulation, scene, shown(&started.warnings))
}

fn shown(problems: &[Diagnostic]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn heights(simulation: &Simulation, body: usize) -> Vec<f64> {
    match simulation.body(body) {
        BodyPose::Deformed(places) => places.iter().map(|p| p.y).collect(),
        BodyPose::Posed(..) => panic!("not a cloth"),
    }
}

const SHEET: &str =
    "retake.mesh.grid { size = { 1, 1 }, vertices = { 21, 21 }, normal = { 0, 1, 0 } }";

#[test]
fn a_cloth_that_lies_in_a_ball_is_lifted_onto_it() {
    let text = format!(
        "shot:collider {{ name = \"ball\", mesh = retake.mesh.sphere {{ radius = 0.3 }} }}\n\
         shot:cloth {{ name = \"sheet\", mesh = {SHEET}, translate = {{ 0, 0.22, 0 }} }}"
    );
    let (simulation, _, told) = parted(&text);
    // What was outside stays where it was; the middle lies on the ball's top.
    let heights = heights(&simulation, 1);
    let highest = heights.iter().fold(0.0, |most: f64, h| most.max(*h));
    assert!((0.3..0.31).contains(&highest), "{highest}");
    assert_eq!(heights.iter().filter(|h| **h == 0.22).count(), heights.len() - lifted(&heights));
    assert!(told.contains("`sheet` starts crossing and was moved by up to 8"), "{told}");
}

/// Vertices that are not at the height of 0.22 m any more.
fn lifted(heights: &[f64]) -> usize {
    let count = heights.iter().filter(|h| **h != 0.22).count();
    // The ball is cut in a disc of radius 0.2 m.
    assert!((20..110).contains(&count), "{count} vertices were lifted");
    count
}

#[test]
fn two_cloths_that_cut_each_other_slightly_are_drawn_apart() {
    let text = format!(
        "shot:cloth {{ name = \"lower\", mesh = {SHEET} }}\n\
         shot:cloth {{ name = \"upper\", mesh = {SHEET}, translate = {{ 0.11, 0.13, 0.03 }}, \
         rotate = {{ 0, 20, 18 }} }}"
    );
    let (_, _, told) = parted(&text);
    assert!(told.contains("starts crossing"), "{told}");
}

#[test]
fn a_corner_that_pokes_through_a_coarse_cloth_goes_back_under_it() {
    let text = "shot:collider { name = \"block\", mesh = retake.mesh.box { size = 0.2 }, \
         rotate = { 40, 0, 35 }, translate = { 0.03, -0.15, 0.02 } }\n\
         shot:cloth { name = \"sheet\", mesh = retake.mesh.grid { size = { 1, 1 }, \
         vertices = { 6, 6 }, normal = { 0, 1, 0 } } }";
    let (simulation, _, _) = parted(text);
    assert!(heights(&simulation, 1).iter().all(|h| *h >= 0.0), "nothing goes down");
}

#[test]
fn a_box_sunk_into_the_ground_stands_on_it() {
    // More than half of it: down would be shorter.
    let text = "shot:ground {}\nshot:rigid { name = \"crate\", mesh = retake.mesh.box { size = 0.4 }, \
                translate = { 0.3, -0.05, 0 } }";
    let (simulation, _, told) = parted(text);
    let BodyPose::Posed(place, _) = simulation.body(1) else { panic!("rigid") };
    assert!(place.x == 0.3 && place.z == 0.0 && (place.y - 0.2).abs() < 1e-3, "{place}");
    assert!(told.contains("`crate` starts crossing and was moved by up to 250"), "{told}");
}

#[test]
fn boxes_in_each_other_share_the_way_by_their_masses() {
    let text = "shot:rigid { name = \"light\", mesh = retake.mesh.box { size = 0.4 }, mass = 1 }\n\
         shot:rigid { name = \"heavy\", mesh = retake.mesh.box { size = 0.4 }, mass = 3, \
         translate = { 0.36, 0.02, 0.01 } }";
    let (simulation, _, _) = parted(text);
    let [a, b] = [0, 1].map(|i| match simulation.body(i) {
        BodyPose::Posed(place, _) => place.x,
        BodyPose::Deformed(_) => panic!("rigid"),
    });
    // 4 cm and a little, three quarters of it the light one.
    assert!((b - a - 0.4).abs() < 1e-3 && (a + 0.03).abs() < 1e-3, "{a} {b}");
}

#[test]
fn a_ball_in_a_block_leaves_it_by_the_nearest_side() {
    let text = "shot:collider { name = \"block\", mesh = retake.mesh.box { size = { 2, 2, 2 } } }\n\
         shot:soft { name = \"ball\", mesh = retake.mesh.tet_ball { radius = 0.2 }, \
         translate = { 0.1, 0.2, 0.93 } }";
    let (simulation, _, _) = parted(text);
    let BodyPose::Deformed(places) = simulation.body(1) else { panic!("soft") };
    let middle = places.iter().sum::<glam::DVec3>() / places.len() as f64;
    assert!((middle.x - 0.1).abs() < 0.01 && (middle.z - 1.2).abs() < 0.01, "{middle}");
}

#[test]
fn what_has_no_way_out_is_refused_by_name() {
    let pole = "shot:collider { name = \"pole\", mesh = retake.mesh.cylinder { radius = 0.1, height = 2 } }\n";
    let sheet = format!("local sheet = shot:cloth {{ name = \"sheet\", mesh = {SHEET} }}\n");
    let ball = "shot:collider { name = \"pole\", mesh = retake.mesh.sphere { radius = 0.2 }, \
                translate = { 0, -0.1, 0 } }\n";
    let held = "shot:pin { points = sheet:all() }";
    for text in [format!("{pole}{sheet}"), format!("{ball}{sheet}{held}")] {
        let told = shown(&Simulation::start(&scene(&text)).err().expect("no way out"));
        assert!(told.contains("`pole` and `sheet` cross at the start, and no way"), "{told}");
        assert!(!told.contains("separate"), "{told}");
    }
    let twisted = format!(
        "shot:cloth {{ name = \"sheet\", mesh = ({SHEET}):displaced(function(p) \
         return p.x > 0 and -0.9 * p.x or p.x, p.x > 0 and 0.6 * p.x - 0.05 or -0.2 * p.x, p.z end) }}"
    );
    let told = shown(&Simulation::start(&scene(&twisted)).err().expect("it crosses itself"));
    assert!(told.contains("`sheet` crosses itself at the start"), "{told}");
}

/// Starts a shot in which things touch: nothing crosses, and it goes on. Gives it at its start, and what was told.
fn touching(text: &str) -> (Simulation, Scene, String) {
    let scene = scripted::scene(&format!("{HEAD}{text}"));
    let started = Simulation::start(&scene).unwrap_or_else(|p| panic!("{text}\n{}", shown(&p)));
    assert_eq!(check_frame(&scene, &frame(&scene, &started.simulation)), [], "{text}");
    let mut goes_on = scripted::start(&scene);
    scripted::run(&mut goes_on, 4);
    assert_eq!(check_frame(&scene, &frame(&scene, &goes_on)), [], "{text}");
    (started.simulation, scene, shown(&started.warnings))
}

/// Whatever touches exactly is moved apart, as the contract says.
#[test]
fn what_touches_is_moved_apart() {
    let cube = "mesh = retake.mesh.box { size = 0.2 }";
    let jelly = "mesh = retake.mesh.tet_box { size = 0.2, cells = 2 }";
    let sheet = "mesh = retake.mesh.grid { size = 0.5, vertices = 9, normal = { 0, 1, 0 } }";
    for (first, other) in [
        (format!("rigid {{ {cube} }}"), format!("rigid {{ {cube}, translate = {{ 0, 0.2, 0 }} }}")),
        (
            format!("rigid {{ {cube} }}"),
            format!("rigid {{ {cube}, translate = {{ 0.05, 0.2, 0.03 }}, rotate = {{ 0, 20, 0 }} }}"),
        ),
        (format!("rigid {{ {cube} }}"), format!("cloth {{ {sheet}, translate = {{ 0, 0.1, 0 }} }}")),
        (format!("cloth {{ {sheet} }}"), format!("rigid {{ {cube}, translate = {{ 0, 0.1, 0 }} }}")),
        (
            format!("cloth {{ {sheet} }}"),
            "cloth { mesh = retake.mesh.grid { size = 0.4, vertices = 6, normal = { 0, 1, 0 } } }".to_owned(),
        ),
        (format!("soft {{ {jelly} }}"), format!("soft {{ {jelly}, translate = {{ 0, 0.2, 0 }} }}")),
        (format!("rigid {{ {cube} }}"), format!("soft {{ {jelly}, translate = {{ 0.03, 0.2, 0 }} }}")),
        (format!("cloth {{ {sheet} }}"), format!("soft {{ {jelly}, translate = {{ 0, 0.1, 0 }} }}")),
        (
            "rope { mesh = retake.mesh.rope { from = { 0, 0, 0 }, to = { 1, 0, 0 }, segments = 10 } }".to_owned(),
            "rope { mesh = retake.mesh.rope { from = { 1, 0, 0 }, to = { 2, 0, 0 }, segments = 10 } }".to_owned(),
        ),
        (
            format!("cloth {{ {sheet} }}"),
            "rope { mesh = retake.mesh.rope { from = { 0, 0, 0 }, to = { 0, -1, 0 }, segments = 10 } }".to_owned(),
        ),
        (
            "collider { mesh = retake.mesh.box { size = 0.1 } }".to_owned(),
            format!("rigid {{ {cube}, translate = {{ 0.01, 0.15, 0 }} }}"),
        ),
        (
            "collider { mesh = retake.mesh.box { size = 0.1 } }".to_owned(),
            format!("cloth {{ {sheet}, translate = {{ 0.01, 0.05, 0 }} }}"),
        ),
    ] {
        touching(&format!("shot:{first}\nshot:{other}"));
    }
}

#[test]
fn a_tower_of_touching_boxes_stands() {
    let (simulation, _, told) = touching(
        "shot:ground {}
        for i = 1, 6 do
          shot:rigid { name = \"box \" .. i, mesh = retake.mesh.box { size = 0.2 }, translate = { 0, 0.2 * i - 0.1, 0 } }
        end",
    );
    let BodyPose::Posed(top, _) = simulation.body(6) else { panic!("rigid") };
    assert!((1.1..1.103).contains(&top.y) && top.x.abs() + top.z.abs() < 2e-4, "{top}");
    assert!(!told.contains("crossing"), "{told}");
}

/// Two panels whose borders lie in one place, sewn together: the seam closes at its contact distance.
#[test]
fn panels_are_sewn_where_they_touch() {
    let text = "local shot_gravity = nil
        local a = shot:cloth { name = \"a\", mesh = retake.mesh.grid { size = 0.4, vertices = 9 } }
        local b = shot:cloth { name = \"b\", mesh = retake.mesh.grid { size = 0.4, vertices = 9 }, translate = { 0.4, 0, 0 } }
        shot:pin { points = a:edge \"left\" }
        shot:stitch { a = a:edge \"right\", b = b:edge \"left\", gap = \"close\" }";
    let (simulation, scene, told) = touching(text);
    assert!(told.contains("closer than its contact distance"), "{told}");
    let seam = |simulation: &Simulation| -> Vec<f64> {
        let places = [0, 1].map(|body| match simulation.body(body) {
            BodyPose::Deformed(places) => places.to_vec(),
            BodyPose::Posed(..) => panic!("not a cloth"),
        });
        (0..9).map(|row| places[0][9 * row + 8].distance(places[1][9 * row])).collect()
    };
    // Contact distance: the thickness and the skin.
    assert!(
        seam(&simulation).iter().all(|gap| (0.0018..0.0026).contains(gap)),
        "{:?}",
        seam(&simulation)
    );
    let mut goes_on = scripted::start(&scene);
    scripted::run(&mut goes_on, 4);
    assert!(seam(&goes_on).iter().all(|gap| (0.0018..0.003).contains(gap)), "{:?}", seam(&goes_on));
    // Panels of other counts touch between their vertices.
    touching(&text.replacen("vertices = 9 }, translate", "vertices = 6 }, translate", 1));
}

/// A sheet of a file whose seam has its vertices twice, and one with a vertex on another triangle's edge: both start,
/// and a message names the place and the remedy, which works.
#[test]
fn seams_of_files_are_drawn_apart_and_told() {
    let seam = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\n\
                f 1 2 3\nf 1 3 4\nf 5 6 7\nf 5 7 8\n";
    let junction = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\nv 1 0.5 0\n\
                    f 1 2 3\nf 1 3 4\nf 2 5 7\nf 7 5 6\nf 7 6 3\n";
    let folder = tempfile::tempdir().unwrap();
    let start = |text: &str, how: &str| {
        std::fs::write(folder.path().join("sheet.obj"), text).unwrap();
        let lua = format!(
            "{HEAD}shot:cloth {{ name = \"sheet\", mesh = retake.mesh.load(\"sheet.obj\"){how} }}"
        );
        let built = scripted::build_in(folder.path(), &lua);
        let scene = built.unwrap_or_else(|p| panic!("{}", shown(&p))).scene;
        let started = Simulation::start(&scene).unwrap_or_else(|p| panic!("{}", shown(&p)));
        assert_eq!(check_frame(&scene, &frame(&scene, &started.simulation)), []);
        let mut goes_on = scripted::start(&scene);
        scripted::run(&mut goes_on, 4);
        assert_eq!(check_frame(&scene, &frame(&scene, &goes_on)), []);
        shown(&started.warnings)
    };
    for text in [seam, junction] {
        let told = start(text, "");
        assert!(told.contains("`sheet` touches itself along its borders"), "{told}");
        assert!(told.contains("mesh:welded(0.0001)") && told.contains("one at { 1, "), "{told}");
    }
    assert_eq!(start(seam, ":welded(0.0001)"), "");
}

#[test]
fn what_crosses_is_refused_with_its_place() {
    let text = format!(
        "{HEAD}shot:cloth {{ name = \"lower\", mesh = {SHEET} }}
        shot:cloth {{ name = \"upper\", mesh = {SHEET}, translate = {{ 0.11, 0, 0.03 }}, rotate = {{ 0, 0, 90 }} }}"
    );
    let told = shown(&Simulation::start(&scripted::scene(&text)).err().expect("they cross"));
    assert!(told.contains("`lower` and `upper` cross at the start, at { 0.1"), "{told}");
    assert!(told.contains(" of `lower` and ") && told.contains("(counted from 0)"), "{told}");
    let folded = format!(
        "{HEAD}shot:cloth {{ name = \"sheet\", mesh = ({SHEET}):displaced(function(p) \
         return p.x > 0 and -0.9 * p.x or p.x, p.x > 0 and 0.6 * p.x - 0.05 or -0.2 * p.x, p.z end), translate = {{ 0, 1, 0 }} }}"
    );
    let told =
        shown(&Simulation::start(&scripted::scene(&folded)).err().expect("it crosses itself"));
    assert!(told.contains("`sheet` crosses itself at the start, at {"), "{told}");
    assert!(
        told.contains("of its mesh, triangles ") && told.contains("mend the mesh there"),
        "{told}"
    );
}

#[test]
fn far_from_the_origin_bodies_keep_farther_apart_and_are_told() {
    let told = |away: f64, size: f64| {
        let text = format!(
            "shot:cloth {{ name = \"sheet\", thickness = 0.002, translate = {{ 0, {away}, 0 }}, mesh = \
             retake.mesh.grid {{ size = {size}, vertices = {{ 5, 5 }}, normal = {{ 0, 1, 0 }} }} }}"
        );
        match Simulation::start(&scripted::scene(&format!("{HEAD}{text}"))) {
            Ok(started) => (true, shown(&started.warnings)),
            Err(refused) => (false, shown(&refused)),
        }
    };
    assert_eq!(told(100.0, 1.0), (true, String::new()));
    // 1.5 times 64 halves of a unit in the last place of single precision.
    let (starts, text) = told(1e4, 1.0);
    assert!(starts && text.contains("starts 10000 m from the origin"), "{text}");
    assert!(text.contains("keep 57.2 mm apart in place of 2.2 mm"), "{text}");
    assert!(text.contains("within 384 m of the origin"), "{text}");
    let (starts, text) = told(1e4, 0.2);
    assert!(!starts && text.contains("a quarter of the 200.0 mm of `sheet`"), "{text}");
}
