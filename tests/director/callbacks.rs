//! Callbacks and measures: what they see, ask for, and must leave alone.

use crate::{HEAD, build, shown};
use retake::scene::Scene;
use retake::scene::world::{BodyView, Command, ConstraintView, ContactView, WorldView};

fn view(frame: i32, scene: &Scene) -> WorldView {
    WorldView {
        frame,
        time: f64::from(frame - 1) / 24.0,
        bodies: scene
            .bodies
            .iter()
            .map(|_| BodyView { stretch: 0.05, fastest: 2.0, ..BodyView::default() })
            .collect(),
        contacts: vec![ContactView { a: 0, b: 1, count: frame as u32, impulse: 0.5 }],
        constraints: vec![
            ConstraintView { reaction: 7.0, ..ConstraintView::default() };
            scene.constraints.len()
        ],
    }
}

const DIRECTED: &str = r#"
local retake = require "retake"
local shot = retake.shot{ name = "a", duration = 1 }
local grid = retake.mesh.grid{ size = 1, vertices = { 5, 5 } }
local cape = shot:cloth{ name = "cape", mesh = grid }
local ball = shot:collider{ name = "ball", mesh = retake.mesh.sphere{}, group = "set/props" }
local rail = shot:pin{ name = "rail", points = cape:edge "top" }
rail:release{ at = 0.5, points = cape:corner "top-left" }
shot:on_frame(function(frame, world)
  local memory = world.memory
  memory.count = (memory.count or 0) + 1
  memory.seen = memory.seen or {}
  memory.seen[frame] = { at = world.time, [2.5] = true }
  if world:contacts(cape, "set") >= 3 then
    rail:release{}
    world:event{ name = "caught", body = ball }
  end
  print("frame", frame, memory.count, math.random(1, 1000000))
  if frame == 5 then world:stop{ reason = "enough" } end
end)
shot:measure{ name = "load", unit = "N", value = function(world) return world:reaction(rail) end }
shot:measure{ name = "stretch", max = 0.1, value = function(world)
  local low, high = world:body("cape"):bounds()
  return world:body(cape):stretch() + low[1]
end }
return shot
"#;

#[test]
fn callbacks_see_the_frame_and_give_commands() {
    let built = build(DIRECTED).ok().unwrap();
    let (scene, mut director) = (built.scene, built.director);
    assert_eq!((scene.callbacks, scene.measures.len()), (1, 2));
    assert!(director.has_callbacks());
    let first = director.on_frame(&view(1, &scene)).unwrap();
    assert!(first.commands.is_empty() && first.events.is_empty() && first.stop.is_none());
    assert!(first.printed[0].starts_with("frame\t1\t1\t"), "{:?}", first.printed);
    let third = director.on_frame(&view(3, &scene)).unwrap();
    assert_eq!(
        third.commands,
        [Command::Release { constraint: 0 }, Command::Release { constraint: 1 }]
    );
    assert_eq!(third.events, [("caught".to_owned(), "ball".to_owned())]);
    assert_eq!(director.measure(&view(3, &scene)).unwrap(), [14.0, 0.05]);
    let fifth = director.on_frame(&view(5, &scene)).unwrap();
    assert_eq!(fifth.stop.as_deref(), Some("enough"));
    assert_eq!(director.memory()["count"], 3);
}

#[test]
fn a_resumed_run_is_the_same_run() {
    let one = build(DIRECTED).ok().unwrap();
    let (scene, mut whole) = (one.scene, one.director);
    whole.on_frame(&view(1, &scene)).unwrap();
    let saved = serde_json::to_string(&whole.memory()).unwrap();
    let second = whole.on_frame(&view(2, &scene)).unwrap();

    let mut resumed = build(DIRECTED).ok().unwrap().director;
    resumed.set_memory(serde_json::from_str(&saved).unwrap());
    assert_eq!(resumed.on_frame(&view(2, &scene)).unwrap(), second);
    assert_eq!(
        serde_json::to_string(&resumed.memory()).unwrap(),
        serde_json::to_string(&whole.memory()).unwrap()
    );
}

#[test]
fn callbacks_change_nothing_of_the_script() {
    let run = |body: &str| {
        let script = format!(
            "{HEAD}local count, list = 0, {{ 1, 2 }}\nlocal dice = retake.random{{ name = \"a\" \
             }}\nlocal function more() count = count + 1 end\nlocal rail = shot:pin{{ points = \
             cloth:edge \"top\" }}\nshot:on_frame(function(frame, world)\n  local _ = list, more, \
             rail, dice\n  {body}\nend)\nreturn shot"
        );
        let built = build(&script).unwrap_or_else(|p| panic!("{}", shown(&p)));
        let mut director = built.director;
        match director.on_frame(&view(1, &built.scene)) {
            Ok(_) => panic!("this was accepted: {body}"),
            Err(problem) => problem.to_string(),
        }
    };
    let hint = "callbacks remember things in `world.memory`, which is saved with each frame";
    assert_eq!(
        run("count = count + 1"),
        format!("shot.lua:9: a callback changed `count` of the script; {hint}")
    );
    assert!(run("more()").contains("changed `more, count` of the script"));
    assert!(run("list[3] = 3").contains("changed `list.[3]` of the script"));
    assert!(run("secret = 1").contains("changed `global secret` of the script"));
    assert!(run("print(dice:number())").contains("cannot be drawn from in a callback"));
    assert!(run("shot:cloth{ mesh = grid }").starts_with(
        "shot.lua:11: `shot:cloth` cannot be called in a callback; the shot is built before it runs"
    ));
    assert!(run("rail:release{ at = 3 }").contains("in a callback `release` acts at once"));
    assert!(run("world:body(\"cap\")").contains("did you mean `cape`?"));
    assert!(
        run("world:body(cloth):push{ impuls = { 0, 1, 0 } }").contains("did you mean `impulse`")
    );
    assert!(run("world:body(cloth):speed()").contains("unknown call `world:body():speed`"));
    assert!(run("world.frame = 3").contains("cannot be set"));
    assert!(run("error('too far')").starts_with("shot.lua:11: too far"));
    assert_eq!(run("error()"), "shot.lua:11: `error` was called without a text");
    let table = "shot.lua:11: `error` was called with a table in place of a text";
    assert_eq!(run("error({ 1 })"), table);
    assert!(run("assert(world.frame > 3, 'late')").contains("late"));
    assert!(run("world.memory.f = print").contains("`world.memory.f` is a function"));
    assert!(run("world.memory.x = 0 / 0").contains("cannot be remembered"));
    assert!(run("while true do end").contains("100 million steps"));
}

#[test]
fn measures_only_look() {
    let measure = |body: &str| {
        let script = format!(
            "{HEAD}local rail = shot:pin{{ points = cloth:edge \"top\" }}\nshot:measure{{ name = \
             \"m\", value = function(world) {body} end }}\nreturn shot"
        );
        let built = build(&script).unwrap_or_else(|p| panic!("{}", shown(&p)));
        let mut director = built.director;
        director.measure(&view(1, &built.scene)).unwrap_err().to_string()
    };
    assert_eq!(
        measure("return 'much'"),
        "shot.lua:6: the measure `m` must give a number, not \"much\""
    );
    assert!(measure("rail:release{} return 1").contains("a measure may look and not touch"));
    assert!(measure("world:stop{} return 1").contains("a measure may look and not touch"));
    assert_eq!(
        measure("world.memory.most = 1 return 1"),
        "shot.lua:6: the measure `m` changed `world.memory`; measures only look: remember in a callback of \
         `shot:on_frame`"
    );
}

/// Points of a release are those that the constraint holds; all of them are the constraint itself.
#[test]
fn releases_of_points_name_what_is_held() {
    let with = |points: &str| {
        format!(
            "local retake = require \"retake\"\nlocal shot = retake.shot{{ name = \"a\", duration = 1 }}\n\
             local cape = shot:cloth{{ name = \"cape\", mesh = retake.mesh.grid{{ size = 1, vertices = {{ 5, 5 }} }} }}\n\
             local rail = shot:pin{{ points = cape:edge \"top\" }}\n\
             shot:on_frame(function() rail:release{{ points = {points} }} end)\nreturn shot"
        )
    };
    let commands = |points: &str| {
        let mut built = build(&with(points)).ok().unwrap();
        built.director.on_frame(&view(1, &built.scene)).map(|asked| asked.commands)
    };
    let part = retake::scene::Points { body: 0, vertices: vec![0, 1] };
    assert_eq!(
        commands("cape:vertices{ 0, 1, 9 }").unwrap(),
        [Command::ReleasePoints { constraint: 0, points: vec![part] }]
    );
    assert_eq!(commands("cape:all()").unwrap(), [Command::Release { constraint: 0 }]);
    let problem = commands("cape:edge \"bottom\"").unwrap_err();
    assert!(problem.to_string().contains("`pin 1` holds none of these points"), "{problem}");
}

/// A measure may look at points, with no other callback beside it.
#[test]
fn measures_may_select_points() {
    let text = format!(
        "{HEAD}shot:measure{{ name = \"corners\", value = function() \
         return (cloth:corner \"top-left\" + cloth:corner \"top-right\"):count() end }}\nreturn shot"
    );
    let mut built = build(&text).ok().unwrap();
    assert_eq!(built.director.measure(&view(1, &built.scene)).unwrap(), [2.0]);
}
