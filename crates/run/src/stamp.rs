//! Note on a device that several computers reach, which says who uses it. A lease is a lock on one computer
//! only.
//!
//! It is best effort: two computers that ask at the same moment may miss each other. The one that later finds
//! another's note reports it.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::lease::Holder;
use runner_device::{Device, DeviceError, Script, quote};

/// Path of the note on the device.
const PLACE: &str = "/data/local/tmp/runner.lease";
/// Interval of renewals. Chosen: a third of [`VOID_AFTER`], so that one lost renewal does no harm.
const RENEWAL: Duration = Duration::from_mins(1);
/// Seconds without renewal after which a note is void. Chosen: a crashed run blocks a device no longer
/// than that; with less a slow connection would lose its note.
const VOID_AFTER: u64 = 180;
/// Chosen: limits one request; a device that hangs is handled elsewhere.
const LIMIT: Duration = Duration::from_secs(10);

/// Note of this run on a device. Dropping it stops the renewal.
pub struct DeviceStamp {
    device: Arc<dyn Device>,
    note: Note,
    renewal: Option<tokio::task::JoinHandle<()>>,
}

/// Content of the note. Times are the device's own, so that computers' clocks need not agree.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Note {
    id: String,
    /// Seconds since 1970.
    renewed: u64,
    holder: Holder,
}

/// Device time, and the note that was there.
struct Reading {
    now: u64,
    note: Option<Note>,
}

impl DeviceStamp {
    /// Writes the note of run `id`, unless another run's valid note is there, and renews it every minute until the
    /// result is dropped; the note itself stays until [`Self::give_back`], or is void 3 minutes later. `lost` is called
    /// once with the other holder if another run writes its note later; the renewal ends then.
    ///
    /// # Errors
    /// [`DeviceError::InUse`] if another run has the device, also if it came at the same moment. The error of a device
    /// that does not answer. One that answers but cannot store a note is no error: it has none.
    pub async fn take(
        device: &Arc<dyn Device>,
        label: &str,
        (id, holder): (&str, Holder),
        lost: impl Fn(String) + Send + 'static,
    ) -> Result<Self, DeviceError> {
        let in_use = |holder: &Holder| DeviceError::InUse {
            serial: label.to_owned(),
            holder: holder.to_string(),
        };
        let reading = read(device.as_ref()).await?;
        if let Some(note) = reading.other(id) {
            return Err(in_use(&note.holder));
        }
        let mut stamp = Self {
            device: Arc::clone(device),
            note: Note {
                id: id.to_owned(),
                renewed: reading.now,
                holder,
            },
            renewal: None,
        };
        // Read back, as another computer may have written at the same moment.
        let after = write(device.as_ref(), &stamp.note).await?;
        if let Some(note) = after.other(&stamp.note.id) {
            return Err(in_use(&note.holder));
        }
        let (device, mut note) = (Arc::clone(device), stamp.note.clone());
        stamp.renewal = Some(tokio::spawn(async move {
            loop {
                tokio::time::sleep(RENEWAL).await;
                // The worker notices a device that does not answer.
                let Ok(reading) = read(device.as_ref()).await else {
                    continue;
                };
                if let Some(other) = reading.other(&note.id) {
                    lost(other.holder.to_string());
                    return;
                }
                note.renewed = reading.now;
                let _ = write(device.as_ref(), &note).await;
            }
        }));
        Ok(stamp)
    }

    /// Removes the note if it is this run's. Errors are ignored: a note that stays is void after
    /// [`VOID_AFTER`] seconds.
    pub async fn give_back(self) {
        let is_mine = read(self.device.as_ref())
            .await
            .is_ok_and(|reading| reading.note.is_some_and(|note| note.id == self.note.id));
        if is_mine {
            let _ = ask(self.device.as_ref(), &format!("rm -f {PLACE}")).await;
        }
    }
}

impl Drop for DeviceStamp {
    fn drop(&mut self) {
        if let Some(renewal) = &self.renewal {
            renewal.abort();
        }
    }
}

impl Reading {
    /// Returns another run's note, if it is not void.
    fn other(&self, id: &str) -> Option<&Note> {
        let note = self.note.as_ref()?;
        // A note from the future means that the clock was put back. It expires like any other.
        let age = self.now.abs_diff(note.renewed);
        (note.id != id && age < VOID_AFTER).then_some(note)
    }
}

/// Reads the device's clock and the note. An unreadable clock is 0; a missing or unreadable note is none.
async fn read(device: &dyn Device) -> Result<Reading, DeviceError> {
    let message = ask(device, &format!("date +%s; cat {PLACE} 2>/dev/null")).await?;
    let mut lines = message.lines();
    let now = lines.next().and_then(|line| line.trim().parse().ok());
    Ok(Reading {
        now: now.unwrap_or_default(),
        note: lines
            .next()
            .and_then(|line| serde_json::from_str(line).ok()),
    })
}

/// Writes a note, and reads the device's clock and the note that is there afterwards.
async fn write(device: &dyn Device, note: &Note) -> Result<Reading, DeviceError> {
    let text = serde_json::to_string(note).unwrap_or_default();
    let text = quote(&text);
    // Not `echo`: Android's shell reads backslashes in what it is given.
    ask(device, &format!("printf '%s\\n' {text} > {PLACE}")).await?;
    read(device).await
}

async fn ask(device: &dyn Device, script: &str) -> Result<String, DeviceError> {
    let script = Script::raw(script, "lease");
    Ok(device.shell(&script, LIMIT).await?.text().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_device::adb::connect_direct;
    use runner_virtual_device::{VirtualDevice, VirtualDeviceOptions};

    fn holder(host: &str) -> Holder {
        Holder {
            pid: 1,
            host: host.to_owned(),
            program: "runner test".to_owned(),
            since: "2026-01-02T03:04:05Z".to_owned(),
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn another_computer_is_told_until_the_note_goes_or_is_void() {
        let phone = VirtualDevice::start(VirtualDeviceOptions::default()).await;
        let phone = phone.unwrap();
        let address = phone.address().to_string();
        let device = connect_direct(&address, "phone").await.unwrap();
        let take = async |host: &str| {
            DeviceStamp::take(&device, "phone", (host, holder(host)), |_| {}).await
        };
        let first = take("here").await.unwrap();
        let error = take("there").await.err().unwrap().to_string();
        assert!(
            error.contains("runner test, process 1 on here since"),
            "{error}"
        );
        // A device that was lost and is back still has this run's own.
        let again = take("here").await.unwrap();
        drop(first);
        again.give_back().await;
        let second = take("there").await.unwrap();
        // Nobody renews it any more, and the time passes.
        let mut void = second.note.clone();
        void.renewed -= VOID_AFTER;
        write(device.as_ref(), &void).await.unwrap();
        take("here").await.unwrap().give_back().await;
    }
}
