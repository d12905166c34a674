//! The one device of a long-lived server: opened when first needed, opened again after it was lost.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Mutex, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

use super::devices::{self, OpenDevice, OpenOptions, Target};
use super::lease::{Lease, LeaseError, Leases};
use super::liveness::silence;
use crate::config::Config;
use crate::device::DeviceSpec;
use crate::device::uia2::Use;
use crate::device::{Device, DeviceError};
use crate::engine::{Extensions, Session, StorageLocation};

/// A driver's server goes when no call needed it for so long: it keeps other clients from the device's automation.
const IDLE: Duration = Duration::from_mins(1);

/// A device that no call needed for so long is free for other runs.
const LEASE_IDLE: Duration = Duration::from_secs(30);

/// The way to one device. What tools remember outlives the device's absence.
#[derive(Debug)]
pub struct Connection {
    wanted: Vec<DeviceSpec>,
    options: OpenOptions,
    locations: Vec<StorageLocation>,
    memory: Arc<Extensions>,
    open: Mutex<Option<OpenConnection>>,
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
    _held: OwnedRwLockReadGuard<()>,
    _mark: UseMark,
}

/// The device, used by nobody else: a run's steps are not mixed with other calls.
#[derive(Debug)]
#[must_use]
pub struct ExclusiveAccess {
    _held: OwnedRwLockWriteGuard<()>,
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
            wanted: config.devices.value.clone(),
            options: OpenOptions::new(config, Use::NowAndThen(IDLE)),
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

    /// Whether somebody waits for the device alone while others use it.
    #[cfg(test)]
    pub(crate) fn is_awaited(&self) -> bool {
        self.gate.try_read().is_err()
    }

    /// Waits until no run has the device alone.
    pub async fn beside(&self) -> SharedAccess {
        SharedAccess {
            _held: Arc::clone(&self.gate).read_owned().await,
            _mark: UseMark(Arc::clone(&self.lease)),
        }
    }

    /// Waits until nobody uses the device, and keeps others waiting from then on.
    pub async fn alone(&self) -> ExclusiveAccess {
        ExclusiveAccess {
            _held: Arc::clone(&self.gate).write_owned().await,
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
        let mut held = self.lease.lock().unwrap_or_else(PoisonError::into_inner);
        if held.lease.is_some() {
            return Ok(());
        }
        held.lease = Some(match self.leases.take(target) {
            Ok(lease) => lease,
            Err(LeaseError::Held(holder)) => {
                return Err(DeviceError::InUse {
                    serial: target.label.clone(),
                    holder: LeaseError::Held(holder).to_string(),
                });
            }
            Err(error) => {
                tracing::warn!(target: "mcp", %error, "no lease on the device");
                Lease::none()
            }
        });
        held.used = Instant::now();
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

    /// Whether a session's device was lost. A call that failed on its way to the device may also have failed for want of
    /// a file of this program, so the device is asked. A lost one is forgotten: the next call opens it again.
    pub async fn forget_if_lost(&self, session: &Arc<Session>) -> bool {
        if silence(session.device()).await.is_none() {
            return false;
        }
        let mut open = self.open.lock().await;
        // Another call may have opened it again meanwhile.
        if open
            .as_ref()
            .is_some_and(|opened| Arc::ptr_eq(&opened.session, session))
        {
            *open = None;
        }
        true
    }

    /// Closes the device: the next call opens it anew. For apps of the virtual device that changed. The caller keeps others
    /// off it.
    pub async fn close(&self) {
        *self.open.lock().await = None;
    }

    async fn target(&self) -> Result<Target, DeviceError> {
        let targets = devices::resolve(&self.wanted, &self.options.access.server).await?;
        match <[Target; 1]>::try_from(targets) {
            Ok([target]) => Ok(target),
            Err(targets) => Err(DeviceError::Ambiguous(format!(
                "a server drives one device, but {} are named. Name one with `--device`",
                targets.len()
            ))),
        }
    }
}
