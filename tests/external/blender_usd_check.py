"""Brings the USD files of run folders into Blender with its own importer, and compares with OBJ files.

Every body must be there once, with the same vertex order and the same places at the first, middle
and last frame; the range of frames must be the shot's. Lenses must be as long as the shot's.
"""

import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from blender_scene import check_bodies, empty, meshes_called  # noqa: E402
from run_folder import file_of, main, shot_of  # noqa: E402


def check(folder):
    """The problems of a run folder."""
    path = file_of(folder, "usdc")
    bpy.ops.wm.usd_import(filepath=path, set_frame_range=True)
    shot, scene = shot_of(folder), bpy.context.scene
    first, last = shot["frames"]
    frames = [scene.frame_start, scene.frame_end]
    problems, worst = check_bodies(
        folder, shot, (first, (first + last) // 2, last), meshes_called)
    if frames != [first, last]:
        problems.append(f"frames {frames[0]} to {frames[1]}")
    scene.frame_set(last)
    for camera in shot["cameras"]:
        data = next(c for c in bpy.data.cameras if c.name == camera["name"])
        lens = camera["lens"][-1] if isinstance(camera["lens"], list) else camera["lens"]
        longer = max(data.sensor_width, data.sensor_height)
        if abs(data.lens / longer - lens / 36.0) > 1e-4 or abs(data.lens - lens) > 1e-2:
            problems.append(f"the lens of {camera['name']} is {data.lens} on {longer}, not {lens}")
    print(f"{path}: {len(problems)} problems, at most {worst:.1e} m off")
    return problems


if __name__ == "__main__":
    main(check, empty)
