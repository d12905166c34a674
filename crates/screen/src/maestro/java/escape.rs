//! Escape sequences of Java's expressions, such as `\d`, `\u0041` and `\p{Lu}`: their meaning in and outside of sets.

use super::reader::{Reader, Result, Translation};

/// Meaning of an escape sequence.
pub(super) enum Escape {
    Char(char),
    /// Contents of a set, without its brackets; true if it is negated.
    Set(&'static str, bool),
    /// Unicode property such as `\p{…}`.
    Property(String),
    /// Assertion or class that is allowed only outside of sets.
    Other(String),
    /// Start of a quotation, `\Q`.
    Quote,
}

const DIGIT: &str = "0-9";
const WORD: &str = "a-zA-Z_0-9";
const SPACE: &str = r" \t\n\x0B\x0C\r";
const HORIZONTAL: &str = r" \t\u{A0}\u{1680}\u{180E}\u{2000}-\u{200A}\u{202F}\u{205F}\u{3000}";
const VERTICAL: &str = r"\n\x0B\x0C\r\u{85}\u{2028}\u{2029}";

impl Reader<'_> {
    /// Reads everything up to and with `\E`, or to the end. Only the characters before it are returned.
    pub(super) fn quoted(&mut self) -> Vec<char> {
        let mut quoted = Vec::new();
        while let Some(c) = self.rest.next() {
            if c == '\\' && self.rest.peek() == Some(&'E') {
                self.rest.next();
                break;
            }
            quoted.push(c);
        }
        quoted
    }

    /// Reads an escape behind its backslash, both in and outside of sets. Unknown letters are invalid; other
    /// characters stand for themselves.
    pub(super) fn escape(&mut self) -> Result<Escape> {
        let set = |holds, is_not| Ok(Escape::Set(holds, is_not));
        let other = |other: &str| Ok(Escape::Other(other.to_owned()));
        match self.rest.next().ok_or(Translation::Invalid)? {
            c @ ('w' | 'W' | 'd' | 'D' | 's' | 'S') if self.wide => {
                Ok(Escape::Property(format!("\\{c}")))
            }
            'd' => set(DIGIT, false),
            'D' => set(DIGIT, true),
            'w' => set(WORD, false),
            'W' => set(WORD, true),
            's' => set(SPACE, false),
            'S' => set(SPACE, true),
            'h' => set(HORIZONTAL, false),
            'H' => set(HORIZONTAL, true),
            'v' => set(VERTICAL, false),
            'V' => set(VERTICAL, true),
            'b' if self.rest.peek() == Some(&'{') => {
                Err(Translation::Unsupported(r"`\b{…}`".to_owned()))
            }
            'b' => other(r"\b"),
            'B' => other(r"\B"),
            // The whole text is matched, so the last match ended at its beginning.
            'A' | 'G' => other(r"\A"),
            'z' => other(r"\z"),
            'Z' => other(r"(?=\r?\n?\z)"),
            'R' => other(&format!("(?:\\r\\n|[{VERTICAL}])")),
            'k' => {
                if !self.take('<') {
                    return Err(Translation::Invalid);
                }
                let name = self.name(None)?;
                Ok(Escape::Other(format!("\\k<{name}>")))
            }
            'p' => self.property(false),
            'P' => self.property(true),
            'Q' => Ok(Escape::Quote),
            'n' => Ok(Escape::Char('\n')),
            'r' => Ok(Escape::Char('\r')),
            't' => Ok(Escape::Char('\t')),
            'f' => Ok(Escape::Char('\x0C')),
            'a' => Ok(Escape::Char('\x07')),
            'e' => Ok(Escape::Char('\x1B')),
            'x' => self.hexadecimal(),
            'u' => self.unicode(),
            '0' => self.octal(),
            'c' => {
                let c = self.rest.next().filter(char::is_ascii);
                let control = c.map(|c| char::from(c as u8 ^ 64));
                control.map(Escape::Char).ok_or(Translation::Invalid)
            }
            c @ ('X' | 'N') => Err(Translation::Unsupported(format!("`\\{c}`"))),
            c if c.is_ascii_alphanumeric() => Err(Translation::Invalid),
            c => Ok(Escape::Char(c)),
        }
    }

    /// Reads exactly this number of hexadecimal digits. Fewer are invalid.
    fn hex(&mut self, digits: usize) -> Result<u32> {
        let mut value = 0;
        for _ in 0..digits {
            let digit = self.rest.next().and_then(|c| c.to_digit(16));
            value = value * 16 + digit.ok_or(Translation::Invalid)?;
        }
        Ok(value)
    }

    /// Reads the code of `\x41` or `\x{1F600}` after the `x`. A number that is no character is an error.
    fn hexadecimal(&mut self) -> Result<Escape> {
        if !self.take('{') {
            let value = self.hex(2)?;
            return character(value);
        }
        let mut value: u32 = 0;
        loop {
            match self.rest.next().ok_or(Translation::Invalid)? {
                '}' => return character(value),
                c => {
                    let digit = c.to_digit(16).ok_or(Translation::Invalid)?;
                    value = value
                        .checked_mul(16)
                        .and_then(|value| value.checked_add(digit))
                        .ok_or(Translation::Invalid)?;
                }
            }
        }
    }

    /// Reads the digits of `\u0041` after the `u`, and a second such escape for a surrogate pair. Half a pair
    /// is not supported.
    fn unicode(&mut self) -> Result<Escape> {
        let first = self.hex(4)?;
        if !(0xD800..0xDC00).contains(&first) {
            return character(first);
        }
        if !(self.take('\\') && self.take('u')) {
            return Err(Translation::Unsupported("half a character".to_owned()));
        }
        let second = self.hex(4)?;
        let low = second
            .checked_sub(0xDC00)
            .filter(|low| *low < 0x400)
            .ok_or_else(|| Translation::Unsupported("half a character".to_owned()))?;
        character(0x10000 + ((first - 0xD800) << 10) + low)
    }

    /// Reads the digits of `\07`, `\077` or `\0377` after the `0`: one to three, at most 377. A further digit is
    /// left. Without digits it is invalid.
    fn octal(&mut self) -> Result<Escape> {
        let mut value = 0;
        let mut digits = 0;
        while let Some(digit) = self.rest.peek().and_then(|c| c.to_digit(8)) {
            if digits == 3 || value * 8 + digit > 0o377 {
                break;
            }
            value = value * 8 + digit;
            digits += 1;
            self.rest.next();
        }
        if digits == 0 {
            return Err(Translation::Invalid);
        }
        character(value)
    }

    /// Reads the name of `\p{Lu}`, `\pL`, `\p{IsGreek}` or `\p{Alpha}` after the `p`. `is_not` is true for
    /// `\P`. Java's names for ASCII, such as `Alpha`, cover only ASCII here as there.
    fn property(&mut self, is_not: bool) -> Result<Escape> {
        let mut name = String::new();
        match self.rest.next().ok_or(Translation::Invalid)? {
            '{' => loop {
                match self.rest.next().ok_or(Translation::Invalid)? {
                    '}' => break,
                    c => name.push(c),
                }
            },
            c => name.push(c),
        }
        let posix = match name.as_str() {
            "Lower" => "a-z",
            "Upper" => "A-Z",
            "ASCII" => r"\x00-\x7F",
            "Alpha" => "a-zA-Z",
            "Digit" => DIGIT,
            "Alnum" => "a-zA-Z0-9",
            "Punct" => r"!-/:-@\[-`\{-\x7E",
            "Graph" => "!-\\x7E",
            "Print" => " -\\x7E",
            "Blank" => r" \t",
            "Cntrl" => r"\x00-\x1F\x7F",
            "XDigit" => "0-9a-fA-F",
            "Space" => SPACE,
            _ => {
                let letter = if is_not { 'P' } else { 'p' };
                return Ok(Escape::Property(unicode_property(&name, letter)?));
            }
        };
        Ok(Escape::Set(posix, is_not))
    }
}

fn character(value: u32) -> Result<Escape> {
    char::from_u32(value)
        .map(Escape::Char)
        .ok_or(Translation::Invalid)
}

/// Returns a Unicode property under the name that Java and `fancy-regex` share, without Java's prefix such as
/// `Is` or `script=`. Names of Java's blocks and classes are not supported; unknown names are invalid.
fn unicode_property(name: &str, letter: char) -> Result<String> {
    let stem = name
        .strip_prefix("Is")
        .or_else(|| name.strip_prefix("script="))
        .or_else(|| name.strip_prefix("sc="))
        .or_else(|| name.strip_prefix("general_category="))
        .or_else(|| name.strip_prefix("gc="))
        .unwrap_or(name);
    let written = format!("\\{letter}{{{stem}}}");
    let is_word = !stem.is_empty() && stem.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_word && regex::Regex::new(&written).is_ok() {
        return Ok(written);
    }
    let is_java = ["In", "java", "block=", "blk="]
        .iter()
        .any(|prefix| name.starts_with(prefix));
    if is_java {
        Err(Translation::Unsupported(format!("`\\{letter}{{{name}}}`")))
    } else {
        Err(Translation::Invalid)
    }
}
