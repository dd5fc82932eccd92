-- A soft jelly falls in a hammock of cloth that hangs by four ropes. It comes to lie in it: above the ground, within the cloth, at rest, its
-- weight m g on the cloth (normals lean by up to 45 degrees: m g to 1.41 m g) and m g and the cloth's on the hooks (F >= a quarter each).
local retake = require "retake"

local cut = retake.param("cut", 0, { integer = true, min = 0, max = 4, help = "a rope that is left out, for the check to find" })

local shot = retake.shot { name = "jelly_in_a_hammock", fps = 24, duration = 4 }
local long, wide, high = 1.2, 0.8, 1
local canvas = retake.material.fabric "denim"
canvas.young, canvas.shear = 4e4, 1e4
local cloth = shot:cloth {
  name = "hammock", friction = 0.5, material = canvas,
  mesh = retake.mesh.grid { size = { long, wide }, vertices = { 25, 17 }, normal = { 0, 1, 0 }, center = { 0, high, 0 } },
}
cloth:look { color = "#2f6f73", roughness = 0.8 }
local hooks = {}
for i, corner in ipairs { "top-left", "top-right", "bottom-right", "bottom-left" } do
  if i ~= cut then
    local sx, sz = (i == 2 or i == 3) and 1 or -1, i > 2 and 1 or -1
    local x, z = sx * (long / 2 + 0.006), sz * (wide / 2 + 0.004)
    local rope = shot:rope { name = corner .. " rope", radius = 0.005, density = 900, stretch = 2e4, bend = 1e-4,
      mesh = retake.mesh.rope { from = { x, high, z }, to = { x + 0.2 * sx, high + 0.35, z + 0.1 * sz }, segments = 8 } }
    rope:look { color = "#efe6d0", roughness = 0.9 }
    shot:stitch { a = rope:vertices { 0 }, b = cloth:corner(corner) }
    hooks[#hooks + 1] = shot:pin { name = corner .. " hook", points = rope:vertices { 8 } }
  end
end

local size, density = 0.24, 400
local jelly = shot:soft {
  name = "jelly", friction = 0.5, translate = { 0.02, high + 0.3, 0.01 }, rotate = { 10, 20, 15 },
  mesh = retake.mesh.tet_box { size = { size, size * 0.75, size }, cells = { 4, 3, 4 } },
  material = retake.material.soft { young = 5000, poisson = 0.4, density = density, damping = 0.02 },
}
jelly:look { color = "#c81e3a", roughness = 0.15, transmission = 0.35, ior = 1.35 }
shot:ground { height = 0 }:look { color = "#b9ad97", roughness = 0.8 }
shot:drag { linear = 1.5 }

local weight = 0.75 * size ^ 3 * density * 9.81
local function last(world) return world.time > 3.99 end
shot:measure { name = "height of the jelly", unit = "m", min = 0.4, value = function(world) return world:body("jelly"):position()[2] end }
shot:measure { name = "aside", unit = "m", max = wide / 4, value = function(world)
  local p = world:body("jelly"):position()
  return math.max(math.abs(p[1]), math.abs(p[3]))
end }
shot:measure { name = "on the cloth", unit = "m g", min = 0.95, max = 1.41, value = function(world)
  return last(world) and 24 * world:impulse("jelly", "hammock") / weight or 1
end }
shot:measure { name = "on the hooks", unit = "m g", min = 1, value = function(world)
  local sum = 0
  for _, hook in ipairs(hooks) do sum = sum + world:reaction(hook) end
  return last(world) and sum / weight or 1
end }
shot:measure { name = "fastest at last", unit = "m/s", max = 0.05, value = function(world) return last(world) and world:body("jelly"):fastest() or 0 end }
return shot
