"""Brings run folders into Blender and compares what it shows with their OBJ files. See README.md.

Every body must be there once, deforming ones with the same vertex order (through a point cache) or
the same places; rigid ones, whose vertices glTF may double, with the same places. The frame rate
and range must be the shot's. Where an expected.json lies in the folder, cameras must stand and look
as it says, and lights be of its kinds and strengths.
"""

import os
import runpy
import sys

import bpy

# Blender does not look beside a script for what it imports.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from blender_scene import check_bodies, check_cameras, empty, expected_of  # noqa: E402
from run_folder import main  # noqa: E402


def check_lights(expected, lights):
    """What differs from the kinds and strengths of lights."""
    for name, (kind, strength) in expected["lights"].items():
        data = lights[name].data
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
    called = {kind: {o["retake_" + kind]: o for o in ours if o.get("retake_" + kind)}
              for kind in ("camera", "light")}
    first, last = shot["frames"]
    found, worst = check_bodies(
        folder, shot, (first, (first + last) // 2, last),
        lambda name: [o for o in ours if o.get("retake_body") == name], in_order=False)
    problems += found
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
