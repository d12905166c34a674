//! Random data under the names of Maestro's `faker`, as far as flows use them.
//!
//! People, places and words come from the crate `fake`, in English. Mail addresses end in names that are
//! reserved for examples, so nobody gets such a mail.

mod dates;
mod names;

use fake::Fake as _;
use fake::RngExt as _;
use fake::faker::{internet::en as internet, lorem::en as lorem};
use fake::rand::SeedableRng as _;
use fake::rand::rngs::StdRng;

use names::{GROUPS, UNGROUPED};

/// Number of words, digits or letters of one value. Chosen: any input field takes less, and a script cannot
/// fill the memory.
const MAX_COUNT: usize = 10_000;

#[derive(Debug, Clone, PartialEq)]
pub enum FakeValue {
    Text(String),
    Integer(i64),
    Decimal(f64),
    Truth(bool),
}

impl std::fmt::Display for FakeValue {
    /// Writes the value alone: a text as it is, without quotes.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Integer(number) => number.fmt(f),
            Self::Decimal(number) => number.fmt(f),
            Self::Truth(truth) => truth.fmt(f),
        }
    }
}

/// Reason why no data can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FakeError {
    #[error("faker has no `{name}`; it has {known}")]
    Unknown {
        /// Name as the script wrote it.
        name: String,
        /// List of valid names for the message.
        known: String,
    },
    /// Argument that is not a number or is too large.
    #[error("faker: `{name}` takes {takes}")]
    Argument {
        /// Name of the data, such as `text.text`.
        name: String,
        /// Description of valid arguments for the message.
        takes: &'static str,
    },
}

/// Generator of random data. The same seed makes the same data in the same order.
pub struct FakeData(StdRng);

impl std::fmt::Debug for FakeData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FakeData").finish_non_exhaustive()
    }
}

impl FakeData {
    pub fn new(seed: u64) -> Self {
        Self(StdRng::seed_from_u64(seed))
    }

    /// Returns true for a group of names, such as `name` of `name.firstName`.
    pub(super) fn is_group(name: &str) -> bool {
        GROUPS.iter().any(|(group, _)| *group == name)
    }

    /// Checks that a name exists, without making data. `name` is ignored unless `group` is a group. A group alone
    /// and a name without a group, such as `numerify`, are accepted. Returns an error that lists the known names
    /// otherwise.
    pub(super) fn knows(group: &str, name: Option<&str>) -> Result<(), FakeError> {
        let whole = match name.filter(|_| Self::is_group(group)) {
            Some(name) => format!("{group}.{name}"),
            None if Self::is_group(group) || UNGROUPED.contains(&group) => return Ok(()),
            None => group.to_owned(),
        };
        if is_known(group, &whole) {
            return Ok(());
        }
        Err(unknown(&whole))
    }

    /// Makes data of a name such as `name.firstName`, `text.text` with its length as argument, or `numerify` with a
    /// pattern. Missing arguments have defaults; arguments too many are ignored. `expression` fills the `#{…}` of a
    /// text. Returns an error for an unknown name, and for an argument that is no number, too large or no date's.
    pub fn make(&mut self, name: &str, arguments: &[String]) -> Result<FakeValue, FakeError> {
        if name == "expression" {
            let text = arguments.first().map_or("", String::as_str);
            return self.expression(text).map(FakeValue::Text);
        }
        if let Some((group, _)) = name.split_once('.')
            && let Some(value) = self.in_group(group, name, arguments)?
        {
            return Ok(value);
        }
        if UNGROUPED.contains(&name) {
            let pattern = arguments.first().map_or("", String::as_str);
            return Ok(FakeValue::Text(self.fill_pattern(name, pattern)));
        }
        Err(unknown(name))
    }

    /// Makes data by its full name, such as `name.firstName`. `None` if the group has no such name; an error for a
    /// wrong argument. A password's lengths are clamped to 1 to 1000. Counts of words and letters are errors if
    /// negative or above `MAX_COUNT`.
    fn in_group(
        &mut self,
        group: &str,
        name: &str,
        arguments: &[String],
    ) -> Result<Option<FakeValue>, FakeError> {
        let whole = |place: usize, default: i64| number(name, arguments, place, default);
        let count = |default: i64| {
            let count = whole(0, default)?;
            let fits = usize::try_from(count)
                .ok()
                .filter(|count| *count <= MAX_COUNT);
            fits.ok_or_else(|| argument(name, "a number of at most 10000"))
        };
        let rng = &mut self.0;
        let value = match group {
            "number" => return self.number_value(name, arguments),
            "lorem" | "text" => return self.words_value(name, count),
            "address" => names::place(name, rng),
            "date" if is_known(group, name) => {
                let day = dates::day(name, arguments, rng);
                Some(day.ok_or_else(|| argument(name, dates::TAKES))?)
            }
            "idNumber" => dates::number_of_person(name, rng),
            "bool" if name == "bool.bool" => return Ok(Some(FakeValue::Truth(rng.random()))),
            "internet" if name == "internet.password" => {
                let (min, max) = (whole(0, 8)?.clamp(1, 1000), whole(1, 16)?.clamp(1, 1000));
                let range = min as usize..(max.max(min) as usize + 1);
                Some(internet::Password(range).fake_with_rng(rng))
            }
            "internet" => names::web(name, rng),
            _ => names::other(name, rng),
        };
        Ok(value.map(FakeValue::Text))
    }

    /// Makes data of the group `number`, by its full name. `None` for other names; an error for an argument that is
    /// no number. Numbers out of range are clamped. The upper end of `numberBetween` is excluded; if it is not
    /// above the lower one, the lower one is the result.
    fn number_value(
        &mut self,
        name: &str,
        arguments: &[String],
    ) -> Result<Option<FakeValue>, FakeError> {
        let whole = |place: usize, default: i64| number(name, arguments, place, default);
        let rng = &mut self.0;
        let value = match name {
            "number.digit" => FakeValue::Text(rng.random_range(0..=9).to_string()),
            "number.digits" => {
                let count = whole(0, 1)?.clamp(0, MAX_COUNT as i64) as usize;
                let pattern = "#".repeat(count);
                FakeValue::Text(self.fill_pattern("numerify", &pattern))
            }
            "number.randomDigit" => FakeValue::Integer(rng.random_range(0..=9)),
            "number.randomDigitNotZero" => FakeValue::Integer(rng.random_range(1..=9)),
            "number.positive" => FakeValue::Integer(rng.random_range(1..=i64::from(i32::MAX))),
            "number.negative" => FakeValue::Integer(-rng.random_range(1..=i64::from(i32::MAX))),
            // The upper end is exclusive, as in Maestro's faker.
            "number.numberBetween" => {
                let (min, max) = (whole(0, 0)?, whole(1, i64::from(i32::MAX))?);
                let max = max.saturating_sub(1).max(min);
                FakeValue::Integer(rng.random_range(min..=max))
            }
            "number.randomDouble" => {
                let places = whole(0, 2)?.clamp(0, 9) as i32;
                let (min, max) = (whole(1, 0)? as f64, whole(2, 100)? as f64);
                let value = min + rng.random::<f64>() * (max - min);
                let unit = 10_f64.powi(places);
                FakeValue::Decimal((value * unit).round() / unit)
            }
            // The first digit is not zero.
            "number.randomNumber" => {
                let digits = whole(0, 8)?.clamp(1, 15) as u32;
                let min = 10_i64.pow(digits - 1);
                FakeValue::Integer(rng.random_range(min..min * 10))
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// Makes data of the groups `text` and `lorem`, by its full name. `None` for other names. `count` returns the
    /// argument or this default, or an error. `lorem.paragraphs` makes at most 100.
    fn words_value(
        &mut self,
        name: &str,
        count: impl Fn(i64) -> Result<usize, FakeError>,
    ) -> Result<Option<FakeValue>, FakeError> {
        let rng = &mut self.0;
        let exactly = |count: usize| count..count + 1;
        let text = match name {
            "text.text" | "lorem.characters" => {
                let default = if name == "text.text" { 30 } else { 255 };
                let pattern = "?".repeat(count(default)?);
                self.fill_pattern("letterify", &pattern)
            }
            "lorem.word" => lorem::Word().fake_with_rng(rng),
            "lorem.words" => {
                let words: Vec<String> = lorem::Words(exactly(count(3)?)).fake_with_rng(rng);
                words.join(" ")
            }
            "lorem.sentence" => {
                let min = count(4)?;
                lorem::Sentence(min..min + 6).fake_with_rng(rng)
            }
            "lorem.paragraph" | "lorem.sentences" => {
                let sentences: Vec<String> =
                    lorem::Sentences(exactly(count(3)?)).fake_with_rng(rng);
                sentences.join(" ")
            }
            "lorem.paragraphs" => {
                let paragraphs: Vec<String> =
                    lorem::Paragraphs(exactly(count(3)?.min(100))).fake_with_rng(rng);
                paragraphs.join("\n")
            }
            _ => return Ok(None),
        };
        Ok(Some(FakeValue::Text(text)))
    }

    /// Replaces `#` by digits (except for `letterify`) and `?` by lower-case letters (except for `numerify`).
    /// All else stays.
    fn fill_pattern(&mut self, how: &str, pattern: &str) -> String {
        let rng = &mut self.0;
        let pattern = pattern.chars().map(|sign| match sign {
            '#' if how != "letterify" => char::from(rng.random_range(b'0'..=b'9')),
            '?' if how != "numerify" => char::from(rng.random_range(b'a'..=b'z')),
            sign => sign,
        });
        pattern.collect()
    }

    /// Replaces `#{name.first_name}` and `#{number.numberBetween '1' '9'}` in a text by data, from left to right.
    /// Arguments must be in single quotes. A `#{` that is never closed stays, with all after it. Returns an error
    /// at the first unknown name or wrong argument.
    fn expression(&mut self, text: &str) -> Result<String, FakeError> {
        let mut result = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("#{") {
            let Some((inner, after)) = after.split_once('}') else {
                break;
            };
            result.push_str(before);
            let (name, given) = inner.trim().split_once(' ').unwrap_or((inner.trim(), ""));
            let arguments: Vec<String> = given
                .split('\'')
                .skip(1)
                .step_by(2)
                .map(str::to_owned)
                .collect();
            let value = self.make(&to_camel_case(name), &arguments)?;
            result.push_str(&value.to_string());
            rest = after;
        }
        result.push_str(rest);
        Ok(result)
    }
}

/// Converts `Name.first_name` to `name.firstName`. Names in this form already stay.
fn to_camel_case(name: &str) -> String {
    let mut result = String::new();
    let mut before = '.';
    for letter in name.chars() {
        match (before, letter) {
            (_, '_') => {}
            ('.', letter) => result.extend(letter.to_lowercase()),
            ('_', letter) => result.extend(letter.to_uppercase()),
            (_, letter) => result.push(letter),
        }
        before = letter;
    }
    result
}

/// Creates the error for a wrong argument of the data `name`, which takes `takes`.
fn argument(name: &str, takes: &'static str) -> FakeError {
    FakeError::Argument {
        name: name.to_owned(),
        takes,
    }
}

/// Returns true if the group has the full name `name`, such as `name.firstName`. A name without a dot is
/// never known.
fn is_known(group: &str, name: &str) -> bool {
    let mut names = GROUPS.iter().filter(|(other, _)| *other == group);
    let last = name.split_once('.').map(|(_, last)| last);
    names.any(|(_, names)| last.is_some_and(|last| names.contains(&last)))
}

/// Parses the argument at index `place` as a whole number, cutting off a fraction; `default` if it is missing.
/// Returns an error if it is no number, or is 1e15 or more, or -1e15 or less.
fn number(name: &str, arguments: &[String], place: usize, default: i64) -> Result<i64, FakeError> {
    let Some(text) = arguments.get(place) else {
        return Ok(default);
    };
    let number = text.trim().parse::<f64>().ok();
    let fits = number.filter(|number| number.is_finite() && number.abs() < 1e15);
    let fits = fits.map(|number| number as i64);
    fits.ok_or_else(|| argument(name, "numbers"))
}

/// Creates the error for an unknown name. It lists the names of the group, or all groups if there is no such group.
fn unknown(name: &str) -> FakeError {
    let group = name.split_once('.').map_or(name, |(group, _)| group);
    let known = GROUPS.iter().find(|(other, _)| *other == group);
    let known = known.map_or_else(
        || {
            let groups = GROUPS.iter().map(|(group, _)| *group);
            groups.chain(UNGROUPED).collect::<Vec<_>>().join(", ")
        },
        |(group, names)| {
            let names = names.iter().map(|name| format!("{group}().{name}()"));
            names.collect::<Vec<_>>().join(", ")
        },
    );
    FakeError::Unknown {
        name: name.to_owned(),
        known,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_makes_data_and_the_same_with_the_same_seed() {
        let names = GROUPS.iter().flat_map(|(group, names)| {
            assert!(FakeData::is_group(group));
            names.iter().map(move |name| format!("{group}.{name}"))
        });
        for name in names {
            let made = |seed| FakeData::new(seed).make(&name, &[]).unwrap();
            assert!(!made(1).to_string().is_empty(), "{name}");
            // Days are near the day of the run.
            if !name.starts_with("date.") {
                assert_eq!(made(1), made(1), "{name}");
            }
        }
        for name in UNGROUPED {
            let pattern = ["a#?".to_owned()];
            let made = FakeData::new(1).make(name, &pattern).unwrap();
            assert_eq!(made.to_string().len(), 3, "{name}");
        }
    }

    #[test]
    fn data_has_its_form() {
        for (name, arguments, form) in [
            (
                "expression",
                &["#{Name.first_name} #{number.numberBetween '5' '6'}!"][..],
                r"^[A-Za-z]+ 5!$",
            ),
            ("expression", &["#{numerify '##'}"], r"^\d\d$"),
            ("expression", &["no #{ end"], "^no #\\{ end$"),
            ("numerify", &["A#?"], r"^A\d\?$"),
            ("bothify", &["A#?"], r"^A\d[a-z]$"),
            ("number.numberBetween", &["-3", "-2"], "^-3$"),
            ("number.numberBetween", &["7", "1"], "^7$"),
            ("number.randomNumber", &["5"], r"^[1-9]\d{4}$"),
            ("number.digits", &["20"], r"^\d{20}$"),
            ("number.randomDouble", &["1", "3", "4"], r"^[34](\.\d)?$"),
            ("text.text", &["12"], "^[a-z]{12}$"),
            ("lorem.words", &["2"], r"^\w+ \w+$"),
            (
                "internet.emailAddress",
                &[],
                r"^\S+@example\.(com|net|org)$",
            ),
            (
                "internet.uuid",
                &[],
                "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
            ),
            ("internet.password", &["4", "4"], "^.{4}$"),
            ("address.fullAddress", &[], ", "),
            (
                "date.birthday",
                &[],
                r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$",
            ),
            (
                "date.birthday",
                &["20", "30", "dd/MM/yyyy"],
                r"^\d\d/\d\d/(19|20)\d\d$",
            ),
            (
                "date.past",
                &["3", "DAYS", "yyyy-MM-dd"],
                r"^20\d\d-\d\d-\d\d$",
            ),
            ("date.future", &["3", "HOURS"], r"^20\d\d-"),
            ("expression", &["#{date.past '15','SECONDS'}"], r"^20\d\d-"),
            ("idNumber.valid", &[], r"^\d{3}-\d\d-\d{4}$"),
            ("idNumber.invalid", &[], r"^(000|666|900)-\d\d-\d{4}$"),
        ] {
            let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
            let value = FakeData::new(3).make(name, &arguments).unwrap().to_string();
            let fits = regex::Regex::new(form).unwrap().is_match(&value);
            assert!(fits, "{name} {arguments:?}: {value}");
        }
    }

    #[test]
    fn what_there_is_not_is_an_error_that_tells_what_there_is() {
        for (name, arguments, words) in [
            (
                "hobbit.character",
                vec![],
                "faker has no `hobbit.character`; it has address, bool,",
            ),
            ("name.nick", vec![], "it has name().firstName(), "),
            (
                "expression",
                vec!["a #{no.thing}"],
                "faker has no `no.thing`",
            ),
            ("date.nick", vec![], "it has date().birthday(), "),
            ("date.past", vec!["1", "AGES"], "a unit such as 'DAYS'"),
            ("date.birthday", vec!["EEE"], "a pattern of yyyy"),
            ("idNumber.nick", vec![], "it has idNumber().invalid(), "),
            ("lorem.words", vec!["99999999"], "at most 10000"),
            ("text.text", vec!["-1"], "at most 10000"),
            ("number.numberBetween", vec!["a"], "takes numbers"),
            ("number.numberBetween", vec!["1e300"], "takes numbers"),
        ] {
            let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
            let error = FakeData::new(1).make(name, &arguments).unwrap_err();
            assert!(error.to_string().contains(words), "{name}: {error}");
        }
    }
}
