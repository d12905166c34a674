//! Names, render classes and keys of goldens, and the files they stand for: `NAME[@VARIANT][~CLASS].EXT`.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SnapshotError;
use runner_device::{DeviceError, DeviceInfo, Reading, app_host};

/// Which picture the built-in device draws; raised when its drawing changes on purpose.
const VIRTUAL_RENDERER: &str = "virtual1";

/// Which picture Android 15's framework on a computer draws; raised with the version of what draws it.
const HOSTED_RENDERER: &str = "host15";

/// Longest name, in characters.
const NAME_LIMIT: usize = 64;

/// A golden's name within its flow: `[A-Za-z0-9._-]{1,64}`.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline)]
pub struct SnapshotName(#[schemars(regex(pattern = r"^[A-Za-z0-9._-]{1,64}$"))] String);

impl SnapshotName {
    /// Checks a name.
    pub fn new(name: &str) -> Result<Self, SnapshotError> {
        let fail = |why| SnapshotError::Name {
            what: "snapshot name",
            given: name.to_owned(),
            why,
        };
        if name.is_empty() || name.len() > NAME_LIMIT {
            return Err(fail("a name has 1 to 64 characters"));
        }
        check_name(name).map_err(fail)?;
        Ok(Self(name.to_owned()))
    }

    /// The name of the `turn`-th time (from 1) inside `repeat` with `each: true`: `row.3`.
    #[must_use]
    pub fn nth(&self, turn: u32) -> Self {
        Self(format!("{}.{turn}", self.0))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for SnapshotName {
    type Error = SnapshotError;

    fn try_from(name: String) -> Result<Self, SnapshotError> {
        Self::new(&name)
    }
}

impl From<SnapshotName> for String {
    fn from(name: SnapshotName) -> Self {
        name.0
    }
}

impl fmt::Display for SnapshotName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What holds for every name that becomes a file, whatever its length.
fn check_name(name: &str) -> Result<(), &'static str> {
    if !name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    {
        return Err("only letters A-Z a-z, digits, `.`, `_` and `-` are allowed");
    }
    if name.bytes().all(|byte| byte == b'.') {
        return Err("it needs a letter or a digit");
    }
    let lower = name.to_ascii_lowercase();
    if matches!(lower.rsplit_once('.'), Some((_, "new" | "annotated"))) {
        return Err("endings `.new` and `.annotated` are kept for pending and annotated files");
    }
    if is_reserved(&lower) {
        return Err("Windows keeps this name for a device");
    }
    Ok(())
}

/// Whether Windows would open a device instead of this file.
fn is_reserved(lower: &str) -> bool {
    // Windows takes `nul.tsv` for the device too.
    let stem = lower.split('.').next().unwrap_or_default();
    matches!(stem, "con" | "prn" | "aux" | "nul")
        || (stem.len() == 4
            && (stem.starts_with("com") || stem.starts_with("lpt"))
            && stem.as_bytes()[3].is_ascii_digit())
}

/// Devices that draw the same pixels: `virtual1-34-1080x2400-420-en-light`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RenderClass(String);

impl RenderClass {
    /// From what the device says of itself, or `named` in `runner.yaml`. Characters that do not belong into a file
    /// name become `_`. A named class still gets `-land`, for no device draws the same picture both ways round.
    ///
    /// # Errors
    /// The device did not answer what the class is made of: a golden under a guessed class would be compared with nothing.
    pub fn of(
        info: &DeviceInfo,
        landscape: bool,
        named: Option<&str>,
    ) -> Result<Self, DeviceError> {
        let class = if let Some(named) = named {
            named.to_owned()
        } else {
            let sdk = info.sdk.needed()?;
            let model = match &info.model {
                // Nobody gave it a name.
                Reading::SaidNone => "",
                model => model.needed()?,
            };
            let maker = if info.virtual_device && app_host::is_hosted(info) {
                HOSTED_RENDERER
            } else if info.virtual_device {
                VIRTUAL_RENDERER
            } else if info.emulator {
                "emulator"
            } else {
                model
            };
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
        // A class that is too long loses its own end: what distinguishes pictures stays.
        let mut class = normalize(&class);
        class.truncate(LONGEST_CLASS - ending.len());
        Ok(Self(class + &ending))
    }

    /// The class.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The display's density, where the class is made of what the device says: the number behind the display's size.
    pub(super) fn density(&self) -> Option<u32> {
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

/// Longest render class, in characters.
const LONGEST_CLASS: usize = 128;

/// `text` with all that is not a letter, digit, `_` or `-` replaced by `_`.
fn normalize(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| match c {
            'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '-' => c,
            _ => '_',
        })
        .take(LONGEST_CLASS)
        .collect();
    if plain.is_empty() {
        "unnamed".to_owned()
    } else {
        plain
    }
}

/// Checks the name of a variant.
pub(super) fn check_variant(name: &str) -> Result<(), SnapshotError> {
    check_part("variant", name)
}

/// A variant or a class: letters, digits, `_`, `-`.
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

/// Which golden: `flow/path/name[@VARIANT][~CLASS]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GoldenKey {
    flow: Utf8PathBuf,
    name: SnapshotName,
    variant: Option<String>,
    class: Option<RenderClass>,
}

impl GoldenKey {
    /// The golden `name` of the flow filed under `flow` (its path below the root, without extension), as `class` draws it.
    pub fn new(
        flow: &Utf8Path,
        name: &SnapshotName,
        variant: Option<&str>,
        class: Option<&RenderClass>,
    ) -> Result<Self, SnapshotError> {
        check_below("flow", flow)?;
        if let Some(variant) = variant {
            check_variant(variant)?;
        }
        Ok(Self {
            flow: flow.to_owned(),
            name: name.clone(),
            variant: variant.map(str::to_owned),
            class: class.cloned(),
        })
    }

    /// Path of the flow, without extension.
    pub fn flow(&self) -> &Utf8Path {
        &self.flow
    }

    /// Name in the flow.
    pub fn name(&self) -> &SnapshotName {
        &self.name
    }

    /// Variant, where there is one.
    pub fn variant(&self) -> Option<&str> {
        self.variant.as_deref()
    }

    /// Render class, `None` for what all devices share.
    pub fn class(&self) -> Option<&RenderClass> {
        self.class.as_ref()
    }

    /// The same without class: what all devices share.
    #[must_use]
    pub fn shared(&self) -> Self {
        Self {
            class: None,
            ..self.clone()
        }
    }

    /// The same for `class`.
    #[must_use]
    pub fn with_class(&self, class: &RenderClass) -> Self {
        Self {
            class: Some(class.clone()),
            ..self.clone()
        }
    }

    /// The same without variant: what is looked up where the variant has no golden of its own.
    #[must_use]
    pub fn without_variant(&self) -> Self {
        Self {
            variant: None,
            ..self.clone()
        }
    }

    /// The file of this key, below the folder of goldens.
    pub fn file(&self, kind: FileKind, pending: bool) -> Utf8PathBuf {
        if kind == FileKind::Shared && !(pending && self.class.is_some()) {
            return self.shared().file(FileKind::Rows, pending);
        }
        self.flow
            .join(format!("{}{}", self.stem(), kind.ending(pending)))
    }

    fn stem(&self) -> String {
        let mut stem = self.name.0.clone();
        if let Some(variant) = &self.variant {
            stem.push('@');
            stem.push_str(variant);
        }
        if let Some(class) = &self.class {
            stem.push('~');
            stem.push_str(class.as_str());
        }
        stem
    }

    /// The key, the kind, and whether it is pending, of a file below the folder of goldens; `None` for any other file.
    pub fn of_file(path: &Utf8Path) -> Option<(Self, FileKind, bool)> {
        let file = path.file_name()?;
        let (stem, kind, pending) = FileKind::ALL.iter().find_map(|(kind, pending)| {
            let stem = file.strip_suffix(kind.ending(*pending))?;
            // A class has no dot, and without class this is a golden named `home.shared`.
            let is_own = *kind != FileKind::Shared || stem.contains('~');
            (is_own && !stem.is_empty()).then_some((stem, *kind, *pending))
        })?;
        let key = path.parent()?.join(stem).as_str().parse().ok()?;
        Some((key, kind, pending))
    }
}

impl fmt::Display for GoldenKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for component in self.flow.components() {
            write!(f, "{component}/")?;
        }
        f.write_str(&self.stem())
    }
}

impl FromStr for GoldenKey {
    type Err = SnapshotError;

    fn from_str(text: &str) -> Result<Self, SnapshotError> {
        let path = Utf8Path::new(text);
        let fail = |why| SnapshotError::Name {
            what: "key",
            given: text.to_owned(),
            why,
        };
        let stem = path
            .file_name()
            .ok_or_else(|| fail("a key is `flow/path/name[@VARIANT][~CLASS]`"))?;
        let (stem, class) = match stem.split_once('~') {
            Some((stem, class)) => (stem, Some(RenderClass::try_from(class.to_owned())?)),
            None => (stem, None),
        };
        let (name, variant) = match stem.split_once('@') {
            Some((name, variant)) => (name, Some(variant)),
            None => (stem, None),
        };
        // `each` adds a number to a name that may already have its full length.
        if name.is_empty() || name.len() > NAME_LIMIT + 11 {
            return Err(fail("a name has 1 to 64 characters"));
        }
        check_name(name).map_err(fail)?;
        let flow = path.parent().unwrap_or(Utf8Path::new(""));
        Self::new(
            flow,
            &SnapshotName(name.to_owned()),
            variant,
            class.as_ref(),
        )
    }
}

/// Which of a golden's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKind {
    /// `.tsv`: shared rows without a class, rows with bounds with one.
    Rows,
    /// `.png`.
    Picture,
    /// `.annotated.png`.
    Annotated,
    /// `.shared.new.tsv` of a class: what it proposes for all devices, where another class proposes something else.
    Shared,
}

impl FileKind {
    /// Longest ending first: `.annotated.new.png` ends in `.new.png`, and that in `.png`.
    const ALL: [(Self, bool); 7] = [
        (Self::Shared, true),
        (Self::Annotated, true),
        (Self::Annotated, false),
        (Self::Picture, true),
        (Self::Rows, true),
        (Self::Picture, false),
        (Self::Rows, false),
    ];

    fn ending(self, pending: bool) -> &'static str {
        match (self, pending) {
            (Self::Shared, true) => ".shared.new.tsv",
            (Self::Rows | Self::Shared, false) => ".tsv",
            (Self::Rows, true) => ".new.tsv",
            (Self::Picture, false) => ".png",
            (Self::Picture, true) => ".new.png",
            (Self::Annotated, false) => ".annotated.png",
            (Self::Annotated, true) => ".annotated.new.png",
        }
    }
}

/// A path that stays below where it is joined to: no root, no drive, no `..`.
pub(super) fn check_below(what: &'static str, path: &Utf8Path) -> Result<(), SnapshotError> {
    let is_below = path
        .components()
        .all(|part| matches!(part, Utf8Component::Normal(_)))
        && !path.as_str().contains(['\\', ':', '\0']);
    if is_below {
        Ok(())
    } else {
        Err(SnapshotError::Name {
            what,
            given: path.to_string(),
            why: "it must be a path below the root, without `..`, `\\` and `:`",
        })
    }
}

#[cfg(test)]
mod tests;
