//! The device of a long-lived server: opened when first needed, opened again after it was lost. A server of several
//! devices works with one of them at a time, which may be chosen anew.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Mutex, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};
use tokio::time::timeout;

use super::devices::{self, OpenDevice, OpenOptions, Target};
use super::lease::{Lease, LeaseError, Leases};
use super::liveness::silence;
use runner_config::{Config, DeviceSpec};
use runner_device::uia2::Use;
use runner_device::{Device, DeviceError};
use runner_engine::{Extensions, Session, StorageLocation};

/// A driver's server goes when no call needed it for so long: it keeps other clients from the device's automation.
const IDLE: Duration = Duration::from_mins(1);

/// A device that no call needed for so long is free for other runs.
const LEASE_IDLE: Duration = Duration::from_secs(30);

/// Time to put back the settings of one device.
const RESTORE_LIMIT: Duration = Duration::from_secs(10);

/// The way to the device that is worked with.
#[derive(Debug)]
pub struct Connection {
    /// One, or one a device.
    lines: Vec<Arc<DeviceLine>>,
    chosen: AtomicUsize,
}

/// The way to one device. What tools remember outlives the device's absence.
#[derive(Debug)]
pub struct DeviceLine {
    wanted: Vec<DeviceSpec>,
    /// Which of those that are wanted, where it is one of several.
    place: Option<usize>,
    options: OpenOptions,
    locations: Vec<StorageLocation>,
    memory: Arc<Extensions>,
    open: Mutex<Option<OpenConnection>>,
    /// What a person has to do before the device opens.
    notice: Arc<std::sync::Mutex<Option<String>>>,
    gate: Arc<RwLock<()>>,
    leases: Leases,
    lease: Arc<std::sync::Mutex<LeaseInUse>>,
}

/// The lease on the device, and when it was needed last.
#[derive(Debug)]
struct LeaseInUse {
    lease: Option<Lease>,
    used: Instant,
}

/// Somebody uses the device as long as this lives.
#[derive(Debug)]
struct UseMark(Arc<std::sync::Mutex<LeaseInUse>>);

impl Drop for UseMark {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).used = Instant::now();
    }
}

/// The device, used by one call beside others. A call takes it once, for the gate is fair: a second time might wait for a
/// run that waits for the first.
#[derive(Debug)]
#[must_use]
pub struct SharedAccess {
    _guard: OwnedRwLockReadGuard<()>,
    _mark: UseMark,
}

/// The device, used by nobody else: a run's steps are not mixed with other calls.
#[derive(Debug)]
#[must_use]
pub struct ExclusiveAccess {
    _guard: OwnedRwLockWriteGuard<()>,
    _mark: UseMark,
}

/// A device that is open, and the session on it.
#[derive(Debug, Clone)]
pub struct OpenConnection {
    /// What it was asked for as.
    pub target: Target,
    /// The session all tools share.
    pub session: Arc<Session>,
    device: Arc<OpenDevice>,
}

impl OpenConnection {
    /// The device itself, for a run with a session of its own.
    pub fn device(&self) -> &Arc<dyn Device> {
        &self.device.device
    }
}

impl Connection {
    /// The way to the device that the configuration names, for this program; nothing is opened yet.
    pub fn new(config: &Config, program: &str) -> Self {
        Self {
            lines: vec![Arc::new(DeviceLine::new(config, program, None))],
            chosen: AtomicUsize::new(0),
        }
    }

    /// Ways to each of the devices that the configuration names; the first is chosen.
    pub fn to_each(config: &Config, program: &str) -> Self {
        let several = config.devices.value.len();
        if several < 2 {
            return Self::new(config, program);
        }
        let line = |place| Arc::new(DeviceLine::new(config, program, Some(place)));
        Self {
            lines: (0..several).map(line).collect(),
            chosen: AtomicUsize::new(0),
        }
    }

    /// The ways to all devices.
    pub fn lines(&self) -> &[Arc<DeviceLine>] {
        &self.lines
    }

    /// The place of the device that is worked with.
    pub fn chosen(&self) -> usize {
        self.chosen.load(Ordering::Acquire)
    }

    /// Works with another device from now on, once nobody uses the one before; `false` where there is none at this place.
    pub async fn choose(&self, place: usize) -> bool {
        if place >= self.lines.len() {
            return false;
        }
        let _alone = self.alone().await;
        self.chosen.store(place, Ordering::Release);
        true
    }

    fn line(&self) -> &DeviceLine {
        // `choose` takes no other place than one of these.
        &self.lines[self.chosen()]
    }

    /// Whether somebody waits for the device alone while others use it.
    #[cfg(any(test, feature = "testing"))]
    pub fn is_awaited(&self) -> bool {
        self.line().gate.try_read().is_err()
    }

    /// Waits until no run has the device alone.
    pub async fn lock_shared(&self) -> SharedAccess {
        loop {
            let place = self.chosen();
            let access = self.lines[place].lock_shared().await;
            if place == self.chosen() {
                return access;
            }
        }
    }

    /// Waits until nobody uses the device, and keeps others waiting from then on.
    pub async fn alone(&self) -> ExclusiveAccess {
        loop {
            let place = self.chosen();
            let access = self.lines[place].alone().await;
            if place == self.chosen() {
                return access;
            }
        }
    }

    /// The device, opened if it is not.
    ///
    /// # Errors
    /// [`DeviceError`]: what stands in the way, and what to do.
    pub async fn opened(&self) -> Result<OpenConnection, DeviceError> {
        self.line().opened().await
    }

    /// Returns what keeps calls from the device now: what its owner has to do, or who has it.
    pub fn waits_for(&self) -> Option<String> {
        let line = self.line();
        if line.open.try_lock().is_err() {
            let notice = line.notice.lock().unwrap_or_else(PoisonError::into_inner);
            let opening = || format!("{} is being opened", line.name());
            return Some(notice.clone().unwrap_or_else(opening));
        }
        let is_taken = line.gate.try_read().is_err();
        is_taken.then(|| format!("a run has {} to itself", line.name()))
    }

    /// Closes the device that is worked with: the next call opens it anew. For apps of the virtual device that changed. The
    /// caller keeps others off it.
    pub async fn close(&self) {
        self.line().close().await;
    }

    /// Puts back what calls changed of the settings of all devices that are open. Gives what could not be put back, in words.
    pub async fn restore(&self) -> Vec<String> {
        let mut left = Vec::new();
        for line in &self.lines {
            let Some(opened) = line.open.lock().await.clone() else {
                continue;
            };
            // Another program may have taken the device meanwhile.
            let restored = match line.keep_others_off(&opened.target) {
                Ok(()) => timeout(RESTORE_LIMIT, opened.session.restore()).await,
                Err(error) => Ok(Err(error.into())),
            };
            let why = match restored {
                Ok(Ok(())) => continue,
                Ok(Err(error)) => error.to_string(),
                Err(_) => format!("no answer within {} s", RESTORE_LIMIT.as_secs()),
            };
            left.push(format!(
                "{}: settings that were changed could not all be put back: {why}",
                line.name()
            ));
        }
        left
    }

    /// Whether a session's device was lost. A call that failed on its way to the device may also have failed for want of
    /// a file of this program, so the device is asked. A lost one is forgotten: the next call opens it again.
    pub async fn forget_if_lost(&self, session: &Arc<Session>) -> bool {
        if silence(session.device()).await.is_none() {
            return false;
        }
        for line in &self.lines {
            line.forget(session).await;
        }
        true
    }
}

fn set(notice: &std::sync::Mutex<Option<String>>, text: Option<String>) {
    *notice.lock().unwrap_or_else(PoisonError::into_inner) = text;
}

impl DeviceLine {
    fn new(config: &Config, program: &str, place: Option<usize>) -> Self {
        let notice = Arc::new(std::sync::Mutex::new(None));
        let options = OpenOptions::new(config, Use::NowAndThen(IDLE)).with_notifier({
            let notice = Arc::clone(&notice);
            move |text| set(&notice, Some(text.to_owned()))
        });
        Self {
            wanted: config.devices.value.clone(),
            place,
            options,
            notice,
            locations: config.storage.value.clone(),
            memory: Arc::default(),
            open: Mutex::default(),
            gate: Arc::default(),
            leases: Leases::new(&config.lease_folder, &config.adb_server(), program),
            lease: Arc::new(std::sync::Mutex::new(LeaseInUse {
                lease: None,
                used: Instant::now(),
            })),
        }
    }

    /// What it is called: its label, or what it was asked for as.
    pub fn name(&self) -> String {
        let Some(spec) = self.wanted.get(self.place.unwrap_or(0)) else {
            return "the device".to_owned();
        };
        let name = |spec: &DeviceSpec| spec.label.clone().unwrap_or_else(|| spec.name.clone());
        let before = self.wanted.iter().take(self.place.unwrap_or(0));
        match before.filter(|other| name(other) == name(spec)).count() {
            0 => name(spec),
            number => format!("{}-{}", name(spec), number + 1),
        }
    }

    /// Waits until no run has the device alone.
    pub async fn lock_shared(&self) -> SharedAccess {
        SharedAccess {
            _guard: Arc::clone(&self.gate).read_owned().await,
            _mark: UseMark(Arc::clone(&self.lease)),
        }
    }

    /// Waits until nobody uses the device, and keeps others waiting from then on.
    pub async fn alone(&self) -> ExclusiveAccess {
        ExclusiveAccess {
            _guard: Arc::clone(&self.gate).write_owned().await,
            _mark: UseMark(Arc::clone(&self.lease)),
        }
    }

    /// The device, opened if it is not.
    ///
    /// # Errors
    /// [`DeviceError`]: what stands in the way, and what to do.
    pub async fn opened(&self) -> Result<OpenConnection, DeviceError> {
        // Held while it opens: of two first calls one opens the device, and the other finds it open.
        let mut open = self.open.lock().await;
        if let Some(opened) = &*open {
            self.keep_others_off(&opened.target)?;
            return Ok(opened.clone());
        }
        let target = self.target().await?;
        self.keep_others_off(&target)?;
        set(&self.notice, None);
        let device = Arc::new(devices::open(&target, &self.options).await?);
        let session = Session::new(Arc::clone(&device.device))
            .with_locations(self.locations.clone())
            .with_memory(Arc::clone(&self.memory));
        let opened = OpenConnection {
            target,
            session: Arc::new(session),
            device,
        };
        *open = Some(opened.clone());
        Ok(opened)
    }

    /// Takes the lease on the device, unless it is held already. It is let go when no call needed it for a while.
    fn keep_others_off(&self, target: &Target) -> Result<(), DeviceError> {
        let mut guard = self.lease.lock().unwrap_or_else(PoisonError::into_inner);
        if guard.lease.is_some() {
            return Ok(());
        }
        guard.lease = Some(match self.leases.take(target) {
            Ok(lease) => lease,
            Err(LeaseError::InUse(holder)) => {
                return Err(DeviceError::InUse {
                    serial: target.label.clone(),
                    holder: LeaseError::InUse(holder).to_string(),
                });
            }
            Err(error) => {
                tracing::warn!(target: "mcp", %error, "no lease on the device");
                Lease::none()
            }
        });
        guard.used = Instant::now();
        let (lease, gate) = (Arc::downgrade(&self.lease), Arc::downgrade(&self.gate));
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(LEASE_IDLE).await;
                let (Some(lease), Some(gate)) = (lease.upgrade(), gate.upgrade()) else {
                    return;
                };
                let nobody_uses_it = gate.try_write();
                let mut held = lease.lock().unwrap_or_else(PoisonError::into_inner);
                if nobody_uses_it.is_ok() && held.used.elapsed() >= LEASE_IDLE {
                    held.lease = None;
                    return;
                }
            }
        });
        Ok(())
    }

    /// Opens the device again at the next call, if it is this session's.
    async fn forget(&self, session: &Arc<Session>) {
        let mut open = self.open.lock().await;
        // Another call may have opened it again meanwhile.
        if open
            .as_ref()
            .is_some_and(|opened| Arc::ptr_eq(&opened.session, session))
        {
            *open = None;
        }
    }

    async fn close(&self) {
        *self.open.lock().await = None;
    }

    async fn target(&self) -> Result<Target, DeviceError> {
        let mut targets = devices::resolve(&self.wanted, &self.options.access.server).await?;
        if let Some(place) = self.place
            && place < targets.len()
        {
            return Ok(targets.swap_remove(place));
        }
        match <[Target; 1]>::try_from(targets) {
            Ok([target]) => Ok(target),
            Err(targets) => Err(DeviceError::Ambiguous(format!(
                "a server drives one device, but {} are named. Name one with `--device`",
                targets.len()
            ))),
        }
    }
}
