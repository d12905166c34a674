//! Device settings by server commands, for servers without a shell. Covers the ones that can be both read and
//! restored.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::Request;
use crate::device::WebDriverDevice;
use crate::error::WebDriverError;
use runner_device::DeviceError;
use runner_device::settings::{Rotation, Setting};

/// Time limit for requests that take a moment. Chosen: generous for a cloud far away.
const QUICK: Duration = Duration::from_secs(30);

/// Answer of `mobile: getConnectivity`, of which only this part is asked.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Connectivity {
    airplane_mode: bool,
}

impl WebDriverDevice {
    /// Returns true if the display is in landscape now.
    ///
    /// # Errors
    ///
    /// Fails if the server does not answer with one of WebDriver's two orientations.
    pub(crate) async fn orientation(&self) -> Result<bool, DeviceError> {
        let name = "GET orientation";
        let request = Request::get(self.session.path("/orientation"), QUICK);
        let message: String = self.query(request.called(name)).await?;
        match message.to_ascii_uppercase().as_str() {
            "LANDSCAPE" => Ok(true),
            "PORTRAIT" => Ok(false),
            _ => Err(self.error(WebDriverError::Unexpected {
                what: name.to_owned(),
                column: None,
            })),
        }
    }

    /// Returns true if the device's natural orientation is landscape: its display is wider than high. False
    /// if the size is not known.
    pub(crate) fn is_naturally_landscape(&self) -> bool {
        let natural = self.info.display.value().copied().unwrap_or_default();
        natural.width > natural.height
    }

    /// Implements [`runner_device::ServerSystem::setting`]. With a shell it returns `None` for all settings, since
    /// the caller then asks the shell; without one, for font scale and language. Rotation is only told as upright or
    /// turned by a quarter. Two are not asked: animations count as off, and the place as the device's real one.
    ///
    /// # Errors
    ///
    /// Fails for an answer of another form: the device would be left with a guess at the end.
    pub(crate) async fn current_setting(
        &self,
        wanted: &Setting,
    ) -> Result<Option<Setting>, DeviceError> {
        if self.shell.is_open() {
            return Ok(None);
        }
        Ok(match wanted {
            Setting::Night(_) => {
                let arguments = json!({ "mode": "night" });
                let mode: String = self
                    .mobile("tell its theme", "getUiMode", arguments, QUICK)
                    .await?;
                Some(Setting::Night(mode))
            }
            Setting::Airplane(_) => {
                let arguments = json!({ "services": ["airplaneMode"] });
                let state: Connectivity = self
                    .mobile("tell airplane mode", "getConnectivity", arguments, QUICK)
                    .await?;
                Some(Setting::Airplane(state.airplane_mode))
            }
            Setting::Location(_) => {
                let on: bool = self
                    .mobile("tell location", "isGpsEnabled", json!({}), QUICK)
                    .await?;
                Some(Setting::Location(on))
            }
            Setting::Rotation(_) => {
                let turned = self.orientation().await? != self.is_naturally_landscape();
                Some(Setting::Rotation(Rotation::Fixed(turned.into())))
            }
            // `appium:disableWindowAnimation` keeps them off during the session.
            Setting::Animations(_) => Some(Setting::no_animations()),
            // The server does not report the previous place, so the device's real one is restored.
            Setting::Place(_) => Some(Setting::Place(None)),
            Setting::FontScale(_) | Setting::Locale { .. } => None,
        })
    }

    /// Implements [`runner_device::ServerSystem::set`]. Returns false, and changes nothing, if there is a
    /// shell, and for rotation by the sensor, font scale and language. Returns true for animations too, which
    /// stay as they are. Location is switched only if it differs; half turns are not told apart.
    pub(crate) async fn change_setting(&self, setting: &Setting) -> Result<bool, DeviceError> {
        if self.shell.is_open() {
            return Ok(false);
        }
        match setting {
            Setting::Night(mode) => {
                let arguments = json!({ "mode": "night", "value": mode });
                self.quick("switch its dark theme", "setUiMode", arguments)
                    .await?;
            }
            Setting::Airplane(on) => {
                let arguments = json!({ "airplaneMode": on });
                self.quick("switch airplane mode", "setConnectivity", arguments)
                    .await?;
            }
            Setting::Location(on) => {
                if self.current_setting(setting).await? != Some(Setting::Location(*on)) {
                    self.quick("switch location", "toggleGps", json!({}))
                        .await?;
                }
            }
            Setting::Place(Some(place)) => {
                let place = json!({ "latitude": place.lat(), "longitude": place.lon() });
                let path = self.session.path("/location");
                let request = Request::post(path, &json!({ "location": place }), QUICK);
                let _: Value = self.query(request.called("POST location")).await?;
            }
            Setting::Place(None) => {
                self.quick("have its own place back", "resetGeolocation", json!({}))
                    .await?;
            }
            Setting::Rotation(Rotation::Fixed(turns)) => {
                let lies = (turns % 2 == 1) != self.is_naturally_landscape();
                let name = if lies { "LANDSCAPE" } else { "PORTRAIT" };
                let path = self.session.path("/orientation");
                let request = Request::post(path, &json!({ "orientation": name }), QUICK);
                let _: Value = self.query(request.called("POST orientation")).await?;
            }
            Setting::Animations(_) => {}
            Setting::Rotation(Rotation::Sensor)
            | Setting::FontScale(_)
            | Setting::Locale { .. } => return Ok(false),
        }
        Ok(true)
    }
}
