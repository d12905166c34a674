//! Pool of a run's devices and work: the state of each device, the item that it has, and items that no device
//! is left for.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use camino::Utf8PathBuf;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::fit::{DeviceFacts, Fit, PictureClasses};
use super::queue::{ItemIndex, Queue};
use super::work_item::{ItemNext, WorkItem};
use crate::devices::Target;
use runner_flow::Flow;

/// Devices of a run, and the work that waits for them.
#[derive(Debug)]
pub(super) struct Pool {
    state: Mutex<PoolState>,
    changed: Notify,
}

#[derive(Debug)]
struct PoolState {
    queue: Queue<WorkItem>,
    members: Vec<Member>,
    /// True once devices may take work: each has answered or failed, or the flows need tags alone.
    is_open: bool,
    pictures: Option<Pictures>,
}

/// Preference for devices whose pictures the goldens have.
#[derive(Debug)]
pub(super) struct Pictures {
    pub classes: PictureClasses,
    /// True if no other device may run such a flow.
    pub are_strict: bool,
    /// Folder of goldens by the flow's key.
    pub folders: std::collections::HashMap<Utf8PathBuf, Utf8PathBuf>,
}

#[derive(Debug)]
pub(super) struct Member {
    pub target: Target,
    /// Properties, once it was open.
    pub facts: Option<DeviceFacts>,
    pub presence: Availability,
    /// Item that it works on.
    holds: Option<ItemIndex>,
}

impl Member {
    /// Returns true if the device has the tags that a flow needs, and the measures as far as they are known.
    pub(super) fn may_fit(&self, flow: &Flow) -> bool {
        let measures = self.facts.as_ref().map(|facts| facts.measures);
        flow.needs
            .as_ref()
            .is_none_or(|needs| needs.fit(&self.target.tags, measures))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Availability {
    /// Being opened for the first time.
    Coming,
    /// In use by another run, and waited for.
    InUse,
    /// Working, or waiting for work.
    Ready,
    /// Lost, but asked again. Its work waits until then.
    Gone { until: Instant, why: String },
    /// Not used any more in this run: lost for good, or it cannot be opened.
    Out { why: String },
}

/// Item for which no device is left.
#[derive(Debug)]
pub(super) struct UnassignedItem {
    pub item: WorkItem,
    /// Label of the device that it was for. Empty for one that any device could take.
    pub device: String,
    /// Message that says what became of each device that fits.
    pub why: String,
}

impl PoolState {
    /// Judges how a device fits an item: by the item's bond, its needs, and the render classes of its pictures. Without
    /// facts a device may fit. If no device has the pictures, all fit equally; otherwise one without them fits
    /// possibly, or with strict pixels not at all. An unknown index does not fit.
    fn fit(&self, item: &WorkItem, at: usize) -> Fit {
        let Some(member) = self.members.get(at) else {
            return Fit::No;
        };
        if item.bound.is_some_and(|bound| bound != at) || !member.may_fit(item.flow()) {
            return Fit::No;
        }
        if item.bound.is_some() {
            return Fit::Well;
        }
        let Some((classes, are_strict)) = self.classes(item) else {
            return Fit::Well;
        };
        let draws = |member: &Member| {
            let facts = member.facts.as_ref();
            facts
                .and_then(|facts| facts.class.as_ref())
                .is_some_and(|class| classes.contains(class))
        };
        if draws(member) {
            Fit::Well
        } else if !self.members.iter().any(draws) {
            // No device has the pictures, so none is better.
            Fit::Well
        } else if are_strict {
            Fit::No
        } else {
            Fit::Possibly
        }
    }

    /// Returns the fit as [`Self::fit`] does, for work that is to be taken now. A device that was lost during
    /// an item does not get it again while another one that fits is ready.
    fn fit_now(&self, item: &WorkItem, at: usize) -> Fit {
        let fit = self.fit(item, at);
        let is_mine = |member: &Member| item.lost_on.contains(&member.target.label);
        if fit == Fit::No || !self.members.get(at).is_some_and(is_mine) {
            return fit;
        }
        let is_there = |(other, member): (usize, &Member)| {
            other != at
                && member.presence == Availability::Ready
                && self.fit(item, other) != Fit::No
        };
        if self.members.iter().enumerate().any(is_there) {
            return Fit::No;
        }
        fit
    }

    /// Returns the render classes that an item has pictures of, and whether only these may run it.
    fn classes(&self, item: &WorkItem) -> Option<(&BTreeSet<String>, bool)> {
        let pictures = self.pictures.as_ref()?;
        let folder = pictures.folders.get(&item.flow().key)?;
        Some((pictures.classes.below(folder)?, pictures.are_strict))
    }

    /// Returns the reason if no device is left for an item: all that fit are out, or are lost and their time
    /// is up, or none fits. `None` while one of them may still take it.
    fn unassigned(&self, item: &WorkItem, now: Instant) -> Option<String> {
        let mut whys: Vec<&str> = Vec::new();
        for (at, member) in self.members.iter().enumerate() {
            if self.fit(item, at) == Fit::No {
                continue;
            }
            match &member.presence {
                Availability::Gone { until, why } if *until <= now => whys.push(why),
                Availability::Out { why } => whys.push(why),
                _ => return None,
            }
        }
        whys.dedup();
        Some(match whys.as_slice() {
            [] => "no device of the run fits".to_owned(),
            [why] => (*why).to_owned(),
            whys => format!("no device is left: {}", whys.join("; ")),
        })
    }

    fn label_of(&self, item: &WorkItem) -> String {
        let own = item.bound.and_then(|at| self.members.get(at));
        own.map_or_else(String::new, |member| member.target.label.clone())
    }

    /// Takes the item that fits the device best now, and notes that the device holds it. `None` if none fits.
    fn take(&mut self, at: usize) -> Option<(ItemIndex, WorkItem, Fit)> {
        let mut queue = std::mem::replace(&mut self.queue, Queue::new(Vec::new()));
        let index = queue.take(|item| self.fit_now(item, at));
        self.queue = queue;
        let index = index?;
        let item = self.queue.get(index)?.clone();
        self.members.get_mut(at)?.holds = Some(index);
        let fit = self.fit(&item, at);
        Some((index, item, fit))
    }
}

#[derive(Debug)]
pub(super) enum NextAction {
    /// Run this item. The fit says how well the device suits it.
    Work(Box<WorkItem>, Fit),
    /// Wait: there may be work later.
    Wait,
    /// Stop: there is no more work for it.
    Over,
}

impl Pool {
    /// Creates a pool of devices that are about to be opened. If a flow needs more than tags, no device gets work
    /// before [`Pool::open`].
    pub fn new(items: Vec<WorkItem>, targets: Vec<Target>) -> Self {
        let member = |target| Member {
            target,
            facts: None,
            presence: Availability::Coming,
            holds: None,
        };
        // If `needs` ask only for tags, each device can begin as soon as it is open.
        let asks = |item: &WorkItem| {
            let needs = item.flow().needs.as_ref();
            needs.is_some_and(|needs| !needs.are_of_tags_alone())
        };
        let is_open = !items.iter().any(asks);
        Self {
            state: Mutex::new(PoolState {
                queue: Queue::new(items),
                members: targets.into_iter().map(member).collect(),
                is_open,
                pictures: None,
            }),
            changed: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the targets of all devices, by their index.
    pub fn targets(&self) -> Vec<Target> {
        let state = self.state();
        state
            .members
            .iter()
            .map(|member| member.target.clone())
            .collect()
    }

    /// Makes flows with pictures prefer devices of these classes.
    pub fn prefer(&self, pictures: Pictures) {
        self.state().pictures = Some(pictures);
    }

    /// Returns a future that completes at the next change. Create it before checking the state, so that no
    /// change is missed.
    pub fn changed(&self) -> tokio::sync::futures::Notified<'_> {
        self.changed.notified()
    }

    /// Wakes all who wait for a change.
    pub fn wake(&self) {
        self.changed.notify_waiters();
    }

    /// Returns the next action of a device, and takes its item: the one that fits best. Otherwise it waits as
    /// long as work that fits it is left, be it with other devices, and is over then. Does not block.
    pub fn next_action(&self, at: usize) -> NextAction {
        let mut state = self.state();
        if state.is_open
            && let Some((_, item, fit)) = state.take(at)
        {
            return NextAction::Work(Box::new(item), fit);
        }
        let is_left = state.queue.has_left(|item| state.fit(item, at) != Fit::No);
        if is_left {
            NextAction::Wait
        } else {
            NextAction::Over
        }
    }

    /// Returns true if there is, or may be, work for a device.
    pub fn has_left(&self, at: usize) -> bool {
        let state = self.state();
        state.queue.has_left(|item| state.fit(item, at) != Fit::No)
    }

    /// Sets the state of a device, and wakes all that wait. Facts that are `None` keep the known ones. An
    /// unknown index changes nothing.
    pub fn set(&self, at: usize, presence: Availability, facts: Option<DeviceFacts>) {
        if let Some(member) = self.state().members.get_mut(at) {
            member.presence = presence;
            if facts.is_some() {
                member.facts = facts;
            }
        }
        self.wake();
    }

    /// Returns true if the device is being opened for the first time.
    pub fn is_coming(&self, at: usize) -> bool {
        let state = self.state();
        let member = state.members.get(at);
        member.is_some_and(|member| member.presence == Availability::Coming)
    }

    /// Returns the time until which work waits for a lost device, and whether it was ever open. `None` if it
    /// is not lost, or out for good.
    pub fn is_gone(&self, at: usize) -> Option<(Instant, bool)> {
        let state = self.state();
        let member = state.members.get(at)?;
        match member.presence {
            Availability::Gone { until, .. } => Some((until, member.facts.is_some())),
            _ => None,
        }
    }

    /// Returns true if every device has answered or failed, so that the pool may open. Whoever opens it takes
    /// out the items that fit no device first.
    pub fn can_open(&self) -> bool {
        let state = self.state();
        let known = |member: &Member| member.presence != Availability::Coming;
        !state.is_open && state.members.iter().all(known)
    }

    /// Lets devices take work.
    pub fn open(&self) {
        self.state().is_open = true;
        self.wake();
    }

    /// Returns an item that a device worked on: over, to be taken again by any device that fits, or after all others.
    /// After an item of a sequence is over, the next one takes its place, bound to this device. Without effect if the
    /// device holds none. Wakes all that wait.
    pub fn put(&self, at: usize, mut item: WorkItem, next: ItemNext) {
        let mut state = self.state();
        let index = state
            .members
            .get_mut(at)
            .and_then(|member| member.holds.take());
        if let Some(index) = index {
            // The next item of a sequence stays on this device.
            let following = (next == ItemNext::Over).then(|| item.next(at)).flatten();
            let has_following = following.is_some();
            if let Some(known) = state.queue.get_mut(index) {
                *known = following.unwrap_or(item);
            }
            match next {
                ItemNext::Over if has_following => state.queue.give_back(index),
                ItemNext::Over => state.queue.finish(index),
                ItemNext::Again => state.queue.give_back(index),
                ItemNext::Later => state.queue.defer(index),
            }
        }
        drop(state);
        self.wake();
    }

    /// Takes the item of a device that stopped for good out of the queue, in its state when the device took it, with
    /// the rest of its sequence. Wakes all that wait. `None` if it held none.
    pub fn take_from(&self, at: usize) -> Option<WorkItem> {
        let mut state = self.state();
        let index = state.members.get_mut(at)?.holds.take()?;
        state.queue.finish(index);
        let item = state.queue.get(index)?.clone();
        drop(state);
        self.wake();
        Some(item)
    }

    /// Takes out the waiting items that no device is left for, each with the reason.
    pub fn take_unassigned(&self) -> Vec<UnassignedItem> {
        let now = Instant::now();
        self.take_out(|state, item| state.unassigned(item, now))
            .into_iter()
            .map(|(item, device, why)| UnassignedItem { item, device, why })
            .collect()
    }

    /// Takes out the items that fit no device, each with the label of the device that it was for.
    pub fn take_unfit<M: Clone>(
        &self,
        judge: impl Fn(&WorkItem, &[Member]) -> Option<M>,
    ) -> Vec<(WorkItem, String, M)> {
        self.take_out(|state, item| judge(item, &state.members))
    }

    /// Takes out all waiting items, deferred ones too, each with the label of the device that it was for, which is
    /// empty for an item that any could take. The flows of a sequence are returned singly. Items that devices work on
    /// stay.
    pub fn take_rest(&self) -> Vec<(WorkItem, String)> {
        let acquired = self.take_out(|_, _| Some(()));
        acquired
            .into_iter()
            .map(|(item, device, ())| (item, device))
            .collect()
    }

    /// Takes out the waiting items for which `why` gives a reason, each with the label of its device. All flows of
    /// a sequence are returned with the reason of its first. Wakes the others if any was taken.
    fn take_out<W: Clone>(
        &self,
        why: impl Fn(&PoolState, &WorkItem) -> Option<W>,
    ) -> Vec<(WorkItem, String, W)> {
        let mut state = self.state();
        let mut queue = std::mem::replace(&mut state.queue, Queue::new(Vec::new()));
        let indices = queue.take_all(|item| why(&state, item).is_some());
        let mut acquired = Vec::new();
        for index in indices {
            queue.finish(index);
            if let Some(item) = queue.get(index)
                && let Some(why) = why(&state, item)
            {
                let label = state.label_of(item);
                let all = item.clone().all();
                acquired.extend(all.map(|item| (item, label.clone(), why.clone())));
            }
        }
        state.queue = queue;
        drop(state);
        if !acquired.is_empty() {
            self.wake();
        }
        acquired
    }
}
