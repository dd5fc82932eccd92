//! Scripts: every printed spelling is read, every mistake is named.

use crate::{PRINTED, build_in, printed, scene, shown};
use retake::scene::Scene;
use tempfile::TempDir;

/// The scene of a script's bytes, or what is wrong with it.
fn read(bytes: &[u8]) -> Result<Scene, String> {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("shot.par"), bytes).unwrap();
    let mesa = crate::printed_folder().join("mesa.obt");
    std::fs::copy(mesa, folder.path().join("mesa.obt")).unwrap();
    match build_in(folder.path(), "shot.par", &[]) {
        Ok(built) => Ok(built.scene),
        Err(problems) => Err(shown(&problems)),
    }
}

/// A scene without what only tells where it came from.
fn bare(mut scene: Scene) -> Scene {
    scene.source = retake::scene::Source::default();
    scene.name.clear();
    let nowhere = retake::diagnostics::Place::default();
    for body in &mut scene.bodies {
        body.place = nowhere.clone();
    }
    for constraint in &mut scene.constraints {
        constraint.place = nowhere.clone();
    }
    for force in &mut scene.forces {
        force.place = nowhere.clone();
    }
    scene
}

#[test]
fn the_printed_scripts_are_read() {
    for (name, frames, points) in [
        ("fig_6_2_cortina", 25, 20),
        ("fig_6_4_papel", 20, 22),
        ("fig_A2_2_vento", 20, 3),
        ("fig_A2_4_cortinas", 145, 20),
        ("fig_A2_6_papelao", 20, 22),
        ("fig_A2_8_toalha", 20, 0),
    ] {
        let scene = scene(name, &[]);
        assert_eq!((scene.timing.frames, scene.timing.start_frame), (frames, 0), "{name}");
        let held: usize = scene.constraints.iter().take(1).map(held).sum();
        assert_eq!(held, points, "{name}");
    }
}

fn held(constraint: &retake::scene::Constraint) -> usize {
    match &constraint.kind {
        retake::scene::ConstraintKind::Pin { points, .. } => {
            points.iter().map(|p| p.vertices.len()).sum()
        }
        _ => 0,
    }
}

/// Text in code page 850, for the letters of the keywords.
fn cp850(text: &str) -> Vec<u8> {
    let byte = |c: char| match c {
        'Ç' => 0x80,
        'Ã' => 0xC7,
        'Õ' => 0xE5,
        'Í' => 0xD6,
        'É' => 0x90,
        c => u8::try_from(u32::from(c)).unwrap(),
    };
    text.chars().map(byte).collect()
}

#[test]
fn every_spelling_gives_the_same_scene() {
    for name in PRINTED {
        let text = String::from_utf8(printed(name)).unwrap();
        let expected = bare(read(text.as_bytes()).unwrap());
        let latin1: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
        let plain: String = text
            .chars()
            .map(|c| match c {
                'Ç' => 'C',
                'Ã' => 'A',
                'Õ' => 'O',
                'Í' => 'I',
                c => c,
            })
            .collect();
        let words: Vec<&str> = text.split_whitespace().collect();
        let variants: Vec<(&str, Vec<u8>)> = vec![
            ("Latin-1", latin1),
            ("code page 850", cp850(&text)),
            ("byte order mark", [b"\xEF\xBB\xBF", text.as_bytes()].concat()),
            ("no accents", plain.clone().into()),
            ("combining accents", text.replace('Ç', "C\u{327}").replace('Ã', "A\u{303}").into()),
            ("no =", text.replace('=', " ").into()),
            ("no parentheses", text.replace(['(', ')'], " ").into()),
            (
                "= everywhere",
                text.replace("MALHA", "MALHA =").replace("TRANSLAÇÃO", "TRANSLAÇÃO=").into(),
            ),
            ("one line", words.join(" ").into()),
            ("a word a line", words.join("\r\n").into()),
            ("RESTRIÇÕES", text.replace("RESTRICÇÕES", "RESTRIÇÕES").into()),
            ("RESTRICÇÕES", text.replace("RESTRIÇÕES", "RESTRICÇÕES").into()),
            ("VETOR NORMAL", text.replace("VETOR_NORMAL", "VETOR NORMAL").into()),
            ("blanks for underscores", text.replace("_SEG", " SEG").replace("NUM_", "NUM ").into()),
            ("INL_TRANSL", text.replace("INI_TRANSL", "INL_TRANSL").into()),
            ("DELTA_T", text.replace("DELTA_t", "DELTA_T").into()),
            (
                "one curvature",
                text.replace("(0.0 0.0 0.0)\n    RESTR", "0.0\n    RESTR")
                    .replace("(10.0 10.0 10.0)\n    RESTR", "10.0\n    RESTR")
                    .into(),
            ),
        ];
        for (what, bytes) in variants {
            match read(&bytes) {
                Ok(scene) => assert!(bare(scene) == expected, "{name}: {what}"),
                Err(problems) => panic!("{name}: {what}: {problems}"),
            }
        }
        // Names keep their letters; all else may be small.
        let small = plain.to_lowercase();
        assert!(bare(read(small.as_bytes()).unwrap()) == expected, "{name}: small letters");
    }
}

#[test]
fn the_slip_of_the_scan_is_told() {
    let text = String::from_utf8(printed("fig_6_4_papel")).unwrap();
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("a.par"), text.replace("INI_TRANSL", "INL_TRANSL")).unwrap();
    let built = build_in(folder.path(), "a.par", &[]).unwrap();
    assert_eq!(shown(&built.warnings), "a.par:41: `INL_TRANSL` is read as `INI_TRANSL`");
}

#[test]
fn mistakes_are_named_with_line_and_keyword() {
    let text = String::from_utf8(printed("fig_6_4_papel")).unwrap();
    let toalha = String::from_utf8(printed("fig_A2_8_toalha")).unwrap();
    let cases: &[(String, &str)] = &[
        (
            text.replace("ATRITO", "ATRITTO"),
            "shot.par:5: unknown word `ATRITTO` before the surfaces; did you mean `ATRITO`?",
        ),
        (
            text.replace("DENSIDADE", "DENSIDAD"),
            "shot.par:10: unknown word `DENSIDAD` in the surface `papel`; did you mean `DENSIDADE`?",
        ),
        (
            text.replace("ATRITO = 0.18\n", ""),
            "shot.par:6: `ATRITO` is missing before the surfaces",
        ),
        (
            text.replace("0.18", "0,18"),
            "shot.par:5: `ATRITO` needs a number, not `0,18`; decimals have a point",
        ),
        (text.replace("0.18", "1.8"), "shot.par:5: `ATRITO` must be from 0 to 1, not 1.8"),
        (
            text.replace("MASSA = 0.5", "MASSA = 0"),
            "shot.par:13: `MASSA` must be more than 0, not 0; it is the mass of each point",
        ),
        (
            text.replace("MASSA = 0.5", "MASSA = 0.5\nMASSA = 1"),
            "shot.par:14: `MASSA` is given twice in the surface `papel`; the first is at line 13",
        ),
        (
            text.replace("9 0\n", "90\n"),
            "the list ends in point 22; each point is its row and its column with a blank between them: `9 0`",
        ),
        (
            text.replace("9 9\n", "9 10\n"),
            "shot.par:17: `PONTOS_FIXOS` names the point 9 10 of a mesh of 10 rows and 10 columns; rows and columns are counted from 0",
        ),
        (
            text.replace("FIXOS = 22", "FIXOS = 21"),
            "shot.par:39: `PONTOS_FIXOS` says 21 points, and more follow",
        ),
        (
            text.replace("CIES = 1", "CIES = 2"),
            "the script ends where a further surface is expected; `NUM_SUPERFÍCIES` says 2; expected: `SUPERFÍCIE`",
        ),
        (
            text.replace("CIES = 1", "CIES = 0"),
            "`SUPERFÍCIE` stands after the last surface; `NUM_SUPERFÍCIES` at line 7 says 0",
        ),
        (
            text.replace("(10 10)", "(1 10)"),
            "shot.par:9: `MALHA` (1 10) needs at least 2 rows and 2 columns",
        ),
        (text.replace("(0.0 0.0 1.0)", "(0 0 0)"), "shot.par:12: `VETOR_NORMAL` must not be zero"),
        (
            text.replace("FIM_TRANSL = 0", "FIM_TRANSL = -1"),
            "shot.par:40: `FIM_TRANSL` -1 lies before `INI_TRANSL` 0",
        ),
        (text.replace("FIM_SUPERFÍCIE", ""), "the script ends in the surface `papel`; expected:"),
        (
            text.replace("SEG = 1", "SEG = 0"),
            "shot.par:2: `QUADROS_SEG` must be more than 0, not 0",
        ),
        (
            text.replace("DURAÇÃO = 20", "DURAÇÃO = 1e30"),
            "shot.par:1: `DURAÇÃO` times `QUADROS_SEG` gives",
        ),
        (
            text.replace("DURAÇÃO = 20", "DURAÇÃO = nan"),
            "shot.par:1: `DURAÇÃO` needs a number, not `nan`",
        ),
        (
            text.replace("CENA = 0", "CENA = 1"),
            "shot.par:7: `OBJETOS_NA_CENA` says 1 and 0 file names follow",
        ),
        (toalha.replace("mesa.obt", "mesas.obt"), "shot.par:7: cannot find the file `mesas.obt`"),
        (
            toalha.replace("CENA = 1", "CENA = 0"),
            "`OBJETOS_NA_CENA` says 0 and more file names follow",
        ),
        (text.replace("SUPERFÍCIE papel", "SUPERFÍCIE a/b"), "shot.par:8: `a/b` cannot be a name"),
        (String::new(), "shot.par:1: the script ends before the surfaces; expected: `DURAÇÃO`"),
    ];
    for (text, expected) in cases {
        match read(text.as_bytes()) {
            Ok(_) => panic!("accepted, though it should say {expected}"),
            Err(said) => assert!(said.contains(expected), "said    {said}\ninstead {expected}"),
        }
    }
}

/// Numbers of no meaning but their order.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % sides
    }
}

#[test]
fn no_bytes_make_the_reader_panic() {
    let mut dice = Dice(7);
    for name in PRINTED {
        let whole = printed(name);
        for _ in 0..60 {
            let mut bytes = whole.clone();
            for _ in 0..=dice.roll(4) {
                let at = dice.roll(bytes.len());
                match dice.roll(5) {
                    0 => bytes.truncate(at.max(1)),
                    1 => bytes[at] = dice.roll(256) as u8,
                    2 => drop(bytes.splice(at..at, *b" -1 ")),
                    3 => drop(bytes.remove(at)),
                    _ => {
                        let end = (at + dice.roll(60)).min(bytes.len());
                        let part = bytes[at..end].to_vec();
                        bytes.splice(at..at, part);
                    }
                }
                if bytes.is_empty() {
                    bytes.push(b' ');
                }
            }
            let _ = read(&bytes);
        }
    }
    for _ in 0..200 {
        let bytes: Vec<u8> = (0..dice.roll(300)).map(|_| dice.roll(256) as u8).collect();
        let _ = read(&bytes);
    }
}
