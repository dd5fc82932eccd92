//! What scripts cannot reach, and how much they may do.

use crate::{Project, problem, shown};

#[test]
fn nothing_reaches_outside() {
    for name in [
        "os",
        "io",
        "package",
        "debug",
        "dofile",
        "loadfile",
        "loadstring",
        "collectgarbage",
        "warn",
        "string.dump",
        "getfenv",
        "module",
    ] {
        let found = problem(&format!("if {name} == nil then error('gone', 0) end"));
        assert_eq!(found, "gone", "{name}");
    }
    let script = "local f = string.char(27) .. 'Lua'\nlocal ok, why = load(f)\nerror(why, 0)";
    assert!(problem(script).contains("attempt to load a binary chunk"));
    assert!(problem("setmetatable({}, { __gc = function() end })").contains("`__gc`"));
    assert!(problem("print(('x'):format('%p', {}), string.format('%5p', {}))").contains("`%p`"));
}

#[test]
fn modules_lie_beside_the_script_or_in_scripts() {
    let project = Project::new();
    project.write("shots/lib/cape.lua", "local M = {}\nM.name = 'cape'\nreturn M");
    project.write("scripts/studio.lua", "return { fps = 30 }");
    project.write("secret.lua", "return 1");
    project.write("shots/loop.lua", "return require 'loop'");
    project.write("shots/bytes.lua", "\u{1b}Lua");
    project.write(
        "shots/a.lua",
        "local retake = require 'retake'\nlocal cape, studio = require 'lib.cape', require \
         'studio'\nassert(require 'lib.cape' == cape)\nlocal shot = retake.shot{ name = cape.name, \
         duration = 1, fps = studio.fps }\nshot:cloth{ mesh = retake.mesh.grid{ vertices = 3 } \
         }\nreturn shot",
    );
    let built = project.build("shots/a.lua").ok().unwrap();
    let paths: Vec<&str> = built.sources.iter().map(|s| s.path.as_str()).collect();
    assert_eq!(paths, ["shots/a.lua", "shots/lib/cape.lua", "scripts/studio.lua"]);
    assert_eq!(built.scene.source.script, "shots/a.lua");
    for (name, expected) in [
        ("../secret", "is not a module's name"),
        ("/etc/passwd", "is not a module's name"),
        ("secret", "cannot find the module `secret`"),
        ("loop", "the module `loop` requires itself"),
        ("bytes", "it is bytecode"),
        ("studi", "did you mean `studio`?"),
    ] {
        project.write("shots/b.lua", &format!("require '{name}'"));
        let found = shown(&project.build("shots/b.lua").err().unwrap());
        assert!(found.contains(expected), "{name}: {found}");
    }
}

#[test]
fn files_are_read_below_the_root_only() {
    let project = Project::new();
    let outside = tempfile::tempdir().unwrap();
    let cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    std::fs::write(outside.path().join("far.obj"), cube).unwrap();
    project.write("meshes/near.obj", cube);
    let load = |path: &str| {
        project.write(
            "shot.lua",
            &format!(
                "local retake = require 'retake'\nlocal shot = retake.shot{{ name = 'a', duration \
                 = 1 }}\nshot:cloth{{ mesh = retake.mesh.load '{path}' }}\nreturn shot"
            ),
        );
        project.build("shot.lua").map(|b| b.scene.meshes[0].positions.len())
    };
    assert_eq!(load("meshes/near.obj").ok().unwrap(), 3);
    let far = outside.path().join("far.obj");
    assert!(
        shown(&load(far.to_str().unwrap()).unwrap_err()).contains("lies outside of the project")
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&far, project.folder.path().join("link.obj")).unwrap();
        let found = shown(&load("link.obj").unwrap_err());
        assert!(found.starts_with("shot.lua:3: `link.obj` lies outside of the project"), "{found}");
    }
    assert!(shown(&load("meshes").unwrap_err()).contains("is not a file"));
    project.write("bad.obj", "v 0 0 0\nf 1 2 3\n");
    let found = shown(&load("bad.obj").unwrap_err());
    assert!(found.starts_with("shot.lua:3: bad.obj:2: "), "{found}");
}

#[test]
fn endless_work_is_stopped_for_good() {
    let mut project = Project::new();
    project.limits.build_instructions = 2_000_000;
    project.limits.memory = 32 << 20;
    let stopped = |script: &str| {
        project.write("shot.lua", script);
        shown(&project.build("shot.lua").err().unwrap())
    };
    let steps = "the script was stopped: it did more than 2 million steps of work; look for a loop \
                 that does not end";
    assert_eq!(stopped("while true do end"), format!("shot.lua:1: {steps}"));
    for endless in [
        "local function f() while true do end end\nwhile true do pcall(f) end",
        "local co = coroutine.wrap(function() while true do coroutine.yield() end end)\nwhile true do co() end",
        "while true do\n  local ok = coroutine.resume(coroutine.create(function() while true do end end))\nend",
        "xpcall(function() while true do end end, function() while true do end end)\nwhile true do end",
        "return (('a'):rep(40)):find(('a*'):rep(25) .. 'b')",
        "(('a'):rep(40)):gsub(('a*'):rep(25) .. 'b', '')",
        "table.move({}, 1, 1e12, 2)",
        "local retake = require 'retake'\nwhile true do retake.mesh.sphere{ subdivisions = 5 } end",
        "('x'):rep(1e9, '')",
    ] {
        let found = stopped(endless);
        assert!(found.contains("the script was stopped"), "{endless}: {found}");
    }
    let memory = "the script was stopped: it used more than 32 MB of memory";
    for greedy in [
        "local s = 'x'\nwhile true do s = s .. s end",
        "local t = {}\nwhile true do pcall(function() t[#t + 1] = ('x'):rep(1e6) .. #t end) end",
    ] {
        let found = stopped(greedy);
        assert!(found.contains(memory), "{greedy}: {found}");
    }
    assert!(problem("local function f() return f() + 1 end\nf()").contains("stack overflow"));
    assert!(stopped("while true do print(('x'):rep(1000)) end").contains("prints more than"));
}

#[test]
fn lua_itself_works_as_its_manual_says() {
    let project = Project::new();
    project.write(
        "shot.lua",
        r##"
local function same(a, b) if a ~= b then error(tostring(a) .. " is not " .. tostring(b), 2) end end
same(("cape_01"):match("(%a+)_(%d+)"), "cape")
same(select(2, ("a,b,c"):gsub(",", ";")), 2)
same(("hello"):gsub("l+", string.upper), "heLLo")
same(("abc"):gsub("", "-"), "-a-b-c-")
same(("x = 3"):gsub("(%w+) = (%w+)", "%2 = %1"), "3 = x")
same(("$name"):gsub("%$(%w+)", { name = "cape" }), "cape")
local words = {}
for w in ("one two  three"):gmatch("%a+") do words[#words + 1] = w end
same(table.concat(words, "|"), "one|two|three")
same(("a.b"):find(".", 1, true), 2)
same(("a.b"):find("(b)"), 3)
same(select(3, ("a.b"):find("(b)")), "b")
same(("abc"):find("b", -1), nil)
same(("abc"):byte(2), 98)
same(string.format("%5.2f|%s|%d|%q", 3.14159, {}, 3, "a"), " 3.14|table|3|\"a\"")
local list = { 5, 2, 8, 1 }
table.sort(list)
same(table.concat(list, ","), "1,2,5,8")
table.sort(list, function(a, b) return a > b end)
same(table.concat(list, ","), "8,5,2,1")
table.insert(list, 1, 9)
same(table.remove(list), 1)
same(table.concat(list, ","), "9,8,5,2")
same(select("#", table.unpack({ 1, nil, 3 }, 1, 3)), 3)
local ok, why = pcall(error, { code = 3 })
same(why.code, 3)
same(select(2, pcall(error, "plain", 0)), "plain")
same(select(2, pcall(function() local x; return x.y end)):match("attempt to index.*"), "attempt to index a nil value (local 'x')")
same(select(2, xpcall(function() error("a", 0) end, function(e) return e .. "b" end)), "ab")
local co = coroutine.wrap(function(a) local b = coroutine.yield(a + 1); return b * 2 end)
same(co(1), 2)
same(co(10), 20)
local f = load("return 1 + 1")
same(f(), 2)
same(math.floor(3.7), 3)
same(math.log(8, 2), 3.0)
same(math.type(3), "integer")
same(#utf8.char(8364), 3)
local t = setmetatable({}, { __index = function(_, k) return k .. "!" end, __tostring = function() return "T" end })
same(t.x, "x!")
same(tostring(t), "T")
local seen = {}
for k in pairs({ z = 1, a = 2, [3] = 3 }) do seen[#seen + 1] = tostring(k) end
same(table.concat(seen), "3az")
same(next({}), nil)
local retake = require "retake"
local ok, why = pcall(retake.mesh.grid, { sise = 1 })
same(ok, false)
same(why:find("unknown key `sise` in grid; did you mean `size`?", 1, true) ~= nil, true)
local shot = retake.shot{ name = "a", duration = 1 }
shot:cloth{ mesh = retake.mesh.grid{ vertices = 3 } }
return shot
"##,
    );
    if let Err(problems) = project.build("shot.lua") {
        panic!("{}", shown(&problems));
    }
}
