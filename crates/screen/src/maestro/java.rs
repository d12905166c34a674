//! Translates Java's regular expressions to those of `fancy-regex`.
//!
//! The rules are those of `java.util.regex.Pattern`. An expression that is an error there is
//! [`Translation::Invalid`] here, and Maestro then takes the words literally. So the whole expression is
//! parsed, and only parts that mean the same are passed on.

mod escape;
mod reader;
mod set;

use escape::Escape;
pub(super) use reader::Translation;
use reader::{MAX_DEPTH, Reader, Result};

/// Number of backtracking steps after which a match of one text counts as failed. Chosen: such an expression
/// would take seconds on each look.
const MAX_STEPS: usize = 200_000;

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

impl Reader<'_> {
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
