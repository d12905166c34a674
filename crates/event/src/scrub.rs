//! Masks secrets in events. Every type is destructured field by field, so that a new field cannot be
//! forgotten.
//!
//! What the program itself makes up stays as it is: ids, paths, times, hashes, levels, verdicts and the words
//! of the format. Names given by a flow are masked only where they contain declared secrets. All other text
//! comes from a flow, an app or a device and is masked.

use std::borrow::Cow;

use camino::Utf8PathBuf;

use crate::{
    Artifact, ChangedSince, Event, EventKind, FlowId, Host, QuarantineNote, RunFailure,
    ScreenNames, SnapshotResult, SourceLocation, Trace, TraceFrame, VideoPiece,
};
use runner_device::app_version::AppVersion;
use runner_device::remote::RemoteSession;
use runner_device::{Cost, DeviceInfo, Reading};
use runner_flow::CaseName;
use runner_snapshot::{Areas, Cause};
use runner_text::secret::Scrubber;
use runner_tools::{Crash, Failure, SelectorPatch, Words};

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

impl Scrub for Failure {
    /// Masks all texts, and always removes the typo and the advice, which the details repeat. A fix or patch that
    /// would write a secret into a flow is removed.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self {
            advice,
            fixes,
            typo,
            kind: _,
            waited: _,
            is_of_device: _,
            is_of_script: _,
            is_of_missing: _,
            code: _,
            message,
            expected,
            actual,
            details,
            crash,
            patch,
            in_front,
        } = self;
        // Outputs show what was told of it, which is in the details.
        advice.clear();
        *typo = None;
        // A fix that would write a secret into a flow is not offered.
        fixes.retain(|fix| !fix.has_secret(scrubber));
        message.scrub(scrubber);
        expected.scrub(scrubber);
        actual.scrub(scrubber);
        details.scrub(scrubber);
        // As for the fixes. The evidence is masked already, so this concerns only texts that became secret later.
        if patch
            .as_ref()
            .is_some_and(|patch| scrubber.scrub_outside(&patch.to) != patch.to)
        {
            *patch = None;
        }
        if let Some(patch) = patch {
            (**patch).scrub(scrubber);
        }
        if let Some(name) = in_front {
            let mut text = name.to_string();
            text.scrub(scrubber);
            *name = text.into();
        }
        if let Some(crash) = crash {
            (**crash).scrub(scrubber);
        }
    }
}

impl Scrub for SelectorPatch {
    /// Masks both texts, the element and the reasons. The place and the property stay.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self {
            file: _,
            line: _,
            column: _,
            property: _,
            from,
            to,
            element,
            reasons,
        } = self;
        from.scrub(scrubber);
        to.scrub(scrubber);
        element.scrub(scrubber);
        reasons.scrub(scrubber);
    }
}

impl Scrub for Crash {
    /// Masks the process, the reason and the stack.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self {
            process,
            pid: _,
            reason,
            stack,
        } = self;
        process.scrub(scrubber);
        reason.scrub(scrubber);
        stack.scrub(scrubber);
    }
}

impl Scrub for SnapshotResult {
    /// Masks the changes, the cause and the names of places. The key and the pending files stay.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self {
            key: _,
            verdict: _,
            changes,
            cause,
            areas,
            pending: _,
        } = self;
        areas.scrub(scrubber);
        cause.scrub(scrubber);
        changes.scrub(scrubber);
    }
}

impl Scrub for Areas {
    /// Masks the names of the places.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self {
            golden: _,
            actual: _,
            places,
            moved: _,
            masks: _,
        } = self;
        for place in places {
            place.name.scrub(scrubber);
        }
    }
}

impl Scrub for Cause {
    /// Masks the title and the changes. The id stays.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self {
            kind: _,
            id: _,
            title,
            changes,
            more: _,
        } = self;
        title.scrub(scrubber);
        changes.scrub(scrubber);
    }
}

impl Scrub for Host {
    /// Masks the values of the facts, not their names.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self {
            os: _,
            arch: _,
            ci: _,
            facts,
        } = self;
        for (_, value) in facts {
            value.scrub(scrubber);
        }
    }
}

impl Scrub for ChangedSince {
    /// Masks declared secrets in the reference. The base, which is a hash, stays.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self {
            reference,
            base: _,
            files: _,
            found: _,
            left_out: _,
        } = self;
        name(reference, scrubber);
    }
}

impl Scrub for QuarantineNote {
    /// Masks the reason and the issue. The day stays.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self {
            because,
            until: _,
            issue,
            ended: _,
        } = self;
        because.scrub(scrubber);
        issue.scrub(scrubber);
    }
}

impl Scrub for ScreenNames {
    /// Masks the names of activities and elements, and the texts.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self {
            screens,
            ids,
            texts,
        } = self;
        screens.scrub(scrubber);
        ids.scrub(scrubber);
        texts.scrub(scrubber);
    }
}

impl<T: Scrub> Scrub for Box<T> {
    fn scrub(&mut self, scrubber: &Scrubber) {
        (**self).scrub(scrubber);
    }
}

impl Scrub for AppVersion {
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self { name, code: _ } = self;
        name.scrub(scrubber);
    }
}

impl Scrub for RemoteSession {
    /// Masks declared secrets in the id and in both links.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self {
            id,
            dashboard,
            video,
        } = self;
        name(id, scrubber);
        for link in [dashboard, video].into_iter().flatten() {
            name(link, scrubber);
        }
    }
}

impl Scrub for DeviceInfo {
    /// Masks declared secrets in serial, manufacturer, model, release and language.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self {
            serial,
            model,
            manufacturer,
            release,
            sdk: _,
            display: _,
            locale,
            dark: _,
            font_scale_percent: _,
            emulator: _,
            virtual_device: _,
            features: _,
            driver: _,
        } = self;
        for text in [serial, manufacturer] {
            name(text, scrubber);
        }
        for reading in [model, release, locale] {
            if let Reading::Said(text) = reading {
                name(text, scrubber);
            }
        }
    }
}

impl Scrub for Trace {
    /// Masks declared secrets in the names of its files. What is in the files is not read.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self {
            frames,
            acts: _,
            observed: _,
            log,
        } = self;
        for frame in frames {
            let TraceFrame {
                at_ms: _,
                step: _,
                size: _,
                screen,
                picture,
            } = frame;
            screen.scrub(scrubber);
            picture.scrub(scrubber);
        }
        log.scrub(scrubber);
    }
}

impl Scrub for VideoPiece {
    fn scrub(&mut self, scrubber: &Scrubber) {
        let Self { at_ms: _, file } = self;
        file.scrub(scrubber);
    }
}

impl Scrub for EventKind {
    /// Masks the texts of the event. Labels of devices, tags, packages and paths of flows stay.
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
                app: _,
                properties,
                steps: _,
            } => {
                for value in properties.values_mut() {
                    value.scrub(scrubber);
                }
                id.scrub(scrubber);
                name(flow_name, scrubber);
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
