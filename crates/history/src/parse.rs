//! Parses the content of a file into runs. Damaged lines are left out, all others count.

use std::collections::HashMap;

use camino::Utf8Path;
use chrono::DateTime;
use serde::Deserialize;

use super::format::{Line, MET, PLANNED, RunLine, STEPS, VERSION};
use super::past_run::{Details, PastRun, RunState};
use super::warning::{HistoryProblem, HistoryWarning};

/// Steps that are kept per flow and run. Chosen: more than any flow that people write; it bounds a damaged or
/// foreign file.
const MAX_STEPS: usize = 1000;

/// Runs of one file and at most one warning about it.
#[derive(Debug, Default)]
pub(super) struct FileRuns {
    pub runs: Vec<PastRun>,
    pub warnings: Vec<HistoryWarning>,
}

impl FileRuns {
    /// Returns no runs and one warning.
    pub fn from_problem(path: &Utf8Path, problem: HistoryProblem) -> Self {
        let warning = HistoryWarning {
            path: path.to_owned(),
            problem,
        };
        Self {
            runs: Vec::new(),
            warnings: vec![warning],
        }
    }
}

/// Parses a file. `is_locked` means that another process still writes it, so its last run goes on; otherwise
/// a last run without an end was killed. Damaged lines and runs of a newer version are skipped, with warnings
/// that name `path`.
pub(super) fn parse(
    path: &Utf8Path,
    bytes: &[u8],
    details: Details<'_>,
    is_locked: bool,
) -> FileRuns {
    let mut parser = Parser {
        details,
        runs: Vec::new(),
        current: None,
        planned: Vec::new(),
        damaged: Vec::new(),
        newer: None,
        is_skipping: false,
    };
    for (number, line) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        parser.line(number, line);
    }
    parser.end(path, is_locked)
}

struct Parser<'a> {
    details: Details<'a>,
    runs: Vec<PastRun>,
    current: Option<PastRun>,
    /// Lines with planned cases of the current run, unparsed, with their line numbers.
    planned: Vec<(usize, &'a [u8])>,
    damaged: Vec<usize>,
    newer: Option<u32>,
    /// True within a run that is skipped, because of its version or its start time.
    is_skipping: bool,
}

impl<'a> Parser<'a> {
    /// Takes a line of the file. Blank lines, and those with details that nobody wants, are skipped unparsed. Steps, at
    /// most [`MAX_STEPS`], and met names belong to the flow before them, without which they are dropped. Any line
    /// before the first run, or between the end of one and the next, is damaged; those of a skipped run are ignored.
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
            // Lines of no run are damaged; those of a skipped run are expected.
            if !self.is_skipping {
                self.damaged.push(number);
            }
            return;
        };
        match line {
            Line::Run(_) => {}
            // One that does not begin as the writer's do.
            Line::Planned(_) => {}
            Line::Flow(flow) => current.flows.push(flow),
            Line::Steps(mut steps) => {
                steps.truncate(MAX_STEPS);
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
                // What follows is of another run, also if its first line is damaged.
                self.close();
            }
        }
    }

    /// Returns true if the last `flow` line of the current run was of the flow whose steps are wanted, on
    /// any device and for any of its cases. False if no steps are wanted or no flow was read yet.
    fn wants_steps(&self) -> bool {
        let Details::StepsOf(wanted) = self.details else {
            return false;
        };
        let last = self.current.as_ref().and_then(|run| run.flows.last());
        last.is_some_and(|flow| flow.id.flow == wanted)
    }

    /// Ends the run before and begins this one. A run of a newer version is skipped with all its lines, and so is
    /// one whose start time does not parse, which counts as damaged.
    fn begin(&mut self, number: usize, run: RunLine) {
        self.close();
        self.is_skipping = run.version > VERSION;
        if self.is_skipping {
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
                // Reported once: the run's other lines are whole, but belong to no run.
                self.is_skipping = true;
            }
        }
    }

    /// Ends the current run and keeps it. Notes whether its flows were planned for any device. Parses its planned cases
    /// only if the run did not end. Does nothing without a run.
    fn close(&mut self) {
        let planned = std::mem::take(&mut self.planned);
        let Some(mut run) = self.current.take() else {
            return;
        };
        // Looks for the keys only, as most plans are not parsed. Within a JSON string the quotes would be
        // escaped.
        let names = |key: &'static [u8]| planned.iter().any(|(_, bytes)| contains(bytes, key));
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

    /// Handles a line that does not parse: a run of a newer version, which is skipped with all its lines; a line
    /// without a line end, which a kill cut off, or one of a skipped run, which are ignored; or a damaged one, whose
    /// number is kept.
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
            self.is_skipping = true;
            return;
        }
        let is_cut_off = !bytes.ends_with(b"\n");
        if !(self.is_skipping || is_cut_off && self.current.is_some()) {
            self.damaged.push(number);
        }
    }

    /// Ends the last run, which is still running if the file is locked. Gives one warning at most: a newer version
    /// is named before damage, and a file with damage and no run is foreign.
    fn end(mut self, path: &Utf8Path, is_locked: bool) -> FileRuns {
        self.close();
        if is_locked && let Some(last) = self.runs.last_mut() {
            last.state = RunState::Running;
        }
        self.damaged.sort_unstable();
        let problem = match (self.newer, self.damaged.first()) {
            (Some(found), _) => Some(HistoryProblem::Newer { found }),
            (None, Some(_)) if self.runs.is_empty() => Some(HistoryProblem::Foreign),
            (None, Some(line)) => Some(HistoryProblem::Damaged {
                line: *line,
                others: self.damaged.len() - 1,
            }),
            (None, None) => None,
        };
        let mut parsed = problem.map_or_else(FileRuns::default, |problem| {
            FileRuns::from_problem(path, problem)
        });
        parsed.runs = self.runs;
        parsed
    }
}

/// Returns true if `bytes` contains `wanted`.
fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|part| part == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_a_run_whose_first_line_is_damaged_are_not_those_of_the_run_before() {
        let run = |id: &str| {
            format!(
                r#"{{"run":{{"version":1,"id":"{id}","started":"2026-01-02T03:04:05Z","program":"0"}}}}
{{"planned":[{{"flow":"{id}.yaml"}}]}}
{{"flow":{{"of":{{"flow":"{id}.yaml"}},"outcome":"failed","ms":1}}}}
{{"end":{{"ms":1,"exit_code":1}}}}
"#
            )
        };
        let text = run("a") + &run("b").replace("\"run\"", "\"ru") + &run("c");
        let path = Utf8Path::new("all.ndjson");
        let parsed = parse(path, text.as_bytes(), Details::None, false);
        let flows = parsed.runs.iter().map(|run| {
            let flows = run.flows.iter().map(|flow| flow.id.flow.as_str());
            (run.id.as_str(), run.state, flows.collect::<Vec<_>>())
        });
        let expected = [
            ("a", RunState::Complete, vec!["a.yaml"]),
            ("c", RunState::Complete, vec!["c.yaml"]),
        ];
        assert_eq!(flows.collect::<Vec<_>>(), expected);
        let warnings = parsed.warnings.iter().map(ToString::to_string);
        let told = "history: all.ndjson: line 5 is damaged and is left out, and 3 others";
        assert_eq!(warnings.collect::<Vec<_>>(), [told]);
    }
}
