//! The one device of a long-lived server: opened when first needed, opened again after it was lost.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

use super::devices::{self, OpenDevice, OpenOptions, Target};
use super::liveness::silence;
use crate::config::Config;
use crate::device::DeviceSpec;
use crate::device::uia2::Use;
use crate::device::{Device, DeviceError};
use crate::engine::{Extensions, Session, StorageLocation};

/// A driver's server goes when no call needed it for so long: it keeps other clients from the device's automation.
const IDLE: Duration = Duration::from_mins(1);

/// The way to one device. What tools remember outlives the device's absence.
#[derive(Debug)]
pub struct Connection {
    wanted: Vec<DeviceSpec>,
    options: OpenOptions,
    locations: Vec<StorageLocation>,
    memory: Arc<Extensions>,
    open: Mutex<Option<OpenConnection>>,
    gate: Arc<RwLock<()>>,
}

/// The device, used by one call beside others. A call takes it once, for the gate is fair: a second time might wait for a
/// run that waits for the first.
#[derive(Debug)]
#[must_use]
pub struct SharedAccess {
    _held: OwnedRwLockReadGuard<()>,
}

/// The device, used by nobody else: a run's steps are not mixed with other calls.
#[derive(Debug)]
#[must_use]
pub struct ExclusiveAccess {
    _held: OwnedRwLockWriteGuard<()>,
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
    /// The way to the device that the configuration names; nothing is opened yet.
    pub fn new(config: &Config) -> Self {
        Self {
            wanted: config.devices.value.clone(),
            options: OpenOptions::new(config, Use::NowAndThen(IDLE)),
            locations: config.storage.value.clone(),
            memory: Arc::default(),
            open: Mutex::default(),
            gate: Arc::default(),
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
        }
    }

    /// Waits until nobody uses the device, and keeps others waiting from then on.
    pub async fn alone(&self) -> ExclusiveAccess {
        ExclusiveAccess {
            _held: Arc::clone(&self.gate).write_owned().await,
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
            return Ok(opened.clone());
        }
        let target = self.target().await?;
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
