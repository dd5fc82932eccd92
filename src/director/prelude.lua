-- Replaces what would make a script's result depend on addresses, clocks or the platform.
local native = ...

local raw_type, raw_next, raw_rawget, raw_error = type, next, rawget, error
local raw_getmetatable, raw_setmetatable, raw_tostring = getmetatable, setmetatable, tostring
local raw_pcall, raw_xpcall, raw_load, raw_select = pcall, xpcall, load, select
local raw_format, raw_find = string.format, native.find
local raw_resume, raw_wrap, raw_close = coroutine.resume, coroutine.create, coroutine.close
local raw_status = coroutine.status
local floor, unpack, pack = math.floor, table.unpack, table.pack

-- A limit that was hit must end the script, whatever the script does to catch it.
local function passed(ok, ...)
  native.check(ok, (...))
  if ok then return true, ... end
  return false, native.plain_error((...)), raw_select(2, ...)
end

function pcall(f, ...) return passed(raw_pcall(f, ...)) end

function xpcall(f, handler, ...)
  return passed(raw_xpcall(f, function(e)
    native.check(false, e)
    return handler(native.plain_error(e))
  end, ...))
end

function coroutine.resume(co, ...) return passed(raw_resume(co, ...)) end
function coroutine.close(co) return passed(raw_close(co)) end

local function resumed(ok, ...)
  native.check(ok, (...))
  if ok then return ... end
  raw_error(..., 0)
end

function coroutine.wrap(f)
  local co = raw_wrap(f)
  return function(...) return resumed(raw_resume(co, ...)) end
end

-- Numbers ascending, then strings, then booleans.
function pairs(t)
  local meta = raw_type(t) == "table" and raw_getmetatable(t)
  if raw_type(meta) == "table" and meta.__pairs then
    return meta.__pairs(t)
  end
  if raw_type(t) ~= "table" then
    raw_error("bad argument #1 to 'pairs' (a table expected, got " .. raw_type(t) .. ")", 2)
  end
  local keys, i = native.sorted_keys(t), 0
  return function()
    while true do
      i = i + 1
      local k = keys[i]
      if k == nil then return nil end
      local v = raw_rawget(t, k)
      if v ~= nil then return k, v end
    end
  end, t, nil
end

next = native.next

function tostring(v)
  local kind = raw_type(v)
  if kind == "table" then
    local meta = raw_getmetatable(v)
    if raw_type(meta) == "table" then
      if meta.__tostring ~= nil then return raw_tostring(v) end
      if raw_type(meta.__name) == "string" then return meta.__name end
    end
    return "table"
  elseif kind == "function" or kind == "thread" then
    return kind
  end
  return raw_tostring(v)
end
local plain = tostring

function print(...)
  local n, words = raw_select("#", ...), {}
  for i = 1, n do words[i] = plain((raw_select(i, ...))) end
  native.print(table.concat(words, "\t"))
end

function setmetatable(t, meta)
  if raw_type(meta) == "table" then
    if raw_rawget(meta, "__gc") ~= nil or raw_rawget(meta, "__mode") ~= nil then
      raw_error("`__gc` and `__mode` are not available: when memory is collected must not decide a result", 2)
    end
  end
  return raw_setmetatable(t, meta)
end

function load(chunk, name, _, env)
  if raw_type(chunk) == "function" then
    local parts = {}
    for part in chunk do parts[#parts + 1] = part end
    chunk = table.concat(parts)
  end
  if raw_type(name) ~= "string" then name = "=(load)" end
  if env == nil then return raw_load(chunk, name, "t") end
  return raw_load(chunk, name, "t", env)
end

-- Strings -------------------------------------------------------------------------------------

function string.format(form, ...)
  if raw_type(form) == "string" and native.prints_address(form) then
    raw_error("`%p` is not available in string.format: addresses differ from run to run", 2)
  end
  local values = pack(...)
  for i = 1, values.n do
    local kind = raw_type(values[i])
    if kind == "table" or kind == "function" or kind == "thread" or kind == "userdata" then
      values[i] = plain(values[i])
    end
  end
  return raw_format(form, unpack(values, 1, values.n))
end

string.find, string.match = native.find, native.match

function string.gmatch(s, pattern, init)
  local at = init or 1
  if at < 0 then at = #s + at + 1 end
  if at < 1 then at = 1 end
  local last = -1
  return function()
    return (function(first, stop, ...)
      if first == nil then return nil end
      at, last = stop + 1, stop + 1
      return ...
    end)(native.next_match(s, pattern, at, last))
  end
end

function string.gsub(s, pattern, replacement, limit)
  s = raw_type(s) == "number" and plain(s) or s
  if raw_type(replacement) == "number" then replacement = plain(replacement) end
  local kind = raw_type(replacement)
  if kind ~= "string" and kind ~= "table" and kind ~= "function" then
    raw_error("bad argument #3 to 'gsub' (string, function or table expected, got " .. kind .. ")", 2)
  end
  local parts, count, at, last, from = {}, 0, 1, -1, 1
  local anchored = pattern:sub(1, 1) == "^"
  while limit == nil or count < limit do
    local found = pack(native.next_match(s, pattern, at, last))
    local first, stop = found[1], found[2]
    if first == nil then break end
    count = count + 1
    parts[#parts + 1] = s:sub(from, first - 1)
    local whole = s:sub(first, stop)
    local value
    if kind == "string" then
      value = native.expand(replacement, whole, unpack(found, 3, found.n))
    elseif kind == "table" then
      value = replacement[found[3]]
    else
      value = replacement(unpack(found, 3, found.n))
    end
    if value == nil or value == false then
      value = whole
    elseif raw_type(value) == "number" then
      value = plain(value)
    elseif raw_type(value) ~= "string" then
      raw_error("invalid replacement value (a " .. raw_type(value) .. ")", 2)
    end
    parts[#parts + 1] = value
    from, at, last = stop + 1, stop + 1, stop + 1
    if anchored then break end
  end
  parts[#parts + 1] = s:sub(from)
  return table.concat(parts), count
end

-- Tables --------------------------------------------------------------------------------------

-- A stable merge sort: the built-in one picks its pivots by the clock.
function table.sort(t, before)
  before = before or function(a, b) return a < b end
  local n = #t
  local from, to = t, {}
  local width = 1
  while width < n do
    for low = 1, n, 2 * width do
      local middle, high = low + width, low + 2 * width
      if middle > n + 1 then middle = n + 1 end
      if high > n + 1 then high = n + 1 end
      local i, j = low, middle
      for k = low, high - 1 do
        if i < middle and (j >= high or not before(from[j], from[i])) then
          to[k], i = from[i], i + 1
        else
          to[k], j = from[j], j + 1
        end
      end
    end
    from, to = to, (from == t) and {} or from
    width = 2 * width
  end
  if from ~= t then
    for i = 1, n do t[i] = from[i] end
  end
end

-- The built-in ones run in C, where work is not counted and `__len` may lie.
local native_insert, native_remove, native_move = table.insert, table.remove, table.move

local function plain_length(t, name)
  if raw_type(t) ~= "table" then
    raw_error("bad argument #1 to '" .. name .. "' (table expected, got " .. raw_type(t) .. ")", 3)
  end
  if raw_getmetatable(t) ~= nil then
    raw_error("table." .. name .. " takes tables without a metatable", 3)
  end
  return #t
end

function table.insert(t, ...)
  local n, count = plain_length(t, "insert"), raw_select("#", ...)
  if count == 1 then
    t[n + 1] = (...)
    return
  end
  if count == 2 and raw_type((...)) == "number" then native.charge(n - (...)) end
  native_insert(t, ...)
end

function table.remove(t, at)
  local n = plain_length(t, "remove")
  if at == nil then return native_remove(t) end
  if raw_type(at) == "number" then native.charge(n - at) end
  return native_remove(t, at)
end

function table.move(a, from, to, at, b)
  plain_length(a, "move")
  plain_length(b or a, "move")
  if raw_type(from) == "number" and raw_type(to) == "number" then native.charge(to - from) end
  return native_move(a, from, to, at, b or a)
end

local native_concat = table.concat
function table.concat(t, ...)
  plain_length(t, "concat")
  return native_concat(t, ...)
end

local native_rep = string.rep
function string.rep(s, n, separator)
  if #s + (separator and #separator or 0) == 0 then return "" end
  return native_rep(s, n, separator)
end

-- A moment ------------------------------------------------------------------------------------

-- What a function of a value gets that may change over time and from vertex to vertex: `p.t`, and
-- the moment itself counts as the time.
local function time_of(v) return raw_type(v) == "table" and raw_rawget(v, "t") or v end
local per_vertex = { x = true, y = true, z = true, u = true, v = true, index = true }
local moment = {
  __add = function(a, b) return time_of(a) + time_of(b) end,
  __sub = function(a, b) return time_of(a) - time_of(b) end,
  __mul = function(a, b) return time_of(a) * time_of(b) end,
  __div = function(a, b) return time_of(a) / time_of(b) end,
  __idiv = function(a, b) return time_of(a) // time_of(b) end,
  __mod = function(a, b) return time_of(a) % time_of(b) end,
  __pow = function(a, b) return time_of(a) ^ time_of(b) end,
  __unm = function(a) return -time_of(a) end,
  __lt = function(a, b) return time_of(a) < time_of(b) end,
  __le = function(a, b) return time_of(a) <= time_of(b) end,
  __index = function(self, key)
    if per_vertex[key] then
      rawset(self, "asked", true)
      return 0
    end
  end,
}
return function(t) return raw_setmetatable({ t = t }, moment) end
