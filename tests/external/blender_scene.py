"""What Blender shows, and how it is compared with the files of a run."""

import json
import os

import bpy
import numpy as np

from run_folder import obj_of, read_obj

# A tenth of a millimetre's hundredth: f32 at a few metres.
NEAR = 2e-6


def empty():
    """Takes everything away."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


def shown(thing, graph):
    """World places of an object's vertices as evaluated, Y up."""
    evaluated = thing.evaluated_get(graph)
    mesh = evaluated.to_mesh()
    places = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", places)
    matrix = np.array(evaluated.matrix_world)
    world = places.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    evaluated.to_mesh_clear()
    return np.stack([world[:, 0], world[:, 2], -world[:, 1]], axis=1)


def distance(found, expected):
    """Largest distance, in order where there are as many, else to the nearest."""
    if len(found) == len(expected):
        in_order = np.abs(found - expected).max()
        if in_order <= NEAR:
            return in_order
    gaps = np.linalg.norm(found[:, None, :] - expected[None, :, :], axis=2)
    return max(gaps.min(axis=0).max(), gaps.min(axis=1).max())


def meshes_called(name):
    return [o for o in bpy.data.objects if o.type == "MESH" and o.name == name]


def check_bodies(folder, shot, frames, things_of, in_order=True):
    """What differs from the OBJ files at `frames`, and how far a vertex is off at most. `things_of` gives
    the objects that show a body by its name."""
    problems, worst = [], 0.0
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for body in shot["bodies"]:
            things = things_of(body["name"])
            if len(things) != 1:
                problems.append(f"{body['name']} is there {len(things)} times")
                continue
            expected, found = read_obj(obj_of(folder, body["name"], frame))[0], shown(things[0], graph)
            if in_order and len(found) != len(expected):
                problems.append(f"{body['name']} has {len(found)} vertices, not {len(expected)}")
                continue
            off = np.abs(found - expected).max() if in_order else distance(found, expected)
            worst = max(worst, off)
            if off > NEAR:
                problems.append(f"{body['name']} is off by {off} m at frame {frame}")
    return problems, worst


def expected_of(folder):
    """What must be of cameras and lights, by the expected.json of a folder that has one."""
    path = os.path.join(folder, "expected.json")
    if not os.path.isfile(path):
        return {"cameras": {}, "lights": {}}
    with open(path, encoding="utf-8") as text:
        return json.load(text)


def check_cameras(expected, cameras):
    """What differs from where cameras are expected, by frame; `cameras` are objects by their names."""
    for name, frames in expected["cameras"].items():
        for frame, pose in frames.items():
            bpy.context.scene.frame_set(int(frame))
            graph = bpy.context.evaluated_depsgraph_get()
            matrix = np.array(cameras[name].evaluated_get(graph).matrix_world)
            place, ahead = (np.array([v[0], v[2], -v[1]]) for v in (matrix[:3, 3], -matrix[:3, 2]))
            looks = np.subtract(pose["look_at"], pose["position"])
            if np.abs(place - pose["position"]).max() > NEAR:
                yield f"{name} stands at {place} at frame {frame}"
            if np.abs(ahead - looks / np.linalg.norm(looks)).max() > NEAR:
                yield f"{name} looks along {ahead} at frame {frame}"
