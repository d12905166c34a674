//! A phone with one app and one field, for tests of the protocol and the shell without real apps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::{
    AccessibilityAction, ApkManifest, AppError, Frame, KeyPress, NodeDump, PackageDump, Phone,
    PhoneError, PhoneFactory, Setting, Switch, Touch, WindowDump,
};
use crate::app_host::{FingerPath, PointerEvent};
use runner_screen::{Display, Rect};

#[derive(Debug)]
pub struct StubPhone {
    display: Display,
    text: String,
    running: bool,
    camera: bool,
    installed: bool,
    locale: String,
    on: BTreeSet<Switch>,
    clipboard: Option<String>,
    log: Vec<(char, String, String, u32)>,
    time: Duration,
    apks: BTreeMap<String, Arc<ApkManifest>>,
    path: FingerPath,
}

/// Returns a factory of stubs. Of the options only the display counts.
pub fn factory() -> PhoneFactory {
    Arc::new(|options| {
        Ok(Box::new(StubPhone {
            display: options.display,
            text: String::new(),
            running: true,
            camera: true,
            installed: true,
            locale: String::new(),
            on: BTreeSet::new(),
            clipboard: None,
            log: vec![('I', "Stub".to_owned(), "booted".to_owned(), 501)],
            time: Duration::ZERO,
            apks: BTreeMap::new(),
            path: FingerPath::default(),
        }))
    })
}

const PACKAGE: &str = "com.example.stub";

impl Phone for StubPhone {
    /// Returns one focused window: that of the stub with its field, or that of a launcher with nothing in it.
    fn windows(&self) -> Vec<WindowDump> {
        let bounds = self.display.bounds();
        let field = NodeDump {
            text: self.text.clone(),
            resource_id: "com.example.stub:id/field".to_owned(),
            class: "android.widget.EditText".to_owned(),
            clickable: true,
            enabled: true,
            focused: true,
            bounds: Rect::new(0, 100, 500, 200),
            ..NodeDump::default()
        };
        vec![WindowDump {
            id: 3,
            kind: "APPLICATION",
            title: "Stub".to_owned(),
            package: if self.running {
                PACKAGE
            } else {
                "com.android.launcher3"
            }
            .to_owned(),
            activity: Some(if self.running { ".Main" } else { ".Launcher" }.to_owned()),
            layer: 1,
            focused: true,
            bounds,
            root: Some(NodeDump {
                class: "android.widget.FrameLayout".to_owned(),
                enabled: true,
                bounds,
                children: if self.running {
                    vec![field]
                } else {
                    Vec::new()
                },
                ..NodeDump::default()
            }),
        }]
    }

    fn draw(&mut self) -> Arc<Frame> {
        let color = image::Rgba([10, 20, 30, 255]);
        let (width, height) = (self.display.width, self.display.height);
        Arc::new(image::RgbaImage::from_pixel(width, height, color).into())
    }

    fn drawing(&self) -> u64 {
        0
    }

    fn display(&self) -> Display {
        self.display
    }

    fn pointer(&mut self, event: &PointerEvent) {
        if let Some(touch) = self.path.take(event, self.time) {
            self.fingers(&[touch]);
        }
    }

    /// Logs the first and last point of the first finger, and the time of the last. The screen stays.
    fn fingers(&mut self, fingers: &[Touch]) {
        let Some(touch) = fingers.first() else {
            return;
        };
        let (first, _) = touch.path[0];
        let (last, time) = touch.path[touch.path.len() - 1];
        let text = format!(
            "{},{} {},{} {}ms",
            first.x,
            first.y,
            last.x,
            last.y,
            time.as_millis()
        );
        self.log.push(('D', "Touch".to_owned(), text, 501));
    }

    /// Logs the key. `DEL` also removes the last character of the field.
    fn key(&mut self, key: &KeyPress) {
        if key.name == "DEL" {
            self.text.pop();
        }
        let long = if key.long { " long" } else { "" };
        let ctrl = if key.ctrl { "CTRL " } else { "" };
        let message = format!("{ctrl}{}{long}", key.name);
        self.log.push(('D', "Key".to_owned(), message, 501));
    }

    /// Appends the text to the field. Returns the first character that is not ASCII as an error, and changes nothing
    /// then.
    fn input_text(&mut self, text: &str) -> Result<(), char> {
        if let Some(c) = text.chars().find(|c| !c.is_ascii()) {
            Err(c)
        } else {
            self.text.push_str(text);
            Ok(())
        }
    }

    fn commit_text(&mut self, text: &str) -> bool {
        self.text.push_str(text);
        true
    }

    /// Sets the field's text. Any other action or view is refused.
    fn accessibility_action(
        &mut self,
        _window: i32,
        bounds: Rect,
        action: &AccessibilityAction,
    ) -> bool {
        match action {
            AccessibilityAction::SetText(text) if bounds == Rect::new(0, 100, 500, 200) => {
                self.text.clone_from(text);
                true
            }
            _ => false,
        }
    }

    /// Returns the stub if it is installed, then the APKs by package.
    fn packages(&self) -> Vec<PackageDump> {
        let stub = PackageDump {
            package: PACKAGE.to_owned(),
            label: "Stub".to_owned(),
            system: false,
            launchable: Some(".Main".to_owned()),
            activities: Vec::new(),
            version: "1.0".to_owned(),
            version_code: 1,
            permissions: vec![("android.permission.CAMERA".to_owned(), self.camera)],
            apk: None,
        };
        let apks = self.apks.values().map(|apk| PackageDump {
            package: apk.package.clone(),
            label: apk.label.clone().unwrap_or_default(),
            system: false,
            launchable: apk.launchable.clone(),
            activities: Vec::new(),
            version: apk.version_name.clone(),
            version_code: apk.version_code,
            permissions: Vec::new(),
            apk: Some(Arc::clone(apk)),
        });
        let stub = self.installed.then_some(stub);
        stub.into_iter().chain(apks).collect()
    }

    /// Starts the stub, also with another activity. Any other package has no activity.
    fn start(
        &mut self,
        package: &str,
        activity: Option<&str>,
        _: &BTreeMap<String, String>,
    ) -> Result<(), PhoneError> {
        if package != PACKAGE {
            return Err(PhoneError::NoActivity {
                package: package.to_owned(),
                activity: activity.unwrap_or("Main").to_owned(),
            });
        }
        self.running = true;
        Ok(())
    }

    fn open_link(&mut self, uri: &str, _: Option<&str>) -> Result<(), PhoneError> {
        Err(PhoneError::Unresolved(format!(
            "Intent {{ act=android.intent.action.VIEW dat={uri} }}"
        )))
    }

    fn force_stop(&mut self, package: &str) {
        self.running &= package != PACKAGE;
    }

    fn clear(&mut self, package: &str) -> bool {
        package == PACKAGE
    }

    /// Installs the stub if the folder has an `app.yaml`, whose content does not matter.
    fn install(&mut self, folder: &camino::Utf8Path) -> Result<String, PhoneError> {
        if folder.join("app.yaml").is_file() {
            self.installed = true;
            Ok(PACKAGE.to_owned())
        } else {
            Err(PhoneError::InvalidApp(AppError::Unread {
                path: "app.yaml".into(),
                message: "not there".to_owned(),
            }))
        }
    }

    fn install_apk(&mut self, manifest: Arc<ApkManifest>, _: bool) -> Result<(), PhoneError> {
        self.apks.insert(manifest.package.clone(), manifest);
        Ok(())
    }

    fn uninstall(&mut self, package: &str) -> bool {
        let is_stub = package == PACKAGE && std::mem::take(&mut self.installed);
        self.apks.remove(package).is_some() || is_stub
    }

    /// Stores the only permission, whatever its name. An unknown package is an error.
    fn set_permission(&mut self, package: &str, _: &str, on: bool) -> Result<(), PhoneError> {
        if package == PACKAGE {
            self.camera = on;
            Ok(())
        } else {
            Err(PhoneError::UnknownPackage(package.to_owned()))
        }
    }

    /// Stores the locale and switches. Other settings are ignored.
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

    /// Returns the process of the stub while it runs.
    fn processes(&self) -> Vec<(u32, String)> {
        if self.running {
            vec![(501, PACKAGE.to_owned())]
        } else {
            Vec::new()
        }
    }

    fn take_log(&mut self) -> Vec<(char, String, String, u32)> {
        std::mem::take(&mut self.log)
    }

    fn clipboard(&self) -> Option<String> {
        self.clipboard.clone()
    }

    fn set_clipboard(&mut self, text: &str) {
        self.clipboard = Some(text.to_owned());
    }

    fn status_bar(&mut self, panel: &str) {
        self.log
            .push(('D', "StatusBar".to_owned(), panel.to_owned(), 501));
    }

    fn a2ui(&mut self, message: &str) -> Result<String, PhoneError> {
        Ok(format!("{{\"bytes\":{}}}", message.len()))
    }

    fn a2ui_surfaces(&self) -> String {
        "[]".to_owned()
    }

    fn advance(&mut self, by: Duration) {
        self.time += by;
    }

    fn keyboard_shown(&self) -> bool {
        false
    }
}
