-- The scenes of `retake bench`, one by its name; each can be run and looked at like any other shot.
local retake = require "retake"

local case = retake.param("case", "drape", { choices = { "hang", "drape", "layers", "layers_50", "twist", "knot", "walk", "pit", "stones", "tower", "dominoes", "tets", "pile" } })
local size = retake.param("size", 50, { integer = true, min = 4, max = 10000, help = "vertices along each side of a sheet, along a band, around a skirt; bodies of the cases `pit`, `stones`, `tower`, `dominoes`, `tets`, `pile`" })
local turns = retake.param("turns", 5, { min = 0, max = 20, help = "turns of the case `twist`, of both ends together" })
local pull = retake.param("pull", 0.75, { min = 0, max = 1, unit = "m", help = "how far each end of the case `knot` is drawn" })

local gravity = (case == "twist" or case == "knot") and { 0, 0, 0 } or nil
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
elseif case == "layers" or case == "layers_50" then
  -- Ten or fifty sheets fall on each other, no vertex above another.
  local layers = case == "layers" and 10 or 50
  shot:collisions { thickness = 0.0048 }
  shot:ground { height = 0 }
  for i = 1, layers do
    local mesh = retake.mesh.grid { size = { 1, 1 }, vertices = { size, size }, center = { 0.011 * i, 0.02 + 0.03 * i, 0.007 * i }, normal = { 0, 1, 0 } }
    shot:cloth { name = "layer " .. i, mesh = mesh, material = fabric }
  end
elseif case == "pit" or case == "stones" then
  -- Cubes, each turned a little, or hulls of a dented ball fall into a bin that they fill as high as it is wide.
  local across = math.ceil(size ^ (1 / 3))
  local half = 0.14 * across
  shot:ground { height = 0, friction = 0.5 }
  for i, side in ipairs { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } } do
    local x, z = side[1], side[2]
    local wall = retake.mesh.box { size = { x ~= 0 and 0.2 or 2 * half, 4 * half, z ~= 0 and 0.2 or 2 * half + 0.4 } }
    shot:collider { name = "wall " .. i, mesh = wall, translate = { x * (half + 0.1), 2 * half, z * (half + 0.1) }, friction = 0.5 }
  end
  local piece, collision = retake.mesh.box { size = { 0.2, 0.2, 0.2 } }, nil
  if case == "stones" then
    piece, collision = retake.mesh.sphere { radius = 0.12, subdivisions = 1 }:displaced(function(p)
      local f = 1 - 0.2 * math.max(0, p.x / 0.12 - 0.3) - 0.3 * math.max(0, (0.8 * p.y - 0.6 * p.z) / 0.12 - 0.2)
      return p.x * f, p.y * f, 0.85 * p.z * f
    end), "hull"
  end
  local chance = retake.random { name = "turns" }
  for i = 0, size - 1 do
    local column, level = i % (across * across), i // (across * across)
    local place = { 0.28 * (column % across) - half + 0.14, 0.16 + 0.3 * level, 0.28 * (column // across) - half + 0.14 }
    local turn = { chance:number { min = -12, max = 12 }, chance:number { min = -12, max = 12 }, chance:number { min = -12, max = 12 } }
    shot:rigid { name = "piece " .. i, mesh = piece, collision = collision, density = 500, friction = 0.5, translate = place, rotate = turn }
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
elseif case == "twist" then
  -- Both ends of a band are turned against each other.
  shot:collisions { thickness = 0.002 }
  local mesh = retake.mesh.grid { size = { 0.4, 1 }, vertices = { math.max(4, size * 2 // 5), size } }
  local band = shot:cloth { name = "band", mesh = mesh, material = fabric }
  band:look { color = "#b8452e", roughness = 0.7 }
  for _, edge in ipairs { "top", "bottom" } do
    local angle = 180 * turns * (edge == "top" and 1 or -1)
    shot:pin { name = edge, points = band:edge(edge) }
      :rotate { starts = 0, ends = 3, angle = angle, axis = { 0, 1, 0 } }
  end
  shot:camera { name = "front", position = { 0, 0, 2.2 }, look_at = { 0, 0, 0 }, lens = 50 }
elseif case == "knot" then
  -- A reef knot: two bights, each around the legs of the other, begun loosely and drawn tight by their four ends.
  -- The bands stand on edge. A leg goes over the other bight, under the other leg, and its bight over both.
  shot:collisions { thickness = 0.002, friction = 0.2 }
  local width, high, near, wide, off, reach = 0.04, 0.06, 0.10, 0.25, 0.35, 1.5
  local meets = off + math.sqrt(wide ^ 2 - near ^ 2)
  local half = { { -reach, 0.06, 0 }, { -1.2, 0.065, 0 }, { -0.85, 0.08, 0.5 * high }, { -meets, near, high }, { -0.3, 0.14, 0 }, { 0, 0.175, -high },
    { 0.25, 0.235, -0.4 * high }, { 0.42, 0.23, 0.5 * high }, { meets, near, high } }
  local places = {}
  for i = 1, #half do places[i] = half[i] end
  places[#places + 1] = { off + wide, 0, high }
  for i = #half, 1, -1 do places[#places + 1] = { half[i][1], -half[i][2], half[i][3] } end
  -- Catmull and Rom's curve through the places, by its length.
  local line, along = { places[1] }, { 0 }
  for i = 1, #places - 1 do
    local a, b, c, d = places[math.max(i - 1, 1)], places[i], places[i + 1], places[math.min(i + 2, #places)]
    for step = 1, 40 do
      local t, p = step / 40, {}
      for k = 1, 3 do
        p[k] = b[k] + 0.5 * t * (c[k] - a[k] + t * (2 * a[k] - 5 * b[k] + 4 * c[k] - d[k] + t * (3 * (b[k] - c[k]) + d[k] - a[k])))
      end
      local q = line[#line]
      along[#along + 1] = along[#along] + math.sqrt((p[1] - q[1]) ^ 2 + (p[2] - q[2]) ^ 2 + (p[3] - q[3]) ^ 2)
      line[#line + 1] = p
    end
  end
  local long = along[#along]
  local function place(s)
    local i = 1
    while i < #line - 1 and along[i + 1] < s do i = i + 1 end
    local part, p, way = (s - along[i]) / (along[i + 1] - along[i]), {}, {}
    for k = 1, 3 do
      way[k] = line[i + 1][k] - line[i][k]
      p[k] = line[i][k] + part * way[k]
    end
    return p, way
  end
  local flat = retake.mesh.grid { size = { long, width }, vertices = { size, 5 } }
  for i, side in ipairs { 1, -1 } do
    local mesh = flat:displaced(function(p)
      local at, way = place(p.x + long / 2)
      -- Across the band: the part of z that is square to its way.
      local length = way[1] ^ 2 + way[2] ^ 2 + way[3] ^ 2
      local across = { -way[3] * way[1] / length, -way[3] * way[2] / length, 1 - way[3] ^ 2 / length }
      local unit = p.y / math.sqrt(across[1] ^ 2 + across[2] ^ 2 + across[3] ^ 2)
      return side * (at[1] + unit * across[1]), at[2] + unit * across[2], side * (at[3] + unit * across[3])
    end)
    local band = shot:cloth { name = "band " .. i, mesh = mesh, rest = flat, material = fabric }
    band:look { color = i == 1 and "#b8452e" or "#2b5fa8", roughness = 0.7 }
    shot:pin { name = "ends " .. i, points = band:edge "left" + band:edge "right" }
      :translate { starts = 0, ends = 2.5, by = { -side * pull, 0, 0 }, ease = "smooth" }
  end
  shot:drag { linear = 1 }
  shot:camera { name = "above", position = { 0, 0.5, 1.7 }, look_at = { 0, 0, 0 }, lens = 40 }
elseif case == "walk" then
  -- A skirt on a trunk that goes forward on two legs.
  shot:collisions { thickness = 0.002, friction = 0.3 }
  local speed, hip, stride = 1.0, 0.95, 26
  local function at(x, y) return function(t) return x, y, speed * math.max(t, 0) end end
  local trunk = shot:collider { name = "trunk", mesh = retake.mesh.capsule { radius = 0.14, height = 0.5 }, translate = at(0, hip + 0.2) }
  for i, side in ipairs { 1, -1 } do
    local leg = retake.mesh.capsule { radius = 0.07, height = 0.9, center = { 0, -0.45, 0 } }
    shot:collider { name = "leg " .. i, mesh = leg, translate = at(0.09 * side, hip),
      rotate = function(t) return side * stride * math.min(math.max(2 * t, 0), 1) * math.sin(2 * math.pi * t), 0, 0 end }
  end
  local waist, hem = hip + 0.14, 0.45
  local cone = retake.mesh.cone { radius = 0.42, top_radius = 0.15, height = waist - hem, segments = size, rings = math.max(2, size // 4), caps = false, center = { 0, (waist + hem) / 2, 0 } }
  local skirt = shot:cloth { name = "skirt", mesh = cone, material = fabric }
  skirt:look { color = "#7d1f2f", roughness = 0.8 }
  shot:attach { points = skirt:where(function(p) return p.y > waist - 0.005 end), to = trunk }
  shot:ground { height = 0 }
  shot:drag { linear = 0.25 }
  shot:camera { name = "side", position = { 3.6, 1.1, 1.5 }, look_at = { 0, 0.7, 1.5 }, lens = 32 }
end
shot:output { gltf = false, caches = false }
return shot
