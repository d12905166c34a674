//! The bytes of a file as runs. Lines that do not read are left out; those around them count.

use std::collections::HashMap;

use camino::Utf8Path;
use chrono::DateTime;
use serde::Deserialize;

use super::format::{Line, MET, PLANNED, RunLine, STEPS, VERSION};
use super::read::{Details, PastRun, RunState};
use super::warning::{HistoryWarning, Trouble};

/// The most steps that are kept of a flow of a run.
const MOST_STEPS: usize = 1000;

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub runs: Vec<PastRun>,
    pub warnings: Vec<HistoryWarning>,
}

impl Parsed {
    /// Nothing, for this reason.
    pub fn trouble(path: &Utf8Path, trouble: Trouble) -> Self {
        let warning = HistoryWarning {
            path: path.to_owned(),
            trouble,
        };
        Self {
            runs: Vec::new(),
            warnings: vec![warning],
        }
    }
}

/// Parses a file. `is_going_on`: another process writes on.
pub(super) fn parse(
    path: &Utf8Path,
    bytes: &[u8],
    details: Details<'_>,
    is_going_on: bool,
) -> Parsed {
    let mut parser = Parser {
        details,
        runs: Vec::new(),
        current: None,
        planned: Vec::new(),
        damaged: Vec::new(),
        newer: None,
        is_passing_over: false,
    };
    for (number, line) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        parser.line(number, line);
    }
    parser.end(path, is_going_on)
}

struct Parser<'a> {
    details: Details<'a>,
    runs: Vec<PastRun>,
    current: Option<PastRun>,
    /// Lines of the current run that say what was planned, with their numbers.
    planned: Vec<(usize, &'a [u8])>,
    damaged: Vec<usize>,
    newer: Option<u32>,
    /// Lines of a run of a newer version.
    is_passing_over: bool,
}

impl<'a> Parser<'a> {
    fn line(&mut self, number: usize, bytes: &'a [u8]) {
        if bytes.trim_ascii().is_empty() {
            return;
        }
        if bytes.starts_with(STEPS) && !self.wants_steps() {
            return;
        }
        if bytes.starts_with(MET) && self.details != Details::Met {
            return;
        }
        if bytes.starts_with(PLANNED) && self.current.is_some() {
            self.planned.push((number, bytes));
            return;
        }
        let Ok(line) = serde_json::from_slice::<Line>(bytes) else {
            return self.unknown(number, bytes);
        };
        if let Line::Run(run) = line {
            return self.begin(number, run);
        }
        let Some(current) = &mut self.current else {
            // Whatever stands before the first run, or in one that is passed over.
            if !self.is_passing_over {
                self.damaged.push(number);
            }
            return;
        };
        match line {
            Line::Run(_) => {}
            // Before the first run, where nothing may be planned.
            Line::Planned(_) => {}
            Line::Flow(flow) => current.flows.push(flow),
            Line::Steps(mut steps) => {
                steps.truncate(MOST_STEPS);
                if let Some(at) = current.flows.len().checked_sub(1) {
                    current.steps.insert(at, steps);
                }
            }
            Line::Met(met) => {
                if let Some(at) = current.flows.len().checked_sub(1) {
                    current.met.insert(at, met);
                }
            }
            Line::End(end) => {
                current.state = RunState::Complete;
                current.fails_on_flaky = end.fail_on_flaky;
            }
        }
    }

    /// Those of the flow whose line came last.
    fn wants_steps(&self) -> bool {
        let Details::StepsOf(wanted) = self.details else {
            return false;
        };
        let last = self.current.as_ref().and_then(|run| run.flows.last());
        last.is_some_and(|flow| flow.id.flow == wanted)
    }

    fn begin(&mut self, number: usize, run: RunLine) {
        self.close();
        self.is_passing_over = run.version > VERSION;
        if self.is_passing_over {
            self.newer = Some(run.version);
            return;
        }
        match DateTime::parse_from_rfc3339(&run.started) {
            Ok(started) => {
                self.current = Some(PastRun {
                    id: run.id,
                    started,
                    state: RunState::Killed,
                    flows: Vec::new(),
                    steps: HashMap::new(),
                    met: HashMap::new(),
                    is_spread: false,
                    fails_on_flaky: false,
                    planned: Vec::new(),
                });
            }
            Err(_) => {
                self.damaged.push(number);
                // Said once: its other lines are whole, but belong to no run.
                self.is_passing_over = true;
            }
        }
    }

    /// Ends the current run. What was planned counts where the run did not end.
    fn close(&mut self) {
        let planned = std::mem::take(&mut self.planned);
        let Some(mut run) = self.current.take() else {
            return;
        };
        // Only the key is looked for: of most runs the plan is not read. In a value its quotes are escaped.
        let names = |key: &'static [u8]| planned.iter().any(|(_, bytes)| find(bytes, key));
        run.is_spread = names(br#""flow":"#) && !names(br#""device":"#);
        if run.state != RunState::Complete {
            for (number, bytes) in planned {
                match serde_json::from_slice::<Line>(bytes) {
                    Ok(Line::Planned(cases)) => run.planned.extend(cases),
                    _ if bytes.ends_with(b"\n") => self.damaged.push(number),
                    _ => {}
                }
            }
        }
        self.runs.push(run);
    }

    /// A line that does not read: of a newer version, cut off by a kill, or damaged.
    fn unknown(&mut self, number: usize, bytes: &[u8]) {
        #[derive(Deserialize)]
        struct AnyRun {
            run: AnyVersion,
        }
        #[derive(Deserialize)]
        struct AnyVersion {
            version: u32,
        }
        if let Ok(any) = serde_json::from_slice::<AnyRun>(bytes)
            && any.run.version > VERSION
        {
            self.close();
            self.newer = Some(any.run.version);
            self.is_passing_over = true;
            return;
        }
        let is_cut_off = !bytes.ends_with(b"\n");
        if !(self.is_passing_over || is_cut_off && self.current.is_some()) {
            self.damaged.push(number);
        }
    }

    fn end(mut self, path: &Utf8Path, is_going_on: bool) -> Parsed {
        self.close();
        if is_going_on && let Some(last) = self.runs.last_mut() {
            last.state = RunState::Running;
        }
        self.damaged.sort_unstable();
        let trouble = match (self.newer, self.damaged.first()) {
            (Some(found), _) => Some(Trouble::Newer { found }),
            (None, Some(_)) if self.runs.is_empty() => Some(Trouble::Foreign),
            (None, Some(line)) => Some(Trouble::Damaged {
                line: *line,
                others: self.damaged.len() - 1,
            }),
            (None, None) => None,
        };
        let mut parsed =
            trouble.map_or_else(Parsed::default, |trouble| Parsed::trouble(path, trouble));
        parsed.runs = self.runs;
        parsed
    }
}

/// Whether `bytes` holds `wanted`.
fn find(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|part| part == wanted)
}
