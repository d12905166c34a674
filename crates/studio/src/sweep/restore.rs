//! Remembers the device's settings before a sweep, and restores them.

use std::time::{Duration, Instant};

use super::appearances::Appearance;
use crate::messages::RunMessage;
use crate::{Studio, run};
use runner_device::Device;
use runner_device::settings::{self, Rotation, Setting};
use runner_engine::Session;
use runner_run::OpenConnection;
use runner_screen::Orientation;
use runner_tools::Failure;

/// Time for restoring, and time that a lost device may stay away. Chosen: a phone that restarts its adb comes
/// back within seconds.
const RESTORE_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_ABSENCE: Duration = Duration::from_mins(1);

/// Pause until a lost device is tried again. Chosen: a device that comes back is noticed soon.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// Settings that a sweep changes, with their old values. Settings that cannot be read are not in it.
pub(super) struct SavedSettings(Vec<Setting>);

impl SavedSettings {
    /// Reads from the device the settings that the appearances will change, each kind once: the language of `app`,
    /// or of the device without one. A setting that cannot be read is left out, and is not restored later. Never an
    /// error.
    pub(super) async fn read(
        session: &Session,
        appearances: &[Appearance],
        app: Option<&str>,
    ) -> Self {
        let device = session.device();
        let mut wanted: Vec<Setting> = Vec::new();
        for setting in appearances
            .iter()
            .flat_map(|appearance| all(appearance, device, app))
        {
            if !wanted.iter().any(|known| is_same_kind(known, &setting)) {
                wanted.push(setting);
            }
        }
        let mut before = Vec::new();
        for setting in wanted {
            before.extend(settings::current(device, &setting).await.ok());
        }
        Self(before)
    }

    /// Returns the settings to change for an appearance: those that differ from the old values, or whose old value is
    /// not known.
    pub(super) fn needed(
        &self,
        appearance: &Appearance,
        device: &dyn Device,
        app: Option<&str>,
    ) -> Vec<Setting> {
        let mut needed = all(appearance, device, app);
        needed.retain(|setting| !self.0.contains(setting));
        needed
    }

    /// Restores all settings that were read, even if the device was lost and comes back within [`MAX_ABSENCE`]; not
    /// longer once the studio stops. Only settings with another value are set.
    ///
    /// # Errors
    /// Returns an error that lists all settings to restore by hand, also those that may be right.
    pub(super) async fn put_back(
        &self,
        studio: &Studio,
        opened: &OpenConnection,
        session: &Session,
    ) -> Result<(), Failure> {
        let restored = tokio::time::timeout(RESTORE_TIMEOUT, session.restore()).await;
        // A device that was away for a moment may have other settings now.
        if matches!(restored, Ok(Ok(()))) && self.set(session.device()).await {
            return Ok(());
        }
        let message = "The device is lost; it is looked for again, to put its settings back.";
        run::notify(studio, &RunMessage::Note { message });
        let connection = &studio.workspace.connection;
        connection.forget_if_lost(&opened.session).await;
        let end = Instant::now() + MAX_ABSENCE;
        loop {
            if let Ok(again) = connection.opened().await
                && self.set(again.session.device()).await
            {
                return Ok(());
            }
            if Instant::now() >= end || studio.stop.is_cancelled() {
                break;
            }
            tokio::select! {
                () = tokio::time::sleep(RETRY_PAUSE) => {}
                () = studio.stop.cancelled() => {}
            }
        }
        let were: Vec<String> = self.0.iter().map(to_message).collect();
        Err(Failure::infrastructure(format!(
            "the device's settings could not be put back; set them by hand: {}",
            were.join(", ")
        )))
    }

    /// Restores the settings in order, and leaves those that are right. Returns true if all are right then, and if
    /// there are none. Returns false at the first that fails or takes longer than `RESTORE_TIMEOUT`.
    async fn set(&self, device: &dyn Device) -> bool {
        for setting in &self.0 {
            let now =
                tokio::time::timeout(RESTORE_TIMEOUT, settings::current(device, setting)).await;
            if matches!(&now, Ok(Ok(now)) if now == setting) {
                continue;
            }
            let made = tokio::time::timeout(RESTORE_TIMEOUT, settings::set(device, setting)).await;
            if !matches!(made, Ok(Ok(()))) {
                return false;
            }
        }
        true
    }
}

/// Returns all settings that an appearance sets, in the order theme, language, font size, rotation. Portrait and
/// landscape become a turn from the device's natural orientation. The language is that of `app`, or of the device
/// without one. What the appearance leaves open is left out.
fn all(appearance: &Appearance, device: &dyn Device, app: Option<&str>) -> Vec<Setting> {
    let display = device.info().display.value().copied();
    let upright = display.unwrap_or_default().orientation();
    let turn = |wanted: Orientation| {
        // The natural orientation of a tablet is landscape, so there portrait is turned.
        Setting::Rotation(Rotation::Fixed(u8::from(wanted != upright)))
    };
    let mut settings: Vec<Setting> = appearance.dark.map(Setting::dark).into_iter().collect();
    settings.extend(appearance.locale.clone().map(|tag| Setting::Locale {
        tag,
        app: app.map(str::to_owned),
    }));
    settings.extend(appearance.font.map(Setting::FontScale));
    settings.extend(appearance.orientation.map(turn));
    settings
}

fn is_same_kind(one: &Setting, other: &Setting) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}

/// Describes a setting's name and value for a person, such as `font size: 200 %`. Settings that no sweep changes
/// have their debug form.
fn to_message(setting: &Setting) -> String {
    match setting {
        Setting::Night(mode) => format!("dark theme: {mode}"),
        Setting::FontScale(percent) => format!("font size: {percent} %"),
        Setting::Locale { tag, .. } if tag.is_empty() => "language: the system's".to_owned(),
        Setting::Locale { tag, .. } => format!("language: {tag}"),
        Setting::Rotation(Rotation::Sensor) => "rotation: automatic".to_owned(),
        Setting::Rotation(Rotation::Fixed(quarter)) => format!("rotation: {quarter} quarter turns"),
        other => format!("{other:?}"),
    }
}
