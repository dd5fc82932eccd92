"""What the checks read of a run's folder, and how they are run."""

import ast
import os
import sys

import numpy as np


def obj_of(folder, body, frame):
    """The OBJ file that has a body at a frame, or none."""
    sign = "-" if frame < 0 else ""
    numbered = os.path.join(folder, "obj", f"{body}.{sign}{abs(frame):04}.obj")
    plain = os.path.join(folder, "obj", body + ".obj")
    return next((path for path in (numbered, plain) if os.path.isfile(path)), None)


def read_obj(path):
    """Places of the vertices of an OBJ file, and the vertices and the texture coordinates, if there
    are any, of the corners of its triangles."""
    places, faces, uvs, corners = [], [], [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            word, *rest = line.split()
            if word == "v":
                places.append([np.float32(x) for x in rest])
            elif word == "vt":
                uvs.append([np.float32(x) for x in rest])
            elif word == "f":
                faces.extend(int(corner.split("/")[0]) - 1 for corner in rest)
                corners.extend(int(corner.split("/")[-1]) - 1 for corner in rest)
    places = np.array(places, dtype=np.float32)
    return places, faces, np.array([uvs[i] for i in corners]) if uvs else None


def shot_of(folder):
    """What the import script knows of the shot."""
    name = next(f for f in sorted(os.listdir(folder)) if f.startswith("import_"))
    with open(os.path.join(folder, name), encoding="utf-8") as text:
        source = text.read()
    start = source.index("SHOT = ") + len("SHOT = ")
    return ast.literal_eval(source[start:source.index("\n}\n", start) + 2])


def file_of(folder, ending):
    """The file of a run that lies in the folder of its ending: `usd/<shot>.usdc`, `abc/<shot>.abc`."""
    folder = os.path.abspath(os.path.join(folder, ending[:3]))
    return os.path.join(folder, next(f for f in os.listdir(folder) if f.endswith("." + ending)))


def main(check, begin=lambda: None):
    """Checks the folders that were given, in Blender after `--`: `begin`, then `check(folder)`, which
    gives the problems. Ends with exit code 1 if there are any."""
    after = sys.argv.index("--") if "--" in sys.argv else 0
    folders, found = sys.argv[after + 1:], []
    for folder in folders:
        begin()
        found += check(folder)
    for problem in found:
        print(problem)
    sys.exit(1 if found or not folders else 0)
