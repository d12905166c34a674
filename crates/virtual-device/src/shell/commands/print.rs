//! Commands that print their arguments: `echo` and `printf`.

use super::{Call, Outcome};

/// `echo [-n] [-e] [-E] TEXT…`. Escapes mean nothing without `-e`. The first other word ends the options.
pub(super) fn echo(call: &mut Call) -> Outcome {
    let mut words = call.owned_args();
    let (mut newline, mut escapes) = (true, false);
    while let Some(flag) = words.first() {
        match flag.as_str() {
            "-n" => newline = false,
            "-e" => escapes = true,
            "-ne" | "-en" => (newline, escapes) = (false, true),
            "-E" => escapes = false,
            _ => break,
        }
        words.remove(0);
    }
    let text = words.join(" ");
    if escapes {
        call.out.extend(unescape(&text));
    } else {
        call.out.extend(text.as_bytes());
    }
    if newline {
        call.out.push(b'\n');
    }
    Outcome::Exit(0)
}

/// Replaces the backslash sequences of `echo -e` and `printf`, also `\xHH` and octal numbers. An unknown
/// sequence and a backslash at the end stay.
pub(super) fn unescape(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        if *byte != b'\\' {
            out.push(*byte);
            continue;
        }
        let next = bytes.get(at).copied();
        at += 1;
        match next {
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(b'r') => out.push(b'\r'),
            Some(b'a') => out.push(7),
            Some(b'b') => out.push(8),
            Some(b'e') => out.push(27),
            Some(b'f') => out.push(12),
            Some(b'v') => out.push(11),
            Some(b'x') => at += number(bytes, at, 2, 16, &mut out),
            Some(b'0') => at += number(bytes, at, 3, 8, &mut out),
            Some(b'1'..=b'7') => at += number(bytes, at - 1, 3, 8, &mut out) - 1,
            Some(b'\\') | None => out.push(b'\\'),
            Some(other) => out.extend([b'\\', other]),
        }
    }
    out
}

/// Adds the byte that at most `max` digits from `at` name, and 0 if there is none. A larger number is cut to
/// its low byte. Returns the number of digits.
fn number(bytes: &[u8], at: usize, max: usize, radix: u32, out: &mut Vec<u8>) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let digits: Vec<u32> = rest
        .iter()
        .take(max)
        .map_while(|byte| char::from(*byte).to_digit(radix))
        .collect();
    let value = digits.iter().fold(0, |value, digit| value * radix + digit);
    out.push(value as u8);
    digits.len()
}

/// `printf FORMAT ARGUMENT…`: the format is used again until no argument is left, and once without any. Without a
/// format it gives 1.
pub(super) fn printf(call: &mut Call) -> Outcome {
    let words = call.owned_args();
    let Some((format, args)) = words.split_first() else {
        return call.fail(1, "printf: Needs 1 argument (see \"printf --help\")");
    };
    let mut args = args.iter();
    loop {
        let before = args.len();
        let text = formatted(format, &mut args);
        call.out.extend(text);
        if args.len() == 0 || args.len() == before {
            return Outcome::Exit(0);
        }
    }
}

/// Fills in a format once. A missing argument is an empty text, and 0 as a number, like a malformed one. Escapes are
/// replaced in the format only, and in arguments of `%b`. An unknown conversion is as `%s`. A precision is ignored;
/// widths count bytes, 1000 at most.
fn formatted<'a>(format: &str, args: &mut impl Iterator<Item = &'a String>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut literal = String::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            literal.push(c);
            continue;
        }
        out.extend(unescape(&std::mem::take(&mut literal)));
        let mut flags = String::new();
        while let Some(c) = chars.next_if(|c| "-0+ #.123456789".contains(*c)) {
            flags.push(c);
        }
        let kind = chars.next();
        if kind == Some('%') {
            out.push(b'%');
            continue;
        }
        let arg = args.next().map_or("", String::as_str);
        let value = arg.trim().parse::<i64>().unwrap_or(0);
        let text = match kind {
            Some('d' | 'i' | 'u') => value.to_string().into_bytes(),
            Some('x') => format!("{value:x}").into_bytes(),
            Some('X') => format!("{value:X}").into_bytes(),
            Some('o') => format!("{value:o}").into_bytes(),
            Some('c') => arg.chars().take(1).collect::<String>().into_bytes(),
            Some('b') => unescape(arg),
            _ => arg.as_bytes().to_vec(),
        };
        let width = flags.split('.').next().unwrap_or_default();
        let width: usize = width
            .trim_start_matches(['-', '+', ' ', '0', '#'])
            .parse()
            .unwrap_or(0);
        // A script that asks for a gap of gigabytes gets none.
        let gap = width.min(1000).saturating_sub(text.len());
        let fill = if flags.starts_with('0') { b'0' } else { b' ' };
        if flags.starts_with('-') {
            out.extend(text);
            out.extend(std::iter::repeat_n(b' ', gap));
        } else {
            out.extend(std::iter::repeat_n(fill, gap));
            out.extend(text);
        }
    }
    out.extend(unescape(&literal));
    out
}
