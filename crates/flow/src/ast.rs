//! Syntax tree of a checked flow, with ranges into its source.

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

/// Value with its place in the source.
#[derive(Debug, Clone, PartialEq)]
pub struct Spanned<T> {
    pub value: T,
    /// Range of bytes in the flow's source.
    pub span: Range<usize>,
}

/// Argument of a step before its expressions are evaluated. Literal numbers, booleans and durations were
/// checked when the flow was read. Values from `${…}` are checked when the step runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    Literal(serde_json::Value),
    /// Text that is one `${…}` as a whole: the expression inside. Its value keeps its type.
    Expression(String),
    /// Text with expressions in it, as in the source, with `${…}` and `$${`.
    Template(String),
    List(Vec<Spanned<Argument>>),
    Map(IndexMap<String, Spanned<Argument>>),
}

/// Flow file.
#[derive(Debug, Clone)]
pub struct Flow {
    /// Text of the file.
    pub source: Arc<Source>,
    pub dialect: Dialect,
    /// Path below the root, without extension. Names results, goldens and artifacts.
    pub key: Utf8PathBuf,
    /// Name for people.
    pub name: String,
    /// Default package as written, perhaps with expressions.
    pub app: Option<String>,
    /// Default package as an argument, if it has expressions.
    pub app_value: Option<Spanned<Argument>>,
    pub tags: Vec<String>,
    /// `env` of the header.
    pub env: IndexMap<String, Spanned<Argument>>,
    /// Names of variables whose values are masked.
    pub secrets: Vec<String>,
    /// Maximum time of the flow.
    pub timeout: Option<HumanDuration>,
    /// Maximum wait of a step for its element; `None` leaves it to the configuration.
    pub step_timeout: Option<HumanDuration>,
    /// Maximum time of the teardown; `None` leaves it to the configuration.
    pub teardown_timeout: Option<HumanDuration>,
    /// Number of further runs after a failure; `None` leaves it to the configuration.
    pub retries: Option<u32>,
    /// Quarantine of the flow: until it ends, a failure does not fail the run.
    pub quarantine: Option<Quarantine>,
    /// Requirements for devices.
    pub needs: Option<Needs>,
    /// Condition under which the flow is skipped, and the reason.
    pub skip: Option<(Spanned<String>, Option<String>)>,
    /// Cases in order; empty if the flow has only one.
    pub cases: Vec<Arc<Case>>,
    /// CSV file of the flow's table, if it has one.
    pub table: Option<Arc<Source>>,
    /// Names of results that a caller sees (`outputs: [total]`).
    pub outputs: Vec<String>,
    /// Steps before `steps`.
    pub setup: Vec<Step>,
    pub steps: Vec<Step>,
    /// Steps after a failure, before `teardown`.
    pub on_failure: Vec<Step>,
    /// Steps that always run at the end.
    pub teardown: Vec<Step>,
}

/// Language of a flow. It decides how steps match, wait and name things.
#[derive(Debug, Clone, Default)]
pub enum Dialect {
    /// The runner's own language.
    #[default]
    Own,
    /// Maestro's language.
    Maestro(Box<maestro::Header>),
}

impl Flow {
    /// Returns the header if this is a Maestro flow.
    pub fn maestro(&self) -> Option<&maestro::Header> {
        match &self.dialect {
            Dialect::Own => None,
            Dialect::Maestro(header) => Some(header),
        }
    }

    /// Returns all lists of steps, empty ones too: `setup`, `steps`, `on_failure`, `teardown`.
    pub fn step_lists(&self) -> [&[Step]; 4] {
        [&self.setup, &self.steps, &self.on_failure, &self.teardown]
    }

    /// Returns the folders of the flow's goldens: for each row of its table the folder inside `folder` with
    /// the row's name, in the order of the rows. Without a table it is `folder` alone. Does not check that
    /// they exist.
    pub fn golden_folders(&self, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
        let mut rows: Vec<&Arc<Row>> = self
            .cases
            .iter()
            .filter_map(|case| case.row.as_ref())
            .collect();
        // All combinations of a row are adjacent.
        rows.dedup_by(|one, other| Arc::ptr_eq(one, other));
        if rows.is_empty() {
            return vec![folder.to_owned()];
        }
        let folders = rows.into_iter().map(|row| folder.join(row.name.as_str()));
        folders.collect()
    }
}

#[derive(Debug, Clone)]
pub struct Step {
    /// File of the step: the flow's or a sub-flow's.
    pub source: Arc<Source>,
    /// Range of the whole step.
    pub span: Range<usize>,
    /// Step as written, on one line and with secrets masked: `click: Sign in`.
    pub title: String,
    pub action: StepAction,
    pub modifiers: Modifiers,
}

/// Modifiers, which are the same for all steps.
#[derive(Debug, Clone, Default)]
pub struct Modifiers {
    /// Name in reports.
    pub label: Option<String>,
    /// Maximum wait for the element, instead of `step_timeout`.
    pub timeout: Option<HumanDuration>,
    /// Condition; the step is skipped if it does not hold.
    pub when: Option<Condition>,
    /// True if a failure is only a warning.
    pub optional: bool,
    /// True if the flow continues after a failure, and fails at its end.
    pub soft: bool,
    /// Name under which the result is kept (`as`).
    pub keep_as: Option<String>,
    /// Number of further tries after a failure.
    pub retry: u32,
    /// Message that the author gives a failure.
    pub message: Option<Spanned<Argument>>,
    /// True if the step's values are secret (`secret: true` of `type`).
    pub secret: bool,
}

/// Effect of a step. A step of a Maestro flow is always [`Self::Maestro`], also if a tool or a control step
/// does the same.
#[derive(Debug, Clone)]
pub enum StepAction {
    /// Tool of the registry.
    Call {
        entry: &'static Entry,
        /// Map of arguments, perhaps empty.
        arguments: Spanned<Argument>,
    },
    /// `snapshot:`.
    Snapshot(Box<SnapshotStep>),
    /// `assert:` with a map: expectations of an element, or `that`.
    Assert(Box<Assert>),
    Control(Box<Control>),
    /// Command of a Maestro flow.
    Maestro(Box<maestro::MaestroCommand>),
}

impl StepAction {
    /// Returns the two lists of steps directly inside this step, such as both branches of an `if`; a missing
    /// one is empty. The steps of a sub-flow do not count.
    pub fn lists(&self) -> [&[Step]; 2] {
        match self {
            Self::Control(control) => control.lists(),
            Self::Maestro(command) => [command.steps(), &[]],
            Self::Call { .. } | Self::Snapshot(_) | Self::Assert(_) => [&[], &[]],
        }
    }

    /// Returns the flow that a `run` or Maestro's `runFlow` with a file runs; `None` for any other step.
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

    /// Returns true for `find` and `assert visible`, whose result is always an element.
    pub(crate) fn gives_element(&self) -> bool {
        matches!(self, Self::Call { entry, .. } if matches!(entry.name, "find" | "assert visible"))
    }

    /// Returns the names of the fields in the step's result, if they are always the same. Returns an empty
    /// list for a step whose result is a list, for agents' tools and for all steps that are no call of a
    /// tool.
    pub(crate) fn fields(&self) -> Vec<&'static str> {
        match self {
            Self::Call { entry, .. } if entry.catalogue == Catalogue::Everyday && !entry.lists => {
                entry.keeps.names().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns true for `assert not visible` and for an assertion of a number of elements: these may wait for
    /// something to disappear.
    pub fn waits_for_change(&self) -> bool {
        match self {
            Self::Call { entry, .. } => entry.name == "assert not visible",
            Self::Assert(assert) => matches!(**assert, Assert::Count { .. }),
            _ => false,
        }
    }

    /// Returns true for a step that only tests something: `assert …` of any kind, and Maestro's assertions. A
    /// snapshot is none.
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
    /// Expected number of elements.
    Count {
        /// Selector of the elements.
        selector: Spanned<Argument>,
        /// Argument that evaluates to a number or a comparison.
        count: Spanned<Argument>,
    },
    /// Expression of `that: ${…}`.
    That(Spanned<String>),
}

/// Condition, tested once. Visibility with a timeout waits so long for it; without one the test waits only until a look
/// can decide, at most `step_timeout`.
#[derive(Debug, Clone)]
pub enum Condition {
    /// Expression that must evaluate to a boolean.
    Expression(Spanned<String>),
    /// `{ visible: SEL }`.
    Visible(ElementCondition),
    /// `{ not_visible: SEL }`.
    NotVisible(ElementCondition),
}

/// Element in a condition.
#[derive(Debug, Clone)]
pub struct ElementCondition {
    pub selector: Spanned<Argument>,
    /// Maximum time until the condition must hold; without it the test waits only until a look can decide.
    pub timeout: Option<HumanDuration>,
}

/// Step that contains steps, or sets names.
#[derive(Debug, Clone)]
pub enum Control {
    /// `run:`: runs the steps of another flow.
    Run {
        /// Sub-flow, read and checked.
        flow: Arc<Flow>,
        /// Variables that the caller passes.
        env: IndexMap<String, Spanned<Argument>>,
    },
    /// `repeat:`.
    Repeat {
        /// Number of rounds, as an argument that evaluates to a whole number.
        times: Option<Spanned<Argument>>,
        /// Condition to continue (`while`).
        condition: Option<Condition>,
        /// Maximum number of rounds without `times`, 100 by default. A `while` that still holds then fails the step.
        max: u32,
        steps: Vec<Step>,
    },
    /// `retry:`: runs the steps again from the first one after a failure.
    Retry {
        /// Number of further tries.
        times: u32,
        steps: Vec<Step>,
    },
    /// `if:`.
    If {
        condition: Condition,
        /// Steps if the condition holds.
        then: Vec<Step>,
        /// Steps if it does not.
        otherwise: Vec<Step>,
    },
    /// `group:`.
    Group { steps: Vec<Step> },
    /// `set:`: sets names for the rest of the flow.
    Set {
        values: IndexMap<String, Spanned<Argument>>,
    },
    /// `pause:`: waits for a person at a terminal.
    Pause {
        /// Instruction for the person.
        message: Option<Spanned<Argument>>,
    },
}

impl Control {
    /// Returns the two lists of steps directly inside: the branches of an `if`, or the only list and an empty one.
    /// For `run`, `set` and `pause` both are empty. The steps of a sub-flow do not count.
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
    /// Name of the golden, unique in the flow.
    pub name: String,
    /// True if each round of a `repeat` has its own golden: `name.1`, `name.2`, …
    pub each: bool,
    /// Options as written, checked against [`runner_snapshot::StepOptions`].
    pub options: Spanned<Argument>,
}
