//! Compares the words of an element with those of a selector.

use serde_json::Value;

use super::{ElementWords, Pattern, Selector};
use runner_text::secret::Excerpt;
use runner_text::suggest::{says_opposite, snake_case};

/// Smallest normalized edit similarity (0–1) of two spellings of one word. Chosen: two other letters of five make another
/// word, as `Knots` is no `Notes`, and two of six are a slip.
const MIN_SIMILARITY: f64 = 0.61;
/// Number of characters of a word that a message shows. Chosen: a line of a terminal holds them.
const MAX_SHOWN_CHARS: usize = 60;
/// Smallest normalized edit similarity (0–1) of words and their misspelling that are no other words. Chosen: one
/// letter of seven; `Sign up` is no `Sign in`, and `Log on` no `Log in`.
const MIN_TYPO_SIMILARITY: f64 = 0.85;
/// Largest length in bytes of words that are compared letter by letter. The comparison takes the square of it
/// in time; chosen to hold any label.
const MAX_COMPARED_BYTES: usize = 200;
/// Number of words from which texts are not compared word by word. Chosen: longer texts are paragraphs, which
/// share words by chance.
const MAX_WORDS: usize = 24;
/// Smallest share (0–1) of the longer text's words that both must have. Chosen: half of the words must agree.
const MIN_SHARED_WORDS: f64 = 0.5;

/// Kind of similarity between wanted and actual words.
pub(super) enum Similarity {
    Case,
    /// Different characters that look the same; the text names the difference.
    LookAlike(String),
    /// The actual words contain all wanted ones as whole words.
    Part,
    /// The actual words contain the wanted ones within a word, or in another letter case.
    Longer,
    /// The actual words are only a part of the wanted ones.
    Shorter,
    Spelling(f64),
    /// Common words, as written on the screen, and their share of the longer text's words.
    Words(String, f64),
}

impl Similarity {
    /// Returns a number from 0 to 1 by the kind of similarity, larger is nearer: characters that look the same, case,
    /// part, longer or shorter. Spelling and common words count by their own number. It only puts misses in order.
    pub(super) fn score(&self) -> f64 {
        match self {
            Self::LookAlike(_) => 1.0,
            Self::Case => 0.99,
            Self::Part => 0.9,
            Self::Longer | Self::Shorter => 0.6,
            Self::Spelling(similarity) => similarity * 0.9,
            Self::Words(_, share) => share * 0.8,
        }
    }

    /// Returns true if `wanted` is surely `actual` misspelt: in another letter case, with other signs, or with a
    /// few other letters. Other digits name another thing, and so does an ending more or less: `Message` and
    /// `Messages`.
    pub(super) fn is_typo(&self, wanted: &str, actual: &str) -> bool {
        let only = |text: &str, is_kept: fn(&char) -> bool| -> String {
            text.to_lowercase().chars().filter(is_kept).collect()
        };
        let is_same = |is_kept: fn(&char) -> bool| only(wanted, is_kept) == only(actual, is_kept);
        let (one, other) = (wanted.to_lowercase(), actual.to_lowercase());
        let is_beginning = one.starts_with(&other) || other.starts_with(&one);
        match self {
            Self::Case | Self::LookAlike(_) => true,
            Self::Spelling(similarity) => {
                is_same(char::is_ascii_digit)
                    && (*similarity >= MIN_TYPO_SIMILARITY && !is_beginning
                        || is_same(|c| c.is_alphanumeric()))
            }
            _ => false,
        }
    }

    /// Returns the reason why the element does not match as a clause for people, such as `text differs only in case`.
    /// `property` is the name of what was compared, `actual` its value. [`Self::LookAlike`] has its own words and needs
    /// neither. The value is marked to be cut after 60 characters.
    pub(super) fn why(&self, property: &str, actual: &str) -> String {
        match self {
            Self::Case => format!("{property} differs only in case"),
            Self::LookAlike(difference) => difference.clone(),
            Self::Part | Self::Longer => format!("{property} is longer"),
            Self::Shorter => format!("{property} is shorter"),
            Self::Spelling(_) => {
                let actual = Excerpt::new(actual, MAX_SHOWN_CHARS).in_quotes();
                format!("{property} is spelt {actual}")
            }
            Self::Words(words, _) => format!("{property} has {words:?} too"),
        }
    }
}

impl Selector {
    /// Returns what to write for the key `text`, `desc` or `hint` so that it takes any letter case, if `actual` differs in
    /// that alone. `None` for other keys, without a pattern of this key, and if more differs.
    pub fn any_case_for(&self, key: &str, actual: &str) -> Option<Value> {
        let words = ElementWords::ALL
            .into_iter()
            .find(|words| words.name() == key)?;
        words.wanted(self)?.any_case_for(actual)
    }

    /// Returns the greatest similarity of `words` to any words of the selector, 0 to 1, letter case aside. It is
    /// 0 where the selector has none, or for more than 200 bytes. Patterns are compared as written, so a `*` is a
    /// character. Alternatives of `any_of` do not count.
    pub fn closeness(&self, words: &str) -> f64 {
        let named = ElementWords::ALL
            .into_iter()
            .filter_map(|words| words.wanted(self));
        if words.len() > MAX_COMPARED_BYTES {
            return 0.0;
        }
        let near = |pattern: &Pattern| {
            let wanted = pattern.source().to_lowercase();
            strsim::normalized_damerau_levenshtein(&wanted, &words.to_lowercase())
        };
        named.chain(&self.any).map(near).fold(0.0, f64::max)
    }
}

/// Returns the similarity of two labels, 0 to 1; equal ones are 1. It is 0 if one is empty or the opposite of
/// the other, or contains it only within a word. The order of the two does not count.
pub(crate) fn word_similarity(one: &str, other: &str) -> f64 {
    if one == other && !one.is_empty() {
        return 1.0;
    }
    let score = |wanted: &str, actual: &str| match similarity(wanted, actual) {
        None | Some(Similarity::Longer | Similarity::Shorter) => 0.0,
        Some(like) => like.score(),
    };
    score(one, other).max(score(other, one))
}

/// Returns the similarity of two names in code, 0 to 1. They must share whole words; names that are equal,
/// also in another spelling such as `payButton` and `pay_button`, are 0.99. Empty ones and opposites are 0. The
/// order of the two does not count.
pub(crate) fn name_similarity(one: &str, other: &str) -> f64 {
    let words = |name: &str| snake_case(name).replace('_', " ");
    let (one, other) = (words(one), words(other));
    if one == other && !one.is_empty() {
        return 0.99;
    }
    let score = |wanted: &str, actual: &str| match similarity(wanted, actual) {
        Some(like @ (Similarity::Part | Similarity::Words(..))) => like.score(),
        _ => 0.0,
    };
    score(&one, &other).max(score(&other, &one))
}

/// Returns how the words are similar; `None` if they are equal, empty, not similar, or opposites. It goes
/// from `wanted` to `actual`: [`Similarity::Part`] means that `actual` contains `wanted`.
pub(super) fn similarity(wanted: &str, actual: &str) -> Option<Similarity> {
    if wanted.is_empty() || actual.is_empty() || wanted == actual {
        return None;
    }
    let like = letter_similarity(wanted, actual)?;
    (!says_opposite(wanted, actual)).then_some(like)
}

/// Compares words by letters, in this order: letter case, a part, spelling, shorter, longer, shared words. Returns
/// `None` if they are not similar. Opposites are not told apart.
fn letter_similarity(wanted: &str, actual: &str) -> Option<Similarity> {
    let (wanted_lower, actual_lower) = (wanted.to_lowercase(), actual.to_lowercase());
    if wanted_lower == actual_lower {
        return Some(Similarity::Case);
    }
    // Almost every text contains any one or two letters.
    let says_something = |words: &str| words.chars().count() > 2;
    if says_something(wanted) && holds_whole(actual, wanted) {
        return Some(Similarity::Part);
    }
    if wanted.len() <= MAX_COMPARED_BYTES && actual.len() <= MAX_COMPARED_BYTES {
        let similarity = strsim::normalized_damerau_levenshtein(&wanted_lower, &actual_lower);
        if similarity >= MIN_SIMILARITY {
            return Some(Similarity::Spelling(similarity));
        }
    }
    let (shared, share) = shared_words(&wanted_lower, actual);
    // One word of many is not a significant part, such as `Like` of `Nothing like this`.
    let is_part = says_something(actual)
        && (share >= MIN_SHARED_WORDS || actual_lower.len() * 2 >= wanted_lower.len())
        && wanted_lower.contains(&actual_lower);
    if is_part {
        return Some(Similarity::Shorter);
    }
    if says_something(wanted) && actual_lower.contains(&wanted_lower) {
        return Some(Similarity::Longer);
    }
    (share >= MIN_SHARED_WORDS).then_some(Similarity::Words(shared, share))
}

/// Returns true if `actual` contains `wanted` without cutting a word: `Grocerie` is `Groceries` misspelt, not a
/// part of it. Letter case counts.
fn holds_whole(actual: &str, wanted: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let cuts = |before: Option<char>, after: Option<char>| is_letter(before) && is_letter(after);
    actual.match_indices(wanted).any(|(at, _)| {
        let (before, after) = (&actual[..at], &actual[at + wanted.len()..]);
        !cuts(before.chars().next_back(), wanted.chars().next())
            && !cuts(wanted.chars().next_back(), after.chars().next())
    })
}

/// Returns the words of `actual` that are also in `wanted`, which must be lower case, joined by spaces, and their
/// share of the longer text's words. A repeated word counts as often as both have it. Two texts of one word share
/// nothing: they are compared by letters. Neither do texts of [`MAX_WORDS`] words or more.
fn shared_words(wanted: &str, actual: &str) -> (String, f64) {
    let split = |text| -> Vec<&str> {
        str::split(text, |c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .take(MAX_WORDS)
            .collect()
    };
    let (wanted, actual): (Vec<&str>, Vec<&str>) = (split(wanted), split(actual));
    let longer = wanted.len().max(actual.len());
    // If the limit is reached, there may be more words, and the share means nothing.
    if longer < 2 || longer == MAX_WORDS {
        return (String::new(), 0.0);
    }
    // Each wanted word stands for one of the same, so that a repeated word counts as often as both have it.
    let mut open = wanted;
    let shared: Vec<&str> = actual
        .into_iter()
        .filter(|word| {
            let word = word.to_lowercase();
            let at = open.iter().position(|wanted| *wanted == word);
            at.is_some_and(|at| {
                open.swap_remove(at);
                true
            })
        })
        .collect();
    let share = shared.len() as f64 / longer as f64;
    (shared.join(" "), share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_two_names_or_labels_does_not_count() {
        let names = [
            "",
            "x",
            "pay",
            "payment",
            "pay_button",
            "payButton",
            "pay_button_2",
            "button_of_pay",
            "enable_wifi",
            "disable_wifi",
        ];
        let labels = [
            "",
            "OK",
            "OK now",
            "Save",
            "Save…",
            "Save all",
            "Sign in",
            "Sign in!",
            "sign in to continue",
            "Sign out",
            "go go go",
            "go list here",
        ];
        let assert_symmetric = |texts: &[&str], similarity: fn(&str, &str) -> f64| {
            for one in texts {
                for other in texts {
                    let (there, back) = (similarity(one, other), similarity(other, one));
                    assert!((there - back).abs() < 1e-9, "{one} {other}: {there} {back}");
                }
            }
        };
        assert_symmetric(&names, name_similarity);
        assert_symmetric(&labels, word_similarity);
        assert!(name_similarity("pay_button", "pay") > 0.8);
        assert!(name_similarity("enable_wifi", "disable_wifi") < 0.1);
        assert!(word_similarity("Save…", "Save") > 0.8);
    }

    #[test]
    fn a_repeated_word_counts_as_often_as_both_have_it() {
        for (wanted, actual, share) in [
            ("go list here", "go go go", 1.0 / 3.0),
            ("go go go", "go list here", 1.0 / 3.0),
            ("go go now", "now go go", 1.0),
            ("go", "go", 0.0),
        ] {
            let found = shared_words(wanted, actual).1;
            assert!((found - share).abs() < 1e-9, "{wanted} {actual}: {found}");
        }
    }
}
