//! JSON as outputs hold it: keys in order, so that equal contents are equal bytes.

use serde_json::{Map, Value};

/// `value` with the keys of all objects in order.
pub fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            Value::Object(
                keys.into_iter().map(|k| (k.clone(), sorted(&map[k]))).collect::<Map<_, _>>(),
            )
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

/// `value` as indented text with keys in order and a line end.
pub fn sorted_text(value: &Value) -> String {
    format!("{:#}\n", sorted(value))
}

/// A number, or null where it is not finite: JSON has no other way to say so.
pub fn number(x: f64) -> Value {
    serde_json::Number::from_f64(x).map_or(Value::Null, Value::Number)
}
