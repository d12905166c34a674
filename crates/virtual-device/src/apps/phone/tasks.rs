//! The open apps, their screens, and the one in front.

use std::collections::BTreeMap;

use crate::PhoneError;
use crate::apps::a2ui::{Message, SURFACE_IN_FRONT, Surface, ViewState};

pub(crate) struct Screen {
    pub activity: String,
    pub surface: Surface,
    /// Surfaces that have components and are not shown yet.
    pending: BTreeMap<String, Surface>,
    pub view: ViewState,
}

/// The open screens of an app; the last is in front.
pub(crate) struct Task {
    pub package: String,
    pub stack: Vec<Screen>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Foreground {
    Home,
    Recents,
    /// The last task.
    App,
}

pub(super) struct Tasks {
    /// Tasks from back to front.
    open: Vec<Task>,
    showing: Foreground,
}

impl Tasks {
    /// Returns the state of a new phone: no tasks, and the home screen in front.
    pub fn new() -> Self {
        Self {
            open: Vec::new(),
            showing: Foreground::Home,
        }
    }

    pub fn showing(&self) -> Foreground {
        self.showing
    }

    /// Returns the packages of open apps, most recent first.
    pub fn recent(&self) -> impl Iterator<Item = &String> {
        self.open.iter().rev().map(|task| &task.package)
    }

    /// Returns the number of open screens of an app; 0 if it has no task.
    pub fn depth(&self, package: &str) -> usize {
        let task = self.open.iter().find(|task| task.package == package);
        task.map_or(0, |task| task.stack.len())
    }

    /// Returns the screen in front with its task. Returns `None` if home or the recent apps are shown.
    pub fn front(&self) -> Option<(&Task, &Screen)> {
        let task = self
            .open
            .last()
            .filter(|_| self.showing == Foreground::App)?;
        Some((task, task.stack.last()?))
    }

    /// Returns the screen in front, or `None` if home or the recent apps are shown.
    pub fn front_mut(&mut self) -> Option<&mut Screen> {
        self.open
            .last_mut()
            .filter(|_| self.showing == Foreground::App)?
            .stack
            .last_mut()
    }

    pub fn show_home(&mut self) {
        self.showing = Foreground::Home;
    }

    /// Shows the list of recent apps, or home if it is shown already.
    pub fn toggle_recents(&mut self) {
        self.showing = if self.showing == Foreground::Recents {
            Foreground::Home
        } else {
            Foreground::Recents
        };
    }

    /// Brings an app to the front with its open screens, from home or the recent apps too. Returns false, and
    /// changes nothing, if it has none.
    pub fn bring_forward(&mut self, package: &str) -> bool {
        let Some(index) = self.open.iter().position(|task| task.package == package) else {
            return false;
        };
        let task = self.open.remove(index);
        self.open.push(task);
        self.showing = Foreground::App;
        true
    }

    /// Opens a screen above those of its app, and brings the app to the front. Nothing limits their number here.
    pub fn push(&mut self, package: &str, screen: Screen) {
        if !self.bring_forward(package) {
            self.open.push(Task {
                package: package.to_owned(),
                stack: Vec::new(),
            });
            self.showing = Foreground::App;
        }
        if let Some(task) = self.open.last_mut() {
            task.stack.push(screen);
        }
    }

    /// Closes all screens of an app. If it was in front and home is not shown then, the app behind it comes to the
    /// front.
    pub fn close_all(&mut self, package: &str) {
        self.open.retain(|task| task.package != package);
    }

    /// Closes the screen in front, and after an app's last one shows home. If no app is in front, home is
    /// shown.
    pub fn close_screen(&mut self) {
        if self.showing != Foreground::App {
            self.showing = Foreground::Home;
        } else if let Some(task) = self.open.last_mut() {
            task.stack.pop();
            if task.stack.is_empty() {
                self.open.pop();
                self.showing = Foreground::Home;
            }
        }
    }
}

impl Screen {
    /// Returns a screen in the state in which it opens: nothing is focused, typed or scrolled.
    pub fn new(activity: &str, surface: Surface) -> Self {
        Self {
            activity: activity.to_owned(),
            surface,
            pending: BTreeMap::new(),
            view: ViewState::default(),
        }
    }

    /// Applies a message of an A2UI agent to this screen. A new surface replaces the shown one and all its state.
    /// Components for another surface are kept until its rendering begins, if their version allows that; else they
    /// fail. Fails too for rendering without components and for deleting an unknown surface. [`SURFACE_IN_FRONT`] names
    /// the shown one; data is not handled here.
    pub fn take_message(&mut self, message: &Message) -> Result<(), PhoneError> {
        match message {
            Message::CreateSurface { .. } => {
                self.view = ViewState::default();
                self.surface = Surface::default();
            }
            Message::UpdateComponents { surface, early, .. } if *surface != self.surface.id => {
                if *early {
                    let pending = self.pending.entry(surface.clone()).or_default();
                    pending.apply(message);
                    return Ok(());
                }
                if surface != SURFACE_IN_FRONT {
                    return Err(self.no_surface(surface));
                }
            }
            Message::BeginRendering { surface, .. } => {
                if let Some(pending) = self.pending.remove(surface) {
                    self.surface = pending;
                    self.view = ViewState::default();
                } else if *surface != self.surface.id {
                    return Err(PhoneError::NoComponents(surface.clone()));
                }
            }
            Message::DeleteSurface { surface } if *surface != self.surface.id => {
                if self.pending.remove(surface).is_some() {
                    return Ok(());
                }
                if surface != SURFACE_IN_FRONT {
                    return Err(self.no_surface(surface));
                }
            }
            _ => {}
        }
        self.surface.apply(message);
        Ok(())
    }

    /// Fails unless a surface may get data: it is in front, or has components and waits for its rendering.
    pub fn has_surface(&self, named: &str) -> Result<(), PhoneError> {
        let is_known = named == SURFACE_IN_FRONT
            || named == self.surface.id
            || self.pending.contains_key(named);
        if is_known {
            Ok(())
        } else {
            Err(self.no_surface(named))
        }
    }

    fn no_surface(&self, name: &str) -> PhoneError {
        PhoneError::NoSurface {
            name: name.to_owned(),
            front: self.surface.id.clone(),
        }
    }
}
