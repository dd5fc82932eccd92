//! What calls make.

use crate::{HEAD, Project, build, problem, scene, shown};
use retake::scene::{BodyKind, ConstraintKind, VertexMap};

#[test]
fn selections_join_and_subtract() {
    let script = format!(
        "{HEAD}local function n(p) print(p:count()) end\nn(cloth:edge \"top\" + cloth:edge \
         \"left\")\nn(cloth:all() - cloth:row(0))\nn(cloth:corner \"bottom-right\")\nn(cloth:at(1, \
         2) + cloth:nearest{{ 0.5, 0.5, 0 }})\nn(cloth:where(function(p) return p.y > 0 \
         end))\nn(cloth:inside{{ {{ -1, -1, -1 }}, {{ 0, 0, 1 }} }})\nn(cloth:column(4) - \
         cloth:edge \"right\")\nprint(cloth, cloth:point{{ 0.1, 0.1, 1 }})\nreturn shot"
    );
    let built = build(&script).ok().unwrap();
    assert_eq!(
        built.printed,
        ["9", "20", "1", "2", "10", "9", "0", "body cape\tplace {0.1, 0.1, 0} on cape"]
    );
}

#[test]
fn stitches_pair_in_order_or_to_the_nearest_place() {
    let script = format!(
        "{HEAD}local fine = shot:cloth{{ name = \"fine\", mesh = retake.mesh.grid{{ vertices = {{ \
         5, 9 }} }}, translate = {{ 1, 0, 0 }} }}\nshot:stitch{{ a = cloth:edge \"right\", b = \
         fine:edge \"left\" }}\nshot:stitch{{ a = cloth:edge \"top\", b = fine:edge \"top\" \
         }}\nshot:stitch{{ a = cloth:point{{ 0, 0, 0 }}, b = fine:corner \"top-left\" }}\nreturn \
         shot"
    );
    let scene = scene(&script);
    let pairs = |i: usize| match &scene.constraints[i].kind {
        ConstraintKind::Stitch { pairs, .. } => pairs.clone(),
        _ => panic!("no stitch"),
    };
    assert_eq!(pairs(0).len(), 9);
    assert_eq!(pairs(0)[0].a.vertices[0], 4);
    let halfway = &pairs(0)[1].a;
    assert_eq!((halfway.vertices[0], halfway.vertices[1]), (4, 9));
    assert!((halfway.weights[0] - 0.5).abs() < 1e-12);
    assert_eq!(pairs(1).len(), 5);
    assert_eq!(pairs(2).len(), 1);
}

#[test]
fn points_are_released_apart() {
    let script = format!(
        "{HEAD}local rail = shot:pin{{ points = cloth:edge \"top\", weight = function(p) return \
         0.5 + p.x end }}\nrail:release{{ at = 0.4, points = cloth:corner \"top-left\" \
         }}\nrail:translate{{ starts = 0, ends = 1, by = {{ 0, 1, 0 }} }}\nrail:release{{ at = 0.8 \
         }}\nreturn shot"
    );
    let scene = scene(&script);
    assert_eq!(scene.constraints.len(), 2);
    let points = |i: usize| match &scene.constraints[i].kind {
        ConstraintKind::Pin { points, motion } => (points[0].vertices.clone(), motion.moves.len()),
        _ => panic!("no pin"),
    };
    assert_eq!(points(0), (vec![1, 2, 3, 4], 1));
    assert_eq!(points(1), (vec![0], 1));
    assert_eq!((scene.constraints[0].ends, scene.constraints[1].ends), (Some(0.8), Some(0.4)));
    let weights = [&scene.constraints[0].weight, &scene.constraints[1].weight];
    assert!(matches!(weights[0], Some(VertexMap::PerVertex(w)) if w.len() == 4));
    assert!(matches!(weights[1], Some(VertexMap::PerVertex(w)) if w.len() == 1));
}

#[test]
fn values_over_time_and_space_become_data() {
    let script = "local retake = require 'retake'
local shot = retake.shot{ name = 'a', duration = 1, preroll = 0.5, curve_rate = 10, speed = 0.5 }
local cloth = shot:cloth{
  mesh = retake.mesh.grid{ size = 2, vertices = { 3, 3 } },
  translate = { 0, 5, 0 },
  shrink = function(p) return 1 - 0.1 * p end,
  friction = function(p) return p.y end,
  thickness = { 1e-3, 1e-3, 1e-3, 2e-3, 2e-3, 2e-3, 3e-3, 3e-3, 3e-3 },
  material = retake.material.membrane{ young = function(p) return 1000 + p.u end, bend = 1e-5 },
}
local mover = shot:collider{
  mesh = retake.mesh.sphere{},
  translate = function(t) return { t, 10, 0 } end,
  rotate = retake.keys{ { 0, { 0, 0, 0 } }, { 1, { 0, 90, 0 }, ease = 'linear' }, loop = true },
}
shot:pin{ points = cloth:edge 'top', scale = function(t) return 1 - 0.1 * t end }
return shot";
    let scene = scene(script);
    let BodyKind::Cloth(cloth) = &scene.bodies[0].kind else { panic!("no cloth") };
    assert!((cloth.shrink.at(0, 0.3) - 0.97).abs() < 1e-9);
    assert!((cloth.shrink.at(0, -0.5) - 1.05).abs() < 1e-9);
    // One second of film at half speed, after half a second of preroll, ten samples a second.
    let retake::math::Curve::Samples { start, values, .. } = &scene.bodies[1].translate else {
        panic!("not sampled")
    };
    assert_eq!((*start, values.len()), (-0.5, 11));
    assert_eq!(scene.bodies[1].rotate.at(1.5).y, 45.0);
    assert_eq!(scene.bodies[0].friction.as_ref().unwrap().at(0), 6.0);
    assert_eq!(scene.bodies[0].thickness.as_ref().unwrap().at(8), 3e-3);
    let material = cloth.material.membrane().unwrap();
    assert!(material.young.at(2) > material.young.at(0));
    assert_eq!(material.young_weft, material.young);
    assert_eq!(material.bend_weft, VertexMap::Uniform(1e-5));
}

#[test]
fn large_meshes_with_functions_build_quickly() {
    let script = "local retake = require 'retake'
local shot = retake.shot{ name = 'a', duration = 1 }
local mesh = retake.mesh.grid{ size = 2, vertices = { 320, 320 } }:displaced(function(p)
  return p.x, p.y, 0.1 * math.sin(9 * p.x)
end)
local cloth = shot:cloth{ mesh = mesh, friction = function(p) return p.u end }
shot:pin{ points = cloth:where(function(p) return p.y > 0.99 end) }
return shot";
    let begin = std::time::Instant::now();
    assert_eq!(scene(script).meshes[0].positions.len(), 102_400);
    let seconds = begin.elapsed().as_secs_f64();
    assert!(seconds < 20.0, "it took {seconds} s");
}

#[test]
fn maps_of_files_are_read_by_name() {
    let project = Project::new();
    project.write(
        "cape.ply",
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty \
         float z\nproperty float hem\nelement face 2\nproperty list uchar int \
         vertex_indices\nend_header\n0 0 0 1\n1 0 0 0.8\n1 1 0 0.2\n0 1 0 0\n3 0 1 2\n3 0 2 3\n",
    );
    project.write(
        "shot.lua",
        "local retake = require 'retake'\nlocal shot = retake.shot{ name = 'a', duration = 1 \
         }\nlocal mesh = retake.mesh.load('cape.ply', { scale = 2 })\nlocal cape = shot:cloth{ mesh \
         = mesh, friction = mesh:map 'hem' }\nshot:pin{ points = cape:group 'hem', weight = \
         mesh:map 'hem' }\nprint(pcall(mesh.map, mesh, 'hen'))\nreturn shot",
    );
    let built = project.build("shot.lua").unwrap_or_else(|p| panic!("{}", shown(&p)));
    let friction = built.scene.bodies[0].friction.as_ref().unwrap();
    assert!((friction.at(1) - 0.8).abs() < 1e-6);
    let ConstraintKind::Pin { points, .. } = &built.scene.constraints[0].kind else { panic!() };
    assert_eq!(points[0].vertices, [0, 1]);
    assert!(
        matches!(&built.scene.constraints[0].weight, Some(VertexMap::PerVertex(w)) if w.len() == 2)
    );
    assert!(built.printed[0].contains("did you mean \"hem\"?"), "{:?}", built.printed);
}

#[test]
fn groups_and_lists_stand_for_bodies() {
    let script = "local retake = require 'retake'
local shot = retake.shot{ name = 'a', duration = 1 }
local mesh = retake.mesh.grid{ size = 1, vertices = 3 }
local a = shot:cloth{ name = 'a', mesh = mesh, group = 'wardrobe/cape' }
local b = shot:cloth{ name = 'b', mesh = mesh, group = 'wardrobe', translate = { 0, 2, 0 } }
local c = shot:cloth{ name = 'c', mesh = mesh, translate = { 0, 4, 0 } }
shot:drag{ linear = 0.1, bodies = 'wardrobe' }
shot:drag{ linear = 0.1, bodies = { c, 'wardrobe/cape', 'a' } }
local floor = shot:ground{ height = -3, group = 'set/floors' }
shot:contact{ a = { 'wardrobe/cape', c }, b = 'set', friction = 0.1 }
return shot";
    let scene = scene(script);
    assert_eq!(scene.meshes.len(), 2);
    let bodies = |i: usize| scene.forces[i].bodies.clone().unwrap();
    assert_eq!((bodies(0), bodies(1)), (vec![0, 1], vec![0, 2]));
    assert_eq!(scene.forces[1].name, "drag 2");
    assert_eq!(scene.bodies[3].groups().collect::<Vec<_>>(), ["set", "set/floors"]);
    let pair = &scene.contact_pairs[0];
    assert_eq!((&pair.a[..], &pair.b[..]), (&[0, 2][..], &[3][..]));
}

#[test]
fn doubtful_scenes_are_built_with_warnings() {
    let script = format!(
        "{HEAD}shot:pin{{ points = cloth:edge \"top\" }}\nshot:pin{{ points = cloth:edge \"left\" \
         }}\nshot:pin{{ points = cloth:corner \"bottom-right\", starts = 9 }}\nreturn shot"
    );
    let built = build(&script).ok().unwrap();
    assert_eq!(
        shown(&built.warnings),
        "shot.lua:7: `pin 3` starts after the shot has ended, at 1 s\nshot.lua:6: `pin 1` and `pin \
         2` hold the same vertex 0 of `cape` (counted from 0); take it out of one of them; `pin 1` \
         is made at shot.lua:5"
    );
}

#[test]
fn scenes_are_checked_whoever_wrote_them() {
    let good = scene(&format!("{HEAD}shot:pin{{ points = cloth:edge \"top\" }}\nreturn shot"));
    assert!(good.validate().is_empty());
    let faults = |change: &dyn Fn(&mut retake::scene::Scene)| {
        let mut scene = good.clone();
        change(&mut scene);
        shown(&scene.validate())
    };
    assert!(
        faults(&|s| s.bodies.push(s.bodies[0].clone())).contains("two bodies are called `cape`")
    );
    assert!(faults(&|s| s.meshes[0].positions[3].x = f64::NAN).contains("vertex 3"));
    assert!(faults(&|s| s.meshes[0].triangles[0][1] = 99).contains("triangle 0"));
    assert!(faults(&|s| s.meshes[0].triangles.clear()).contains("has no triangles"));
    assert!(faults(&|s| s.bodies[0].mesh = 7).contains("has the mesh 7 of 1"));
    let flat = |s: &mut retake::scene::Scene| {
        s.meshes[0].positions.iter_mut().for_each(|p| *p = glam::DVec3::ZERO);
    };
    assert!(faults(&flat).contains("has no area"));
    let loose = |s: &mut retake::scene::Scene| {
        s.meshes[0].positions.push(glam::DVec3::ONE);
        s.meshes[0].uvs.clear();
    };
    assert!(faults(&loose).contains("vertex 25 of `cape` (counted from 0) is in no triangle"));
    let empty = |s: &mut retake::scene::Scene| {
        if let ConstraintKind::Pin { points, .. } = &mut s.constraints[0].kind {
            points.clear();
        }
    };
    assert!(faults(&empty).contains("`pin 1` has no points"));
    let beyond = |s: &mut retake::scene::Scene| {
        if let ConstraintKind::Pin { points, .. } = &mut s.constraints[0].kind {
            points[0].vertices.push(99);
        }
    };
    assert!(faults(&beyond).contains("names vertex 99"));
    assert!(faults(&|s| s.bodies[0].kind = BodyKind::Collider).contains("a collider"));
    let still = |s: &mut retake::scene::Scene| {
        s.gravity = retake::math::Curve::Samples { rate: 24.0, start: 0.0, values: Vec::new() };
    };
    assert!(faults(&still).contains("`gravity` of the shot has no samples"));
}

/// Things that are scattered keep their gap and lie inside; where they do not fit, the error says how many do.
#[test]
fn scattered_things_do_not_touch() {
    let text = "
        local retake = require 'retake'
        local shot = retake.shot{ name = 'x', duration = 1 }
        local ball = retake.mesh.sphere{ radius = 0.1, center = { 3, 0, 0 } }
        local room = retake.mesh.sphere{ radius = 0.6 }
        local function check(toys, inside)
          for i, a in ipairs(toys) do
            local function middle(t) return t.mesh:moved{ scale = t.scale, rotate = t.rotate, translate = t.translate } end
            local p = middle(a):closest(a.translate)
            local low, high = middle(a):bounds()
            local c = { (low[1] + high[1]) / 2, (low[2] + high[2]) / 2, (low[3] + high[3]) / 2 }
            assert(inside(c, 0.1 * a.scale))
            for j = 1, i - 1 do
              local l, h = middle(toys[j]):bounds()
              local d = 0
              for k = 1, 3 do d = d + ((l[k] + h[k]) / 2 - c[k]) ^ 2 end
              assert(math.sqrt(d) > 0.1 * (a.scale + toys[j].scale) + 0.05 - 1e-3, 'too near')
            end
          end
        end
        check(retake.scatter{ meshes = { ball }, count = 20, gap = 0.05, scale = { 0.8, 1.2 }, inside = { { 0, 0, 0 }, { 1, 1, 1 } } },
          function(c, r) for k = 1, 3 do if c[k] < r - 1e-3 or c[k] > 1 - r + 1e-3 then return false end end return true end)
        check(retake.scatter{ meshes = { ball }, count = 8, gap = 0.05, inside = room, turn = 'y' },
          function(c, r) return math.sqrt(c[1] ^ 2 + c[2] ^ 2 + c[3] ^ 2) < 0.6 - r + 1e-3 end)
        shot:collider{ mesh = ball }
        return shot";
    if let Err(problems) = build(text) {
        panic!("{}", shown(&problems));
    }
    let told = problem(
        "local retake = require 'retake'
        retake.scatter{ meshes = { retake.mesh.sphere{ radius = 0.3 } }, count = 30, inside = { { 0, 0, 0 }, { 1, 1, 1 } } }",
    );
    assert!(told.contains("of 30 fit into `inside`"), "{told}");
}

#[test]
fn vertices_of_a_file_that_are_in_no_triangle_are_told() {
    let project = Project::new();
    project.write("cape.obj", "v 0 0 0\nv 9 9 9\nv 1 0 0\nv 0 1 0\nf 1 3 4\n");
    let loaded = "local retake = require \"retake\"\nlocal shot = retake.shot { name = \"a\", duration = 1 }\n\
                  shot:cloth { mesh = retake.mesh.load \"cape.obj\" }\nreturn shot\n";
    project.write("shot.lua", loaded);
    let built = project.build("shot.lua").unwrap();
    let told: Vec<String> = built.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "shot.lua:3: `cape.obj`: vertices that are in no triangle are left out: 1; delete them in the \
          file too if point caches go back to where it came from"
        ]
    );
}
