//! Cameras of stages.

use crate::files::{build, plank, try_build};
use glam::DVec3;
use tempfile::TempDir;

/// It pans 2 m along x in a second, tilted to its side by 30 degrees, and sees 0.6 rad of height.
#[test]
fn a_camera_moves_and_sees_as_the_file_says() {
    let folder = TempDir::new().unwrap();
    plank(folder.path());
    let text = "shot:camera { name = 'cam', from = set, object = 'ShotCam' }\n\
                shot:collider { name = 'a', from = set, object = 'Plank' }";
    let scene = build(&folder, "plank.gltf", "", text);
    let camera = &scene.cameras[0];
    let up = DVec3::new(-0.5, 0.75f64.sqrt(), 0.0);
    for (t, x) in [(0.0, 0.0), (0.5, 1.0), (4.0, 2.0)] {
        let sight = camera.sight_at(t);
        let place = DVec3::new(x, 1.0, 5.0);
        assert!(sight.position.distance(place) < 1e-6, "{sight:?}");
        assert!((sight.look_at - sight.position).distance(DVec3::NEG_Z) < 1e-6, "{sight:?}");
        assert!(sight.up.distance(up) < 1e-6, "{sight:?}");
    }
    // 36 mm of sensor along a picture of 16 : 9.
    let lens = 18.0 * (9.0 / 16.0) / libm::tan(0.3);
    assert!((camera.lens.at(0.0) - lens).abs() < 1e-4, "{} {lens}", camera.lens.at(0.0));
}

#[test]
fn the_clip_of_a_camera_may_be_named_and_timed() {
    let folder = TempDir::new().unwrap();
    plank(folder.path());
    let body = "shot:collider { name = 'a', from = set, object = 'Plank' }";
    let text = format!(
        "shot:camera {{ from = set, object = 'ShotCam', clip = 'Pan', clip_start = 1, clip_speed = 0.5, lens = 20 }}\n{body}"
    );
    let camera = &build(&folder, "plank.gltf", "", &text).cameras[0];
    assert!((camera.sight_at(2.0).position.x - 1.0).abs() < 1e-6);
    assert_eq!(camera.lens.at(0.0), 20.0);
    for (keys, expected) in [
        ("object = 'ShotCam', clip = 'Go'", "the clip `Go` does not move `ShotCam`"),
        ("object = 'Plank'", "`plank.gltf` has no camera called `Plank`"),
        ("object = 'ShotCam', position = { 0, 0, 1 }", "camera has both `position` and `from`"),
        ("object = 'ShotCam', fstop = 2", "`fstop` of a camera of a stage needs `focus`"),
    ] {
        let text = format!("shot:camera {{ from = set, {keys} }}\n{body}");
        let told = try_build(&folder, "plank.gltf", "", &text).err().expect("it is wrong");
        assert!(told.contains(expected) && told.contains("shot.lua:4"), "{told}");
    }
    let told =
        try_build(&folder, "plank.gltf", "", &format!("shot:camera {{ lens = 20 }}\n{body}"));
    let told = told.err().expect("it is wrong");
    assert!(told.contains("camera needs `position`; or `from` and `object`"), "{told}");
}
