//! Masks secrets in the parts of events: failures, snapshots, devices, traces and others.

use super::{Scrub, name};
use crate::{
    ChangedSince, Host, QuarantineNote, ScreenNames, SnapshotResult, Trace, TraceFrame, VideoPiece,
};
use runner_device::app_version::AppVersion;
use runner_device::remote::RemoteSession;
use runner_device::{DeviceInfo, Reading};
use runner_snapshot::{Areas, Cause};
use runner_text::secret::Scrubber;
use runner_tools::{Crash, Failure, SelectorPatch};

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
