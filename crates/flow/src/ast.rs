//! A flow as it was read: checked, with spans into its source.

use std::ops::Range;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;

use super::cases::{Case, Row};
use super::maestro;
use super::needs::Needs;
use super::quarantine::Quarantine;
use runner_text::diagnostic::Source;
use runner_text::units::HumanDuration;
use runner_tools::{Catalogue, Entry};

/// A value and where it stands in its source, as a byte range.
#[derive(Debug, Clone, PartialEq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Byte range in the flow's source.
    pub span: Range<usize>,
}

/// An argument before its expressions are evaluated. Numbers, booleans and durations that are written out were checked
/// when the flow was read; those that come from `${…}` are checked at the step.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A value without expressions.
    Literal(serde_json::Value),
    /// One whole `${…}`: the expression's text. Its value keeps its type.
    Expression(String),
    /// Text with expressions in it: the source text, still with `${…}` and `$${`.
    Template(String),
    /// A list.
    List(Vec<Spanned<Argument>>),
    /// A map.
    Map(IndexMap<String, Spanned<Argument>>),
}

/// One flow file.
#[derive(Debug, Clone)]
pub struct Flow {
    /// Its text.
    pub source: Arc<Source>,
    /// In which language it is written.
    pub dialect: Dialect,
    /// Path below the root, without the extension: what results, goldens and artifacts are filed under.
    pub key: Utf8PathBuf,
    /// Name for people.
    pub name: String,
    /// Default package, as it is written.
    pub app: Option<String>,
    /// What it comes to when the flow runs, where it has expressions.
    pub app_value: Option<Spanned<Argument>>,
    /// Tags.
    pub tags: Vec<String>,
    /// `env` of the header.
    pub env: IndexMap<String, Spanned<Argument>>,
    /// Names of env values that no output may show.
    pub secrets: Vec<String>,
    /// Limit of the whole flow.
    pub timeout: Option<HumanDuration>,
    /// How long a step looks for its element.
    pub step_timeout: Option<HumanDuration>,
    /// Limit of the steps after.
    pub teardown_timeout: Option<HumanDuration>,
    /// Runs after a failure.
    pub retries: Option<u32>,
    /// Why its failure does not fail the run, where it is in quarantine.
    pub quarantine: Option<Quarantine>,
    /// What a device must be for it to run there.
    pub needs: Option<Needs>,
    /// Not to be run where the expression holds, because of the text.
    pub skip: Option<(Spanned<String>, Option<String>)>,
    /// Its cases, in order; empty where it has but one.
    pub cases: Vec<Arc<Case>>,
    /// The file of its table, where it has one.
    pub table: Option<Arc<Source>>,
    /// Results that a caller sees (`outputs: [total]`).
    pub outputs: Vec<String>,
    /// Steps before.
    pub setup: Vec<Step>,
    /// Steps.
    pub steps: Vec<Step>,
    /// Steps after a failure, before those that come always.
    pub on_failure: Vec<Step>,
    /// Steps after, always.
    pub teardown: Vec<Step>,
}

/// The language of a flow: a policy for how its steps match, wait and name things.
#[derive(Debug, Clone, Default)]
pub enum Dialect {
    /// Ours.
    #[default]
    Own,
    /// Maestro's.
    Maestro(Box<maestro::Header>),
}

impl Flow {
    /// Maestro's header, where it is Maestro's flow.
    pub fn maestro(&self) -> Option<&maestro::Header> {
        match &self.dialect {
            Dialect::Own => None,
            Dialect::Maestro(header) => Some(header),
        }
    }

    /// Its steps, list by list.
    pub fn step_lists(&self) -> [&[Step]; 4] {
        [&self.setup, &self.steps, &self.on_failure, &self.teardown]
    }

    /// The folders of its goldens, from the folder of the flow: one for each row of its table.
    pub fn golden_folders(&self, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
        let mut rows: Vec<&Arc<Row>> = self
            .cases
            .iter()
            .filter_map(|case| case.row.as_ref())
            .collect();
        // The combinations of a row follow one another.
        rows.dedup_by(|one, other| Arc::ptr_eq(one, other));
        if rows.is_empty() {
            return vec![folder.to_owned()];
        }
        let folders = rows.into_iter().map(|row| folder.join(row.name.as_str()));
        folders.collect()
    }
}

/// One step.
#[derive(Debug, Clone)]
pub struct Step {
    /// The source it stands in: the flow's or a sub-flow's.
    pub source: Arc<Source>,
    /// The whole step.
    pub span: Range<usize>,
    /// The step as a person wrote it, on one line, secrets masked: `click: Sign in`.
    pub title: String,
    /// What it does.
    pub action: StepAction,
    /// What may be said about any step.
    pub modifiers: Modifiers,
}

/// What may be said about any step.
#[derive(Debug, Clone, Default)]
pub struct Modifiers {
    /// Name for reports.
    pub label: Option<String>,
    /// Replaces `step_timeout`.
    pub timeout: Option<HumanDuration>,
    /// Skips the step where it does not hold.
    pub when: Option<Condition>,
    /// A failure is a warning.
    pub optional: bool,
    /// The flow goes on after a failure, and fails at its end.
    pub soft: bool,
    /// Keeps the result under this name.
    pub keep_as: Option<String>,
    /// Tries again this often.
    pub retry: u32,
    /// What its failure means, in its author's words.
    pub message: Option<Spanned<Argument>>,
    /// Values of this step are secret (`secret: true` of `type`).
    pub secret: bool,
}

/// What a step does.
#[derive(Debug, Clone)]
pub enum StepAction {
    /// A tool of the registry, with its arguments (a map, or empty).
    Call {
        /// The tool.
        entry: &'static Entry,
        /// Its arguments.
        arguments: Spanned<Argument>,
    },
    /// `snapshot:`.
    Snapshot(Box<SnapshotStep>),
    /// `assert:` with a map: an element's expectations, or `that`.
    Assert(Box<Assert>),
    /// Control.
    Control(Box<Control>),
    /// A command of a flow of Maestro's.
    Maestro(Box<maestro::MaestroCommand>),
}

impl StepAction {
    /// The lists of steps in it, which stand in the same flow.
    pub fn lists(&self) -> [&[Step]; 2] {
        match self {
            Self::Control(control) => control.lists(),
            Self::Maestro(command) => [command.steps(), &[]],
            Self::Call { .. } | Self::Snapshot(_) | Self::Assert(_) => [&[], &[]],
        }
    }

    /// The flow that it runs.
    pub fn sub_flow(&self) -> Option<&Arc<Flow>> {
        match self {
            Self::Control(control) => match &**control {
                Control::Run { flow, .. } => Some(flow),
                _ => None,
            },
            Self::Maestro(command) => command.flow(),
            _ => None,
        }
    }

    /// Whether its result is always an element.
    pub(crate) fn gives_element(&self) -> bool {
        matches!(self, Self::Call { entry, .. } if matches!(entry.name, "find" | "assert visible"))
    }

    /// Returns what its result has, where that is always the same.
    pub(crate) fn fields(&self) -> Vec<&'static str> {
        match self {
            Self::Call { entry, .. } if entry.catalogue == Catalogue::Everyday && !entry.lists => {
                entry.keeps.names().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns true for a step that may wait for something to go away, or for a number of elements.
    pub fn waits_for_change(&self) -> bool {
        match self {
            Self::Call { entry, .. } => entry.name == "assert not visible",
            Self::Assert(assert) => matches!(**assert, Assert::Count { .. }),
            _ => false,
        }
    }

    /// Whether it only tests what is there.
    pub fn is_assertion(&self) -> bool {
        match self {
            Self::Call { entry, .. } => entry.name.starts_with("assert "),
            Self::Assert(_) => true,
            Self::Maestro(command) => command.is_assertion(),
            Self::Snapshot(_) | Self::Control(_) => false,
        }
    }
}

/// `assert: { … }`.
#[derive(Debug, Clone)]
pub enum Assert {
    /// Expectations of an element.
    Element(Spanned<Argument>),
    /// How many elements there are.
    Count {
        /// The elements.
        selector: Spanned<Argument>,
        /// How many: an argument that comes to a number or a comparison.
        count: Spanned<Argument>,
    },
    /// `that: ${…}`: the expression.
    That(Spanned<String>),
}

/// A condition, tested once on a fresh look, or until its time is up.
#[derive(Debug, Clone)]
pub enum Condition {
    /// An expression that must be a boolean.
    Expression(Spanned<String>),
    /// `{ visible: SEL }`.
    Visible(OnScreen),
    /// `{ not_visible: SEL }`.
    NotVisible(OnScreen),
}

/// An element of a condition.
#[derive(Debug, Clone)]
pub struct OnScreen {
    /// The element.
    pub selector: Spanned<Argument>,
    /// How long the condition may take to hold; without it there is one look.
    pub timeout: Option<HumanDuration>,
}

/// Steps that hold steps, or change names.
#[derive(Debug, Clone)]
pub enum Control {
    /// `run:`: another flow's steps.
    Run {
        /// The sub-flow, read and checked.
        flow: Arc<Flow>,
        /// Env of the caller.
        env: IndexMap<String, Spanned<Argument>>,
    },
    /// `repeat:`.
    Repeat {
        /// How often; an argument that comes to a whole number.
        times: Option<Spanned<Argument>>,
        /// As long as it holds.
        condition: Option<Condition>,
        /// At most so often (default 100 with `while`).
        max: u32,
        /// What to repeat.
        steps: Vec<Step>,
    },
    /// `retry:`: the steps from the first again after a failure.
    Retry {
        /// How many further tries.
        times: u32,
        /// What to try.
        steps: Vec<Step>,
    },
    /// `if:`.
    If {
        /// The condition.
        condition: Condition,
        /// Where it holds.
        then: Vec<Step>,
        /// Where it does not.
        otherwise: Vec<Step>,
    },
    /// `group:`.
    Group {
        /// The steps.
        steps: Vec<Step>,
    },
    /// `set:`: names for the rest of the flow.
    Set {
        /// Names and values.
        values: IndexMap<String, Spanned<Argument>>,
    },
    /// `pause:`: for a person at a terminal.
    Pause {
        /// What the person is to do.
        message: Option<Spanned<Argument>>,
    },
}

impl Control {
    /// The lists of steps in it, which stand in the same flow.
    pub fn lists(&self) -> [&[Step]; 2] {
        match self {
            Self::Repeat { steps, .. } | Self::Retry { steps, .. } | Self::Group { steps } => {
                [steps, &[]]
            }
            Self::If {
                then, otherwise, ..
            } => [then, otherwise],
            Self::Run { .. } | Self::Set { .. } | Self::Pause { .. } => [&[], &[]],
        }
    }
}

/// `snapshot:`.
#[derive(Debug, Clone)]
pub struct SnapshotStep {
    /// Its name, unique in the flow.
    pub name: String,
    /// Inside `repeat`: one golden each time, `name.1`, …
    pub each: bool,
    /// All options as written and checked against [`runner_snapshot::StepOptions`].
    pub options: Spanned<Argument>,
}
