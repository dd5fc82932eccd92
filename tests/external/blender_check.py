"""Brings run folders into Blender and compares what it shows with their OBJ files. See README.md.

Every body must be there once, deforming ones with the same vertex order (through a point cache) or
the same places; rigid ones, whose vertices glTF may double, with the same places. The frame rate
and range must be the shot's. Where an expected.json lies in the folder, cameras must stand and look
as it says, and lights be of its kinds and strengths.
"""

import json
import os
import runpy
import sys

import bpy
import numpy as np

# Blender does not look beside a script for what it imports.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from run_folder import obj_of  # noqa: E402

# A tenth of a millimetre's hundredth: f32 at a few metres.
NEAR = 2e-6


def obj_vertices(path):
    with open(path, encoding="utf-8") as lines:
        return np.array([line.split()[1:4] for line in lines if line.startswith("v ")], dtype=float)


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


def check_expected(expected, ours):
    """What differs from an expected.json: cameras by frame, lights by kind and strength."""
    named = {kind: {o["retake_" + kind]: o for o in ours if o.get("retake_" + kind)}
             for kind in ("camera", "light")}
    for name, frames in expected["cameras"].items():
        thing = named["camera"][name]
        for frame, pose in frames.items():
            bpy.context.scene.frame_set(int(frame))
            graph = bpy.context.evaluated_depsgraph_get()
            matrix = np.array(thing.evaluated_get(graph).matrix_world)
            place, ahead = (np.array([v[0], v[2], -v[1]]) for v in (matrix[:3, 3], -matrix[:3, 2]))
            looks = np.subtract(pose["look_at"], pose["position"])
            if np.abs(place - pose["position"]).max() > NEAR:
                yield f"{name} stands at {place} at frame {frame}"
            if np.abs(ahead - looks / np.linalg.norm(looks)).max() > NEAR:
                yield f"{name} looks along {ahead} at frame {frame}"
    for name, (kind, strength) in expected["lights"].items():
        data = named["light"][name].data
        if data.type != kind or abs(data.energy - strength) > 1e-4 * strength:
            yield f"{name} is of kind {data.type} and strength {data.energy}"


def check(folder):
    """The problems of a run folder."""
    name = next(f for f in sorted(os.listdir(folder)) if f.startswith("import_"))
    script = os.path.join(folder, name)
    runpy.run_path(script, run_name="__main__")
    shot = runpy.run_path(script, run_name="__main__")["SHOT"]
    scene = bpy.context.scene
    problems = []
    rate = scene.render.fps / scene.render.fps_base
    if abs(rate - shot["fps"][0] / shot["fps"][1]) > 1e-4:
        problems.append(f"{rate} frames a second")
    # Blender's own range begins at 0 or later; frames before it can be gone to all the same.
    if [scene.frame_start, scene.frame_end] != [max(0, f) for f in shot["frames"]]:
        problems.append(f"frames {scene.frame_start} to {scene.frame_end}")
    ours = [o for o in bpy.data.objects if o.get("retake_shot") == shot["shot"]]
    worst = 0.0
    first, last = shot["frames"]
    for frame in (first, (first + last) // 2, last):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for body in shot["bodies"]:
            things = [o for o in ours if o.get("retake_body") == body["name"]]
            if len(things) != 1:
                problems.append(f"{body['name']} is there {len(things)} times")
                continue
            thing = things[0]
            group = (body["group"] or shot["shot"]).rpartition("/")[2]
            if [c.name.partition(".")[0] for c in thing.users_collection] != [group]:
                problems.append(f"{body['name']} is in {list(thing.users_collection)}")
            expected = obj_vertices(obj_of(folder, body["name"], frame))
            off = distance(shown(thing, graph), expected)
            worst = max(worst, off)
            if off > NEAR:
                problems.append(f"{body['name']} is off by {off} m at frame {frame}")
    for camera in shot["cameras"]:
        data = next(o for o in ours if o.get("retake_camera") == camera["name"]).data
        lens = camera["lens"][-1] if isinstance(camera["lens"], list) else camera["lens"]
        if abs(data.lens - lens) > 1e-3:
            problems.append(f"the lens of {camera['name']} is {data.lens}, not {lens}")
    expected = os.path.join(folder, "expected.json")
    if os.path.isfile(expected):
        with open(expected, encoding="utf-8") as text:
            problems += check_expected(json.load(text), ours)
    print(f"{folder}: {len(problems)} problems, at most {worst:.1e} m off")
    return problems


def main():
    after = sys.argv.index("--") if "--" in sys.argv else 0
    folders = sys.argv[after + 1:]
    found = []
    for folder in folders:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        found += check(folder)
    for problem in found:
        print(problem)
    sys.exit(1 if found or not folders else 0)


if __name__ == "__main__":
    main()
