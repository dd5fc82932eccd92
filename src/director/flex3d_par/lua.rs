//! A FLEX3D script as a Lua script that gives the same shot, with the keywords as comments.

use super::build::{Object, free_name, ratio};
use super::choices::{Choices, Model};
use super::script::{Script, Surface};
use super::surface::{self, Continuum, axes, fixed_vertices, frames_of, moving, pin_name};
use crate::scene::{FrictionReading, Guard};
use std::fmt::Write;

/// What is written.
pub(super) struct Shot<'a> {
    pub(super) script: &'a Script,
    pub(super) choices: &'a Choices,
    /// File-safe name of the shot.
    pub(super) name: &'a str,
    /// The FLEX3D script, as the comment names it.
    pub(super) source: &'a str,
    /// Names of the surfaces.
    pub(super) names: &'a [String],
    /// Outside objects, and their files as the Lua script names them.
    pub(super) objects: &'a [(Object, String)],
}

/// Words that no variable may have.
const TAKEN: [&str; 31] = [
    "and",
    "break",
    "do",
    "else",
    "elseif",
    "end",
    "false",
    "for",
    "function",
    "goto",
    "if",
    "in",
    "local",
    "nil",
    "not",
    "or",
    "repeat",
    "return",
    "then",
    "true",
    "until",
    "while",
    "retake",
    "shot",
    "gravity",
    "friction",
    "reaction",
    "step",
    "guard",
    "collisions",
    "held",
];

/// Writes the script. Writing to a string cannot fail.
pub(super) fn write(shot: &Shot<'_>) -> String {
    let mut out = format!("-- {}: made from the FLEX3D script {}\n", shot.name, shot.source);
    out.push_str("local retake = require \"retake\"\n\n");
    parameters(&mut out, shot);
    head(&mut out, shot);
    let mut variables: Vec<String> = Vec::new();
    for (i, part) in shot.script.surfaces.iter().enumerate() {
        let variable = variable(&shot.names[i], i, &variables);
        cloth(&mut out, shot, part, &shot.names[i], &variable);
        pins(&mut out, shot.script, part, &shot.names[i], &variable);
        variables.push(variable);
    }
    objects(&mut out, shot);
    if !variables.is_empty() {
        let all = variables.join(", ");
        let _ = write!(
            out,
            "\nif collisions == \"objects\" then\n  shot:contact {{ a = {{ {all} }}, b = {{ {all} }}, collides = false }}\nend\n"
        );
    }
    forces(&mut out, shot, &variables);
    out.push_str("\nshot:output { obt = true } -- NAME_k.OBT\nreturn shot\n");
    out
}

fn parameters(out: &mut String, shot: &Shot<'_>) {
    let c = shot.choices;
    out.push_str("-- What the language of FLEX3D leaves open.\n");
    let _ = writeln!(
        out,
        "local gravity = retake.param(\"gravity\", {}, {{ min = 0, unit = \"m/s2\", help = \"along -Y; the language has no keyword for it\" }})",
        c.gravity
    );
    let _ = writeln!(
        out,
        "local collisions = retake.param(\"collisions\", \"{}\", {{ choices = {{ \"all\", \"objects\", \"off\" }}, help = \"surfaces hit all there is, outside objects alone, or nothing\" }})",
        c.hits.name()
    );
    let guard = match c.guard {
        Guard::Enforce => "enforce",
        Guard::Report => "report",
        Guard::Off => "off",
    };
    let guards = if c.model == Model::Flex3d {
        let friction = match c.friction {
            FrictionReading::Oppose => "oppose",
            FrictionReading::Scale => "scale",
        };
        let _ = writeln!(
            out,
            "local friction = retake.param(\"friction\", \"{friction}\", {{ choices = {{ \"oppose\", \"scale\" }}, help = \"ATRITO as a force against the velocity, or as a factor on the resultant\" }})"
        );
        let _ = writeln!(
            out,
            "local reaction = retake.param(\"reaction\", {}, {{ help = \"whether angular springs push back, which keeps the momentum\" }})",
            c.reaction
        );
        let _ = writeln!(
            out,
            "local step = retake.param(\"step\", {}, {{ min = 1e-9, unit = \"s\", help = \"integration step, DELTA_t\" }})",
            c.step
        );
        "\"off\", \"report\""
    } else {
        "\"enforce\", \"report\", \"off\""
    };
    let _ = writeln!(
        out,
        "local guard = retake.param(\"guard\", \"{guard}\", {{ choices = {{ {guards} }}, help = \"what is done about crossings\" }})\n"
    );
}

fn head(out: &mut String, shot: &Shot<'_>) {
    let script = shot.script;
    let (duration, quadros) = (script.duration.value, script.frames_a_second.value);
    let fps = match ratio(quadros) {
        Some((n, 1)) => n.to_string(),
        Some((n, d)) => format!("{{ {n}, {d} }}"),
        None => quadros.to_string(),
    };
    let frames = (duration * quadros).round();
    let _ = writeln!(
        out,
        "-- DURAÇÃO {duration}, QUADROS_SEG {quadros}: frame k is the state at k / {quadros} s."
    );
    let _ = writeln!(
        out,
        "local shot = retake.shot {{ name = {}, fps = {fps}, frames = {frames}, start_frame = 0, gravity = {{ 0, -gravity, 0 }} }}",
        quoted(shot.name)
    );
    if shot.choices.model == Model::Flex3d {
        out.push_str(
            "shot:solver { method = \"explicit_euler\", fixed_step = step, guard = guard } -- DELTA_t\n",
        );
    } else {
        out.push_str("shot:solver { guard = guard }\n");
    }
}

fn cloth(out: &mut String, shot: &Shot<'_>, part: &Surface, name: &str, variable: &str) {
    let [rows, columns] = part.mesh.value;
    let r = part.spacing.value;
    let up = axes(part.normal.value).map_or([0.0, 1.0, 0.0], |(_, up)| up.to_array());
    let _ = write!(
        out,
        "\n-- SUPERFÍCIE {name}: MALHA ({rows} {columns}) in rows and columns, DENSIDADE {r} between neighbours\n\
         local {variable} = shot:cloth {{\n  name = {},\n  mesh = retake.mesh.grid {{\n    \
         size = {{ {} * {r}, {} * {r} }}, vertices = {{ {columns}, {rows} }},\n    \
         normal = {}, up = {}, -- VETOR_NORMAL\n  }},\n  translate = {}, -- POSIC_NO_SRU\n  collides = collisions ~= \"off\",\n",
        quoted(name),
        columns - 1,
        rows - 1,
        list(part.normal.value),
        list(up),
        list(part.position.value),
    );
    let [kh, kv, kd] = part.elasticity.value;
    if shot.choices.model == Model::Flex3d {
        let _ = write!(
            out,
            "  material = retake.material.flex3d {{\n    kh = {kh}, kv = {kv}, kd = {kd}, -- CONST_ELASTICIDADE\n    \
             curvature = {}, reaction = reaction, -- CONST_CURVATURA\n    \
             point_mass = {}, -- MASSA\n    \
             friction_fraction = {}, friction = friction, -- ATRITO\n  }},\n}}\n",
            list(part.curvature.value),
            part.mass.value,
            shot.script.friction.value,
        );
    } else {
        let c = Continuum::of(shot.script, part);
        let _ = write!(
            out,
            "  -- MASSA {}, CONST_ELASTICIDADE ({kh} {kv} {kd}) and CONST_CURVATURA as a continuum\n  \
             material = retake.material.membrane {{\n    \
             young = {}, young_weft = {}, poisson = {}, shear = {},\n    \
             bend = {}, bend_weft = {}, density = {}, damping = {},\n    source = \"{}\",\n  }},\n}}\n",
            part.mass.value,
            c.young,
            c.young_weft,
            c.poisson,
            c.shear,
            c.bend,
            c.bend_weft,
            c.density,
            c.damping,
            surface::CONTINUUM,
        );
    }
}

fn pins(out: &mut String, script: &Script, part: &Surface, name: &str, variable: &str) {
    let vertices = fixed_vertices(part);
    if vertices.is_empty() {
        return;
    }
    let [rows, columns] = part.mesh.value;
    let whole = |row: &u32| {
        let count = vertices.iter().filter(|v| **v / columns == *row).count();
        count == columns as usize
    };
    let full: Vec<u32> = (0..rows).filter(whole).collect();
    let mut parts: Vec<String> = full.iter().map(|row| format!("{variable}:row({row})")).collect();
    let rest: Vec<String> = vertices
        .iter()
        .filter(|v| !full.contains(&(**v / columns)))
        .map(ToString::to_string)
        .collect();
    if !rest.is_empty() {
        parts.push(format!("{variable}:vertices {{ {} }}", rest.join(", ")));
    }
    let moves: Vec<_> = moving(part).collect();
    let held = if moves.is_empty() { "" } else { "local held = " };
    // Several surfaces have each their own `held`.
    let block = !moves.is_empty() && script.surfaces.len() > 1;
    let indent = if block { "  " } else { "" };
    if block {
        out.push_str("do\n");
    }
    let _ = writeln!(
        out,
        "{indent}-- PONTOS_FIXOS {}; vertex = row * {columns} + column\n\
         {indent}{held}shot:pin {{ name = {}, points = {}, about = {{ 0, 0, 0 }} }}",
        part.fixed.value.len(),
        quoted(&pin_name(name)),
        parts.join(" + "),
    );
    for t in moves {
        let frames = frames_of(script, t);
        let by = t.by.map(|by| if by == 0.0 { "0".to_owned() } else { format!("{by} * {frames}") });
        let _ = writeln!(
            out,
            "{indent}-- TRANSLAÇÃO a frame, for {frames} frames\n\
             {indent}held:translate {{ starts = {}, ends = {}, by = {{ {} }}, ease = \"linear\" }}",
            t.starts,
            t.ends,
            by.join(", "),
        );
    }
    if block {
        out.push_str("end\n");
    }
}

fn objects(out: &mut String, shot: &Shot<'_>) {
    let mut names: Vec<String> = shot.names.to_vec();
    if !shot.objects.is_empty() {
        out.push_str("\n-- OBJETOS_NA_CENA\n");
    }
    for (object, file) in shot.objects {
        let taken: Vec<&str> = names.iter().map(String::as_str).collect();
        let name = free_name(&object.name, &taken);
        let color = object.color.map_or_else(String::new, |c| format!(", color = {}", list(c)));
        let _ = writeln!(
            out,
            "shot:collider {{ name = {}, mesh = retake.mesh.load({}){color} }}",
            quoted(&name),
            quoted(file)
        );
        names.push(name);
    }
}

fn forces(out: &mut String, shot: &Shot<'_>, variables: &[String]) {
    let script = shot.script;
    if script.force.value != [0.0; 3] {
        if shot.choices.model == Model::Flex3d {
            let vector = list(script.force.value);
            let _ = writeln!(
                out,
                "\n-- FORÇA_EXTERNA, on every point\nshot:force {{ name = \"outside force\", vector = {vector}, per = \"point\" }}"
            );
        } else {
            out.push_str("\n-- FORÇA_EXTERNA over MASSA, as an acceleration\n");
            for (i, part) in script.surfaces.iter().enumerate() {
                let _ = writeln!(
                    out,
                    "shot:force {{ name = \"outside force {}\", vector = {}, per = \"mass\", bodies = {} }}",
                    i + 1,
                    list(surface::acceleration(script, part).to_array()),
                    variables[i],
                );
            }
        }
    }
    if shot.choices.model == Model::Modern {
        for (i, part) in script.surfaces.iter().enumerate() {
            let drag = Continuum::of(script, part).drag;
            if drag > 0.0 {
                let _ = writeln!(
                    out,
                    "\n-- ATRITO {} as a drag\nshot:drag {{ name = \"friction {}\", linear = {drag}, bodies = {} }}",
                    script.friction.value,
                    i + 1,
                    variables[i],
                );
            }
        }
    }
}

/// A variable for the surface called `name`.
fn variable(name: &str, index: usize, others: &[String]) -> String {
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    let numbered = format!("surface_{}", index + 1);
    let is_free = !TAKEN.contains(&name) && !others.iter().any(|o| o == name);
    if is_word && is_free { name.to_owned() } else { numbered }
}

fn list(values: [f64; 3]) -> String {
    // Adding zero takes the sign off a zero.
    let [x, y, z] = values.map(|v| v + 0.0);
    format!("{{ {x}, {y}, {z} }}")
}

/// A Lua string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out + "\""
}
