//! How a run stands that need not have ended: what `shot.json` says is written at its end.

use super::folder::store_of;
use super::summary::Summary;
use crate::diagnostics::{Diagnostic, Place};
use crate::frames::{Lock, Store};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The frames of the run in `folder`, and what its `shot.json` says. A run that says it goes on while nobody writes into
/// its folder has the status "killed".
pub(super) fn said(folder: &Path) -> Result<(Store, Value), Diagnostic> {
    let store = store_of(folder)?;
    let path = folder.join("shot.json");
    let read = fs::read(&path).map_err(|e| e.to_string());
    let read = read.and_then(|bytes| serde_json::from_slice(&bytes).map_err(|e| e.to_string()));
    let mut shot: Value = read.map_err(|why| {
        let place = Place::new(path.display().to_string(), 0);
        Diagnostic::error(format!("shot.json cannot be read: {why}")).at(place)
    })?;
    if shot["status"] == "running" && Lock::is_free(folder) {
        shot["status"] = "killed".into();
    }
    Ok((store, shot))
}

/// What `shot.json` of the run in `folder` says; where the run has not ended, or was killed, with the figures of the
/// frames that are there by now.
pub fn standing(folder: &Path) -> Result<Value, Diagnostic> {
    let (store, mut shot) = said(folder)?;
    if (shot["status"] == "running" || shot["status"] == "killed")
        && let Ok(scene) = store.scene()
    {
        Summary::gather(&scene, &store, scene.timing.last_frame()).tell_frames(&mut shot);
    }
    Ok(shot)
}
