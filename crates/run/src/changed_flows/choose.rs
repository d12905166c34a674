//! Reduces a plan to the flows that changed files concern.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::code::{CodeWords, decoded};
use super::place::{Placement, Places};
use super::{Addition, ChangedFiles, ChangedReport, RunAllReason};
use crate::Plan;
use runner_config::Config;
use runner_event::ChangedSince;

impl Plan {
    /// Keeps the flows that changed files concern, with all their cases, and flows that cannot be read. All flows
    /// stay if a changed file concerns all or has no known place; the report says so. No changed file leaves none but
    /// unreadable ones. `whole` is the plan of the whole project, and stays as it is. `add` is called with the
    /// changed files of the app's code that the impact map names, if there are any and not all flows run; it can only
    /// add flows.
    ///
    /// # Errors
    /// Those of `add`; the plan is as before then.
    pub fn keep_changed<E>(
        &mut self,
        config: &Config,
        whole: &Plan,
        changed: &ChangedFiles,
        add: impl FnOnce(&[Utf8PathBuf]) -> Result<Addition, E>,
    ) -> Result<ChangedReport, E> {
        let files: BTreeSet<Utf8PathBuf> = changed.files.iter().cloned().collect();
        let mut chosen = ChangedSelection::new(config, &[self, whole], &files);
        let flows: BTreeSet<Utf8PathBuf> =
            self.flows().map(|flow| flow.source.path.clone()).collect();
        let mut unknown = 0;
        if chosen.runs_all.is_none() && !chosen.code.is_empty() {
            unknown = chosen.add(&flows, &add(&chosen.code)?);
        }
        let left_out: Vec<Utf8PathBuf> = match &chosen.runs_all {
            Some(_) => Vec::new(),
            None => flows
                .iter()
                .filter(|flow| !chosen.because.contains_key(*flow))
                .cloned()
                .collect(),
        };
        let keeps = |path: &Utf8Path| left_out.binary_search_by(|it| (**it).cmp(path)).is_err();
        self.cases.retain(|case| keeps(&case.flow.source.path));
        chosen.because.retain(|flow, _| flows.contains(flow));
        let since = ChangedSince {
            reference: changed.reference.clone(),
            base: changed.base.clone(),
            files: files.len(),
            found: flows.len() + self.unreadable.len(),
            left_out: left_out.len(),
        };
        self.changed_since = Some(since.clone());
        Ok(ChangedReport {
            since,
            runs_all: chosen.runs_all,
            left_out,
            because: chosen.because,
            unknown,
        })
    }
}

/// Flows that changed files concern.
struct ChangedSelection {
    runs_all: Option<RunAllReason>,
    /// Reason why each flow runs.
    because: BTreeMap<Utf8PathBuf, String>,
    /// Changed files that the impact map names.
    code: Vec<Utf8PathBuf>,
}

impl ChangedSelection {
    /// Chooses flows of all the plans by the place of each changed file. Of several reasons for a flow the first
    /// stays: of the files in order, and of one file parts, then rules, then mentions. A shared file as the reason
    /// for all flows goes before files without a place. Flows get their own reasons even if all run.
    fn new(config: &Config, plans: &[&Plan], files: &BTreeSet<Utf8PathBuf>) -> Self {
        let places = Places::new(config, plans, files);
        let mut shared = None;
        let mut unplaced = Vec::new();
        let mut chosen = Self {
            runs_all: None,
            because: BTreeMap::new(),
            code: Vec::new(),
        };
        for file in files {
            match places.place(file) {
                Placement::Shared => shared = shared.or(Some(file.clone())),
                Placement::Unplaced => unplaced.push(file.clone()),
                Placement::Flows {
                    parts,
                    mentions,
                    mapped,
                } => {
                    for flow in parts {
                        let why = format!("{file} is a part of it");
                        chosen.because.entry(flow).or_insert(why);
                    }
                    if !mapped.is_empty() {
                        chosen.code.push(file.clone());
                    }
                    for flow in mapped {
                        let why = format!("`impact` names it for {file}");
                        chosen.because.entry(flow).or_insert(why);
                    }
                    for flow in mentions {
                        let why = format!("it mentions {file}");
                        chosen.because.entry(flow).or_insert(why);
                    }
                }
            }
        }
        chosen.runs_all = match shared {
            Some(file) => Some(RunAllReason::Shared(file)),
            None if unplaced.is_empty() => None,
            None => Some(RunAllReason::Unplaced {
                files: unplaced,
                has_map: !config.impact.rules.is_empty(),
            }),
        };
        chosen
    }

    /// Adds those of `flows` whose screens show a word of the changed code or of its paths, and those of which the
    /// history knows no screens. If the changed lines were too many to read, all of them are added. Returns the
    /// number of flows that were added without known screens. Flows that were chosen already keep their reason.
    fn add(&mut self, flows: &BTreeSet<Utf8PathBuf>, addition: &Addition) -> usize {
        let mut text = addition.lines.clone().unwrap_or_default();
        for file in &self.code {
            text.push_str(file.as_str());
            text.push('\n');
        }
        let text = decoded(&text);
        let code = CodeWords::new(&text);
        let mut unknown = 0;
        for flow in flows {
            if self.because.contains_key(flow) {
                continue;
            }
            let why = match addition.met.get(flow.as_str()) {
                None => {
                    unknown += 1;
                    "no run in the history noted what it meets".to_owned()
                }
                Some(_) if addition.lines.is_none() => {
                    "too many lines changed to look through".to_owned()
                }
                Some(met) => match met.iter().find(|name| code.mentions(name)) {
                    Some(name) => format!("it met `{name}`, which changed lines hold"),
                    None => continue,
                },
            };
            self.because.insert(flow.clone(), why);
        }
        unknown
    }
}
