//! Windows that an element of a screen opens: its dialog, drop-down menus, and the date dialog.

use serde_json::Value;

use super::VirtualPhone;
use crate::apps::a2ui::{DateDialog, DateStep, Menu};
use crate::apps::system;
use crate::apps::ui::Target;

impl VirtualPhone {
    /// Opens a component as the screen's dialog, in place of one that is open. Only if none is open does the
    /// screen's focus go aside.
    pub(super) fn open_modal(&mut self, content: &str, base: &str) {
        let is_open = self
            .tasks
            .front()
            .is_some_and(|(_, it)| it.view.modal.is_some());
        if !is_open {
            self.open_window();
        }
        let modal = Some((content.to_owned(), base.to_owned()));
        self.view(|view| view.modal = modal);
    }

    /// Closes the screen's dialog, if one is open. Then the screen gets its focus back, and the keyboard goes.
    pub(super) fn close_modal(&mut self) {
        let mut was_open = false;
        self.view(|view| was_open = view.modal.take().is_some());
        if was_open {
            self.close_window();
        }
    }

    /// Opens a drop-down in a window of its own, and puts the screen's focus aside. If keys opened it, its current
    /// row is highlighted at once.
    pub(super) fn open_menu(&mut self, mut menu: Menu) {
        self.open_window();
        if !self.keyboard.is_in_touch_mode() {
            menu.selected = Some(menu.chosen_row());
        }
        self.view(|view| view.menu = Some(menu));
    }

    pub(super) fn open_date(&mut self, target: &Target, value: &str, date: bool, time: bool) {
        let dialog = DateDialog::new(target.clone(), value, date, time);
        self.open_window();
        self.view(|view| view.date = Some(dialog));
    }

    /// Performs a step in an open date dialog, and scrolls its years to the chosen one.
    pub(super) fn step_date(&mut self, step: DateStep) {
        let scale = self.settings.metrics().scale;
        self.view(|view| {
            let Some(dialog) = &mut view.date else {
                return;
            };
            dialog.take(step);
            let (list, offset) = system::years_offset(dialog);
            let px = (offset * scale).round() as i32;
            view.scroll.insert(list.to_owned(), px);
        });
    }

    /// Closes one popup above the screen: the menu, else the date dialog, else the modal. `keep` stores the choice of a
    /// date dialog; if that asks for a time too, it shows the time instead of closing. A menu's choice is not stored
    /// here. Closing any of them hides the keyboard and gives the window behind its focus back; if none is open, it
    /// only redraws.
    pub(super) fn close_popup(&mut self, keep: bool) {
        let (mut chosen, mut was_open) = (None, true);
        self.view(|view| {
            if view.menu.take().is_some() {
                return;
            }
            if let Some(mut dialog) = view.date.take() {
                if keep && dialog.turn_page() {
                    view.date = Some(dialog);
                    was_open = false;
                } else {
                    chosen = keep.then(|| (dialog.target.clone(), dialog.value()));
                }
                return;
            }
            was_open = view.modal.take().is_some();
        });
        if was_open {
            self.close_window();
        }
        if let Some((target, value)) = chosen {
            self.put(&target, Value::String(value));
        }
    }
}
