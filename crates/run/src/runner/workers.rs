//! Workers of a run, one a device: each opens its device, works while there is work for it, and reopens a
//! lost device.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::device_steps::DeviceSteps;
use super::fit::{DeviceFacts, Fit, PictureClasses};
use super::pool::{Availability, NextAction, Pictures, Pool};
use super::state::Run;
use super::work_item::{ItemNext, WorkItem};
use crate::app_versions::AppVersions;
use crate::devices::{self, OpenDevice, OpenOptions, Target};
use crate::lease::{Lease, LeaseError, Leases};
use crate::stamp::DeviceStamp;
use runner_device::DeviceError;
use runner_device::uia2::Use;
use runner_engine::Session;
use runner_event::{EventKind, FlowStatus};
use runner_text::units::HumanDuration;
use runner_tools::{Failure, FailureKind};

/// First pause before a lost device is asked again; it doubles each time. Chosen: a phone that restarts its
/// adbd is back after a few seconds.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// Longest pause before a lost device is asked again. Chosen: a device that comes back is used within a minute.
const MAX_PAUSE: Duration = Duration::from_mins(1);
/// Chosen: a device that came back may still be starting its system; after this it counts as lost.
const LOOK_LIMIT: Duration = Duration::from_secs(30);
/// Interval of checks whether a leased device is free. Chosen: each is one attempt to lock a file.
const LEASE_PAUSE: Duration = Duration::from_millis(250);

struct OpenedDevice {
    // Declared before the device, so that it is dropped first: a closed device cannot be asked.
    stamp: Option<DeviceStamp>,
    /// Setup and teardown of the project for it.
    steps: DeviceSteps,
    device: OpenDevice,
    apps: AppVersions,
}

struct Worker {
    run: Arc<Run>,
    pool: Arc<Pool>,
    at: usize,
    target: Target,
    options: OpenOptions,
}

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

    /// Reports the item that a panicked worker leaves, with the rest of its sequence, as errors, so that they
    /// are not lost silently. The device is out for good, and items for it alone end too.
    pub(super) fn end_panicked(&self, pool: &Pool, at: usize, error: &tokio::task::JoinError) {
        let why = format!("the work on this device stopped: {error}; this is a bug");
        let targets = pool.targets();
        let label = targets.get(at).map_or("", |target| &target.label);
        for item in pool.take_from(at).into_iter().flat_map(WorkItem::all) {
            let failure = Failure::new(FailureKind::Infrastructure, why.clone());
            self.finish_unstarted(&item, label, FlowStatus::Error, failure, None);
        }
        pool.set(at, Availability::Out { why }, None);
        self.end_unassigned(pool);
    }

    /// Ends the items that no device is left for, as errors of the infrastructure. If a flow lost a device
    /// before, its message says so.
    fn end_unassigned(&self, pool: &Pool) {
        for unassigned in pool.take_unassigned() {
            let mut why = unassigned.why;
            if let Some(lost) = unassigned.item.lost_on.first() {
                why = format!("device '{lost}' was lost under this flow, and then {why}");
            }
            let failure = Failure::new(FailureKind::Infrastructure, why);
            let (item, device) = (&unassigned.item, &unassigned.device);
            self.finish_unstarted(item, device, FlowStatus::Error, failure, None);
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

impl Worker {
    /// Works on one device from its lease to its end: opens it, runs items, waits for it when it is lost, and closes
    /// it. The project's setup for it runs only once it has an item. Returns once no work is left for it, or if it can
    /// never be used.
    async fn work(self) {
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

    /// Takes the lease on the device, which a virtual and a WebDriver device do not need, and waits for one that
    /// another run holds, at most as long as `device_wait` says. `None` if it was not released, there is no work for
    /// the device, or the run stops. If leases cannot be written, it warns and goes on without.
    async fn lease(&self) -> Option<Lease> {
        let run = &self.run;
        let server = run.settings.config.adb_server();
        let leases = Leases::new(&run.settings.config.lease_folder, &server, "runner test");
        let wait = run.settings.config.device_wait.value;
        let end = Instant::now() + wait;
        let mut is_told = false;
        loop {
            let holder = match leases.take(&self.target) {
                Ok(lease) => return Some(lease),
                Err(LeaseError::Io { folder, source }) => {
                    let why = format!(
                        "no lease on '{}', so another run may use it too: {folder}: {source}",
                        self.target.label
                    );
                    run.emitter.warn(None, why);
                    return Some(Lease::none());
                }
                Err(held) => held.to_string(),
            };
            let in_use = format!("device '{}' is in use: {holder}", self.target.label);
            if Instant::now() >= end {
                let waited = HumanDuration(wait);
                let why = format!(
                    "{in_use}; it was waited for {waited}. Wait until that is done, name another device, or raise --device-wait"
                );
                self.pool.set(self.at, Availability::Out { why }, None);
                return None;
            }
            if !is_told {
                is_told = true;
                self.pool.set(self.at, Availability::InUse, None);
                let limit = HumanDuration(wait);
                run.emitter
                    .info(None, format!("{in_use}; it is waited for, {limit} at most"));
                self.open_pool();
            }
            if run.stops() || !self.pool.has_left(self.at) {
                self.pool
                    .set(self.at, Availability::Out { why: in_use }, None);
                return None;
            }
            let pause = tokio::time::sleep(LEASE_PAUSE);
            run.cancel.run_until_cancelled(pause).await?;
        }
    }

    /// Opens the device for the first time, and waits if another computer uses it, at most as long as `device_wait`
    /// says. If that fails, items that no device is left for end; it may come back later only if any device may take a
    /// flow and the error is not final. `None` also if the run stops.
    async fn open_first(&self) -> Option<OpenedDevice> {
        if self.run.stops() {
            return None;
        }
        let wait = self.run.settings.config.device_wait.value;
        let end = Instant::now() + wait;
        let error = loop {
            match self.opened().await? {
                Ok(opened) => return Some(opened),
                // Another computer has it.
                Err(error @ DeviceError::InUse { .. }) if Instant::now() < end => {
                    if self.pool.is_coming(self.at) {
                        self.pool.set(self.at, Availability::InUse, None);
                        self.open_pool();
                        let limit = HumanDuration(wait);
                        let note = format!("{error}; it is waited for, {limit} at most");
                        self.run.emitter.info(None, note);
                    }
                    if self.run.stops() || !self.pool.has_left(self.at) {
                        break error;
                    }
                    let pause = tokio::time::sleep_until(end.min(Instant::now() + FIRST_PAUSE));
                    self.run.cancel.run_until_cancelled(pause).await?;
                }
                Err(error) => break error,
            }
        };
        let why = error.to_string();
        let is_final = !self.run.spreads() || is_final(&error);
        let presence = if is_final {
            Availability::Out { why }
        } else {
            // It never was there, so no work waits for it. It may come back all the same.
            let until = Instant::now();
            Availability::Gone { until, why }
        };
        self.pool.set(self.at, presence, None);
        self.run.end_unassigned(&self.pool);
        None
    }

    /// Opens the pool once all devices are known.
    fn open_pool(&self) {
        if self.pool.can_open() {
            self.run.finish_all_unfit(&self.pool);
            self.pool.open();
        }
    }

    /// Opens the device, writes its note for other computers, and tells the pool that it is ready. Warns if it had to
    /// be woken. `None` if the run was interrupted meanwhile. The error inside is that of opening, or `InUse` if
    /// another run's note is there.
    async fn opened(&self) -> Option<Result<OpenedDevice, DeviceError>> {
        let opening = async {
            let (device, was_woken) =
                Box::pin(devices::open_for_flows(&self.target, &self.options)).await?;
            let stamp = self.stamp(&device).await?;
            if was_woken {
                let label = &self.target.label;
                let why = format!("device '{label}' was asleep or locked; it was woken");
                self.run.emitter.warn(None, why);
            }
            Ok((device, stamp))
        };
        let opened = self.run.cancel.run_until_cancelled(opening).await?;
        Some(opened.map(|(device, stamp)| self.is_ready(device, stamp)))
    }

    /// Opens a device again that was released after a flow. A failure counts as a lost device, and returns `None`.
    /// After an interruption it is `None` too, and the device does not count as lost.
    async fn reopen(&self) -> Option<OpenedDevice> {
        match self.opened().await? {
            Ok(opened) => Some(opened),
            Err(error) => {
                let until = Instant::now() + self.run.settings.config.device_wait.value;
                let why = error.to_string();
                self.pool
                    .set(self.at, Availability::Gone { until, why }, None);
                None
            }
        }
    }

    /// Writes a note on a device that other computers reach too, to keep them off. `None` for a device that only this
    /// computer reaches. An error if another run's note is there, or the device does not answer. A warning is given
    /// later if another run takes it all the same.
    async fn stamp(&self, opened: &OpenDevice) -> Result<Option<DeviceStamp>, DeviceError> {
        let server = self.run.settings.config.adb_server();
        if !self.target.address.is_shared(&server) {
            return Ok(None);
        }
        let leases = Leases::new(
            &self.run.settings.config.lease_folder,
            &server,
            "runner test",
        );
        let (emitter, label) = (self.run.emitter.clone(), self.target.label.clone());
        let lost = move |holder| {
            let why = format!("device '{label}' is used by another run too: {holder}");
            emitter.warn(None, why);
        };
        let label = &self.target.label;
        let by = (self.run.settings.run_id.as_str(), leases.holder());
        let stamp = DeviceStamp::take(&opened.device, label, by, lost).await?;
        Ok(Some(stamp))
    }

    /// Reports the device, tells the pool that it is ready, and returns it as opened. The project's setup has not run
    /// on it.
    fn is_ready(&self, device: OpenDevice, stamp: Option<DeviceStamp>) -> OpenedDevice {
        let info = device.device.info();
        self.run.emit_device(&self.target, info);
        let facts = DeviceFacts::new(info, &self.target);
        self.pool.set(self.at, Availability::Ready, Some(facts));
        OpenedDevice {
            stamp,
            steps: DeviceSteps::new(&self.run, &device.device),
            device,
            apps: AppVersions::default(),
        }
    }

    /// Asks a lost device again until it shows its screen: at once if it was open before, then after 5 s and
    /// after twice as long each time, at most a minute. `None` if there is no more work for it, the run
    /// stops, an error is final, or it is not lost. Items whose wait for it is over end meanwhile.
    async fn regain(&self) -> Option<OpenedDevice> {
        let (until, was_ready) = self.pool.is_gone(self.at)?;
        let mut pause = FIRST_PAUSE;
        // A device that was lost for a moment is back at once.
        let mut ask_at = Instant::now() + if was_ready { Duration::ZERO } else { pause };
        loop {
            let changed = self.pool.changed();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.run.stops() || !self.pool.has_left(self.at) {
                return None;
            }
            let now = Instant::now();
            if ask_at > now {
                let wake_at = if until > now {
                    ask_at.min(until)
                } else {
                    ask_at
                };
                tokio::select! {
                    () = self.run.cancel.cancelled() => return None,
                    () = changed => {}
                    () = tokio::time::sleep_until(wake_at) => {}
                }
                self.run.end_unassigned(&self.pool);
                continue;
            }
            let why = match self.reopen_and_look().await? {
                Ok(opened) => return Some(opened),
                Err(error) if is_final(&error) => {
                    let why = error.to_string();
                    self.pool.set(self.at, Availability::Out { why }, None);
                    self.run.end_unassigned(&self.pool);
                    return None;
                }
                Err(error) => error.to_string(),
            };
            self.pool
                .set(self.at, Availability::Gone { until, why }, None);
            self.run.end_unassigned(&self.pool);
            ask_at = Instant::now() + pause;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    /// Opens a device again and looks at it: one that answers may not show a screen yet, which is an error
    /// after 30 s. `None` if the run was interrupted meanwhile.
    async fn reopen_and_look(&self) -> Option<Result<OpenedDevice, DeviceError>> {
        let asking = async {
            let device = devices::open(&self.target, &self.options).await?;
            let session = Session::new(Arc::clone(&device.device));
            let looked = tokio::time::timeout(LOOK_LIMIT, session.look()).await;
            match looked {
                Ok(Ok(_)) => {
                    let stamp = self.stamp(&device).await?;
                    Ok((device, stamp))
                }
                Ok(Err(error)) => Err(self.lost(error.to_string())),
                Err(_) => Err(self.lost("it does not show its screen".to_owned())),
            }
        };
        let requested = self.run.cancel.run_until_cancelled(asking).await?;
        Some(requested.map(|(device, stamp)| self.is_ready(device, stamp)))
    }

    /// Returns the error that this device was lost.
    fn lost(&self, cause: String) -> DeviceError {
        DeviceError::Lost {
            serial: self.target.label.clone(),
            cause,
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
fn is_final(error: &DeviceError) -> bool {
    matches!(
        error,
        DeviceError::Refused { .. } | DeviceError::NotSetUp { .. }
    )
}
