"""Writes walker.glb beside it: a figure of one skinned mesh with a clip `Walk`, and a camera that goes along.

    python3 scripts/figures/walker.py

It needs nothing but Python. Lengths in metres, +Y is up, the figure looks and walks along +Z.
"""

import json
import math
import struct
from pathlib import Path

# Joints: name, parent, place in the parent's frame. The mesh is bound to them without any turn.
JOINTS = [
    ("hips", None, (0, 0.875, 0)), ("spine", "hips", (0, 0.145, 0)), ("chest", "spine", (0, 0.16, 0)),
    ("head", "chest", (0, 0.30, 0)),
    *[(part + side, parent + (side if parent in ("thigh", "shin", "arm") else ""), (x * s, y, 0))
      for side, s in (("_l", 1), ("_r", -1))
      for part, parent, x, y in (("thigh", "hips", 0.09, -0.02), ("shin", "thigh", 0, -0.42),
                                 ("foot", "shin", 0, -0.41), ("arm", "chest", 0.195, 0.19),
                                 ("forearm", "arm", 0, -0.28))],
]
NAMES = [name for name, _, _ in JOINTS]
BOUND = {}
for name, parent, place in JOINTS:
    base = BOUND.get(parent, (0, 0, 0))
    BOUND[name] = tuple(a + b for a, b in zip(base, place))
ABDUCTED = 11  # degrees that the arms hang away from the body

positions, triangles, shares = [], [], []


def smooth(x):
    x = min(max(x, 0.0), 1.0)
    return x * x * (3 - 2 * x)


def loft(rings, segments, share, center=(0, 0)):
    """A closed tube of ellipses (y, half width, half depth[, z]), from the top down; `share` tells who carries a height."""
    first = len(positions)
    for y, w, d, *z in rings:
        for k in range(segments):
            a = 2 * math.pi * k / segments
            positions.append((center[0] + w * math.cos(a), y, center[1] + (z[0] if z else 0) + d * math.sin(a)))
            shares.append(share(y))
    count = len(rings)
    for r in range(count - 1):
        for k in range(segments):
            a, b = first + r * segments + k, first + r * segments + (k + 1) % segments
            c, e = a + segments, b + segments
            triangles.extend([(a, b, c), (b, e, c)])
    for ring, order in ((0, 1), (count - 1, -1)):
        y, _, _, *z = rings[ring]
        middle = len(positions)
        positions.append((center[0], y, center[1] + (z[0] if z else 0)))
        shares.append(share(y))
        for k in range(segments):
            a, b = first + ring * segments + k, first + ring * segments + (k + 1) % segments
            triangles.append((middle, b, a)[::order])


def chain(*bands):
    """Who carries a height: joints from the top down, with the heights at which one hands over to the next."""
    def share(y):
        found, rest = [], 1.0
        for i in range(0, len(bands) - 1, 2):
            here = smooth((y - bands[i + 1]) / 0.10 + 0.5)
            found.append((bands[i], rest * here))
            rest *= 1 - here
        found.append((bands[-1], rest))
        return [(NAMES.index(name), w) for name, w in found if w > 1e-4]
    return share


def rounded(profile, steps):
    """A profile (y, half width, half depth) with smooth values in between and round ends."""
    rings = []
    top, bottom = profile[0], profile[-1]
    for k in (20, 45, 70):
        a = math.radians(k)
        rings.append((top[0] + top[1] * math.cos(a), top[1] * math.sin(a), top[2] * math.sin(a)))
    for p, q in zip(profile, profile[1:]):
        rings += [tuple(a + (b - a) * smooth(k / steps) if i else a + (b - a) * k / steps
                        for i, (a, b) in enumerate(zip(p, q))) for k in range(steps)]
    rings.append(bottom)
    for k in (70, 45, 20):
        a = math.radians(k)
        rings.append((bottom[0] - bottom[1] * math.cos(a), bottom[1] * math.sin(a), bottom[2] * math.sin(a)))
    return rings


def ball(center, half, segments, share, rings=9):
    x, y, z = center
    loft([(y + half[1] * math.cos(math.pi * k / (rings + 1)), half[0] * math.sin(math.pi * k / (rings + 1)),
           half[2] * math.sin(math.pi * k / (rings + 1))) for k in range(1, rings + 1)], segments, share, (x, z))


loft(rounded([(1.50, 0.050, 0.052), (1.44, 0.058, 0.058), (1.40, 0.140, 0.085), (1.36, 0.185, 0.105), (1.26, 0.172, 0.118),
              (1.15, 0.145, 0.108), (1.05, 0.132, 0.102), (0.95, 0.160, 0.122), (0.86, 0.165, 0.125),
              (0.80, 0.120, 0.100)], 2), 24, chain("head", 1.47, "chest", 1.18, "spine", 1.00, "hips"))
ball((0, 1.635, 0.015), (0.078, 0.118, 0.098), 18, chain("head"), 11)
for side, s in (("_l", 1), ("_r", -1)):
    hip, knee, ankle = (BOUND[part + side] for part in ("thigh", "shin", "foot"))
    loft(rounded([(hip[1] - 0.02, 0.085, 0.09), (knee[1] + 0.05, 0.062, 0.065), (knee[1] - 0.08, 0.056, 0.062),
                  (ankle[1] + 0.06, 0.040, 0.042), (ankle[1] - 0.01, 0.038, 0.042)], 5), 16,
         chain("hips", hip[1] + 0.05, "thigh" + side, knee[1], "shin" + side), (hip[0], 0))
    ball((ankle[0], ankle[1] - 0.013, 0.055), (0.043, 0.030, 0.115), 12, chain("foot" + side), 7)
    shoulder, elbow = BOUND["arm" + side], BOUND["forearm" + side]
    wrist = elbow[1] - 0.25
    loft(rounded([(shoulder[1] - 0.005, 0.052, 0.056), (elbow[1] + 0.04, 0.038, 0.040), (elbow[1] - 0.05, 0.036, 0.038),
                  (wrist, 0.026, 0.028), (wrist - 0.07, 0.024, 0.042), (wrist - 0.13, 0.018, 0.030)], 4), 14,
         chain("arm" + side, elbow[1], "forearm" + side), (shoulder[0], 0))


# The walk: feet go on given paths, and the legs reach them.
CYCLE, STRIDE, STANCE, CYCLES, RATE = 1.05, 0.92, 0.6, 4, 24
THIGH, SHIN, ANKLE = 0.42, 0.41, 0.045


def quaternion(x=0.0, y=0.0, z=0.0):
    """About x, then y, then z, in degrees."""
    def about(axis, degrees):
        a = math.radians(degrees) / 2
        return tuple(math.sin(a) if i == axis else 0.0 for i in range(3)) + (math.cos(a),)

    def times(p, q):
        (a, b, c, w), (d, e, f, v) = p, q
        return (w * d + a * v + b * f - c * e, w * e - a * f + b * v + c * d, w * f + a * e - b * d + c * v,
                w * v - a * d - b * e - c * f)
    return times(about(2, z), times(about(1, y), about(0, x)))


def leg(phase, size, height):
    """Turns of thigh, shin and foot, with the hip joint at `height`."""
    reach = size * STRIDE * STANCE / 2
    if phase < STANCE:
        u = phase / STANCE
        z, lift, pitch = reach * (1 - 2 * u), 0.07 * smooth((u - 0.7) / 0.3), 22 * smooth((u - 0.7) / 0.3)
        pitch -= 14 * smooth((0.15 - u) / 0.15)
    else:
        u = (phase - STANCE) / (1 - STANCE)
        z = reach * (2 * smooth(u) - 1)
        lift = 0.07 * (1 - smooth(u / 0.5)) + 0.075 * math.sin(math.pi * u)
        pitch = 22 * (1 - smooth(u / 0.6)) - 14 * smooth((u - 0.6) / 0.4)
    y = ANKLE + size * lift - height
    far = min(math.hypot(y, z), 0.999 * (THIGH + SHIN))
    toward = math.atan2(-z, -y)
    first = math.acos((THIGH ** 2 + far ** 2 - SHIN ** 2) / (2 * THIGH * far))
    second = math.acos((SHIN ** 2 + far ** 2 - THIGH ** 2) / (2 * SHIN * far))
    thigh, shin = math.degrees(toward - first), math.degrees(toward + second)
    return thigh, shin - thigh, size * pitch - shin


def pose(t):
    """Turns of the joints at `t`, and where the hips are."""
    phase = t / CYCLE
    size = smooth(t / CYCLE)
    swing = 2 * math.pi * phase
    # The way is the integral of the speed, which grows with the steps.
    steps = 200
    way = sum(smooth((k + 0.5) / steps * t / CYCLE) for k in range(steps)) / steps * t * STRIDE / CYCLE
    height = 0.875 - 0.012 - 0.012 * size * math.cos(2 * swing - 0.6)
    turns = {
        "hips": quaternion(x=2 * size, y=-6 * size * math.cos(swing), z=2.5 * size * math.sin(swing)),
        "spine": quaternion(y=5 * size * math.cos(swing), z=-2 * size * math.sin(swing)),
        "chest": quaternion(x=2, y=7 * size * math.cos(swing)),
        "head": quaternion(x=-3, y=-5 * size * math.cos(swing)),
    }
    for side, s, own in (("_l", 1, phase), ("_r", -1, phase + 0.5)):
        # A stance begins with the heel in front.
        thigh, shin, foot = leg(own % 1.0, size, height - 0.02)
        turns["thigh" + side] = quaternion(x=thigh, z=1.5 * s)
        turns["shin" + side] = quaternion(x=shin)
        turns["foot" + side] = quaternion(x=foot)
        forward = math.cos(2 * math.pi * own)  # 1 when the leg of this side is in front
        turns["arm" + side] = quaternion(x=size * 26 * forward, z=s * (ABDUCTED - 3 * size))
        turns["forearm" + side] = quaternion(x=-8 - size * (16 - 12 * forward))
    return turns, (0.0, height, way), way


binary = bytearray()
views, accessors = [], []


def store(form, rows, kind, component, target=None, bounds=False, normalized=False):
    while len(binary) % 4:
        binary.append(0)
    views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": 0, **({"target": target} if target else {})})
    for row in rows:
        binary.extend(struct.pack("<" + form, *row))
    views[-1]["byteLength"] = len(binary) - views[-1]["byteOffset"]
    entry = {"bufferView": len(views) - 1, "componentType": component, "count": len(rows), "type": kind}
    if bounds:
        as_stored = [struct.unpack("<" + form, struct.pack("<" + form, *row)) for row in rows]
        entry |= {"min": [min(c) for c in zip(*as_stored)], "max": [max(c) for c in zip(*as_stored)]}
    if normalized:
        entry["normalized"] = True
    accessors.append(entry)
    return len(accessors) - 1


def four(values):
    return (list(values) + [0, 0, 0, 0])[:4]


attributes = {
    "POSITION": store("3f", positions, "VEC3", 5126, 34962, bounds=True),
    "JOINTS_0": store("4B", [four(j for j, _ in own) for own in shares], "VEC4", 5121, 34962),
    "WEIGHTS_0": store("4f", [four(w for _, w in own) for own in shares], "VEC4", 5126, 34962),
}
indices = store("H", [(i,) for t in triangles for i in t], "SCALAR", 5123, 34963)
matrices = [(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, *(-x for x in BOUND[name]), 1) for name in NAMES]
inverse = store("16f", matrices, "MAT4", 5126)

nodes = [{"name": name, "translation": place} for name, _, place in JOINTS]
for i, (name, parent, _) in enumerate(JOINTS):
    if parent:
        nodes[NAMES.index(parent)].setdefault("children", []).append(i)
    if name.startswith("arm"):
        nodes[i]["rotation"] = quaternion(z=ABDUCTED if name.endswith("_l") else -ABDUCTED)
body, camera = len(nodes), len(nodes) + 1
EYE, AIM = (2.6, 1.25, 2.0), (0.0, 0.9, 0.1)
look = [a - b for a, b in zip(AIM, EYE)]
turn = quaternion(x=math.degrees(math.asin(look[1] / math.hypot(*look))), y=math.degrees(math.atan2(-look[0], -look[2])))
nodes += [{"name": "Body", "mesh": 0, "skin": 0}, {"name": "ShotCam", "camera": 0, "translation": EYE, "rotation": turn}]

times = [k / RATE for k in range(round(CYCLE * CYCLES * RATE) + 1)]
poses = [pose(t) for t in times]
clock = store("f", [(t,) for t in times], "SCALAR", 5126, bounds=True)
samplers, channels = [], []


def keys(node, path, rows, form, kind):
    samplers.append({"input": clock, "output": store(form, rows, kind, 5126), "interpolation": "LINEAR"})
    channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})


for i, name in enumerate(NAMES):
    keys(i, "rotation", [turns[name] for turns, _, _ in poses], "4f", "VEC4")
keys(0, "translation", [place for _, place, _ in poses], "3f", "VEC3")
keys(camera, "translation", [(EYE[0], EYE[1], EYE[2] + 0.85 * way) for _, _, way in poses], "3f", "VEC3")

text = json.dumps({
    "asset": {"version": "2.0", "generator": "walker.py"}, "scene": 0, "scenes": [{"nodes": [0, body, camera]}],
    "nodes": nodes, "meshes": [{"name": "Body", "primitives": [{"attributes": attributes, "indices": indices}]}],
    "skins": [{"joints": list(range(len(NAMES))), "inverseBindMatrices": inverse, "skeleton": 0}],
    "cameras": [{"type": "perspective", "perspective": {"yfov": 0.62, "aspectRatio": 16 / 9, "znear": 0.1}}],
    "animations": [{"name": "Walk", "samplers": samplers, "channels": channels}],
    "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(binary)}],
}, separators=(",", ":")).encode()
text += b" " * (-len(text) % 4)
binary.extend(b"\0" * (-len(binary) % 4))
chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + bytes(binary)
path = Path(__file__).with_name("walker.glb")
path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
print(f"{path.name}: {len(positions)} vertices, {len(triangles)} triangles, {path.stat().st_size} bytes")
