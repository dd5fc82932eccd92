"""Brings run folders into Blender and compares what it shows with their OBJ files. See README.md.

Every body must be there once, deforming ones with the same vertex order (through a point cache) or
the same places; rigid ones, whose vertices glTF may double, with the same places. What comes through
a PC2 cache is there at each of its samples, between frames too. The frame rate and range must be the
shot's. Where an expected.json lies in the folder, cameras must stand and look
as it says, and lights be of its kinds and strengths.
"""

import math
import os
import runpy
import struct
import sys

import bpy
import numpy as np

# Blender does not look beside a script for what it imports.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from blender_scene import NEAR, check_bodies, check_cameras, empty, expected_of, shown  # noqa: E402
from run_folder import main  # noqa: E402


def check_lights(expected, lights):
    """What differs from the kinds and strengths of lights."""
    for name, (kind, strength) in expected["lights"].items():
        data = lights[name].data
        if data.type != kind or abs(data.energy - strength) > 1e-4 * strength:
            yield f"{name} is of kind {data.type} and strength {data.energy}"


def check_samples(folder, shot, thing_of):
    """What differs from the samples of point caches, those between frames as well."""
    scene = bpy.context.scene
    for body in shot["bodies"]:
        path = os.path.join(folder, "cache", body["name"] + ".pc2")
        if not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            _, _, points, first, step, count = struct.unpack("<12siiffi", file.read(32))
            samples = np.fromfile(file, dtype="<f4").reshape(count, points, 3)
        if count != (shot["frames"][1] - shot["frames"][0]) * shot["subframes"] + 1:
            yield f"{body['name']} has {count} samples"
        for i, expected in enumerate(samples):
            at = first + i * step
            scene.frame_set(math.floor(at), subframe=at - math.floor(at))
            found = shown(thing_of(body["name"]), bpy.context.evaluated_depsgraph_get())
            off = np.abs(found - expected).max()
            if off > NEAR:
                yield f"{body['name']} is off by {off} m at frame {at}"


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
    called = {kind: {o["retake_" + kind]: o for o in ours if o.get("retake_" + kind)}
              for kind in ("camera", "light")}
    first, last = shot["frames"]
    found, worst = check_bodies(
        folder, shot, (first, (first + last) // 2, last),
        lambda name: [o for o in ours if o.get("retake_body") == name], in_order=False)
    problems += found
    bodies = {o["retake_body"]: o for o in ours if o.get("retake_body")}
    problems += check_samples(folder, shot, bodies.get)
    for body in shot["bodies"]:
        group = (body["group"] or shot["shot"]).rpartition("/")[2]
        for thing in ours:
            collections = [c.name.partition(".")[0] for c in thing.users_collection]
            if thing.get("retake_body") == body["name"] and collections != [group]:
                problems.append(f"{body['name']} is in {collections}")
    for camera in shot["cameras"]:
        data = called["camera"][camera["name"]].data
        lens = camera["lens"][-1] if isinstance(camera["lens"], list) else camera["lens"]
        if abs(data.lens - lens) > 1e-3:
            problems.append(f"the lens of {camera['name']} is {data.lens}, not {lens}")
    expected = expected_of(folder)
    problems += check_cameras(expected, called["camera"])
    problems += check_lights(expected, called["light"])
    print(f"{folder}: {len(problems)} problems, at most {worst:.1e} m off")
    return problems


if __name__ == "__main__":
    main(check, empty)
