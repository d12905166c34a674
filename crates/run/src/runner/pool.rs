//! The devices of a run and what waits for them: who is there, who has what, and what nobody is left for.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use camino::Utf8PathBuf;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::fit::{DeviceFacts, Fit, PictureClasses};
use super::queue::{Place, Queue};
use super::unfit::{Unfit, may_fit};
use super::{ItemNext, WorkItem};
use crate::devices::Target;

/// The devices of a run and what waits for them.
#[derive(Debug)]
pub(super) struct Pool {
    state: Mutex<PoolState>,
    changed: Notify,
}

#[derive(Debug)]
struct PoolState {
    queue: Queue<WorkItem>,
    members: Vec<Member>,
    /// Work may be taken: it is known that all of it fits somebody.
    is_open: bool,
    pictures: Option<Pictures>,
}

/// What is preferred where flows have pictures.
#[derive(Debug)]
pub(super) struct Pictures {
    pub classes: PictureClasses,
    /// Another device will not do.
    pub are_strict: bool,
    /// Where the goldens of a flow lie, by the flow's key.
    pub folders: std::collections::HashMap<Utf8PathBuf, Utf8PathBuf>,
}

/// A device of the run.
#[derive(Debug)]
pub(super) struct Member {
    pub target: Target,
    /// Once it was open.
    pub facts: Option<DeviceFacts>,
    pub presence: Availability,
    /// What it works on.
    holds: Option<Place>,
}

/// Whether a device is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Availability {
    /// It is being opened for the first time.
    Coming,
    /// Somebody else uses it.
    InUse,
    /// It works, or waits for work.
    Ready,
    /// It is asked again. Until then, work waits for it.
    Gone { until: Instant, why: String },
    /// It does not come back.
    Out { why: String },
}

/// An item for which no device is left.
#[derive(Debug)]
pub(super) struct UnassignedItem {
    pub item: WorkItem,
    /// The device it was for, or none.
    pub device: String,
    /// What became of each device that fits.
    pub why: String,
}

impl PoolState {
    fn fit(&self, item: &WorkItem, at: usize) -> Fit {
        let Some(member) = self.members.get(at) else {
            return Fit::No;
        };
        if item.bound.is_some_and(|bound| bound != at) || !may_fit(item.flow(), member) {
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
            // Nobody here would do better.
            Fit::Well
        } else if are_strict {
            Fit::No
        } else {
            Fit::Possibly
        }
    }

    /// As [`Self::fit`], for what is to be taken now: a device that was lost under an item does not get it again as
    /// long as another one is there.
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

    /// The classes that an item has pictures of.
    fn classes(&self, item: &WorkItem) -> Option<(&BTreeSet<String>, bool)> {
        let pictures = self.pictures.as_ref()?;
        let folder = pictures.folders.get(&item.flow().key)?;
        Some((pictures.classes.below(folder)?, pictures.are_strict))
    }

    /// Why nobody is left for an item, if that is so.
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

    fn take(&mut self, at: usize) -> Option<(Place, WorkItem, Fit)> {
        let mut queue = std::mem::replace(&mut self.queue, Queue::new(Vec::new()));
        let place = queue.take(|item| self.fit_now(item, at));
        self.queue = queue;
        let place = place?;
        let item = self.queue.get(place)?.clone();
        self.members.get_mut(at)?.holds = Some(place);
        let fit = self.fit(&item, at);
        Some((place, item, fit))
    }
}

/// What a device is to do next.
#[derive(Debug)]
pub(super) enum NextAction {
    /// Work, and how well the device fits it.
    Work(Box<WorkItem>, Fit),
    /// There may be work later.
    Wait,
    /// There is nothing more for it.
    Over,
}

impl Pool {
    /// A pool of devices that are about to be opened.
    pub fn new(items: Vec<WorkItem>, targets: Vec<Target>) -> Self {
        let member = |target| Member {
            target,
            facts: None,
            presence: Availability::Coming,
            holds: None,
        };
        // Where nothing has to be asked of devices first, each begins as soon as it is there.
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

    /// The devices.
    pub fn targets(&self) -> Vec<Target> {
        let state = self.state();
        state
            .members
            .iter()
            .map(|member| member.target.clone())
            .collect()
    }

    /// Flows with pictures prefer devices of these classes.
    pub fn prefer(&self, pictures: Pictures) {
        self.state().pictures = Some(pictures);
    }

    /// Something that may change whose turn it is. Made before it is looked, so that nothing is missed.
    pub fn changed(&self) -> tokio::sync::futures::Notified<'_> {
        self.changed.notified()
    }

    /// Wakes all who wait.
    pub fn wake(&self) {
        self.changed.notify_waiters();
    }

    /// What a device is to do next.
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

    /// Whether there is, or may be, something for a device to do.
    pub fn has_left(&self, at: usize) -> bool {
        let state = self.state();
        state.queue.has_left(|item| state.fit(item, at) != Fit::No)
    }

    /// A device is there, or not.
    pub fn set(&self, at: usize, presence: Availability, facts: Option<DeviceFacts>) {
        if let Some(member) = self.state().members.get_mut(at) {
            member.presence = presence;
            if facts.is_some() {
                member.facts = facts;
            }
        }
        self.wake();
    }

    /// Whether a device is being opened for the first time.
    pub fn is_coming(&self, at: usize) -> bool {
        let state = self.state();
        let member = state.members.get(at);
        member.is_some_and(|member| member.presence == Availability::Coming)
    }

    /// Until when work waits for a device that is gone, and whether it ever was there.
    pub fn is_gone(&self, at: usize) -> Option<(Instant, bool)> {
        let state = self.state();
        let member = state.members.get(at)?;
        match member.presence {
            Availability::Gone { until, .. } => Some((until, member.facts.is_some())),
            _ => None,
        }
    }

    /// Whether the pool may open, as it is known of each device what it is. Whoever opens it takes out
    /// first what fits nobody.
    pub fn is_about_to_open(&self) -> bool {
        let state = self.state();
        let known = |member: &Member| member.presence != Availability::Coming;
        !state.is_open && state.members.iter().all(known)
    }

    /// Work may be taken from now on.
    pub fn open(&self) {
        self.state().is_open = true;
        self.wake();
    }

    /// What a device worked on is over, or waits.
    pub fn put(&self, at: usize, mut item: WorkItem, next: ItemNext) {
        let mut state = self.state();
        let place = state
            .members
            .get_mut(at)
            .and_then(|member| member.holds.take());
        if let Some(place) = place {
            // A sequence goes on, on this device.
            let following = (next == ItemNext::Over).then(|| item.next(at)).flatten();
            let goes_on = following.is_some();
            if let Some(known) = state.queue.get_mut(place) {
                *known = following.unwrap_or(item);
            }
            match next {
                ItemNext::Over if goes_on => state.queue.give_back(place),
                ItemNext::Over => state.queue.finish(place),
                ItemNext::Again => state.queue.give_back(place),
                ItemNext::Later => state.queue.defer(place),
            }
        }
        drop(state);
        self.wake();
    }

    /// What a device worked on that stopped for good, as it was when it was taken.
    pub fn take_from(&self, at: usize) -> Option<WorkItem> {
        let mut state = self.state();
        let place = state.members.get_mut(at)?.holds.take()?;
        state.queue.finish(place);
        let item = state.queue.get(place)?.clone();
        drop(state);
        self.wake();
        Some(item)
    }

    /// Takes out what no device is left for.
    pub fn take_unassigned(&self) -> Vec<UnassignedItem> {
        let now = Instant::now();
        self.take_out(|state, item| state.unassigned(item, now))
            .into_iter()
            .map(|(item, device, why)| UnassignedItem { item, device, why })
            .collect()
    }

    /// Takes out what fits nobody, with the device it was for.
    pub fn take_unfit(
        &self,
        judge: impl Fn(&WorkItem, &[Member]) -> Option<Unfit>,
    ) -> Vec<(WorkItem, String, Unfit)> {
        self.take_out(|state, item| judge(item, &state.members))
    }

    /// Takes out all that still waits, with the device it was for.
    pub fn take_rest(&self) -> Vec<(WorkItem, String)> {
        let acquired = self.take_out(|_, _| Some(()));
        acquired
            .into_iter()
            .map(|(item, device, ())| (item, device))
            .collect()
    }

    fn take_out<W: Clone>(
        &self,
        why: impl Fn(&PoolState, &WorkItem) -> Option<W>,
    ) -> Vec<(WorkItem, String, W)> {
        let mut state = self.state();
        let mut queue = std::mem::replace(&mut state.queue, Queue::new(Vec::new()));
        let places = queue.take_all(|item| why(&state, item).is_some());
        let mut acquired = Vec::new();
        for place in places {
            queue.finish(place);
            if let Some(item) = queue.get(place)
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
