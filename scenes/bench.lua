-- The scenes of `retake bench`, one by its name; each can be run and looked at like any other shot.
local retake = require "retake"

local case = retake.param("case", "drape", { choices = { "hang", "drape", "layers", "twist", "pit", "tower", "dominoes", "tets", "pile" } })
local size = retake.param("size", 50, { integer = true, min = 4, max = 10000, help = "vertices along each side of a sheet; bodies of the cases `pit`, `tower`, `dominoes`, `tets`, `pile`" })
local layers = retake.param("layers", 10, { integer = true, min = 2, max = 200, help = "sheets of the case `layers`" })

local gravity = case == "twist" and { 0, 0, 0 } or nil
local shot = retake.shot { name = "bench_" .. case, fps = 24, duration = 3.0, gravity = gravity }
local fabric = retake.material.membrane { young = 1000, poisson = 0.2, shear = 300, bend = 2e-5, density = 0.2, damping = 0.002 }

local function sheet(name, width, height)
  local mesh = retake.mesh.grid { size = { width, width }, vertices = { size, size }, center = { 0, height, 0 }, normal = { 0, 1, 0 } }
  return shot:cloth { name = name, mesh = mesh, material = fabric, friction = 0.4 }
end

if case == "hang" then
  -- A sheet let go flat, held by two corners.
  shot:collisions { self = false }
  local cloth = sheet("sheet", 2, 0)
  shot:pin { name = "corners", points = cloth:corner "top-left" + cloth:corner "top-right" }
elseif case == "drape" then
  -- A sheet falls on a ball, contact distance 8 mm.
  shot:collisions { thickness = 0.0078, friction = 0.4 }
  shot:collider { name = "ball", mesh = retake.mesh.sphere { radius = 0.5, subdivisions = 4 } }
  sheet("sheet", 2, 0.55)
elseif case == "layers" then
  -- Sheets fall on each other, no vertex above another.
  shot:collisions { thickness = 0.0048 }
  shot:ground { height = 0 }
  for i = 1, layers do
    local mesh = retake.mesh.grid { size = { 1, 1 }, vertices = { size, size }, center = { 0.011 * i, 0.02 + 0.03 * i, 0.007 * i }, normal = { 0, 1, 0 } }
    shot:cloth { name = "layer " .. i, mesh = mesh, material = fabric }
  end
elseif case == "pit" then
  -- Cubes, each turned a little, fall into a bin that they fill as high as it is wide.
  local across = math.ceil(size ^ (1 / 3))
  local half = 0.14 * across
  shot:ground { height = 0, friction = 0.5 }
  for i, side in ipairs { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } } do
    local x, z = side[1], side[2]
    local wall = retake.mesh.box { size = { x ~= 0 and 0.2 or 2 * half, 4 * half, z ~= 0 and 0.2 or 2 * half + 0.4 } }
    shot:collider { name = "wall " .. i, mesh = wall, translate = { x * (half + 0.1), 2 * half, z * (half + 0.1) }, friction = 0.5 }
  end
  local cube = retake.mesh.box { size = { 0.2, 0.2, 0.2 } }
  local chance = retake.random { name = "turns" }
  for i = 0, size - 1 do
    local column, level = i % (across * across), i // (across * across)
    local place = { 0.28 * (column % across) - half + 0.14, 0.16 + 0.3 * level, 0.28 * (column // across) - half + 0.14 }
    local turn = { chance:number { min = -12, max = 12 }, chance:number { min = -12, max = 12 }, chance:number { min = -12, max = 12 } }
    shot:rigid { name = "cube " .. i, mesh = cube, density = 500, friction = 0.5, translate = place, rotate = turn }
  end
elseif case == "tower" then
  -- Half-metre cubes on each other.
  shot:ground { height = 0 }
  local cube = retake.mesh.box { size = { 0.5, 0.5, 0.5 } }
  for i = 0, size - 1 do
    shot:rigid { name = "cube " .. i, mesh = cube, density = 500, translate = { 0, 0.2502 + 0.5002 * i, 0 } }
  end
elseif case == "dominoes" then
  -- Dominoes of 12 mm in a spiral, the first of which is pushed over.
  shot:collisions { friction = 0.4 }
  shot:ground { height = 0 }
  local domino = retake.mesh.box { size = { 0.012, 0.1, 0.05 } }
  local apart, between = 0.05, 0.2
  local angle = math.sqrt(4 * math.pi * size * apart / between) + 2 * math.pi
  for i = 0, size - 1 do
    local radius = between * angle / (2 * math.pi)
    local first = i == 0
    shot:rigid {
      name = "domino " .. i, mesh = domino, density = 600,
      translate = { radius * math.cos(angle), 0.0502, radius * math.sin(angle) }, rotate = { 0, 90 - math.deg(angle), 0 },
      velocity = first and { 0.3 * math.sin(angle), 0, -0.3 * math.cos(angle) } or nil,
      spin = first and { -math.deg(6) * math.cos(angle), 0, -math.deg(6) * math.sin(angle) } or nil,
    }
    angle = angle - apart / radius
  end
elseif case == "tets" then
  -- Soft balls of 729 vertices fall in a heap.
  shot:collisions { thickness = 0.004 }
  shot:ground { height = 0, friction = 0.5 }
  local ball = retake.mesh.tet_ball { radius = 0.1, cells = 8 }
  local across = math.ceil(size ^ (1 / 3))
  local chance = retake.random { name = "places" }
  for i = 0, size - 1 do
    local column, level = i % (across * across), i // (across * across)
    local function at(k) return 0.22 * (k - (across - 1) / 2) + chance:number { min = -0.006, max = 0.006 } end
    shot:soft {
      name = "ball " .. i, mesh = ball, material = retake.material.soft { young = 5e4, poisson = 0.4, density = 500, damping = 0.01 },
      friction = 0.5, translate = { at(column % across), 0.15 + 0.24 * level, at(column // across) },
    }
  end
elseif case == "pile" then
  -- Boxes, balls, sponges and bits of rope fall into a bin.
  shot:collisions { thickness = 0.002 }
  local across = math.ceil(size ^ (1 / 3))
  local half = 0.08 * across
  local bin = retake.mesh.box { size = { 2 * half + 0.06, 4 * half, 2 * half + 0.06 }, open = "top", wall = 0.03 }
  shot:collider { name = "bin", mesh = bin, translate = { 0, 2 * half, 0 }, friction = 0.4 }
  local box, ball = retake.mesh.box { size = { 0.1, 0.07, 0.08 } }, retake.mesh.sphere { radius = 0.05, subdivisions = 2 }
  local sponge, bit = retake.mesh.tet_box { size = 0.08, cells = 2 }, retake.mesh.rope { from = { 0, -0.055, 0 }, to = { 0, 0.055, 0 }, segments = 6 }
  local chance = retake.random { name = "turns" }
  for i = 0, size - 1 do
    local column, level = i % (across * across), i // (across * across)
    local function at(k) return 0.16 * (k - (across - 1) / 2) end
    local piece = { name = "piece " .. i, friction = 0.4, translate = { at(column % across), 0.12 + 0.16 * level, at(column // across) }, rotate = chance:rotation() }
    if i % 4 == 2 then
      piece.mesh, piece.material = sponge, retake.material.soft { young = 2e4, density = 150, damping = 0.02 }
      shot:soft(piece)
    elseif i % 4 == 3 then
      piece.mesh, piece.radius, piece.density = bit, 0.008, 600
      shot:rope(piece)
    else
      piece.mesh, piece.density = i % 4 == 0 and box or ball, 400
      shot:rigid(piece)
    end
  end
else
  -- Both ends of a band are turned against each other, five turns in all.
  shot:collisions { thickness = 0.002 }
  local mesh = retake.mesh.grid { size = { 0.4, 1 }, vertices = { math.max(4, size * 2 // 5), size } }
  local band = shot:cloth { name = "band", mesh = mesh, material = fabric }
  for _, edge in ipairs { "top", "bottom" } do
    local angle = edge == "top" and 900 or -900
    shot:pin { name = edge, points = band:edge(edge) }
      :rotate { starts = 0, ends = 3, angle = angle, axis = { 0, 1, 0 } }
  end
end
shot:output { gltf = false, caches = false }
return shot
