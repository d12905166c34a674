//! How alike the words of an element are to those that a selector asks for.

use super::{ElementWords, Pattern, Selector};
use runner_text::secret::Excerpt;
use runner_text::suggest::{says_opposite, snake_case};

/// Below this likeness (0–1) two words are different words.
const MIN_LIKENESS: f64 = 0.6;
/// So many characters of a word are shown.
const MAX_SHOWN: usize = 60;
/// Longer words are not compared letter by letter.
const MAX_COMPARED: usize = 200;
/// Longer texts are not compared word by word.
const MAX_WORDS: usize = 24;
/// Two texts with fewer of the longer one's words in common (0–1) are different texts.
const MIN_SHARE: f64 = 0.5;

/// How a wanted and an actual word are alike.
pub(super) enum Similarity {
    Case,
    /// They look the same; says how they differ.
    LookAlike(String),
    /// The actual words hold all of the wanted ones, whole.
    Part,
    /// They hold them amid a word, or in other letters.
    Longer,
    /// They are only a part of the wanted ones.
    Shorter,
    Spelling(f64),
    /// Words that both have, as written on the screen, and their share of the longer one's.
    Words(String, f64),
}

impl Similarity {
    /// Larger is nearer; at most 1.
    pub(super) fn score(&self) -> f64 {
        match self {
            Self::LookAlike(_) => 1.0,
            Self::Case => 0.99,
            Self::Part => 0.9,
            Self::Longer | Self::Shorter => 0.6,
            Self::Spelling(likeness) => likeness * 0.9,
            Self::Words(_, share) => share * 0.8,
        }
    }

    /// Why the element does not match, for a person.
    pub(super) fn why(&self, property: &str, actual: &str) -> String {
        match self {
            Self::Case => format!("{property} differs only in case"),
            Self::LookAlike(difference) => difference.clone(),
            Self::Part | Self::Longer => format!("{property} is longer"),
            Self::Shorter => format!("{property} is shorter"),
            Self::Spelling(_) => {
                let actual = Excerpt::new(actual, MAX_SHOWN).in_quotes();
                format!("{property} is spelt {actual}")
            }
            Self::Words(words, _) => format!("{property} has {words:?} too"),
        }
    }
}

impl Selector {
    /// Returns how near words are to those that it asks for; at most 1, and 0 where it asks for none.
    pub fn closeness(&self, words: &str) -> f64 {
        let named = ElementWords::ALL
            .into_iter()
            .filter_map(|words| words.wanted(self));
        if words.len() > MAX_COMPARED {
            return 0.0;
        }
        let near = |pattern: &Pattern| {
            let wanted = pattern.source().to_lowercase();
            strsim::normalized_damerau_levenshtein(&wanted, &words.to_lowercase())
        };
        named.chain(&self.any).map(near).fold(0.0, f64::max)
    }
}

/// How near two labels are, 0–1; 0 where one says the opposite of the other, or only amid a word what the other says.
pub(crate) fn likeness_of_words(one: &str, other: &str) -> f64 {
    if one == other && !one.is_empty() {
        return 1.0;
    }
    match likeness(one, other) {
        None | Some(Similarity::Longer | Similarity::Shorter) => {}
        Some(like) => return like.score(),
    }
    match likeness(other, one) {
        Some(Similarity::Part) => Similarity::Part.score(),
        _ => 0.0,
    }
}

/// How near two names in code are, 0–1: those that share whole words.
pub(crate) fn likeness_of_names(one: &str, other: &str) -> f64 {
    let words = |name: &str| snake_case(name).replace('_', " ");
    let (one, other) = (words(one), words(other));
    let like = likeness(&one, &other).or_else(|| likeness(&other, &one));
    match like {
        Some(like @ (Similarity::Part | Similarity::Words(..))) => like.score(),
        _ if one == other && !one.is_empty() => 0.99,
        _ => 0.0,
    }
}

/// How alike the words are; none where they are not, are the same, or say the opposite.
pub(super) fn likeness(wanted: &str, actual: &str) -> Option<Similarity> {
    if wanted.is_empty() || actual.is_empty() || wanted == actual {
        return None;
    }
    let like = likeness_of_letters(wanted, actual)?;
    (!says_opposite(wanted, actual)).then_some(like)
}

fn likeness_of_letters(wanted: &str, actual: &str) -> Option<Similarity> {
    let (wanted_lower, actual_lower) = (wanted.to_lowercase(), actual.to_lowercase());
    if wanted_lower == actual_lower {
        return Some(Similarity::Case);
    }
    // One or two letters are in everything.
    let says_something = |words: &str| words.chars().count() > 2;
    if says_something(wanted) && holds_whole(actual, wanted) {
        return Some(Similarity::Part);
    }
    if wanted.len() <= MAX_COMPARED && actual.len() <= MAX_COMPARED {
        let likeness = strsim::normalized_damerau_levenshtein(&wanted_lower, &actual_lower);
        if likeness >= MIN_LIKENESS {
            return Some(Similarity::Spelling(likeness));
        }
    }
    let (shared, share) = shared_words(&wanted_lower, actual);
    // One word of many is not a significant part: `Like` of `Nothing like this`.
    let is_part = says_something(actual)
        && (share >= MIN_SHARE || actual_lower.len() * 2 >= wanted_lower.len())
        && wanted_lower.contains(&actual_lower);
    if is_part {
        return Some(Similarity::Shorter);
    }
    if says_something(wanted) && actual_lower.contains(&wanted_lower) {
        return Some(Similarity::Longer);
    }
    (share >= MIN_SHARE).then_some(Similarity::Words(shared, share))
}

/// Whether the wanted words stand in the actual ones and end no word in its middle: `Grocerie` is `Groceries` misspelt,
/// and no part of it.
fn holds_whole(actual: &str, wanted: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let cuts = |before: Option<char>, after: Option<char>| is_letter(before) && is_letter(after);
    actual.match_indices(wanted).any(|(at, _)| {
        let (before, after) = (&actual[..at], &actual[at + wanted.len()..]);
        !cuts(before.chars().next_back(), wanted.chars().next())
            && !cuts(wanted.chars().next_back(), after.chars().next())
    })
}

/// The words of `actual` that `wanted`, which is in lower case, has too, and their share of the longer one's words. One
/// word alone is compared by its letters.
fn shared_words(wanted: &str, actual: &str) -> (String, f64) {
    let split = |text| -> Vec<&str> {
        str::split(text, |c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .take(MAX_WORDS)
            .collect()
    };
    let (wanted, actual): (Vec<&str>, Vec<&str>) = (split(wanted), split(actual));
    let longer = wanted.len().max(actual.len());
    // As many as are taken: there may be more, and a share of them says nothing.
    if longer < 2 || longer == MAX_WORDS {
        return (String::new(), 0.0);
    }
    let shared: Vec<&str> = actual
        .into_iter()
        .filter(|word| wanted.contains(&word.to_lowercase().as_str()))
        .collect();
    let share = shared.len().min(wanted.len()) as f64 / longer as f64;
    (shared.join(" "), share)
}
