"""Times Blender's cloth on the work of `retake bench drape`: a square sheet of 2 m and 0.2 kg/m2 falls from 8 mm
above a fixed ball of 0.5 m, with self-collision, for 3 s of 24 frames.

    python -m venv peer && peer/bin/pip install bpy==4.5.4
    peer/bin/python benches/peers/blender_drape.py SIDE [FRAMES] [sheet]

SIDE is the number of vertices along a side. With `sheet` the sheet has its own mass in place of Blender's
default of 0.3 kg a vertex. Prints one line of JSON: milliseconds a frame, the largest and the root mean square
strain of the edges, and the speed of the fastest vertex in the last frame [m/s].
"""

import json
import math
import sys
import time

import bpy


def ball(segments=64, rings=32):
    bpy.ops.mesh.primitive_uv_sphere_add(
        segments=segments, ring_count=rings, radius=0.5, location=(0, 0, 0)
    )
    made = bpy.context.object
    made.modifiers.new("collision", "COLLISION")
    made.collision.thickness_outer = 0.004
    made.collision.cloth_friction = 0.4 * 10
    return made


def sheet(side, own_mass):
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=side - 1, y_subdivisions=side - 1, size=2, location=(0, 0, 0.508)
    )
    made = bpy.context.object
    cloth = made.modifiers.new("cloth", "CLOTH")
    if own_mass:
        cloth.settings.mass = 0.2 * 4 / side**2
    collisions = cloth.collision_settings
    collisions.distance_min = 0.004
    collisions.use_self_collision = True
    collisions.self_distance_min = 0.004
    collisions.self_friction = 0.4 * 10
    return made


def places(made):
    graph = bpy.context.evaluated_depsgraph_get()
    mesh = made.evaluated_get(graph).to_mesh()
    flat = [0.0] * (3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", flat)
    return [tuple(flat[k : k + 3]) for k in range(0, len(flat), 3)]


def main():
    side = int(sys.argv[1])
    frames = int(sys.argv[2]) if len(sys.argv) > 2 else 72
    own_mass = "sheet" in sys.argv
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = 24
    scene.frame_start, scene.frame_end = 1, frames + 1
    ball()
    made = sheet(side, own_mass)
    cache = made.modifiers["cloth"].point_cache
    cache.frame_start, cache.frame_end = 1, frames + 1
    edges = [tuple(edge.vertices) for edge in made.data.edges]
    at_rest = [tuple(v.co) for v in made.data.vertices]
    scene.frame_set(1)
    begin = time.perf_counter()
    for frame in range(2, frames + 1):
        scene.frame_set(frame)
    before = places(made)
    scene.frame_set(frames + 1)
    seconds = time.perf_counter() - begin
    after = places(made)
    strains = [
        math.dist(after[a], after[b]) / math.dist(at_rest[a], at_rest[b]) - 1 for a, b in edges
    ]
    print(
        json.dumps(
            {
                "peer": f"blender {bpy.app.version_string}",
                "size": side,
                "frames": frames,
                "ms_a_frame": round(1000 * seconds / frames, 1),
                "largest_strain": round(max(strains), 4),
                "rms_strain": round(math.sqrt(sum(s * s for s in strains) / len(strains)), 4),
                "fastest": round(max(math.dist(a, b) for a, b in zip(before, after)) * 24, 4),
                "lowest": round(min(p[2] for p in after) + 0.508, 3),
            }
        )
    )


main()
