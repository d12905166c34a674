//! Converts a command without steps: the rules of each, or the reason why no step does the same.

use serde_json::{Map, Value, json};

use super::super::texts::{ConversionResult, cannot};
use super::super::write::OutStep;
use super::Writer;
use super::gesture::{milliseconds, over_display, swiped};
use crate::maestro::tree::{
    LaunchApp, LaunchArgument, MaestroCommand, RawSelector, RawText, file_name,
};
use runner_device::Direction;

impl Writer<'_> {
    /// Converts a command without steps; all that would act in another way is an error. `is_optional` says that the
    /// step is optional: then `optional` of its selector is dropped, and a touch waits for `OPTIONAL`. The caller
    /// adds the modifier.
    pub(super) fn command(
        &mut self,
        command: &MaestroCommand,
        is_optional: bool,
    ) -> ConversionResult<OutStep> {
        use MaestroCommand as M;
        Ok(match command {
            M::TapOn(tap) => self.tap("click", tap, is_optional)?,
            M::DoubleTapOn(tap) => self.tap("double_click", tap, is_optional)?,
            M::LongPressOn(tap) => self.tap("long_click", tap, is_optional)?,
            M::AssertVisible(selector) => {
                OutStep::line("assert visible", self.found(selector, is_optional)?)
            }
            M::AssertNotVisible(selector) => {
                let selector = self
                    .names
                    .element_or_none(&required(selector, is_optional))?;
                OutStep::line("assert not visible", selector)
            }
            M::ExtendedWaitUntil {
                visible,
                not_visible,
                timeout,
            } => self.wait(visible.as_ref(), not_visible.as_ref(), timeout.as_ref())?,
            M::WaitForAnimationToEnd { timeout } => OutStep::word("wait_for_idle")
                .with_modifier("timeout", milliseconds(timeout.as_ref(), "15s")?)
                .with_modifier("optional", true),
            M::Back => OutStep::word("back"),
            M::HideKeyboard => OutStep::word("hide_keyboard"),
            M::PressKey(key) => OutStep::line("press", key.android_name()),
            M::InputText(text) => OutStep::line("type", self.names.text(text)?),
            M::EraseText(count) => {
                OutStep::line("erase", json!({ "characters": count.unwrap_or(50) }))
            }
            M::Scroll => over_display(Direction::Up, 400),
            M::Swipe(swipe) => swiped(swipe)?,
            M::ScrollUntilVisible(scroll) => self.scroll_to(scroll)?,
            M::LaunchApp(launch) => self.launch(launch)?,
            M::StopApp(app) => self.app_step("stop", app.as_ref())?,
            M::ClearState(app) => self.app_step("clear", app.as_ref())?,
            M::TakeScreenshot {
                path,
                crop_on: None,
            } if !path.has_script() && !self.context.keeps_goldens => {
                OutStep::line("screenshot", file_name(&path.text))
            }
            M::OpenLink {
                link,
                browser: false,
                auto_verify: false,
            } => OutStep::line("open_link", self.names.text(link)?),
            other => return device_step(other),
        })
    }

    /// Converts the selector of an element that must exist. Its own `optional` is an error, unless the step
    /// is optional anyway.
    pub(super) fn found(
        &mut self,
        selector: &RawSelector,
        is_optional: bool,
    ) -> ConversionResult<Value> {
        self.names.element(&required(selector, is_optional))
    }

    /// Returns a step about an app, as a word without a value for the flow's own. Fails if the app's expression
    /// cannot be converted.
    fn app_step(&mut self, step: &'static str, app: Option<&RawText>) -> ConversionResult<OutStep> {
        Ok(match app {
            Some(app) => OutStep::line(step, self.names.text(app)?),
            None => OutStep::word(step),
        })
    }

    /// Converts a launch. Without `permissions` all are granted, as with Maestro. Single permissions, `all` denied
    /// without `clearState`, decimal arguments and names of arguments with an expression are errors. `clearKeychain`
    /// is dropped.
    fn launch(&mut self, launch: &LaunchApp) -> ConversionResult<OutStep> {
        let mut map = Map::new();
        if let Some(app) = &launch.app_id {
            map.insert("app".to_owned(), self.names.text(app)?.into());
        }
        if launch.clear_state {
            map.insert("clear".to_owned(), true.into());
        }
        if launch.stop_app == Some(false) {
            map.insert("stop".to_owned(), false.into());
        }
        let mut extras = Map::new();
        for (name, value) in &launch.arguments {
            if name.has_script() {
                return cannot("the name of an extra holds no expression");
            }
            let value = match value {
                LaunchArgument::Text(text) => self.names.text(text)?.into(),
                LaunchArgument::Boolean(flag) => (*flag).into(),
                LaunchArgument::Integer(number) => (*number).into(),
                LaunchArgument::Decimal(_) => {
                    return cannot("an extra is a text, a whole number or a boolean");
                }
            };
            extras.insert(name.text.clone(), value);
        }
        if !extras.is_empty() {
            map.insert("extras".to_owned(), extras.into());
        }
        let named = launch.permissions.as_ref().map(|named| {
            let texts = named
                .iter()
                .map(|(name, value)| (&*name.text, &*value.text));
            texts.collect::<Vec<_>>()
        });
        match named.as_deref() {
            None | Some([("all", "allow")]) => {
                map.insert("permissions".to_owned(), "all".into());
            }
            // An app without data has no permissions either.
            Some([("all", "deny" | "unset")]) if launch.clear_state => {}
            Some(_) => return cannot("permissions have Android's names here"),
        }
        Ok(if map.is_empty() {
            OutStep::word("launch")
        } else {
            OutStep::line("launch", map)
        })
    }
}

/// Returns the selector without its own `optional`, if the step is optional anyway.
fn required(selector: &RawSelector, is_optional: bool) -> RawSelector {
    let mut selector = selector.clone();
    selector.optional &= !is_optional;
    selector
}

/// Converts `setOrientation`, `setLocation`, `setAirplaneMode` and `setDarkMode`, with literal values. All others are
/// errors with the reason why no step here does the same.
fn device_step(command: &MaestroCommand) -> ConversionResult<OutStep> {
    use MaestroCommand as M;
    Ok(match command {
        M::SetOrientation(name) => {
            let plain = name.text.to_lowercase().replace('_', "");
            let to = match plain.as_str() {
                "portrait" => "portrait",
                "landscapeleft" => "landscape",
                "landscaperight" => "reverse_landscape",
                "upsidedown" => "reverse_portrait",
                _ => return cannot("`rotate` takes no expression"),
            };
            OutStep::line("rotate", to)
        }
        M::SetLocation {
            latitude,
            longitude,
        } => {
            let place = json!({ "lat": degrees(latitude)?, "lon": degrees(longitude)? });
            OutStep::line("set_device", json!({ "location": place }))
        }
        M::SetAirplaneMode(on) => OutStep::line("set_device", json!({ "airplane": on })),
        M::SetDarkMode(on) => OutStep::line("set_device", json!({ "dark": on })),
        M::EvalScript(_) | M::RunScript { .. } => return cannot("scripts are JavaScript"),
        M::AssertTrue(text) => return cannot(format!("`{}` is JavaScript", text.text)),
        M::Unsupported { name } => return cannot(format!("`{name}` never runs on Android")),
        _ => return cannot("no step here does just this"),
    })
}

/// Parses literal degrees of a location. An expression and any other text are errors; the range is not checked.
fn degrees(text: &RawText) -> ConversionResult<f64> {
    match text.text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => cannot("a place on earth holds no expression"),
    }
}
