//! What each point or pair has of a constraint: its weight and its stiffness.

use super::super::options::Options;
use super::super::sampling::Surface;
use super::super::select;
use super::super::values;
use crate::geometry::TriMesh;
use crate::scene::{Anchor, ConstraintKind, MappedCurve, Points, VertexMap};
use glam::DVec3;
use mlua::Value;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::rc::Rc;

/// Weight and stiffness of a constraint; none where they are left out.
pub(super) fn read(
    o: &Options,
    kind: &ConstraintKind,
) -> mlua::Result<(Option<VertexMap>, Option<MappedCurve>)> {
    Ok(match kind {
        ConstraintKind::Pin { points, .. } | ConstraintKind::Freeze { points, .. } => {
            (weights(o, points)?, stiffness(o, &anchors(points))?)
        }
        ConstraintKind::Attach { points, spots, .. } if spots.is_empty() => {
            (weights(o, points)?, stiffness(o, &anchors(points))?)
        }
        ConstraintKind::Attach { spots, .. } => (anchor_weights(o, spots)?, stiffness(o, spots)?),
        ConstraintKind::Stitch { pairs, .. } if o.takes_maps("stiffness") => {
            let ends: Vec<Anchor> = pairs.iter().map(|pair| pair.a).collect();
            (anchor_weights(o, &ends)?, stiffness(o, &ends)?)
        }
        ConstraintKind::Stitch { .. }
        | ConstraintKind::Joint(_)
        | ConstraintKind::Tether { .. } => {
            let weight = o.number("weight")?.map(VertexMap::Uniform);
            (weight, o.curve("stiffness")?.map(MappedCurve::Uniform))
        }
        ConstraintKind::Carry { .. } => (None, None),
    })
}

/// Weight and stiffness of the vertices of `body`, of which `points` alone may be given by a list.
pub(super) fn of_vertices(
    o: &Options,
    body: usize,
    points: &[u32],
) -> mlua::Result<(Option<VertexMap>, Option<MappedCurve>)> {
    let (mesh, start) = surface(o, body)?;
    let surface = Surface { mesh: &mesh, vertices: &start };
    let spread = |listed: Vec<f64>| {
        let mut all = vec![1.0; start.len()];
        for (vertex, value) in points.iter().zip(listed) {
            all[*vertex as usize] = value;
        }
        all
    };
    let weight = match listed(o, "weight", points.len())? {
        Some(list) => Some(VertexMap::PerVertex(spread(list))),
        None => o.map("weight", &surface)?,
    };
    let stiffness = match listed(o, "stiffness", points.len())? {
        Some(list) => Some(MappedCurve::PerVertex(spread(list))),
        None => o.mapped_curve("stiffness", &surface)?,
    };
    Ok((weight, stiffness))
}

fn anchors(points: &[Points]) -> Vec<Anchor> {
    let vertices = points.iter().flat_map(|p| p.vertices.iter().map(|v| (p.body, *v)));
    vertices.map(|(body, v)| Anchor::of_vertex(body, v)).collect()
}

/// Weights of a constraint's points, in their order.
fn weights(o: &Options, points: &[Points]) -> mlua::Result<Option<VertexMap>> {
    if let Some(listed) = listed(o, "weight", select::count(points))? {
        return Ok(Some(VertexMap::PerVertex(listed)));
    }
    let mut out = Vec::new();
    for group in points {
        let Some(map) = weight_on(o, group.body)? else { return Ok(None) };
        if let (VertexMap::Uniform(_), [_]) = (&map, points) {
            return Ok(Some(map));
        }
        out.extend(group.vertices.iter().map(|v| map.at(*v as usize)));
    }
    Ok(Some(VertexMap::PerVertex(out)))
}

/// Weights of places in their order; of a stitch's pairs these are their places of `a`.
fn anchor_weights(o: &Options, anchors: &[Anchor]) -> mlua::Result<Option<VertexMap>> {
    if let Some(listed) = listed(o, "weight", anchors.len())? {
        return Ok(Some(VertexMap::PerVertex(listed)));
    }
    let mut maps: BTreeMap<usize, VertexMap> = BTreeMap::new();
    let mut out = Vec::new();
    for a in anchors {
        if let Entry::Vacant(place) = maps.entry(a.body) {
            let Some(map) = weight_on(o, a.body)? else { return Ok(None) };
            place.insert(map);
        }
        let map = &maps[&a.body];
        out.push(a.mean(|v| map.at(v as usize)).max(0.0));
    }
    Ok(Some(VertexMap::PerVertex(out)))
}

/// Stiffness of places in their order.
fn stiffness(o: &Options, anchors: &[Anchor]) -> mlua::Result<Option<MappedCurve>> {
    if let Some(listed) = listed(o, "stiffness", anchors.len())? {
        return Ok(Some(MappedCurve::PerVertex(listed)));
    }
    let mut maps: BTreeMap<usize, MappedCurve> = BTreeMap::new();
    for a in anchors {
        if let Entry::Vacant(place) = maps.entry(a.body) {
            let (mesh, start) = surface(o, a.body)?;
            let surface = Surface { mesh: &mesh, vertices: &start };
            let Some(map) = o.mapped_curve("stiffness", &surface)? else { return Ok(None) };
            place.insert(map);
        }
    }
    let is_even = |map: &MappedCurve| matches!(map, MappedCurve::Uniform(_));
    if maps.values().all(is_even) {
        return Ok(maps.into_values().next());
    }
    let at = |time: f64| -> Vec<f64> {
        let one = |a: &Anchor| a.mean(|v| maps[&a.body].at(v as usize, time)).max(0.0);
        anchors.iter().map(one).collect()
    };
    let times = maps.values().find_map(|map| match map {
        MappedCurve::Moving { rate, start, samples } => Some((*rate, *start, samples.len())),
        _ => None,
    });
    Ok(Some(match times {
        None => MappedCurve::PerVertex(at(0.0)),
        Some((rate, start, count)) => {
            o.inv.charge((count * anchors.len()) as u64)?;
            let samples = (0..count).map(|i| at(start + i as f64 / rate)).collect();
            MappedCurve::Moving { rate, start, samples }
        }
    }))
}

/// The value of `key` where it is a list with one number a point or pair.
fn listed(o: &Options, key: &str, count: usize) -> mlua::Result<Option<Vec<f64>>> {
    let Value::Table(list) = o.value(key)? else { return Ok(None) };
    if list.raw_len() != count {
        return Ok(None);
    }
    let mut out = Vec::new();
    for i in 1..=count {
        let entry: Value = list.raw_get(i)?;
        let n = values::number(&entry).filter(|n| o.allows(key, *n));
        let expected = || format!("a list of {}", o.numbers_of(key));
        out.push(n.ok_or_else(|| o.wrong(key, &expected(), &entry))?);
    }
    Ok(Some(out))
}

/// `weight` on a body; none where it is left out.
fn weight_on(o: &Options, body: usize) -> mlua::Result<Option<VertexMap>> {
    let (mesh, start) = surface(o, body)?;
    o.map("weight", &Surface { mesh: &mesh, vertices: &start })
}

/// The mesh of a body, and where its vertices are at the start.
fn surface(o: &Options, body: usize) -> mlua::Result<(Rc<TriMesh>, Rc<Vec<DVec3>>)> {
    let shot = o.inv.shot()?;
    Ok((Rc::clone(shot.mesh_of(body)), Rc::clone(&shot.starts[body])))
}
