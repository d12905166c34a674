//! Masks secrets, so that none reaches a terminal, a report, a log, an event or a file.
//!
//! Values are added while a flow is read and run. Every output goes through [`Scrubber::scrub`], and so does
//! each event before anyone sees it. A value is found as it is, in the escaped forms of common outputs (JSON,
//! XML, URL, YAML, shell, regular expressions, and `%s` of `input text`), with its white space as single
//! spaces, and each line of several on its own. It is not found cut in other pieces or encoded otherwise. So
//! only an [`Excerpt`] may cut a text before it is masked.

mod excerpt;
mod forms;
mod literals;
mod needles;
mod outside_text;
mod parts;
mod pieces;
mod places;
mod values;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use places::{is_word, merged};
use values::Values;

pub use excerpt::{Excerpt, MARKS, from_outside, unmarkable};
pub use literals::{literals, sounds_secret};
pub use outside_text::OutsideText;
pub use parts::{MIN_PART, SecretParts, is_telling};
pub use places::MIN_MASKED_CHARS;

pub const MASK: &str = "***";

/// Shared set of secret values. Cloning shares the set.
///
/// A *declared* secret ([`Scrubber::add`]) is masked wherever it stands, but one shorter than
/// [`MIN_MASKED_CHARS`] only where it is the whole text. A value *only typed* into a password field
/// ([`Scrubber::add_typed`]) is known to one attempt or session, and may be a word that the program itself
/// uses. So it is masked where it is the whole text, and in texts from outside ([`Scrubber::scrub_outside`])
/// where it is a whole word.
///
/// Of a value that was typed, also a declared one ([`Scrubber::note_typed`]), each beginning from [`MIN_MASKED_CHARS`]
/// on is masked in texts from outside: a field holds them while its text is typed and erased. A beginning that an end
/// of the value follows directly, as after a deletion in its middle, is masked too, and, of a long value, each run of 8
/// characters from anywhere in it.
#[derive(Clone, Default)]
pub struct Scrubber {
    declared: Arc<RwLock<Values>>,
    typed: Arc<RwLock<Values>>,
    /// True if attempts share the typed values, too.
    shares_typed: bool,
}

/// Prints the number of values, never the values.
impl std::fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = read(&self.declared).full_texts.len() + read(&self.typed).full_texts.len();
        f.debug_struct("Scrubber")
            .field("values", &count)
            .finish_non_exhaustive()
    }
}

/// Scrubber that gets every value added to any other one since [`Scrubber::global`] was first called.
static GLOBAL: OnceLock<Scrubber> = OnceLock::new();

impl Scrubber {
    /// Returns the scrubber for outputs that outlive runs and servers, such as the log. From its first use on
    /// it gets each value that another scrubber gets.
    pub fn global() -> &'static Self {
        GLOBAL.get_or_init(Self::default)
    }

    /// Returns a clone for the runs of a server: it and its attempts know all that the server knows, typed values too, and
    /// the server all that they add.
    #[must_use]
    pub fn for_runs(&self) -> Self {
        Self {
            shares_typed: true,
            ..self.clone()
        }
    }

    /// Adds a declared secret, to the global scrubber too. An empty or blank value is ignored, because it
    /// would mask everything.
    pub fn add(&self, value: &str) {
        self.remember(value, |scrubber, value| {
            write(&scrubber.declared).add(value);
        });
    }

    /// Adds a value that was typed into a password field. Until [`Scrubber::begin_step`] a short one is masked like
    /// a long one, because the step that types it repeats it in its messages. After that it is masked only where it
    /// is the whole text. A blank value is ignored.
    pub fn add_typed(&self, value: &str) {
        self.remember(value, |scrubber, value| {
            let mut typed = write(&scrubber.typed);
            typed.add(value);
            typed.add_edited(value);
        });
    }

    /// Adds what a field shows of a secret, like [`Self::add_typed`]. It may hold other words too, so runs of
    /// characters from its middle are not masked elsewhere.
    pub fn add_shown(&self, text: &str) {
        self.remember(text, |scrubber, text| {
            let mut typed = write(&scrubber.typed);
            typed.add(text);
            typed.add_begun(text);
        });
    }

    /// Notes that a text was typed into some field: of each declared secret in it, what editing may leave is masked
    /// from now on. Returns the places of these secrets, sorted; the whole text if it is a short or a typed secret
    /// itself. A text without secrets changes nothing.
    pub fn note_typed(&self, text: &str) -> Vec<Range<usize>> {
        let mut secrets = self.find(text);
        if secrets.is_empty() && self.is_secret(text) {
            secrets.push(whole_of(text));
        }
        for place in &secrets {
            self.remember(&text[place.clone()], |scrubber, value| {
                write(&scrubber.typed).add_edited(value);
            });
        }
        secrets
    }

    /// Starts the next step or tool call: short typed values are no longer masked inside of texts, only where they
    /// are the whole text. Those of the global scrubber still are.
    pub fn begin_step(&self) {
        write(&self.typed).temporary.clear();
    }

    /// Tells the value to this scrubber, and to the global one if that is in use. A blank value is ignored.
    fn remember(&self, value: &str, add: fn(&Self, &str)) {
        if value.trim().is_empty() {
            return;
        }
        let global = GLOBAL
            .get()
            .filter(|all| !Arc::ptr_eq(&all.typed, &self.typed));
        if let Some(global) = global {
            add(global, value);
        }
        add(self, value);
    }

    /// Returns a scrubber that shares the declared secrets and has its own, empty set of typed ones. Dropping it
    /// forgets what the attempt typed. Of [`Self::for_runs`], it is a clone that shares both.
    #[must_use]
    pub fn for_attempt(&self) -> Self {
        if self.shares_typed {
            return self.clone();
        }
        Self {
            declared: Arc::clone(&self.declared),
            ..Self::default()
        }
    }

    /// Returns an independent copy of declared and typed secrets: values added later to one are unknown to the other. A
    /// clone shares them. The global scrubber gets the copy's values too.
    #[must_use]
    pub fn copy(&self) -> Self {
        let own = |values: &RwLock<Values>| Arc::new(RwLock::new(read(values).clone()));
        Self {
            declared: own(&self.declared),
            typed: own(&self.typed),
            shares_typed: false,
        }
    }

    /// Masks text of the program itself, such as names: replaces each declared secret by [`MASK`], except
    /// short ones, then cuts [`Excerpt`]s. Secrets that touch or overlap become one mask.
    pub fn scrub_name<'a>(&self, text: &'a str) -> Cow<'a, str> {
        masked(text, |text| self.find(text))
    }

    /// Masks text of unknown origin: like [`Self::scrub_name`], and all of it if it equals a secret, blanks around it
    /// aside. Short secrets and typed values are masked only where they are all of the text.
    pub fn scrub<'a>(&self, text: &'a str) -> Cow<'a, str> {
        masked(text, |text| {
            if self.is_secret(text) {
                return Vec::from([whole_of(text)]);
            }
            self.find(text)
        })
    }

    /// Masks text from an app, a device, a server or a flow, and text sent to them: like [`Self::scrub`], and
    /// typed values where they are whole words, and what may be left of what was typed: its beginnings and runs
    /// of its characters.
    pub fn scrub_outside<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.masked_outside(text, true)
    }

    /// Masks text of a golden: like [`Self::scrub_outside`] without parts, as a golden has the same words
    /// whatever was typed before.
    pub fn scrub_golden<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.masked_outside(text, false)
    }

    /// Masks a text that is a secret as a whole; in any other, all declared secrets and, as whole words, the typed
    /// values. With `remains`, what may be left of what was typed is masked too.
    fn masked_outside<'a>(&self, text: &'a str, remains: bool) -> Cow<'a, str> {
        masked(text, |text| {
            if self.is_secret(text) {
                return Vec::from([whole_of(text)]);
            }
            let mut found = self.find(text);
            let typed = read(&self.typed);
            let mut words = typed.inside.places(text);
            words.append(&mut typed.temporary.places(text));
            words.retain(|place| is_word(text, place));
            found.append(&mut words);
            if remains {
                found.append(&mut typed.remains(text));
            }
            merged(found)
        })
    }

    /// Returns true if the trimmed text equals a declared secret or a typed value, short ones too.
    fn is_secret(&self, text: &str) -> bool {
        let text = text.trim();
        let sets = [&self.declared, &self.typed];
        sets.iter().any(|set| read(set).full_texts.contains(text))
    }

    /// Returns the places of declared secrets in `text`: sorted ranges that neither overlap nor touch. Secrets shorter
    /// than [`MIN_MASKED_CHARS`] and typed values are not found.
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        merged(read(&self.declared).inside.places(text))
    }

    /// Masks the strings in a JSON value in place with [`Self::scrub_outside`]. Keys are the program's own and
    /// stay, and so do strings at the keys in `own`, such as a path, at any depth. Lists and maps at such a key are
    /// masked as all others.
    pub fn scrub_json(&self, value: &mut serde_json::Value, own: &[&str]) {
        map_json(value, own, &|text| {
            if let Cow::Owned(clean) = self.scrub_outside(text) {
                *text = clean;
            }
        });
    }
}

/// Applies `change` to the strings in a JSON value at any depth, except those directly at the keys in `own`.
/// A list or map at such a key is changed. Keys stay.
pub fn map_json(value: &mut serde_json::Value, own: &[&str], change: &dyn Fn(&mut String)) {
    use serde_json::Value;
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => {
            for item in items {
                map_json(item, own, change);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                let is_own = own.contains(&key.as_str());
                if !(is_own && item.is_string()) {
                    map_json(item, own, change);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Replaces the places that `find` returns, sorted and without overlaps, by [`MASK`], then cuts the excerpts in the
/// text. `find` gets the whole text without the marks of excerpts, so that a secret at a cut is found. A secret
/// that begins in a hidden part is hidden to its end. Without places and excerpts the text is borrowed.
fn masked(text: &str, find: impl Fn(&str) -> Vec<Range<usize>>) -> Cow<'_, str> {
    let (whole, hidden) = excerpt::unmarked(text);
    let masks = find(&whole);
    if masks.is_empty() && hidden.is_empty() {
        return whole;
    }
    let mut clean = String::with_capacity(whole.len());
    let mut hidden = hidden.into_iter().peekable();
    let mut masks = masks.into_iter().peekable();
    let mut at = 0;
    while at < whole.len() {
        if let Some(part) = hidden.next_if(|part| part.start <= at) {
            // A secret that continues after the hidden part is hidden to its end.
            while let Some(mask) = masks.next_if(|mask| mask.start < part.end) {
                at = at.max(mask.end);
            }
            at = at.max(part.end);
        } else if let Some(mask) = masks.next_if(|mask| mask.start <= at) {
            clean.push_str(MASK);
            at = mask.end;
        } else {
            let starts = [
                hidden.peek().map(|part| part.start),
                masks.peek().map(|mask| mask.start),
            ];
            let next = starts.into_iter().flatten().min().unwrap_or(whole.len());
            clean.push_str(&whole[at..next]);
            at = next;
        }
    }
    Cow::Owned(clean)
}

fn whole_of(text: &str) -> Range<usize> {
    0..text.len()
}

fn write(values: &RwLock<Values>) -> RwLockWriteGuard<'_, Values> {
    values.write().unwrap_or_else(PoisonError::into_inner)
}

fn read(values: &RwLock<Values>) -> RwLockReadGuard<'_, Values> {
    values.read().unwrap_or_else(PoisonError::into_inner)
}

/// Cuts the [`Excerpt`]s of a text that can hold no secret; masks nothing.
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    Scrubber::default().scrub_name(text)
}

#[cfg(test)]
mod tests;
