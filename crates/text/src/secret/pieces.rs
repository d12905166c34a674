//! Finds runs of characters from anywhere in a secret, as they are left when a field's text is edited.

use std::collections::BTreeSet;
use std::ops::Range;

use super::forms::forms_of;
use super::needles::Needles;
use super::places::merged;

/// Fewest characters of a run. Chosen: shorter ones are ordinary words.
const MIN_RUN: usize = 8;
/// Fewest characters of a secret that is known by its runs. Chosen: a run of a shorter one is most of it, and it is
/// likely to be a word.
const MIN_SECRET: usize = 12;
/// Most characters of a secret that is known by its runs. Chosen: nobody edits a longer one in a field, and each
/// character takes a dozen texts.
const MAX_SECRET: usize = 256;
/// Fewest different characters of a run. Chosen: rules and masks such as `--------` are in many texts.
const MIN_DIFFERENT: usize = 3;

/// Runs of [`MIN_RUN`] characters of secrets.
#[derive(Clone, Default)]
pub(super) struct Pieces {
    /// Secrets whose runs are known.
    secrets: BTreeSet<String>,
    /// Runs that give a secret away wherever they stand.
    telling: Needles,
    /// Runs in a plain word of a secret of several words. They only join others.
    plain: Needles,
}

impl Pieces {
    /// Adds the runs of a secret in all forms, blanks at its ends aside. One shorter than [`MIN_SECRET`] or longer
    /// than [`MAX_SECRET`] characters has none, and a run of few different characters does not count.
    pub(super) fn add(&mut self, secret: &str) {
        let secret = secret.trim();
        let length = secret.chars().count();
        if !(MIN_SECRET..=MAX_SECRET).contains(&length) || !self.secrets.insert(secret.to_owned()) {
            return;
        }
        let words: Vec<&str> = secret.split_whitespace().collect();
        let has_words = words_of(secret).count() > 1;
        for spacing in BTreeSet::from([secret.to_owned(), words.join(" ")]) {
            for run in runs(&spacing).filter(|run| is_varied(run)) {
                let is_plain = has_words && is_plain_word(run);
                let texts = if is_plain {
                    &mut self.plain
                } else {
                    &mut self.telling
                };
                for form in forms_of(run) {
                    texts.insert(form);
                }
            }
        }
    }

    /// Returns the places in `text` that hold runs of secrets, each as long as the runs go on, sorted and without
    /// overlaps. A place that is no more than a plain word of a secret of several words is left out.
    pub(super) fn places(&self, text: &str) -> Vec<Range<usize>> {
        let telling = merged(self.telling.places(text));
        if telling.is_empty() {
            return telling;
        }
        let mut all = self.plain.places(text);
        all.extend(telling.iter().cloned());
        let mut places = merged(all);
        places.retain(|place| {
            let first = telling.partition_point(|run| run.start < place.start);
            telling.get(first).is_some_and(|run| run.end <= place.end)
        });
        places
    }
}

/// Iterates over all runs of [`MIN_RUN`] characters, at each character one.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.char_indices().map(|(start, _)| start);
    let ends = text.char_indices().map(|(end, _)| end).chain([text.len()]);
    let places = starts.zip(ends.skip(MIN_RUN));
    places.filter_map(|(start, end)| text.get(start..end))
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty())
}

/// Returns true if at least [`MIN_DIFFERENT`] characters differ, blanks aside.
fn is_varied(run: &str) -> bool {
    let characters = run.chars().filter(|c| !c.is_whitespace());
    characters.collect::<BTreeSet<char>>().len() >= MIN_DIFFERENT
}

/// Returns true for one word of letters, small but for the first, whatever other signs stand around it.
pub(super) fn is_plain_word(run: &str) -> bool {
    let mut letters = run.trim_matches(|c: char| !c.is_alphanumeric()).chars();
    letters.next().is_some_and(char::is_alphabetic)
        && letters.all(|c| c.is_alphabetic() && !c.is_uppercase())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::secret::{MASK, Scrubber};

    fn typed(secret: &str) -> Scrubber {
        let scrubber = Scrubber::default();
        scrubber.add(secret);
        scrubber.note_typed(secret);
        scrubber
    }

    fn in_xml(text: &str) -> String {
        quick_xml::escape::escape(text).into_owned()
    }

    /// Writes a text as JSON does, without the quotes.
    fn in_json(text: &str) -> String {
        let quoted = serde_json::to_string(text).unwrap();
        quoted[1..quoted.len() - 1].to_owned()
    }

    #[test]
    fn a_run_from_anywhere_in_a_typed_secret_is_masked_and_a_plain_word_of_several_is_not() {
        for (secret, text, clean) in [
            (
                "kqmqwzt-VexXng77pz",
                "is qmqwzt-VexXng77pz now",
                "is *** now",
            ),
            ("kqmqwzt-VexXng77pz", "kqmqwt-VexXng7pz", "kqmqw***pz"),
            ("kqmqwzt-VexXng77pz", "aqwzt-Vexb", "a***b"),
            ("kqmqwzt-VexXng77pz", "qwzt-Ve 7pz", "qwzt-Ve 7pz"),
            ("abcdefghijklmnop", "xefghijklx", "x***x"),
            // Plain words, by themselves and with what joins them.
            (
                "my-battery horses",
                "Battery battery horses-",
                "Battery ***-",
            ),
            ("right horse batteries", "all batteries", "all batteries"),
            ("right horse batteries", "a batteries ", "a batteries "),
            ("right horse batteries", "se batteries", "***"),
            // Signs that differ too little.
            ("1234 --------", "a -------- b", "a -------- b"),
            // Too short to be known by its runs.
            ("lovelace815", "ovelace815", "ovelace815"),
        ] {
            let scrubbed = typed(secret).scrub_outside(text).into_owned();
            assert_eq!(scrubbed, clean, "{secret} in {text}");
        }
        let untyped = Scrubber::default();
        untyped.add("kqmqwzt-VexXng77pz");
        assert_eq!(untyped.scrub_outside("xng qwzt-VexX"), "xng qwzt-VexX");
    }

    proptest! {
        /// Edits a typed secret at two places and writes what is left as each output does.
        #[test]
        fn no_run_of_a_typed_secret_stays_however_it_was_edited(
            secret in r#"[a-zA-Z0-9äß漢"'&<>\\%-]{12,24}"#,
            first in (0_usize..20, 0_usize..6),
            second in (0_usize..20, 0_usize..6),
        ) {
            let scrubber = typed(&secret);
            let mut left: Vec<char> = secret.chars().collect();
            for (at, count) in [first, second] {
                let at = at.min(left.len());
                let end = (at + count).min(left.len());
                left.splice(at..end, ['_']);
            }
            let left: String = left.into_iter().collect();
            let has_words = words_of(&secret).count() > 1;
            for form in [str::to_owned as fn(&str) -> String, in_xml, in_json] {
                let text = format!("= {} =", form(&left));
                let clean = scrubber.scrub_outside(&text).into_owned();
                for run in runs(&secret).filter(|run| is_varied(run)) {
                    let is_hidden = !clean.contains(&form(run)) || has_words && is_plain_word(run);
                    prop_assert!(is_hidden, "{run:?} is in {clean:?}");
                }
            }
            prop_assert_eq!(scrubber.scrub_outside(&secret), MASK);
        }
    }
}
