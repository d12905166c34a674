//! System settings that affect the screen.

use std::collections::BTreeSet;

use crate::apps::ui::Metrics;
use crate::{Setting, Switch};
use runner_screen::Display;

pub(super) struct Settings {
    /// The display before any rotation.
    natural: Display,
    size: Option<(u32, u32)>,
    density: Option<u32>,
    rotation: u8,
    /// Quarter turns that the activity in front requests.
    requested_rotation: Option<u8>,
    font_scale: f32,
    locale: String,
    on: BTreeSet<Switch>,
}

impl Settings {
    /// Returns the settings of a new phone: upright, in English, light, with location on.
    pub fn new(display: Display) -> Self {
        Self {
            natural: Display {
                rotation: 0,
                ..display
            },
            size: None,
            density: None,
            rotation: 0,
            requested_rotation: None,
            font_scale: 1.0,
            locale: "en".into(),
            on: BTreeSet::from([Switch::Location]),
        }
    }

    /// Applies a setting. A size outside 1–8192 pixels resets the size to the display's own, and a density outside
    /// 60–1000 the density. A rotation is in quarters modulo 4, and a font scale is limited to 0.5–3; NaN counts as 1.
    /// A locale is not checked.
    pub fn set(&mut self, setting: Setting) {
        match setting {
            Setting::Size { width, height } => {
                let sides = 1..=8192;
                let fits = sides.contains(&width) && sides.contains(&height);
                self.size = fits.then_some((width, height));
            }
            Setting::Density(dpi) => self.density = (60..=1000).contains(&dpi).then_some(dpi),
            Setting::Rotation(quarters) => self.rotation = quarters % 4,
            // A limit lets NaN pass.
            Setting::FontScale(scale) if scale.is_nan() => self.font_scale = 1.0,
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

    /// Rotates the display as the activity in front requests. `orientation` is a constant of Android's
    /// `ActivityInfo.screenOrientation`. `None` and constants without a fixed direction end the request, and so do
    /// those by sensor if the settings' rotation has that direction already.
    pub fn orient(&mut self, orientation: Option<i32>) {
        let is_landscape = !self.rotation.is_multiple_of(2);
        self.requested_rotation = match orientation {
            // landscape; sensorLandscape and userLandscape keep a display that is in landscape already.
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

    /// Returns the quarter turns in effect: those that the activity in front requests, else those of the
    /// settings.
    fn turns(&self) -> u8 {
        self.requested_rotation.unwrap_or(self.rotation)
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

    /// Returns the dots per inch, at least 1.
    pub fn density(&self) -> u32 {
        self.density.unwrap_or(self.natural.density).max(1)
    }

    /// Returns the display after the rotation that the activity in front requests, else that of the settings: width
    /// and height are exchanged in landscape.
    pub fn display(&self) -> Display {
        let (width, height) = self
            .size
            .unwrap_or((self.natural.width, self.natural.height));
        let (width, height) = if self.turns().is_multiple_of(2) {
            (width, height)
        } else {
            (height, width)
        };
        Display {
            width,
            height,
            density: self.density.unwrap_or(self.natural.density),
            rotation: self.turns(),
        }
    }

    /// Returns the pixels in a dp, and the factor of the font size.
    pub fn metrics(&self) -> Metrics {
        Metrics {
            scale: self.density() as f32 / 160.0,
            font_scale: self.font_scale,
        }
    }
}
