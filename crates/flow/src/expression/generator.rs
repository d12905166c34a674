//! Functions with a new value at each call: the current time, and random data for tests.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use chrono::format::{Item, StrftimeItems};
use chrono::{Local, TimeDelta};
use minijinja::Value;
use minijinja::machinery::ast::{CallArg, Expr};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::EvalError;
use super::arguments::Arguments;

/// Names of these functions. They are allowed only in `set` and `env`, where each is called once. The text of
/// a step is evaluated more often than the step runs.
pub(crate) const VOLATILE: [&str; 5] = ["now", "random_email", "random_int", "random_text", "uuid"];

/// Maximum length of a random text in characters. Chosen: above the limits of usual input fields.
const MAX_TEXT_CHARS: usize = 1000;
/// Maximum bytes of a time format. Chosen: far above any useful one.
const MAX_FORMAT_BYTES: usize = 200;
/// Maximum offset of a time: about a hundred years in seconds. Chosen: keeps the year within four digits.
const MAX_OFFSET_SECONDS: i64 = 100 * 366 * 86_400;
/// RFC 3339, to the second.
const DEFAULT_FORMAT: &str = "%Y-%m-%dT%H:%M:%S%:z";

const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const LETTERS_AND_DIGITS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// Source of random data. The same seed and the same place make the same data.
#[derive(Debug)]
pub struct Generator {
    random: Mutex<fastrand::Rng>,
    seed: u32,
    used: AtomicBool,
}

impl Generator {
    /// Creates the source for a place, such as an attempt of a flow, in a run with this seed. The same seed
    /// and place give the same values in the same order.
    pub fn new(seed: u32, place: &str) -> Self {
        let seed_of_place = xxh3_64_with_seed(place.as_bytes(), u64::from(seed));
        Self {
            random: Mutex::new(fastrand::Rng::with_seed(seed_of_place)),
            seed,
            used: AtomicBool::new(false),
        }
    }

    /// Returns the run's seed if random data was made.
    pub fn used_seed(&self) -> Option<u32> {
        let used = self.used.load(Ordering::Relaxed);
        used.then_some(self.seed)
    }

    /// Makes random data, and remembers that some was made.
    fn make<T>(&self, make: impl FnOnce(&mut fastrand::Rng) -> T) -> T {
        self.used.store(true, Ordering::Relaxed);
        make(&mut self.random.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Calls one of the functions in [`VOLATILE`], whose results differ from call to call. Arguments that do not fit are
/// an error. `random_int` includes both bounds; `random_text` has 8 characters by default; `now` uses this computer's
/// time, not the generator. Any other name is an error.
pub(super) fn call(
    name: &str,
    arguments: Arguments,
    generator: &Generator,
) -> Result<Value, EvalError> {
    match name {
        "now" => now(arguments),
        "random_int" => {
            let (least, most) = bounds(arguments)?;
            Ok(generator.make(|random| random.i64(least..=most)).into())
        }
        "random_text" => {
            let length = text_length(arguments)?;
            Ok(generator.make(|random| text(random, length)).into())
        }
        "random_email" => {
            arguments.finish(0)?;
            let name = generator.make(|random| text(random, 10));
            // RFC 2606 reserves the domain for examples, so nobody gets such a mail.
            Ok(format!("{name}@example.com").into())
        }
        "uuid" => {
            arguments.finish(0)?;
            Ok(generator.make(|random| uuid(random.u128(..))).into())
        }
        _ => Err(EvalError::new(format!("there is no function `{name}`"))),
    }
}

/// Takes a whole number by position or name. A missing one and any other value are an error.
fn integer(arguments: &mut Arguments, place: usize, name: &str) -> Result<i64, EvalError> {
    let value = arguments.need(place, name)?;
    let number = value.as_i64().filter(|_| value.is_integer());
    number.ok_or_else(|| EvalError::new(format!("`{name}` must be a whole number")))
}

/// Makes a text of lower-case letters and digits. It starts with a letter, so that it can be a name.
fn text(random: &mut fastrand::Rng, length: usize) -> String {
    (0..length)
        .filter_map(|at| {
            let from = if at == 0 { LETTERS } else { LETTERS_AND_DIGITS };
            random.choice(from.iter()).copied().map(char::from)
        })
        .collect()
}

/// Formats random bits as a UUID of version 4 (RFC 9562), in lower case. The 6 bits of version and variant
/// are overwritten.
pub fn uuid(random: u128) -> String {
    let bits = random & !(0xf << 76) & !(0x3 << 62) | 0x4 << 76 | 0x2 << 62;
    let digits = format!("{bits:032x}");
    [
        &digits[..8],
        &digits[8..12],
        &digits[12..16],
        &digits[16..20],
        &digits[20..],
    ]
    .join("-")
}

/// Returns the problem with the arguments of `now` before a run. Returns `None` if they are right, or if one
/// of them is no constant.
pub(super) fn wrong_constants(given: &[CallArg<'_>]) -> Option<String> {
    now(constants(given)?).err().map(|wrong| wrong.message)
}

/// Returns the arguments of a call; `None` if one of them is no constant, or is spread with `*` or `**`.
fn constants(given: &[CallArg<'_>]) -> Option<Arguments> {
    let mut arguments = Arguments::default();
    for argument in given {
        match argument {
            CallArg::Pos(Expr::Const(constant)) => arguments.values.push(constant.value.clone()),
            CallArg::Kwarg(name, Expr::Const(constant)) => {
                let value = constant.value.clone();
                arguments.named.insert((*name).to_owned(), value);
            }
            _ => return None,
        }
    }
    Some(arguments)
}

/// Returns the problem with the arguments of `random_int` before a run. Returns `None` if they are right, or if
/// one of them is no constant.
pub(super) fn wrong_bounds(given: &[CallArg<'_>]) -> Option<String> {
    let wrong = bounds(constants(given)?).err()?;
    Some(format!(
        "{}; write such as `random_int(1, 6)`",
        wrong.message
    ))
}

/// Returns the problem with the argument of `random_text` before a run. Returns `None` if it is right, or no constant.
pub(super) fn wrong_length(given: &[CallArg<'_>]) -> Option<String> {
    let given = constants(given)?;
    let digits = digits(&given);
    let wrong = text_length(given).err()?;
    let ours = digits.unwrap_or_else(|| "random_text(8)".to_owned());
    Some(format!("{}; write such as `{ours}`", wrong.message))
}

/// Returns the call for a random number with the digits that the arguments of `random_text` ask for, such as `(8,
/// 'digits')`; 8 if their number is missing or too large. Returns `None` if nothing asks for digits.
fn digits(given: &Arguments) -> Option<String> {
    /// Digits of a number that an `i64` holds, whatever they are.
    const MAX_DIGITS: usize = 18;
    let mut kinds = given.values.iter().skip(1).chain(given.named.values());
    let is_digits = |kind: &str| {
        let kind = kind.to_lowercase();
        ["digit", "numeric", "number", "0-9", "0123456789"]
            .iter()
            .any(|word| kind.contains(word))
            && !kind.contains("alpha")
    };
    kinds
        .any(|kind| kind.as_str().is_some_and(is_digits))
        .then(|| {
            let length = given.values.first().and_then(Value::as_usize);
            let length = length.filter(|length| (1..=MAX_DIGITS).contains(length));
            let length = length.unwrap_or(8);
            let zeros = "0".repeat(length - 1);
            let nines = "9".repeat(length);
            format!("random_int(1{zeros}, {nines})")
        })
}

/// Returns the number of characters of `random_text`: the argument `length`, or 8. Fails unless it is from 1 to
/// [`MAX_TEXT_CHARS`].
fn text_length(mut arguments: Arguments) -> Result<usize, EvalError> {
    let length = arguments.number(0, "length")?.unwrap_or(8);
    arguments.finish(1)?;
    if !(1..=MAX_TEXT_CHARS).contains(&length) {
        return Err(EvalError::new(format!(
            "`random_text` makes 1 to {MAX_TEXT_CHARS} characters"
        )));
    }
    Ok(length)
}

/// Returns the least and the greatest number of `random_int`. Fails unless both are given as whole numbers and the
/// first is not larger.
fn bounds(mut arguments: Arguments) -> Result<(i64, i64), EvalError> {
    let (least, most) = (
        integer(&mut arguments, 0, "least")?,
        integer(&mut arguments, 1, "most")?,
    );
    arguments.finish(2)?;
    if least > most {
        return Err(EvalError::new(format!(
            "`random_int` from {least} to {most} has no number"
        )));
    }
    Ok((least, most))
}

/// Returns this computer's local time as text. `format` is that of strftime and must have a `%`; without one it is
/// RFC 3339 to the second. `offset`, such as `-1d`, is added to the time. Anything else is an error.
fn now(mut arguments: Arguments) -> Result<Value, EvalError> {
    let mut text = |place, name: &str, max: usize| {
        let value = arguments.take(place, name);
        let value = value.map(|value| value.as_str().map(str::to_owned).ok_or(name.to_owned()));
        match value {
            None => Ok(None),
            Some(Ok(text)) if text.len() <= max => Ok(Some(text)),
            Some(_) => {
                let such = if name == "offset" { "+1d" } else { "%F" };
                Err(EvalError::new(format!(
                    "`{name}` must be a text of at most {max} bytes, such as `'{such}'`"
                )))
            }
        }
    };
    let format = text(0, "format", MAX_FORMAT_BYTES)?;
    let offset = text(1, "offset", MAX_FORMAT_BYTES)?;
    arguments.finish(2)?;
    let format = format.as_deref().unwrap_or(DEFAULT_FORMAT);
    let items: Vec<Item<'_>> = StrftimeItems::new(format).collect();
    if !format.contains('%') && delta(format).is_ok() {
        return Err(EvalError::new(format!(
            "`{format}` is an offset and stands behind the format: write `now('%F', '{format}')`"
        )));
    }
    let no_format = || {
        EvalError::new(format!(
            "`{format}` is not a format of a time; write such as `%Y-%m-%d %H:%M`"
        ))
    };
    if items.contains(&Item::Error) || !format.contains('%') {
        return Err(no_format());
    }
    let offset = offset.map_or(Ok(TimeDelta::zero()), |offset| delta(&offset))?;
    let time = Local::now().checked_add_signed(offset);
    let time = time.ok_or_else(|| EvalError::new("there is no such time"))?;
    let mut written = String::new();
    // `%#z` is a format to read only. chrono refuses to write it, and `to_string` would panic.
    write!(written, "{}", time.format_with_items(items.iter())).map_err(|_| no_format())?;
    Ok(written.into())
}

/// Parses an offset, a whole number with a sign or without and one of `s`, `m`, `h`, `d` and `w`: `-1d`,
/// `+2h`, `90m`. More than a hundred years are an error.
fn delta(text: &str) -> Result<TimeDelta, EvalError> {
    let wrong = || {
        EvalError::new(format!(
            "`{text}` is not an offset; write a whole number with `s`, `m`, `h`, `d` or `w`, such as `-1d`"
        ))
    };
    let text = text.trim();
    let number = text
        .strip_suffix(|unit: char| unit.is_ascii_alphabetic())
        .ok_or_else(wrong)?;
    let seconds: i64 = match text.as_bytes().last() {
        Some(b's') => 1,
        Some(b'm') => 60,
        Some(b'h') => 3600,
        Some(b'd') => 86_400,
        Some(b'w') => 7 * 86_400,
        _ => return Err(wrong()),
    };
    let number: i64 = number.trim().parse().map_err(|_| wrong())?;
    let seconds = number.checked_mul(seconds).ok_or_else(wrong)?;
    if !(-MAX_OFFSET_SECONDS..=MAX_OFFSET_SECONDS).contains(&seconds) {
        return Err(EvalError::new("an offset is at most a hundred years"));
    }
    TimeDelta::try_seconds(seconds).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::{Budget, Limits, Lookup, evaluate, parse};

    struct GeneratorLookup(Generator);

    impl Lookup for GeneratorLookup {
        fn value(&self, _: &[&str]) -> Option<Value> {
            None
        }

        fn generator(&self) -> Option<&Generator> {
            Some(&self.0)
        }
    }

    fn made(seed: u32, expression: &str) -> Result<String, String> {
        let known = GeneratorLookup(Generator::new(seed, "flows/a.yaml"));
        let tree = parse(expression).map_err(|error| error.message)?;
        let value = evaluate(&tree, &known, &Budget::new(Limits::default()));
        Ok(value
            .map_err(|error| error.within(expression).message)?
            .to_string())
    }

    #[test]
    fn the_same_seed_makes_the_same_data() {
        for expression in [
            "random_int(1, 1000000)",
            "random_text(20)",
            "random_email()",
            "uuid()",
        ] {
            assert_eq!(made(7, expression), made(7, expression), "{expression}");
            assert_ne!(made(7, expression), made(8, expression), "{expression}");
        }
        let known = GeneratorLookup(Generator::new(7, "a"));
        assert_eq!(known.0.used_seed(), None);
        assert_ne!(
            call("uuid", Arguments::default(), &known.0).unwrap(),
            call("uuid", Arguments::default(), &known.0).unwrap()
        );
        assert_eq!(known.0.used_seed(), Some(7));
    }

    #[test]
    fn data_has_its_form() {
        let matches = |expression: &str, form: &str| {
            let value = made(3, expression).unwrap();
            assert!(
                regex::Regex::new(form).unwrap().is_match(&value),
                "{expression}: {value}"
            );
        };
        matches("random_int(-3, -3)", "^-3$");
        matches("random_text()", "^[a-z][a-z0-9]{7}$");
        matches("random_text(length=1)", "^[a-z]$");
        matches("random_email()", "^[a-z][a-z0-9]{9}@example\\.com$");
        matches(
            "uuid()",
            "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
        );
        matches("now()", r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$");
        matches("now('%Y', '-50w')", r"^\d{4}$");
        matches("now(offset='+1d', format='%d.%m.')", r"^\d\d\.\d\d\.$");
    }

    #[test]
    fn what_cannot_be_made_is_an_error() {
        for (expression, word) in [
            ("random_int(2, 1)", "no number"),
            ("random_int(1)", "`most` is missing"),
            ("random_int('a', 1)", "whole number"),
            ("random_int(1, 2.5)", "whole number"),
            ("random_text(0)", "1 to 1000"),
            ("random_text(1001)", "1 to 1000"),
            ("random_email(1)", "too many arguments"),
            ("uuid(a=1)", "no argument `a`"),
            ("now('%Q')", "not a format"),
            ("now('%#z')", "not a format"),
            ("now('%F %#z', '+1d')", "not a format"),
            ("now('+1d')", "`now('%F', '+1d')`"),
            ("now(1)", "`format` must be a text"),
            ("now('%F', 1)", "such as `'+1d'`"),
            ("now('%Y', '1 year')", "not an offset"),
            ("now('%Y', '99999999999w')", "hundred years"),
            ("now('%Y', '9223372036854775807w')", "not an offset"),
            ("now('%Y', '-9223372036854775808s')", "hundred years"),
            ("now('%Y', '')", "not an offset"),
        ] {
            let wrong = made(1, expression).unwrap_err();
            assert!(wrong.contains(word), "{expression}: {wrong}");
        }
    }

    #[test]
    fn offsets_are_read() {
        for (text, seconds) in [
            ("-1d", -86_400),
            ("+2h", 7200),
            ("90m", 5400),
            ("5s", 5),
            ("1w", 604_800),
        ] {
            assert_eq!(delta(text).unwrap().num_seconds(), seconds, "{text}");
        }
    }
}
