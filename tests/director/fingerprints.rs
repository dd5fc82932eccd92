//! What the functions of a script are: the same whatever else is edited, another with whatever they use.

use crate::{HEAD, Project};

/// Fingerprints of the callbacks and of the measures of a script that ends in `text`.
fn of(project: &Project, text: &str) -> (String, Vec<String>) {
    project.write("shot.lua", &format!("{HEAD}{text}\nreturn shot"));
    let built = project.build("shot.lua").map_err(|problems| panic!("{text}: {problems:?}"));
    let scene = built.ok().unwrap().scene;
    (scene.source.callbacks, scene.measures.into_iter().map(|m| m.function).collect())
}

/// That of the one measure.
fn one(text: &str) -> String {
    let (callbacks, mut measures) = of(&Project::new(), text);
    assert!(callbacks.is_empty() && measures.len() == 1, "{text}");
    measures.remove(0)
}

const PLAIN: &str = "local part = 0.5\n\
    local function high(world) return world:body(cloth):position()[2] * part + math.sin(1) end\n\
    shot:measure { name = \"m\", unit = \"m\", value = function(world) return high(world) end }";

#[test]
fn edits_elsewhere_leave_functions_what_they_are() {
    let plain = one(PLAIN);
    assert_eq!(plain.len(), 16);
    for (from, to) in [
        ("local part", "-- a note\n\n\nlocal part"),
        ("unit = \"m\"", "unit = \"cm\", max = 4"),
        ("local part", "cloth:look { color = \"#ff0000\" }\nlocal part"),
        ("local part", "local function unused() return 3 end\nlocal part"),
        ("local function high(world)", "local function high(w)\n  local world = w"),
    ] {
        let edited = PLAIN.replace(from, to);
        assert_ne!(edited, PLAIN);
        // A local more is other code, and nothing else here is.
        assert_eq!(one(&edited) == plain, !edited.contains("local world = w"), "{edited}");
    }
}

/// Pairs of scripts whose measures give other values, or could.
#[test]
fn whatever_functions_use_makes_them_others() {
    let measure = |before: &str, body: &str| {
        one(&format!(
            "{before}\nshot:measure {{ name = \"m\", value = function(world) {body} end }}"
        ))
    };
    for (a, b, body) in [
        ("", "", "return 1 --"),
        ("local k = 1", "local k = 2", "return k"),
        ("local k = 1", "local k = 1.0", "return k"),
        ("local k = {1, {a = 2}}", "local k = {1, {a = 3}}", "return k[2].a"),
        ("local k = {1}", "local k = setmetatable({1}, { __index = { 5 } })", "return k[1]"),
        (
            "local k = setmetatable({}, { __index = function() return 1 end })",
            "local k = setmetatable({}, { __index = function() return 2 end })",
            "return k.a",
        ),
        ("function k() return 1 end", "function k() return 2 end", "return k()"),
        ("local function k() return 1 end", "local function k() return 2 end", "return k()"),
        ("local k = math.sin", "local k = math.cos", "return k(1)"),
        ("", "function math.sin() return 0 end", "return math.sin(1)"),
        ("", "math.sin = math.cos", "return math.sin(1)"),
        ("local k = cloth:edge \"top\"", "local k = cloth:edge \"left\"", "return k and 1"),
        (
            "local k = retake.keys { { 0, 0 }, { 1, 1 } }",
            "local k = retake.keys { { 0, 0 }, { 1, 2 } }",
            "return k and 1",
        ),
        (
            "local k = function(...) return ... end",
            "local k = function() return 1 end",
            "return k(1)",
        ),
        (
            "local a, b = {}, {} local k = { a, a }",
            "local a, b = {}, {} local k = { a, b }",
            "return k[1] == k[2] and 1 or 2",
        ),
    ] {
        let (a, b) = if a == b {
            (measure("", "return 1"), measure("", "return 2"))
        } else {
            (measure(a, body), measure(b, body))
        };
        assert_ne!(a, b, "{body}");
    }
    let same = |before: &str| measure(before, "return k.b + k[1]");
    assert_eq!(same("local k = { 7, a = 1, b = 2 }"), same("local k = { b = 2, 7, a = 1 }"));
}

/// What cannot be compared with another build makes the whole script and its parameters count.
#[test]
fn what_cannot_be_compared_counts_by_the_script() {
    for body in [
        "return k and coroutine.resume(k) and 1 or 1",
        "return load(\"return 1\")()",
        "return require(\"retake\") and 1",
        "return _G.math.pi",
    ] {
        let text = format!(
            "local n = retake.param(\"n\", 1)\n\
             local k = coroutine.create(function() return 1 end)\n\
             local other = 1\n\
             shot:measure {{ name = \"m\", value = function() {body} end }}"
        );
        let mut project = Project::new();
        let measure = |project: &Project, text: &str| of(project, text).1.remove(0);
        let plain = measure(&project, &text);
        assert_eq!(measure(&project, &text), plain);
        assert_ne!(measure(&project, &text.replace("other = 1", "other = 2")), plain, "{body}");
        project.parameters.insert("n".into(), 2.into());
        assert_ne!(measure(&project, &text), plain, "{body}");
    }
}

#[test]
fn callbacks_and_measures_are_told_apart() {
    let project = Project::new();
    let text = |push: f64, limit: f64| {
        format!(
            "shot:on_frame(function(frame, world)\n\
               if frame == 3 then world:body(cloth):push {{ impulse = {{ {push}, 0, 0 }} }} end\n\
             end)\n\
             shot:measure {{ name = \"a\", value = function(world) return world.frame end }}\n\
             shot:measure {{ name = \"b\", value = function(world) return {limit} end }}"
        )
    };
    let (plain, measures) = of(&project, &text(1.5, 2.5));
    assert!(plain.len() == 16 && measures[0] != measures[1]);
    let (pushed, same) = of(&project, &text(1.75, 2.5));
    assert!(pushed != plain && same == measures);
    let (same, limited) = of(&project, &text(1.5, 2.75));
    assert!(same == plain && limited[0] == measures[0] && limited[1] != measures[1]);
}
