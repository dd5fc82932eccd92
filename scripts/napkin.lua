-- A napkin lands off centre on a smooth ball, slides off and crumples on the floor.
local retake = require "retake"

local friction = retake.param("friction", 0.12, { min = 0, max = 1.5, help = "of the ball" })

local shot = retake.shot { name = "napkin", fps = 24, duration = 2.5 }

local ball = shot:collider {
  name = "ball", friction = friction,
  mesh = retake.mesh.sphere { radius = 0.22, subdivisions = 4, center = { 0, 0.221, 0 } },
}
ball:look { color = "#c9a227", metallic = 1, roughness = 0.25 }

local napkin = shot:cloth {
  name = "napkin", friction = 0.5,
  mesh = retake.mesh.grid { size = { 0.5, 0.5 }, vertices = { 41, 41 }, normal = { 0, 1, 0 }, center = { 0.15, 0.48, 0.04 } },
  material = retake.material.fabric "cotton",
}
napkin:look { color = "#b5392f", roughness = 0.8 }

shot:ground { height = 0, friction = 0.6 }:look { color = "#9aa0a4", roughness = 0.55 }
shot:drag { linear = 0.5 }
shot:contact { a = napkin, b = ball, friction = friction }

shot:camera { name = "low", position = { 0.95, 0.62, 1.15 }, look_at = { 0.12, 0.17, 0 }, lens = 42 }
shot:on_frame(function(frame, world)
  if not world.memory.down and world:contacts("napkin", "ground") > 0 then
    world.memory.down = frame
    world:event { name = "the napkin touches the floor", body = "napkin" }
  end
end)
shot:measure { name = "stretch", unit = "%", max = 3, value = function(world) return 100 * world:body("napkin"):stretch() end }
shot:measure { name = "lowest point", unit = "m", min = 0, value = function(world) return world:body("napkin"):bounds()[2] end }
shot:output { images = { width = 640, height = 480, samples = 16, every = 24 } }
return shot
