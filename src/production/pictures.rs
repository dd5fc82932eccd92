//! Numbered pictures of the frames of a run.

use super::outputs::Stage;
use super::progress::Message;
use super::stale::look_hash;
use super::writer::Stored;
use crate::diagnostics::{Diagnostic, nearest};
use crate::frames::{Frame, Store, write_whole};
use crate::render::{self, Picture, Settings, View};
use crate::scene::{ImageFormat, Images, LightKind, Scene, Sheet};
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

/// The scene without its picture files.
pub(super) fn without(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    for body in &mut scene.bodies {
        (body.look.color_map, body.look.normal_map) = (None, None);
    }
    for light in &mut scene.lights {
        if let LightKind::Sky { image } = &mut light.kind {
            *image = None;
        }
    }
    scene
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
    eyes_of(scene, stage.store, stage.last, wanted)
}

/// As [`eyes`], of the frames of `store` up to `last`.
pub(super) fn eyes_of(
    scene: &Scene,
    store: &Store,
    last: i32,
    wanted: &[String],
) -> io::Result<Vec<Eye>> {
    let numbers = spread(scene.timing.start_frame, last, VIEW_FRAMES);
    eyes_over(scene, store, wanted, &numbers.into_iter().collect::<Vec<_>>())
}

/// As [`eyes`], as if the shot were no more than the frames `numbers`.
fn eyes_over(
    scene: &Scene,
    store: &Store,
    wanted: &[String],
    numbers: &[i32],
) -> io::Result<Vec<Eye>> {
    let mut read = |n: i32| read_frame(store, n);
    if scene.cameras.is_empty() {
        let view = render::choose_view(scene, &mut read, numbers)?;
        return Ok(vec![Eye { name: None, view }]);
    }
    let measured = render::measure_stage(scene, &mut read, numbers)?;
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

fn read_frame(store: &Store, n: i32) -> io::Result<Frame> {
    store.record(n).map(|r| r.frame).map_err(io::Error::other)
}

/// What every picture of the shot is made from beside its own frame: looks, the stage, and the camera
/// that was chosen where the script has none.
pub(super) fn view_key(scene: &Scene, eyes: &[Eye]) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(env!("CARGO_PKG_VERSION").as_bytes()).update(look_hash(scene).as_bytes());
    if let Some(Eye { view, .. }) = eyes.first() {
        let stage = &view.stage;
        hash.update(format!("{:?} {:?}", stage.ground, stage.heading).as_bytes());
        // Where there is no studio floor, nobody sees how far the shot reaches.
        if stage.floor.is_some() {
            hash.update(format!("{stage:?}").as_bytes());
        }
        if scene.cameras.is_empty() {
            hash.update(format!("{:?}", view.camera).as_bytes());
        }
    }
    hash.finalize().to_hex().to_string()
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
        .then(|| read_frame(stage.store, frame.number + 1))
        .transpose()?;
    let camera = view.at(scene, frame.number);
    Ok(render::render(scene, frame, next.as_ref(), &camera, settings))
}

/// Those of `frames` that are drawn.
pub(super) fn numbers(scene: &Scene, images: &Images, frames: &BTreeSet<i32>) -> Vec<i32> {
    let (start, every) = (scene.timing.start_frame, images.every.max(1) as i32);
    frames.iter().copied().filter(|n| (n - start) % every == 0).collect()
}

/// The numbered pictures of a shot as they are drawn.
struct Series<'a> {
    scene: &'a Scene,
    stage: &'a Stage<'a>,
    images: &'a Images,
    settings: Settings,
    eyes: Vec<Eye>,
    view: String,
}

impl<'a> Series<'a> {
    fn new(
        scene: &'a Scene,
        stage: &'a Stage<'a>,
        images: &'a Images,
        quality: Option<Quality>,
        eyes: Vec<Eye>,
    ) -> Self {
        let mut settings = Settings::from_images(images);
        settings.samples = Quality::samples(quality, settings.samples);
        let view = view_key(scene, &eyes);
        Self { scene, stage, images, settings, eyes, view }
    }

    /// The frames that are drawn.
    fn numbers(&self) -> Vec<i32> {
        numbers(self.scene, self.images, self.stage.frames)
    }

    /// Draws frame `n` as each camera sees it where that is not there yet, and tells what files that
    /// makes; none if the person stopped it. `done` of the frames are done.
    fn picture(&self, n: i32, done: usize, of: usize) -> io::Result<Option<Vec<String>>> {
        let stage = self.stage;
        let frame = read_frame(stage.store, n)?;
        let mut all = Vec::new();
        for (i, eye) in self.eyes.iter().enumerate() {
            if stage.interrupted.load(Ordering::SeqCst) {
                return Ok(None);
            }
            let key = picture_key(&self.view, &self.settings, &frame, &eye.view.camera.name);
            let names = file_names(self.scene, self.images, eye, n);
            if !names.iter().all(|name| stage.ledger.holds(name, &key)) {
                let picture = draw(self.scene, stage, &eye.view, &self.settings, &frame)?;
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
                stage.timings.drawn(n);
                let (done, of) = (done * self.eyes.len() + i + 1, of * self.eyes.len());
                stage.listener.hear(Message::Working { what: "drawing", done, of });
            }
            all.extend(names);
        }
        Ok(Some(all))
    }
}

/// Draws the numbered pictures that are not there yet.
pub(super) fn numbered(
    scene: &Scene,
    stage: &Stage<'_>,
    images: &Images,
    quality: Option<Quality>,
) -> io::Result<()> {
    let began = Instant::now();
    let eyes = eyes(scene, stage, &images.cameras)?;
    let series = Series::new(scene, stage, images, quality, eyes);
    let numbers = series.numbers();
    let mut kept = BTreeSet::new();
    for (done, n) in numbers.iter().enumerate() {
        let Some(names) = series.picture(*n, done, numbers.len())? else { return Ok(()) };
        kept.extend(names);
    }
    // Pictures of an earlier version of the shot are not of this one.
    stage.ledger.prune("images", |name, entry| {
        let same_view = entry.key.starts_with(&series.view[..VIEW_PREFIX]);
        kept.contains(name) || (stage.keeps_others && same_view)
    })?;
    stage.timings.part("draw", began.elapsed());
    Ok(())
}

/// Draws numbered pictures while the frames come, until the last has come. Only where no later frame
/// could change a picture: by cameras of the script, above a ground that has its own colour. If the
/// whole shot turns out to be seen otherwise after all, their key tells, and [`numbered`] draws them again.
pub(super) fn follow(
    scene: &Scene,
    stage: &Stage<'_>,
    images: &Images,
    quality: Option<Quality>,
    stored: &Stored,
) -> io::Result<()> {
    let first = scene.timing.start_frame;
    if scene.cameras.is_empty() || !stored.wait_for(first) {
        return Ok(());
    }
    let eyes = eyes_over(scene, stage.store, &images.cameras, &[first])?;
    if eyes.iter().any(|eye| eye.view.stage.floor.is_some()) {
        return Ok(());
    }
    let series = Series::new(scene, stage, images, quality, eyes);
    let numbers = series.numbers();
    for (done, &n) in numbers.iter().enumerate() {
        // What is blurred shows the way to the next frame.
        let needs = if series.settings.shutter > 0.0 { (n + 1).min(stage.last) } else { n };
        if !stored.wait_for(needs)
            || stored.is_closed()
            || series.picture(n, done, numbers.len())?.is_none()
        {
            break;
        }
    }
    Ok(())
}

/// A numbered picture that a run asks for.
pub(super) struct Wanted {
    /// Frame.
    pub(super) frame: i32,
    /// Its files.
    pub(super) names: Vec<String>,
    /// Hash of what it is made from now; none where that hangs on frames that are not made yet.
    pub(super) key: Option<String>,
}

/// The numbered pictures that a run asks for, if those of its frames for which `is_kept` is true are there.
pub(super) fn wanted(
    scene: &Scene,
    stage: &Stage<'_>,
    images: &Images,
    is_kept: impl Fn(i32) -> bool,
) -> io::Result<Vec<Wanted>> {
    let first = scene.timing.start_frame;
    let all_kept = (first..=stage.last).all(&is_kept);
    let (eyes, sure) = if all_kept {
        (eyes(scene, stage, &images.cameras)?, true)
    } else if is_kept(first) {
        let eyes = eyes_over(scene, stage.store, &images.cameras, &[first])?;
        let sure = !scene.cameras.is_empty() && eyes.iter().all(|e| e.view.stage.floor.is_none());
        (eyes, sure)
    } else {
        (Vec::new(), false)
    };
    let series = Series::new(scene, stage, images, None, eyes);
    let mut all = Vec::new();
    for n in series.numbers() {
        let frame = (sure && is_kept(n)).then(|| read_frame(stage.store, n)).transpose()?;
        for eye in &series.eyes {
            let camera = &eye.view.camera.name;
            let key = |f: &Frame| picture_key(&series.view, &series.settings, f, camera);
            let names = file_names(scene, images, eye, n);
            all.push(Wanted { frame: n, names, key: frame.as_ref().map(key) });
        }
        if series.eyes.is_empty() {
            all.push(Wanted { frame: n, names: Vec::new(), key: None });
        }
    }
    Ok(all)
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
