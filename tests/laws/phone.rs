//! A fake phone that shows given windows, whatever is done to it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use runner::screen::{Display, Rect};
use runner::virtual_device::{
    AccessibilityAction, ApkManifest, Frame, KeyPress, PackageDump, Phone, PhoneError,
    PhoneFactory, Setting, Switch, Touch, WindowDump,
};

use super::screen::APP;

/// Windows of a phone, shared with the test that changes them.
pub type Windows = Arc<Mutex<Vec<WindowDump>>>;

struct StillPhone {
    windows: Windows,
    display: Display,
    on: BTreeSet<Switch>,
    locale: String,
    apks: BTreeMap<String, Arc<ApkManifest>>,
}

/// Returns a factory of phones that show these windows.
pub fn factory(windows: &Windows) -> PhoneFactory {
    let windows = Arc::clone(windows);
    Arc::new(move |options| {
        Ok(Box::new(StillPhone {
            windows: Arc::clone(&windows),
            display: options.display,
            on: BTreeSet::new(),
            locale: "en-US".to_owned(),
            apks: BTreeMap::new(),
        }))
    })
}

fn package(name: &str, label: &str, apk: Option<Arc<ApkManifest>>) -> PackageDump {
    let version = apk.as_ref().map_or("1.0", |apk| &apk.version_name);
    PackageDump {
        package: name.to_owned(),
        label: label.to_owned(),
        system: false,
        launchable: Some(".Main".to_owned()),
        activities: Vec::new(),
        version: version.to_owned(),
        version_code: apk.as_ref().map_or(1, |apk| apk.version_code),
        permissions: Vec::new(),
        apk,
    }
}

impl Phone for StillPhone {
    fn windows(&self) -> Vec<WindowDump> {
        let windows = self.windows.lock();
        windows.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn draw(&mut self) -> Arc<Frame> {
        let (width, height) = (self.display.width, self.display.height);
        let color = image::Rgba([10, 20, 30, 255]);
        Arc::new(image::RgbaImage::from_pixel(width, height, color).into())
    }

    fn drawing(&self) -> u64 {
        0
    }

    fn display(&self) -> Display {
        self.display
    }

    fn fingers(&mut self, _: &[Touch]) {}

    fn key(&mut self, _: &KeyPress) {}

    fn input_text(&mut self, _: &str) -> Result<(), char> {
        Ok(())
    }

    fn commit_text(&mut self, _: &str) -> bool {
        true
    }

    fn accessibility_action(&mut self, _: i32, _: Rect, _: &AccessibilityAction) -> bool {
        false
    }

    fn packages(&self) -> Vec<PackageDump> {
        let apks = self.apks.iter();
        let apks = apks.map(|(name, apk)| package(name, name, Some(Arc::clone(apk))));
        [package(APP, "Notes", None)]
            .into_iter()
            .chain(apks)
            .collect()
    }

    fn start(
        &mut self,
        _: &str,
        _: Option<&str>,
        _: &BTreeMap<String, String>,
    ) -> Result<(), PhoneError> {
        Ok(())
    }

    fn open_link(&mut self, _: &str, _: Option<&str>) -> Result<(), PhoneError> {
        Ok(())
    }

    fn force_stop(&mut self, _: &str) {}

    fn clear(&mut self, _: &str) -> bool {
        true
    }

    fn install(&mut self, _: &camino::Utf8Path) -> Result<String, PhoneError> {
        Ok(APP.to_owned())
    }

    fn install_apk(&mut self, manifest: Arc<ApkManifest>, _: bool) -> Result<(), PhoneError> {
        self.apks.insert(manifest.package.clone(), manifest);
        Ok(())
    }

    fn uninstall(&mut self, package: &str) -> bool {
        self.apks.remove(package).is_some()
    }

    fn set_permission(&mut self, _: &str, _: &str, _: bool) -> Result<(), PhoneError> {
        Ok(())
    }

    fn set(&mut self, setting: Setting) {
        match setting {
            Setting::Locale(tag) => self.locale = tag,
            Setting::Switch(switch, true) => {
                self.on.insert(switch);
            }
            Setting::Switch(switch, false) => {
                self.on.remove(&switch);
            }
            _ => {}
        }
    }

    fn is_on(&self, switch: Switch) -> bool {
        self.on.contains(&switch)
    }

    fn locale(&self) -> String {
        self.locale.clone()
    }

    fn processes(&self) -> Vec<(u32, String)> {
        vec![(501, APP.to_owned())]
    }

    fn take_log(&mut self) -> Vec<(char, String, String, u32)> {
        Vec::new()
    }

    fn clipboard(&self) -> Option<String> {
        None
    }

    fn set_clipboard(&mut self, _: &str) {}

    fn status_bar(&mut self, _: &str) {}

    fn a2ui(&mut self, _: &str) -> Result<String, PhoneError> {
        Ok("{}".to_owned())
    }

    fn a2ui_surfaces(&self) -> String {
        "[]".to_owned()
    }

    fn advance(&mut self, _: Duration) {}

    fn keyboard_shown(&self) -> bool {
        false
    }
}
