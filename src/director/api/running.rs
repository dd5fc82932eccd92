//! Directing while it runs: callbacks and measures.

use super::super::invocation::Invocation;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key};
use super::shots::{name_of, scene_place};
use crate::scene::Measure;
use mlua::Value;

const KEYS: &[Key] = &[
    key("name", Kind::Text, "unique over all measures").needed(),
    key("unit", Kind::Text, "its unit, for the reader").text(""),
    key("value", Kind::Function("fun(world: World): number"), "gives the number").needed(),
    key("min", Kind::Number, "smallest allowed value: makes it a check"),
    key("max", Kind::Number, "largest allowed value: makes it a check"),
];

static MEASURE: Schema = Schema::new("measure", "MeasureOptions", &[KEYS]);

pub(super) const CALLS: &[Call] = &[
    Call::new(
        Class::Shot,
        "on_frame",
        Args::Values(&[("callback", "fun(frame: integer, world: World)", "what is done")]),
        on_frame,
    )
    .doc(
        "Calls a function when a frame is stored, for every frame but the last. What it changes \
         acts from that frame on. It remembers things only in `world.memory`.",
    )
    .example(
        "local hold = shot:pin{ points = cloth:edge \"top\" }\n\
         shot:on_frame(function(frame, world)\n  \
         if world:contacts(cloth, \"pole\") > 0 then hold:release{} end\nend)",
    ),
    Call::new(Class::Shot, "measure", Args::Options(&MEASURE), measure)
        .doc("A number that is taken of each frame; with `min` or `max` it is a check.")
        .example(
            "shot:measure{ name = \"stretch\", max = 0.2, value = function(world)\n  \
             return world:body(cloth):stretch()\nend }",
        ),
];

fn on_frame(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let Value::Function(f) = inv.arg(0) else {
        return Err(inv.wrong_arg("a function of frame and world", &inv.arg(0)));
    };
    inv.shot_mut()?.callbacks.push(f);
    Ok(Value::Nil)
}

fn measure(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&MEASURE)?;
    let (min, max) = (o.number("min")?, o.number("max")?);
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        return Err(o.fault("max", "`max` in measure is below `min`", None));
    }
    let function = o.function("value")?;
    let name = {
        let shot = inv.shot()?;
        name_of(&o, "measure", shot.scene.measures.iter().map(|m| (m.name.as_str(), &m.place)))?
    };
    let unit = o.text("unit")?.unwrap_or_default();
    let mut shot = inv.shot_mut()?;
    shot.measures.extend(function);
    shot.scene.measures.push(Measure {
        name,
        unit,
        min,
        max,
        function: String::new(),
        place: scene_place(inv),
    });
    Ok(Value::Nil)
}
