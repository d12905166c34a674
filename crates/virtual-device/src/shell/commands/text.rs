//! Commands for text: reading, cutting, sorting, file names.

use base64::Engine as _;

use super::print::unescape;
use super::{Call, Outcome};

/// Contents of inputs by name.
pub(super) type Inputs = Vec<(String, Vec<u8>)>;

/// Reads the named files, or the standard input without names or for `-`; a second `-` is empty. A file that
/// cannot be read is warned of and left out. Returns the rest, in order, with the exit code so far, 0 or 1. `Err`
/// means that the command must be run again with its standard input.
pub(super) fn inputs(call: &mut Call, names: &[String]) -> Result<(Inputs, i32), Outcome> {
    let mut inputs = Vec::new();
    let mut code = 0;
    let stdin = ["-".to_owned()];
    let names = if names.is_empty() { &stdin } else { names };
    let mut was_read = false;
    for name in names {
        if name == "-" && std::mem::replace(&mut was_read, true) {
            // The first `-` has read it to its end.
            inputs.push((name.clone(), Vec::new()));
            continue;
        }
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

/// `cat [FILE…]`. Options are ignored. A file that cannot be read gives 1 after the others are printed, here and in
/// the other commands that read [`inputs`].
pub(super) fn cat(call: &mut Call) -> Outcome {
    let names: Vec<String> = call
        .owned_args()
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

/// Parses `-n N`, `-nN`, `-N`, `-c N`, `-cN`. Returns the count as text, 10 by default and unchecked, true if it
/// counts bytes, and the names. The last option counts. The text of an unknown flag is taken as the count.
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
            Some(flag) => {
                bytes = flag.starts_with('c');
                flag.trim_start_matches(['n', 'c']).clone_into(&mut count);
            }
            None => names.push(word.clone()),
        }
    }
    (count, bytes, names)
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

/// `head [-n N | -c N] [FILE…]`: ten lines by default, also for a malformed count. Files are not headed.
pub(super) fn head(call: &mut Call) -> Outcome {
    let (number, of_bytes, names) = count(&call.owned_args());
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

/// `tail [-n [+]N | -c [+]N] [FILE…]`: the last ten lines by default; with `+N` all from the Nth on. A malformed
/// count is 10, with `+` 1. Files are not headed.
pub(super) fn tail(call: &mut Call) -> Outcome {
    let (number, of_bytes, names) = count(&call.owned_args());
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

/// `wc [-lwcm] [FILE…]`: a line for each input, without a sum. Counts stand in this order; without flags all but
/// characters. A name follows the counts, but not `-`.
pub(super) fn wc(call: &mut Call) -> Outcome {
    let (flags, names): (Vec<String>, Vec<String>) = call
        .owned_args()
        .into_iter()
        .partition(|word| word.len() > 1 && word.starts_with('-'));
    let flags = flags.concat();
    match inputs(call, &names) {
        Ok((inputs, code)) => {
            for (name, bytes) in inputs {
                let lines = bytes.split(|byte| *byte == b'\n').count() - 1;
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

/// `base64 [-d] [-w COLUMNS] [FILE…]`: lines of 76 characters, with 0 a single one; a malformed width is 76. Each
/// input is encoded for itself. A malformed one of `-d` ends it with 1: nothing of it is printed, but those before it.
pub(super) fn base64(call: &mut Call) -> Outcome {
    let mut decode = false;
    let mut width = 76;
    let mut names = Vec::new();
    let mut words = call.owned_args().into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-d" => decode = true,
            "-w" => {
                width = words
                    .next()
                    .and_then(|text| text.parse().ok())
                    .unwrap_or(76);
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

/// `basename PATH [END]`. Slashes at the end do not count; an end that the name lacks is ignored. Without a path it
/// prints an empty line. An end that is the whole name stays. It always gives 0.
pub(super) fn basename(call: &mut Call) -> Outcome {
    let words = call.owned_args();
    let path = words
        .first()
        .map_or("", String::as_str)
        .trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    let name = words
        .get(1)
        .and_then(|end| name.strip_suffix(end.as_str()))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(name);
    call.say(name);
    Outcome::Exit(0)
}

/// `dirname PATH`: `.` without a slash, `/` right below the root. Slashes at the end do not count. Without a path it
/// prints `.`. It always gives 0.
pub(super) fn dirname(call: &mut Call) -> Outcome {
    let words = call.owned_args();
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

/// `seq [FIRST [STEP]] LAST`, of whole numbers; other words are ignored. It prints 100,000 at most, then ends with 0.
/// A step of 0, no number and more than three give 1.
pub(super) fn seq(call: &mut Call) -> Outcome {
    let numbers: Vec<i64> = call
        .owned_args()
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

/// `sort [-nru] [FILE…]`: lines by their bytes, or with `-n` by the whole number at their start, 0 without one. `-u`
/// drops equal lines. Lines of all inputs are sorted together. `-r` reverses the order.
pub(super) fn sort(call: &mut Call) -> Outcome {
    let (flags, names): (Vec<String>, Vec<String>) = call
        .owned_args()
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
        // Stable: equal numbers keep the order of their letters, as in `sort -n`.
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

/// `cut -d C -f N[,N…]` and `cut -c A-B`. Numbers begin at 1, and the order of the parts stays. The delimiter is a
/// tab by default, and lines without it are printed whole. A number that cannot be read selects nothing; the end of
/// a range that is missing or cannot be read is open.
pub(super) fn cut(call: &mut Call) -> Outcome {
    let mut delimiter = '\t';
    let (mut wanted, mut of_chars) = (String::new(), false);
    let mut names = Vec::new();
    let mut words = call.owned_args().into_iter();
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
                let stored: String = line
                    .chars()
                    .enumerate()
                    .filter(|(i, _)| is_wanted(i + 1))
                    .map(|(_, c)| c)
                    .collect();
                call.say(stored);
            } else if line.contains(delimiter) {
                let retained: Vec<&str> = line
                    .split(delimiter)
                    .enumerate()
                    .filter(|(i, _)| is_wanted(i + 1))
                    .map(|(_, cell)| cell)
                    .collect();
                call.say(retained.join(delimiter.encode_utf8(&mut [0; 4])));
            } else {
                call.say(line);
            }
        }
    }
    Outcome::Exit(code)
}

/// `tr -d CHARS`, `tr FROM TO`, on standard input only. The last of `TO` stands for all that it lacks.
/// Other arguments give 1. Escapes and ranges such as `a-z` are known.
pub(super) fn translate(call: &mut Call) -> Outcome {
    let Some(bytes) = call.stdin.take() else {
        return Outcome::NeedsStdin;
    };
    let words = call.owned_args();
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
            let gone = expand_ranges(&set(gone));
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

/// Replaces ranges such as `a-z` by their characters. One whose end is before its start is empty. A `-` at the begin
/// or the end stands for itself.
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
