//! Effects of touches on elements: reactions, the view state of the screen, and the values of inputs.

use serde_json::{Map, Value};

use super::VirtualPhone;
use crate::KeyPress;
use crate::apps::a2ui::{self, Menu, ViewState};
use crate::apps::ui::{Element, Target, TouchAction};
use runner_screen::Point;

impl VirtualPhone {
    /// Performs an element's reaction to a tap at `at`; `rect` is the element's bounds. Only a slider uses `at`, and
    /// sets the nearest whole number; a menu opens at `rect`. An app that cannot be launched is silently passed over.
    /// Redraws in any case.
    pub(super) fn react(
        &mut self,
        reaction: &TouchAction,
        element: &Element,
        rect: runner_screen::Rect,
        at: Point,
    ) {
        match reaction {
            TouchAction::Act { action, base } => self.act(action, base),
            TouchAction::Set { target, value } => {
                self.mark_edited(&element.key);
                self.put(target, value.clone());
            }
            TouchAction::Choose { target, value } => {
                self.close_popup(false);
                self.put(target, value.clone());
            }
            TouchAction::Focus => self.focus(&element.key, None),
            TouchAction::Slide { target, min, max } => {
                // The painter leaves half a thumb free at both ends.
                let edge = f64::from(self.settings.metrics().scale) * 10.0;
                let room = (f64::from(rect.width()) - 2.0 * edge).max(1.0);
                let fraction = ((f64::from(at.x - rect.left) - edge) / room).clamp(0.0, 1.0);
                let value = (min + (max - min) * fraction).round();
                self.put(target, Value::from(value));
            }
            TouchAction::Tab { key, index } => self.view(|view| {
                view.tabs.insert(key.clone(), *index);
                view.focus = None;
            }),
            TouchAction::OpenModal {
                content,
                base,
                action,
            } => {
                if let Some(action) = action {
                    self.act(action, base);
                }
                self.open_modal(content, base);
            }
            TouchAction::OpenMenu {
                target,
                options,
                chosen,
                ..
            } => {
                self.open_menu(Menu {
                    target: target.clone(),
                    options: options.clone(),
                    chosen: chosen.clone(),
                    selected: None,
                    anchor: rect,
                });
            }
            TouchAction::OpenDate {
                target,
                value,
                date,
                time,
            } => self.open_date(target, value, *date, *time),
            TouchAction::Date(step) => self.step_date(*step),
            TouchAction::ClosePopup(keep) => self.close_popup(*keep),
            TouchAction::Key(key) => self.press_drawn_key(key),
            TouchAction::Launch(package) => {
                let _ = self.start_activity(package, None, &std::collections::BTreeMap::new());
            }
            TouchAction::Permission(granted) => self.answer(*granted),
            TouchAction::AppError(answer) => self.answer_error(*answer),
            TouchAction::SystemKey(key) => self.take_key(&KeyPress::named(key)),
            TouchAction::Nothing => {}
            TouchAction::Collapse => self.overlay.shade = None,
            TouchAction::Quick(switch) => self.settings.toggle(*switch),
            TouchAction::Bubble => self.write_log('I', "Bubble", "tapped", super::BUBBLE),
        }
        self.changed();
    }

    /// Changes the view state of the screen in front, if an app is in front, and redraws in any case.
    pub(super) fn view(&mut self, change: impl FnOnce(&mut ViewState)) {
        if let Some(screen) = self.tasks.front_mut() {
            change(&mut screen.view);
        }
        self.changed();
    }

    /// Notes that the input of a key was changed by a person, so that its checks count. An empty key only redraws.
    pub(super) fn mark_edited(&mut self, key: &str) {
        let key = key.to_owned();
        self.view(|view| {
            if !key.is_empty() {
                view.edited.insert(key);
            }
        });
    }

    /// Stores an input's value. A value of the screen is kept in the screen in front. A value in the data goes to the
    /// app in front, and then all its actions that watch exactly this pointer run. Without an app in front nothing
    /// happens, and `MAX_DATA_BYTES` does not count here.
    pub(super) fn put(&mut self, target: &Target, value: Value) {
        match target {
            Target::Local(key) => {
                let key = key.clone();
                self.view(|view| {
                    view.locals.insert(key, value);
                });
            }
            Target::Data(pointer) => {
                let Some(package) = self.front_package() else {
                    return;
                };
                let Some(app) = self.packages.get_mut(&package) else {
                    return;
                };
                a2ui::set(&mut app.model, pointer, Some(value));
                let watching: Vec<String> = app
                    .manifest
                    .watch
                    .iter()
                    .filter(|(path, _)| *path == pointer)
                    .map(|(_, action)| action.clone())
                    .collect();
                for action in watching {
                    self.run_action(&package, &action, &Map::new(), 0);
                }
                self.changed();
            }
        }
    }
}
