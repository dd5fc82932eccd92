//! Numbered pictures of the frames of a run.

use super::outputs::Stage;
use super::progress::Message;
use super::stale::look_hash;
use crate::diagnostics::{Diagnostic, nearest};
use crate::frames::{Frame, write_whole};
use crate::render::{self, Picture, Settings, View};
use crate::scene::{ImageFormat, Images, Scene, Sheet};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Frames over which a shot is measured to choose its camera and stage.
const VIEW_FRAMES: u32 = 12;
/// Hexadecimal digits of the view's hash in a picture's key.
const VIEW_PREFIX: usize = 16;

/// How well pictures are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// Few paths a pixel: quick to look at.
    Draft,
    /// Many paths a pixel.
    Final,
}

impl Quality {
    /// The paths a pixel that stand for `samples`.
    pub(super) fn samples(quality: Option<Self>, samples: u32) -> u32 {
        match quality {
            None => samples,
            Some(Self::Draft) => samples.div_ceil(4).min(8),
            Some(Self::Final) => samples.max(128),
        }
    }
}

/// `count` frames spread evenly over `first ..= last`, both ends included.
pub(super) fn spread(first: i32, last: i32, count: u32) -> BTreeSet<i32> {
    let span = f64::from(last - first);
    let steps = f64::from(count.saturating_sub(1).max(1));
    (0..count).map(|i| first + (span * f64::from(i) / steps).round() as i32).collect()
}

/// The frames of the contact sheet of a shot with frames `first ..= last`.
pub(super) fn sheet_frames(sheet: &Sheet, first: i32, last: i32) -> Vec<i32> {
    match sheet {
        Sheet::Count(count) => spread(first, last, *count).into_iter().collect(),
        Sheet::Frames(list) => {
            list.iter().copied().filter(|n| (first..=last).contains(n)).collect()
        }
    }
}

/// The scene as renderer and exporters want it: picture files by paths that hold from here, below the
/// project's `root`. Names the first that is not there as it was when the scene was built.
pub(super) fn with_paths(scene: &Scene, root: &Path) -> Result<Scene, Diagnostic> {
    located(scene, |path| root.join(path))
}

/// As [`with_paths`], with the copies that the run in `folder` keeps.
pub(super) fn with_kept(scene: &Scene, folder: &Path) -> Result<Scene, Diagnostic> {
    located(scene, |path| kept(folder, path))
}

/// Copies the picture files of `scene` below `root` into the run's `folder`.
pub(super) fn keep(scene: &Scene, root: &Path, folder: &Path) -> io::Result<()> {
    for picture in scene.clone().pictures_mut() {
        write_whole(&kept(folder, &picture.path), &picture.read(root)?)?;
    }
    Ok(())
}

/// Where the run in `folder` keeps its copy of the picture file at `path`.
fn kept(folder: &Path, path: &str) -> PathBuf {
    folder.join("script").join(super::outputs::below(path))
}

fn located(scene: &Scene, place: impl Fn(&str) -> PathBuf) -> Result<Scene, Diagnostic> {
    let mut scene = scene.clone();
    for picture in scene.pictures_mut() {
        let name = std::mem::take(&mut picture.path);
        picture.path = place(&name).to_string_lossy().into_owned();
        picture.read(Path::new("")).map_err(|e| {
            Diagnostic::error(format!("the picture `{name}` cannot be used: {e}"))
                .hint("run the script again, so that the shot has the picture as it is")
        })?;
    }
    Ok(scene)
}

/// A camera of the shot, with the name that its files carry.
pub(super) struct Eye {
    /// Name in file names; none where there is one camera only.
    pub(super) name: Option<String>,
    /// What it sees.
    pub(super) view: View,
}

/// The views of the cameras `wanted` (none: of all), or the chosen one where the script has none.
pub(super) fn eyes(scene: &Scene, stage: &Stage<'_>, wanted: &[String]) -> io::Result<Vec<Eye>> {
    let numbers: Vec<i32> =
        spread(scene.timing.start_frame, stage.last, VIEW_FRAMES).into_iter().collect();
    let mut read = |n: i32| read_frame(stage, n);
    if scene.cameras.is_empty() {
        let view = render::choose_view(scene, &mut read, &numbers)?;
        return Ok(vec![Eye { name: None, view }]);
    }
    let measured = render::measure_stage(scene, &mut read, &numbers)?;
    let several = scene.cameras.len() > 1 && wanted.len() != 1;
    let mut eyes = Vec::new();
    for (i, camera) in scene.cameras.iter().enumerate() {
        if wanted.is_empty() || wanted.contains(&camera.name) {
            let view = View::of_camera(scene, i, measured.clone())?;
            eyes.push(Eye { name: several.then(|| camera.name.clone()), view });
        }
    }
    Ok(eyes)
}

/// Complains about cameras that the scene has not got.
pub(super) fn check_cameras(scene: &Scene, wanted: &[String]) -> Result<(), Diagnostic> {
    let names = || scene.cameras.iter().map(|c| c.name.as_str());
    match wanted.iter().find(|w| names().all(|n| n != w.as_str())) {
        None => Ok(()),
        Some(missing) => {
            let mut problem = Diagnostic::error(format!("there is no camera `{missing}`"));
            problem.hint = nearest(missing, names()).map(|n| format!("did you mean `{n}`?"));
            Err(problem)
        }
    }
}

fn read_frame(stage: &Stage<'_>, n: i32) -> io::Result<Frame> {
    stage.store.record(n).map(|r| r.frame).map_err(io::Error::other)
}

/// What every picture of a view is made from.
pub(super) fn view_key(scene: &Scene, stage: &Stage<'_>) -> io::Result<String> {
    let mut hash = blake3::Hasher::new();
    hash.update(env!("CARGO_PKG_VERSION").as_bytes()).update(look_hash(scene).as_bytes());
    for n in spread(scene.timing.start_frame, stage.last, VIEW_FRAMES) {
        hash.update(&n.to_le_bytes()).update(&read_frame(stage, n)?.state_hash);
    }
    Ok(hash.finalize().to_hex().to_string())
}

/// Hash of what one picture is made from.
pub(super) fn picture_key(view: &str, settings: &Settings, frame: &Frame, camera: &str) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(view.as_bytes()).update(format!("{settings:?} {camera}").as_bytes());
    hash.update(&frame.number.to_le_bytes()).update(&frame.state_hash);
    // The view comes first, so that pictures of an older version of the shot can be told.
    format!("{}-{}", &view[..VIEW_PREFIX], hash.finalize().to_hex())
}

/// Draws one frame.
pub(super) fn draw(
    scene: &Scene,
    stage: &Stage<'_>,
    view: &View,
    settings: &Settings,
    frame: &Frame,
) -> io::Result<Picture> {
    let next = (settings.shutter > 0.0 && frame.number < stage.last)
        .then(|| read_frame(stage, frame.number + 1))
        .transpose()?;
    let camera = view.at(scene, frame.number);
    Ok(render::render(scene, frame, next.as_ref(), &camera, settings))
}

/// Draws the numbered pictures that are not there yet.
pub(super) fn numbered(
    scene: &Scene,
    stage: &Stage<'_>,
    images: &Images,
    quality: Option<Quality>,
) -> io::Result<()> {
    let began = Instant::now();
    let mut settings = Settings::from_images(images);
    settings.samples = Quality::samples(quality, settings.samples);
    let start = scene.timing.start_frame;
    let every = images.every.max(1) as i32;
    let numbers: Vec<i32> =
        stage.frames.iter().copied().filter(|n| (n - start) % every == 0).collect();
    let view = view_key(scene, stage)?;
    let eyes = eyes(scene, stage, &images.cameras)?;
    let of = numbers.len() * eyes.len();
    let mut done = 0;
    let mut kept = BTreeSet::new();
    for &n in &numbers {
        let frame = read_frame(stage, n)?;
        for eye in &eyes {
            if stage.interrupted.load(Ordering::SeqCst) {
                return Ok(());
            }
            let key = picture_key(&view, &settings, &frame, &eye.view.camera.name);
            let names = file_names(scene, images, eye, n);
            if !names.iter().all(|name| stage.ledger.holds(name, &key)) {
                let picture = draw(scene, stage, &eye.view, &settings, &frame)?;
                for name in &names {
                    let path = stage.folder.join(name);
                    if path.extension().is_some_and(|e| e == "exr") {
                        render::write_exr(&picture, &path)?;
                    } else {
                        render::write_png(&picture, &path)?;
                    }
                    stage.ledger.wrote(name, "images", &key)?;
                    stage.listener.hear(Message::Wrote(path));
                }
                let done = done + 1;
                stage.listener.hear(Message::Working { what: "drawing", done, of });
            }
            kept.extend(names);
            done += 1;
        }
    }
    // Pictures of an earlier version of the shot are not of this one.
    stage.ledger.prune("images", |name, entry| {
        kept.contains(name) || (stage.keeps_others && entry.key.starts_with(&view[..VIEW_PREFIX]))
    })?;
    stage.timings.part("draw", began.elapsed());
    Ok(())
}

fn file_names(scene: &Scene, images: &Images, eye: &Eye, n: i32) -> Vec<String> {
    let camera = eye.name.as_ref().map_or_else(String::new, |name| format!(".{name}"));
    let stem = format!("images/{}{camera}.{n:04}", scene.name);
    let mut names = Vec::new();
    if images.format == ImageFormat::Png {
        names.push(format!("{stem}.png"));
    }
    if images.format == ImageFormat::Exr || !images.layers.is_empty() {
        names.push(format!("{stem}.exr"));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_spread_from_end_to_end() {
        let frames =
            |first, last, count| spread(first, last, count).into_iter().collect::<Vec<_>>();
        assert_eq!(frames(1, 145, 5), [1, 37, 73, 109, 145]);
        assert_eq!(frames(1, 3, 12), [1, 2, 3]);
        assert_eq!(frames(5, 5, 12), [5]);
        assert_eq!(frames(1, 10, 1), [1]);
        assert!(frames(1, 10, 0).is_empty());
        assert_eq!(sheet_frames(&Sheet::Frames(vec![9, 2, 40]), 1, 10), [9, 2]);
    }
}
