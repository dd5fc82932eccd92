//! The callbacks and measures of a script while its shot runs.

use super::api::world::MEMORY;
use super::chance::Stream;
use super::context::{Context, Phase, Running};
use super::engine::diagnostic_of;
use super::fingerprint::Pristine;
use super::locals::Reachable;
use super::memory;
use super::object::Object;
use super::values;
use crate::diagnostics::Diagnostic;
use crate::scene::Scene;
use crate::scene::world::{Command, WorldView};
use mlua::{Function, Lua, Table, Value};
use std::rc::Rc;

/// What the callbacks of a frame ask for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameCalls {
    /// Commands for the engine, in the order they were given; they act from this frame on.
    pub commands: Vec<Command>,
    /// Events to be logged: what happened, and the name of the body it happened to.
    pub events: Vec<(String, String)>,
    /// The reason, where the shot is to end after this frame.
    pub stop: Option<String>,
    /// Lines that were printed.
    pub printed: Vec<String>,
}

/// Keeps the Lua state of a script for its callbacks and measures. It stays on the thread that
/// made it; all it sees and gives is plain data.
pub struct Director {
    lua: Lua,
    cx: Rc<Context>,
    callbacks: Vec<Function>,
    measures: Vec<Function>,
    names: Vec<String>,
    memory: serde_json::Value,
    seed: u64,
    start_frame: i32,
}

impl Director {
    pub(super) fn new(lua: Lua, cx: Rc<Context>, scene: &Scene, parts: Vec<Vec<usize>>) -> Self {
        *cx.parts.borrow_mut() = parts;
        let (callbacks, measures) = match cx.shot.borrow_mut().as_mut() {
            Some(shot) => {
                // Only what is called later selects points, by the meshes and the places at the start.
                if shot.callbacks.is_empty() && shot.measures.is_empty() {
                    shot.starts.clear();
                    shot.meshes.clear();
                }
                (std::mem::take(&mut shot.callbacks), std::mem::take(&mut shot.measures))
            }
            None => (Vec::new(), Vec::new()),
        };
        let names = scene.measures.iter().map(|m| m.name.clone()).collect();
        let memory = serde_json::Value::Object(serde_json::Map::new());
        let (seed, start_frame) = (scene.seed, scene.timing.start_frame);
        Self { lua, cx, callbacks, measures, names, memory, seed, start_frame }
    }

    /// Notes in `scene` what its functions are: as [`Pristine::fingerprint`], or where there is none by all that
    /// the script was read from and its parameters.
    pub(super) fn tell_functions(&self, pristine: &Pristine, scene: &mut Scene) {
        let source = &scene.source;
        let parameters = serde_json::to_string(&source.parameters).expect("plain data");
        let whole = blake3::hash(format!("{} {parameters}", source.script_hash).as_bytes());
        let whole: String = whole.to_hex().chars().take(16).collect();
        let told = |functions: &[Function]| {
            pristine.fingerprint(&self.lua, functions).unwrap_or_else(|| whole.clone())
        };
        for (measure, function) in scene.measures.iter_mut().zip(&self.measures) {
            measure.function = told(std::slice::from_ref(function));
        }
        if !self.callbacks.is_empty() {
            scene.source.callbacks = told(&self.callbacks);
        }
    }

    /// Whether there are `on_frame` functions.
    pub fn has_callbacks(&self) -> bool {
        !self.callbacks.is_empty()
    }

    /// `world.memory`, to be saved with the frame.
    pub fn memory(&self) -> serde_json::Value {
        self.memory.clone()
    }

    /// Puts back what [`Director::memory`] gave at the frame that the run is taken up from.
    pub fn set_memory(&mut self, memory: serde_json::Value) {
        self.memory = memory;
    }

    /// Calls the `on_frame` functions for the frame of `view`.
    pub fn on_frame(&mut self, view: &WorldView) -> Result<FrameCalls, Diagnostic> {
        if self.callbacks.is_empty() {
            return Ok(FrameCalls::default());
        }
        self.begin(view, Phase::Frame);
        let called = self.call_callbacks(view.frame);
        self.cx.phase.set(Phase::Building);
        called?;
        let running = self.cx.running.take();
        Ok(FrameCalls {
            commands: running.commands,
            events: running.events,
            stop: running.stop,
            printed: self.cx.printed.take(),
        })
    }

    /// The numbers of the measures, in the order of `Scene::measures`.
    pub fn measure(&mut self, view: &WorldView) -> Result<Vec<f64>, Diagnostic> {
        if self.measures.is_empty() {
            return Ok(Vec::new());
        }
        self.begin(view, Phase::Measure);
        let measured = self.call_measures();
        self.cx.phase.set(Phase::Building);
        self.cx.running.take();
        measured
    }

    /// Lines that measures have printed since the last call of this or of
    /// [`Director::on_frame`].
    pub fn printed(&mut self) -> Vec<String> {
        self.cx.printed.take()
    }

    fn begin(&self, view: &WorldView, phase: Phase) {
        let cx = &self.cx;
        cx.meter.restart(cx.limits.frame_instructions);
        *cx.stopped_at.borrow_mut() = None;
        cx.phase.set(phase);
        *cx.running.borrow_mut() = Running { view: view.clone(), ..Running::default() };
        // The same numbers whether the run came here at once or was taken up again.
        let frame = view.frame.wrapping_sub(self.start_frame) as u32;
        let seed = self.seed ^ (u64::from(frame) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        *cx.dice.borrow_mut() = Stream::new("math.random in callbacks", seed);
        cx.printed_bytes.set(0);
    }

    fn problem(&self, error: &mlua::Error) -> Diagnostic {
        diagnostic_of(&self.lua, error)
    }

    fn open_memory(&self) -> mlua::Result<Table> {
        let table = match memory::from_json(&self.lua, &self.memory)? {
            Value::Table(table) => table,
            _ => self.lua.create_table()?,
        };
        self.lua.set_named_registry_value(MEMORY, &table)?;
        Ok(table)
    }

    fn call_callbacks(&mut self, frame: i32) -> Result<(), Diagnostic> {
        let world = Object::World.into_value(&self.lua).map_err(|e| self.problem(&e))?;
        for callback in &self.callbacks {
            let table = self.open_memory().map_err(|e| self.problem(&e))?;
            let before = self.reachable(&[callback])?;
            callback.call::<()>((frame, &world)).map_err(|e| self.problem(&e))?;
            self.check_unchanged(callback, &before)?;
            let kept = memory::to_json(&self.lua, &Value::Table(table), "world.memory", 0);
            self.memory = kept.map_err(|what| {
                Diagnostic::error(format!("{what}, which cannot be remembered"))
                    .at(place_of(callback))
                    .hint("`world.memory` holds numbers, strings, booleans and tables of them")
            })?;
        }
        Ok(())
    }

    fn call_measures(&self) -> Result<Vec<f64>, Diagnostic> {
        let world = Object::World.into_value(&self.lua).map_err(|e| self.problem(&e))?;
        let mut out = Vec::new();
        for (measure, name) in self.measures.iter().zip(&self.names) {
            let table = self.open_memory().map_err(|e| self.problem(&e))?;
            let before = self.reachable(&[measure])?;
            let value: Value = measure.call(&world).map_err(|e| self.problem(&e))?;
            self.check_unchanged(measure, &before)?;
            let after = memory::to_json(&self.lua, &Value::Table(table), "world.memory", 0);
            if after.as_ref() != Ok(&self.memory) {
                let message = format!("the measure `{name}` changed `world.memory`");
                return Err(Diagnostic::error(message)
                    .at(place_of(measure))
                    .hint("measures only look: remember in a callback of `shot:on_frame`"));
            }
            match values::number(&value).filter(|n| n.is_finite()) {
                Some(n) => out.push(n),
                None => {
                    let given = values::describe(&value);
                    let message = format!("the measure `{name}` must give a number, not {given}");
                    return Err(Diagnostic::error(message).at(place_of(measure)));
                }
            }
        }
        Ok(out)
    }

    fn reachable(&self, functions: &[&Function]) -> Result<Reachable, Diagnostic> {
        let functions: Vec<Function> = functions.iter().map(|f| (*f).clone()).collect();
        Reachable::of(&self.lua, &functions).map_err(|e| self.problem(&e))
    }

    fn check_unchanged(&self, callback: &Function, before: &Reachable) -> Result<(), Diagnostic> {
        let after = self.reachable(&[callback])?;
        match before.first_change(&after) {
            None => Ok(()),
            Some(name) => Err(Diagnostic::error(format!(
                "a callback changed `{name}` of the script"
            ))
            .at(place_of(callback))
            .hint("callbacks remember things in `world.memory`, which is saved with each frame")),
        }
    }
}

/// The line on which a function begins.
fn place_of(function: &Function) -> Option<crate::diagnostics::Place> {
    let info = function.info();
    let file = info.source?.strip_prefix('@')?.to_owned();
    Some(crate::diagnostics::Place::new(file, info.line_defined.unwrap_or(0) as u32))
}
