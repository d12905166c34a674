//! Devices of a long-lived server: opened when first needed, and opened again after a loss. A server with
//! several devices works with one at a time.

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

/// Idle time after which a driver's server on the device is stopped: it keeps other clients from the device's
/// automation. Chosen: longer than an agent thinks between two calls; a restart costs seconds.
const IDLE: Duration = Duration::from_mins(1);

/// Idle time after which the lease is released. Chosen: another run waits no longer than that once an agent
/// has finished.
const LEASE_IDLE: Duration = Duration::from_secs(30);

/// Chosen: enough for a dozen settings on a slow phone; a device that hangs delays the exit no longer.
const RESTORE_LIMIT: Duration = Duration::from_secs(10);

/// Connection to one or several devices, of which one is chosen.
#[derive(Debug)]
pub struct Connection {
    /// One line for each device.
    lines: Vec<Arc<DeviceLine>>,
    chosen: AtomicUsize,
}

/// Connection to one device. The tools' memory outlives a lost device.
#[derive(Debug)]
pub struct DeviceLine {
    wanted: Vec<DeviceSpec>,
    /// Index into `wanted`, if it is one of several devices.
    place: Option<usize>,
    options: OpenOptions,
    locations: Vec<StorageLocation>,
    memory: Arc<Extensions>,
    open: Mutex<Option<OpenConnection>>,
    /// What a person has to do before the device opens, such as a confirmation on its screen.
    notice: Arc<std::sync::Mutex<Option<String>>>,
    gate: Arc<RwLock<()>>,
    leases: Leases,
    lease: Arc<std::sync::Mutex<LeaseInUse>>,
}

/// Lease on the device, and the time of its last use.
#[derive(Debug)]
struct LeaseInUse {
    lease: Option<Lease>,
    used: Instant,
}

/// Marks the device as in use until it is dropped.
#[derive(Debug)]
struct UseGuard(Arc<std::sync::Mutex<LeaseInUse>>);

impl Drop for UseGuard {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).used = Instant::now();
    }
}

/// Access to the device beside other calls. A call takes it once: the gate is fair, so a second request could
/// wait for a run that waits for the first.
#[derive(Debug)]
#[must_use]
pub struct SharedAccess {
    _guard: OwnedRwLockReadGuard<()>,
    _mark: UseGuard,
}

/// Exclusive access to the device: a run's steps are not mixed with other calls.
#[derive(Debug)]
#[must_use]
pub struct ExclusiveAccess {
    _guard: OwnedRwLockWriteGuard<()>,
    _mark: UseGuard,
}

#[derive(Debug, Clone)]
pub struct OpenConnection {
    pub target: Target,
    /// Session that all tools share.
    pub session: Arc<Session>,
    device: Arc<OpenDevice>,
}

impl OpenConnection {
    /// Device, for a run with a session of its own.
    pub fn device(&self) -> &Arc<dyn Device> {
        &self.device.device
    }
}

impl Connection {
    /// Creates a connection to the one device that the configuration names, or else to the only connected one. Opens
    /// and checks nothing: several named devices are an error of [`Self::opened`]. `program` names the holder of the
    /// lease.
    pub fn new(config: &Config, program: &str) -> Self {
        Self {
            lines: vec![Arc::new(DeviceLine::new(config, program, None))],
            chosen: AtomicUsize::new(0),
        }
    }

    /// Creates connections to all devices that the configuration names, in its order; if it names none, one
    /// connection to the only connected device. The first is chosen. Nothing is opened or checked yet.
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

    /// Returns the connections to all devices, in the order of the configuration; at least one.
    pub fn lines(&self) -> &[Arc<DeviceLine>] {
        &self.lines
    }

    /// Returns the index of the chosen device in [`Self::lines`].
    pub fn chosen(&self) -> usize {
        self.chosen.load(Ordering::Acquire)
    }

    /// Switches to the device at this index, also the current one, once nobody uses the current one; waits without a
    /// limit. Returns false, without waiting, if there is none at this index. The device is not opened, and the one
    /// before stays open.
    pub async fn choose(&self, place: usize) -> bool {
        if place >= self.lines.len() {
            return false;
        }
        let _alone = self.lock_exclusive().await;
        self.chosen.store(place, Ordering::Release);
        true
    }

    fn line(&self) -> &DeviceLine {
        // `choose` accepts only indices of these.
        &self.lines[self.chosen()]
    }

    /// Returns true if somebody has or awaits exclusive access to the chosen device.
    #[cfg(any(test, feature = "testing"))]
    pub fn is_awaited(&self) -> bool {
        self.line().gate.try_read().is_err()
    }

    /// Waits without a limit until no run has or awaits exclusive access to the chosen device, and returns shared
    /// access to it. If another one was chosen meanwhile, waits for that one. Does not open it.
    pub async fn lock_shared(&self) -> SharedAccess {
        loop {
            let place = self.chosen();
            let access = self.lines[place].lock_shared().await;
            if place == self.chosen() {
                return access;
            }
        }
    }

    /// Waits without a limit until nobody uses the chosen device, and keeps others waiting while the result exists.
    /// If another one was chosen meanwhile, waits for that one. Does not open it. Must not be called with shared
    /// access in hand.
    pub async fn lock_exclusive(&self) -> ExclusiveAccess {
        loop {
            let place = self.chosen();
            let access = self.lines[place].lock_exclusive().await;
            if place == self.chosen() {
                return access;
            }
        }
    }

    /// Returns the chosen device, and opens it first if necessary; see [`DeviceLine::opened`]. The caller has access
    /// to it.
    ///
    /// # Errors
    /// [`DeviceError`]: what stands in the way, and what to do.
    pub async fn opened(&self) -> Result<OpenConnection, DeviceError> {
        self.line().opened().await
    }

    /// Returns what calls to the chosen device wait for now: that it is being opened (or the notice for its owner
    /// meanwhile), or that a run has it to itself. `None` if a call would not wait. Does not wait itself, and opens
    /// nothing.
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

    /// Closes the chosen device, so that the next call opens it again. The virtual device needs this when its apps
    /// changed. The caller must have exclusive access. Settings are not put back, and the lease is kept. Does nothing
    /// to a device that is not open.
    pub async fn close(&self) {
        self.line().close().await;
    }

    /// Puts back the settings that calls changed, on all open devices, one after the other and within 10 s each, and
    /// discards recordings that still run. Returns a message for each device where that failed, also if another program
    /// has taken it; none if all is well. Devices that are not open are skipped, and open ones stay open. Waits for one
    /// that is being opened, but not for a run.
    pub async fn restore(&self) -> Vec<String> {
        let mut left = Vec::new();
        for line in &self.lines {
            let Some(opened) = line.open.lock().await.clone() else {
                continue;
            };
            // Another program may have taken the device meanwhile.
            let restored = match line.take_lease(&opened.target) {
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

    /// Returns true if the session's device was lost, and forgets it: the next call opens it again. It asks the
    /// device, as a call may also have failed because a file of this program was missing. A device that answers is
    /// kept, and the result is false. It is also true for a lost device that another call has forgotten before.
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
    /// Creates a line to the device at `place` of those configured, or to the only one for `None`. Opens and checks
    /// nothing. Notices for the device's owner are kept for [`Connection::waits_for`].
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

    /// Returns the label, or else the name that the configuration gives; `the device` if it names none. The second
    /// device of the same name gets `-2`, and so on. Does not ask the device.
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

    /// Waits without a limit until no run has or awaits exclusive access, and returns shared access. Does not open
    /// the device.
    pub async fn lock_shared(&self) -> SharedAccess {
        SharedAccess {
            _guard: Arc::clone(&self.gate).read_owned().await,
            _mark: UseGuard(Arc::clone(&self.lease)),
        }
    }

    /// Waits without a limit until nobody uses the device, and returns exclusive access. From the call on others
    /// wait, until the result is dropped. Does not open the device.
    pub async fn lock_exclusive(&self) -> ExclusiveAccess {
        ExclusiveAccess {
            _guard: Arc::clone(&self.gate).write_owned().await,
            _mark: UseGuard(Arc::clone(&self.lease)),
        }
    }

    /// Returns the device, and opens it first if necessary; a second call meanwhile waits. Takes the lease on it in
    /// either case. An open device is not asked whether it still answers. Takes no access: the caller has it.
    ///
    /// # Errors
    /// [`DeviceError`]: the reason why it cannot be used, and the next thing to do. A closed one stays closed then,
    /// an open one whose lease another program holds stays open.
    pub async fn opened(&self) -> Result<OpenConnection, DeviceError> {
        // Locked while it opens, so that of two first calls one opens the device and the other finds it
        // open.
        let mut open = self.open.lock().await;
        if let Some(opened) = &*open {
            self.take_lease(&opened.target)?;
            return Ok(opened.clone());
        }
        let target = self.target().await?;
        self.take_lease(&target)?;
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

    /// Takes the lease on the device unless it is held already; does not wait for it. It is released after
    /// [`LEASE_IDLE`] without use. An error only if another program holds it: if leases cannot be written at all, it
    /// warns and goes on without.
    fn take_lease(&self, target: &Target) -> Result<(), DeviceError> {
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

    /// Forgets the device if `session` is still its session; else does nothing. The next call opens it again. Waits
    /// while the device is being opened.
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

    /// Closes the device, so that the next call opens it again. Waits while it is being opened. Puts no settings
    /// back.
    async fn close(&self) {
        *self.open.lock().await = None;
    }

    /// Finds the device of this line, asking the adb server if need be. Without a place there must be exactly one,
    /// else it is an error. The result is not cached, and nothing is opened.
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
