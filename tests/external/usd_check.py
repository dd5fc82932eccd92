"""Opens the USD files of run folders with Pixar's library and compares them with the OBJ files.

Every body must be there once, with the triangles of its OBJ files; places of all vertices at every
frame are those of the OBJ files, to the last bit where the frames tell them, to rounding where a
matrix moves them. The stage's units, rates and range must be the shot's, bounds must hold the
points, materials and pictures must be where they are said to be, and the library's validators must
find nothing.
"""

import json
import os

import numpy as np
from pxr import Sdf, Usd, UsdGeom, UsdShade, UsdValidation

from run_folder import file_of, main, obj_of, read_obj, shot_of

NEAR = 1e-6


def check_mesh(folder, mesh, body, frames, places, cache):
    """What is wrong with a body's mesh."""
    name = body["name"]
    obj = read_obj(obj_of(folder, name, frames[0]) or obj_of(folder, name, frames[-1]))
    if list(mesh.GetFaceVertexIndicesAttr().Get()) != obj[1]:
        yield f"{name} has other triangles"
    if set(mesh.GetFaceVertexCountsAttr().Get()) != {3}:
        yield f"{name} has faces that are no triangles"
    valid, why = UsdGeom.Mesh.ValidateTopology(
        mesh.GetFaceVertexIndicesAttr().Get(), mesh.GetFaceVertexCountsAttr().Get(), len(obj[0]))
    if not valid:
        yield f"{name}: {why}"
    group = [part for part in (body["group"] or "").split("/") if part]
    above = str(mesh.GetPath()).split("/")[1:-1]
    if above != ["root", *group]:
        yield f"{name} hangs on {above}"
    samples = mesh.GetPointsAttr().GetTimeSamples()
    if body["deforms"] and samples != places:
        yield f"{name} has points at {samples}"
    if not body["deforms"] and samples:
        yield f"{name} has points that move"
    uvs = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st")
    if (obj[2] is not None) != bool(uvs):
        yield f"{name} has texture coordinates: {bool(uvs)}"
    if obj[2] is not None and uvs:
        values = np.array(uvs.ComputeFlattened())
        if uvs.GetInterpolation() == "vertex":
            values = values[obj[1]]
        if not np.array_equal(values, obj[2]):
            yield f"{name} has other texture coordinates"
    for frame in frames:
        path = obj_of(folder, name, frame)
        shown = mesh.ComputeVisibility(frame) != UsdGeom.Tokens.invisible
        if shown != (path is not None):
            yield f"{name} is shown at frame {frame}: {shown}"
        if path is None:
            continue
        expected = read_obj(path)[0]
        points = np.array(mesh.GetPointsAttr().Get(frame), dtype=np.float32)
        extent = np.array(mesh.GetExtentAttr().Get(frame))
        if not np.array_equal(extent, [points.min(axis=0), points.max(axis=0)]):
            yield f"the bounds of {name} at frame {frame} are {extent}"
        normals = np.array(mesh.GetNormalsAttr().Get(frame))
        wanted = len(points) if body["deforms"] else len(obj[1])
        lengths = np.linalg.norm(normals, axis=1)
        if len(normals) != wanted or np.abs(lengths - 1).max() > 1e-5:
            yield f"{name} has {len(normals)} normals at frame {frame}"
        cache.SetTime(frame)
        matrix = np.array(cache.GetLocalToWorldTransform(mesh.GetPrim()))
        if body["deforms"]:
            if not np.array_equal(matrix, np.eye(4)):
                yield f"{name} is moved by more than its points"
            if not np.array_equal(points, expected):
                yield f"{name} is elsewhere at frame {frame}"
        else:
            places = points.astype(float) @ matrix[:3, :3] + matrix[3, :3]
            off = np.abs(places - expected).max()
            if off > NEAR:
                yield f"{name} is off by {off} m at frame {frame}"


def check_material(folder, prim, body):
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
    surface = material.ComputeSurfaceSource()[0] if material else None
    if not surface or surface.GetIdAttr().Get() != "UsdPreviewSurface":
        yield f"{body['name']} has no material"
        return
    for shader in Usd.PrimRange(material.GetPrim()):
        path = shader.GetAttribute("inputs:file")
        if path and not os.path.isfile(path.Get().resolvedPath):
            yield f"{body['name']} names the picture {path.Get()}, which is not there"
    diffuse = surface.GetInput("diffuseColor")
    if body["color_map"]:
        source = diffuse.GetConnectedSources()[0][0].source.GetPrim()
        if os.path.basename(source.GetAttribute("inputs:file").Get().path) != body["color_map"]:
            yield f"{body['name']} lacks its picture"
    elif not np.allclose(diffuse.Get(), body["color"], atol=1e-6):
        yield f"{body['name']} has the colour {diffuse.Get()}"


def check_stage(folder, stage, shot):
    """What is wrong with the stage itself, its cameras and its lights."""
    rate, (first, last) = shot["fps"][0] / shot["fps"][1], shot["frames"]
    if UsdGeom.GetStageUpAxis(stage) != "Y" or UsdGeom.GetStageMetersPerUnit(stage) != 1.0:
        yield "it is not in metres with Y up"
    if [stage.GetTimeCodesPerSecond(), stage.GetFramesPerSecond()] != [rate, rate]:
        yield f"it has {stage.GetTimeCodesPerSecond()} time codes a second"
    if [stage.GetStartTimeCode(), stage.GetEndTimeCode()] != [first, last]:
        yield f"it goes from {stage.GetStartTimeCode()} to {stage.GetEndTimeCode()}"
    if stage.GetDefaultPrim().GetPath() != Sdf.Path("/root"):
        yield f"its default prim is {stage.GetDefaultPrim()}"
    for camera in shot["cameras"]:
        prim = UsdGeom.Camera(stage.GetPrimAtPath("/root/" + camera["name"]))
        lens = camera["lens"] if isinstance(camera["lens"], list) else [camera["lens"]]
        for frame, length in ((first, lens[0]), (last, lens[-1])):
            seen = prim.GetCamera(frame)
            longer = max(seen.horizontalAperture, seen.verticalAperture)
            if abs(seen.focalLength / longer - length / 36.0) > 1e-6:
                yield f"{camera['name']} has the lens {seen.focalLength} at frame {frame}"
    expected = os.path.join(folder, "expected.json")
    with open(expected, encoding="utf-8") as text:
        expected = json.load(text)
    for name, frames in expected["cameras"].items():
        prim = UsdGeom.Camera(stage.GetPrimAtPath("/root/" + name))
        for frame, pose in frames.items():
            frustum = prim.GetCamera(int(frame)).frustum
            ahead = np.subtract(pose["look_at"], pose["position"])
            ahead = ahead / np.linalg.norm(ahead)
            if (np.abs(np.subtract(frustum.position, pose["position"])).max() > NEAR
                    or np.abs(np.array(frustum.ComputeViewDirection()) - ahead).max() > NEAR):
                yield f"{name} stands at {frustum.position} at frame {frame}"
    kinds = {"SUN": "DistantLight", "AREA": "RectLight", "POINT": "SphereLight", "SKY": "DomeLight"}
    for light in shot["lights"]:
        prim = stage.GetPrimAtPath("/root/" + light["name"])
        if not prim or prim.GetTypeName() != kinds[light["kind"]]:
            yield f"{light['name']} is {prim}"


def check(folder):
    path = file_of(folder, "usdc")
    stage, shot = Usd.Stage.Open(path), shot_of(folder)
    problems = list(check_stage(folder, stage, shot))
    meshes = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    cache = UsdGeom.XformCache()
    frames = list(range(shot["frames"][0], shot["frames"][1] + 1))
    n = shot["subframes"]
    places = [f + k / n for f in frames[:-1] for k in range(n)] + [float(frames[-1])]
    for body in shot["bodies"]:
        own = [m for m in meshes if (m.GetDisplayName() or m.GetName()) == body["name"]]
        if len(own) != 1:
            problems.append(f"{body['name']} is there {len(own)} times")
            continue
        problems += check_mesh(folder, UsdGeom.Mesh(own[0]), body, frames, places, cache)
        problems += check_material(folder, own[0], body)
    # As text and back: every value of every field is read.
    text = stage.GetRootLayer().ExportToString()
    again = Sdf.Layer.CreateAnonymous(".usda")
    if not again.ImportFromString(text):
        problems.append("it cannot be written as text")
    rules = UsdValidation.ValidationContext(
        UsdValidation.ValidationRegistry().GetOrLoadAllValidators())
    problems += [f"{e.GetName()}: {e.GetMessage()}" for e in rules.Validate(stage)]
    print(f"{path}: {len(problems)} problems, {len(meshes)} meshes, {len(frames)} frames")
    return problems


if __name__ == "__main__":
    main(check)
