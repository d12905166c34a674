//! Groups patches of the same cause: the same property changes from the same value to the same one. A group
//! lists everything that accepting it changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::Utf8PathBuf;
use runner_flow::{SelectorRole, SelectorUse, WrittenSelector};
use runner_text::diagnostic::{Source, line_column};

use crate::edit::{EditError, FileEdit, ScalarEdit, edit};
use crate::patch::Patch;
use crate::project::Project;

/// Patches of the same cause.
#[derive(Debug, Clone)]
pub struct Group {
    /// Property: `id`, `text`, `desc`, `hint`, or `any` for a selector that is only a text.
    pub property: String,
    /// Value that no longer matches.
    pub from: String,
    /// Value that matches the element now.
    pub to: String,
    /// Patches of the failed steps; at least one.
    pub patches: Vec<Patch>,
    /// All steps that the group edits, by kind, failed ones first, then by file and line.
    pub steps: Vec<GroupedStep>,
}

/// Step that a group edits.
#[derive(Debug, Clone)]
pub struct GroupedStep {
    pub kind: StepKind,
    pub source: Arc<Source>,
    /// Line of the value, from 1.
    pub line: usize,
    /// Column of the value, from 1.
    pub column: usize,
    /// The step as written, on one line.
    pub title: String,
    edit: ScalarEdit,
}

/// Reason why a step is in a group. If several apply, the first of these counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StepKind {
    Failed,
    /// It comes later in a flow that failed, and has the same selector.
    NotReached,
    /// It has the same selector but does not fail if the element is missing. With the old value it would
    /// always pass or be skipped.
    Silent,
}

/// Groups patches that change the same property from the same value to the same value. Groups are sorted by property,
/// old and new value; patches in a group keep their order. Each group also has the other steps of `project` that it
/// edits. No patches give no group.
pub fn groups(project: &Project, patches: impl IntoIterator<Item = Patch>) -> Vec<Group> {
    let mut groups: BTreeMap<[String; 3], Vec<Patch>> = BTreeMap::new();
    for patch in patches {
        let change = &patch.change;
        let cause = [&change.property, &change.from, &change.to].map(String::clone);
        groups.entry(cause).or_default().push(patch);
    }
    groups
        .into_iter()
        .map(|([property, from, to], patches)| Group {
            steps: steps(project, &patches),
            property,
            from,
            to,
            patches,
        })
        .collect()
}

impl Group {
    /// Returns the property's name for people: `text` for `any`, else the property as it is.
    pub fn property_name(&self) -> &str {
        match self.property.as_str() {
            "any" => "text",
            property => property,
        }
    }

    /// Returns the number of failed and not reached steps, and of their files. Silent steps, which would pass with
    /// the old value, are not counted, but they are edited too.
    pub fn count(&self) -> (usize, usize) {
        let needed = self
            .steps
            .iter()
            .filter(|step| step.kind != StepKind::Silent);
        let files: BTreeSet<&Utf8PathBuf> = needed.clone().map(|step| &step.source.path).collect();
        (needed.count(), files.len())
    }

    /// Returns the edited files, sorted by path, with all steps of the group; nothing is written.
    ///
    /// # Errors
    /// A step cannot be edited. Then no file is.
    pub fn edit(&self) -> Result<Vec<FileEdit>, EditError> {
        edit_together([self])
    }
}

/// Returns the files that several groups edit, sorted by path, each with its complete new text. Nothing is read or
/// written: the texts are those that the flows were parsed from. An edit that several groups share is made once.
/// Groups often edit the same file, so their edits cannot be written one after another.
///
/// # Errors
/// A step cannot be edited, or two groups give one selector different values. Then no file is edited.
pub fn edit_together<'g>(
    groups: impl IntoIterator<Item = &'g Group>,
) -> Result<Vec<FileEdit>, EditError> {
    let mut files: BTreeMap<&Utf8PathBuf, (&Arc<Source>, Vec<ScalarEdit>)> = BTreeMap::new();
    for step in groups.into_iter().flat_map(|group| &group.steps) {
        let file = files.entry(&step.source.path);
        let (_, edits) = file.or_insert_with(|| (&step.source, Vec::new()));
        edits.push(step.edit.clone());
    }
    let files = files.into_values();
    files.map(|(source, edits)| edit(source, &edits)).collect()
}

/// Formats as ``id `sign_in` → `login_button` in 14 steps of 9 flows``.
impl std::fmt::Display for Group {
    /// Formats the group in one line, with the numbers of [`Group::count`]. Values are written as they are.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (steps, files) = self.count();
        let plural = |count| if count == 1 { "" } else { "s" };
        write!(
            f,
            "{} `{}` → `{}` in {steps} step{} of {files} flow{}",
            self.property_name(),
            self.from,
            self.to,
            plural(steps),
            plural(files)
        )
    }
}

/// Lists the steps that the patches change, each once, by kind and then by place. An id is changed in later steps
/// too, and in silent uses in all flows of the app; any other property only in silent uses in its own flow. Only uses
/// that name the same element with the old value count. A patch of a flow that `project` does not have changes only
/// its own step.
fn steps(project: &Project, patches: &[Patch]) -> Vec<GroupedStep> {
    let mut steps = Steps::default();
    for patch in patches {
        steps.add(patch, &patch.used, StepKind::Failed);
        let Some(flow) = project.flow(&patch.evidence.flow) else {
            continue;
        };
        let place = |one: &SelectorUse| (one.source.path.clone(), one.span.start);
        let failed = place(&patch.used);
        // The same words may stand on another screen, as "OK" does: a later step with them fails by itself if it needs the patch.
        // An id is one element's in the whole app.
        let is_id = patch.change.property == "id";
        let later = flow.uses.iter().skip_while(|one| place(one) != failed);
        for used in later.filter(|one| is_id && one.role == SelectorRole::Needed) {
            steps.add(patch, used, StepKind::NotReached);
        }
        // The same id in another app is another element.
        let same_app = project.flows().filter(|other| {
            let is_same_flow = other.file == flow.file;
            is_same_flow || is_id && other.app == flow.app
        });
        for used in same_app.flat_map(|other| &other.uses) {
            if used.role == SelectorRole::Silent {
                steps.add(patch, used, StepKind::Silent);
            }
        }
    }
    let mut steps: Vec<GroupedStep> = steps.0.into_values().collect();
    // Stable: by file and line within a kind.
    steps.sort_by_key(|step| step.kind);
    steps
}

/// Steps by file and offset of the edited value.
#[derive(Default)]
struct Steps(BTreeMap<(Utf8PathBuf, usize), GroupedStep>);

impl Steps {
    /// Adds a use if it names the same element as the patch's and has the value to change; otherwise changes nothing.
    /// A place is added once: of several kinds for it, the first in their order stays.
    fn add(&mut self, patch: &Patch, used: &SelectorUse, kind: StepKind) {
        let change = &patch.change;
        if !patch.used.names_the_same(used) {
            return;
        }
        let value = used
            .values
            .iter()
            .find(|(property, value)| *property == change.property && value.value == change.from);
        let Some((_, value)) = value else { return };
        let (line, column) = line_column(&used.source.text, value.span.start);
        let step = GroupedStep {
            kind,
            source: Arc::clone(&used.source),
            line,
            column,
            title: used.title.clone(),
            edit: ScalarEdit {
                span: value.span.clone(),
                from: value.value.clone(),
                to: change.to.clone(),
                is_maestro: matches!(used.selector, WrittenSelector::Maestro(_)),
            },
        };
        let place = (used.source.path.clone(), value.span.start);
        let known = self.0.entry(place).or_insert_with(|| step.clone());
        if kind < known.kind {
            *known = step;
        }
    }
}
