//! Setting with its value.

/// Setting with its value. [`current`](super::current) returns the value to restore, [`set`](super::set) changes it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Setting {
    /// Night mode: `yes`, `no`, `auto`; see [`Setting::dark`].
    Night(String),
    /// Font scale in percent.
    FontScale(u32),
    /// Language of the system, or of one app if only that can be set.
    Locale {
        /// Language tag such as `de-DE`; empty for the system's own.
        tag: String,
        /// App whose language it is, if the device does not let the system's be set.
        app: Option<String>,
    },
    Airplane(bool),
    /// Location services on or off.
    Location(bool),
    /// Location of the device; `None` restores the real one, as far as possible.
    Place(Option<Coordinates>),
    Rotation(Rotation),
    /// Scales of window, transition and animator animations; see [`Setting::no_animations`].
    Animations([String; 3]),
}

/// Point on the earth, in millionths of a degree (about ten centimetres).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Coordinates {
    lat: i32,
    lon: i32,
}

impl Coordinates {
    /// Converts degrees, rounded to millionths; `None` if they are out of range (±90 and ±180) or no number.
    pub fn new(lat: f64, lon: f64) -> Option<Self> {
        let is_place = (-90.0..=90.0).contains(&lat) && (-180.0..=180.0).contains(&lon);
        let millionths = |degrees: f64| (degrees * 1e6).round() as i32;
        is_place.then(|| Self {
            lat: millionths(lat),
            lon: millionths(lon),
        })
    }

    /// Latitude in degrees, north positive.
    pub fn lat(self) -> f64 {
        f64::from(self.lat) / 1e6
    }

    /// Longitude in degrees, east positive.
    pub fn lon(self) -> f64 {
        f64::from(self.lon) / 1e6
    }
}

/// Source of the display's rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Rotation {
    Sensor,
    /// Fixed rotation in quarter turns, 0–3.
    Fixed(u8),
}

impl Setting {
    pub fn dark(dark: bool) -> Self {
        Self::Night(if dark { "yes" } else { "no" }.to_owned())
    }

    /// All animation scales 0.
    pub fn no_animations() -> Self {
        Self::Animations(["0".to_owned(), "0".to_owned(), "0".to_owned()])
    }
}
