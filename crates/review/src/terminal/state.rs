//! What the review knows and shows: the queue, the case looked at, what was decided. No input, no output.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::graphics::Display;
use super::layout::{self, Areas, SplitRatio};
use super::panels;
use super::rows::{self, PaneLine, RowFilter};
use crate::{Case, Group, Item, MaskTarget, ObservedVersions, Queue};
use runner_snapshot::{ChangeKind, GoldenKey, KeyNames};

/// All of it.
#[derive(Debug)]
pub struct State {
    /// What waits; `None` until it was read for the first time.
    pub queue: Option<Queue>,
    /// How the keys of the queue are named.
    pub names: KeyNames,
    /// Decided since the start.
    pub done: usize,
    /// Passed over; they wait on.
    pub skipped: BTreeSet<GoldenKey>,
    /// What was done, oldest first, to be taken back.
    pub history: Vec<UndoEntry>,
    /// The one looked at.
    pub selected: Option<GoldenKey>,
    /// Selected as soon as it waits again.
    pub awaited: Option<GoldenKey>,
    /// The next decision is for the whole group.
    pub whole_group: bool,
    /// The case of the selected one.
    pub case: CaseState,
    /// What of the case is looked at.
    pub focus: Focus,
    /// How it is shown.
    pub mode: Mode,
    /// The picture shown large.
    pub side: PictureSide,
    /// First line shown of the rows.
    pub scroll: usize,
    /// What asks for an answer before anything else.
    pub popup: Option<Popup>,
    /// What happened last.
    pub message: Option<Message>,
    /// Columns and lines of the terminal.
    pub size: (u16, u16),
    /// What the terminal can show.
    pub display: Display,
}

/// The case of the selected item.
#[derive(Debug, Clone, Default)]
pub enum CaseState {
    /// Being read.
    #[default]
    Waiting,
    /// Read.
    Ready(Arc<Case>),
    /// It does not read.
    Failed(String),
}

/// Something to take back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoEntry {
    /// These were passed over.
    Skipped(Vec<GoldenKey>),
    /// Something was accepted or rejected.
    Decided,
    /// A mask was written.
    Masked,
}

/// What of a case is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    /// A place where the picture changes, as an index.
    Place(usize),
    /// The whole picture.
    FullPicture,
    /// A row, as an index into the case's lines.
    Row(usize),
}

/// How a case is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Pictures beside each other.
    Side,
    /// One picture.
    Large,
    /// All rows.
    Text,
}

/// One of a case's pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureSide {
    /// What was accepted before.
    Golden,
    /// What was seen.
    Actual,
    /// Where they differ.
    Difference,
}

/// What asks for an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Popup {
    /// The keys.
    Help,
    /// Whether to decide about all of these.
    Confirm {
        /// Accept, else reject.
        accept: bool,
        /// About these.
        keys: Vec<GoldenKey>,
        /// So many goldens would be removed.
        removed: usize,
    },
    /// What to mask.
    Mask {
        /// Name and target, innermost element first.
        choices: Vec<(String, MaskTarget)>,
        /// The chosen one.
        at: usize,
    },
}

/// What happened last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// In one line.
    pub text: String,
    /// Something went wrong.
    pub is_error: bool,
}

/// One line of the queue.
#[derive(Debug, Clone, Copy)]
pub enum QueueLine<'a> {
    /// The head of a group.
    Group(&'a Group),
    /// An item.
    Item(&'a Item),
}

impl State {
    /// Nothing known yet.
    pub fn new(size: (u16, u16), display: Display) -> Self {
        Self {
            queue: None,
            names: KeyNames::default(),
            done: 0,
            skipped: BTreeSet::new(),
            history: Vec::new(),
            selected: None,
            awaited: None,
            whole_group: false,
            case: CaseState::Waiting,
            focus: Focus::FullPicture,
            mode: Mode::Side,
            side: PictureSide::Actual,
            scroll: 0,
            popup: None,
            message: None,
            size,
            display,
        }
    }

    /// All that wait, in order.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.queue.iter().flat_map(Queue::items)
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.items().count()
    }

    /// The one looked at.
    pub fn item(&self) -> Option<&Item> {
        let selected = self.selected.as_ref()?;
        self.items().find(|item| item.key == *selected)
    }

    /// Its place among all that wait.
    pub fn position(&self) -> Option<usize> {
        let selected = self.selected.as_ref()?;
        self.items().position(|item| item.key == *selected)
    }

    /// Its group.
    pub fn group(&self) -> Option<&Group> {
        let selected = self.selected.as_ref()?;
        self.queue
            .as_ref()?
            .groups
            .iter()
            .find(|group| group.items.iter().any(|item| item.key == *selected))
    }

    /// The case, where it is read.
    pub fn case(&self) -> Option<&Arc<Case>> {
        match &self.case {
            CaseState::Ready(case) => Some(case),
            CaseState::Waiting | CaseState::Failed(_) => None,
        }
    }

    /// The keys the next decision is about.
    pub fn chosen(&self) -> Vec<GoldenKey> {
        let group = self.group().filter(|_| self.whole_group);
        match group {
            Some(group) => group.items.iter().map(|item| item.key.clone()).collect(),
            None => self.selected.iter().cloned().collect(),
        }
    }

    /// What was looked at, `displayed`, and of all others what the queue lists: that is what a decision about many is about.
    pub fn observed(&self, displayed: &ObservedVersions) -> ObservedVersions {
        let listed = self
            .items()
            .map(|item| (item.key.clone(), item.version.clone()));
        let mut versions: ObservedVersions = listed.collect();
        versions.extend(displayed.clone());
        versions
    }

    /// What was neither decided nor passed over.
    pub fn undecided(&self) -> Vec<GoldenKey> {
        self.items()
            .map(|item| &item.key)
            .filter(|key| !self.skipped.contains(key))
            .cloned()
            .collect()
    }

    /// How many of `keys` are goldens that accepting removes.
    pub fn removed_by(&self, keys: &[GoldenKey]) -> usize {
        keys.iter().filter(|key| self.is_obsolete(key)).count()
    }

    /// Whether accepting `key` would remove a golden.
    pub fn is_obsolete(&self, key: &GoldenKey) -> bool {
        self.items()
            .any(|item| item.key == *key && item.kind == ChangeKind::Obsolete)
    }

    /// Whether something else is shown for the golden that `case` is about.
    pub fn has_displayed_other(&self, case: &Case) -> bool {
        self.case().is_some_and(|displayed| {
            displayed.item.key == case.item.key && displayed.item.version != case.item.version
        })
    }

    /// Looks at another one.
    pub fn select(&mut self, key: Option<GoldenKey>) {
        // Nothing is read anew, and what the person scrolled to stays.
        if self.selected == key {
            return;
        }
        let group_before = self.group().map(|group| group.cause.clone());
        self.selected = key;
        if group_before != self.group().map(|group| group.cause.clone()) {
            self.whole_group = false;
        }
        self.case = CaseState::Waiting;
        self.focus = Focus::FullPicture;
        self.scroll = 0;
        self.popup = None;
    }

    /// Looks at the `at`-th, or the last.
    pub fn select_at(&mut self, at: usize) {
        let last = self.waiting().saturating_sub(1);
        let key = self.items().nth(at.min(last)).map(|item| item.key.clone());
        self.select(key);
    }

    /// Looks at the next one from `at` on that was not passed over, from the start again where there is none.
    pub fn select_next_open(&mut self, at: usize) {
        let keys: Vec<&GoldenKey> = self.items().map(|item| &item.key).collect();
        let at = at.min(keys.len());
        let (before, after) = keys.split_at(at);
        let next = after
            .iter()
            .chain(before)
            .find(|key| !self.skipped.contains(**key))
            .or_else(|| after.first().or(keys.first()))
            .map(|key| (*key).clone());
        self.select(next);
    }

    /// Takes the case that was read.
    pub fn show(&mut self, case: Arc<Case>) {
        let places = case.diff.places.len();
        let lines = case.diff.lines.len();
        // A case that is read again keeps what the person looks at.
        let was_ready = self.case().is_some();
        self.focus = match self.focus {
            Focus::Place(at) if was_ready && at < places => Focus::Place(at),
            Focus::Row(at) if was_ready && at < lines => Focus::Row(at),
            Focus::FullPicture if was_ready => Focus::FullPicture,
            _ if places > 0 => Focus::Place(0),
            _ => Focus::FullPicture,
        };
        self.case = CaseState::Ready(case);
        if !self.sides().contains(&self.side) {
            self.side = self.sides().first().copied().unwrap_or(PictureSide::Actual);
        }
    }

    /// The pictures the case has.
    pub fn sides(&self) -> Vec<PictureSide> {
        let Some(case) = self.case() else {
            return Vec::new();
        };
        let diff = &case.diff;
        [
            (PictureSide::Golden, diff.golden.is_some()),
            (PictureSide::Actual, diff.proposed.is_some()),
            (PictureSide::Difference, diff.difference.is_some()),
        ]
        .into_iter()
        .filter_map(|(side, there)| there.then_some(side))
        .collect()
    }

    /// The parts of the screen; `None` where it is too small.
    pub fn areas(&self) -> Option<Areas> {
        let share = match self.mode {
            Mode::Text => SplitRatio::Rows,
            _ if !panels::wanted(self) => SplitRatio::Rows,
            Mode::Large => SplitRatio::Picture,
            Mode::Side => SplitRatio::Both,
        };
        layout::areas(self.size, share)
    }

    /// The lines of the queue.
    pub fn queue_lines(&self) -> Vec<QueueLine<'_>> {
        let mut lines = Vec::new();
        for group in self.queue.iter().flat_map(|queue| &queue.groups) {
            lines.push(QueueLine::Group(group));
            lines.extend(group.items.iter().map(QueueLine::Item));
        }
        lines
    }

    /// The first line of the queue that is shown in `height` lines: the selected one is always among them.
    pub fn queue_top(&self, height: usize) -> usize {
        let lines = self.queue_lines();
        let selected = lines.iter().position(
            |line| matches!(line, QueueLine::Item(item) if Some(&item.key) == self.selected.as_ref()),
        );
        let last_top = lines.len().saturating_sub(height);
        selected
            .unwrap_or(0)
            .saturating_sub(height / 2)
            .min(last_top)
    }

    /// The lines of the rows' difference.
    pub fn pane(&self) -> Vec<PaneLine> {
        let (Some(case), Some(areas)) = (self.case(), self.areas()) else {
            return Vec::new();
        };
        let which = match self.mode {
            Mode::Text => RowFilter::All,
            // Where there is little room it is for what changed.
            _ if areas.rows.height < 8 => RowFilter::Changed(0),
            _ => RowFilter::Changed(1),
        };
        let cells = areas.rows.width.into();
        let mut pane = Vec::new();
        if let Some(group) = self.group().filter(|_| self.whole_group) {
            pane = rows::of_group(&group.cause, group.items.len(), cells);
        }
        pane.extend(rows::pane(&case.diff, which, cells));
        pane
    }

    /// Says something.
    pub fn say(&mut self, text: impl Into<String>) {
        self.message = Some(Message {
            text: text.into(),
            is_error: false,
        });
    }

    /// Says what went wrong.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.message = Some(Message {
            text: text.into(),
            is_error: true,
        });
    }
}
