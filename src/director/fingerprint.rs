//! What the functions of a script are, as one number: their code and the values of all that they can reach.
//! Functions with the same fingerprint give the same for the same frame, whatever else of the script was
//! edited.

use super::library::modules;
use super::locals::Leaf;
use super::object::{Methods, Object};
use super::sandbox::GET_UPVALUE;
use mlua::{Function, Lua, MultiValue, Table, Value};
use std::collections::BTreeMap;

/// Most values that are looked at.
const MOST: usize = 1_000_000;

/// Tables in tables are looked into so deep.
const DEEPEST: u32 = 100;

/// With these a function reaches code that is not among its own values.
const REACHES_OUT: [&str; 3] = ["require", "load", "_G"];

/// What every script begins with: the library and what the sandbox leaves of Lua.
#[derive(Default)]
pub(super) struct Pristine {
    /// Names of functions and tables by their addresses.
    names: BTreeMap<usize, String>,
    /// What the tables hold, by the name of the table and the key.
    leaves: BTreeMap<(String, String), Leaf>,
    /// Keeps what has a name, so that nothing else takes its address.
    kept: Vec<Value>,
}

impl Pristine {
    /// Of a state in which no script has run yet.
    pub(super) fn of(lua: &Lua) -> mlua::Result<Self> {
        let mut pristine = Self::default();
        pristine.table("_G", &lua.globals())?;
        for entry in sorted_entries(&modules(lua)?).unwrap_or_default() {
            if let Value::Table(module) = &entry.value {
                pristine.table(&entry.name, module)?;
            }
        }
        let methods = lua.app_data_ref::<Methods>().map(|methods| methods.0.clone());
        for (class, table) in methods.iter().flatten() {
            pristine.table(&format!("{class:?}"), table)?;
        }
        Ok(pristine)
    }

    fn table(&mut self, name: &str, table: &Table) -> mlua::Result<()> {
        if !self.named(name, Value::Table(table.clone())) {
            return Ok(());
        }
        let Some(entries) = sorted_entries(table) else {
            return Err(mlua::Error::runtime(format!("the keys of {name} have no order")));
        };
        for Entry { name: key, value } in entries {
            self.leaves.insert((name.to_owned(), key.clone()), Leaf::of(&value));
            let path = format!("{name}.{key}");
            match &value {
                Value::Table(inner) => self.table(&path, inner)?,
                Value::Function(_) => {
                    self.named(&path, value);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Gives a value its name; false where it has one.
    fn named(&mut self, name: &str, value: Value) -> bool {
        let address = value.to_pointer() as usize;
        if self.names.contains_key(&address) {
            return false;
        }
        self.names.insert(address, name.to_owned());
        self.kept.push(value);
        true
    }

    /// The fingerprint of `functions`, as 16 hexadecimal digits; none where they reach something that cannot be
    /// compared with what another build makes: a coroutine, a function of the host, code by its name.
    pub(super) fn fingerprint(&self, lua: &Lua, functions: &[Function]) -> Option<String> {
        let mut walk = Walk {
            pristine: self,
            get_upvalue: lua.named_registry_value(GET_UPVALUE).ok()?,
            hash: blake3::Hasher::new(),
            seen: BTreeMap::new(),
            looked_at: 0,
        };
        for function in functions {
            walk.value(&Value::Function(function.clone()), 0)?;
        }
        Some(walk.hash.finalize().to_hex().chars().take(16).collect())
    }
}

/// A key of a table, told apart from all others, and its value.
struct Entry {
    name: String,
    value: Value,
}

/// The entries of a table by their keys; none where keys have no order that is the same in another build.
fn sorted_entries(table: &Table) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair.ok()?;
        let name = match &key {
            Value::String(s) => String::from_utf8(s.as_bytes().to_vec()).ok()?,
            Value::Integer(i) => format!("[{i}]"),
            Value::Number(n) => format!("[{n:?}]"),
            Value::Boolean(b) => format!("[{b}]"),
            _ => return None,
        };
        // A text that looks like a number's key is one of a kind nobody writes.
        if name.starts_with('[') && matches!(key, Value::String(_)) {
            return None;
        }
        entries.push(Entry { name, value });
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Some(entries)
}

/// Goes through all that functions can reach. Its methods give none at what cannot be compared.
struct Walk<'a> {
    pristine: &'a Pristine,
    get_upvalue: Function,
    hash: blake3::Hasher,
    /// Functions and tables by their addresses, numbered as they were come by.
    seen: BTreeMap<usize, usize>,
    looked_at: usize,
}

impl Walk<'_> {
    /// Adds bytes of a kind, told apart from what comes before and after.
    fn add(&mut self, kind: &str, bytes: &[u8]) {
        self.hash.update(kind.as_bytes());
        self.hash.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    }

    fn value(&mut self, value: &Value, depth: u32) -> Option<()> {
        self.looked_at += 1;
        if self.looked_at > MOST || depth > DEEPEST {
            return None;
        }
        match value {
            Value::Nil => self.add("nil", &[]),
            Value::Boolean(b) => self.add("boolean", &[u8::from(*b)]),
            Value::Integer(i) => self.add("integer", &i.to_le_bytes()),
            Value::Number(n) => self.add("number", &n.to_bits().to_le_bytes()),
            Value::String(s) => self.add("text", &s.as_bytes()),
            Value::Function(function) => self.function(function, depth)?,
            Value::Table(table) => self.table(table, depth)?,
            Value::UserData(_) => self.handle(&Object::from_value(value)?)?,
            _ => return None,
        }
        Some(())
    }

    /// Whether the walk has come by before; notes it where it has not.
    fn is_known(&mut self, address: usize) -> bool {
        let next = self.seen.len();
        if let Some(number) = self.seen.get(&address).copied() {
            self.add("again", &(number as u64).to_le_bytes());
            return true;
        }
        self.seen.insert(address, next);
        false
    }

    fn function(&mut self, function: &Function, depth: u32) -> Option<()> {
        let address = function.to_pointer() as usize;
        if let Some(name) = self.pristine.names.get(&address) {
            let last = name.rsplit('.').next().unwrap_or(name);
            if REACHES_OUT.contains(&last) {
                return None;
            }
            self.add("own", name.as_bytes());
            return Some(());
        }
        if self.is_known(address) {
            return Some(());
        }
        if !matches!(function.info().what, "Lua" | "main") {
            return None;
        }
        let code = code_of(&function.dump(true))?;
        self.add("code", &code);
        for i in 1..=255 {
            let found: MultiValue = self.get_upvalue.call((function, i)).ok()?;
            let mut found = found.into_iter();
            if !matches!(found.next(), Some(Value::String(_))) {
                break;
            }
            self.value(&found.next().unwrap_or(Value::Nil), depth + 1)?;
        }
        Some(())
    }

    fn table(&mut self, table: &Table, depth: u32) -> Option<()> {
        let address = table.to_pointer() as usize;
        if self.is_known(address) {
            return Some(());
        }
        let own = self.pristine.names.get(&address);
        match own {
            Some(name) => self.add("own table", name.as_bytes()),
            None => {
                self.add("table", &[]);
                let meta = table.metatable().map_or(Value::Nil, Value::Table);
                self.value(&meta, depth + 1)?;
            }
        }
        let (mut same, mut entries) = (0u64, 0u64);
        for Entry { name: key, value } in sorted_entries(table)? {
            let is_as_it_was = own.is_some_and(|name| {
                let was = self.pristine.leaves.get(&(name.clone(), key.clone()));
                was == Some(&Leaf::of(&value))
            });
            // What was there from the start counts by its name, and tables by what was put into them.
            if is_as_it_was {
                same += 1;
                if !matches!(value, Value::Table(_)) {
                    continue;
                }
            }
            entries += 1;
            self.add("key", key.as_bytes());
            self.value(&value, depth + 1)?;
        }
        self.add("end", &[same.to_le_bytes(), entries.to_le_bytes()].concat());
        Some(())
    }

    /// A handle, by what a callback can learn through it beside the scene.
    fn handle(&mut self, object: &Object) -> Option<()> {
        let told = match object {
            Object::Shot | Object::World => String::new(),
            Object::Stage(stage) => stage.path.clone(),
            Object::Mesh(mesh) => serde_json::to_string(&**mesh).ok()?,
            Object::Map(map) => format!("{map:?}"),
            Object::Keys(keys) => format!("{keys:?}"),
            Object::Path(path) => format!("{path:?}"),
            Object::Body(i) | Object::Constraint(i) | Object::WorldBody(i) => i.to_string(),
            Object::Points(points) => format!("{points:?}"),
            Object::Spot(anchor, place) => format!("{anchor:?} {place:?}"),
            Object::Force(name) | Object::Camera(name) | Object::Light(name) => name.to_string(),
            Object::Stream(stream, phase) => format!("{:?} {phase:?}", stream.borrow()),
        };
        self.add("handle", format!("{:?}", object.class()).as_bytes());
        self.add("of", told.as_bytes());
        Some(())
    }
}

/// The code of a dumped function without the lines that it stands on (Lua 5.4, `ldump.c`); none where it mentions what
/// reaches code by its name, or where it is not as expected.
fn code_of(dump: &[u8]) -> Option<Vec<u8>> {
    // Signature, version, format, check bytes, three sizes, an integer and a number, the count of upvalues.
    const HEADER: usize = 4 + 1 + 1 + 6 + 3 + 8 + 8 + 1;
    if !dump.starts_with(b"\x1bLua\x54\x00") {
        return None;
    }
    let mut reader = Dumped { bytes: dump, at: HEADER, code: Vec::new() };
    reader.function(true)?;
    (reader.at == dump.len()).then_some(reader.code)
}

struct Dumped<'b> {
    bytes: &'b [u8],
    at: usize,
    code: Vec<u8>,
}

impl<'b> Dumped<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    /// Seven bits a byte, the highest first; the last has its eighth bit set.
    fn size(&mut self) -> Option<usize> {
        let mut size = 0usize;
        loop {
            let byte = self.take(1)?[0];
            size = size.checked_mul(128)? | usize::from(byte & 0x7f);
            if byte & 0x80 != 0 {
                return Some(size);
            }
        }
    }

    /// A text: one more than its length, and its bytes.
    fn text(&mut self) -> Option<&'b [u8]> {
        let length = self.size()?.checked_sub(1)?;
        self.take(length)
    }

    fn function(&mut self, is_outermost: bool) -> Option<()> {
        // The name of its source was left out.
        if self.size()? != 0 {
            return None;
        }
        let _lines = (self.size()?, self.size()?);
        let start = self.at;
        // Parameters, whether there may be more, the size of its stack.
        self.take(3)?;
        let instructions = self.size()?;
        self.take(instructions.checked_mul(4)?)?;
        for _ in 0..self.size()? {
            match self.take(1)?[0] {
                // nil, false, true
                0x00 | 0x01 | 0x11 => {}
                // integers, numbers
                0x03 | 0x13 => {
                    self.take(8)?;
                }
                // short and long texts
                0x04 | 0x14 => {
                    let text = self.text()?;
                    if REACHES_OUT.iter().any(|name| name.as_bytes() == text) {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        self.code.extend(&self.bytes[start..self.at]);
        let start = self.at;
        let upvalues = self.size()?;
        self.take(upvalues.checked_mul(3)?)?;
        // Where the outermost finds its own depends on what is written before it.
        let end = if is_outermost { start } else { self.at };
        self.code.extend(&self.bytes[start..end]);
        let start = self.at;
        let inner = self.size()?;
        self.code.extend(&self.bytes[start..self.at]);
        for _ in 0..inner {
            self.function(false)?;
        }
        // Lines, exact lines, names of locals, names of upvalues: they were left out.
        (0..4).try_for_each(|_| (self.size()? == 0).then_some(()))
    }
}
