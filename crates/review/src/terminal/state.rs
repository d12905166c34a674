//! State of the review: the queue, the selected case, the decisions. It does no input and no output.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::graphics::{Display, Images};
use super::layout::{self, Areas, SplitRatio};
use super::rows::{self, PaneLine, RowFilter};
use crate::{Case, Group, Item, MaskTarget, ObservedVersions, Queue};
use runner_snapshot::{ChangeKind, GoldenKey, KeyNames};

#[derive(Debug)]
pub struct State {
    /// Pending goldens; `None` until they are read for the first time.
    pub queue: Option<Queue>,
    /// Short names of the queue's keys.
    pub names: KeyNames,
    /// Number of decisions since the start.
    pub decided: usize,
    /// Keys that the person skipped. They stay pending.
    pub skipped: BTreeSet<GoldenKey>,
    /// Steps that undo takes back, oldest first.
    pub history: Vec<UndoEntry>,
    /// Key of the selected item, which may have left the queue.
    pub selected: Option<GoldenKey>,
    /// Key to select as soon as it is pending again.
    pub next_selection: Option<GoldenKey>,
    /// True if the next decision is for the whole group.
    pub whole_group: bool,
    pub case: CaseState,
    /// Part of the case that has the focus.
    pub focus: Focus,
    pub mode: Mode,
    /// Picture that is shown if there is only one, as in [`Mode::Large`].
    pub side: PictureSide,
    /// First visible line of the rows.
    pub scroll: usize,
    /// Popup that must be answered before anything else.
    pub popup: Option<Popup>,
    /// Last message; the next key without a popup clears it.
    pub message: Option<Message>,
    /// Columns and lines of the terminal.
    pub size: (u16, u16),
    pub display: Display,
}

#[derive(Debug, Clone, Default)]
pub enum CaseState {
    /// Being read.
    #[default]
    Waiting,
    Ready(Arc<Case>),
    /// Cannot be read, for this reason.
    Failed(String),
}

/// Step that undo can take back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoEntry {
    Skipped(Vec<GoldenKey>),
    /// Something was accepted or rejected.
    Decided,
    Masked,
}

/// Part of a case that has the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    /// Place where the picture changes, as an index.
    Place(usize),
    FullPicture,
    /// Row, as an index into the case's lines.
    Row(usize),
}

/// Layout of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Pictures side by side.
    Side,
    /// One picture.
    Large,
    /// All rows, no picture.
    Text,
}

/// One of a case's pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureSide {
    Golden,
    /// Picture that the run took.
    Actual,
    /// Picture of the differences.
    Difference,
}

/// Popup that waits for an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Popup {
    /// List of the keys.
    Help,
    /// Question before a decision about several goldens.
    Confirm {
        /// True to accept, false to reject.
        accept: bool,
        keys: Vec<GoldenKey>,
        /// Number of goldens that would be removed.
        removed: usize,
    },
    /// Choice of the element to mask.
    Mask {
        /// Names and targets: the focused row first, then the smallest element.
        choices: Vec<(String, MaskTarget)>,
        /// Index of the chosen one.
        at: usize,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// One line of text.
    pub text: String,
    pub is_error: bool,
}

#[derive(Debug, Clone, Copy)]
pub enum QueueLine<'a> {
    /// Head of a group.
    Group(&'a Group),
    Item(&'a Item),
}

impl State {
    /// Creates the state before anything is read: nothing is selected, and pictures are side by side. `size` is
    /// columns and rows.
    pub fn new(size: (u16, u16), display: Display) -> Self {
        Self {
            queue: None,
            names: KeyNames::default(),
            decided: 0,
            skipped: BTreeSet::new(),
            history: Vec::new(),
            selected: None,
            next_selection: None,
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

    /// Returns all pending items, in the queue's order.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.queue.iter().flat_map(Queue::items)
    }

    /// Returns the number of pending items.
    pub fn waiting(&self) -> usize {
        self.items().count()
    }

    /// Returns the selected item. `None` if nothing is selected or it is not in the queue any more.
    pub fn item(&self) -> Option<&Item> {
        let selected = self.selected.as_ref()?;
        self.items().find(|item| item.key == *selected)
    }

    /// Returns the index of the selected item among all items of all groups. `None` if it is not in the
    /// queue.
    pub fn position(&self) -> Option<usize> {
        let selected = self.selected.as_ref()?;
        self.items().position(|item| item.key == *selected)
    }

    /// Returns the group of the selected item. `None` if nothing is selected, or it is not in the queue any more. The
    /// choice of the whole group does not matter.
    pub fn group(&self) -> Option<&Group> {
        let selected = self.selected.as_ref()?;
        self.queue
            .as_ref()?
            .groups
            .iter()
            .find(|group| group.items.iter().any(|item| item.key == *selected))
    }

    /// Returns the selected case, once it is read. `None` while it is read and if that failed. Its files may have
    /// changed since.
    pub fn case(&self) -> Option<&Arc<Case>> {
        match &self.case {
            CaseState::Ready(case) => Some(case),
            CaseState::Waiting | CaseState::Failed(_) => None,
        }
    }

    /// Returns the keys that the next decision is about: all of the selected group, skipped ones too, if the person
    /// chose the whole group, else the selected one, even if it is not in the queue any more. Empty if nothing is
    /// selected.
    pub fn decision_keys(&self) -> Vec<GoldenKey> {
        let group = self.group().filter(|_| self.whole_group);
        match group {
            Some(group) => group.items.iter().map(|item| item.key.clone()).collect(),
            None => self.selected.iter().cloned().collect(),
        }
    }

    /// Returns the versions that a decision is about: those in `displayed`, and for all other keys those that the
    /// queue lists. Keys in neither are missing.
    pub fn observed(&self, displayed: &ObservedVersions) -> ObservedVersions {
        let listed = self
            .items()
            .map(|item| (item.key.clone(), item.version.clone()));
        let mut versions: ObservedVersions = listed.collect();
        versions.extend(displayed.clone());
        versions
    }

    /// Returns the keys of the queue that were not skipped, in its order; decided ones are not in it any more. Empty
    /// before the queue is read.
    pub fn undecided(&self) -> Vec<GoldenKey> {
        self.items()
            .map(|item| &item.key)
            .filter(|key| !self.skipped.contains(key))
            .cloned()
            .collect()
    }

    /// Returns how many of `keys` are obsolete goldens, which accepting removes.
    pub fn removed_by(&self, keys: &[GoldenKey]) -> usize {
        keys.iter().filter(|key| self.is_obsolete(key)).count()
    }

    /// Returns true if accepting `key` would remove a golden.
    pub fn is_obsolete(&self, key: &GoldenKey) -> bool {
        self.items()
            .any(|item| item.key == *key && item.kind == ChangeKind::Obsolete)
    }

    /// Returns true if another version of the same golden is shown than `case` has.
    pub fn has_displayed_other(&self, case: &Case) -> bool {
        self.case().is_some_and(|displayed| {
            displayed.item.key == case.item.key && displayed.item.version != case.item.version
        })
    }

    /// Selects an item, or none; whether it is in the queue is not checked. Another one starts with its case unread
    /// and unscrolled, with the focus on the whole picture, and closes the popup; another group ends the choice of a
    /// whole group. Selecting the same again changes nothing.
    pub fn select(&mut self, key: Option<GoldenKey>) {
        // The case and the scroll position stay.
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

    /// Selects the item at an index, or the last one if there are fewer. Selects nothing in an empty queue.
    pub fn select_at(&mut self, at: usize) {
        let last = self.waiting().saturating_sub(1);
        let key = self.items().nth(at.min(last)).map(|item| item.key.clone());
        self.select(key);
    }

    /// Selects the next item from index `at` on that was not skipped, or from the start if there is none. If all were
    /// skipped, selects the one at `at`, else the first. In an empty queue nothing is selected any more.
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

    /// Shows the case that was read, which must be that of the selected item. If one was shown before, the focus
    /// stays, unless its change or row is gone. Else the focus is on the first change, or on the whole picture
    /// without changes. Chooses the first picture there is if the case lacks the one chosen.
    pub fn show(&mut self, case: Arc<Case>) {
        let places = case.diff.places.len();
        let lines = case.diff.lines.len();
        // A case that is read again keeps the focus.
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

    /// Returns the pictures that the case has, in this order: golden, actual, difference. Empty if no case is
    /// shown.
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

    /// Returns true unless pictures are off or the case that is shown has none. The mode does not matter: true also in
    /// text mode.
    pub fn has_pictures(&self) -> bool {
        self.display.images != Images::None && (self.case().is_none() || !self.sides().is_empty())
    }

    /// Returns the parts of the screen for the current mode; `None` if it is too small. Rows get all the room in text
    /// mode, if the case has no picture, or if pictures are off.
    pub fn areas(&self) -> Option<Areas> {
        let share = match self.mode {
            Mode::Text => SplitRatio::Rows,
            _ if !self.has_pictures() => SplitRatio::Rows,
            Mode::Large => SplitRatio::Picture,
            Mode::Side => SplitRatio::Both,
        };
        layout::areas(self.size, share)
    }

    /// Returns the lines of the queue: each group's head, followed by its items. Empty before the queue is read.
    pub fn queue_lines(&self) -> Vec<QueueLine<'_>> {
        let mut lines = Vec::new();
        for group in self.queue.iter().flat_map(|queue| &queue.groups) {
            lines.push(QueueLine::Group(group));
            lines.extend(group.items.iter().map(QueueLine::Item));
        }
        lines
    }

    /// Returns the index of the first line of the queue that is visible in `height` lines. The selected one is in the
    /// middle as far as possible, so it always is visible. Without a selected item it is 0.
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

    /// Returns the lines of the rows' difference, below those of the group if a decision is about all of it.
    /// All rows are shown in text mode, else the changed ones, with one row of context if there is room.
    /// Empty if no case is shown or the screen is too small.
    pub fn pane(&self) -> Vec<PaneLine> {
        let (Some(case), Some(areas)) = (self.case(), self.areas()) else {
            return Vec::new();
        };
        let which = match self.mode {
            Mode::Text => RowFilter::All,
            // Little room is for changed rows only.
            _ if areas.rows.height < 8 => RowFilter::Changed(0),
            _ => RowFilter::Changed(1),
        };
        let cells = areas.rows.width.into();
        let mut pane = Vec::new();
        if let Some(group) = self.group().filter(|_| self.whole_group) {
            pane = rows::group_lines(&group.cause, group.items.len(), cells);
        }
        pane.extend(rows::pane(&case.diff, which, cells));
        pane
    }

    /// Replaces the message, an error too. It stays until the next key or message.
    pub fn show_message(&mut self, text: impl Into<String>) {
        self.message = Some(Message {
            text: text.into(),
            is_error: false,
        });
    }

    /// Replaces the message by an error. It stays until the next key or message.
    pub fn show_error(&mut self, text: impl Into<String>) {
        self.message = Some(Message {
            text: text.into(),
            is_error: true,
        });
    }
}
