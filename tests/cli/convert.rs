//! Meshes between formats.

use crate::retake;
use retake::geometry::read::{MeshObjects, mesh_objects, read_beside};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A square whose two triangles have a seam of the picture between them, and a triangle beside it.
const MODEL: &str = "mtllib set.mtl\no Left Shoe\n\
    v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n\
    vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.25 0.5\n\
    usemtl hide\nf 1/1 2/2 3/3\nf 1/5 3/3 4/4\n\
    o lace\nv 2 0 0.1\nv 3 0 0.1\nv 2 1 0.1\nf 5 6 7\n";
const MATERIALS: &str = "newmtl hide\nKd 0.5 0.25 0.125\nd 0.5\nPr 0.375\nPm 1\nmap_Kd hide.png\n";

fn model(folder: &Path) {
    fs::write(folder.join("set.obj"), MODEL).unwrap();
    fs::write(folder.join("set.mtl"), MATERIALS).unwrap();
}

fn read(path: &Path) -> MeshObjects {
    let name = path.display().to_string();
    mesh_objects(path, &name, &|n| read_beside(path, n)).unwrap()
}

fn convert(folder: &Path, from: &str, to: &str) -> String {
    let done = retake(folder).args(["convert", from, to]).assert().code(0);
    String::from_utf8_lossy(&done.get_output().stdout).into_owned()
}

fn refused(folder: &Path, from: &str, to: &str) -> String {
    let ended = retake(folder).args(["convert", from, to]).assert().code(2);
    String::from_utf8_lossy(&ended.get_output().stderr).into_owned()
}

#[test]
fn objects_uvs_and_materials_go_through_every_format_that_has_them() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    model(path);
    let original = read(&path.join("set.obj"));
    for ending in ["obj", "glb", "gltf", "usdc"] {
        let to = format!("out.{ending}");
        let said = convert(path, "set.obj", &to);
        let expected =
            format!("{to}: 2 objects, 7 vertices, 3 faces; left out: 1 material's pictures");
        assert!(said.starts_with(&expected), "{said}");
        let there = read(&path.join(&to));
        assert_eq!(there.objects.len(), 2, "{ending}");
        for (there, object) in there.objects.iter().zip(&original.objects) {
            let name = |name: &str| name.replace([' ', '_'], "");
            assert_eq!(name(&there.name), name(&object.name), "{ending}");
            assert_eq!(there.mesh.triangles.len(), object.mesh.triangles.len());
            for t in 0..object.mesh.triangles.len() {
                let corners = |m: &retake::geometry::TriMesh| {
                    m.triangles[t].map(|i| m.positions[i as usize].as_vec3())
                };
                assert_eq!(corners(&there.mesh), corners(&object.mesh), "{ending}");
                assert_eq!(there.mesh.corner_uvs(t), object.mesh.corner_uvs(t), "{ending}");
            }
        }
        let paint = there.objects[0].paint.unwrap();
        assert_eq!(paint.color, [0.5, 0.25, 0.125], "{ending}");
        assert_eq!(paint.opacity, 0.5, "{ending}");
        if ending != "usdc" {
            assert_eq!((paint.roughness, paint.metallic), (Some(0.375), Some(1.0)), "{ending}");
            assert_eq!(there.objects[1].paint, None, "{ending}");
        }
    }
    // Equal files from equal files, and of its own as well.
    let bytes = fs::read(path.join("out.glb")).unwrap();
    convert(path, "set.obj", "out.glb");
    assert!(bytes == fs::read(path.join("out.glb")).unwrap());
    convert(path, "out.glb", "again.obj");
    assert_eq!(
        read(&path.join("again.obj")).objects[0].paint,
        read(&path.join("out.glb")).objects[0].paint
    );
}

#[test]
fn what_a_format_has_no_place_for_is_said() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    model(path);
    let said = convert(path, "set.obj", "all.ply");
    for part in ["2 objects, 7 vertices, 3 faces", "which of 2 objects", "at 1 seams", "materials"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(read(&path.join("all.ply")).objects.len(), 1);
    let said = convert(path, "set.obj", "all.stl");
    assert!(said.contains("texture coordinates, materials"), "{said}");
    let stl = read(&path.join("all.stl"));
    let names: Vec<&str> = stl.objects.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["Left Shoe", "lace"]);
    assert_eq!(stl.objects[0].mesh.positions.len(), 4, "a cloth must not fall apart");
    convert(path, "all.ply", "one.stl");
    assert_eq!(fs::metadata(path.join("one.stl")).unwrap().len(), 84 + 3 * 50);

    // Maps and colours of vertices.
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
        property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n\
        property float wear\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
        0 0 0 255 0 0 0.5\n1 0 0 0 255 0 0.25\n0 1 0 0 0 255 1\n3 0 1 2\n";
    fs::write(path.join("mapped.ply"), ply).unwrap();
    let said = convert(path, "mapped.ply", "mapped.glb");
    assert_eq!(said, "mapped.glb: 1 object, 3 vertices, 1 face\n");
    let there = read(&path.join("mapped.glb"));
    assert_eq!(there.objects[0].mesh.maps["wear"], [0.5, 0.25, 1.0]);
    let glb = fs::read(path.join("mapped.glb")).unwrap();
    assert!(String::from_utf8_lossy(&glb).contains("COLOR_0"));
    let said = convert(path, "mapped.ply", "mapped.obj");
    assert!(said.contains("left out: maps (blue, green, red, wear)"), "{said}");
    assert!(!path.join("mapped.mtl").exists(), "no material is made up");

    // Tetrahedra become their surface.
    let msh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n\
        $Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n";
    fs::write(path.join("tet.msh"), msh).unwrap();
    let said = convert(path, "tet.msh", "tet.obj");
    assert_eq!(said, "tet.obj: 1 object, 4 vertices, 4 faces; left out: 1 tetrahedron\n");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    model(path);
    let before = fs::read(path.join("set.obj")).unwrap();
    let said = refused(path, "set.obj", "set.obj");
    assert!(said.contains("would be written over"), "{said}");
    // The materials of the input, under another name of the output.
    fs::write(path.join("other.obj"), MODEL).unwrap();
    let said = refused(path, "other.obj", "set.obj");
    assert!(said.contains("set.mtl") && said.contains("would be written over"), "{said}");
    assert_eq!(before, fs::read(path.join("set.obj")).unwrap());
    for (from, to, expected) in [
        ("set.obj", "out.gltff", "did you mean .gltf?"),
        ("set.obj", "out.usda", "did you mean .usd"),
        ("set.obj", "out", "the name must end in"),
        ("set.objj", "out.glb", "did you mean .obj?"),
        ("set.obj", "out.lua", "no script can be made of it"),
        ("nowhere.obj", "out.glb", "cannot be read"),
    ] {
        let said = refused(path, from, to);
        assert!(said.contains(expected), "{from} {to}: {said}");
        assert!(!path.join(to).exists());
    }
    let ended = retake(path).args(["convert", "set.obj", "b.glb", "--set", "a=1"]).assert().code(2);
    let said = String::from_utf8_lossy(&ended.get_output().stderr).into_owned();
    assert!(said.contains("FLEX3D"), "{said}");
}
