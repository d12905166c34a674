//! A note on a device that several computers reach: which of them uses it. A lease is a lock, but on one computer only.
//!
//! It is best effort: whoever asks in the same moment as another may miss it. The one that finds another's note later says
//! so.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::lease::Holder;
use runner_device::{Device, DeviceError, Script, quote};

/// Where the note is on the device.
const PLACE: &str = "/data/local/tmp/runner.lease";
/// How often it is renewed.
const RENEWAL: Duration = Duration::from_mins(1);
/// A note that was not renewed for so many seconds is void.
const VOID_AFTER: u64 = 180;
/// Longest time for a request.
const LIMIT: Duration = Duration::from_secs(10);

/// The note of this run on a device. Whoever drops it stops renewing it.
pub struct DeviceStamp {
    device: Arc<dyn Device>,
    note: Note,
    renewal: Option<tokio::task::JoinHandle<()>>,
}

/// What stands on the device. Times are the device's own, so that clocks need not agree.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Note {
    id: String,
    /// Seconds since 1970.
    renewed: u64,
    holder: Holder,
}

/// What a device says of its note.
struct Reading {
    now: u64,
    note: Option<Note>,
}

impl DeviceStamp {
    /// Writes the note of the run `id`, unless another run's is there.
    ///
    /// # Errors
    /// [`DeviceError::InUse`] where another run has the device. A device that takes no note has none: no error.
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
        // Read back: another computer may have written in the same moment.
        let after = write(device.as_ref(), &stamp.note).await?;
        if let Some(note) = after.other(&stamp.note.id) {
            return Err(in_use(&note.holder));
        }
        let (device, mut note) = (Arc::clone(device), stamp.note.clone());
        stamp.renewal = Some(tokio::spawn(async move {
            loop {
                tokio::time::sleep(RENEWAL).await;
                // One that does not answer is found by who works on it.
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

    /// Takes the note away. One that stays is void after three minutes.
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
    /// Another run's note, if it counts.
    fn other(&self, id: &str) -> Option<&Note> {
        let note = self.note.as_ref()?;
        // One from the future is of a clock that was put back: it counts for no longer than any other.
        let age = self.now.abs_diff(note.renewed);
        (note.id != id && age < VOID_AFTER).then_some(note)
    }
}

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

/// Writes a note, and gives what stands there then.
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
