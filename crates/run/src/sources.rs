//! Emits the files of flows for reports: each once, before an event that names a place in it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use camino::Utf8PathBuf;

use super::Plan;
use super::emit::Emitter;
use super::secrets::{self, WrittenSecret};
use runner_event::{EventKind, SourceLocation};
use runner_flow::{Flow, Step};
use runner_recording::FileDigest;
use runner_text::diagnostic::Source;
use runner_text::secret::{MASK, Scrubber};

/// Files that were emitted already.
#[derive(Debug, Default)]
pub(super) struct Sources {
    emitted: Mutex<HashSet<Utf8PathBuf>>,
}

/// Masks the secrets that are written out in any flow of the plan, and in the steps around each device: another flow may
/// show the same text earlier, and a file is emitted whole before its steps have run.
pub(super) fn hide_written(plan: &Plan, of_project: &[String], scrubber: &Scrubber) {
    let on_device = plan.device_setup.iter().chain(&plan.device_teardown);
    for flow in plan.flows().chain(on_device) {
        hide_written_in(flow, of_project, scrubber);
    }
}

/// Masks the secrets that are written out in a flow and its sub-flows. `of_project` are the names that are secret
/// everywhere.
pub(super) fn hide_written_in(flow: &Flow, of_project: &[String], scrubber: &Scrubber) {
    for secret in secrets::written(flow, of_project) {
        scrubber.add(&secret.value);
        if let Some(spelling) = spelling(&secret) {
            scrubber.add(spelling);
        }
    }
}

/// Returns the spelling of a secret in its file, without quotes, where that is not its value, as with `\u0041` and
/// `1.10`: events show the line of a step. `None` for a spelling of several lines.
fn spelling<'a>(secret: &WrittenSecret<'a>) -> Option<&'a str> {
    let written = secret.source.text.get(secret.span.clone())?;
    // The value of a number may be a shorter text within it.
    let is_number = written.parse::<f64>().is_ok() && *written != *secret.value;
    let is_other = !written.contains(&*secret.value) && !written.contains('\n');
    let is_other = is_other || is_number;
    is_other.then(|| written.trim_matches(['"', '\'']))
}

impl Sources {
    /// Emits the files of a flow and its sub-flows that were not emitted yet in this run, with their secrets masked.
    /// Blocks the thread while another device emits files.
    pub(super) fn emit(&self, flow: &Flow, of_project: &[String], emitter: &Emitter) {
        // Locked until the files are emitted, so that another device with the same flow waits for them.
        let mut reported = self.emitted.lock().unwrap_or_else(PoisonError::into_inner);
        let files = files(flow);
        if files.iter().all(|file| reported.contains(&file.path)) {
            return;
        }
        let secrets = secrets::written(flow, of_project);
        for file in files {
            if reported.insert(file.path.clone()) {
                emitter.emit(EventKind::Source {
                    file: file.path.clone(),
                    text: readable(file, &secrets),
                });
            }
        }
    }
}

/// Returns the files that a flow and its sub-flows were read from, each once, with the hash of the text.
pub(super) fn digests(flow: &Flow) -> Vec<FileDigest> {
    let mut digests: Vec<FileDigest> = Vec::new();
    for file in files(flow) {
        if digests.iter().all(|known| known.file != file.path) {
            digests.push(FileDigest {
                file: file.path.clone(),
                digest: runner_base::files::hash(file.text.as_bytes()),
            });
        }
    }
    digests
}

/// Returns the files of a flow and its sub-flows, the flow's own first. Some may occur more than once.
fn files(flow: &Flow) -> Vec<&Arc<Source>> {
    let mut found = vec![&flow.source];
    for steps in flow.step_lists() {
        add_step_files(steps, &mut found);
    }
    found
}

/// Adds the files of all sub-flows that these steps run, at any depth.
fn add_step_files<'a>(steps: &'a [Step], found: &mut Vec<&'a Arc<Source>>) {
    for step in steps {
        found.extend(
            step.action
                .sub_flow()
                .into_iter()
                .flat_map(|flow| files(flow)),
        );
        for steps in step.action.lists() {
            add_step_files(steps, found);
        }
    }
}

/// Returns the place of an offset in a file of the flow, also one of its data. Its line has the secrets blanked whose
/// spelling is not their value, as the emitted file has. `of_project` are the names that are secret everywhere.
pub(super) fn locate(
    flow: &Flow,
    of_project: &[String],
    source: &Arc<Source>,
    offset: usize,
) -> SourceLocation {
    let place = SourceLocation::from_offset(source, offset);
    let text = readable(source, &secrets::written(flow, of_project));
    let line = text.lines().nth(place.line.saturating_sub(1));
    SourceLocation {
        text: line.unwrap_or_default().to_owned(),
        ..place
    }
}

/// Returns the text of a file with the places of secrets blanked whose spelling is not their value. The
/// number of lines stays.
///
/// The emitter's scrubber masks the others, as it finds a value only in its exact spelling. YAML may fold,
/// escape or indent it.
fn readable(file: &Arc<Source>, secrets: &[WrittenSecret]) -> String {
    let mut text = file.text.clone();
    let mut spans: Vec<_> = secrets
        .iter()
        .filter(|secret| secret.source.path == file.path)
        .filter(|secret| {
            text.get(secret.span.clone())
                .is_some_and(|written| !written.contains(&*secret.value))
        })
        .map(|secret| secret.span.clone())
        .collect();
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup();
    // From the end, so that earlier offsets stay valid.
    for span in spans.into_iter().rev() {
        let Some(written) = text.get(span.clone()) else {
            continue;
        };
        let ends = written.matches('\n').count();
        let blank = format!("{MASK}{}", "\n".repeat(ends));
        text.replace_range(span, &blank);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blanked(text: &str, secrets: &[(&str, &str)]) -> String {
        let file = Arc::new(Source {
            path: "a.yaml".into(),
            text: text.to_owned(),
        });
        let spans: Vec<_> = secrets
            .iter()
            .map(|(written, _)| {
                let start = text.find(written).unwrap();
                start..start + written.len()
            })
            .collect();
        let secrets: Vec<WrittenSecret> = secrets
            .iter()
            .zip(&spans)
            .map(|((_, value), span)| WrittenSecret {
                value: (*value).into(),
                source: &file,
                span,
            })
            .collect();
        readable(&file, &secrets)
    }

    #[test]
    fn a_spelling_that_is_not_the_value_is_known() {
        for (written, value, expected) in [
            ("hunter2", "hunter2", None),
            ("\"hunter2\"", "hunter2", None),
            ("\"\\u0068unter2\"", "hunter2", Some("\\u0068unter2")),
            ("'it''s'", "it's", Some("it''s")),
            ("1.10", "1.1", Some("1.10")),
            ("1.1", "1.1", None),
            ("+49151", "49151", Some("+49151")),
            ("|\n  one\n  two\n", "one\ntwo\n", None),
        ] {
            let file = Arc::new(Source {
                path: "a.yaml".into(),
                text: written.to_owned(),
            });
            let secret = WrittenSecret {
                value: value.into(),
                source: &file,
                span: &(0..written.len()),
            };
            assert_eq!(spelling(&secret), expected, "{written}");
        }
    }

    proptest::proptest! {
        /// A step shows the number as the file has it.
        #[test]
        fn a_secret_number_is_masked_as_it_is_written(
            written in "[+-]?[1-9][0-9]{3,17}(\\.[0-9]{1,9})?([eE][+-]?[0-9])?",
            is_in_list in proptest::bool::ANY,
        ) {
            let value = if is_in_list { format!("[ {written}, a ]") } else { written.clone() };
            let step = format!("set: {{ S: {value} }}");
            let text = format!("secrets: [ S ]\nsteps:\n  - {step}\n");
            let options = runner_flow::ReadOptions::default();
            let (flow, wrong) = runner_flow::read_text("flows/a.yaml".into(), text, &options);
            proptest::prop_assert!(flow.is_some(), "{wrong:?}");
            if let Some(flow) = flow {
                let scrubber = Scrubber::default();
                hide_written_in(&flow, &[], &scrubber);
                let expected = step.replace(&written, MASK);
                let masked = scrubber.scrub(&step).into_owned();
                proptest::prop_assert_eq!(masked.replace("+***", MASK), expected);
            }
        }
    }

    #[test]
    fn a_secret_is_blanked_however_it_is_spelt() {
        for (text, secrets, expected) in [
            ("P: hunter2\n", vec![("hunter2", "hunter2")], "P: hunter2\n"),
            (
                "P: 'it''s'\nQ: 1\n",
                vec![("'it''s'", "it's")],
                "P: ***\nQ: 1\n",
            ),
            (
                "P: |\n  one\n  two\nQ: \"\\x41b\"\n",
                vec![("|\n  one\n  two\n", "one\ntwo\n"), ("\"\\x41b\"", "Ab")],
                "P: ***\n\n\nQ: ***\n",
            ),
        ] {
            let blanked = blanked(text, &secrets);
            assert_eq!(blanked, expected);
            assert_eq!(blanked.lines().count(), text.lines().count());
        }
    }
}
