//! USD as text (.usda), crate (.usdc) and package (.usdz), read and composed by the library `openusd`: references,
//! payloads, sublayers, variants and instances are followed, to files beside it.
//!
//! Metres and Y up are made of `metersPerUnit` (0.01 where the file has none, as USD says) and `upAxis`. What stands
//! still is taken at the file's first time code. What is invisible there, a guide or a proxy is left out, and so are
//! the prototypes of point instancers. All that its samples move is one clip.

mod layers;
mod mesh;
mod moving;
mod values;

pub(super) use moving::{camera, rigged};

use super::stage::{NodeKind, StageNode};
use super::{Contents, Neighbour, Source};
use crate::diagnostics::Diagnostic;
use glam::{DMat4, DQuat, DVec3};
use openusd::sdf::Value;
use openusd::usd::{Prim, PrimPredicate, Stage, TimeCode};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// What the one clip of a file is called.
pub(super) const CLIP: &str = "samples";

/// A prim that is there.
struct Entry {
    prim: Prim,
    /// Its own name where no other has it, else with those of what it hangs on, as far as needed.
    name: String,
    /// What it hangs on, as a place in the list.
    parent: Option<usize>,
    type_name: String,
    /// Neither invisible nor of another purpose than being drawn, and nor is what it hangs on.
    shown: bool,
}

/// A file that has been opened.
struct File<'a> {
    source: Source<'a>,
    stage: Stage,
    /// Parents before their children.
    entries: Vec<Entry>,
    /// From the file's units and axes to metres and Y up.
    root: (DQuat, f64),
    /// Time code at which its clip begins.
    start: f64,
    /// Time codes a second.
    rate: f64,
}

/// All meshes of a file where they stand.
pub(super) fn read(
    bytes: &[u8],
    source: Source<'_>,
    neighbour: &Neighbour<'_>,
) -> Result<Contents, Diagnostic> {
    open(bytes, source, neighbour, |file| {
        let mut contents = Contents::default();
        for (index, entry) in file.entries.iter().enumerate() {
            if entry.kind() == NodeKind::Mesh {
                let first = contents.mesh.triangles.len();
                mesh::add(file, index, file.world(index)?, &mut contents.mesh)?;
                let range = first..contents.mesh.triangles.len();
                let material = mesh::material(file, index)?;
                contents.materials.insert(contents.objects.len(), vec![material]);
                contents.objects.push((entry.name.clone(), range));
            }
        }
        Ok(contents)
    })
}

/// The prims of a file as named places.
pub(super) fn nodes(
    bytes: &[u8],
    source: Source<'_>,
    neighbour: &Neighbour<'_>,
) -> Result<Vec<StageNode>, Diagnostic> {
    open(bytes, source, neighbour, |file| {
        let mut nodes = Vec::new();
        for (node, entry) in file.entries.iter().enumerate() {
            let (scale, rotate, translate) = file.world(node)?.to_scale_rotation_translation();
            if !(scale.is_finite() && rotate.is_finite() && translate.is_finite()) {
                return Err(file.error(format!("`{}` is at no place", entry.name)));
            }
            let (name, kind) = (entry.name.clone(), entry.kind());
            nodes.push(StageNode { name, kind, node, translate, rotate, scale });
        }
        Ok(nodes)
    })
}

/// The clips of a file: one where anything has samples.
pub(super) fn clips(
    bytes: &[u8],
    source: Source<'_>,
    neighbour: &Neighbour<'_>,
) -> Result<Vec<String>, Diagnostic> {
    open(bytes, source, neighbour, |file| {
        for (index, entry) in file.entries.iter().enumerate() {
            let mut names = file.operations(index)?;
            names.push("points".into());
            for name in names {
                if file.times(&entry.prim, &name)?.len() > 1 {
                    return Ok(vec![CLIP.to_owned()]);
                }
            }
        }
        Ok(Vec::new())
    })
}

/// What `read` makes of a file. The library panics on some damaged crates, which are files like any other here.
fn open<T>(
    bytes: &[u8],
    source: Source<'_>,
    neighbour: &Neighbour<'_>,
    read: impl FnOnce(&File<'_>) -> Result<T, Diagnostic>,
) -> Result<T, Diagnostic> {
    static HOOKED: Once = Once::new();
    let all = || {
        let stage = layers::stage(bytes, source, neighbour)?;
        read(&File::new(stage, source)?)
    };
    HOOKED.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !READING.get() {
                usual(info);
            }
        }));
    });
    let before = READING.replace(true);
    let done = catch_unwind(AssertUnwindSafe(all));
    READING.set(before);
    done.unwrap_or_else(|_| Err(source.error(0, "the file is no valid USD: it is damaged")))
}

thread_local! {
    /// Whether this thread is in the library, whose panics are told as problems of the file and not printed.
    static READING: Cell<bool> = const { Cell::new(false) };
}

impl Entry {
    fn kind(&self) -> NodeKind {
        match self.type_name.as_str() {
            "Mesh" if self.shown => NodeKind::Mesh,
            "Camera" => NodeKind::Camera,
            light if light.ends_with("Light") => NodeKind::Light,
            _ => NodeKind::Empty,
        }
    }
}

impl<'a> File<'a> {
    fn new(stage: Stage, source: Source<'a>) -> Result<Self, Diagnostic> {
        let mut file = Self {
            source,
            entries: Vec::new(),
            root: (DQuat::IDENTITY, 1.0),
            start: if stage.has_authored_time_code_range() { stage.start_time_code() } else { 0.0 },
            rate: stage.time_codes_per_second(),
            stage,
        };
        if !(file.start.is_finite() && file.rate.is_finite() && file.rate > 0.0) {
            return Err(file.error("its time codes are no numbers"));
        }
        file.root = file.units()?;
        let mut paths = Vec::new();
        let reached =
            file.stage.traverse(PrimPredicate::DEFAULT_PROXIES, |p| paths.push(p.clone()));
        reached.map_err(|e| file.damaged(&e))?;
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut instancers: Vec<String> = Vec::new();
        for path in paths {
            let (text, prim) = (path.to_string(), file.stage.prim(path));
            let type_name = prim.type_name().map_err(|e| file.damaged(&e))?;
            let type_name = type_name.map(|t| t.to_string()).unwrap_or_default();
            if text == "/" || instancers.iter().any(|above| text.starts_with(above)) {
                continue;
            }
            if type_name == "PointInstancer" {
                instancers.push(format!("{text}/"));
            }
            let above = text.rsplit_once('/').map_or("", |(above, _)| above);
            let parent = places.get(above).copied();
            let word = |name| Ok(file.value(&prim, name)?.as_ref().and_then(values::word));
            let shown = parent.is_none_or(|parent: usize| file.entries[parent].shown)
                && word("visibility")?.is_none_or(|v| v != "invisible")
                && word("purpose")?.is_none_or(|p| p != "guide" && p != "proxy");
            places.insert(text.clone(), file.entries.len());
            let name = text.trim_start_matches('/').to_owned();
            file.entries.push(Entry { prim, name, parent, type_name, shown });
        }
        file.shorten();
        Ok(file)
    }

    fn error(&self, message: impl Into<String>) -> Diagnostic {
        self.source.error(0, message)
    }

    fn damaged(&self, why: &dyn std::fmt::Display) -> Diagnostic {
        self.error(format!("the file is no valid USD: {why:#}"))
    }

    /// Calls each prim, which is called by its path so far, by as few of its last names as tell it apart.
    fn shorten(&mut self) {
        let tail = |path: &str, count: usize| {
            let mut names: Vec<&str> = path.rsplit('/').take(count).collect();
            names.reverse();
            names.join("_")
        };
        let deepest = self.entries.iter().map(|e| e.name.matches('/').count() + 1).max();
        let mut names: Vec<Option<String>> = vec![None; self.entries.len()];
        for count in 1..=deepest.unwrap_or(0) {
            let mut called: BTreeMap<String, u32> = BTreeMap::new();
            for entry in &self.entries {
                *called.entry(tail(&entry.name, count)).or_default() += 1;
            }
            for (name, entry) in names.iter_mut().zip(&self.entries) {
                let short = tail(&entry.name, count);
                if name.is_none() && called[&short] == 1 {
                    *name = Some(short);
                }
            }
        }
        for (name, entry) in names.into_iter().zip(&mut self.entries) {
            entry.name = name.unwrap_or_else(|| entry.name.replace('/', "_"));
        }
    }

    /// The turn and the factor from the file's axes and units to metres and Y up.
    fn units(&self) -> Result<(DQuat, f64), Diagnostic> {
        let field = |name: &str| self.stage.stage_metadata(name).map_err(|e| self.damaged(&e));
        let unit = field("metersPerUnit")?.map_or(Some(0.01), |v| values::number(&v));
        let unit = unit.filter(|unit| unit.is_finite() && *unit > 0.0);
        let unit = unit.ok_or_else(|| self.error("its `metersPerUnit` is no length"))?;
        let half = std::f64::consts::FRAC_1_SQRT_2;
        match field("upAxis")?.as_ref().and_then(values::word).as_deref() {
            None | Some("Y") => Ok((DQuat::IDENTITY, unit)),
            Some("Z") => Ok((DQuat::from_xyzw(-half, 0.0, 0.0, half), unit)),
            Some(other) => Err(self.error(format!("its `upAxis` is `{other}`, neither Y nor Z"))),
        }
    }

    /// The value of an attribute at the file's first time code.
    fn value(&self, prim: &Prim, name: &str) -> Result<Option<Value>, Diagnostic> {
        self.value_at(prim, name, self.start)
    }

    fn value_at(&self, prim: &Prim, name: &str, code: f64) -> Result<Option<Value>, Diagnostic> {
        let attribute = prim.attribute(name);
        let at = |code: f64| {
            let value = attribute.get_at::<Value>(TimeCode::new(code));
            let value = value.map_err(|e| self.damaged(&e))?;
            Ok(value.filter(|v| !matches!(v, Value::None | Value::ValueBlock)))
        };
        let value = at(code)?;
        if value.as_ref().and_then(values::number).is_none() {
            return Ok(value);
        }
        // The library takes samples of a text that are written as whole numbers for such, and holds them.
        let bracket = attribute.bracketing_time_samples(TimeCode::new(code));
        let Some((before, after)) =
            bracket.map_err(|e| self.damaged(&e))?.filter(|(before, after)| before < after)
        else {
            return Ok(value);
        };
        let [a, b] = [at(before)?, at(after)?].map(|v| v.as_ref().and_then(values::number));
        let part = (code - before) / (after - before);
        Ok(a.zip(b).map_or(value, |(a, b)| Some(Value::Double(a + (b - a) * part))))
    }

    /// The time codes of an attribute's samples.
    fn times(&self, prim: &Prim, name: &str) -> Result<Vec<f64>, Diagnostic> {
        prim.attribute(name).time_sample_times().map_err(|e| self.damaged(&e))
    }

    /// The names of the transform operations of a prim, the outermost first.
    fn operations(&self, index: usize) -> Result<Vec<String>, Diagnostic> {
        let order = self.value(&self.entries[index].prim, "xformOpOrder")?;
        Ok(order.as_ref().and_then(values::words).unwrap_or_default())
    }

    /// What a prim hangs on; none where it starts anew from the file's own axes.
    fn parent(&self, index: usize) -> Result<Option<usize>, Diagnostic> {
        let anew = self.operations(index)?.iter().any(|o| o == "!resetXformStack!");
        Ok(self.entries[index].parent.filter(|_| !anew))
    }

    /// The transform of a prim to what it hangs on at a time code.
    fn local(&self, index: usize, code: f64) -> Result<DMat4, Diagnostic> {
        let entry = &self.entries[index];
        let mut local = DMat4::IDENTITY;
        for name in self.operations(index)? {
            if name == "!resetXformStack!" {
                continue;
            }
            let plain = name.strip_prefix("!invert!").unwrap_or(&name);
            let Some(value) = self.value_at(&entry.prim, plain, code)? else { continue };
            let unknown = || self.error(format!("`{}` has the unknown `{name}`", entry.name));
            let own = values::operation(plain, &value).ok_or_else(unknown)?;
            local *= if plain.len() < name.len() { own.inverse() } else { own };
        }
        if !local.is_finite() {
            return Err(self.error(format!("`{}` is at no place", entry.name)));
        }
        Ok(local)
    }

    /// Where a prim is in the world at the file's first time code.
    fn world(&self, index: usize) -> Result<DMat4, Diagnostic> {
        let (mut place, mut at) = (DMat4::IDENTITY, Some(index));
        while let Some(entry) = at {
            place = self.local(entry, self.start)? * place;
            at = self.parent(entry)?;
        }
        let (turn, unit) = self.root;
        Ok(DMat4::from_scale_rotation_translation(DVec3::splat(unit), turn, DVec3::ZERO) * place)
    }
}
