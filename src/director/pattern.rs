//! Lua's string patterns with counted work: the C matcher cannot be interrupted, and some patterns
//! take longer than a life. Same meaning as `lstrlib.c` of Lua 5.4, byte by byte.

const MAX_CAPTURES: usize = 32;
const MAX_DEPTH: u32 = 200;

/// What one capture caught.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    /// Bytes `from..to` of the subject.
    Bytes(usize, usize),
    /// `()`: a position, counted from 1.
    Position(usize),
}

/// Why a match ended without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The pattern is wrong.
    Pattern(String),
    /// The work budget is used up.
    Exhausted,
}

/// A match: where, and the captures (the whole match where the pattern has none).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) captures: Vec<Capture>,
}

#[derive(Clone, Copy)]
enum Open {
    Unfinished,
    Position,
    Closed(usize),
}

struct Matcher<'a> {
    subject: &'a [u8],
    pattern: &'a [u8],
    captures: Vec<(usize, Open)>,
    depth: u32,
    charge: &'a dyn Fn(u64) -> bool,
}

/// The first match of `pattern` that begins at `at` or later and does not end at `not_ending_at`.
pub(crate) fn find(
    subject: &[u8],
    pattern: &[u8],
    at: usize,
    not_ending_at: Option<usize>,
    charge: &dyn Fn(u64) -> bool,
) -> Result<Option<Found>, Fault> {
    let (pattern, anchored) = match pattern.split_first() {
        Some((b'^', rest)) => (rest, true),
        _ => (pattern, false),
    };
    let mut start = at;
    while start <= subject.len() {
        let mut matcher = Matcher { subject, pattern, captures: Vec::new(), depth: 0, charge };
        if let Some(end) = matcher.run(start, 0)?
            && Some(end) != not_ending_at
        {
            let captures = matcher.finished(start, end)?;
            return Ok(Some(Found { from: start, to: end, captures }));
        }
        if anchored {
            break;
        }
        start += 1;
    }
    Ok(None)
}

fn bad<T>(message: &str) -> Result<T, Fault> {
    Err(Fault::Pattern(message.to_owned()))
}

impl Matcher<'_> {
    fn finished(&self, start: usize, end: usize) -> Result<Vec<Capture>, Fault> {
        if self.captures.is_empty() {
            return Ok(vec![Capture::Bytes(start, end)]);
        }
        self.captures
            .iter()
            .map(|(from, open)| match open {
                Open::Closed(to) => Ok(Capture::Bytes(*from, *to)),
                Open::Position => Ok(Capture::Position(from + 1)),
                Open::Unfinished => bad("unfinished capture"),
            })
            .collect()
    }

    fn at(&self, p: usize) -> Option<u8> {
        self.pattern.get(p).copied()
    }

    fn run(&mut self, s: usize, p: usize) -> Result<Option<usize>, Fault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return bad("pattern too complex");
        }
        let result = self.steps(s, p);
        self.depth -= 1;
        result
    }

    fn steps(&mut self, mut s: usize, mut p: usize) -> Result<Option<usize>, Fault> {
        loop {
            if !(self.charge)(1) {
                return Err(Fault::Exhausted);
            }
            let Some(c) = self.at(p) else { return Ok(Some(s)) };
            match c {
                b'(' if self.at(p + 1) == Some(b')') => {
                    return self.start_capture(s, p + 2, Open::Position);
                }
                b'(' => return self.start_capture(s, p + 1, Open::Unfinished),
                b')' => return self.end_capture(s, p + 1),
                b'$' if p + 1 == self.pattern.len() => {
                    return Ok((s == self.subject.len()).then_some(s));
                }
                b'%' => match self.at(p + 1) {
                    Some(b'b') => {
                        let Some(end) = self.balance(s, p + 2)? else { return Ok(None) };
                        (s, p) = (end, p + 4);
                        continue;
                    }
                    Some(b'f') => {
                        p += 2;
                        if self.at(p) != Some(b'[') {
                            return bad("missing '[' after '%f' in pattern");
                        }
                        let end = self.class_end(p)?;
                        let before = if s == 0 { 0 } else { self.subject[s - 1] };
                        let here = self.subject.get(s).copied().unwrap_or(0);
                        if !self.in_set(before, p, end - 1) && self.in_set(here, p, end - 1) {
                            p = end;
                            continue;
                        }
                        return Ok(None);
                    }
                    Some(digit @ b'0'..=b'9') => {
                        let Some(end) = self.back_reference(s, digit)? else { return Ok(None) };
                        (s, p) = (end, p + 2);
                        continue;
                    }
                    _ => {}
                },
                _ => {}
            }
            let end = self.class_end(p)?;
            match self.at(end) {
                Some(b'?') => {
                    if self.single(s, p, end)
                        && let Some(found) = self.run(s + 1, end + 1)?
                    {
                        return Ok(Some(found));
                    }
                    p = end + 1;
                }
                Some(b'+') => {
                    return if self.single(s, p, end) {
                        self.longest(s + 1, p, end)
                    } else {
                        Ok(None)
                    };
                }
                Some(b'*') => return self.longest(s, p, end),
                Some(b'-') => return self.shortest(s, p, end),
                _ => {
                    if !self.single(s, p, end) {
                        return Ok(None);
                    }
                    (s, p) = (s + 1, end);
                }
            }
        }
    }

    fn longest(&mut self, s: usize, p: usize, end: usize) -> Result<Option<usize>, Fault> {
        let mut count = 0;
        while self.single(s + count, p, end) {
            count += 1;
        }
        if !(self.charge)(count as u64) {
            return Err(Fault::Exhausted);
        }
        loop {
            if let Some(found) = self.run(s + count, end + 1)? {
                return Ok(Some(found));
            }
            if count == 0 {
                return Ok(None);
            }
            count -= 1;
        }
    }

    fn shortest(&mut self, mut s: usize, p: usize, end: usize) -> Result<Option<usize>, Fault> {
        loop {
            if let Some(found) = self.run(s, end + 1)? {
                return Ok(Some(found));
            }
            if !self.single(s, p, end) {
                return Ok(None);
            }
            s += 1;
        }
    }

    fn start_capture(&mut self, s: usize, p: usize, open: Open) -> Result<Option<usize>, Fault> {
        if self.captures.len() >= MAX_CAPTURES {
            return bad("too many captures");
        }
        self.captures.push((s, open));
        let found = self.run(s, p)?;
        if found.is_none() {
            self.captures.pop();
        }
        Ok(found)
    }

    fn end_capture(&mut self, s: usize, p: usize) -> Result<Option<usize>, Fault> {
        let open = self.captures.iter().rposition(|(_, open)| matches!(open, Open::Unfinished));
        let Some(i) = open else { return bad("invalid pattern capture") };
        self.captures[i].1 = Open::Closed(s);
        let found = self.run(s, p)?;
        if found.is_none() {
            self.captures[i].1 = Open::Unfinished;
        }
        Ok(found)
    }

    fn back_reference(&self, s: usize, digit: u8) -> Result<Option<usize>, Fault> {
        let i = usize::from(digit).wrapping_sub(usize::from(b'1'));
        let Some(&(from, Open::Closed(to))) = self.captures.get(i) else {
            return bad(&format!("invalid capture index %{}", i.wrapping_add(1)));
        };
        let caught = &self.subject[from..to];
        Ok(self.subject[s..].starts_with(caught).then_some(s + caught.len()))
    }

    fn balance(&self, s: usize, p: usize) -> Result<Option<usize>, Fault> {
        let (Some(open), Some(close)) = (self.at(p), self.at(p + 1)) else {
            return bad("malformed pattern (missing arguments to '%b')");
        };
        if self.subject.get(s) != Some(&open) {
            return Ok(None);
        }
        let mut depth = 1;
        for (i, &c) in self.subject.iter().enumerate().skip(s + 1) {
            if c == close {
                depth -= 1;
                if depth == 0 {
                    return Ok(Some(i + 1));
                }
            } else if c == open {
                depth += 1;
            }
        }
        Ok(None)
    }

    /// One past the single-character class that starts at `p`.
    fn class_end(&self, p: usize) -> Result<usize, Fault> {
        match self.at(p) {
            Some(b'%') if p + 1 >= self.pattern.len() => bad("malformed pattern (ends with '%')"),
            Some(b'%') => Ok(p + 2),
            Some(b'[') => {
                let mut q = p + 1;
                if self.at(q) == Some(b'^') {
                    q += 1;
                }
                loop {
                    let Some(c) = self.at(q) else {
                        return bad("malformed pattern (missing ']')");
                    };
                    q += 1;
                    if c == b'%' {
                        q += 1;
                    }
                    if self.at(q) == Some(b']') {
                        return Ok(q + 1);
                    }
                }
            }
            _ => Ok(p + 1),
        }
    }

    fn single(&self, s: usize, p: usize, end: usize) -> bool {
        let Some(&c) = self.subject.get(s) else { return false };
        match self.pattern[p] {
            b'.' => true,
            b'%' => in_class(c, self.pattern[p + 1]),
            b'[' => self.in_set(c, p, end - 1),
            literal => literal == c,
        }
    }

    /// Whether `c` is in the set from `[` at `p` to `]` at `close`.
    fn in_set(&self, c: u8, p: usize, close: usize) -> bool {
        let mut q = p + 1;
        let inside = if self.at(q) == Some(b'^') {
            q += 1;
            false
        } else {
            true
        };
        while q < close {
            let here = self.pattern[q];
            if here == b'%' && q + 1 < close {
                if in_class(c, self.pattern[q + 1]) {
                    return inside;
                }
                q += 2;
            } else if self.at(q + 1) == Some(b'-') && q + 2 < close {
                if here <= c && c <= self.pattern[q + 2] {
                    return inside;
                }
                q += 3;
            } else {
                if here == c {
                    return inside;
                }
                q += 1;
            }
        }
        !inside
    }
}

/// Whether `c` is in `%class`; of ASCII only, so that no locale has a say.
fn in_class(c: u8, class: u8) -> bool {
    let inside = match class.to_ascii_lowercase() {
        b'a' => c.is_ascii_alphabetic(),
        b'c' => c.is_ascii_control(),
        b'd' => c.is_ascii_digit(),
        b'g' => c.is_ascii_graphic(),
        b'l' => c.is_ascii_lowercase(),
        b'p' => c.is_ascii_punctuation(),
        b's' => c.is_ascii_whitespace() || c == 0x0b,
        b'u' => c.is_ascii_uppercase(),
        b'w' => c.is_ascii_alphanumeric(),
        b'x' => c.is_ascii_hexdigit(),
        _ => return class == c,
    };
    if class.is_ascii_uppercase() { !inside } else { inside }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched<'a>(subject: &'a str, pattern: &str) -> Option<Vec<&'a str>> {
        let found = find(subject.as_bytes(), pattern.as_bytes(), 0, None, &|_| true).unwrap()?;
        Some(
            found
                .captures
                .iter()
                .map(|c| match *c {
                    Capture::Bytes(a, b) => &subject[a..b],
                    Capture::Position(_) => "()",
                })
                .collect(),
        )
    }

    #[test]
    fn patterns_mean_what_the_manual_says() {
        assert_eq!(matched("cape_01", "^(%a+)_(%d+)$"), Some(vec!["cape", "01"]));
        assert_eq!(matched("THE (quick) fox", "%((%a+)%)"), Some(vec!["quick"]));
        assert_eq!(matched("f(a(b)c)d", "%b()"), Some(vec!["(a(b)c)"]));
        assert_eq!(matched("THE (quick) fox", "%f[%a]%a+%f[%A]"), Some(vec!["THE"]));
        assert_eq!(matched("key = value", "^%s*(%w+)%s*=%s*(.-)%s*$"), Some(vec!["key", "value"]));
        assert_eq!(matched("\"a\"'b'", "(['\"])(.-)%1"), Some(vec!["\"", "a"]));
        assert_eq!(matched("x]y", "[]]"), Some(vec!["]"]));
        assert_eq!(matched("a-b", "[a-]+"), Some(vec!["a-"]));
        assert_eq!(matched("abc", "d?$"), Some(vec![""]));
        assert_eq!(matched("hello", "xyz"), None);
    }

    #[test]
    fn hopeless_patterns_run_out() {
        let subject = "a".repeat(40);
        let pattern = format!("{}b", "a*".repeat(25));
        let left = std::cell::Cell::new(100_000i64);
        let charge = |n: u64| {
            left.set(left.get() - n as i64);
            left.get() > 0
        };
        let result = find(subject.as_bytes(), pattern.as_bytes(), 0, None, &charge);
        assert_eq!(result, Err(Fault::Exhausted));
    }

    #[test]
    fn wrong_patterns_are_named() {
        for pattern in ["[a", "%", "%b", "(a", "a)", "%f", "%1"] {
            let result = find(b"aaa", pattern.as_bytes(), 0, None, &|_| true);
            assert!(matches!(result, Err(Fault::Pattern(_))), "{pattern}: {result:?}");
        }
    }
}
