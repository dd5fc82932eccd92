"""Brings the shot "@SHOT@" into Blender.

Run it in Blender's text editor, or as `blender -P import_@SHOT@.py` (with -b for no window), or
with Python where the module bpy is installed. It may be moved only together with the folders
beside it, and may be run again: it replaces what it brought in before.
"""

import math
import os
import struct

import bpy

SHOT = @DATA@


def folder():
    """Where this script lies; Blender's text editor gives no path for an unsaved copy."""
    own = globals().get("__file__", "")
    if os.path.isfile(own):
        return os.path.dirname(os.path.abspath(own))
    name = "import_" + SHOT["shot"] + ".py"
    for text in bpy.data.texts:
        if os.path.basename(text.filepath) == name:
            return os.path.dirname(bpy.path.abspath(text.filepath))
    raise RuntimeError("open " + name + " from its folder, so that it finds the files beside it")


HERE = folder()


def beside(*parts):
    return os.path.join(HERE, *parts)


def is_ours(thing):
    return thing.get("retake_shot") == SHOT["shot"]


def remove_previous():
    """Removes what an earlier run brought in, and the data that nothing uses any more."""
    for thing in [o for o in bpy.data.objects if is_ours(o)]:
        bpy.data.objects.remove(thing)
    for thing in [c for c in bpy.data.collections if is_ours(c)]:
        bpy.data.collections.remove(thing)
    kinds = (bpy.data.meshes, bpy.data.materials, bpy.data.images, bpy.data.cameras,
             bpy.data.lights, bpy.data.actions)
    for kind in kinds:
        for thing in [t for t in kind if is_ours(t) and t.users == 0]:
            kind.remove(thing)


def set_time(scene):
    """Frames a second before anything is brought in: glTF counts seconds, Blender frames."""
    numerator, denominator = SHOT["fps"]
    rate = numerator / denominator
    scene.render.fps = max(1, round(rate))
    scene.render.fps_base = scene.render.fps / rate
    scene.frame_start, scene.frame_end = SHOT["frames"]
    if SHOT["picture"]:
        scene.render.resolution_x, scene.render.resolution_y = SHOT["picture"]


def curves_of(action):
    """The curves of an action, before and after Blender 4.4 gave actions layers."""
    if len(getattr(action, "layers", ())) == 0:
        return list(getattr(action, "fcurves", ()))
    found = []
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                found.extend(bag.fcurves)
    return found


def place_of(i):
    """The frame of sample i; between two frames where the shot has several samples a frame."""
    return SHOT["frames"][0] + i / SHOT["subframes"]


def retime(action):
    """Puts key i where sample i is. The importer is off where frames a second are no whole
    number, and glTF knows no times before 0."""
    for curve in curves_of(action):
        keys = curve.keyframe_points
        places = [0.0] * (2 * len(keys))
        keys.foreach_get("co", places)
        places[0::2] = [place_of(i) for i in range(len(keys))]
        keys.foreach_set("co", places)
        for key in keys:
            key.interpolation = "LINEAR"
        curve.update()


def bring_in_gltf(path):
    """The objects of the file, by their kind and name in the shot."""
    kinds = (bpy.data.objects, bpy.data.meshes, bpy.data.materials, bpy.data.images,
             bpy.data.cameras, bpy.data.lights, bpy.data.actions)
    before = [set(kind) for kind in kinds]
    bpy.ops.import_scene.gltf(filepath=path)
    new = [[t for t in kind if t not in old] for kind, old in zip(kinds, before)]
    for things in new:
        for thing in things:
            thing["retake_shot"] = SHOT["shot"]
    for action in new[-1]:
        retime(action)
    found = {}
    groups = []
    for thing in new[0]:
        for kind in ("body", "camera", "light"):
            if "retake_" + kind in thing:
                found[kind, thing["retake_" + kind]] = thing
        if "retake_group" in thing:
            groups.append(thing)
    # Groups become collections; their nodes stand at the origin and move nothing.
    for thing in new[0]:
        if thing.parent in groups:
            thing.parent = None
    for thing in groups:
        bpy.data.objects.remove(thing)
    return found


def material_of(body):
    """A material for a body that is in no glTF file."""
    material = bpy.data.materials.new(body["name"])
    material["retake_shot"] = SHOT["shot"]
    if not material.node_tree:
        material.use_nodes = True
    shader = next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
    values = {
        "Base Color": (*body["color"], 1.0),
        "Roughness": body["roughness"],
        "Metallic": body["metallic"],
        "Alpha": body["opacity"],
        "IOR": body["ior"],
        "Transmission Weight": body["transmission"],
        "Transmission": body["transmission"],
    }
    for name, value in values.items():
        if name in shader.inputs:
            shader.inputs[name].default_value = value
    add_pictures(material.node_tree, shader, body)
    return material


def add_pictures(tree, shader, body):
    """The pictures of colours and normals, as the importer of glTF would connect them."""
    def picture(name, space):
        node = tree.nodes.new("ShaderNodeTexImage")
        node.image = bpy.data.images.load(beside("cache", name), check_existing=True)
        node.image.colorspace_settings.name = space
        node.image["retake_shot"] = SHOT["shot"]
        return node.outputs["Color"]

    if body["color_map"]:
        color = picture(body["color_map"], "sRGB")
        if body["color"] != [1.0, 1.0, 1.0]:
            mix = tree.nodes.new("ShaderNodeMix")
            mix.data_type, mix.blend_type = "RGBA", "MULTIPLY"
            mix.inputs["Factor"].default_value = 1.0
            inputs = [s for s in mix.inputs if s.type == "RGBA"]
            inputs[1].default_value = (*body["color"], 1.0)
            tree.links.new(color, inputs[0])
            color = next(s for s in mix.outputs if s.type == "RGBA")
        tree.links.new(color, shader.inputs["Base Color"])
    if body["normal_map"]:
        bump = tree.nodes.new("ShaderNodeNormalMap")
        tree.links.new(picture(body["normal_map"], "Non-Color"), bump.inputs["Color"])
        tree.links.new(bump.outputs["Normal"], shader.inputs["Normal"])


def read_obj(path):
    """Vertices (Z up), triangles and the corners' texture coordinates of one of our OBJ files. Blender's own
    importer would turn the object, and the cache with it."""
    vertices, faces, corners, uvs = [], [], [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            word, *rest = line.split()
            if word == "v":
                x, y, z = map(float, rest)
                vertices.append((x, -z, y))
            elif word == "vt":
                uvs.append((float(rest[0]), float(rest[1])))
            elif word == "f":
                faces.append([int(corner.split("/")[0]) - 1 for corner in rest])
                corners.extend(int(corner.split("/")[-1]) - 1 for corner in rest)
    return vertices, faces, [uvs[i] for i in corners] if uvs else []


def cache_of(body):
    """The path of a body's point cache, or none."""
    paths = [beside("cache", body["name"] + ending) for ending in (".pc2", ".mdd")]
    return next((path for path in paths if os.path.isfile(path)), None)


def first_frame(path):
    """The frame of a point cache's first sample; MDD has its time in seconds."""
    with open(path, "rb") as cache:
        if path.endswith(".pc2"):
            return struct.unpack("<12siiffi", cache.read(32))[3]
        numerator, denominator = SHOT["fps"]
        return round(struct.unpack(">iif", cache.read(12))[2] * numerator / denominator)


def bring_in_cache(body, path, material):
    """A deforming body whose points come from its cache, sample by sample."""
    vertices, faces, uvs = read_obj(beside("cache", body["name"] + ".obj"))
    mesh = bpy.data.meshes.new(body["name"])
    mesh["retake_shot"] = SHOT["shot"]
    mesh.from_pydata(vertices, [], faces)
    mesh.polygons.foreach_set("use_smooth", [True] * len(faces))
    if uvs:
        layer = mesh.uv_layers.new(name="UVMap")
        layer.data.foreach_set("uv", [x for uv in uvs for x in uv])
    mesh.materials.append(material)
    mesh.update()
    thing = bpy.data.objects.new(body["name"], mesh)
    thing["retake_shot"] = SHOT["shot"]
    thing["retake_body"] = body["name"]
    modifier = thing.modifiers.new("Retake", "MESH_CACHE")
    modifier.cache_format = path[-3:].upper()
    modifier.filepath = path
    modifier.interpolation = "LINEAR"
    modifier.time_mode = "FRAME"
    modifier.play_mode = "SCENE"
    # Blender counts the samples of a cache: its number is frame * scale - start.
    modifier.frame_start = first_frame(path) * SHOT["subframes"]
    modifier.frame_scale = SHOT["subframes"]
    modifier.deform_mode = "OVERWRITE"
    # The cache is Y up as everything else; the modifier turns the other way round than importers,
    # so that these names give (x, -z, y).
    modifier.forward_axis = "POS_Z"
    modifier.up_axis = "NEG_Y"
    return thing


def collections(scene):
    """A function from a group's path to its collection, below one for the shot."""
    made = {}

    def of(path):
        if path not in made:
            above, _, name = path.rpartition("/")
            collection = bpy.data.collections.new(name or SHOT["shot"])
            collection["retake_shot"] = SHOT["shot"]
            parent = of(above) if path else scene.collection
            parent.children.link(collection)
            made[path] = collection
        return made[path]

    return of


def put(thing, collection):
    for other in list(thing.users_collection):
        other.objects.unlink(thing)
    collection.objects.link(thing)


def set_value(owner, name, value):
    """Sets a number, or keys it at every sample where it is a list."""
    if not isinstance(value, list):
        setattr(owner, name, value)
        return
    for i, number in enumerate(value):
        setattr(owner, name, number)
        owner.keyframe_insert(name, frame=place_of(i))
    data = owner.id_data.animation_data
    if data and data.action:
        data.action["retake_shot"] = SHOT["shot"]


def set_camera(thing, camera):
    data = thing.data
    data.sensor_fit = "AUTO"
    data.sensor_width = 36.0
    data.lens_unit = "MILLIMETERS"
    set_value(data, "lens", camera["lens"])
    if camera["fstop"] is not None:
        data.dof.use_dof = True
        set_value(data.dof, "aperture_fstop", camera["fstop"])
        if camera["focus"] is not None:
            set_value(data.dof, "focus_distance", camera["focus"])


def set_light(thing, light):
    thing.data.type = light["kind"]
    data = thing.data  # another kind is another Python type
    data.color = light["color"]
    set_value(data, "energy", light["strength"])
    if light["kind"] == "SUN":
        data.angle = math.radians(light["size"])
    elif light["kind"] == "AREA":
        data.shape = "SQUARE"
        data.size = light["size"]
    else:
        data.shadow_soft_size = 0.5 * light["size"]


def set_sky(scene, light):
    """The sky, unless the scene has a world that somebody made."""
    if scene.world and not is_ours(scene.world) and scene.world.name != "World":
        return
    world = next((w for w in bpy.data.worlds if is_ours(w)), None)
    world = world or bpy.data.worlds.new(SHOT["shot"] + " sky")
    world["retake_shot"] = SHOT["shot"]
    if not world.node_tree:
        world.use_nodes = True
    background = next(n for n in world.node_tree.nodes if n.type == "BACKGROUND")
    background.inputs["Color"].default_value = (*light["color"], 1.0)
    strength = light["strength"]
    background.inputs["Strength"].default_value = (
        strength[0] if isinstance(strength, list) else strength)
    scene.world = world


def main():
    scene = bpy.context.scene
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    remove_previous()
    set_time(scene)
    collection = collections(scene)
    path = beside("gltf", SHOT["shot"] + ".glb")
    found = bring_in_gltf(path) if os.path.isfile(path) else {}
    for body in SHOT["bodies"]:
        thing = found.get(("body", body["name"]))
        cache = cache_of(body) if body["deforms"] else None
        if cache is not None:
            material = None
            if thing is not None:
                material = thing.data.materials[0] if thing.data.materials else None
                mesh, keys = thing.data, thing.data.shape_keys
                actions = [keys.animation_data.action] if keys and keys.animation_data else []
                bpy.data.objects.remove(thing)
                bpy.data.meshes.remove(mesh)
                for action in actions:
                    if action and action.users == 0:
                        bpy.data.actions.remove(action)
            thing = bring_in_cache(body, cache, material or material_of(body))
        if thing is not None:
            put(thing, collection(body["group"] or ""))
            thing.name = body["name"]
    for camera in SHOT["cameras"]:
        thing = found.get(("camera", camera["name"]))
        if thing is not None:
            put(thing, collection(""))
            set_camera(thing, camera)
            if scene.camera is None or camera is SHOT["cameras"][0]:
                scene.camera = thing
    for light in SHOT["lights"]:
        thing = found.get(("light", light["name"]))
        if thing is not None:
            put(thing, collection(""))
            set_light(thing, light)
        elif light["kind"] == "SKY":
            set_sky(scene, light)
    scene.frame_set(SHOT["frames"][0])


if __name__ == "__main__":
    main()
