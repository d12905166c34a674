//! Judges steps next to a snapshot by its golden, which is all that a fresh clone has in place of recordings.
//!
//! A golden is one screen of a run, and the steps of that run are not known. So a missing element is a doubt,
//! never a break. It judges only steps that certainly ran on this screen: those next to the snapshot with no
//! input between.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::finding::{Finding, FindingKind, RehearsalResult};
use super::steps::{StepKind, kind, place};
use crate::PlannedCase;
use crate::settings::golden_folder;
use runner_config::Config;
use runner_flow::maestro::MaestroCommand;
use runner_flow::{Flow, SelectorRole, SelectorUse, Step, StepAction, WrittenSelector};
use runner_screen::selector::Purpose;
use runner_snapshot::{FileKind, GoldenKey, GoldenScreen, SnapshotError, Store};
use runner_tools::Rehearsal;

/// Near misses in a finding, as many as in a run's failure.
const MAX_MISSES: usize = 3;

/// Golden that a snapshot of the flow is compared with.
struct StoredGolden {
    path: Utf8PathBuf,
    read: GoldenScreen,
}

/// Looks up the selectors of the steps next to each snapshot on its golden. Without goldens the result is
/// empty, and no error.
///
/// # Errors
/// The folder of goldens cannot be read.
pub(super) fn judge_on_goldens(
    config: &Config,
    case: &PlannedCase,
) -> Result<RehearsalResult, SnapshotError> {
    let mut judge = GoldenJudge {
        goldens: stored_goldens(config, case)?,
        result: RehearsalResult::default(),
    };
    if !judge.goldens.is_empty() {
        judge.flow(&case.flow);
    }
    Ok(judge.result)
}

/// Returns the goldens of a case by file and position of their snapshot: the first accepted rows of its
/// variant, of any render class. Goldens that cannot be read, and those of unnamed places, are left out.
fn stored_goldens(
    config: &Config,
    case: &PlannedCase,
) -> Result<HashMap<(Utf8PathBuf, usize), StoredGolden>, SnapshotError> {
    let mut goldens = HashMap::new();
    let uses = runner_flow::goldens(&case.flow);
    if uses.is_empty() {
        return Ok(goldens);
    }
    let mut folder = golden_folder(&config.flows.value, &case.flow.key);
    let row = case.case.as_ref().and_then(|case| case.row.as_ref());
    folder.extend(row.map(|row| row.name.as_str()));
    let combination = case.case.as_ref();
    let combination = combination.and_then(|case| case.combination.as_ref());
    let variant = combination.map(|combination| combination.variant());
    let store = config.store();
    // Only the folders that this flow names: to list all of them for each flow takes the square of their number.
    let mut listed = BTreeMap::new();
    for golden in uses {
        let path = folder.join(&golden.path);
        let parent = path.parent().unwrap_or(Utf8Path::new(""));
        let files = match listed.entry(parent.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(vacant) => vacant.insert(store.files_of(parent)?),
        };
        let file = files.iter().find(|(key, kind, is_pending)| {
            !is_pending
                && *kind == FileKind::Rows
                && key.class().is_some()
                && key.variant() == variant.as_deref()
                && is_at(key, &path)
        });
        if let Some((key, ..)) = file
            && let Some((source, span)) = golden.snapshot()
            && let Some(stored) = read(&store, key)
        {
            goldens.insert((source.path.clone(), span.start), stored);
        }
    }
    Ok(goldens)
}

fn is_at(key: &GoldenKey, path: &Utf8Path) -> bool {
    key.flow().join(key.name().as_str()) == path
}

/// Reads a golden. Returns none for one that is damaged or was not downloaded: the snapshot itself reports
/// that.
fn read(store: &Store, key: &GoldenKey) -> Option<StoredGolden> {
    let rows = store.load(key).ok()?.rows?;
    let read = GoldenScreen::read(&rows).ok()??;
    let path = store.path(key, FileKind::Rows, false);
    Some(StoredGolden { path, read })
}

struct GoldenJudge {
    goldens: HashMap<(Utf8PathBuf, usize), StoredGolden>,
    result: RehearsalResult,
}

impl GoldenJudge {
    fn flow(&mut self, flow: &Flow) {
        for steps in flow.step_lists() {
            self.steps(steps);
        }
    }

    /// Judges the neighbours of each snapshot, in nested steps and sub-flows too. A golden is used once, by the
    /// first step that takes it. A snapshot with a `when` uses it up without a judgement.
    fn steps(&mut self, steps: &[Step]) {
        for (number, step) in steps.iter().enumerate() {
            if let Some(golden) = self.goldens.remove(&place(step)) {
                // A snapshot with a condition may be of another screen.
                if step.modifiers.when.is_none() {
                    self.judge_neighbours(&golden, &steps[..number], &steps[number + 1..]);
                }
            }
            for steps in step.action.lists() {
                self.steps(steps);
            }
            if let Some(flow) = step.action.sub_flow() {
                self.flow(flow);
            }
        }
    }

    /// Judges the steps before and after a snapshot: backwards as long as they only look, forwards up to the next input
    /// and including it. Stops at another snapshot, and at a step that may run on another screen. Steps that only ask
    /// something are passed over forwards, and end it backwards.
    fn judge_neighbours(&mut self, golden: &StoredGolden, before: &[Step], after: &[Step]) {
        for step in before.iter().rev() {
            if kind(step) != StepKind::Looks || !self.judge_step(golden, step) {
                break;
            }
        }
        for step in after {
            let is_judged = match kind(step) {
                StepKind::Looks | StepKind::Inputs => self.judge_step(golden, step),
                StepKind::Asks => !matches!(step.action, StepAction::Snapshot(_)),
                StepKind::Control | StepKind::Acts => false,
            };
            if !is_judged || kind(step) == StepKind::Inputs {
                break;
            }
        }
    }

    /// Judges a step, with a finding for each needed selector that matches nothing on the golden. Returns
    /// false, without a finding, if it may run on another screen: it has a `when` or waits. Selectors that
    /// the golden cannot answer are left out: other than by id on one with masks, and those that need
    /// nesting.
    fn judge_step(&mut self, golden: &StoredGolden, step: &Step) -> bool {
        if step.modifiers.when.is_some() || waits(step) {
            return false;
        }
        let uses = runner_flow::step_selectors(step);
        let needed = |used: &&SelectorUse| used.role == SelectorRole::Needed;
        let mut is_judged = false;
        for used in uses.iter().filter(needed) {
            let is_unknown = golden.read.has_masks && !is_id_alone(used);
            if is_unknown || used.selector.asks_for_nesting() {
                continue;
            }
            is_judged = true;
            if used.selector.find(&golden.read.screen).is_empty() {
                let finding = not_on_golden(golden, step, used);
                self.result.findings.push(finding);
            }
        }
        self.result.judged += usize::from(is_judged);
        true
    }
}

/// Returns true for a step that waits for another screen, such as a scroll to an element.
fn waits(step: &Step) -> bool {
    match &step.action {
        StepAction::Call { entry, .. } => entry.rehearsal == Rehearsal::Later,
        StepAction::Maestro(command) => matches!(
            **command,
            MaestroCommand::ScrollUntilVisible(_) | MaestroCommand::ExtendedWaitUntil { .. }
        ),
        _ => false,
    }
}

/// Returns true if the selector uses nothing but an id: masks and redactions do not change ids.
fn is_id_alone(used: &SelectorUse) -> bool {
    match &used.selector {
        WrittenSelector::Own(selector) => {
            let value = selector.to_value();
            let keys = value.as_object().map(|keys| keys.keys());
            keys.is_some_and(|mut keys| keys.all(|key| key == "id"))
        }
        WrittenSelector::Maestro(selector) => {
            selector.id.is_some() && used.values.iter().all(|(property, _)| *property == "id")
        }
    }
}

/// Returns the finding, a doubt and no break, for a selector that matches nothing on the golden, with at most three
/// near misses and the golden's path.
fn not_on_golden(golden: &StoredGolden, step: &Step, used: &SelectorUse) -> Finding {
    let purpose = match kind(step) {
        StepKind::Inputs => Purpose::Action,
        _ => Purpose::Assertion,
    };
    let screen = &golden.read.screen;
    let told = |why: &str, write: &str| format!("near miss: {why}; write {write}");
    let mut details: Vec<String> = match &used.selector {
        WrittenSelector::Own(selector) => {
            let misses = selector.near_misses(screen, MAX_MISSES, purpose);
            let misses = misses
                .iter()
                .map(|miss| told(&miss.why, &miss.selector.to_string()));
            misses.collect()
        }
        WrittenSelector::Maestro(selector) => {
            let misses = selector.near_misses(screen, MAX_MISSES, purpose);
            let misses = misses.iter().map(|miss| told(&miss.why, &miss.write));
            misses.collect()
        }
    };
    details.push(format!("golden {}", golden.path));
    Finding {
        kind: FindingKind::NotRecorded,
        source: Arc::clone(&step.source),
        span: step.span.clone(),
        message: format!(
            "{} matches nothing on the golden of the snapshot beside it: {}",
            super::judge::quoted(&step.title),
            used.selector
        ),
        details,
    }
}
