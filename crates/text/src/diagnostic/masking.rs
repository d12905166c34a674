//! Masks the secrets that stand literally in the files that diagnostics quote.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::problem::{Diagnostic, Label};
use super::source::Source;
use crate::secret::{self, Scrubber};
use crate::yaml::{self, NodeKind};

/// Most long secret values of one file that are searched for in all of it. If it has more, each is masked only where it
/// was found. Chosen: a file with more is generated, and searching it for each of them is quadratic.
const MAX_SEARCHED_VALUES: usize = 500;

/// Copy of a file in which each character of a secret is a `*`, so that lines and columns stay.
struct MaskedSource {
    original: Arc<Source>,
    source: Arc<Source>,
    /// Shifts of byte offsets, because a `*` is shorter than a character outside of ASCII: (end of a masked character
    /// in the original, bytes lost up to there), in order.
    shifts: Vec<(usize, usize)>,
    /// Secrets of this file and those known before.
    scrubber: Scrubber,
    /// Places of these secrets in the original.
    places: Vec<Range<usize>>,
}

/// Masks secrets in diagnostics: in messages and labels by `***`, in the source by a `*` for each character, and in
/// help, which people copy, by `…`. Secrets are the values in `known`, and those that a file gives to a name in
/// `names`, to one below its key `secrets` or to one that sounds secret. Values from a file count only in diagnostics
/// of that file; `known` does not get them, but [`Scrubber::global`] does. Order and number of the diagnostics stay,
/// and so do their lines and columns.
pub fn without_secrets(
    diagnostics: Vec<Diagnostic>,
    names: &[String],
    known: &Scrubber,
) -> Vec<Diagnostic> {
    let mut files: Vec<MaskedSource> = Vec::new();
    let mask = |diagnostic: Diagnostic| {
        let read = files
            .iter()
            .position(|file| Arc::ptr_eq(&file.original, &diagnostic.source));
        let place = read.unwrap_or_else(|| {
            files.push(MaskedSource::new(&diagnostic.source, names, known));
            files.len() - 1
        });
        files[place].mask(diagnostic)
    };
    diagnostics.into_iter().map(mask).collect()
}

impl MaskedSource {
    /// Creates the masking of a file: literal secrets of the names, and all that `known` masks. A short literal is
    /// masked only at its place, a longer one wherever it stands. Without secrets the source stays the same. With more
    /// than [`MAX_SEARCHED_VALUES`] different long ones, each is masked only at its place.
    fn new(source: &Arc<Source>, names: &[String], known: &Scrubber) -> Self {
        // A copy, because a literal secret of one file is not a secret in the others.
        let scrubber = known.copy();
        let names = [names, &declared(source)].concat();
        let mut places = secret::literals(&source.text, &names);
        if places.is_empty() && scrubber.find(&source.text).is_empty() {
            return Self {
                original: Arc::clone(source),
                source: Arc::clone(source),
                shifts: Vec::new(),
                scrubber,
                places,
            };
        }
        // A shorter one is masked only where it was found: by chance it is part of many other words.
        let is_long = |value: &&str| value.chars().count() >= secret::MIN_MASKED_CHARS;
        let values = places.iter().map(|place| &source.text[place.clone()]);
        let values: BTreeSet<&str> = values.filter(is_long).collect();
        for value in &values {
            scrubber.add(value);
        }
        places.extend(if values.len() <= MAX_SEARCHED_VALUES {
            scrubber.find(&source.text)
        } else {
            known.find(&source.text)
        });
        places.sort_by_key(|place| place.start);
        let (text, shifts) = starred(&source.text, &places);
        let path = source.path.clone();
        Self {
            original: Arc::clone(source),
            source: Arc::new(Source { path, text }),
            shifts,
            scrubber,
            places,
        }
    }

    /// Masks message, labels and help, and moves all spans to the masked source. Where the diagnostic's own span
    /// overlaps a long secret, its beginnings and other parts are masked in the texts too. Help gets `…` for a mask, as
    /// stars would be copied.
    fn mask(&self, diagnostic: Diagnostic) -> Diagnostic {
        let about = self.scrubber_for(&diagnostic.span);
        let scrubber = about.as_ref().unwrap_or(&self.scrubber);
        let text = |text: String| scrubber.scrub_outside(&text).into_owned();
        let span = |span: Range<usize>| self.moved(span.start)..self.moved(span.end);
        let label = |label: Label| Label {
            span: span(label.span),
            text: text(label.text),
        };
        Diagnostic {
            message: text(diagnostic.message),
            source: Arc::clone(&self.source),
            span: span(diagnostic.span),
            labels: diagnostic.labels.into_iter().map(label).collect(),
            // Stars in advice would be copied as they are.
            help: diagnostic
                .help
                .map(|help| text(help).replace(secret::MASK, "…")),
            ..diagnostic
        }
    }

    /// Returns a scrubber that also masks beginnings and other parts of the long secrets in `span`, as advice may quote
    /// them. `None` if it has none.
    fn scrubber_for(&self, span: &Range<usize>) -> Option<Scrubber> {
        let overlaps = |place: &&Range<usize>| place.start < span.end && span.start < place.end;
        let mut about = self.places.iter().filter(overlaps).peekable();
        about.peek()?;
        let scrubber = self.scrubber.copy();
        for place in about {
            scrubber.note_typed(&self.original.text[place.clone()]);
        }
        Some(scrubber)
    }

    /// Converts a byte offset of the original file to one of the masked file.
    fn moved(&self, at: usize) -> usize {
        let before = self.shifts.partition_point(|(end, _)| *end <= at);
        let shift = before.checked_sub(1).map_or(0, |last| self.shifts[last].1);
        at.saturating_sub(shift)
    }
}

/// Returns the names below the top-level key `secrets` of a file, a list or a single text. Returns none if the file
/// is not YAML or no map. Entries that are no scalars are skipped.
fn declared(source: &Arc<Source>) -> Vec<String> {
    let Some(NodeKind::Map(entries)) = yaml::read(source, &mut Vec::new()).map(|node| node.kind)
    else {
        return Vec::new();
    };
    let lists = entries.into_iter().filter(|(key, _)| key.text == "secrets");
    let names = lists.flat_map(|(_, list)| match list.kind {
        NodeKind::Sequence(names) => names,
        _ => vec![list],
    });
    names
        .filter_map(|name| Some(name.scalar()?.text.clone()))
        .collect()
}

/// Replaces each character in `places` (sorted by start, overlaps allowed) by one `*`; line ends stay. Also
/// returns the shifts of offsets, as in [`MaskedSource::shifts`], because a `*` may have fewer bytes.
fn starred(text: &str, places: &[Range<usize>]) -> (String, Vec<(usize, usize)>) {
    let mut stars = String::with_capacity(text.len());
    let (mut shifts, mut lost) = (Vec::new(), 0);
    let mut places = places.iter().peekable();
    let mut secret_until = 0;
    for (at, c) in text.char_indices() {
        while let Some(place) = places.next_if(|place| place.start <= at) {
            secret_until = secret_until.max(place.end);
        }
        if at >= secret_until || matches!(c, '\n' | '\r') {
            stars.push(c);
            continue;
        }
        stars.push('*');
        if c.len_utf8() > 1 {
            lost += c.len_utf8() - 1;
            shifts.push((at + c.len_utf8(), lost));
        }
    }
    (stars, shifts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Code, Severity, render};

    #[test]
    fn advice_that_is_a_part_of_a_secret_is_masked() {
        let text =
            "secrets: [PW]\nenv: { PW: Tr0ub4dor.3-x }\nsteps:\n- a: Tr0ub4dor.3-x\n- b: plain\n";
        let found = ["a: Tr0ub4dor.3-x", "b: plain"].map(|at| {
            let mut found = diagnostic(text, at, "`locale` is no tag; write Tr0ub4dor");
            found.help = Some("write `Tr0ub`".to_owned());
            found
        });
        let masked = without_secrets(found.into(), &[], &Scrubber::default());
        assert_eq!(masked[0].message, "`locale` is no tag; write ***");
        assert_eq!(masked[0].help.as_deref(), Some("write `…`"));
        // No secret is at its place, so the words are there by chance.
        assert_eq!(masked[1].message, "`locale` is no tag; write Tr0ub4dor");
    }

    fn diagnostic(text: &str, at: &str, message: &str) -> Diagnostic {
        let start = text.find(at).unwrap();
        Diagnostic {
            code: Code::Yaml,
            severity: Severity::Error,
            message: message.to_owned(),
            source: Arc::new(Source {
                path: "a.yaml".into(),
                text: text.to_owned(),
            }),
            span: start..start + at.len(),
            labels: Vec::new(),
            help: None,
        }
    }

    #[test]
    fn names_are_secret_however_the_list_is_written() {
        let text = "x: &names [ CODE ]\nsecrets: *names\nenv: { CODE: hunter2, bogus: 1 }\n";
        let masked = without_secrets(
            vec![diagnostic(text, "bogus", "not hunter2")],
            &[],
            &Scrubber::default(),
        );
        let display = render(&masked, false, 100);
        assert!(display.contains("CODE: *******, bogus"), "{display}");
        assert!(!display.contains("hunter2"), "{display}");
    }

    #[test]
    fn a_file_of_many_secrets_is_masked_in_no_time() {
        let lines = (0..60_000).map(|number| format!("  A{number}_KEY: val{number}\n"));
        let text = format!("env:\n{}  bogus: 1\n", lines.collect::<String>());
        let began = std::time::Instant::now();
        let masked = without_secrets(
            vec![diagnostic(&text, "A59999_KEY: val59999", "not val4711")],
            &[],
            &Scrubber::default(),
        );
        let display = render(&masked, false, 100);
        assert!(display.contains("A59999_KEY: ********"), "{display}");
        assert!(display.contains("not ***"), "{display}");
        assert!(
            began.elapsed() < std::time::Duration::from_secs(20),
            "{:?}",
            began.elapsed()
        );
    }

    #[test]
    fn a_quoted_line_keeps_its_columns_and_loses_its_secrets() {
        let text = "steps:\n  - type: { text: \"pä ss\", secret: true, bogus: 1 }\n";
        let source = Arc::new(Source {
            path: "a.yaml".into(),
            text: text.to_owned(),
        });
        let at = text.find("bogus").unwrap();
        let diagnostic = Diagnostic {
            code: Code::Yaml,
            severity: Severity::Error,
            message: "no `bogus` beside pä ss".to_owned(),
            source,
            span: at..at + 5,
            labels: Vec::new(),
            help: Some("not pä ss".to_owned()),
        };
        let before = diagnostic.line_column();
        let masked = without_secrets(vec![diagnostic], &[], &Scrubber::default());
        assert_eq!(masked[0].line_column(), before);
        let display = render(&masked, false, 100);
        assert!(
            display.contains("text: \"*****\", secret: true, bogus: 1"),
            "{display}"
        );
        assert!(display.contains("no `bogus` beside ***"), "{display}");
        assert!(!display.contains("pä"), "{display}");
        assert_eq!(masked[0].help.as_deref(), Some("not …"));
        assert_eq!(&masked[0].source.text[masked[0].span.clone()], "bogus");
    }
}
