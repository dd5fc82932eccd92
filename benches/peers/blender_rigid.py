"""Times Blender's rigid bodies (Bullet) on the work of `retake bench pit`, as Blender comes: ten substeps a frame and
ten iterations of its solver.

    python -m venv peer && peer/bin/pip install bpy==5.0.1
    peer/bin/python benches/peers/blender_rigid.py SIZE [FRAMES [SUBSTEPS [ITERATIONS]]]

SIZE is the number of cubes; FRAMES of a 24th of a second are simulated (72). Cubes are turned as far as those of the
benchmark, not alike. Prints one line of JSON: seconds of computing for a second of film, the
deepest penetration of any two bodies, walls and ground included, in any frame, and in any past the first second [mm] (the
least overlap over the 15 axes of two boxes; penetration within frames is not seen), the speed of the fastest body in the last
frame [m/s], and how many cubes left the pit.
"""

import json
import math
import random
import sys
import time

import bpy
import numpy

# The sharpest angle between edges at which their common normal still parts what the faces do not.
PARALLEL = 1e-6


def block(name, size, place, turn, active, friction, density=None):
    bpy.ops.mesh.primitive_cube_add(size=1, location=place, rotation=turn)
    made = bpy.context.object
    made.name = name
    made.scale = size
    bpy.ops.rigidbody.object_add(type="ACTIVE" if active else "PASSIVE")
    body = made.rigid_body
    body.collision_shape = "BOX"
    body.friction = friction
    if density is not None:
        body.mass = density * math.prod(size)
    return made


def pit(count):
    """Cubes of 0.2 m fall into a bin that they fill as high as it is wide; y of the benchmark is up, here z is."""
    across = next(side for side in range(1, count + 1) if side**3 >= count)
    half = 0.14 * across
    block("ground", (20, 20, 1), (0, 0, -0.5), (0, 0, 0), False, 0.5)
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        size = (0.2 if x else 2 * half, 0.2 if y else 2 * half + 0.4, 4 * half)
        place = (x * (half + 0.1), y * (half + 0.1), 2 * half)
        block(f"wall {x} {y}", size, place, (0, 0, 0), False, 0.5)
    chance = random.Random(0)
    cubes = []
    for i in range(count):
        column, level = i % across**2, i // across**2
        at = [0.28 * k - half + 0.14 for k in (column % across, column // across)]
        turn = [math.radians(chance.uniform(-12, 12)) for _ in range(3)]
        place = (*at, 0.16 + 0.3 * level)
        cubes.append(block(f"cube {i}", (0.2, 0.2, 0.2), place, turn, True, 0.5, 500))
    return cubes, half


def depths(centres, turns, half, fixed):
    """The deepest overlap of boxes of one size `half`, and of them with `fixed` ones (centre, half) along the axes."""
    most = 0.0
    reach = 2 * numpy.linalg.norm(half)
    order = numpy.argsort(centres[:, 0])
    pairs = []
    for k, i in enumerate(order):
        for j in order[k + 1 :]:
            if centres[j, 0] - centres[i, 0] > reach:
                break
            if numpy.linalg.norm(centres[i] - centres[j]) < reach:
                pairs.append((i, j))
    if pairs:
        a, b = numpy.array(pairs).T
        most = max(most, overlap(centres[a], turns[a], half, centres[b], turns[b], half))
    every = numpy.arange(len(centres))
    for centre, other in fixed:
        there = numpy.repeat(centre[None], len(every), 0)
        still = numpy.repeat(numpy.eye(3)[None], len(every), 0)
        most = max(most, overlap(centres, turns, half, there, still, other))
    return most


def overlap(centre_a, turn_a, half_a, centre_b, turn_b, half_b):
    """The most over pairs of boxes of the least overlap over their 15 axes. Columns of a turn are a box's axes."""
    apart = centre_b - centre_a
    least = numpy.full(len(apart), math.inf)

    def look(axes, fine=True):
        nonlocal least
        own = numpy.abs(numpy.einsum("nij,ni->nj", turn_a, axes)) @ half_a
        other = numpy.abs(numpy.einsum("nij,ni->nj", turn_b, axes)) @ half_b
        between = own + other - numpy.abs(numpy.einsum("ni,ni->n", apart, axes))
        least = numpy.where(fine, numpy.minimum(least, between), least)

    for k in range(3):
        look(turn_a[:, :, k])
        look(turn_b[:, :, k])
    for k in range(3):
        for m in range(3):
            axes = numpy.cross(turn_a[:, :, k], turn_b[:, :, m])
            length = numpy.linalg.norm(axes, axis=1)
            fine = length > PARALLEL
            look(axes / numpy.where(fine, length, 1.0)[:, None], fine)
    return max(0.0, float(least.max()))


def main():
    given = [int(text) for text in sys.argv[1:]]
    count, frames, substeps, iterations = (given + [None] * 3)[:4]
    frames = frames or 72
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = 24
    scene.frame_start, scene.frame_end = 1, frames + 1
    bpy.ops.rigidbody.world_add()
    world = scene.rigidbody_world
    world.substeps_per_frame = substeps or world.substeps_per_frame
    world.solver_iterations = iterations or world.solver_iterations
    world.point_cache.frame_start, world.point_cache.frame_end = 1, frames + 1
    bodies, half_of_pit = pit(count)
    passive = [o for o in scene.objects if o.rigid_body.type == "PASSIVE"]
    fixed = [(numpy.array(o.location), numpy.array(o.scale) / 2) for o in passive]
    half = numpy.array(bodies[0].scale) / 2
    scene.frame_set(1)
    seconds, deepest, at_rest, before, fastest = 0.0, 0.0, 0.0, None, 0.0
    for frame in range(2, frames + 2):
        began = time.perf_counter()
        scene.frame_set(frame)
        seconds += time.perf_counter() - began
        matrices = [numpy.array(body.matrix_world) for body in bodies]
        centres = numpy.array([m[:3, 3] for m in matrices])
        turns = numpy.array([m[:3, :3] / numpy.linalg.norm(m[:3, :3], axis=0) for m in matrices])
        depth = 1000 * depths(centres, turns, half, fixed)
        deepest = max(deepest, depth)
        if frame - 1 > 24:
            at_rest = max(at_rest, depth)
        if before is not None:
            fastest = 24 * float(numpy.linalg.norm(centres - before, axis=1).max())
        before = centres
    left = (numpy.abs(centres[:, :2]).max(axis=1) > half_of_pit) | (centres[:, 2] < 0)
    told = {
        "peer": f"blender {bpy.app.version_string}",
        "case": "pit",
        "size": count,
        "substeps": world.substeps_per_frame,
        "iterations": world.solver_iterations,
        "cost": round(24 * seconds / frames, 4),
        "deepest_mm": round(deepest, 3),
        "deepest_after_1s_mm": round(at_rest, 3),
        "fastest": round(fastest, 4),
        "lost": int(left.sum()),
    }
    print(json.dumps(told))


main()
