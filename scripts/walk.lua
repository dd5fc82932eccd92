-- A figure walks in a skirt and a cape: a skin of a file, moved by its clip, with cloth on it.
local retake = require "retake"

local fullness = retake.param("fullness", 0.30, { min = 0, max = 0.6, help = "depth of the skirt's folds, as a part of its radius" })
local fabric = retake.param("fabric", "cotton", { choices = { "silk", "cotton", "wool" } })

-- Before the first frame the figure comes from how it stands in the file into its clip.
local shot = retake.shot { name = "walk", fps = 24, duration = 2, preroll = 0.5 }
local set = retake.stage "figures/walker.glb" -- made by figures/walker.py
local figure = shot:collider { name = "figure", from = set, object = "Body", clip = "Walk", friction = 0.3 }
figure:look { color = "#a39384", roughness = 0.5, subdivide = 1 }

-- An open cone of cloth around the waist; its folds deepen towards the hem.
local waist, hem = 1.06, 0.47
local cone = retake.mesh.cone { radius = 0.36, top_radius = 0.150, height = waist - hem, segments = 60, rings = 13,
  caps = false, center = { 0, (waist + hem) / 2, 0 } }
local skirt = shot:cloth { name = "skirt", material = retake.material.fabric(fabric), friction = 0.3,
  mesh = cone:displaced(function(p)
    local down = (waist - p.y) / (waist - hem)
    local fold = 1 + fullness * down * math.cos(10 * math.atan(p.z, p.x)) / 2
    return p.x * fold, p.y, p.z * fold * (0.82 + 0.18 * down)
  end) }
skirt:look { color = "#7d1f2f", roughness = 0.8 }
shot:attach { points = skirt:where(function(p) return p.y > waist - 0.01 end), to = figure }

-- A cape that lies around the shoulders and hangs down the back.
local around, long = math.rad(105), 0.98
local flat = retake.mesh.grid { size = { 2, long }, vertices = { 31, 24 } }
local cape = shot:cloth { name = "cape", material = retake.material.fabric(fabric), friction = 0.3,
  mesh = flat:displaced(function(p)
    local s = (long / 2 - p.y) / long -- 0 at the neck, 1 at the hem
    local a = p.x * around
    local out = 0.085 + 0.20 * math.min(s / 0.17, 1) + 0.16 * math.max(s - 0.17, 0)
    local y = 1.515 - 0.09 * math.min(s / 0.17, 1) - (s > 0.17 and (s - 0.17) * long or 0)
    local fold = s > 0.17 and 1 + 0.05 * (s - 0.17) * math.cos(9 * a) or 1
    return out * fold * math.sin(a), y, -out * fold * math.cos(a) * (0.62 + 0.25 * s)
  end) }
cape:look { color = "#27435f", roughness = 0.75 }
shot:attach { points = cape:edge "top", to = figure }

shot:ground { height = 0 }:look { color = "#4b5345", roughness = 0.6 }
shot:drag { linear = 0.25 }
shot:camera { name = "alongside", from = set, object = "ShotCam" }
shot:measure { name = "stretch", unit = "%", max = 6, value = function(world)
  return 100 * math.max(world:body("skirt"):stretch(), world:body("cape"):stretch())
end }
shot:output { images = { width = 960, height = 540, samples = 16, every = 12 } }
return shot
