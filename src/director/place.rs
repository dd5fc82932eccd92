//! Finds the line on which a key was written: Lua only says on which line a call begins.

/// A word, a sign or the begin of a string, and its line.
#[derive(Debug, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Sign(u8),
}

/// The line (from 1) of the last name of `path` in the first table that opens on `line` or below
/// and has it: `["images", "width"]` finds `images = { width = ...`.
pub(crate) fn line_of_key(text: &str, line: u32, path: &[&str]) -> Option<u32> {
    let start = text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len);
    let tokens = tokens(&text[start.sum()..], line.max(1));
    let mut depth = 0i32;
    let mut found = None;
    let mut wanted = path.iter();
    let mut name = wanted.next()?;
    for (i, (token, at)) in tokens.iter().enumerate() {
        let next = |n: usize| tokens.get(i + n).map(|(t, _)| t);
        match token {
            Token::Sign(b'{' | b'(') => depth += 1,
            Token::Sign(b'}' | b')') => {
                depth -= 1;
                if depth <= 0 && *at > line {
                    return found;
                }
            }
            Token::Word(word) | Token::Text(word) if depth > 0 && word == name => {
                let is_key = match token {
                    Token::Word(_) => {
                        next(1) == Some(&Token::Sign(b'=')) && next(2) != Some(&Token::Sign(b'='))
                    }
                    _ => next(1) == Some(&Token::Sign(b']')) && next(2) == Some(&Token::Sign(b'=')),
                };
                if is_key {
                    found = Some(*at);
                    match wanted.next() {
                        Some(further) => name = further,
                        None => return found,
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// The tokens of `text` that matter here; stops at the first that cannot be read.
fn tokens(text: &str, first_line: u32) -> Vec<(Token, u32)> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut i, mut line) = (0, first_line);
    while i < bytes.len() {
        let c = bytes[i];
        match c {
            b'\n' => {
                line += 1;
                i += 1;
            }
            b'-' if bytes[i..].starts_with(b"--") => {
                i += 2;
                if let Some(end) = long_bracket(&bytes[i..]) {
                    line += count_lines(&bytes[i..i + end]);
                    i += end;
                } else {
                    while i < bytes.len() && bytes[i] != b'\n' {
                        i += 1;
                    }
                }
            }
            b'[' if long_bracket(&bytes[i..]).is_some() => {
                let end = long_bracket(&bytes[i..]).unwrap_or(1);
                tokens.push((Token::Text(String::new()), line));
                line += count_lines(&bytes[i..i + end]);
                i += end;
            }
            b'"' | b'\'' => {
                let start = i + 1;
                i = start;
                while i < bytes.len() && bytes[i] != c && bytes[i] != b'\n' {
                    i += if bytes[i] == b'\\' { 2 } else { 1 };
                }
                let end = i.min(bytes.len());
                let word = String::from_utf8_lossy(&bytes[start.min(end)..end]).into_owned();
                tokens.push((Token::Text(word), line));
                i = end + 1;
            }
            _ if c.is_ascii_alphanumeric() || c == b'_' => {
                let start = i;
                while i < bytes.len() && (bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_') {
                    i += 1;
                }
                tokens.push((Token::Word(text[start..i].to_owned()), line));
            }
            _ => {
                if !c.is_ascii_whitespace() {
                    tokens.push((Token::Sign(c), line));
                }
                i += 1;
            }
        }
    }
    tokens
}

/// Length of the long bracket `[==[ ... ]==]` that `bytes` begins with.
fn long_bracket(bytes: &[u8]) -> Option<usize> {
    let level = bytes.strip_prefix(b"[")?.iter().take_while(|c| **c == b'=').count();
    if bytes.get(level + 1) != Some(&b'[') {
        return None;
    }
    let close: Vec<u8> = [&b"]"[..], &b"=".repeat(level), b"]"].concat();
    let body = &bytes[level + 2..];
    let end = body.windows(close.len()).position(|w| w == close);
    Some(end.map_or(bytes.len(), |at| level + 2 + at + close.len()))
}

fn count_lines(bytes: &[u8]) -> u32 {
    bytes.split(|c| *c == b'\n').count() as u32 - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = r#"local retake = require "retake"
local shot = retake.shot { name = "a", duration = 2 }
-- colour = in a comment
local cloth = shot:cloth {
  name = "colour = x",  -- colour = 3
  mesh = grid,
  ["colour"] = 4,
}
shot:output {
  images = {
    width = 100,
    samples = 3 },
}
local late = { colour = 1 }
"#;

    #[test]
    fn keys_are_found_on_their_lines() {
        assert_eq!(line_of_key(SCRIPT, 4, &["mesh"]), Some(6));
        assert_eq!(line_of_key(SCRIPT, 4, &["colour"]), Some(7));
        assert_eq!(line_of_key(SCRIPT, 2, &["duration"]), Some(2));
        assert_eq!(line_of_key(SCRIPT, 9, &["images", "samples"]), Some(12));
        assert_eq!(line_of_key(SCRIPT, 9, &["images", "colour"]), Some(10));
        assert_eq!(line_of_key(SCRIPT, 9, &["colour"]), None);
    }

    #[test]
    fn unfinished_texts_do_no_harm() {
        for text in ["{ a = \"", "{ a = [[", "{ --[[ a", "{ 'x\\", "{ a ="] {
            let _ = line_of_key(text, 1, &["b"]);
        }
    }
}
