"""Brings the Alembic files of run folders into Blender with its own importer, and compares with OBJ files.

Every body must be there once, in its groups, with the triangles and texture coordinates of its OBJ
file and the same places at every frame; what moves as one must be moved by its matrix, not by its
points. The range of frames must be the shot's. Cameras must stand, look and see as in the shot;
Blender takes their lenses from the file at frame 0.
"""

import os
import sys

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from blender_scene import check_bodies, check_cameras, empty, expected_of, meshes_called  # noqa: E402
from run_folder import file_of, main, obj_of, read_obj, shot_of  # noqa: E402


def values(items, name, width, kind=np.float32):
    found = np.empty(width * len(items), dtype=kind)
    items.foreach_get(name, found)
    return found.reshape(-1, width)


def check_mesh(folder, thing, body, first):
    """What is wrong with a body's object, beside where it is."""
    mesh, name = thing.data, body["name"]
    _, faces, uvs = read_obj(obj_of(folder, name, first))
    if values(mesh.loops, "vertex_index", 1, np.int32).ravel().tolist() != faces:
        yield f"{name} has other triangles"
    if (uvs is None) != (len(mesh.uv_layers) == 0):
        yield f"{name} has {len(mesh.uv_layers)} maps of texture coordinates"
    elif uvs is not None and not np.array_equal(values(mesh.uv_layers[0].data, "uv", 2), uvs):
        yield f"{name} has other texture coordinates"
    corners = values(mesh.corner_normals, "vector", 3)
    flat = values(mesh.polygons, "normal", 3)
    if (np.einsum("ij,ij->i", corners, np.repeat(flat, 3, axis=0)) <= 0).any():
        yield f"{name} has normals that point inwards"
    modifiers = [m.type for m in thing.modifiers]
    if modifiers != (["MESH_SEQUENCE_CACHE"] if body["deforms"] else []):
        yield f"{name} has the modifiers {modifiers}"
    if body["deforms"] and len(thing.constraints) > 0:
        yield f"{name} is moved by more than its points"
    if len(mesh.materials) != 1 or not mesh.materials[0].name.endswith("_look"):
        yield f"{name} has the materials {list(mesh.materials)}"
    groups, above = [], thing.parent
    while above is not None:
        groups.insert(0, above.name)
        above = above.parent
    if groups != [part for part in (body["group"] or "").split("/") if part]:
        yield f"{name} hangs on {groups}"


def check_lens(camera, data, first):
    """What is wrong with a camera, but for its place."""
    lens = camera["lens"]
    if isinstance(lens, list):
        lens = lens[min(max(0 - first, 0), len(lens) - 1)]
    longer = max(data.sensor_width, data.sensor_height)
    if abs(longer - 36) > 1e-4 or abs(data.lens - lens) > 1e-4:
        yield f"{camera['name']} has a lens of {data.lens} on {longer} mm, not {lens}"


def check(folder):
    """The problems of a run folder."""
    path, shot, scene = file_of(folder, "abc"), shot_of(folder), bpy.context.scene
    # Alembic knows seconds: frames are what the scene makes of them.
    rate = shot["fps"][0] / shot["fps"][1]
    scene.render.fps = round(rate)
    scene.render.fps_base = round(rate) / rate
    bpy.ops.wm.alembic_import(filepath=path, set_frame_range=True, as_background_job=False)
    first, last = shot["frames"]
    frames = [scene.frame_start, scene.frame_end]
    problems, worst = check_bodies(folder, shot, range(first, last + 1), meshes_called)
    if frames != [first, last]:
        problems.append(f"frames {frames[0]} to {frames[1]}")
    for body in shot["bodies"]:
        for thing in meshes_called(body["name"]):
            problems += check_mesh(folder, thing, body, first)
    cameras = {o.name: o for o in bpy.data.objects if o.type == "CAMERA"}
    if sorted(cameras) != sorted(camera["name"] for camera in shot["cameras"]):
        problems.append(f"there are the cameras {sorted(cameras)}")
        return problems
    for camera in shot["cameras"]:
        problems += check_lens(camera, cameras[camera["name"]].data, first)
    problems += check_cameras(expected_of(folder), cameras)
    print(f"{path}: {len(problems)} problems, at most {worst:.1e} m off")
    return problems


if __name__ == "__main__":
    main(check, empty)
