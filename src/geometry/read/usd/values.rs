//! Values of attributes as numbers of the engine's own kinds.

use glam::{DMat4, DQuat, DVec2, DVec3};
use openusd::sdf::Value;

/// The number of a scalar.
pub(super) fn number(value: &Value) -> Option<f64> {
    Some(match value {
        Value::Double(x) => *x,
        Value::Float(x) => f64::from(*x),
        Value::Half(x) => x.to_f64(),
        Value::Int(x) => f64::from(*x),
        Value::Int64(x) => *x as f64,
        _ => return None,
    })
}

/// The word of a token or a string.
pub(super) fn word(value: &Value) -> Option<String> {
    match value {
        Value::Token(token) => Some(token.to_string()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

/// The words of a list of tokens.
pub(super) fn words(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::TokenVec(all) => Some(all.iter().map(ToString::to_string).collect()),
        Value::StringVec(all) => Some(all.clone()),
        _ => None,
    }
}

/// The numbers of a list of scalars.
pub(super) fn numbers(value: &Value) -> Option<Vec<f64>> {
    Some(match value {
        Value::DoubleVec(all) => all.clone(),
        Value::FloatVec(all) => all.iter().map(|x| f64::from(*x)).collect(),
        Value::HalfVec(all) => all.iter().map(|x| x.to_f64()).collect(),
        Value::IntVec(all) => all.iter().map(|x| f64::from(*x)).collect(),
        _ => return None,
    })
}

/// The whole numbers of a list.
pub(super) fn counts(value: &Value) -> Option<Vec<i64>> {
    match value {
        Value::IntVec(all) => Some(all.iter().map(|x| i64::from(*x)).collect()),
        Value::Int64Vec(all) => Some(all.clone()),
        _ => None,
    }
}

/// The vector of a value of three numbers.
pub(super) fn vector(value: &Value) -> Option<DVec3> {
    Some(match value {
        Value::Vec3d(v) => DVec3::new(v.x, v.y, v.z),
        Value::Vec3f(v) => DVec3::new(v.x.into(), v.y.into(), v.z.into()),
        Value::Vec3h(v) => DVec3::new(v.x.to_f64(), v.y.to_f64(), v.z.to_f64()),
        _ => return None,
    })
}

/// The vectors of a list of three numbers each.
pub(super) fn vectors(value: &Value) -> Option<Vec<DVec3>> {
    Some(match value {
        Value::Vec3dVec(all) => all.iter().map(|v| DVec3::new(v.x, v.y, v.z)).collect(),
        Value::Vec3fVec(all) => {
            all.iter().map(|v| DVec3::new(v.x.into(), v.y.into(), v.z.into())).collect()
        }
        Value::Vec3hVec(all) => {
            all.iter().map(|v| DVec3::new(v.x.to_f64(), v.y.to_f64(), v.z.to_f64())).collect()
        }
        _ => return None,
    })
}

/// The vectors of a list of two numbers each.
pub(super) fn pairs(value: &Value) -> Option<Vec<DVec2>> {
    Some(match value {
        Value::Vec2dVec(all) => all.iter().map(|v| DVec2::new(v.x, v.y)).collect(),
        Value::Vec2fVec(all) => all.iter().map(|v| DVec2::new(v.x.into(), v.y.into())).collect(),
        Value::Vec2hVec(all) => {
            all.iter().map(|v| DVec2::new(v.x.to_f64(), v.y.to_f64())).collect()
        }
        _ => return None,
    })
}

/// What the transform operation `name` of a prim does to its points, with its value.
pub(super) fn operation(name: &str, value: &Value) -> Option<DMat4> {
    // "xformOp:translate:pivot" is a translation.
    let kind = name.strip_prefix("xformOp:")?.split(':').next()?;
    let radians = |degrees: f64| degrees.to_radians();
    let about = |axis: char, degrees: f64| match axis {
        'X' => turn(DVec3::X, radians(degrees)),
        'Y' => turn(DVec3::Y, radians(degrees)),
        _ => turn(DVec3::Z, radians(degrees)),
    };
    let axis = |name: &str| match name {
        "X" => Some(DVec3::X),
        "Y" => Some(DVec3::Y),
        "Z" => Some(DVec3::Z),
        _ => None,
    };
    if let Some(rest) = kind.strip_prefix("translate") {
        let by = if rest.is_empty() { vector(value)? } else { axis(rest)? * number(value)? };
        return Some(DMat4::from_translation(by));
    }
    if let Some(rest) = kind.strip_prefix("scale") {
        let by = if rest.is_empty() {
            vector(value)?
        } else {
            let axis = axis(rest)?;
            DVec3::ONE + axis * (number(value)? - 1.0)
        };
        return Some(DMat4::from_scale(by));
    }
    if let Some(order) = kind.strip_prefix("rotate") {
        if axis(order).is_some() {
            let turned = about(order.chars().next()?, number(value)?);
            return Some(DMat4::from_quat(turned));
        }
        if !["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"].contains(&order) {
            return None;
        }
        let by = vector(value)?;
        let one = |axis: char| match axis {
            'X' => about(axis, by.x),
            'Y' => about(axis, by.y),
            _ => about(axis, by.z),
        };
        // The first letter is done first.
        let turned = order.chars().fold(DQuat::IDENTITY, |done, axis| one(axis) * done);
        return Some(DMat4::from_quat(turned));
    }
    match (kind, value) {
        // The library has matrices for rows from the left, one row after the other.
        ("transform", Value::Matrix4d(matrix)) => Some(DMat4::from_cols_array(&matrix.0)),
        ("orient", Value::Quatd(q)) => Some(quaternion(q.x, q.y, q.z, q.w)),
        ("orient", Value::Quatf(q)) => {
            Some(quaternion(q.x.into(), q.y.into(), q.z.into(), q.w.into()))
        }
        ("orient", Value::Quath(q)) => {
            Some(quaternion(q.x.to_f64(), q.y.to_f64(), q.z.to_f64(), q.w.to_f64()))
        }
        _ => None,
    }
}

/// Whether an operation turns, so that values between two keys are not on the straight way of its matrices.
pub(super) fn turns(name: &str) -> bool {
    ["xformOp:rotate", "xformOp:orient", "xformOp:transform"].iter().any(|o| name.starts_with(o))
}

fn turn(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(0.5 * angle);
    DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
}

fn quaternion(x: f64, y: f64, z: f64, w: f64) -> DMat4 {
    let q = DQuat::from_xyzw(x, y, z, w);
    DMat4::from_quat(if q.length_squared() > 0.0 { q.normalize() } else { DQuat::IDENTITY })
}
