//! Commands over text: printing, cutting, searching.

use base64::Engine as _;

use super::{Call, Outcome};

pub(super) fn echo(call: &mut Call) -> Outcome {
    let mut words = call.rest();
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

/// Backslash sequences of `echo -e` and `printf`.
fn unescape(text: &str) -> Vec<u8> {
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
            Some(b'\\') => out.push(b'\\'),
            Some(b'x') => at += number(bytes, at, 2, 16, &mut out),
            Some(b'0') => at += number(bytes, at, 3, 8, &mut out),
            Some(b'1'..=b'7') => at += number(bytes, at - 1, 3, 8, &mut out) - 1,
            Some(other) => out.extend([b'\\', other]),
            None => out.push(b'\\'),
        }
    }
    out
}

/// A byte by its digits; how many there were.
fn number(bytes: &[u8], at: usize, most: usize, radix: u32, out: &mut Vec<u8>) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let digits: Vec<u32> = rest
        .iter()
        .take(most)
        .map_while(|byte| char::from(*byte).to_digit(radix))
        .collect();
    let value = digits.iter().fold(0, |value, digit| value * radix + digit);
    out.push(value as u8);
    digits.len()
}

pub(super) fn printf(call: &mut Call) -> Outcome {
    let words = call.rest();
    let Some((format, args)) = words.split_first() else {
        return call.fail(1, "printf: Needs 1 argument (see \"printf --help\")");
    };
    let mut args = args.iter();
    loop {
        let before = args.len();
        let text = formatted(format, &mut args);
        call.out.extend(text);
        // The format is used again until no argument is left.
        if args.len() == 0 || args.len() == before {
            return Outcome::Exit(0);
        }
    }
}

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

/// The bytes of the named files, or of the standard input: `Err` ends the command.
fn inputs(call: &mut Call, names: &[String]) -> Result<(Vec<(String, Vec<u8>)>, i32), Outcome> {
    let mut inputs = Vec::new();
    let mut code = 0;
    let stdin = ["-".to_owned()];
    let names = if names.is_empty() { &stdin } else { names };
    for name in names {
        if name == "-" {
            match call.stdin.take() {
                Some(bytes) => inputs.push((name.clone(), bytes)),
                None => return Err(Outcome::NeedsStdin),
            }
            continue;
        }
        match call.read(name) {
            Ok(bytes) => inputs.push((name.clone(), bytes)),
            Err(error) => {
                let command = call.name();
                call.warn(format!("{command}: {name}: {error}"));
                code = 1;
            }
        }
    }
    Ok((inputs, code))
}

pub(super) fn cat(call: &mut Call) -> Outcome {
    let names: Vec<String> = call
        .rest()
        .into_iter()
        .filter(|word| word == "-" || !word.starts_with('-'))
        .collect();
    match inputs(call, &names) {
        Ok((inputs, code)) => {
            for (_, bytes) in inputs {
                call.out.extend(bytes);
            }
            Outcome::Exit(code)
        }
        Err(outcome) => outcome,
    }
}

/// `-n N`, `-nN`, `-N`, `-c N`: the count, whether of bytes, the names.
fn count(words: &[String]) -> (String, bool, Vec<String>) {
    let mut count = "10".to_owned();
    let mut bytes = false;
    let mut names = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let flag = word.strip_prefix('-').filter(|flag| !flag.is_empty());
        match flag {
            Some("n") => count = words.next().cloned().unwrap_or_default(),
            Some("c") => {
                bytes = true;
                count = words.next().cloned().unwrap_or_default();
            }
            Some(flag) => flag.trim_start_matches(['n', 'c']).clone_into(&mut count),
            None => names.push(word.clone()),
        }
    }
    (count, bytes, names)
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

pub(super) fn head(call: &mut Call) -> Outcome {
    let (number, of_bytes, names) = count(&call.rest());
    let number: usize = number.parse().unwrap_or(10);
    match inputs(call, &names) {
        Ok((inputs, code)) => {
            for (_, bytes) in inputs {
                if of_bytes {
                    call.out.extend(bytes.iter().take(number));
                } else {
                    call.out
                        .extend(lines(&bytes).into_iter().take(number).flatten());
                }
            }
            Outcome::Exit(code)
        }
        Err(outcome) => outcome,
    }
}

pub(super) fn tail(call: &mut Call) -> Outcome {
    let (number, of_bytes, names) = count(&call.rest());
    let (number, from_start) = match number.strip_prefix('+') {
        Some(number) => (number.parse().unwrap_or(1), true),
        None => (number.parse::<usize>().unwrap_or(10), false),
    };
    match inputs(call, &names) {
        Ok((inputs, code)) => {
            for (_, bytes) in inputs {
                let all = if of_bytes {
                    bytes.len()
                } else {
                    lines(&bytes).len()
                };
                let skip = if from_start {
                    number.saturating_sub(1)
                } else {
                    all.saturating_sub(number)
                };
                if of_bytes {
                    call.out.extend(bytes.iter().skip(skip));
                } else {
                    call.out
                        .extend(lines(&bytes).into_iter().skip(skip).flatten());
                }
            }
            Outcome::Exit(code)
        }
        Err(outcome) => outcome,
    }
}

pub(super) fn wc(call: &mut Call) -> Outcome {
    let (flags, names): (Vec<String>, Vec<String>) = call
        .rest()
        .into_iter()
        .partition(|word| word.len() > 1 && word.starts_with('-'));
    let flags = flags.concat();
    match inputs(call, &names) {
        Ok((inputs, code)) => {
            for (name, bytes) in inputs {
                let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
                let text = String::from_utf8_lossy(&bytes);
                let words = text.split_whitespace().count();
                let mut cells = Vec::new();
                for (flag, value) in [
                    ('l', lines),
                    ('w', words),
                    ('c', bytes.len()),
                    ('m', text.chars().count()),
                ] {
                    if flags.contains(flag) || (flags.is_empty() && flag != 'm') {
                        cells.push(value.to_string());
                    }
                }
                if name != "-" {
                    cells.push(name);
                }
                call.say(cells.join(" "));
            }
            Outcome::Exit(code)
        }
        Err(outcome) => outcome,
    }
}

pub(super) fn base64(call: &mut Call) -> Outcome {
    let mut decode = false;
    let mut width = 76;
    let mut names = Vec::new();
    let mut words = call.rest().into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-d" => decode = true,
            "-w" => {
                width = words
                    .next()
                    .and_then(|text| text.parse().ok())
                    .unwrap_or(76)
            }
            "-w0" => width = 0,
            "-i" => {}
            _ => names.push(word),
        }
    }
    let (inputs, code) = match inputs(call, &names) {
        Ok(inputs) => inputs,
        Err(outcome) => return outcome,
    };
    let engine = base64::engine::general_purpose::STANDARD;
    for (_, bytes) in inputs {
        if decode {
            let text: Vec<u8> = bytes
                .into_iter()
                .filter(|byte| !byte.is_ascii_whitespace())
                .collect();
            match engine.decode(text) {
                Ok(bytes) => call.out.extend(bytes),
                Err(_) => return call.fail(1, "base64: bad input"),
            }
        } else {
            let text = engine.encode(bytes);
            let width = if width == 0 { text.len().max(1) } else { width };
            for line in text.as_bytes().chunks(width) {
                call.out.extend(line);
                call.out.push(b'\n');
            }
        }
    }
    Outcome::Exit(code)
}

/// `grep [-E] [-F] [-i] [-v] [-c] [-q] [-o] [-n] [-m N] [-e] PATTERN [FILE…]`.
pub(super) fn grep(call: &mut Call) -> Outcome {
    let mut flags = String::new();
    let (mut pattern, mut most) = (None, usize::MAX);
    let mut names = Vec::new();
    let mut words = call.rest().into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-e" => pattern = words.next(),
            "-m" => {
                most = words
                    .next()
                    .and_then(|text| text.parse().ok())
                    .unwrap_or(usize::MAX)
            }
            _ if word.len() > 1 && word.starts_with('-') => flags.push_str(&word[1..]),
            _ if pattern.is_none() => pattern = Some(word),
            _ => names.push(word),
        }
    }
    let has = |flag: char| flags.contains(flag);
    let Some(pattern) = pattern else {
        return call.fail(2, "grep: No REGEX (see \"grep --help\")");
    };
    let source = if has('F') {
        regex::escape(&pattern)
    } else if has('E') {
        pattern.clone()
    } else {
        from_basic(&pattern)
    };
    let regex = regex::RegexBuilder::new(&source)
        .case_insensitive(has('i'))
        .build();
    let Ok(regex) = regex else {
        return call.fail(2, format!("grep: bad REGEX '{pattern}'"));
    };
    let (inputs, code) = match inputs(call, &names) {
        Ok(inputs) => inputs,
        Err(outcome) => return outcome,
    };
    let headed = inputs.len() > 1 && !has('h');
    let mut any = false;
    for (name, bytes) in inputs {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut found = 0;
        for (number, line) in text.lines().enumerate() {
            if found == most || regex.is_match(line) == has('v') {
                continue;
            }
            found += 1;
            if has('q') || has('c') || has('l') {
                continue;
            }
            let head = if headed {
                format!("{name}:")
            } else {
                String::new()
            };
            let number = if has('n') {
                format!("{}:", number + 1)
            } else {
                String::new()
            };
            if has('o') {
                for part in regex.find_iter(line).filter(|part| !part.is_empty()) {
                    call.say(format!("{head}{number}{}", part.as_str()));
                }
            } else {
                call.say(format!("{head}{number}{line}"));
            }
        }
        any |= found > 0;
        if has('c') && !has('q') {
            let head = if headed {
                format!("{name}:")
            } else {
                String::new()
            };
            call.say(format!("{head}{found}"));
        } else if has('l') && found > 0 {
            call.say(name);
        }
    }
    if code != 0 && !any {
        return Outcome::Exit(2);
    }
    Outcome::Exit(i32::from(!any))
}

/// A basic regular expression as an extended one: `\|` is an alternative, a bare `|` a character.
fn from_basic(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(next) if "|(){}+?".contains(next) => out.push(next),
                Some(next) => {
                    out.push('\\');
                    out.push(next);
                }
                None => out.push_str("\\\\"),
            },
            '|' | '(' | ')' | '{' | '}' | '+' | '?' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

pub(super) fn basename(call: &mut Call) -> Outcome {
    let words = call.rest();
    let path = words
        .first()
        .map_or("", String::as_str)
        .trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    let name = words
        .get(1)
        .and_then(|end| name.strip_suffix(end.as_str()))
        .unwrap_or(name);
    call.say(name);
    Outcome::Exit(0)
}

pub(super) fn dirname(call: &mut Call) -> Outcome {
    let words = call.rest();
    let path = words
        .first()
        .map_or("", String::as_str)
        .trim_end_matches('/');
    let folder = match path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => ".",
    };
    call.say(folder);
    Outcome::Exit(0)
}

pub(super) fn seq(call: &mut Call) -> Outcome {
    let numbers: Vec<i64> = call
        .rest()
        .iter()
        .filter_map(|word| word.parse().ok())
        .collect();
    let (first, step, last) = match numbers.as_slice() {
        [last] => (1, 1, *last),
        [first, last] => (*first, 1, *last),
        [first, step, last] if *step != 0 => (*first, *step, *last),
        _ => return call.fail(1, "seq: Needs 1 argument (see \"seq --help\")"),
    };
    let mut value = first;
    // Bounded: a shell has no use for more.
    for _ in 0..100_000 {
        if (step > 0 && value > last) || (step < 0 && value < last) {
            break;
        }
        call.say(value.to_string());
        value = value.saturating_add(step);
    }
    Outcome::Exit(0)
}

pub(super) fn sort(call: &mut Call) -> Outcome {
    let (flags, names): (Vec<String>, Vec<String>) = call
        .rest()
        .into_iter()
        .partition(|word| word.starts_with('-'));
    let flags = flags.concat();
    let (inputs, code) = match inputs(call, &names) {
        Ok(inputs) => inputs,
        Err(outcome) => return outcome,
    };
    let mut all: Vec<String> = inputs
        .iter()
        .flat_map(|(_, bytes)| {
            String::from_utf8_lossy(bytes)
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    all.sort();
    if flags.contains('n') {
        let value = |line: &String| {
            line.split_whitespace()
                .next()
                .and_then(|word| word.parse().ok())
                .unwrap_or(0i64)
        };
        all.sort_by_key(value);
    }
    if flags.contains('r') {
        all.reverse();
    }
    if flags.contains('u') {
        all.dedup();
    }
    for line in all {
        call.say(line);
    }
    Outcome::Exit(code)
}

/// `cut -d C -f N[,N…]` and `cut -c A-B`.
pub(super) fn cut(call: &mut Call) -> Outcome {
    let mut delimiter = '\t';
    let (mut wanted, mut of_chars) = (String::new(), false);
    let mut names = Vec::new();
    let mut words = call.rest().into_iter();
    while let Some(word) = words.next() {
        let mut value = |rest: &str| {
            if rest.is_empty() {
                words.next().unwrap_or_default()
            } else {
                rest.to_owned()
            }
        };
        if let Some(rest) = word.strip_prefix("-d") {
            delimiter = value(rest).chars().next().unwrap_or('\t');
        } else if let Some(rest) = word.strip_prefix("-f") {
            wanted = value(rest);
        } else if let Some(rest) = word.strip_prefix("-c") {
            wanted = value(rest);
            of_chars = true;
        } else {
            names.push(word);
        }
    }
    let (inputs, code) = match inputs(call, &names) {
        Ok(inputs) => inputs,
        Err(outcome) => return outcome,
    };
    let is_wanted = |number: usize| {
        wanted.split(',').any(|range| match range.split_once('-') {
            Some((first, last)) => {
                number >= first.parse().unwrap_or(1) && number <= last.parse().unwrap_or(usize::MAX)
            }
            None => range.parse() == Ok(number),
        })
    };
    for (_, bytes) in inputs {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for line in text.lines() {
            if of_chars {
                let kept: String = line
                    .chars()
                    .enumerate()
                    .filter(|(i, _)| is_wanted(i + 1))
                    .map(|(_, c)| c)
                    .collect();
                call.say(kept);
            } else if line.contains(delimiter) {
                let kept: Vec<&str> = line
                    .split(delimiter)
                    .enumerate()
                    .filter(|(i, _)| is_wanted(i + 1))
                    .map(|(_, cell)| cell)
                    .collect();
                call.say(kept.join(delimiter.encode_utf8(&mut [0; 4])));
            } else {
                call.say(line);
            }
        }
    }
    Outcome::Exit(code)
}

/// `tr -d CHARS`, `tr FROM TO`.
pub(super) fn translate(call: &mut Call) -> Outcome {
    let Some(bytes) = call.stdin.take() else {
        return Outcome::NeedsStdin;
    };
    let words = call.rest();
    let set = |text: &str| {
        String::from_utf8_lossy(&unescape(text))
            .chars()
            .collect::<Vec<char>>()
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let out: String = match words
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["-d", gone] => {
            let gone = set(gone);
            text.chars().filter(|c| !gone.contains(c)).collect()
        }
        [from, to] => {
            let (from, to) = (expand_ranges(&set(from)), expand_ranges(&set(to)));
            let change = |c: char| match from.iter().position(|known| *known == c) {
                Some(at) => to.get(at).or(to.last()).copied().unwrap_or(c),
                None => c,
            };
            text.chars().map(change).collect()
        }
        _ => return call.fail(1, "tr: Needs 1 argument (see \"tr --help\")"),
    };
    call.out.extend(out.as_bytes());
    Outcome::Exit(0)
}

fn expand_ranges(set: &[char]) -> Vec<char> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = set.get(at) {
        if let (Some('-'), Some(last)) = (set.get(at + 1), set.get(at + 2)) {
            out.extend(*c..=*last);
            at += 3;
        } else {
            out.push(*c);
            at += 1;
        }
    }
    out
}
