//! Texts that distinguish the program's own words from the values between them.
//!
//! A secret may be a word that the program uses, or a number that it counts. Therefore values are masked each
//! by itself, and the program's words never. A text of unknown composition counts as one value, so a
//! forgotten distinction reveals nothing.
//!
//! [`Words`] are no `str`: cut before they are masked, they would show the beginning of a secret. Until then
//! they are compared, searched, quoted, shown whole or as an [`Excerpt`].

use std::fmt::{Display, Formatter};
use std::ops::Range;

use camino::Utf8PathBuf;

use runner_device::DeviceError;
use runner_device::files::FileError;
use runner_screen::Selector;
use runner_text::secret::{Excerpt, MARKS, Scrubber};
use runner_text::units::HumanDuration;

/// A text, with the ranges of the program's own words.
#[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
#[serde(into = "String", from = "String")]
pub struct Words {
    text: String,
    /// Ranges of own words in order, without overlap.
    own: Vec<Range<usize>>,
}

/// A value that can be inserted between words.
pub trait WordValue {
    /// Appends the value to `words`, marked as own words or as a value by its type.
    fn put(&self, words: &mut Words);
}

macro_rules! inserted {
    ($is_own:literal: $($kind:ty)*) => {
        $(impl WordValue for $kind {
            fn put(&self, words: &mut Words) {
                words.push(&self.to_string(), $is_own);
            }
        })*
    };
}

// Numbers inserted so were counted by the program itself.
inserted!(true: i32 u16 u32 i64 u64 u128 usize f64 bool HumanDuration);
inserted!(false: str String Selector DeviceError FileError std::io::Error serde_json::Value serde_json::Number);

/// Folders are the program's own words; the file name may be a flow's.
impl WordValue for Utf8PathBuf {
    /// Appends the folders as own words and the file's name as a value.
    fn put(&self, words: &mut Words) {
        let name = self.file_name().unwrap_or_default();
        let folders = self.as_str().strip_suffix(name).unwrap_or_default();
        words.push(folders, true);
        words.push(&self.as_str()[folders.len()..], false);
    }
}

impl WordValue for Words {
    /// Appends the text, whose parts keep their marks.
    fn put(&self, words: &mut Words) {
        let start = words.text.len();
        words.text.push_str(&self.text);
        let own = self.own.iter();
        words
            .own
            .extend(own.map(|own| start + own.start..start + own.end));
    }
}

impl<T: WordValue + ?Sized> WordValue for &T {
    fn put(&self, words: &mut Words) {
        (**self).put(words);
    }
}

impl Words {
    /// Builds a text from `template`, inserting a value for each `{}`. The template counts as own words, the values as
    /// values, unless they are [`Words`], which keep their marks. A `{}` without a value becomes nothing. A value
    /// without a `{}` is left out, and fails a debug build.
    pub fn format(template: &'static str, values: &[&dyn WordValue]) -> Self {
        let mut words = Self::default();
        let mut values = values.iter();
        for (place, part) in template.split("{}").enumerate() {
            if place > 0
                && let Some(value) = values.next()
            {
                value.put(&mut words);
            }
            words.push(part, true);
        }
        debug_assert!(
            values.next().is_none(),
            "a value without a place: {template}"
        );
        words
    }

    /// Joins texts with `between`, which counts as own words. Each text keeps its marks.
    pub fn joined(texts: impl IntoIterator<Item = Self>, between: &'static str) -> Self {
        let mut joined = Self::default();
        for (place, text) in texts.into_iter().enumerate() {
            if place > 0 {
                joined.push(between, true);
            }
            text.put(&mut joined);
        }
        joined
    }

    /// Marks all of `text` but `value` as own words. `value` must occur in it once, or at its beginning or
    /// end. Otherwise nothing is marked, so all of it counts as a value.
    pub fn around(value: &str, text: String) -> Self {
        let place = if text.starts_with(value) {
            Some(0)
        } else if text.ends_with(value) {
            Some(text.len() - value.len())
        } else if text.matches(value).count() == 1 {
            text.find(value)
        } else {
            None
        };
        let own = place.map_or_else(Vec::new, |at| {
            Vec::from([0..at, at + value.len()..text.len()])
        });
        Self { text, own }
    }

    /// Returns the text of words whose secrets are masked, which may be cut: those of an event, or what
    /// [`Self::scrubbed`] returned.
    pub fn masked_text(&self) -> &str {
        &self.text
    }

    /// Shows the first `limit` characters, and `…` if there are more.
    pub fn excerpt(&self, limit: usize) -> Excerpt<'_> {
        Excerpt::new(&self.text, limit)
    }

    /// Returns the words before the first line end. A secret of several lines is masked in each of them, so none is
    /// cut. A text of one line is returned whole.
    #[must_use]
    pub fn first_line(&self) -> Self {
        let end = self.text.find(['\r', '\n']).unwrap_or(self.text.len());
        let own = self.own.iter().filter(|own| own.start < end);
        let mut line = Self {
            text: self.text[..end].to_owned(),
            own: own.map(|own| own.start..own.end.min(end)).collect(),
        };
        let [open, close] = MARKS;
        // An excerpt's hidden part that goes on in the next line stays hidden in this one.
        if line.text.rfind(open) > line.text.rfind(close) {
            line.text.push(close);
        }
        line
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn contains(&self, part: &str) -> bool {
        self.text.contains(part)
    }

    pub fn starts_with(&self, beginning: &str) -> bool {
        self.text.starts_with(beginning)
    }

    pub fn ends_with(&self, end: &str) -> bool {
        self.text.ends_with(end)
    }

    /// Appends text, as own words or as a value.
    fn push(&mut self, text: &str, is_own: bool) {
        let start = self.text.len();
        self.text.push_str(text);
        if is_own {
            self.own.push(start..self.text.len());
        }
    }

    /// Returns the words with secrets masked in the values. Each value is masked by itself; own words stay as
    /// they are.
    #[must_use]
    pub fn scrubbed(&self, scrubber: &Scrubber) -> Self {
        let mut clean = Self::default();
        let value = |clean: &mut Self, place: Range<usize>| {
            if !place.is_empty() {
                clean.push(&scrubber.scrub_outside(&self.text[place]), false);
            }
        };
        let mut at = 0;
        for own in &self.own {
            value(&mut clean, at..own.start);
            clean.push(&self.text[own.clone()], true);
            at = own.end;
        }
        value(&mut clean, at..self.text.len());
        clean
    }
}

impl From<&'static str> for Words {
    fn from(text: &'static str) -> Self {
        let mut words = Self::default();
        words.push(text, true);
        words
    }
}

impl From<String> for Words {
    /// Converts a text of unknown composition: all of it counts as a value.
    fn from(text: String) -> Self {
        Self {
            text,
            own: Vec::new(),
        }
    }
}

impl From<Words> for String {
    fn from(words: Words) -> Self {
        words.text
    }
}

/// Writes the whole text, for an output that masks it.
impl Display for Words {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.text)
    }
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(&self.text, f)
    }
}

/// Compares the texts only, not their composition.
impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl PartialEq<str> for Words {
    fn eq(&self, other: &str) -> bool {
        self.text == other
    }
}

impl PartialEq<&str> for Words {
    fn eq(&self, other: &&str) -> bool {
        self.text == *other
    }
}

impl PartialEq<String> for Words {
    fn eq(&self, other: &String) -> bool {
        self.text == *other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s1_a_first_line_hides_what_an_excerpt_in_it_hides() {
        let scrubber = Scrubber::default();
        let text = format!("it said {}; so", Excerpt::new("one two\nthree", 3));
        let line = Words::from(text).first_line();
        assert_eq!(line.scrubbed(&scrubber), "it said one");
        let words = Words::format("{} of {}\nand more", &[&4711, &"typed"]);
        scrubber.add("4711");
        scrubber.add("typed");
        assert_eq!(words.first_line().scrubbed(&scrubber), "4711 of ***");
        assert!(Words::from("\nx").first_line().is_empty());
    }

    #[test]
    fn s1_values_are_masked_and_the_words_and_numbers_around_them_are_not() {
        let scrubber = Scrubber::default();
        scrubber.add("4711");
        scrubber.add("x");
        scrubber.add("typed");
        scrubber.add_typed("field");
        for (words, clean) in [
            (Words::from("typed into the field"), "typed into the field"),
            (
                Words::from("typed into the field".to_owned()),
                "*** into the ***",
            ),
            (
                Words::format(
                    "typed {} of {} into field '{}'",
                    &[&4711, &"4711", &"my field"],
                ),
                "typed 4711 of *** into field 'my ***'",
            ),
            // A short secret is masked here, as it is a value by itself.
            (Words::format("({},{})", &[&"x", &"xy"]), "(***,xy)"),
            (
                Words::around("field", "no field matches field".to_owned()),
                "no field matches ***",
            ),
            (
                Words::around("field", "field is no field".to_owned()),
                "*** is no field",
            ),
            (
                Words::around("field", "typed field typed".to_owned()),
                "typed *** typed",
            ),
            (
                Words::around("field", "a field, field b".to_owned()),
                "a ***, *** b",
            ),
        ] {
            let once = words.scrubbed(&scrubber);
            assert_eq!(once, clean);
            assert_eq!(once.scrubbed(&scrubber), clean, "scrubbed again");
        }
    }
}
