//! The settings of the system that show on the screen.

use std::collections::BTreeSet;

use crate::apps::ui::Metrics;
use crate::{Setting, Switch};
use runner_screen::Display;

/// The settings as they are now.
pub(super) struct Settings {
    /// The display as it was made, not turned.
    made: Display,
    size: Option<(u32, u32)>,
    density: Option<u32>,
    rotation: u8,
    /// Quarter turns that the activity in front asks for.
    asked_rotation: Option<u8>,
    font_scale: f32,
    locale: String,
    on: BTreeSet<Switch>,
}

impl Settings {
    pub fn new(display: Display) -> Self {
        Self {
            made: Display {
                rotation: 0,
                ..display
            },
            size: None,
            density: None,
            rotation: 0,
            asked_rotation: None,
            font_scale: 1.0,
            locale: "en".into(),
            on: BTreeSet::from([Switch::Location]),
        }
    }

    /// Takes a value over. A size or density that no screen has is as none.
    pub fn set(&mut self, setting: Setting) {
        match setting {
            Setting::Size { width, height } => {
                let sides = 1..=8192;
                let fits = sides.contains(&width) && sides.contains(&height);
                self.size = fits.then_some((width, height));
            }
            Setting::Density(dpi) => self.density = (60..=1000).contains(&dpi).then_some(dpi),
            Setting::Rotation(quarters) => self.rotation = quarters % 4,
            Setting::FontScale(scale) => self.font_scale = scale.clamp(0.5, 3.0),
            Setting::Locale(tag) => self.locale = tag,
            Setting::Switch(switch, true) => {
                self.on.insert(switch);
            }
            Setting::Switch(switch, false) => {
                self.on.remove(&switch);
            }
        }
    }

    /// Turns the display as the activity in front asks, by Android's number for it (`ActivityInfo.screenOrientation`).
    pub fn orient(&mut self, orientation: Option<i32>) {
        let is_landscape = !self.rotation.is_multiple_of(2);
        self.asked_rotation = match orientation {
            // landscape; sensorLandscape and userLandscape keep a display that lies already.
            Some(0) => Some(1),
            Some(6 | 11) if !is_landscape => Some(1),
            // portrait; sensorPortrait and userPortrait likewise.
            Some(1) => Some(0),
            Some(7 | 12) if is_landscape => Some(0),
            // reverseLandscape, reversePortrait
            Some(8) => Some(3),
            Some(9) => Some(2),
            _ => None,
        };
    }

    /// Quarter turns as the display is.
    fn turns(&self) -> u8 {
        self.asked_rotation.unwrap_or(self.rotation)
    }

    pub fn is_on(&self, switch: Switch) -> bool {
        self.on.contains(&switch)
    }

    pub fn toggle(&mut self, switch: Switch) {
        self.set(Setting::Switch(switch, !self.is_on(switch)));
    }

    pub fn locale(&self) -> &str {
        &self.locale
    }

    /// Dots an inch, for what divides by it.
    pub fn density(&self) -> u32 {
        self.density.unwrap_or(self.made.density).max(1)
    }

    /// The display as it is turned.
    pub fn display(&self) -> Display {
        let (width, height) = self.size.unwrap_or((self.made.width, self.made.height));
        let (width, height) = if self.turns().is_multiple_of(2) {
            (width, height)
        } else {
            (height, width)
        };
        Display {
            width,
            height,
            density: self.density.unwrap_or(self.made.density),
            rotation: self.turns(),
        }
    }

    pub fn metrics(&self) -> Metrics {
        Metrics {
            scale: self.density() as f32 / 160.0,
            font_scale: self.font_scale,
        }
    }
}
