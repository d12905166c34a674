//! Queue of a run's work. Whoever is free takes the next item; nothing is assigned beforehand.

use super::fit::Fit;

/// Items with their stages. Each item is taken, and then either given back or finished.
#[derive(Debug)]
pub(super) struct Queue<T> {
    items: Vec<(T, Stage)>,
    /// All items before this index are finished.
    first: ItemIndex,
}

/// Index of an item in its queue.
pub(super) type ItemIndex = usize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Waiting,
    /// Waits until no other item that fits waits.
    Deferred,
    Acquired,
    Finished,
}

impl<T> Queue<T> {
    /// Creates a queue of items in the order in which to take them.
    pub fn new(items: Vec<T>) -> Self {
        let waiting = |item| (item, Stage::Waiting);
        Self {
            items: items.into_iter().map(waiting).collect(),
            first: 0,
        }
    }

    pub fn get(&self, index: ItemIndex) -> Option<&T> {
        self.items.get(index).map(|(item, _)| item)
    }

    pub fn get_mut(&mut self, index: ItemIndex) -> Option<&mut T> {
        self.items.get_mut(index).map(|(item, _)| item)
    }

    /// Takes the first of the items that fit best, and deferred ones only if no other fits at all. `None` if
    /// none fits.
    pub fn take(&mut self, fit: impl Fn(&T) -> Fit) -> Option<ItemIndex> {
        let index = self
            .best(Stage::Waiting, &fit)
            .or_else(|| self.best(Stage::Deferred, &fit))?;
        self.set(index, Stage::Acquired);
        Some(index)
    }

    /// Returns the items that may be unfinished. It skips the finished ones at the front, as a queue of
    /// thousands is asked once for each.
    fn open(&self) -> impl Iterator<Item = (ItemIndex, &(T, Stage))> {
        self.items.iter().enumerate().skip(self.first)
    }

    /// Returns the first of the items in this stage that fit best. `None` if none fits.
    fn best(&self, wanted: Stage, fit: impl Fn(&T) -> Fit) -> Option<ItemIndex> {
        let mut best: Option<(Fit, ItemIndex)> = None;
        for (index, (item, stage)) in self.open() {
            if *stage != wanted {
                continue;
            }
            let fits = fit(item);
            if fits != Fit::No && best.is_none_or(|(known, _)| fits > known) {
                best = Some((fits, index));
            }
            if fits == Fit::Well {
                break;
            }
        }
        best.map(|(_, index)| index)
    }

    /// Takes all waiting items, deferred ones too, for which `which` returns true, in order.
    pub fn take_all(&mut self, which: impl Fn(&T) -> bool) -> Vec<ItemIndex> {
        let mut acquired = Vec::new();
        for (index, (item, stage)) in self.items.iter_mut().enumerate() {
            let waits = matches!(stage, Stage::Waiting | Stage::Deferred);
            if waits && which(item) {
                *stage = Stage::Acquired;
                acquired.push(index);
            }
        }
        acquired
    }

    /// Puts a taken item back to wait.
    pub fn give_back(&mut self, index: ItemIndex) {
        self.set(index, Stage::Waiting);
    }

    /// Puts a taken item back to wait until no other item does.
    pub fn defer(&mut self, index: ItemIndex) {
        self.set(index, Stage::Deferred);
    }

    /// Marks a taken item as finished.
    pub fn finish(&mut self, index: ItemIndex) {
        self.set(index, Stage::Finished);
        let finished = self.open();
        let finished = finished.take_while(|(_, (_, stage))| *stage == Stage::Finished);
        self.first += finished.count();
    }

    fn set(&mut self, index: ItemIndex, stage: Stage) {
        if let Some((_, now)) = self.items.get_mut(index) {
            *now = stage;
        }
    }

    /// Returns true if an unfinished item satisfies `is_mine`, also one that another device has and may give
    /// back.
    pub fn has_left(&self, is_mine: impl Fn(&T) -> bool) -> bool {
        self.open()
            .any(|(_, (item, stage))| *stage != Stage::Finished && is_mine(item))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Event of one of the devices.
    #[derive(Debug, Clone, Copy)]
    enum QueueEvent {
        Takes,
        Finishes,
        Leaves,
        Returns,
    }

    fn happenings() -> impl Strategy<Value = Vec<(usize, QueueEvent)>> {
        use QueueEvent::{Finishes, Leaves, Returns, Takes};
        let one = prop_oneof![Just(Takes), Just(Finishes), Just(Leaves), Just(Returns)];
        prop::collection::vec((0..4_usize, one), 0..200)
    }

    /// Returns the fit of a device: it fits if its bit is set, and the lowest set bit is the preferred one.
    fn fit(needs: u8, device: usize) -> Fit {
        if needs & (1 << device) == 0 {
            Fit::No
        } else if needs.trailing_zeros() as usize == device {
            Fit::Well
        } else {
            Fit::Possibly
        }
    }

    proptest! {
        #[test]
        fn each_item_is_finished_once_whatever_order_devices_come_go_and_return(
            items in prop::collection::vec(1_u8..16, 0..30),
            happenings in happenings(),
        ) {
            let mut queue = Queue::new(items.clone());
            let mut held: [Option<ItemIndex>; 4] = [None; 4];
            let mut away = [false; 4];
            let mut ended: BTreeMap<ItemIndex, u32> = BTreeMap::new();
            let mut step = |device: usize, happening, queue: &mut Queue<u8>| match happening {
                QueueEvent::Takes if held[device].is_none() && !away[device] => {
                    let free = |needs: &u8| fit(*needs, device);
                    held[device] = queue.take(free);
                    let others = held.iter().enumerate().filter(|(other, _)| *other != device);
                    for (_, other) in others {
                        assert!(other.is_none() || *other != held[device], "two have one item");
                    }
                    if let Some(index) = held[device] {
                        assert!(free(&items[index]) != Fit::No);
                    }
                }
                QueueEvent::Finishes => {
                    if let Some(index) = held[device].take() {
                        queue.finish(index);
                        *ended.entry(index).or_default() += 1;
                    }
                }
                QueueEvent::Leaves => {
                    away[device] = true;
                    if let Some(index) = held[device].take() {
                        queue.give_back(index);
                    }
                }
                QueueEvent::Returns => away[device] = false,
                QueueEvent::Takes => {}
            };
            for (device, happening) in happenings {
                step(device, happening, &mut queue);
            }
            // In the end all devices are there, and work until nothing is left.
            for _ in 0..=items.len() {
                for device in 0..4 {
                    step(device, QueueEvent::Returns, &mut queue);
                    step(device, QueueEvent::Takes, &mut queue);
                    step(device, QueueEvent::Finishes, &mut queue);
                }
            }
            prop_assert!(!queue.has_left(|_| true));
            prop_assert_eq!(ended.len(), items.len());
            prop_assert!(ended.values().all(|times| *times == 1));
        }

        #[test]
        fn no_device_idles_while_an_item_that_fits_it_waits(
            items in prop::collection::vec(0_u8..16, 1..20),
            device in 0..4_usize,
        ) {
            let mut queue = Queue::new(items.clone());
            let mine = items.iter().filter(|needs| fit(**needs, device) != Fit::No).count();
            let mut taken = Vec::new();
            while let Some(index) = queue.take(|needs| fit(*needs, device)) {
                taken.push(index);
            }
            prop_assert_eq!(taken.len(), mine);
            // What it is liked for comes first, each kind in the order of the queue.
            let rank = |index: &ItemIndex| (std::cmp::Reverse(fit(items[*index], device)), *index);
            prop_assert!(taken.is_sorted_by_key(rank));
        }
    }

    #[test]
    fn what_was_deferred_comes_after_all_that_fits() {
        let mut queue = Queue::new(vec![1, 2, 3]);
        let odd = |item: &i32| if item % 2 == 1 { Fit::Well } else { Fit::No };
        assert_eq!(queue.take(odd), Some(0));
        queue.defer(0);
        // What fits somebody else does not hold it up.
        assert_eq!([queue.take(odd), queue.take(odd)], [Some(2), Some(0)]);
        queue.defer(0);
        assert_eq!(queue.take_all(|item| *item == 1), [0]);
    }

    #[test]
    fn what_waits_is_taken_out_at_once() {
        let mut queue = Queue::new(vec![1, 2, 3, 4]);
        assert_eq!(queue.take(|_| Fit::Well), Some(0));
        assert_eq!(queue.take_all(|item| item % 2 == 0), [1, 3]);
        assert_eq!(queue.take_all(|item| item % 2 == 0), [] as [ItemIndex; 0]);
        queue.give_back(0);
        assert_eq!(queue.take(|_| Fit::Possibly), Some(0));
        for index in [0, 1, 3] {
            queue.finish(index);
        }
        assert!(queue.has_left(|item| *item == 3));
        assert!(!queue.has_left(|item| *item != 3));
    }

    #[test]
    fn what_is_finished_is_not_looked_at_again() {
        let mut queue = Queue::new(vec![(); 5]);
        let open = |queue: &Queue<()>| queue.open().map(|(index, _)| index).collect::<Vec<_>>();
        for _ in 0..3 {
            queue.take(|()| Fit::Well);
        }
        queue.finish(1);
        assert_eq!(open(&queue), [0, 1, 2, 3, 4]);
        queue.finish(0);
        assert_eq!(open(&queue), [2, 3, 4]);
        queue.give_back(2);
        assert_eq!(queue.take(|()| Fit::Well), Some(2));
    }
}
