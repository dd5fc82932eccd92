//! Mesh files: what is read from them, and what is said of those that cannot be read.

use glam::{DVec2, DVec3};
use proptest::prelude::*;
use retake::diagnostics::Diagnostic;
use retake::geometry::TriMesh;
use retake::geometry::read::{LoadOptions, MeshFormat, from_bytes, load, objects};

fn read(name: &str, bytes: impl AsRef<[u8]>) -> Result<TriMesh, Diagnostic> {
    read_object(name, bytes, None)
}

fn read_object(
    name: &str,
    bytes: impl AsRef<[u8]>,
    object: Option<&str>,
) -> Result<TriMesh, Diagnostic> {
    let options = LoadOptions { object: object.map(str::to_owned), scale: 1.0 };
    let format = MeshFormat::of(name)?;
    from_bytes(format, bytes.as_ref(), name, &options, &|n| match n {
        "quad.bin" => Ok(quad_bin()),
        _ => Err(std::io::Error::other("there is no such file")),
    })
}

fn told(result: Result<TriMesh, Diagnostic>) -> String {
    result.unwrap_err().to_string()
}

const OBJ: &str = "\
# two sheets that share an edge
mtllib a file.mtl
o Left sheet
v 0 0 0
v 1 0 0 # a remark
v 1 1 0
v 0 1 0
vt 0 0
vt 1 0
vt 1 1
vt 0.25
usemtl red
f 1/1 2/2 3/3 4/4
o Right
v 2 0 0
v 2 1 0
v 9 9 9
l 1 2
f 2/1/1 -3 6 3/2
";

#[test]
fn obj_keeps_vertex_order_cuts_polygons_and_drops_what_is_unused() {
    let mesh = read("a.obj", OBJ).unwrap();
    assert_eq!(mesh.positions.len(), 6);
    assert_eq!(mesh.positions[4], DVec3::new(2.0, 0.0, 0.0));
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]]);
    assert_eq!(mesh.uvs[1], DVec2::new(1.0, 0.0), "the first texture coordinate counts");
    assert_eq!(mesh.uvs[3], DVec2::new(0.25, 0.0));
}

#[test]
fn objects_are_chosen_by_name() {
    let mesh = read_object("a.obj", OBJ, Some("Right")).unwrap();
    assert_eq!(mesh.positions.len(), 4);
    assert_eq!(mesh.positions[0], DVec3::X);
    assert_eq!(
        told(read_object("a.obj", OBJ, Some("Rigth"))),
        "a.obj: the file has no object `Rigth`; did you mean `Right`? It has: Left sheet, Right"
    );
    let grouped = OBJ.replace("o ", "g ");
    assert_eq!(read_object("a.obj", grouped, Some("Left sheet")).unwrap().triangles.len(), 2);
}

#[test]
fn obj_mistakes_are_told_with_their_lines() {
    let face = |line: &str| format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n\n{line}\n");
    assert_eq!(told(read("a.obj", face("f 1 2 7"))), "a.obj:5: the face names vertex 7 of 3");
    assert_eq!(
        told(read("a.obj", face("f 1 2 -7"))),
        "a.obj:5: the face names vertex before the first of 3"
    );
    assert!(told(read("a.obj", face("f 1 2 0"))).starts_with("a.obj:5: a face names vertex 0"));
    assert_eq!(told(read("a.obj", face("f 1 2 x"))), "a.obj:5: `x` is no corner of a face");
    assert_eq!(told(read("a.obj", face("f 1 2"))), "a.obj:5: a face has 2 corners");
    assert_eq!(
        told(read("a.obj", face("v 1 2"))),
        "a.obj:5: a coordinate is missing or is no number"
    );
    assert!(told(read("a.obj", face("v 1 2 nan"))).starts_with("a.obj:5: a vertex has"));
    assert_eq!(told(read("a.obj", face(""))), "a.obj: the file holds no triangles");
    let continued = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 \\\n 2 \\\n 3\nf 1 2 9\n";
    assert!(told(read("a.obj", continued)).starts_with("a.obj:7:"));
    assert!(told(read("a.fbx", "")).contains("must end in .obj"));
    assert!(told(read("a.usdc", "")).contains("no valid USD"));
}

#[test]
fn bent_and_concave_polygons_keep_their_area() {
    let arrow = "v 0 0 0\nv 4 -3 0\nv 1 0 0\nv 4 3 0\nf 1 2 3 4\n";
    let star = "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 3 4 0\nv 3 1 0\nv 1 1 0\nv 1 4 0\nv 0 4 0\nf 1 2 3 4 5 6 7 8\n";
    for (text, area, count) in [(arrow, 3.0, 2), (star, 10.0, 6)] {
        let mesh = read("a.obj", text).unwrap();
        let p = |i: u32| mesh.positions[i as usize];
        let parts: Vec<f64> = mesh
            .triangles
            .iter()
            .map(|t| (p(t[1]) - p(t[0])).cross(p(t[2]) - p(t[0])).z / 2.0)
            .collect();
        assert_eq!(parts.len(), count);
        assert!(parts.iter().all(|a| *a >= 0.0), "{parts:?}");
        assert!((parts.iter().sum::<f64>() - area).abs() < 1e-12);
    }
}

const PLY: &str = "\
ply
format ascii 1.0
comment made by hand
element vertex 4
property float x
property float y
property float z
property float s
property float t
property uchar red
property float hem
element face 1
property list uchar int vertex_indices
end_header
0 0 0 0 0 255 0
1 0 0 1 0 0 0.5
1 1 0 1 1 0 1
0 1 0 0 1 51 0
4 0 1 2 3
";

fn binary_ply(big: bool) -> Vec<u8> {
    let mut bytes = PLY[..PLY.find("0 0 0 0 0 255").unwrap()].to_owned();
    let name = if big { "binary_big_endian" } else { "binary_little_endian" };
    bytes = bytes.replace("ascii", name);
    let mut bytes = bytes.into_bytes();
    let float = |bytes: &mut Vec<u8>, x: f32| {
        bytes.extend(if big { x.to_be_bytes() } else { x.to_le_bytes() });
    };
    for (p, red, hem) in
        [([0.0, 0.0], 255, 0.0), ([1.0, 0.0], 0, 0.5), ([1.0, 1.0], 0, 1.0), ([0.0, 1.0], 51, 0.0)]
    {
        for x in [p[0], p[1], 0.0, p[0], p[1]] {
            float(&mut bytes, x);
        }
        bytes.push(red);
        float(&mut bytes, hem);
    }
    bytes.push(4);
    for i in 0..4_i32 {
        bytes.extend(if big { i.to_be_bytes() } else { i.to_le_bytes() });
    }
    bytes
}

#[test]
fn ply_is_the_same_in_all_three_encodings() {
    let mesh = read("a.ply", PLY).unwrap();
    assert_eq!(mesh.triangles.len(), 2);
    assert_eq!(mesh.maps["hem"], [0.0, 0.5, 1.0, 0.0]);
    assert_eq!(mesh.maps["red"], [1.0, 0.0, 0.0, 0.2]);
    assert_eq!(mesh.uvs[2], DVec2::ONE);
    assert_eq!(read("a.ply", binary_ply(false)).unwrap(), mesh);
    assert_eq!(read("a.ply", binary_ply(true)).unwrap(), mesh);
}

#[test]
fn ply_mistakes_are_told() {
    let change = |from: &str, to: &str| told(read("a.ply", PLY.replace(from, to)));
    assert_eq!(change("4 0 1 2 3", "4 0 1 2 4"), "a.ply:19: a face names vertex 4 of 4");
    assert_eq!(change("1 1 0 1 1 0 1", "1 1 0 x 1 0 1"), "a.ply:17: `x` is no number");
    assert_eq!(change("4 0 1 2 3", "4 0 1"), "a.ply:20: the file ends early");
    assert_eq!(
        change("property float y", "property int64 y"),
        "a.ply:6: unknown property `property int64 y`"
    );
    assert_eq!(change("end_header", "comment"), "a.ply:15: unknown header line `0 0 0 0 0 255 0`");
    assert!(change("float hem", "list uchar float y2").contains("a.ply:"));
    let short = binary_ply(false);
    assert_eq!(told(read("a.ply", &short[..short.len() - 3])), "a.ply: the file ends early");
    let huge = PLY.replace("element face 1", "element face 999999999999");
    assert!(told(read("a.ply", huge)).contains("ends early"));
}

const STL: &str = "\
solid tent
 facet normal 0 0 1
  outer loop
   vertex 0 0 0
   vertex 1 0 0
   vertex 0 1 0
  endloop
 endfacet
 facet normal 0 0 1
  outer loop
   vertex 1 0 0
   vertex 1 1 0
   vertex -0 1 0
  endloop
 endfacet
endsolid tent
";

fn binary_stl() -> Vec<u8> {
    let mut bytes = b"solid but binary".to_vec();
    bytes.resize(80, 0);
    bytes.extend(2_u32.to_le_bytes());
    for t in [[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]] {
        bytes.extend([0; 12]);
        for [x, y] in t {
            for c in [x, y, 0.0_f32] {
                bytes.extend(c.to_le_bytes());
            }
        }
        bytes.extend([0; 2]);
    }
    bytes
}

#[test]
fn stl_corners_at_one_place_are_one_vertex() {
    let mesh = read("a.stl", STL).unwrap();
    assert_eq!(mesh.positions.len(), 4);
    assert_eq!(mesh.triangles, [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(read("a.stl", binary_stl()).unwrap(), mesh);
    assert_eq!(read_object("a.stl", STL, Some("tent")).unwrap(), mesh);
    assert!(told(read("a.stl", &binary_stl()[..100])).contains("ends early"));
    let cut = STL.split_once("  endloop\n endfacet\nendsolid").unwrap().0;
    assert_eq!(told(read("a.stl", cut)), "a.stl:13: the file ends early: there is no `endsolid`");
    assert!(told(read("a.stl", STL.replace("1 1 0", "1 1"))).starts_with("a.stl:12:"));
}

fn quad_bin() -> Vec<u8> {
    let mut bytes = Vec::new();
    // Two triangles with their seam vertices twice, their map, and indices.
    let corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 1, 0], [0, 1, 0_i16]]
        .map(|p| p.map(f32::from));
    bytes.extend(corners.iter().flatten().flat_map(|x| x.to_le_bytes()));
    bytes.extend([0.0, 0.5, 1.0, 0.0, 1.0, 0.25_f32].iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend([0, 1, 2, 3, 4, 5_u8]);
    bytes
}

const GLTF: &str = r#"{ "asset": { "version": "2.0" }, "scene": 0,
 "scenes": [ { "nodes": [0] } ],
 "nodes": [ { "name": "Root", "translation": [0, 0, 5], "children": [1, 2] },
            { "name": "Cape", "mesh": 0, "scale": [2, 2, 2] },
            { "name": "Mirror", "mesh": 0, "scale": [-1, 1, 1] } ],
 "meshes": [ { "primitives": [ { "attributes": { "POSITION": 0, "_HEM": 1 }, "indices": 2 } ] } ],
 "buffers": [ { "uri": "quad.bin", "byteLength": 102 } ],
 "bufferViews": [ { "buffer": 0, "byteLength": 72 }, { "buffer": 0, "byteOffset": 72, "byteLength": 24 },
                  { "buffer": 0, "byteOffset": 96, "byteLength": 6 } ],
 "accessors": [ { "bufferView": 0, "componentType": 5126, "count": 6, "type": "VEC3", "min": [0,0,0], "max": [1,1,0] },
                { "bufferView": 1, "componentType": 5126, "count": 6, "type": "SCALAR" },
                { "bufferView": 2, "componentType": 5121, "count": 6, "type": "SCALAR" } ] }"#;

fn glb(json: &str) -> Vec<u8> {
    let json = json.replace(r#""uri": "quad.bin", "#, "");
    let mut json = json.into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bin = quad_bin();
    bin.resize(bin.len().next_multiple_of(4), 0);
    let mut bytes = b"glTF".to_vec();
    let total = 28 + json.len() + bin.len();
    for word in [2, total as u32, json.len() as u32, u32::from_le_bytes(*b"JSON")] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(&json);
    bytes.extend((bin.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(&bin);
    bytes
}

#[test]
fn gltf_is_placed_by_its_nodes_and_welded() {
    let mesh = read_object("a.gltf", GLTF, Some("Cape")).unwrap();
    assert_eq!(mesh.positions.len(), 4);
    assert_eq!(mesh.positions[2], DVec3::new(2.0, 2.0, 5.0));
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(mesh.maps["hem"], [0.0, 0.5, 1.0, 0.25]);
    let both = read("a.glb", glb(GLTF)).unwrap();
    assert_eq!(both.positions.len(), 8, "objects are not welded to each other");
    let mirror = read_object("a.glb", glb(GLTF), Some("Mirror")).unwrap();
    assert_eq!(mirror.triangles, [[0, 2, 1], [0, 3, 2]], "the outside stays outside");
}

#[test]
fn gltf_mistakes_are_told() {
    let change = |from: &str, to: &str| told(read("a.gltf", GLTF.replace(from, to)));
    assert!(change("quad.bin", "other.bin").contains("`other.bin` cannot be read"));
    assert!(
        change(r#""count": 6, "type": "VEC3""#, r#""count": 7, "type": "VEC3""#)
            .contains("accessor 0")
    );
    assert!(
        change(r#""children": [1, 2]"#, r#""children": [1, 0]"#).contains("hangs on two nodes")
    );
    assert!(change(r#""mesh": 0"#, r#""mesh": 9"#).contains("no mesh 9"));
    assert!(told(read("a.glb", &glb(GLTF)[..900])).contains("ends early"));
    let draco =
        GLTF.replace("\"scene\": 0", r#""extensionsRequired": ["KHR_draco_mesh_compression"]"#);
    assert!(told(read("a.gltf", draco)).contains("KHR_draco_mesh_compression"));
}

#[test]
fn files_are_read_from_disk_but_not_from_other_folders() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set/a.gltf");
    std::fs::create_dir(folder.path().join("set")).unwrap();
    std::fs::write(folder.path().join("set/quad.bin"), quad_bin()).unwrap();
    std::fs::write(folder.path().join("quad.bin"), quad_bin()).unwrap();
    std::fs::write(&path, GLTF).unwrap();
    let scaled = LoadOptions { object: Some("Cape".to_owned()), scale: 0.5 };
    assert_eq!(load(&path, "set/a.gltf", &scaled).unwrap().positions[1], DVec3::new(1.0, 0.0, 2.5));
    let names: Vec<_> = objects(&path, "a.gltf").unwrap().into_iter().map(|o| o.name).collect();
    assert_eq!(names, ["Cape", "Mirror"]);
    std::fs::write(&path, GLTF.replace("quad.bin", "../quad.bin")).unwrap();
    let problem = load(&path, "a.gltf", &LoadOptions::default()).unwrap_err();
    assert!(problem.message.contains("does not lie below"), "{problem}");
    assert!(load(&path, "gone.obj", &LoadOptions::default()).is_err());
}

const MSH_OLD: &str = "\
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
3 1 \"left half\"
3 2 \"right\"
$EndPhysicalNames
$Nodes
6
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
7 1 1 1
9 5 5 5
$EndNodes
$Elements
4
1 15 2 0 1 9
2 2 2 5 1 1 2 3
3 4 2 1 1 1 2 3 4
4 4 2 2 2 2 4 3 7
$EndElements
";

const MSH: &str = "\
$MeshFormat
4.1 0 8
$EndMeshFormat
$Comments
made by hand
$EndComments
$PhysicalNames
2
3 1 \"left half\"
3 2 \"right\"
$EndPhysicalNames
$Entities
1 0 1 2
5 0 0 0 0
1 0 0 0 1 1 0 0 0
1 0 0 0 1 1 1 1 1 1 1
2 0 0 0 1 1 1 1 2 1 -1
$EndEntities
$Nodes
2 6 1 9
2 1 1 3
1
2
3
0 0 0 0.1 0.2
1 0 0 0.1 0.2
0 1 0 0.1 0.2
3 1 0 3
4
7
9
0 0 1
1 1 1
5 5 5
$EndNodes
$Elements
4 4 1 4
0 5 15 1
1 9
2 1 2 1
2 1 2 3
3 1 4 1
3 1 2 3 4
3 2 4 1
4 2 4 3 7
$EndElements
";

/// The two formats say the same: two tetrahedra side by side, and things that are no part of a solid.
#[test]
fn msh_gives_tetrahedra_right_side_out() {
    for text in [MSH, MSH_OLD] {
        let mesh = read("a.msh", text).unwrap();
        assert_eq!(mesh.positions.len(), 5, "the loose node is dropped");
        assert_eq!((mesh.tets.len(), mesh.triangles.len()), (2, 6));
        assert_eq!(mesh.open_edge(), None);
        // A corner of a cube, and what is between three faces' middles and the far corner.
        assert!((mesh.volume() - 0.5).abs() < 1e-12, "{}", mesh.volume());
        for [a, b, c, d] in mesh.tets.iter().map(|t| t.map(|i| mesh.positions[i as usize])) {
            assert!((b - a).cross(c - a).dot(d - a) > 0.0);
        }
        let left = read_object("a.msh", text, Some("left half")).unwrap();
        assert_eq!((left.positions.len(), left.tets.len()), (4, 1));
        let told = told(read_object("a.msh", text, Some("rihgt")));
        assert!(told.contains("did you mean `right`? It has: left half, right"), "{told}");
    }
    // Without tetrahedra, triangles are what there is.
    let flat =
        MSH_OLD.replace("4\n1 15", "2\n1 15").replace("3 4 2 1 1 1 2 3 4\n4 4 2 2 2 2 4 3 7\n", "");
    assert_eq!(read("a.msh", flat).unwrap().triangles, [[0, 1, 2]]);
}

#[test]
fn msh_mistakes_are_told_with_their_lines() {
    let change = |from: &str, to: &str| {
        assert!(MSH_OLD.contains(from), "{from}");
        told(read("a.msh", MSH_OLD.replace(from, to)))
    };
    assert!(change("2.2 0 8", "2.2 1 8").contains("binary"));
    assert!(change("2.2 0 8", "4 0 8").contains("2.2 and 4.1 can be read"));
    assert!(change("$MeshFormat\n2", "2").contains("begins with `$MeshFormat`"));
    assert_eq!(
        change("2 4 3 7", "2 4 3 8"),
        "a.msh:23: an element names node 8, which is not there"
    );
    assert_eq!(change("7 1 1 1", "7 1 x 1"), "a.msh:15: `x` is not a coordinate");
    assert_eq!(change("7 1 1 1", "4 1 1 1"), "a.msh:15: there are two nodes 4");
    assert!(change("$Nodes\n6", "$Nodes\n999999999").contains("too short for 999999999 nodes"));
    assert!(change("$EndElements\n", "").contains("`$EndElements` is missing"));
    assert!(change("4 4 2 2 2 2", "4 44 2 2 2 2").contains("elements of type 44"));
    assert!(change("7 1 1 1", "7 1 0 0").contains("is flat"));
}

/// Bytes of a sample with some of them changed, cut off or put in.
fn damaged() -> impl Strategy<Value = (usize, Vec<u8>)> {
    let samples: Vec<(usize, Vec<u8>)> = vec![
        (0, OBJ.into()),
        (1, GLTF.into()),
        (2, glb(GLTF)),
        (3, PLY.into()),
        (3, binary_ply(false)),
        (3, binary_ply(true)),
        (4, STL.into()),
        (4, binary_stl()),
        (5, MSH.into()),
        (5, MSH_OLD.into()),
    ];
    let change = (any::<prop::sample::Index>(), any::<u8>(), 0..4_u8);
    (prop::sample::select(samples), prop::collection::vec(change, 1..12)).prop_map(
        |((kind, mut bytes), changes)| {
            for (at, byte, how) in changes {
                if bytes.is_empty() {
                    break;
                }
                let at = at.index(bytes.len());
                match how {
                    0 | 1 => bytes[at] = byte,
                    2 => bytes.insert(at, byte),
                    _ => drop(bytes.remove(at)),
                }
            }
            if changes_cut(&bytes) {
                bytes.truncate(bytes.len() / 2);
            }
            (kind, bytes)
        },
    )
}

fn changes_cut(bytes: &[u8]) -> bool {
    bytes.iter().fold(0_u8, |a, b| a.wrapping_mul(31).wrapping_add(*b)) % 8 == 0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_a_reader_panic((kind, bytes) in damaged()) {
        let name = ["a.obj", "a.gltf", "a.glb", "a.ply", "a.stl", "a.msh"][kind];
        if let Ok(mesh) = read(name, &bytes) {
            prop_assert!(mesh.check().is_ok());
            prop_assert!(!mesh.triangles.is_empty());
        }
    }

    #[test]
    fn noise_is_refused(bytes in prop::collection::vec(any::<u8>(), 0..300), kind in 0..6_usize) {
        let name = ["a.obj", "a.gltf", "a.glb", "a.ply", "a.stl", "a.msh"][kind];
        prop_assert!(read(name, &bytes).is_err());
    }
}
