//! FLEX3D scripts as Lua scripts.

use crate::{PRINTED, advance, build_in, places, printed, printed_folder, shown, start};
use retake::director::{self, Built, Defaults, Request, convert_par};
use retake::scene::Scene;
use std::collections::BTreeMap;
use std::path::Path;
use tempfile::TempDir;

fn request<'a>(script: &'a Path, root: &'a Path, parameters: &'a crate::Parameters) -> Request<'a> {
    Request { script, root, assets: &[], parameters, defaults: Defaults::default() }
}

/// The scene of the Lua script that `name` becomes, and that of itself.
fn both(folder: &Path, name: &str, set: &[(&str, &str)]) -> (Scene, Scene) {
    let parameters: crate::Parameters =
        set.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
    let par = folder.join(format!("{name}.par"));
    let real = folder.canonicalize().unwrap();
    let (text, _) = match convert_par(&request(&par, folder, &parameters), &[real]) {
        Ok(converted) => converted,
        Err(problems) => panic!("{}", shown(&problems)),
    };
    let lua = folder.join(format!("{name}.lua"));
    std::fs::write(&lua, &text).unwrap();
    let none = BTreeMap::new();
    let Built { scene, .. } = match director::build(&request(&lua, folder, &none)) {
        Ok(built) => built,
        Err(problems) => panic!("{}\n{text}", shown(&problems)),
    };
    let own = build_in(folder, &format!("{name}.par"), set).unwrap().scene;
    (own, scene)
}

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    for name in PRINTED {
        std::fs::write(folder.path().join(format!("{name}.par")), printed(name)).unwrap();
    }
    std::fs::copy(printed_folder().join("mesa.obt"), folder.path().join("mesa.obt")).unwrap();
    folder
}

#[test]
fn frames_are_equal_to_the_bit() {
    let folder = folder();
    for name in PRINTED {
        let (own, lua) = both(folder.path(), name, &[("gravity", "9.8")]);
        assert_eq!((own.timing.clone(), &own.name), (lua.timing.clone(), &lua.name), "{name}");
        assert_eq!(own.meshes, lua.meshes, "{name}");
        assert_eq!((&own.solver, &own.output), (&lua.solver, &lua.output), "{name}");
        let (mut a, mut b) = (start(&own), start(&lua));
        for _ in 0..2 {
            advance(&mut a);
            advance(&mut b);
            for body in (0..own.bodies.len()).filter(|i| own.bodies[*i].cloth().is_some()) {
                assert_eq!(places(&a, body), places(&b, body), "{name}");
            }
        }
    }
}

#[test]
fn the_modern_model_is_the_same_scene() {
    let folder = folder();
    for name in PRINTED {
        let (own, lua) = both(folder.path(), name, &[("model", "modern"), ("gravity", "1.5")]);
        let kinds = |scene: &Scene| {
            scene.bodies.iter().map(|b| (b.name.clone(), b.kind.clone())).collect::<Vec<_>>()
        };
        assert_eq!(kinds(&own), kinds(&lua), "{name}");
        let forces = |scene: &Scene| {
            let parts =
                scene.forces.iter().map(|f| (f.name.clone(), f.bodies.clone(), f.kind.clone()));
            parts.collect::<Vec<_>>()
        };
        assert_eq!(forces(&own), forces(&lua), "{name}");
        let kinds = |scene: &Scene| {
            scene.constraints.iter().map(|c| (c.name.clone(), c.kind.clone())).collect::<Vec<_>>()
        };
        assert_eq!(kinds(&own), kinds(&lua), "{name}");
        assert_eq!((own.solver, own.gravity), (lua.solver, lua.gravity), "{name}");
    }
}
