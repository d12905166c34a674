//! Masks secrets in events. Every type is destructured field by field, so that a new field cannot be
//! forgotten.
//!
//! What the program itself makes up stays as it is: ids, paths, times, hashes, levels, verdicts and the words
//! of the format. Names given by a flow are masked only where they contain declared secrets. All other text
//! comes from a flow, an app or a device and is masked.

mod parts;

use std::borrow::Cow;

use camino::Utf8PathBuf;

use crate::{Artifact, Event, EventKind, FlowId, RunFailure, SourceLocation};
use runner_device::Cost;
use runner_flow::CaseName;
use runner_text::secret::Scrubber;
use runner_tools::Words;

/// Masks secrets in every text of `event` that comes from a flow, an app or a device, in place. Its number and time
/// stay, and so do what the program makes up: ids, folders, labels of devices, hashes, verdicts. Names given by a flow,
/// such as its own and those of files, are masked only for declared secrets.
pub fn scrub_event(scrubber: &Scrubber, event: &mut Event) {
    let Event {
        seq: _,
        t_ms: _,
        kind,
    } = event;
    kind.scrub(scrubber);
}

/// A value that can mask the secrets in its own texts.
pub trait Scrub {
    /// Replaces all secrets in place. Run ids, numbers, folders, hashes and all else that the program makes up stay.
    fn scrub(&mut self, scrubber: &Scrubber);
}

impl Scrub for String {
    fn scrub(&mut self, scrubber: &Scrubber) {
        if let Cow::Owned(clean) = scrubber.scrub_outside(self) {
            *self = clean;
        }
    }
}

impl Scrub for Words {
    fn scrub(&mut self, scrubber: &Scrubber) {
        *self = self.scrubbed(scrubber);
    }
}

/// Masks declared secrets in a name given by a flow. Typed texts stay, as a name may contain the same word by
/// chance.
fn name(text: &mut String, scrubber: &Scrubber) {
    if let Cow::Owned(clean) = scrubber.scrub_name(text) {
        *text = clean;
    }
}

/// Masks declared secrets in the file name of a path. The folders are named by the program and stay.
fn named_file(path: &mut Utf8PathBuf, scrubber: &Scrubber) {
    let file = path.file_name().map(|file| scrubber.scrub_name(file));
    if let Some(Cow::Owned(clean)) = file {
        path.set_file_name(clean);
    }
}

impl<T: Scrub> Scrub for Option<T> {
    fn scrub(&mut self, scrubber: &Scrubber) {
        if let Some(value) = self {
            value.scrub(scrubber);
        }
    }
}

impl<T: Scrub> Scrub for Vec<T> {
    fn scrub(&mut self, scrubber: &Scrubber) {
        for value in self {
            value.scrub(scrubber);
        }
    }
}

impl<T: Scrub> Scrub for Box<T> {
    fn scrub(&mut self, scrubber: &Scrubber) {
        (**self).scrub(scrubber);
    }
}

impl Scrub for FlowId {
    /// Masks declared secrets in the name of the case. The flow's path and the device's label stay.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self {
            flow: _,
            case,
            repeat: _,
            device: _,
            attempt: _,
        } = self;
        if let Some(case) = case {
            *case = CaseName::new(&scrubber.scrub_name(case.as_str()));
        }
    }
}

impl Scrub for SourceLocation {
    /// Masks the text of the line. The file's path stays.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self {
            file: _,
            line: _,
            column: _,
            text,
        } = self;
        text.scrub(scrubber);
    }
}

impl Scrub for Artifact {
    /// Masks declared secrets in the name of the file.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self {
            kind: _,
            path,
            hash: _,
        } = self;
        named_file(path, scrubber);
    }
}

impl Scrub for EventKind {
    /// Masks the texts of the event. Labels of devices, tags and paths of flows stay. Declared secrets are masked in the
    /// package of a header's app.
    #[expect(
        clippy::too_many_lines,
        reason = "one arm an event, each field named once"
    )]
    fn scrub(&mut self, scrubber: &Scrubber) {
        match self {
            Self::Start {
                schema: _,
                run_id: _,
                version: _,
                started: _,
                root: _,
                artifacts: _,
                host,
                shard: _,
                shuffle: _,
                changed_since,
            } => {
                host.scrub(scrubber);
                changed_since.scrub(scrubber);
            }
            Self::Source { file: _, text } => text.scrub(scrubber),
            Self::Plan {
                flows,
                devices: _,
                names,
                properties,
            } => {
                for value in properties.values_mut().flat_map(|of| of.values_mut()) {
                    value.scrub(scrubber);
                }
                flows.scrub(scrubber);
                for flow_name in names.values_mut() {
                    name(flow_name, scrubber);
                }
            }
            Self::DeviceLost { label: _, message } => message.scrub(scrubber),
            Self::Device { label: _, info } => (**info).scrub(scrubber),
            Self::Unreadable {
                flow: _,
                message,
                at,
            } => {
                message.scrub(scrubber);
                at.scrub(scrubber);
            }
            Self::FlowStarted {
                id,
                name: flow_name,
                tags: _,
                app,
                properties,
                steps: _,
            } => {
                for value in properties.values_mut() {
                    value.scrub(scrubber);
                }
                id.scrub(scrubber);
                // A header may take its app from a value.
                for text in app.iter_mut().chain([flow_name]) {
                    name(text, scrubber);
                }
            }
            Self::Session { id, session } => {
                id.scrub(scrubber);
                session.scrub(scrubber);
            }
            Self::StepStarted {
                id,
                step: _,
                title,
                at,
            } => {
                id.scrub(scrubber);
                title.scrub(scrubber);
                at.scrub(scrubber);
            }
            Self::StepFinished {
                id,
                step: _,
                title,
                at,
                status: _,
                duration_ms: _,
                cost:
                    Cost {
                        round_trips: _,
                        dumps: _,
                        reused: _,
                    },
                failure,
                artifacts,
                bounds: _,
                soft: _,
            } => {
                id.scrub(scrubber);
                title.scrub(scrubber);
                at.scrub(scrubber);
                failure.scrub(scrubber);
                artifacts.scrub(scrubber);
            }
            Self::Snapshot {
                id,
                step: _,
                result,
            } => {
                id.scrub(scrubber);
                result.scrub(scrubber);
            }
            Self::Dialog {
                id,
                step: _,
                at,
                when,
                answer,
                failure,
            } => {
                id.scrub(scrubber);
                at.scrub(scrubber);
                when.scrub(scrubber);
                answer.scrub(scrubber);
                failure.scrub(scrubber);
            }
            Self::Log {
                id,
                level: _,
                message,
            } => {
                id.scrub(scrubber);
                message.scrub(scrubber);
            }
            Self::Trace { id, trace } => {
                id.scrub(scrubber);
                trace.scrub(scrubber);
            }
            Self::Video { id, pieces } => {
                id.scrub(scrubber);
                pieces.scrub(scrubber);
            }
            Self::FlowFinished {
                id,
                status: _,
                last: _,
                started: _,
                duration_ms: _,
                cost: _,
                failure,
                failed_at,
                artifacts,
                app_version,
                quarantine,
                met,
            } => {
                id.scrub(scrubber);
                failure.scrub(scrubber);
                failed_at.scrub(scrubber);
                artifacts.scrub(scrubber);
                app_version.scrub(scrubber);
                quarantine.scrub(scrubber);
                met.scrub(scrubber);
            }
            Self::Finish {
                totals: _,
                duration_ms: _,
                exit_code: _,
                because,
            } => {
                for RunFailure { kind: _, message } in because {
                    message.scrub(scrubber);
                }
            }
            Self::Stopping { because: _ } | Self::Unknown => {}
        }
    }
}

#[cfg(test)]
mod tests;
