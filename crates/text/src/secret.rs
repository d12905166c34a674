//! The one scrubber: secrets never reach a terminal, a report, a log, an event or a file.
//!
//! Values are added while a flow is read and run; every output goes through [`Scrubber::scrub`], events go through
//! one by one before anyone sees them. A value is also found in the escaped forms that outputs commonly
//! give it (JSON, XML, URL, YAML, shell, and `%s` of `input text`), with its white space as single spaces, and of several
//! lines each line; it is not found cut in other pieces or encoded otherwise. So nothing but an [`Excerpt`] is cut before.

mod excerpt;
mod literals;
mod needles;
mod parts;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use super::flow_text::escaped_text;
use super::percent;

use needles::Needles;

pub use excerpt::{Excerpt, MARKS, from_outside, unmarkable};
pub use literals::{literals, sounds_secret};
pub use parts::{MIN_PART, SecretParts};

/// What stands in the place of a secret.
pub const MASK: &str = "***";

/// A shorter secret stands in too many other places by chance: it is masked as a whole value only, and `lint` warns.
pub const SHORTEST: usize = 4;

/// Shared set of secret values. Cloning shares the set.
///
/// What is *declared* ([`Scrubber::add`]) is masked wherever it stands; a value shorter than [`SHORTEST`] only where it is
/// all of a text. What was *only typed* into a password field ([`Scrubber::add_typed`]) is known to one attempt or session,
/// and may be a word that the program itself uses: it is masked where it is all of a text, and in texts from outside
/// ([`Scrubber::scrub_outside`]) as a word by itself.
#[derive(Clone, Default)]
pub struct Scrubber {
    declared: Arc<RwLock<Values>>,
    typed: Arc<RwLock<Values>>,
}

/// Values and how they may be written.
#[derive(Clone, Default)]
struct Values {
    /// All forms of those that are looked for inside of texts.
    inside: Needles,
    /// What a whole text is compared with.
    full_texts: BTreeSet<String>,
    /// Short ones that are looked for inside of texts until the next step.
    passing: Needles,
}

impl Values {
    fn add(&mut self, value: &str) {
        self.full_texts.insert(value.trim().to_owned());
        let spacings = spacings(value);
        let forms = spacings.iter().flat_map(|value| forms_of(value));
        if value.trim().chars().count() >= SHORTEST {
            let is_long = |form: &String| form.trim().chars().count() >= SHORTEST;
            forms
                .filter(is_long)
                .for_each(|form| self.inside.insert(form));
        } else {
            forms.for_each(|form| self.passing.insert(form));
        }
    }
}

/// Says how many values there are, never which.
impl std::fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = read(&self.declared).full_texts.len() + read(&self.typed).full_texts.len();
        f.debug_struct("Scrubber")
            .field("values", &count)
            .finish_non_exhaustive()
    }
}

/// Knows every value that any scrubber got since [`Scrubber::of_process`] was first asked for.
static OF_PROCESS: OnceLock<Scrubber> = OnceLock::new();

impl Scrubber {
    /// The scrubber for what outlives runs and servers, such as a log: from its first use on it gets each value that
    /// another scrubber gets.
    pub fn of_process() -> &'static Self {
        OF_PROCESS.get_or_init(Self::default)
    }

    /// Remembers a declared secret; an empty or blank value is ignored, for it would mask everything.
    pub fn add(&self, value: &str) {
        self.remember(value, |scrubber| &scrubber.declared);
    }

    /// Remembers what was typed into a password field. Until [`Scrubber::begin_step`] a short one is masked as a longer one
    /// is: the step that types it repeats it.
    pub fn add_typed(&self, value: &str) {
        self.remember(value, |scrubber| &scrubber.typed);
    }

    /// Another step, or call, begins.
    pub fn begin_step(&self) {
        let mut typed = self.typed.write().unwrap_or_else(PoisonError::into_inner);
        typed.passing.clear();
    }

    fn remember(&self, value: &str, set: fn(&Self) -> &Arc<RwLock<Values>>) {
        if value.trim().is_empty() {
            return;
        }
        let of_process = OF_PROCESS
            .get()
            .filter(|all| !Arc::ptr_eq(set(all), set(self)));
        for scrubber in of_process.into_iter().chain([self]) {
            let mut values = set(scrubber)
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            values.add(value);
        }
    }

    /// One that shares what is declared, and forgets with the attempt what is typed in it.
    #[must_use]
    pub fn for_attempt(&self) -> Self {
        Self {
            declared: Arc::clone(&self.declared),
            typed: Arc::default(),
        }
    }

    /// One of its own with the values that are known now.
    #[must_use]
    pub fn copy(&self) -> Self {
        let own = |values: &RwLock<Values>| Arc::new(RwLock::new(read(values).clone()));
        Self {
            declared: own(&self.declared),
            typed: own(&self.typed),
        }
    }

    /// The program's own words, and names that it made: every declared secret is replaced by [`MASK`], but for short ones;
    /// then [`Excerpt`]s are cut. Secrets that touch or overlap become one mask.
    pub fn scrub_name<'a>(&self, text: &'a str) -> Cow<'a, str> {
        masked(text, |text| self.find(text))
    }

    /// A value of which nobody knows more: as a name, and where all of it is a secret.
    pub fn scrub<'a>(&self, text: &'a str) -> Cow<'a, str> {
        masked(text, |text| {
            if self.is_secret(text) {
                return Vec::from([whole_of(text)]);
            }
            self.find(text)
        })
    }

    /// What an app, a device, a server or a flow says, and what is sent to them: what was typed is masked too, as a word by
    /// itself.
    pub fn scrub_outside<'a>(&self, text: &'a str) -> Cow<'a, str> {
        masked(text, |text| {
            if self.is_secret(text) {
                return Vec::from([whole_of(text)]);
            }
            let mut found = self.find(text);
            let typed = read(&self.typed);
            let mut words = typed.inside.places(text);
            words.append(&mut typed.passing.places(text));
            words.retain(|place| is_word(text, place));
            found.append(&mut words);
            merged(found)
        })
    }

    /// Whether all of a text is a secret.
    fn is_secret(&self, text: &str) -> bool {
        let text = text.trim();
        let sets = [&self.declared, &self.typed];
        sets.iter().any(|set| read(set).full_texts.contains(text))
    }

    /// Where declared secrets stand in `text`: sorted ranges that neither overlap nor touch.
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        merged(read(&self.declared).inside.places(text))
    }

    /// Scrubs the strings inside a JSON value as what is from outside. Keys are the program's, and so is what stands at the
    /// keys `own`, such as a path.
    pub fn scrub_json(&self, value: &mut serde_json::Value, own: &[&str]) {
        map_json(value, own, &|text| {
            if let Cow::Owned(clean) = self.scrub_outside(text) {
                *text = clean;
            }
        });
    }
}

/// Changes the strings inside a JSON value but those at the keys `own`.
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

/// `text` with these places masked, and then cut where it is an excerpt.
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
            // A mask that reaches out of it hides the rest of its secret, too.
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

/// Sorted, and those that overlap or touch as one.
fn merged(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Whether no letter, digit or `_` goes on with what stands at a place.
fn is_word(text: &str, place: &Range<usize>) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    let before = text[..place.start].chars().next_back();
    let after = text[place.end..].chars().next();
    // What is encoded before it ends in a letter: `%20word`, `%sword`, `\\nword`.
    let is_encoded = {
        let mut head = text[..place.start].chars().rev().skip(1);
        let (first, second) = (head.next(), head.next());
        matches!(first, Some('%' | '\\')) || second == Some('%')
    };
    !after.is_some_and(goes_on) && (is_encoded || !before.is_some_and(goes_on))
}

fn read(values: &RwLock<Values>) -> RwLockReadGuard<'_, Values> {
    values.read().unwrap_or_else(PoisonError::into_inner)
}

/// A text that no secret can stand in, such as one for which none is known: its [`Excerpt`]s are cut.
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    Scrubber::default().scrub_name(text)
}

/// `value` as it is, with its white space as outputs on one line have it, and each of its lines.
fn spacings(value: &str) -> Vec<String> {
    let mut spacings = vec![value.to_owned()];
    if value.contains(|c: char| c.is_whitespace() && c != ' ')
        || value.trim() != value
        || value.contains("  ")
    {
        spacings.push(value.split_whitespace().collect::<Vec<_>>().join(" "));
        spacings.push(value.trim().to_owned());
        spacings.push(value.trim().replace("\r\n", "\n"));
        spacings.push(value.trim().replace(['\t', '\n', '\r'], " "));
        // As reports print the lines of a text, each after its margin.
        let lines = value.split(['\n', '\r']).map(str::trim);
        spacings.extend(
            lines
                .filter(|line| line.chars().count() >= SHORTEST)
                .map(str::to_owned),
        );
    }
    // As messages name the words that two texts share.
    let words = value.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    if words.len() > 1 {
        spacings.push(words.join(" "));
    }
    spacings.extend(in_flow(value));
    spacings
}

/// `value` as a flow writes what is no expression and no pattern.
fn in_flow(value: &str) -> Vec<String> {
    /// What `regex::escape` escapes.
    const SPECIAL: &str = r"\.+*?()|[]{}^$#&-~";
    let mut written = Vec::new();
    if value.contains("${") {
        written.push(escaped_text(value));
    }
    // A text with an asterisk is written as a regex.
    if value.contains('*') {
        let mut regex = String::new();
        for character in value.chars() {
            if SPECIAL.contains(character) {
                regex.push('\\');
            }
            regex.push(character);
        }
        written.push(escaped_text(&regex));
        written.push(regex);
    }
    written
}

/// `value` as it is and as the outputs escape it. Forms may be equal to each other.
fn forms_of(value: &str) -> Vec<String> {
    let in_shell = |text: &str| text.replace('\'', r"'\''");
    let spaced = value.replace(' ', "%s");
    let mut forms = vec![
        value.to_owned(),
        in_shell(value),
        in_shell(&spaced),
        spaced,
        value.replace('\'', "''"),
        quick_xml::escape::escape(value).into_owned(),
        quick_xml::escape::partial_escape(value).into_owned(),
        percent_encoded(value, "%20"),
        percent_encoded(value, "+"),
    ];
    // Names of keys and headers are written in one case.
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    if value.bytes().all(is_name) {
        forms.extend([value.to_ascii_uppercase(), value.to_ascii_lowercase()]);
    }
    // The log and JSON escape what is escaped already, such as a command, or a flow in a request.
    let twice: Vec<String> = escaped(value).iter().flat_map(|it| escaped(it)).collect();
    forms.extend(forms.clone().iter().flat_map(|form| escaped(form)));
    forms.extend(twice);
    forms.extend(forms_of_servers(value));
    forms.retain(|form| !form.trim().is_empty());
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// `value` as servers and browsers write it in what they answer.
fn forms_of_servers(value: &str) -> Vec<String> {
    let mut forms = Vec::new();
    let xml = quick_xml::escape::escape(value);
    forms.push(xml.replace("&apos;", "&#39;").replace("&quot;", "&#34;"));
    forms.push(xml.replace("&apos;", "&#x27;"));
    forms.push(xml.replace("&apos;", "&#39;"));
    // Python's `quote` leaves `/`, `encodeURIComponent` the others.
    for also in ["", "/", "!'()*"] {
        let encoded = percent::encoded(value, also.as_bytes());
        forms.push(lower_hexadecimals(&encoded));
        forms.push(encoded);
    }
    let json = serde_json::to_string(value).unwrap_or_default();
    let json = json.get(1..json.len().saturating_sub(1));
    let json = json.unwrap_or_default();
    let is_outside_ascii = |it: char| !it.is_ascii();
    // PHP writes `\/`, Go `\u0026`, Python and PHP what is not ASCII as `\u00f6`.
    let is_markup = |it: char| "<>&'".contains(it);
    for text in [json.to_owned(), json.replace('/', r"\/")] {
        forms.push(in_escapes(&text, is_markup));
        forms.push(in_escapes(&text, |it| "<>&".contains(it)));
        forms.push(in_escapes(&text, is_outside_ascii));
        forms.push(in_escapes(&text, |it| {
            is_outside_ascii(it) || is_markup(it)
        }));
        forms.push(text);
    }
    forms
}

/// The characters that `is_escaped` takes as `\uXXXX`, as JSON has them.
fn in_escapes(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut units = [0; 2];
    for character in text.chars() {
        if is_escaped(character) {
            for unit in character.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// A percent-encoded text with its hexadecimals in small letters.
fn lower_hexadecimals(encoded: &str) -> String {
    let mut lower = String::with_capacity(encoded.len());
    let mut left = 0;
    for character in encoded.chars() {
        left = if character == '%' {
            3
        } else {
            left - 1.min(left)
        };
        lower.push(if left > 0 {
            character.to_ascii_lowercase()
        } else {
            character
        });
    }
    lower
}

/// A text as JSON and the log quote it, without the quotes.
fn escaped(text: &str) -> Vec<String> {
    let quoted = [
        serde_json::to_string(text).unwrap_or_default(),
        format!("{text:?}"),
    ];
    let inner = quoted
        .iter()
        .filter_map(|it| it.get(1..it.len().saturating_sub(1)));
    inner.map(str::to_owned).collect()
}

/// As in the query of a URL: all but the unreserved characters of RFC 3986 as `%XX`, a space as `space`.
fn percent_encoded(value: &str, space: &str) -> String {
    // An encoded `%` is `%25`, so that this is always a space.
    percent::encoded(value, &[]).replace("%20", space)
}

#[cfg(test)]
mod tests;
