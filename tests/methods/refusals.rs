//! What a wrong pair of method, body and setting is answered with.

use crate::scripted::{build, scene};

const SHEET: &str = "
  local shot = retake.shot{ name = \"r\", fps = 10, frames = 1 }
  local springs = retake.material.springs{ structural = 10, density = 1000, thickness = 1e-3 }
  local grid = retake.mesh.grid{ vertices = { 3, 3 } }\n";

fn refused(script: &str) -> String {
    match build(&format!("{SHEET}{script}")) {
        Err(problems) => problems,
        Ok(built) => {
            let found = built.scene.validate();
            assert!(!found.is_empty(), "accepted: {script}");
            found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        }
    }
}

#[test]
fn wrong_pairs_name_the_right_ones() {
    let said = refused(
        "shot:cloth{ name = \"c\", mesh = grid, material = springs }
         shot:solver{ method = \"shape_matching\" }",
    );
    assert!(said.contains("the method \"shape_matching\" does not move `c`, of springs"), "{said}");
    assert!(said.contains("\"auto\" or \"explicit_euler\" or"), "{said}");
    assert!(said.contains("\"rk4\" or \"rk45\"") && said.contains("\"bdf2\""), "{said}");
    let said = refused(
        "shot:cloth{ name = \"c\", mesh = grid }
         shot:solver{ method = \"rk4\", guard = \"off\" }",
    );
    assert!(said.contains("the method \"rk4\" does not move `c`, a membrane"), "{said}");
    assert!(said.contains("write method = \"auto\""), "{said}");
    assert!(said.contains("\"rk4\" moves material.springs and material.flex3d"), "{said}");
    let said = refused(
        "shot:cloth{ name = \"c\", mesh = grid, material = retake.material.flex3d{ point_mass = 1 } }
         shot:solver{ method = \"bdf2\", guard = \"off\" }",
    );
    assert!(said.contains("the method \"bdf2\" does not move `c`, of flex3d"), "{said}");
}

#[test]
fn settings_belong_to_their_methods() {
    let said = refused(
        "shot:cloth{ name = \"c\", mesh = grid, material = springs }
         shot:solver{ method = \"rk4\", guard = \"off\", force_change = 1 }",
    );
    assert!(said.contains("the method \"rk4\" has no `force_change`"), "{said}");
    assert!(said.contains("it belongs to \"verlet\""), "{said}");
    let said = refused(
        "shot:cloth{ name = \"c\", mesh = grid, material = springs }
         shot:solver{ method = \"verlet\" }",
    );
    assert!(said.contains("write guard = \"report\" or \"off\""), "{said}");
    let said = refused(
        "shot:cloth{ name = \"c\", mesh = retake.mesh.sphere{}, material = retake.material.flex3d{ kh = 1, kv = 1, kd = 1, point_mass = 1 } }
         shot:solver{ method = \"verlet\", guard = \"off\" }",
    );
    assert!(said.contains("`c` is of flex3d, and its mesh is no grid"), "{said}");
}

/// C-28: the printed factor of over-relaxation is the tolerance again, and does nothing.
#[test]
fn an_idle_relaxation_is_warned_about() {
    let scene = scene(&format!(
        "{SHEET}shot:cloth{{ name = \"c\", mesh = grid, material = springs }}
         shot:solver{{ method = \"implicit_sor\", guard = \"off\", relaxation = 0.001, fixed_step = 0.01 }}"
    ));
    let said: Vec<String> = scene.validate().iter().map(ToString::to_string).collect();
    assert!(said.join("\n").contains("`relaxation` = 0.001 hardly moves"), "{said:?}");
}

#[test]
fn a_step_that_is_too_long_says_so() {
    let scene = scene(&format!(
        "{SHEET}local cloth = shot:cloth{{ name = \"c\", mesh = grid, material = springs, shrink = 0.5 }}
         springs.structural = 1e9
         shot:solver{{ method = \"explicit_euler\", guard = \"off\", fixed_step = 0.01 }}"
    ));
    let mut scene = scene;
    let retake::scene::BodyKind::Cloth(cloth) = &mut scene.bodies[0].kind else {
        panic!("a cloth")
    };
    let retake::scene::ClothMaterial::Springs(springs) = &mut cloth.material else {
        panic!("springs")
    };
    springs.structural = retake::scene::VertexMap::Uniform(1e9);
    let mut simulation = crate::scripted::start(&scene);
    let quiet = std::sync::atomic::AtomicBool::new(false);
    let said = (0..50).find_map(|_| simulation.advance(&[], &quiet).err()).expect("it blows up");
    assert!(format!("{said:?}").contains("is too long for these springs"), "{said:?}");
}
