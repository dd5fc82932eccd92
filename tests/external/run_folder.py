"""What the checks read of a run's folder."""

import ast
import os


def obj_of(folder, body, frame):
    """The OBJ file that has a body at a frame, or none."""
    sign = "-" if frame < 0 else ""
    numbered = os.path.join(folder, "obj", f"{body}.{sign}{abs(frame):04}.obj")
    plain = os.path.join(folder, "obj", body + ".obj")
    return next((path for path in (numbered, plain) if os.path.isfile(path)), None)


def shot_of(folder):
    """What the import script knows of the shot."""
    name = next(f for f in sorted(os.listdir(folder)) if f.startswith("import_"))
    with open(os.path.join(folder, name), encoding="utf-8") as text:
        source = text.read()
    start = source.index("SHOT = ") + len("SHOT = ")
    return ast.literal_eval(source[start:source.index("\n}\n", start) + 2])


def usd_of(folder):
    """The USD file of a run."""
    folder = os.path.abspath(os.path.join(folder, "usd"))
    return os.path.join(folder, next(f for f in os.listdir(folder) if f.endswith(".usdc")))
