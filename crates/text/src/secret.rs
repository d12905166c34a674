//! Masks secrets, so that none reaches a terminal, a report, a log, an event or a file.
//!
//! Values are added while a flow is read and run. Every output goes through [`Scrubber::scrub`], and so does
//! each event before anyone sees it. A value is found as it is, in the escaped forms of common outputs (JSON,
//! XML, URL, YAML, shell, regular expressions, and `%s` of `input text`), with its white space as single
//! spaces, and each line of several on its own. It is not found cut in other pieces or encoded otherwise. So
//! only an [`Excerpt`] may cut a text before it is masked.

mod excerpt;
mod literals;
mod needles;
mod outside_text;
mod parts;
mod pieces;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::flow_text::escaped_text;
use super::{percent, shell};

use needles::Needles;
use pieces::Pieces;

pub use excerpt::{Excerpt, MARKS, from_outside, unmarkable};
pub use literals::{literals, sounds_secret};
pub use outside_text::OutsideText;
pub use parts::{MIN_PART, SecretParts};

pub const MASK: &str = "***";

/// Fewest characters of a secret that is masked inside of texts. Chosen: a shorter one occurs in too many
/// other words by chance. It is masked only where it is the whole value, and `lint` warns.
pub const MIN_MASKED_CHARS: usize = 4;

/// Fewest characters of a beginning of a typed secret that is masked where a word goes on behind it. Chosen: a
/// shorter one begins ordinary words.
const MIN_INNER_BEGINNING: usize = 8;

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
    /// Scrubber that outlives this one and gets each value too.
    heir: Option<Arc<Self>>,
}

/// Secret values in all forms in which an output may write them.
#[derive(Clone, Default)]
struct Values {
    /// All forms of the values that are searched for inside of texts.
    inside: Needles,
    /// Values that are compared with whole texts only, trimmed.
    full_texts: BTreeSet<String>,
    /// Short values that are searched for inside of texts until the next step.
    temporary: Needles,
    /// All forms of the values whose beginnings are searched for.
    begun: Needles,
    /// Runs of characters of the values that were typed.
    pieces: Pieces,
}

impl Values {
    /// Adds a value in all its forms. A short one is kept apart: typed, it is searched for inside of texts until the
    /// next step; declared, only as a whole text.
    fn add(&mut self, value: &str) {
        self.full_texts.insert(value.trim().to_owned());
        let spacings = spacings(value);
        let forms = spacings.iter().flat_map(|value| forms_of(value));
        if value.trim().chars().count() >= MIN_MASKED_CHARS {
            let is_long = |form: &String| form.trim().chars().count() >= MIN_MASKED_CHARS;
            forms
                .filter(is_long)
                .for_each(|form| self.inside.insert(form));
        } else {
            forms.for_each(|form| self.temporary.insert(form));
        }
    }

    /// Adds a value that was typed: what may be left of it in a field is searched for.
    fn add_edited(&mut self, value: &str) {
        self.add_begun(value);
        self.pieces.add(value);
    }

    fn add_begun(&mut self, value: &str) {
        let spacings = spacings(value);
        let forms = spacings.iter().flat_map(|value| forms_of(value));
        forms.for_each(|form| self.begun.insert(form));
    }

    /// Returns the places in `text` that may be left of a typed value, not sorted; they may overlap. A beginning counts
    /// at the start of a word; with fewer than [`MIN_INNER_BEGINNING`] characters only as far as a word ends. What a
    /// deleted middle leaves counts from that many characters on, at the start and the end of a word, as `conned` of
    /// `connected` may be an ordinary word. Runs from within a value count anywhere.
    fn remains(&self, text: &str) -> Vec<Range<usize>> {
        let begun = self.begun.beginnings(text).into_iter();
        let begun = begun
            .filter(|place| begins_word(text, place))
            .filter_map(|place| maskable_beginning(text, place));
        let left = self.begun.remains(text, |place| ends_word(text, place));
        let is_long = |place: &Range<usize>| {
            let length = text[place.clone()].chars().count();
            length >= MIN_INNER_BEGINNING && begins_word(text, place)
        };
        let left = left.into_iter().filter(is_long);
        begun.chain(left).chain(self.pieces.places(text)).collect()
    }
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

    /// Returns an empty scrubber whose values, declared or typed, are also added to `heir`. It gets none of the
    /// heir's. The global scrubber gets them too, also without an heir.
    #[must_use]
    pub fn with_heir(heir: Option<&Self>) -> Self {
        Self {
            heir: heir.cloned().map(Arc::new),
            ..Self::default()
        }
    }

    /// Adds a declared secret, to the heir and the global scrubber too. An empty or blank value is ignored, because it
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
    /// are the whole text. The heir's typed values too, but not those of the global scrubber.
    pub fn begin_step(&self) {
        write(&self.typed).temporary.clear();
        if let Some(heir) = &self.heir {
            heir.begin_step();
        }
    }

    /// Tells the value to this scrubber and to its heir, which tells it on, or without one to the global scrubber
    /// if it is in use. A blank value is ignored.
    fn remember(&self, value: &str, add: fn(&Self, &str)) {
        if value.trim().is_empty() {
            return;
        }
        let global = GLOBAL
            .get()
            .filter(|all| !Arc::ptr_eq(&all.typed, &self.typed));
        // An heir tells the global one itself.
        if let Some(next) = self.heir.as_deref().or(global) {
            next.remember(value, add);
        }
        add(self, value);
    }

    /// Returns a scrubber that shares the declared secrets and has its own, empty set of typed ones. Dropping it
    /// forgets what the attempt typed. The heir stays the same, and keeps what was typed.
    #[must_use]
    pub fn for_attempt(&self) -> Self {
        Self {
            declared: Arc::clone(&self.declared),
            typed: Arc::default(),
            heir: self.heir.clone(),
        }
    }

    /// Returns an independent copy of declared and typed secrets: values added later to one are unknown to the other. A
    /// clone shares them. The copy has no heir, but the global scrubber gets its values.
    #[must_use]
    pub fn copy(&self) -> Self {
        let own = |values: &RwLock<Values>| Arc::new(RwLock::new(read(values).clone()));
        Self {
            declared: own(&self.declared),
            typed: own(&self.typed),
            heir: None,
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

/// Sorts ranges and joins those that overlap or touch.
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

/// Returns the part of a secret's beginning that is masked: all of a long one, of a shorter one as much as ends with
/// a word. `None` if fewer than [`MIN_MASKED_CHARS`] would be masked.
fn maskable_beginning(text: &str, place: Range<usize>) -> Option<Range<usize>> {
    let begin = place.start;
    let length = |end: usize| text[begin..end].chars().count();
    if length(place.end) >= MIN_INNER_BEGINNING {
        return Some(place);
    }
    // The secret may have a space where the text has the end of its last word: `O'Neil x` in `O'Neil end`.
    let mut ends = place
        .rev()
        .map(|at| at + 1)
        .filter(|end| text.is_char_boundary(*end));
    let end = ends.find(|end| ends_word(text, &(begin..*end)))?;
    (length(end) >= MIN_MASKED_CHARS).then_some(begin..end)
}

/// Returns true if no letter, digit or `_` comes directly before or after a place.
fn is_word(text: &str, place: &Range<usize>) -> bool {
    begins_word(text, place) && ends_word(text, place)
}

/// Returns true if no letter, digit or `_` comes directly before a place. A character that ends an escape such
/// as `%20`, `%s` or `\n` does not count.
fn begins_word(text: &str, place: &Range<usize>) -> bool {
    let before = text[..place.start].chars().next_back();
    // An escape before it may end in a letter or digit: `%20word`, `%sword`, `\\nword`.
    let is_encoded = {
        let mut head = text[..place.start].chars().rev().skip(1);
        let (first, second) = (head.next(), head.next());
        matches!(first, Some('%' | '\\')) || second == Some('%')
    };
    is_encoded || !before.is_some_and(is_in_word)
}

/// Returns true if no letter, digit or `_` comes directly after a place.
fn ends_word(text: &str, place: &Range<usize>) -> bool {
    !text[place.end..].chars().next().is_some_and(is_in_word)
}

fn is_in_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
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

/// Returns `value` unchanged, with white space as one-line outputs write it, each of its lines that is long
/// enough, its words joined by spaces, and its forms in flows. The forms may be equal.
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
        // Reports print each line of a text after a margin.
        let lines = value.split(['\n', '\r']).map(str::trim);
        spacings.extend(
            lines
                .filter(|line| line.chars().count() >= MIN_MASKED_CHARS)
                .map(str::to_owned),
        );
    }
    // Messages name the words that two texts share.
    let words = value.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    if words.len() > 1 {
        spacings.push(words.join(" "));
    }
    let in_flows: Vec<String> = spacings.iter().flat_map(|it| in_flow(it)).collect();
    spacings.extend(in_flows);
    spacings
}

/// Returns the forms of `value` that a flow contains where they differ from it: with `${` escaped, and with
/// the characters of regular expressions escaped, as several tools and people do it. Returns none for a value
/// without such characters.
fn in_flow(value: &str) -> Vec<String> {
    /// Characters that everybody escapes.
    const SPECIAL: &str = r"\.+*?()|[]{}^$";
    let mut written = Vec::new();
    if value.contains("${") {
        written.push(escaped_text(value));
    }
    // The last two are those of `fancy_regex::escape` and `regex::escape`.
    for also in ["", "#", "#&-~"] {
        let mut regex = String::new();
        for character in value.chars() {
            if SPECIAL.contains(character) || also.contains(character) {
                regex.push('\\');
            }
            regex.push(character);
        }
        if regex != value {
            written.push(escaped_text(&regex));
            written.push(regex);
        }
    }
    written
}

/// Returns `value` and its escaped forms of all outputs: shells, XML, URLs, JSON, also escaped twice, and in
/// upper and lower case if it is a name. Sorted, each once, without blank ones.
fn forms_of(value: &str) -> Vec<String> {
    let spaced = value.replace(' ', "%s");
    let mut forms = vec![
        value.to_owned(),
        shell::escape_single(value),
        shell::escape_single(&spaced),
        spaced,
        value.replace('\'', "''"),
        quick_xml::escape::escape(value).into_owned(),
        quick_xml::escape::partial_escape(value).into_owned(),
        percent_encoded(value, "%20"),
        percent_encoded(value, "+"),
    ];
    // Names of keys and headers may be lower-cased or upper-cased.
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    if value.bytes().all(is_name) {
        forms.extend([value.to_ascii_uppercase(), value.to_ascii_lowercase()]);
    }
    // Escaped twice: the log and JSON quote texts that are escaped already, such as a command.
    let twice: Vec<String> = escaped(value).iter().flat_map(|it| escaped(it)).collect();
    forms.extend(forms.clone().iter().flat_map(|form| escaped(form)));
    forms.extend(twice);
    forms.extend(forms_of_servers(value));
    forms.retain(|form| !form.trim().is_empty());
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// Returns `value` as servers and browsers escape it in responses: as XML, percent-encoded and as JSON, in
/// several styles. Forms may be equal.
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

/// Escapes the characters for which `is_escaped` is true as `\uXXXX`, as JSON does, two of them above
/// U+FFFF. The digits are in lower case; all other characters stay.
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

/// Turns the two digits after each `%` into small letters; all else stays.
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

/// Returns a text as JSON and as Rust's `Debug` escape it, without the quotes, in this order.
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

/// Encodes `value` for the query of a URL: all but the unreserved characters of RFC 3986 as `%XX`, and a
/// space as `space`.
fn percent_encoded(value: &str, space: &str) -> String {
    // An encoded `%` is `%25`, so that this is always a space.
    percent::encoded(value, &[]).replace("%20", space)
}

#[cfg(test)]
mod tests;
