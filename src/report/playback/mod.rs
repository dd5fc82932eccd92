//! A shot to be played in a page: its bodies in 3D, frame by frame, drawn by a script of our own that needs a
//! browser and nothing else.
//!
//! What is static is there once; bodies that keep their shape have a pose a frame, others the places of their
//! vertices as 16-bit steps within their bounds over the whole shot. All of it is little-endian binary in
//! base64, with a JSON object that says what lies where: see `decode.js`, which reads it.

mod encode;
mod plan;
mod surface;

use super::page::base64;
use super::plot::escaped;
use crate::diagnostics::Diagnostic;
use crate::frames::FrameSource;
use crate::render::View;
use crate::scene::Scene;
use serde_json::Value;
use std::fmt::Write;

/// The script, in the order of its parts: each uses only those before it.
const SCRIPT: [&str; 5] = [
    include_str!("decode.js"),
    include_str!("camera.js"),
    include_str!("shaders.js"),
    include_str!("draw.js"),
    include_str!("player.js"),
];
const STYLE: &str = include_str!("playback.css");

/// What a playback is made from.
pub struct Show<'a> {
    /// The scene as it was simulated.
    pub scene: &'a Scene,
    /// Its frames.
    pub frames: &'a dyn FrameSource,
    /// How its cameras see it; the first is where one begins. At least one.
    pub views: &'a [View],
    /// Places of interest.
    pub marks: Vec<Mark>,
    /// Most bytes of the page as a whole.
    pub page_bytes: usize,
    /// Bytes of what else stands on it.
    pub other_bytes: usize,
}

/// A frame of interest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// Its number.
    pub frame: i32,
    /// Of what kind.
    pub kind: MarkKind,
    /// What happened.
    pub text: String,
}

/// The kinds of marks, which have a colour each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkKind {
    /// An attempt was taken back.
    Retake,
    /// Two bodies touched for the first time.
    Touch,
    /// Anything else.
    Event,
}

impl MarkKind {
    /// As the script of the page calls it.
    fn name(self) -> &'static str {
        match self {
            Self::Retake => "retake",
            Self::Touch => "touch",
            Self::Event => "event",
        }
    }
}

/// A shot as it stands in a page.
#[derive(Clone, Debug)]
pub struct Playback {
    /// What lies where.
    about: Value,
    bytes: Vec<u8>,
    /// What the person should know.
    words: String,
}

impl Playback {
    /// Of a shot, as much of it as `page_bytes` allow.
    pub fn new(show: &Show<'_>) -> Result<Self, Diagnostic> {
        encode::encode(show)
    }

    /// As it stands in a page.
    pub(super) fn html(&self) -> String {
        let mut out = format!(
            "<style>{STYLE}</style>\n<div id=\"playback\"><p class=\"none\">The playback in 3D needs \
             JavaScript and WebGL 2, which this browser does not offer.</p></div>\n"
        );
        if !self.words.is_empty() {
            let _ = writeln!(out, "<p>{}</p>", escaped(&self.words));
        }
        let about = in_script(&self.about);
        let _ = writeln!(
            out,
            "<script type=\"application/json\" id=\"playback-about\">{about}</script>"
        );
        let bytes = base64(&self.bytes);
        let _ = writeln!(out, "<script type=\"text/plain\" id=\"playback-bytes\">{bytes}</script>");
        let _ = writeln!(out, "<script>\n\"use strict\";\n{{\n{}}}\n</script>", SCRIPT.join("\n"));
        out
    }
}

/// JSON as it may stand in a script element: nothing in it can end the element or begin a comment.
fn in_script(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}
