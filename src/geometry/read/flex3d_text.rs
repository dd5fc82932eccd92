//! The text of FLEX3D files (`.par`, `.obt`): Portuguese words, written on machines of their time.

/// Bytes as text: UTF-8, else Latin-1 or code page 850, whichever gives more Portuguese letters.
pub fn decode(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.trim_start_matches('\u{feff}').to_owned();
    }
    let latin1: String = bytes.iter().map(|b| char::from(*b)).collect();
    let cp850: String = bytes.iter().map(|b| of_cp850(*b)).collect();
    let letters = |text: &str| text.chars().filter(|c| plain(*c).is_some()).count();
    if letters(&cp850) > letters(&latin1) { cp850 } else { latin1 }
}

/// A word as keywords are compared: upper case, without accents.
pub fn fold(word: &str) -> String {
    word.chars()
        .filter(|c| !('\u{300}'..='\u{36f}').contains(c))
        .flat_map(|c| plain(c).unwrap_or(c).to_uppercase())
        .collect()
}

/// Accented letters, what they are without accent, and their bytes in code page 850.
const LETTERS: [(char, char, u8); 24] = [
    ('Ç', 'C', 0x80),
    ('ç', 'C', 0x87),
    ('Ã', 'A', 0xC7),
    ('ã', 'A', 0xC6),
    ('Õ', 'O', 0xE5),
    ('õ', 'O', 0xE4),
    ('Á', 'A', 0xB5),
    ('á', 'A', 0xA0),
    ('À', 'A', 0xB7),
    ('à', 'A', 0x85),
    ('Â', 'A', 0xB6),
    ('â', 'A', 0x83),
    ('É', 'E', 0x90),
    ('é', 'E', 0x82),
    ('Ê', 'E', 0xD2),
    ('ê', 'E', 0x88),
    ('Í', 'I', 0xD6),
    ('í', 'I', 0xA1),
    ('Ó', 'O', 0xE0),
    ('ó', 'O', 0xA2),
    ('Ô', 'O', 0xE2),
    ('ô', 'O', 0x93),
    ('Ú', 'U', 0xE9),
    ('ú', 'U', 0xA3),
];

fn plain(c: char) -> Option<char> {
    LETTERS.iter().find(|l| l.0 == c).map(|l| l.1)
}

fn of_cp850(byte: u8) -> char {
    if byte.is_ascii() {
        return char::from(byte);
    }
    LETTERS.iter().find(|l| l.2 == byte).map_or(char::REPLACEMENT_CHARACTER, |l| l.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_same_in_every_encoding() {
        let utf8 = decode("DURAÇÃO NUM_SUPERFÍCIES".as_bytes());
        let latin1 = decode(b"DURA\xc7\xc3O NUM_SUPERF\xcdCIES");
        let cp850 = decode(b"DURA\x80\xc7O NUM_SUPERF\xd6CIES");
        assert_eq!(utf8, latin1);
        assert_eq!(utf8, cp850);
        assert_eq!(fold(&utf8), "DURACAO NUM_SUPERFICIES");
        assert_eq!(fold("durac\u{327}a\u{303}o"), "DURACAO");
    }
}
