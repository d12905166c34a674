//! Render classes, and the characters that they and variants may hold.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

use crate::SnapshotError;
use runner_device::{DeviceError, DeviceInfo, KindNames, Reading, app_host};

/// Version of the built-in device's drawing in render classes. It is raised when the drawing changes on
/// purpose.
const VIRTUAL_RENDERER: &str = "virtual1";

/// Version of the drawing by Android 15's framework on a computer. It is raised with the version of what
/// draws it.
const HOSTED_RENDERER: &str = "host15";

/// Longest render class, in characters. Chosen: a class of a device with a long name still fits.
const MAX_CLASS_CHARS: usize = 128;

/// Name of a class of devices that draw the same pixels: `virtual1-34-1080x2400-420-en-light`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RenderClass(String);

impl RenderClass {
    /// Builds the class from the description of the device, such as `Pixel_7-34-1080x2400-420-en-light`, or from
    /// `named` in `runner.yaml`. The first part is the model of a phone; an emulator is `emulator`, a virtual device
    /// has the version of its drawing. Both forms get `-land` in landscape, since no device draws the same picture
    /// both ways. Behind it a class from a description names a font size other than 100 percent, such as `-fs130`.
    /// Characters that do not belong into a file name become `_`, and long names are cut before these endings.
    ///
    /// # Errors
    /// The device did not report a part of the class or its model, which is read even where the class does not
    /// name it. A golden under a guessed class would be compared with nothing. With `named` there is no error.
    pub fn from_device(
        info: &DeviceInfo,
        landscape: bool,
        named: Option<&str>,
    ) -> Result<Self, DeviceError> {
        let class = if let Some(named) = named {
            named.to_owned()
        } else {
            let sdk = info.sdk.needed()?;
            let model = match &info.model {
                // The device has no name.
                Reading::SaidNone => "",
                model => model.needed()?,
            };
            let is_hosted = app_host::is_hosted(info);
            let maker = info.kind_name(KindNames {
                virtual_device: if is_hosted {
                    HOSTED_RENDERER
                } else {
                    VIRTUAL_RENDERER
                },
                emulator: "emulator",
                phone: model,
            });
            let shade = if *info.dark.needed()? {
                "dark"
            } else {
                "light"
            };
            let display = info.display.needed()?;
            let locale = info.locale.needed()?;
            format!(
                "{maker}-{sdk}-{}x{}-{}-{locale}-{shade}",
                display.width, display.height, display.density
            )
        };
        let mut ending = String::new();
        if landscape {
            ending.push_str("-land");
        }
        if named.is_none() {
            let percent = *info.font_scale_percent.needed()?;
            if percent != 100 {
                let _ = write!(ending, "-fs{percent}");
            }
        }
        // Too long a class is cut before the ending, which tells pictures apart.
        let mut class = normalize(&class);
        class.truncate(MAX_CLASS_CHARS - ending.len());
        Ok(Self(class + &ending))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the display's density, which is the number behind the first part like `1080x2400`. Returns
    /// `None` if there is none, as in a class that `runner.yaml` names.
    pub(crate) fn density(&self) -> Option<u32> {
        let is_size = |part: &str| {
            let sides = part.split_once('x');
            sides.is_some_and(|(width, height)| {
                [width, height]
                    .iter()
                    .all(|side| side.parse::<u32>().is_ok())
            })
        };
        let mut parts = self.0.split('-');
        parts.find(|part| is_size(part))?;
        parts.next()?.parse().ok()
    }
}

impl TryFrom<String> for RenderClass {
    type Error = SnapshotError;

    fn try_from(class: String) -> Result<Self, SnapshotError> {
        check_part("render class", &class)?;
        Ok(Self(class))
    }
}

impl From<RenderClass> for String {
    fn from(class: RenderClass) -> Self {
        class.0
    }
}

impl fmt::Display for RenderClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Replaces all characters but letters A-Z a-z, digits, `_` and `-` by `_`, and cuts the text to
/// [`MAX_CLASS_CHARS`]. An empty text becomes `unnamed`.
fn normalize(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| match c {
            'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '-' => c,
            _ => '_',
        })
        .take(MAX_CLASS_CHARS)
        .collect();
    if plain.is_empty() {
        "unnamed".to_owned()
    } else {
        plain
    }
}

/// Fails with [`SnapshotError::Name`] unless a variant has 1 to 128 characters: letters A-Z a-z, digits, `_`, `-`.
pub(crate) fn check_variant(name: &str) -> Result<(), SnapshotError> {
    check_part("variant", name)
}

/// Checks a variant or a class: 1 to [`MAX_CLASS_CHARS`] letters A-Z a-z, digits, `_`, `-`. `what` names it
/// in the error.
fn check_part(what: &'static str, part: &str) -> Result<(), SnapshotError> {
    if part.is_empty() || normalize(part) != part {
        return Err(SnapshotError::Name {
            what,
            given: part.to_owned(),
            why: "only letters A-Z a-z, digits, `_` and `-` are allowed, at most 128",
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::info;
    use runner_device::VirtualMark;

    #[test]
    fn render_classes() {
        let class = |change: fn(&mut DeviceInfo), landscape, named| {
            let mut info = info();
            change(&mut info);
            String::from(RenderClass::from_device(&info, landscape, named).unwrap())
        };
        assert_eq!(
            class(|_| (), false, None),
            "virtual1-34-1080x2400-420-en-light"
        );
        assert_eq!(
            class(
                |info| {
                    info.virtual_device = VirtualMark::new(false);
                    info.emulator = true;
                    info.dark = Reading::Said(true);
                    info.font_scale_percent = Reading::Said(130);
                },
                true,
                None
            ),
            "emulator-34-1080x2400-420-en-dark-land-fs130"
        );
        assert_eq!(
            class(
                |info| info.virtual_device = VirtualMark::new(false),
                false,
                None
            ),
            "Pixel_7__Pro_-34-1080x2400-420-en-light"
        );
        assert_eq!(class(|_| (), false, Some("lab.a/b")), "lab_a_b");
        assert_eq!(class(|_| (), true, Some("lab")), "lab-land");
        let long: &'static str = "x".repeat(200).leak();
        let class = class(|_| (), true, Some(long));
        assert!(class.len() == 128 && class.ends_with("x-land"), "{class}");
    }

    #[test]
    fn v5_a_class_is_never_guessed() {
        fn open<T>() -> Reading<T> {
            Reading::not_answered("wm size", "")
        }
        let spoil: [fn(&mut DeviceInfo); 6] = [
            |info| info.sdk = open(),
            |info| info.display = open(),
            |info| info.locale = open(),
            |info| info.dark = open(),
            |info| info.font_scale_percent = open(),
            |info| info.model = open(),
        ];
        for spoil in spoil {
            let mut info = info();
            spoil(&mut info);
            let error = RenderClass::from_device(&info, false, None).unwrap_err();
            assert!(
                error.is_infrastructure() && error.to_string().contains("`wm size`"),
                "{error}"
            );
            assert!(RenderClass::from_device(&info, false, Some("lab")).is_ok());
        }
    }
}
