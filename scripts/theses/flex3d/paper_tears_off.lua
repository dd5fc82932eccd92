-- A notice stuck to a board is torn off: the glue gives way spot by spot. The film's paper
-- (Nedel 1993, 6.1) in Retake's own cloth; fig_6_4_papel.par beside it is the thesis' own.
local retake = require "retake"

local glue = retake.param("glue", 0.12, { min = 0.01, max = 5, unit = "N", help = "force at which a spot of glue gives way" })

local shot = retake.shot { name = "paper_tears_off", fps = 24, duration = 2.0 }
local size, n, height = 0.3, 31, 1.4

local board = shot:collider {
  name = "board", friction = 0.3, mesh = retake.mesh.box { size = { 0.5, 0.5, 0.02 } }, translate = { 0, height, -0.0125 },
}
board:look { color = "#6b5038", roughness = 0.9 }

local paper = shot:cloth {
  name = "paper", friction = 0.3, thickness = 0.001,
  mesh = retake.mesh.grid { size = { size, size }, vertices = { n, n }, center = { 0, height, 0 } },
  material = retake.material.membrane { young = 3000, poisson = 0.2, shear = 1200, bend = 2e-4, density = 0.1, damping = 0.005 },
}
paper:look { color = "#f2ead6", roughness = 0.9 }

-- Spots of glue, in rows and columns.
for row = 2, n - 3, 4 do
  for column = 2, n - 3, 4 do
    shot:pin { name = ("glue %d %d"):format(row, column), points = paper:at(row, column), breaks_at = glue }
  end
end

-- A hand takes the top right corner and pulls it down and away, then lets go.
local corner = paper:inside { { size / 2 - 0.025, height + size / 2 - 0.025, -1 }, { 1, 3, 1 } }
local hand = shot:pin { name = "hand", points = corner }
hand:translate { starts = 0.2, ends = 0.7, by = { -0.03, 0, 0.12 }, ease = "smooth" }
hand:translate { starts = 0.5, ends = 1.9, by = { -0.3, -0.35, 0.15 }, ease = "smooth" }
hand:release { at = 1.9 }

shot:ground { height = 0.9, friction = 0.5 }:look { color = "#8b8f92", roughness = 0.7 }
shot:drag { linear = 1.5 }
shot:camera { name = "hall", position = { 0.55, 1.45, 1.2 }, look_at = { -0.02, 1.28, 0 }, lens = 42 }
shot:measure { name = "stretch", unit = "%", max = 3, value = function(world) return 100 * world:body("paper"):stretch() end }
shot:output { images = { width = 640, height = 480, samples = 16, every = 24 } }
return shot
