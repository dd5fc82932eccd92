-- Cloth, obstacles and what is thrown at it, all by chance; `seed` and `guard` come before.
local chance = retake.random { name = "all", seed = seed }
local function between(a, b) return chance:number { min = a, max = b } end
local function once_in(n) return chance:integer { min = 1, max = n } == 1 end

local shot = retake.shot { name = "chance", frames = 30, seed = seed }
shot:solver { guard = guard }
shot:collisions { friction = between(0, 1), thickness = once_in(2) and between(0.001, 0.01) or nil }
if not once_in(3) then shot:ground { height = -0.6 } end

local function sheet(name, size, most, spec)
  spec.size, spec.vertices = { size * between(0.5, 1), size }, { most, chance:integer { min = most // 2, max = most } }
  local mesh = retake.mesh.grid(spec)
  if once_in(2) then
    local far = 0.1 * size / most
    mesh = mesh:displaced(function(p) return p.x + between(-far, far), p.y + between(-far, far), p.z + between(-far, far) end)
  end
  local fabric = retake.material.fabric(chance:pick { "silk", "cotton", "wool", "denim", "leather", "paper" })
  if once_in(4) then fabric.strain_limit = between(0.01, 0.1) end
  return shot:cloth { name = name, mesh = mesh, material = fabric, velocity = once_in(3) and { between(-5, 5), between(-5, 5), between(-5, 5) } or nil }
end

local shapes = {
  function() return retake.mesh.sphere { radius = between(0.05, 0.3), subdivisions = 2 } end,
  function() return retake.mesh.box { size = { between(0.05, 0.5), between(0.05, 0.5), between(0.05, 0.5) } } end,
  function() return retake.mesh.torus { radius = 0.25, tube = between(0.03, 0.1), segments = 16, rings = 8 } end,
  function() return retake.mesh.cone { radius = between(0.1, 0.3), height = between(0.2, 0.5), segments = 9 } end,
}
local function turned() return { between(0, 360), between(0, 360), between(0, 360) } end

local kind = seed % 4
if kind == 0 then
  for i = 1, chance:integer { min = 1, max = 3 } do
    sheet("sheet " .. i, between(0.4, 1.2), chance:integer { min = 8, max = 20 }, { center = { 0, 0.45 + 0.15 * i, 0 }, normal = { between(-0.1, 0.1), 1, 0 } })
  end
  for i = 1, 2 do
    local at = { between(-0.3, 0.3), 0, between(-0.3, 0.3) }
    local to = { at[1] + between(-0.5, 0.5), between(-0.2, 0.6), at[3] }
    local moves = i == 1 and retake.keys { { 0, at }, { between(0.2, 0.8), to }, { 1.2, at } } or at
    shot:collider { name = "obstacle " .. i, mesh = chance:pick(shapes)(), translate = moves, rotate = i == 1 and retake.keys { { 0, turned() }, { 1.2, turned() } } or turned() }
  end
elseif kind == 1 then
  local band = sheet("band", 0.8, chance:integer { min = 8, max = 18 }, { center = { 0, 0.5, 0 } })
  local top, bottom = shot:pin { points = band:edge "top" }, shot:pin { points = band:edge "bottom" }
  top:rotate { starts = 0, ends = between(0.4, 1.2), angle = between(-250, 250), axis = { 0, 1, 0 }, about = { 0, 0.9, 0 } }
  bottom:translate { starts = 0, ends = 1, by = { between(-0.3, 0.3), between(0, 0.5), between(-0.3, 0.3) } }
  if once_in(2) then top:release { at = 1 } end
elseif kind == 2 then
  local net = sheet("net", between(0.6, 1.2), chance:integer { min = 8, max = 18 }, { center = { 0, 0.3, 0 }, normal = { between(-0.3, 0.3), 0, 1 } })
  if not once_in(4) then shot:pin { points = net:edge "top" } end
  for i = 1, chance:integer { min = 1, max = 3 } do
    local mesh = once_in(2) and retake.mesh.sphere { radius = between(0.03, 0.12), subdivisions = 2 } or retake.mesh.box { size = between(0.03, 0.2) }
    shot:rigid { name = "thrown " .. i, mesh = mesh, density = between(50, 8000), translate = { between(-0.3, 0.3), between(0, 0.5), 0.5 + 0.3 * i }, rotate = turned(), velocity = { 0, between(0, 3), -between(1, 25) } }
  end
else
  for i = 1, chance:integer { min = 1, max = 3 } do
    sheet("sheet " .. i, between(0.3, 0.6), chance:integer { min = 8, max = 18 }, { center = { 0, 0.03 * i, 0 }, normal = { 0, 1, 0 } })
  end
  shot:collider { name = "low", mesh = retake.mesh.box { size = { 1, 0.1, 1 } }, translate = { 0, -0.07, 0 } }
  local down = { between(-0.1, 0.1), between(0.3, 0.45), between(-0.1, 0.1) }
  shot:collider { name = "high", mesh = retake.mesh.sphere { radius = 0.3, subdivisions = 2 }, translate = retake.keys { { 0, { 0, 0.6, 0 } }, { between(0.3, 1), down }, { 1.2, { 0, 0.7, 0 } } }, rotate = retake.keys { { 0, { 0, 0, 0 } }, { 1.2, { 0, between(-300, 300), 0 } } } }
end
if once_in(3) then shot:wind { velocity = { between(-15, 15), between(-5, 5), between(-15, 15) }, turbulence = between(0, 1) } end
