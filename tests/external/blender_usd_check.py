"""Brings the USD files of run folders into Blender with its own importer, and compares with OBJ files.

Every body must be there once, with the same vertex order and the same places at the first, middle
and last frame; the range of frames must be the shot's. Lenses must be as long as the shot's.
"""

import os
import sys

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from blender_check import NEAR, distance, obj_vertices, shown  # noqa: E402
from run_folder import obj_of, shot_of, usd_of  # noqa: E402


def check(folder):
    """The problems of a run folder."""
    path = usd_of(folder)
    bpy.ops.wm.usd_import(filepath=path, set_frame_range=True)
    shot, scene, problems, worst = shot_of(folder), bpy.context.scene, [], 0.0
    first, last = shot["frames"]
    if [scene.frame_start, scene.frame_end] != [first, last]:
        problems.append(f"frames {scene.frame_start} to {scene.frame_end}")
    for frame in (first, (first + last) // 2, last):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for body in shot["bodies"]:
            things = [o for o in bpy.data.objects if o.type == "MESH" and o.name == body["name"]]
            if len(things) != 1:
                problems.append(f"{body['name']} is there {len(things)} times")
                continue
            expected = obj_vertices(obj_of(folder, body["name"], frame))
            off = distance(shown(things[0], graph), expected)
            worst = max(worst, off)
            if off > NEAR:
                problems.append(f"{body['name']} is off by {off} m at frame {frame}")
    scene.frame_set(last)
    for camera in shot["cameras"]:
        data = next(c for c in bpy.data.cameras if c.name == camera["name"])
        lens = camera["lens"][-1] if isinstance(camera["lens"], list) else camera["lens"]
        longer = max(data.sensor_width, data.sensor_height)
        if abs(data.lens / longer - lens / 36.0) > 1e-4 or abs(data.lens - lens) > 1e-2:
            problems.append(f"the lens of {camera['name']} is {data.lens} on {longer}, not {lens}")
    print(f"{path}: {len(problems)} problems, at most {worst:.1e} m off")
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
