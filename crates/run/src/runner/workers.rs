//! Workers of a run, one a device: each opens its device, works while there is work for it, and reopens a
//! lost device.

mod lease;
mod left_items;
mod opening;
mod worker;

use std::collections::HashMap;
use std::sync::Arc;

use tokio::task::JoinSet;

use self::worker::Worker;
use super::fit::PictureClasses;
use super::pool::{Pictures, Pool};
use super::state::Run;
use crate::devices::OpenOptions;
use runner_device::uia2::Use;

impl Run {
    /// Runs all items, with a task for each device. Dropping the future ends them all. Items that by their tags fit no
    /// device end before any is opened. In the end each item has a result, also those of a task that panics, those that
    /// no device is left for and those that did not begin.
    pub(super) async fn work_through(self: &Arc<Self>, pool: &Arc<Pool>) {
        if self.spreads() {
            pool.prefer(self.pictures());
        }
        // What tags alone decide is reported before any device is touched.
        self.finish_all_unfit(pool);
        let mut tasks = JoinSet::new();
        let mut places = HashMap::new();
        for (at, target) in pool.targets().into_iter().enumerate() {
            let emitter = self.emitter.clone();
            let worker = Worker {
                run: Arc::clone(self),
                pool: Arc::clone(pool),
                at,
                target,
                options: OpenOptions::new(&self.settings.config, Use::Throughout)
                    .with_notifier(move |notice| emitter.info(None, notice)),
            };
            places.insert(tasks.spawn(worker.work()).id(), at);
        }
        while let Some(ended) = tasks.join_next().await {
            if let Err(error) = ended
                && let Some(at) = places.get(&error.id())
            {
                self.end_panicked(pool, *at, &error);
            }
        }
        // What is left fits no device, or did not begin because the run ends.
        if !self.stops() {
            self.end_unassigned(pool);
        }
        for (item, device) in pool.take_rest() {
            self.not_run(&item, &device);
        }
    }

    /// Returns for which render classes the flows have pictures in the store. Reads its folders.
    fn pictures(&self) -> Pictures {
        let flows = self.plan.flows();
        let folder = |key: &camino::Utf8PathBuf| self.settings.golden_folder(key);
        Pictures {
            classes: PictureClasses::from_store(&self.settings.store),
            are_strict: self.settings.options.strict_pixels,
            folders: flows
                .map(|flow| (flow.key.clone(), folder(&flow.key)))
                .collect(),
        }
    }
}
