//! The pictures that a scene names, read once for all its frames.

use super::sky::Panorama;
use super::texture::{ColorPicture, NormalPicture};
use crate::scene::{LightKind, PictureFile, Scene};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Pictures of skies and surfaces, by the hash of their files.
#[derive(Debug, Default)]
pub struct Pictures {
    skies: BTreeMap<String, Panorama>,
    colors: BTreeMap<String, Arc<ColorPicture>>,
    normals: BTreeMap<String, Arc<NormalPicture>>,
}

impl Pictures {
    /// Reads what `scene` names; paths are relative to `root`.
    pub fn read(scene: &Scene, root: &Path) -> io::Result<Self> {
        let mut pictures = Self::default();
        for light in &scene.lights {
            if let LightKind::Sky { image: Some(file) } = &light.kind {
                let bytes = file.read(root).map_err(|e| unreadable(file, &e.to_string()))?;
                let panorama = Panorama::decode(&bytes).map_err(|e| unreadable(file, &e))?;
                pictures.skies.insert(file.hash.clone(), panorama);
            }
        }
        for body in scene.bodies.iter().filter(|b| b.visible) {
            read(&mut pictures.colors, body.look.color_map.as_ref(), root, ColorPicture::decode)?;
            read(
                &mut pictures.normals,
                body.look.normal_map.as_ref(),
                root,
                NormalPicture::decode,
            )?;
        }
        Ok(pictures)
    }

    pub(super) fn sky(&self, file: &PictureFile) -> Option<Panorama> {
        self.skies.get(&file.hash).cloned()
    }

    pub(super) fn color(&self, file: &PictureFile) -> Option<Arc<ColorPicture>> {
        self.colors.get(&file.hash).cloned()
    }

    pub(super) fn normals(&self, file: &PictureFile) -> Option<Arc<NormalPicture>> {
        self.normals.get(&file.hash).cloned()
    }
}

/// Reads `file` unless it was read before.
fn read<T>(
    known: &mut BTreeMap<String, Arc<T>>,
    file: Option<&PictureFile>,
    root: &Path,
    decode: impl Fn(&[u8]) -> Result<T, String>,
) -> io::Result<()> {
    if let Some(file) = file.filter(|file| !known.contains_key(&file.hash)) {
        let bytes = file.read(root).map_err(|e| unreadable(file, &e.to_string()))?;
        let picture = decode(&bytes).map_err(|e| unreadable(file, &e))?;
        known.insert(file.hash.clone(), Arc::new(picture));
    }
    Ok(())
}

fn unreadable(file: &PictureFile, why: &str) -> io::Error {
    io::Error::other(format!("the picture {} cannot be read: {why}", file.path))
}
