//! Parses commands about the device: its place, its orientation, and what is on or off.

use crate::maestro::options::Options;
use crate::maestro::reader::Reader;
use crate::maestro::tree::{MaestroCommand, RawText};
use runner_text::diagnostic::Code;

/// Values of `setOrientation`.
const ORIENTATIONS: [&str; 4] = [
    "PORTRAIT",
    "LANDSCAPE_LEFT",
    "LANDSCAPE_RIGHT",
    "UPSIDE_DOWN",
];

impl Reader<'_> {
    /// Reads a command about the device. All other names count as `setDarkMode`. A missing or wrong required option
    /// is reported and returns `None`. Files of `addMedia` that are not there are reported and left out.
    pub(super) fn device_command(
        &mut self,
        name: &str,
        options: &Options<'_>,
    ) -> Option<MaestroCommand> {
        match name {
            "openLink" => Some(MaestroCommand::OpenLink {
                link: self.required_text(options, "link")?,
                browser: self.option_bool(options, "browser", false),
                auto_verify: self.option_bool(options, "autoVerify", false),
            }),
            "addMedia" => {
                let Some(node) = options.get("files") else {
                    self.missing(options, "files");
                    return None;
                };
                let items = self.some_items(node, "files");
                let paths = items.iter().filter_map(|item| {
                    let text = self.text(item)?;
                    let (_, absolute) = self.file(&text, Code::Unreadable)?;
                    Some(absolute)
                });
                Some(MaestroCommand::AddMedia(paths.collect()))
            }
            "setLocation" => {
                let latitude = self.degrees(options, "latitude", 90.0)?;
                let longitude = self.degrees(options, "longitude", 180.0)?;
                Some(MaestroCommand::SetLocation {
                    latitude,
                    longitude,
                })
            }
            "travel" => self.travel(options),
            "setOrientation" => self.orientation(options),
            "setAirplaneMode" => self.switch(options).map(MaestroCommand::SetAirplaneMode),
            _ => self.switch(options).map(MaestroCommand::SetDarkMode),
        }
    }

    /// Reads the required option `name` as degrees from `-max` to `max`. Reports a missing or wrong value and
    /// returns `None`; a text with `${…}` is checked in the run.
    fn degrees(&mut self, options: &Options<'_>, name: &str, max: f64) -> Option<RawText> {
        let text = self.required_text(options, name)?;
        if !text.has_script() && degrees(&text.text, max).is_none() {
            let what = format!("degrees from -{max} to {max}, such as 52.37");
            self.not_a(options.get(name)?, name, &what);
            return None;
        }
        Some(text)
    }

    /// Reads `travel`. Points are literal `latitude,longitude` in degrees. A wrong point and a wrong speed are reported
    /// and left out. A missing list and a point that is no scalar are reported and return `None`; an empty list is
    /// reported.
    fn travel(&mut self, options: &Options<'_>) -> Option<MaestroCommand> {
        let Some(node) = options.get("points") else {
            self.missing(options, "points");
            return None;
        };
        let mut points = Vec::new();
        for item in self.some_items(node, "points") {
            let text = self.text(item)?.text;
            let point = text.split_once(',').and_then(|(latitude, longitude)| {
                Some((degrees(latitude, 90.0)?, degrees(longitude, 180.0)?))
            });
            match point {
                Some(point) => points.push(point),
                None => self.not_a(item, "points", "`latitude,longitude` in degrees"),
            }
        }
        let speed = self.option_number(options, "speed", "a number of metres in a second");
        Some(MaestroCommand::Travel { points, speed })
    }

    /// Reads the required option `orientation`, in any case and with or without `_`, and keeps it as written. A
    /// missing or unknown one is reported and returns `None`; a text with `${…}` is checked in the run.
    fn orientation(&mut self, options: &Options<'_>) -> Option<MaestroCommand> {
        let Some(node) = options.get("orientation") else {
            self.missing(options, "orientation");
            return None;
        };
        let name = self.text(node)?;
        let plain = |name: &str| name.to_lowercase().replace('_', "");
        let is_known = ORIENTATIONS
            .iter()
            .any(|known| plain(known) == plain(&name.text));
        if !is_known && !name.has_script() {
            let message = format!("there is no orientation `{}`", name.text);
            self.unknown_value(node, message, ORIENTATIONS);
            return None;
        }
        Some(MaestroCommand::SetOrientation(name))
    }

    /// Reads the option `value`: `enabled` is true and `disabled` false, in any case. Reports anything else, also a
    /// boolean and a missing value, and returns `None`.
    fn switch(&mut self, options: &Options<'_>) -> Option<bool> {
        let Some(node) = options.get("value") else {
            self.missing(options, "value");
            return None;
        };
        match node
            .scalar()
            .map(|scalar| scalar.text.to_lowercase())
            .as_deref()
        {
            Some("enabled") => Some(true),
            Some("disabled") => Some(false),
            _ => {
                self.not_a(node, "value", "`enabled` or `disabled`");
                None
            }
        }
    }
}

/// Parses degrees within `-max..=max`, with blanks around them; `None` for all else.
fn degrees(text: &str, max: f64) -> Option<f64> {
    let degrees = text.trim().parse::<f64>().ok();
    degrees.filter(|degrees| degrees.abs() <= max)
}
