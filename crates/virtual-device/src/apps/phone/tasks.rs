//! The apps that are open, their screens, and which of them is in front.

use std::collections::BTreeMap;

use crate::PhoneError;
use crate::apps::a2ui::{Message, SURFACE_IN_FRONT, Surface, ViewState};

/// A screen of an app that is open.
pub(crate) struct Screen {
    pub activity: String,
    pub surface: Surface,
    /// Surfaces whose components have come and which are not shown yet.
    coming: BTreeMap<String, Surface>,
    pub view: ViewState,
}

/// The open screens of an app; the last is in front.
pub(crate) struct Task {
    pub package: String,
    pub stack: Vec<Screen>,
}

/// What fills the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Foreground {
    Home,
    Recents,
    /// The last task.
    App,
}

/// The apps that are open.
pub(super) struct Tasks {
    /// Back to front.
    open: Vec<Task>,
    showing: Foreground,
}

impl Tasks {
    pub fn new() -> Self {
        Self {
            open: Vec::new(),
            showing: Foreground::Home,
        }
    }

    pub fn showing(&self) -> Foreground {
        self.showing
    }

    /// Packages, the last used first.
    pub fn recent(&self) -> impl Iterator<Item = &String> {
        self.open.iter().rev().map(|task| &task.package)
    }

    /// How many screens an app has open.
    pub fn depth(&self, package: &str) -> usize {
        let task = self.open.iter().find(|task| task.package == package);
        task.map_or(0, |task| task.stack.len())
    }

    /// The screen in front, if an app is.
    pub fn front(&self) -> Option<(&Task, &Screen)> {
        let task = self
            .open
            .last()
            .filter(|_| self.showing == Foreground::App)?;
        Some((task, task.stack.last()?))
    }

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

    /// Between the list of open apps and home.
    pub fn toggle_recents(&mut self) {
        self.showing = if self.showing == Foreground::Recents {
            Foreground::Home
        } else {
            Foreground::Recents
        };
    }

    /// Brings an app to the front, and says whether it is open.
    pub fn bring_forward(&mut self, package: &str) -> bool {
        let Some(index) = self.open.iter().position(|task| task.package == package) else {
            return false;
        };
        let task = self.open.remove(index);
        self.open.push(task);
        self.showing = Foreground::App;
        true
    }

    /// Puts a screen above what its app has open.
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

    /// Closes all screens of an app.
    pub fn forget(&mut self, package: &str) {
        self.open.retain(|task| task.package != package);
    }

    /// One screen less, or home.
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
    pub fn new(activity: &str, surface: Surface) -> Self {
        Self {
            activity: activity.to_owned(),
            surface,
            coming: BTreeMap::new(),
            view: ViewState::default(),
        }
    }

    /// Applies a message of an A2UI agent.
    pub fn take_message(&mut self, message: &Message) -> Result<(), PhoneError> {
        match message {
            Message::CreateSurface { .. } => {
                self.view = ViewState::default();
                self.surface = Surface::default();
            }
            Message::UpdateComponents { surface, early, .. } if *surface != self.surface.id => {
                if *early {
                    let coming = self.coming.entry(surface.clone()).or_default();
                    coming.apply(message);
                    return Ok(());
                }
                if surface != SURFACE_IN_FRONT {
                    return Err(self.no_surface(surface));
                }
            }
            Message::BeginRendering { surface, .. } => {
                if let Some(coming) = self.coming.remove(surface) {
                    self.surface = coming;
                    self.view = ViewState::default();
                } else if *surface != self.surface.id {
                    return Err(PhoneError::NoComponents(surface.clone()));
                }
            }
            Message::DeleteSurface { surface } if *surface != self.surface.id => {
                let coming = self.coming.remove(surface);
                return coming.map(drop).ok_or_else(|| self.no_surface(surface));
            }
            _ => {}
        }
        self.surface.apply(message);
        Ok(())
    }

    /// Whether data may be sent to a surface: to the one in front, or to one whose components came already.
    pub fn has_surface(&self, named: &str) -> Result<(), PhoneError> {
        let is_known = named == SURFACE_IN_FRONT
            || named == self.surface.id
            || self.coming.contains_key(named);
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
