"""Compares the layers of a run's EXR files with rays cast at its OBJ files. See README.md.

The camera stands still and looks along -z. Of every pixel the ray through its centre says which
body is seen and how far away it is along the viewing axis; the renderer must have found the same.
"""

import glob
import json
import os
import re
import sys

import numpy as np
import OpenEXR

CHANNELS = {
    "R": np.float16, "G": np.float16, "B": np.float16, "A": np.float16,
    "depth.Z": np.float32, "normal.X": np.float32, "normal.Y": np.float32,
    "normal.Z": np.float32, "object_id.ID": np.float32,
}
SENSOR = 36.0  # mm, the longer side
LENS = 50.0  # mm
FAR = 1e10  # depth where no body is
# In the order of the script: object_id counts them from 1.
BODIES = ["cape", "ball", "wall"]
WALL, WALL_DEPTH = 3, 4.0


def triangles_of(path):
    vertices, faces = [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            word, *rest = line.split() or [""]
            if word == "v":
                vertices.append([float(x) for x in rest[:3]])
            elif word == "f":
                corners = [int(c.split("/")[0]) - 1 for c in rest]
                faces += [(corners[0], b, c) for b, c in zip(corners[1:], corners[2:])]
    return np.array(vertices)[np.array(faces)]


def cast(origin, directions, triangles):
    """Distance of the nearest triangle along each direction (Moeller and Trumbore 1997)."""
    nearest = np.full(len(directions), np.inf)
    for a, b, c in triangles:
        p = np.cross(directions, c - a)
        with np.errstate(divide="ignore", invalid="ignore"):
            f = 1.0 / (p @ (b - a))
            u = f * (p @ (origin - a))
            q = np.cross(origin - a, b - a)
            v = f * (directions @ q)
            t = f * ((c - a) @ q)
            hit = np.isfinite(f) & (u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0)
        nearest = np.where(hit & (t < nearest), t, nearest)
    return nearest


def expected(folder, frame, width, height):
    """Depth and body of every pixel, and the directions, of which each is 1 m deep."""
    with open(os.path.join(folder, "expected.json"), encoding="utf-8") as text:
        (camera,) = json.load(text)["cameras"].values()
    origin = np.array(camera[str(frame)]["position"], dtype=float)
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    scale = SENSOR / LENS / width
    directions = np.stack([
        (x - width / 2) * scale, (height / 2 - y) * scale, -np.ones_like(x)], axis=-1)
    depth = np.full(width * height, FAR)
    ids = np.zeros(width * height)
    for number, body in enumerate(BODIES, 1):
        path = os.path.join(folder, "obj", f"{body}.{frame:04}.obj")
        path = path if os.path.isfile(path) else os.path.join(folder, "obj", body + ".obj")
        found = cast(origin, directions.reshape(-1, 3), triangles_of(path))
        ids = np.where(found < depth, number, ids)
        depth = np.minimum(depth, found)
    return depth.reshape(height, width), ids.reshape(height, width), directions


def check(folder, path):
    """The problems of one file."""
    file = OpenEXR.File(path, separate_channels=True)
    header, channels = file.header(), file.channels()
    problems = []
    if len(file.parts) != 1:
        problems.append(f"it has {len(file.parts)} parts")
    if header["compression"] != OpenEXR.ZIP_COMPRESSION:
        problems.append(f"its compression is {header['compression']}")
    # Red, green, blue and white of Rec.709.
    primaries = [0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329]
    if not np.allclose(np.ravel(header["chromaticities"]), primaries, atol=1e-4):
        problems.append(f"its primaries are {header['chromaticities']}")
    kinds = {name: channel.pixels.dtype for name, channel in channels.items()}
    if kinds != CHANNELS:
        return problems + [f"its channels are {kinds}"]
    get = {name: channel.pixels.astype(float) for name, channel in channels.items()}
    height, width = get["depth.Z"].shape
    if (width, height) != (48, 27):
        problems.append(f"it has {width} x {height} pixels")
    frame = int(re.search(r"\.(\d+)\.exr$", path).group(1))
    depth, ids, directions = expected(folder, frame, width, height)
    shown = get["object_id.ID"]
    for number in range(len(BODIES) + 1):
        if not (shown == number).any():
            problems.append(f"nothing has the id {number}")
    # A ray along an edge may fall on either side: one pixel in a hundred is allowed to.
    other = int((shown != ids).sum())
    if other > 0.01 * ids.size:
        problems.append(f"{other} of {ids.size} pixels show another body")
    same = shown == ids
    off = np.abs(get["depth.Z"] - depth)[same] / depth[same]
    if off.max() > 1e-5:
        problems.append(f"depths are off by up to {off.max():.1e} of themselves")
    wall, nothing = shown == WALL, shown == 0
    if np.abs(get["depth.Z"][wall] - WALL_DEPTH).max() > 1e-5:
        problems.append(f"the wall is not {WALL_DEPTH} m away")
    normal = np.stack([get["normal." + axis] for axis in "XYZ"], axis=-1)
    if np.abs(normal[wall] - [0, 0, 1]).max() > 1e-5:
        problems.append("the wall's normal is not +z")
    if np.abs(normal[nothing]).max() > 0:
        problems.append("nothing has a normal")
    if np.abs(np.linalg.norm(normal[~nothing], axis=-1) - 1).max() > 1e-4:
        problems.append("normals are not of unit length")
    if ((normal * directions).sum(axis=-1)[~nothing] > 1e-4).any():
        problems.append("normals point away from the camera")
    color = np.stack([get[c] for c in "RGB"], axis=-1)
    if not np.isfinite(color).all() or color.min() < 0 or color[wall].mean() < 0.01:
        problems.append("the colours are not those of a lit picture")
    if (get["A"] != 1).any():
        problems.append("the picture is not opaque")
    return problems


def main():
    (folder,) = sys.argv[1:]
    paths = sorted(glob.glob(os.path.join(folder, "images", "*.exr")))
    found = [f"{os.path.basename(p)}: {problem}" for p in paths for problem in check(folder, p)]
    if len(paths) != 2:
        found.append(f"there are {len(paths)} files, not 2")
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
