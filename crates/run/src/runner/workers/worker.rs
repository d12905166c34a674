//! The worker of one device: takes items while there is work for it, and closes it in the end.

use std::sync::Arc;

use tokio::time::Instant;

use crate::app_versions::AppVersions;
use crate::devices::{OpenDevice, OpenOptions, Target};
use crate::runner::device_steps::DeviceSteps;
use crate::runner::fit::Fit;
use crate::runner::pool::{Availability, NextAction, Pool};
use crate::runner::state::Run;
use crate::runner::work_item::{ItemNext, WorkItem};
use crate::stamp::DeviceStamp;
use runner_device::DeviceError;
use runner_event::EventKind;

pub(super) struct OpenedDevice {
    // Declared before the device, so that it is dropped first: a closed device cannot be asked.
    pub(super) stamp: Option<DeviceStamp>,
    /// Setup and teardown of the project for it.
    pub(super) steps: DeviceSteps,
    pub(super) device: OpenDevice,
    pub(super) apps: AppVersions,
}

pub(super) struct Worker {
    pub(super) run: Arc<Run>,
    pub(super) pool: Arc<Pool>,
    pub(super) at: usize,
    pub(super) target: Target,
    pub(super) options: OpenOptions,
}

impl Worker {
    /// Works on one device from its lease to its end: opens it, runs items, waits for it when it is lost, and closes
    /// it. The project's setup for it runs only once it has an item. Returns once no work is left for it, or if it can
    /// never be used.
    pub(super) async fn work(self) {
        let Some(_lease) = self.lease().await else {
            self.run.end_unassigned(&self.pool);
            self.open_pool();
            return;
        };
        let mut opened = self.open_first().await;
        let mut animations = None;
        self.open_pool();
        loop {
            let Some(device) = &mut opened else {
                opened = self.regain().await;
                let Some(regained) = &mut opened else {
                    return;
                };
                regained.steps.animations = animations.take();
                continue;
            };
            let Some((item, fit)) = self.next().await else {
                if let Some(opened) = opened {
                    self.close(opened).await;
                }
                return;
            };
            let (run, target) = (&self.run, &self.target);
            // Setup runs only now, as a device that gets no work needs none.
            if let Err(error) = device.steps.set_up(run, target, &device.apps).await {
                self.give_back(item, &error);
                // It may have got as far as turning them off.
                animations = device.steps.animations.clone();
                let opened = opened.take();
                if is_final(&error) {
                    if let Some(opened) = opened {
                        self.close(opened).await;
                    }
                    return;
                }
                continue;
            }
            if self.carry_out(item, fit, device).await {
                animations = device.steps.animations.take();
                opened = None;
            } else if self.target.is_for_one_flow() {
                if let Some(opened) = opened.take() {
                    self.close(opened).await;
                }
                if !self.pool.has_left(self.at) {
                    return;
                }
                opened = self.reopen().await;
            }
        }
    }

    /// Runs the teardown of a device, removes its note for other computers, and closes it.
    async fn close(&self, opened: OpenedDevice) {
        let OpenedDevice {
            stamp,
            steps,
            device,
            apps,
        } = opened;
        steps.tear_down(&self.run, &self.target, &apps).await;
        if let Some(stamp) = stamp {
            stamp.give_back().await;
        }
        drop(device);
    }

    /// Gives back an item that did not begin because the device could not be prepared; another device may
    /// take it. An error that is final makes the device out for good; else it counts as lost, and is waited
    /// for. Items that no device is left for end.
    fn give_back(&self, item: WorkItem, error: &DeviceError) {
        let why = error.to_string();
        let presence = if is_final(error) {
            Availability::Out { why }
        } else {
            self.run.emitter.emit(EventKind::DeviceLost {
                label: self.target.label.clone(),
                message: why.clone(),
            });
            let until = Instant::now() + self.run.settings.config.device_wait.value;
            Availability::Gone { until, why }
        };
        self.pool.set(self.at, presence, None);
        self.pool.put(self.at, item, ItemNext::Again);
        self.run.end_unassigned(&self.pool);
    }

    /// Opens the pool once all devices are known.
    pub(super) fn open_pool(&self) {
        if self.pool.can_open() {
            self.run.finish_all_unfit(&self.pool);
            self.pool.open();
        }
    }

    /// Returns the next item for this device, and waits for one. `None` if there is no more work for it, or
    /// the run stops.
    async fn next(&self) -> Option<(WorkItem, Fit)> {
        loop {
            let changed = self.pool.changed();
            tokio::pin!(changed);
            // From here on no change is missed.
            changed.as_mut().enable();
            if self.run.stops() {
                return None;
            }
            match self.pool.next_action(self.at) {
                NextAction::Work(item, fit) => return Some((*item, fit)),
                NextAction::Over => return None,
                NextAction::Wait => {}
            }
            self.run.cancel.run_until_cancelled(changed).await?;
        }
    }

    /// Runs an item and gives it back to the pool, over or not. Returns true if the device was lost, which is
    /// reported and makes the pool wait for it. Notes first if the device has no pictures for the flow's
    /// goldens.
    async fn carry_out(&self, mut item: WorkItem, fit: Fit, opened: &OpenedDevice) -> bool {
        let run = &self.run;
        if fit == Fit::Possibly {
            let note = "this device has no pictures of the flow's goldens, and those that have were busy: rows are compared, pictures are not";
            run.emitter
                .info(Some(&item.next_id(&self.target.label)), note);
        }
        let device = &opened.device.device;
        let ended = run
            .item(&mut item, &self.target, device, &opened.apps)
            .await;
        let is_lost = ended.lost.is_some();
        if let Some(why) = ended.lost {
            run.emitter.emit(EventKind::DeviceLost {
                label: self.target.label.clone(),
                message: why.clone(),
            });
            let until = Instant::now() + run.settings.config.device_wait.value;
            self.pool
                .set(self.at, Availability::Gone { until, why }, None);
        }
        self.pool.put(self.at, item, ended.next);
        is_lost
    }
}

/// Returns true for errors that a further try repeats: the owner refused, or setup steps failed.
pub(super) fn is_final(error: &DeviceError) -> bool {
    matches!(
        error,
        DeviceError::Refused { .. } | DeviceError::NotSetUp { .. }
    )
}
