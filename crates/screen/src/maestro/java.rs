//! Translates Java's regular expressions to those of `fancy-regex`.
//!
//! The rules are those of `java.util.regex.Pattern`. An expression that is an error there is
//! [`Translation::Invalid`] here, and Maestro then takes the words literally. So the whole expression is
//! parsed, and only parts that mean the same are passed on.

use std::iter::Peekable;
use std::str::Chars;

/// Number of backtracking steps after which a match of one text counts as failed. Chosen: such an expression
/// would take seconds on each look.
const MAX_STEPS: usize = 200_000;
/// Largest depth of nested groups and sets. Chosen: the parser is recursive, and no flow nests so deep.
const MAX_DEPTH: usize = 64;

/// Reason why an expression has no translation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Translation {
    /// Java refuses the expression.
    Invalid,
    /// Java accepts it, but `fancy-regex` has no equal; the text names the part.
    Unsupported(String),
}

type Result<T> = std::result::Result<T, Translation>;

/// Returns a builder of a translated expression that must match a whole text, with flags such as `(?i)`
/// before it and a limit of steps.
pub(super) fn whole_text(flags: &str, inner: &str) -> fancy_regex::RegexBuilder {
    let mut builder = fancy_regex::RegexBuilder::new(&format!(r"{flags}\A(?:{inner})\z"));
    builder.backtrack_limit(MAX_STEPS);
    builder
}

/// Translates a Java regular expression to one of `fancy-regex` with the same meaning. The first pass counts
/// the groups, which back references depend on. Fails with [`Translation::Invalid`] if Java would refuse it,
/// and with [`Translation::Unsupported`] if it cannot be translated.
pub(super) fn translate(pattern: &str) -> Result<String> {
    let mut first = Reader::new(pattern, usize::MAX);
    first.read()?;
    let mut second = Reader::new(pattern, first.groups);
    second.read()?;
    Ok(second.out)
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    out: String,
    /// Number of capturing groups so far.
    groups: usize,
    /// Number of capturing groups in the whole expression.
    all_groups: usize,
    open: usize,
    /// True if a quantifier may follow.
    quantifies: bool,
    /// True after `(?U)`: `\w` and its like include characters beyond ASCII.
    wide: bool,
}

/// Meaning of an escape sequence.
enum Escape {
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

impl<'a> Reader<'a> {
    /// Creates a reader at the beginning. `all_groups` is the number of groups of the whole pattern, or
    /// `usize::MAX` in the pass that counts them.
    fn new(pattern: &'a str, all_groups: usize) -> Self {
        Self {
            rest: pattern.chars().peekable(),
            out: String::new(),
            groups: 0,
            all_groups,
            open: 0,
            quantifies: false,
            wide: false,
        }
    }

    fn take(&mut self, wanted: char) -> bool {
        self.rest.next_if_eq(&wanted).is_some()
    }

    /// Writes a character that stands for itself, after which a quantifier may follow. All ASCII punctuation but `_`,
    /// `<` and `>` is escaped.
    fn literal(&mut self, c: char) {
        if c.is_ascii_punctuation() && c != '_' && c != '<' && c != '>' {
            self.out.push('\\');
        }
        self.out.push(c);
        self.quantifies = true;
    }

    /// Translates the whole pattern. Brackets that do not match are invalid, and so is `*`, `+` or `?` without an
    /// operand.
    fn read(&mut self) -> Result<()> {
        while let Some(c) = self.rest.next() {
            match c {
                '(' => self.group()?,
                ')' => {
                    self.open = self.open.checked_sub(1).ok_or(Translation::Invalid)?;
                    self.out.push(')');
                    self.quantifies = true;
                }
                '|' => {
                    self.out.push('|');
                    self.quantifies = false;
                }
                '[' => {
                    self.set(0)?;
                    self.quantifies = true;
                }
                '.' | '^' | '$' => {
                    self.out.push(c);
                    self.quantifies = true;
                }
                '*' | '+' | '?' => {
                    if !self.quantifies {
                        return Err(Translation::Invalid);
                    }
                    self.out.push(c);
                    self.greed();
                }
                '{' => self.counted()?,
                '\\' => self.escaped()?,
                other => self.literal(other),
            }
        }
        if self.open == 0 {
            Ok(())
        } else {
            Err(Translation::Invalid)
        }
    }

    /// Reads `?` or `+` after a quantifier, if one is there. No other quantifier may follow.
    fn greed(&mut self) {
        if let Some(c) = self.rest.next_if(|c| matches!(c, '?' | '+')) {
            self.out.push(c);
        }
        self.quantifies = false;
    }

    /// Reads a counted quantifier after its `{`: `2}`, `2,}` or `2,5}`, with `?` or `+` behind it. Anything
    /// else, and a maximum below the minimum, is invalid.
    fn counted(&mut self) -> Result<()> {
        let least = self.number().ok_or(Translation::Invalid)?;
        let most = if self.take(',') {
            self.number()
        } else {
            Some(least)
        };
        if !self.take('}') || most.is_some_and(|most| most < least) {
            return Err(Translation::Invalid);
        }
        // Java repeats the empty text if there is no operand.
        if !self.quantifies {
            self.out.push_str("(?:)");
        }
        match most {
            Some(most) => self.out.push_str(&format!("{{{least},{most}}}")),
            None => self.out.push_str(&format!("{{{least},}}")),
        }
        self.greed();
        Ok(())
    }

    /// Reads decimal digits. Returns `None` without any, and for a number that is too large.
    fn number(&mut self) -> Option<u32> {
        let mut digits = String::new();
        while let Some(digit) = self.rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        digits.parse().ok()
    }

    /// Reads the beginning of a group behind its `(`. Only groups that capture are counted. More than [`MAX_DEPTH`]
    /// open groups are not supported.
    fn group(&mut self) -> Result<()> {
        self.open += 1;
        if self.open > MAX_DEPTH {
            return Err(Translation::Unsupported(format!(
                "more than {MAX_DEPTH} groups in each other"
            )));
        }
        self.quantifies = false;
        if !self.take('?') {
            self.groups += 1;
            self.out.push('(');
            return Ok(());
        }
        match self.rest.next().ok_or(Translation::Invalid)? {
            c @ (':' | '=' | '!' | '>') => self.out.push_str(&format!("(?{c}")),
            '<' => match self.rest.next().ok_or(Translation::Invalid)? {
                c @ ('=' | '!') => self.out.push_str(&format!("(?<{c}")),
                first => {
                    let name = self.name(Some(first))?;
                    self.groups += 1;
                    self.out.push_str(&format!("(?<{name}>"));
                }
            },
            first => self.flags(first)?,
        }
        Ok(())
    }

    /// Reads a group's name up to and with `>`: ASCII letters, and digits after the first. The first letter
    /// may have been read already.
    fn name(&mut self, first: Option<char>) -> Result<String> {
        let mut name = String::new();
        let mut next = first.or_else(|| self.rest.next());
        while let Some(c) = next {
            match c {
                '>' if !name.is_empty() => return Ok(name),
                c if c.is_ascii_alphabetic() || !name.is_empty() && c.is_ascii_digit() => {
                    name.push(c);
                }
                _ => break,
            }
            next = self.rest.next();
        }
        Err(Translation::Invalid)
    }

    /// Reads flags such as `(?i)` and `(?s-i:…)` from their first letter on. `d` and `u` change nothing here.
    /// `U` only makes `\w` and its like include characters beyond ASCII. The flag `x` is not supported.
    fn flags(&mut self, first: char) -> Result<()> {
        let (mut on, mut off, mut is_off) = (String::new(), String::new(), false);
        let mut next = Some(first);
        loop {
            match next.ok_or(Translation::Invalid)? {
                '-' if !is_off => is_off = true,
                c @ ('i' | 'm' | 's') if is_off => off.push(c),
                c @ ('i' | 'm' | 's') => on.push(c),
                'd' | 'u' => {}
                'U' => self.wide = !is_off,
                'x' => return Err(Translation::Unsupported("the flag `x`".to_owned())),
                end @ (')' | ':') => {
                    if !off.is_empty() {
                        on.push('-');
                        on.push_str(&off);
                    }
                    match (end, on.is_empty()) {
                        (':', _) => self.out.push_str(&format!("(?{on}:")),
                        (_, true) => self.open -= 1,
                        (_, false) => {
                            self.open -= 1;
                            self.out.push_str(&format!("(?{on})"));
                        }
                    }
                    return Ok(());
                }
                _ => return Err(Translation::Invalid),
            }
            next = self.rest.next();
        }
    }

    /// Reads an escape sequence outside of sets, after its backslash, and writes its translation.
    fn escaped(&mut self) -> Result<()> {
        if let Some(digit) = self.rest.next_if(|c| ('1'..='9').contains(c)) {
            self.back_reference(digit);
            return Ok(());
        }
        match self.escape()? {
            Escape::Char(c) => self.literal(c),
            Escape::Set(holds, is_not) => {
                let not = if is_not { "^" } else { "" };
                self.out.push_str(&format!("[{not}{holds}]"));
            }
            Escape::Property(property) => self.out.push_str(&property),
            Escape::Other(other) => self.out.push_str(&other),
            Escape::Quote => {
                for c in self.quoted() {
                    self.literal(c);
                }
                return Ok(());
            }
        }
        self.quantifies = true;
        Ok(())
    }

    /// Reads a back reference such as `\1`, with as many digits as there are groups for. A reference to no
    /// group matches nothing, not even the empty text.
    fn back_reference(&mut self, first: char) {
        let digit = |c: char| c.to_digit(10).unwrap_or(0) as usize;
        let mut group = digit(first);
        while let Some(next) = self.rest.peek().copied().filter(char::is_ascii_digit) {
            let longer = group * 10 + digit(next);
            if longer > self.groups {
                break;
            }
            group = longer;
            self.rest.next();
        }
        if group <= self.all_groups {
            self.out.push_str(&format!("(?:\\{group})"));
        } else {
            self.out.push_str("(?!)");
        }
        self.quantifies = true;
    }

    /// Reads everything up to and with `\E`, or to the end. Only the characters before it are returned.
    fn quoted(&mut self) -> Vec<char> {
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
    fn escape(&mut self) -> Result<Escape> {
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

    /// Reads a set after its `[`, up to and with its `]`, and writes its translation. Sets may lie in each
    /// other up to [`MAX_DEPTH`] levels. `&&` beside nothing is not supported.
    fn set(&mut self, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(Translation::Unsupported(format!(
                "more than {MAX_DEPTH} sets in each other"
            )));
        }
        self.out.push('[');
        if self.take('^') {
            self.out.push('^');
        }
        let mut is_empty = true;
        while let Some(c) = self.rest.next() {
            match c {
                ']' if !is_empty => {
                    self.out.push(']');
                    return Ok(());
                }
                '[' => self.set(depth + 1)?,
                '&' if self.take('&') => {
                    // `&&` with an empty side is an error here; in Java it is legal but has little meaning.
                    if is_empty || self.rest.peek() == Some(&']') {
                        return Err(Translation::Unsupported("`&&` beside nothing".to_owned()));
                    }
                    self.out.push_str("&&");
                }
                '\\' => self.escaped_in_set()?,
                other => self.range(other)?,
            }
            is_empty = false;
        }
        Err(Translation::Invalid)
    }

    /// Reads an escape in a set behind its backslash. Those that are neither characters nor classes, such as `\b` and
    /// `\1`, are invalid.
    fn escaped_in_set(&mut self) -> Result<()> {
        if self.rest.peek().is_some_and(|c| ('1'..='9').contains(c)) {
            return Err(Translation::Invalid);
        }
        match self.escape()? {
            Escape::Char(c) => self.range(c)?,
            Escape::Set(holds, false) => self.out.push_str(holds),
            Escape::Set(holds, true) => self.out.push_str(&format!("[^{holds}]")),
            Escape::Property(property) => self.out.push_str(&property),
            Escape::Quote => {
                for c in self.quoted() {
                    self.set_literal(c);
                }
            }
            Escape::Other(_) => return Err(Translation::Invalid),
        }
        Ok(())
    }

    /// Adds the character to the set, or the range that begins with it. A `-` before `]` or `[` makes no range: the
    /// character is added alone, and the `-` is left to be read next. A range that ends before it begins, or in a
    /// class such as `\d`, is invalid.
    fn range(&mut self, first: char) -> Result<()> {
        let mut ahead = self.rest.clone();
        let is_range =
            ahead.next() == Some('-') && ahead.peek().is_some_and(|c| !matches!(c, ']' | '['));
        if !is_range {
            self.set_literal(first);
            return Ok(());
        }
        self.rest.next();
        let last = match self.rest.next().ok_or(Translation::Invalid)? {
            '\\' => match self.escape()? {
                Escape::Char(c) => c,
                _ => return Err(Translation::Invalid),
            },
            c => c,
        };
        if last < first {
            return Err(Translation::Invalid);
        }
        self.set_literal(first);
        self.out.push('-');
        self.set_literal(last);
        Ok(())
    }

    /// Writes a character of a set. All ASCII punctuation but `_`, `<` and `>` is escaped.
    fn set_literal(&mut self, c: char) {
        if c.is_ascii_punctuation() && c != '_' && c != '<' && c != '>' {
            self.out.push('\\');
        }
        self.out.push(c);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_java_refuses_is_invalid() {
        let refused = [
            "*a", "+1", "?", "a**", "a|*b", "(*a)", "(", ")", "a)", "(a", "[", "[]", "[a", "a{",
            "{x}", "a{x}", "a{2", "a{3,2}", r"\", r"\y", r"\E", r"[\b]", r"[z-a]", "(?y)",
            "(?<1a>b)", "(?<a", r"\p{Foo}", r"\x4", r"\u12", r"\k", r"\0", "(?", "[a-\\d]",
        ];
        for pattern in refused {
            assert_eq!(translate(pattern), Err(Translation::Invalid), "{pattern}");
        }
    }

    #[test]
    fn what_cannot_be_said_here_is_told() {
        for pattern in [
            "(?x)a b",
            r"\X",
            r"\N{DIGIT ONE}",
            r"\p{InGreek}",
            r"\p{javaLowerCase}",
            r"\b{g}",
        ] {
            let translation = translate(pattern);
            assert!(
                matches!(translation, Err(Translation::Unsupported(_))),
                "{pattern}: {translation:?}"
            );
        }
    }

    #[test]
    fn expressions_of_java_match_as_there() {
        let cases = [
            (r"\Qa.b\E+", "a.bbb", true),
            (r"\Qa.b", "a.b", true),
            (r"\Qa.b\E", "axb", false),
            ("a++b", "aab", true),
            ("a++a", "aaa", false),
            ("(?>a|ab)c", "abc", false),
            ("(?!No).*", "Yes", true),
            ("(?!No).*", "No", false),
            (".*(?<=end)", "the end", true),
            (".*(?<!end)", "the end", false),
            (r"(a)\1", "aa", true),
            (r"(a)\2", "aa", false),
            (r"(?<x>a)\k<x>", "aA", true),
            (r"\h", "\u{a0}", true),
            (r"\h", "f", false),
            (r"\R", "\r\n", true),
            (r"\d+", "12", true),
            (r"\d+", "\u{0661}", false),
            (r"[a-z&&[^aeiou]]", "b", true),
            (r"[a-z&&[^aeiou]]", "e", false),
            ("[a[bc]]+", "abc", true),
            ("[]a]", "]", true),
            (r"[\w-]+", "a-b", true),
            (r"[\d.,]+", "1,234.5", true),
            (r"\u0041\x42\x{43}\0104", "ABCD", true),
            (r"\uD83D\uDE00", "\u{1F600}", true),
            (r"\p{Upper}", "a", true),
            (r"\p{L}+", "äé", true),
            (r"\p{IsLatin}+", "abc", true),
            (r"\p{Punct}", "!", true),
            ("(?-i)a", "A", false),
            ("(?i:a)b", "AB", true),
            ("a{2}", "aa", true),
            ("a{2,}", "aaaa", true),
            ("a{2,3}", "aaaa", false),
            ("}", "}", true),
            ("]", "]", true),
            ("a|b|", "", true),
            ("^a$", "a", true),
            (r"a\Z", "a", true),
            ("a.b", "a\nb", true),
            (r"\$\{x\}", "${x}", true),
            ("a-b #c", "a-b #c", true),
        ];
        for (pattern, value, expected) in cases {
            let inner = translate(pattern).unwrap_or_else(|error| panic!("{pattern}: {error:?}"));
            let regex = fancy_regex::Regex::new(&format!(r"(?ims)\A(?:{inner})\z"))
                .unwrap_or_else(|error| panic!("{pattern} as {inner}: {error}"));
            let matches = regex.is_match(value).unwrap_or(false);
            assert_eq!(matches, expected, "{pattern} as {inner} against {value:?}");
        }
    }
}
