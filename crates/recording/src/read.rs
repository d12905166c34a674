//! Reads a recording's file within limits. The file of a killed run counts up to its last complete line.

use std::io::{BufRead, BufReader, Read, Take};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use flate2::read::GzDecoder;

use super::format::{Head, Line, LookLine, StepEndLine, StepLine, VERSION};
use super::recording::{Act, FoundElement, Look, RecordedStep, Recording};
use runner_event::StepStatus;
use runner_screen::NodeIndex;
use runner_text::input_file::{InputError, open_regular};

/// Chosen: compressed bytes of a file. A recording of 2,000 screens of a real app takes less than a tenth.
const MAX_PACKED: u64 = 64 << 20;
/// Chosen: uncompressed bytes of a file. A small file may unpack to any size.
const MAX_UNPACKED: u64 = 512 << 20;
/// Chosen: bytes of a line, as many as a trace's dump may have.
const MAX_LINE: u64 = 64 << 20;
/// Chosen: looks, acts and steps of one recording. The writer stores fewer.
const MAX_ENTRIES: usize = 50_000;

#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be opened, is no regular file or has more than 64 MiB.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The file is no recording, or its first line is damaged.
    #[error("{path} is no recording of a run: {why}")]
    Foreign { path: Utf8PathBuf, why: String },
    /// A newer program wrote it.
    #[error(
        "{path} has the version {version} of the format, and this program reads {VERSION}: use a newer runner"
    )]
    Newer { path: Utf8PathBuf, version: u32 },
}

/// Reads a recording. Of a file that is cut off or damaged it returns the part before.
///
/// # Errors
/// [`ReadError`]: the file is no recording, is that of a newer version, or cannot be read.
pub fn read(path: &Utf8Path) -> Result<Recording, ReadError> {
    let file = open_regular(path, MAX_PACKED)?;
    read_from(file, path)
}

/// Reads a recording from compressed bytes. `path` only names it in errors. The `End` line ends it, and so does the
/// first line that is cut off, damaged or not fitting, or a limit; the part before is returned. Steps that are open
/// then have no status, and the looks and acts up to there.
///
/// # Errors
/// [`ReadError::Newer`] for the format of a newer version; [`ReadError::Foreign`] if there is no first line, it does
/// not unpack or it is not that of a recording.
pub(crate) fn read_from(packed: impl Read, path: &Utf8Path) -> Result<Recording, ReadError> {
    let foreign = |why: &dyn std::fmt::Display| ReadError::Foreign {
        path: path.to_owned(),
        why: why.to_string(),
    };
    let mut lines = BufReader::new(GzDecoder::new(packed)).take(MAX_UNPACKED);
    let first = next_line(&mut lines).map_err(|error| foreign(&error))?;
    // The version is read first, as a newer format may have another head.
    let version = first
        .as_deref()
        .and_then(|line| serde_json::from_slice::<serde_json::Value>(line).ok())
        .and_then(|line| line.pointer("/recording/version")?.as_u64());
    match version {
        Some(version) if version > u64::from(VERSION) => {
            return Err(ReadError::Newer {
                path: path.to_owned(),
                version: u32::try_from(version).unwrap_or(u32::MAX),
            });
        }
        Some(_) => {}
        None => return Err(foreign(&"its first line says no version")),
    }
    let head = match serde_json::from_slice(&first.unwrap_or_default()) {
        Ok(Line::Recording(head)) => head,
        Ok(_) => return Err(foreign(&"its first line is another")),
        Err(error) => return Err(foreign(&error)),
    };
    let mut builder = Builder::new(*head);
    // The first incomplete or damaged line ends the recording; the part before stays valid.
    while let Ok(Some(line)) = next_line(&mut lines) {
        let Ok(line) = serde_json::from_slice(&line) else {
            break;
        };
        if !builder.add(line) {
            break;
        }
    }
    while builder.close_step().is_some() {}
    Ok(builder.recording)
}

/// Returns the next line with its line end; `None` at the end, also if the last line is cut off or longer than
/// `MAX_LINE`.
fn next_line(lines: &mut Take<impl BufRead>) -> std::io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    lines.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
    Ok(line.ends_with(b"\n").then_some(line))
}

struct Builder {
    recording: Recording,
    /// Indices of the looks that [`Line::Look`] lines made.
    dumps: Vec<usize>,
    /// Indices of the steps that have not ended, outermost first.
    open: Vec<usize>,
}

impl Builder {
    /// Begins a recording that has a head and nothing else, as of a run that was killed at once.
    fn new(head: Head) -> Self {
        Self {
            recording: Recording {
                head,
                end: None,
                looks: Vec::new(),
                acts: Vec::new(),
                steps: Vec::new(),
            },
            dumps: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Adds a line. Returns false if no line may follow: after the end, which is stored, or if the line cannot be
    /// added: at the limit, at a second head, or at an `Again` that refers to an unknown look. A match without an
    /// open step or a look, and `Still` before the first look, are ignored.
    fn add(&mut self, line: Line) -> bool {
        let all = &self.recording;
        if all.looks.len() + all.acts.len() + all.steps.len() >= MAX_ENTRIES {
            return false;
        }
        match line {
            Line::Recording(_) => return false,
            Line::Step(step) => self.begin_step(step),
            Line::Look(look) => self.add_look(look),
            Line::Again { ms, look } => {
                let Some(place) = self.dumps.get(look) else {
                    return false;
                };
                let dump = Arc::clone(&self.recording.looks[*place].dump);
                self.push_look(ms, dump);
            }
            Line::Still(ms) => {
                if let Some(last) = self.recording.looks.last_mut() {
                    last.until_ms = last.until_ms.max(ms);
                }
            }
            Line::Act(act) => {
                let act = Act {
                    ms: act.ms,
                    step: self.open.last().copied(),
                    looks: act
                        .looks
                        .unwrap_or(usize::MAX)
                        .min(self.recording.looks.len()),
                    inputs: act.inputs,
                };
                self.recording.acts.push(act);
            }
            Line::Found(found) => {
                let look = self.recording.looks.len().checked_sub(1);
                let step = self.open.last().copied();
                if let (Some(look), Some(step)) = (look, step) {
                    self.recording.steps[step].found = Some(FoundElement {
                        look,
                        node: NodeIndex(found.node),
                        matches: found.matches,
                    });
                }
            }
            Line::Done(done) => self.end_step(done),
            Line::End(end) => {
                self.recording.end = Some(end);
                return false;
            }
        }
        true
    }

    fn add_look(&mut self, look: LookLine) {
        self.dumps.push(self.recording.looks.len());
        self.push_look(look.ms, Arc::new((look.dump, look.around)));
    }

    /// Adds a look that begins and ends at `ms`. A later `Still` makes it longer. Limits are not checked here.
    fn push_look(&mut self, ms: u64, dump: Arc<(String, super::LookContext)>) {
        self.recording.looks.push(Look {
            ms,
            until_ms: ms,
            dump,
        });
    }

    /// Begins a step. Open steps that do not hold it were cut off, as by the flow's timeout before `teardown`: they end
    /// here, without a status. The innermost of the others, if any, is marked as one that holds steps. Until its end the
    /// new step has no status and no duration.
    fn begin_step(&mut self, step: StepLine) {
        while let Some(outer) = self.open.last() {
            let outer = &mut self.recording.steps[*outer];
            if outer.path.leads_to(&step.path) && outer.path != step.path {
                outer.has_steps = true;
                break;
            }
            self.close_step();
        }
        self.open.push(self.recording.steps.len());
        let acts = self.recording.acts.len();
        self.recording.steps.push(RecordedStep {
            path: step.path,
            title: step.title,
            at: step.at,
            ms: step.ms,
            status: None,
            until_ms: step.ms,
            value: serde_json::Value::Null,
            found: None,
            has_steps: false,
            looks: self.recording.looks.len(),
            acts: acts..acts,
        });
    }

    /// Ends the open step of the path, or without one the step begun last: sets its status, time, value, looks and acts.
    /// Open steps inside it were cut off, as by its own timeout. They end without a status, or as optional ones if the
    /// flow went on. Ignores an end of a step that is not open.
    fn end_step(&mut self, done: StepEndLine) {
        if let Some(path) = &done.path {
            let steps = &self.recording.steps;
            let is_it = |place: &usize| steps[*place].path == *path;
            let Some(at) = self.open.iter().rposition(is_it) else {
                return;
            };
            while self.open.len() > at + 1 {
                let status = Some(done.status).filter(|status| *status == StepStatus::Warned);
                if let Some(cut_off) = self.close_step() {
                    cut_off.status = status;
                    cut_off.until_ms = done.ms;
                }
            }
        }
        if let Some(step) = self.close_step() {
            step.status = Some(done.status);
            step.until_ms = done.ms;
            step.value = done.value;
        }
    }

    /// Gives the innermost open step the looks and acts so far, and returns it. It is open no more. `None` if no step
    /// is open.
    fn close_step(&mut self) -> Option<&mut RecordedStep> {
        let place = self.open.pop()?;
        let (looks, acts) = (self.recording.looks.len(), self.recording.acts.len());
        let step = &mut self.recording.steps[place];
        step.looks = looks;
        step.acts.end = acts;
        Some(step)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn head() -> Value {
        json!({ "recording": {
            "version": 1, "run": "r", "started": "2026-11-29T10:00:00+01:00", "program": "0.1.0",
            "id": { "flow": "flows/a.yaml", "device": "virtual", "attempt": 1 },
            "device": { "serial": "virtual", "model": "m", "manufacturer": "", "release": "15", "sdk": 35,
                "display": { "width": 100, "height": 200, "density": 160, "rotation": 0 },
                "locale": "en-US", "dark": false, "font_scale_percent": 100, "emulator": false, "virtual_device": true },
            "files": [],
        }})
    }

    fn lines() -> Vec<Value> {
        let at = json!({ "file": "flows/a.yaml", "line": 2, "column": 5 });
        let dump = |text: &str| {
            format!(
                "<hierarchy rotation=\"0\"><node class=\"a.B\" text=\"{text}\" bounds=\"[0,0][50,50]\"/></hierarchy>"
            )
        };
        vec![
            head(),
            json!({ "step": { "ms": 1, "path": [0], "title": "group", "at": at } }),
            json!({ "step": { "ms": 1, "path": [0, "group", 0], "title": "click: One", "at": at } }),
            json!({ "look": { "ms": 2, "dump": dump("One") } }),
            json!({ "found": { "node": 0, "matches": 1 } }),
            json!({ "still": 9 }),
            json!({ "act": { "ms": 10, "inputs": [{ "tap": [5, 5] }] } }),
            json!({ "done": { "ms": 11, "status": "passed", "value": "x" } }),
            json!({ "step": { "ms": 12, "path": [0, "group", 1], "title": "launch", "at": at } }),
            json!({ "look": { "ms": 13, "dump": dump("Two") } }),
            json!({ "act": { "ms": 12, "looks": 1 } }),
            json!({ "again": { "ms": 15, "look": 0 } }),
            json!({ "done": { "ms": 16, "status": "passed" } }),
            json!({ "done": { "ms": 17, "status": "passed" } }),
            json!({ "end": { "status": "passed", "app_version": "1.2", "commit": "abc" } }),
        ]
    }

    /// Returns the lines of a step that sees a screen with one text.
    pub(crate) fn step_of(title: &str, status: &str, text: &str) -> [Value; 3] {
        let dump = format!(
            "<hierarchy rotation=\"0\"><node class=\"a.B\" text=\"{text}\" bounds=\"[0,0][50,50]\" enabled=\"true\"/></hierarchy>"
        );
        [
            json!({ "step": { "ms": 10, "path": [], "title": title, "at": { "file": "flows/a.yaml", "line": 1, "column": 5 } } }),
            json!({ "look": { "ms": 12, "dump": dump } }),
            json!({ "done": { "ms": 15, "status": status } }),
        ]
    }

    /// Returns a recording of these steps. In their file they are one a line, from line 2.
    pub(crate) fn recording(steps: &[[Value; 3]]) -> Recording {
        let mut lines = vec![head()];
        for (place, step) in steps.iter().enumerate() {
            let mut step = step.clone();
            step[0]["step"]["path"] = json!([place]);
            step[0]["step"]["at"]["line"] = json!(place + 2);
            lines.extend(step);
        }
        read(&packed(&lines)).unwrap()
    }

    fn packed(lines: &[Value]) -> Vec<u8> {
        let mut file = GzEncoder::new(Vec::new(), Compression::fast());
        for line in lines {
            writeln!(file, "{line}").unwrap();
        }
        file.finish().unwrap()
    }

    fn read(bytes: &[u8]) -> Result<Recording, ReadError> {
        read_from(bytes, Utf8Path::new("a.recording.gz"))
    }

    #[test]
    fn a_recording_reads_back() {
        let recording = read(&packed(&lines())).unwrap();
        assert!(recording.passed());
        assert_eq!(
            recording.provenance(),
            "recorded 2026-11-29 10:00 on virtual, app 1.2, commit abc"
        );
        let seen: Vec<(u64, u64)> = recording
            .looks
            .iter()
            .map(|it| (it.ms, it.until_ms))
            .collect();
        assert_eq!(seen, [(2, 9), (13, 13), (15, 15)]);
        let text = |look: usize| {
            recording.looks[look]
                .screen()
                .unwrap()
                .node(NodeIndex(0))
                .text()
                .to_owned()
        };
        assert_eq!([text(0), text(1), text(2)], ["One", "Two", "One"]);
        let [group, click, launch] = &recording.steps[..] else {
            panic!("{:?}", recording.steps);
        };
        assert!(group.has_steps && !group.acted() && click.acted() && launch.acted());
        assert_eq!(click.found.map(|it| (it.look, it.matches)), Some((0, 1)));
        assert_eq!((click.acts.clone(), launch.acts.clone()), (0..1, 1..2));
        // An act by commands began before the look that shows its effect.
        let before: Vec<usize> = recording.acts.iter().map(|act| act.looks).collect();
        assert_eq!(before, [1, 1]);
    }

    #[test]
    fn a_step_that_was_cut_off_has_what_was_seen_and_holds_no_later_step() {
        let at = json!({ "file": "flows/a.yaml", "line": 2, "column": 5 });
        let step =
            |path: Value| json!({ "step": { "ms": 1, "path": path, "title": "t", "at": at } });
        let mut lines = vec![head(), step(json!([0]))];
        lines.push(step(json!([0, "group", 0])));
        lines.extend(step_of("", "passed", "One")[1..2].iter().cloned());
        lines.push(json!({ "act": { "ms": 12 } }));
        let cut = read(&packed(&lines)).unwrap();
        lines.push(step(json!(["teardown", 0])));
        lines.extend(step_of("", "passed", "Two")[1..].iter().cloned());
        let with_teardown = read(&packed(&lines)).unwrap();
        assert_eq!(with_teardown.steps.len(), 3);
        assert_eq!(with_teardown.steps[2].acts, 1..1);
        for recording in [cut, with_teardown] {
            let [group, wait, ..] = &recording.steps[..] else {
                panic!("{:?}", recording.steps);
            };
            for step in [group, wait] {
                assert_eq!((step.status, step.looks), (None, 1));
                assert_eq!(step.acts, 0..1);
            }
            assert!(group.has_steps && !wait.has_steps);
        }
    }

    #[test]
    fn the_end_of_a_step_is_not_that_of_a_step_that_its_timeout_cut_off() {
        let at = json!({ "file": "flows/a.yaml", "line": 2, "column": 5 });
        let step =
            |path: &Value| json!({ "step": { "ms": 1, "path": path, "title": "t", "at": at } });
        let (group, inner) = (json!([0]), json!([0, "group", 0]));
        let (failed, warned) = (Some(StepStatus::Failed), Some(StepStatus::Warned));
        for (path, status, expected) in [
            (Some(&group), "failed", [failed, None]),
            (Some(&group), "warned", [warned, warned]),
            // As earlier versions wrote it.
            (None, "failed", [None, failed]),
            (Some(&json!([7])), "failed", [None, None]),
        ] {
            let mut done = json!({ "done": { "ms": 9, "status": status, "value": 5 } });
            if let Some(path) = path {
                done["done"]["path"] = path.clone();
            }
            let lines = [head(), step(&group), step(&inner), done];
            let steps = read(&packed(&lines)).unwrap().steps;
            let ended = [steps[0].status, steps[1].status];
            assert_eq!(ended, expected, "{path:?}");
            assert!(path.is_none() || steps[1].value.is_null());
        }
    }

    #[test]
    fn what_is_no_recording_says_so() {
        let mut newer = lines();
        newer[0]["recording"]["version"] = json!(2);
        let error = read(&packed(&newer)).unwrap_err().to_string();
        assert!(
            error.contains("version 2") && error.contains("newer runner"),
            "{error}"
        );
        for bytes in [
            &b""[..],
            b"flow",
            &packed(&[json!({ "end": { "status": "passed" } })]),
            &packed(&[]),
        ] {
            assert!(matches!(read(bytes), Err(ReadError::Foreign { .. })));
        }
    }

    proptest! {
        /// A file that was cut or damaged yields the part before the damage or an error, and never a step
        /// that was not written.
        #[test]
        fn damage_ends_it(cut in 0_usize..2000, flips in prop::collection::vec((0_usize..2000, any::<u8>()), 0..4)) {
            let mut bytes = packed(&lines());
            for (at, by) in flips {
                let length = bytes.len();
                bytes[at % length] ^= by;
            }
            bytes.truncate(cut);
            if let Ok(recording) = read(&bytes) {
                prop_assert!(recording.steps.len() <= 3 && recording.acts.len() <= 2);
            }
        }

        /// Lines in any order never break what a reader relies on.
        #[test]
        fn any_order_of_lines_reads(order in prop::collection::vec(1_usize..15, 0..40)) {
            let all = lines();
            let mut mixed = vec![all[0].clone()];
            mixed.extend(order.into_iter().map(|place| all[place].clone()));
            let recording = read(&packed(&mixed)).unwrap();
            for act in &recording.acts {
                prop_assert!(act.looks <= recording.looks.len());
                prop_assert!(act.step.is_none_or(|step| step < recording.steps.len()));
            }
            for step in &recording.steps {
                prop_assert!(step.acts.end <= recording.acts.len() && step.looks <= recording.looks.len());
            }
        }
    }
}
