//! Names, render classes and keys of goldens, and their files: `NAME[@VARIANT][~CLASS].EXT`.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SnapshotError;
use runner_device::{DeviceError, DeviceInfo, KindNames, Reading, app_host};

/// Version of the built-in device's drawing in render classes. It is raised when the drawing changes on
/// purpose.
const VIRTUAL_RENDERER: &str = "virtual1";

/// Version of the drawing by Android 15's framework on a computer. It is raised with the version of what
/// draws it.
const HOSTED_RENDERER: &str = "host15";

/// Longest name of a golden, in characters. Chosen: a longer name does not fit
/// into a line of a report.
const MAX_NAME_CHARS: usize = 64;

/// Longest name of a file or folder, in bytes: `NAME_MAX` of ext4, APFS and NTFS.
const MAX_FILE_NAME_BYTES: usize = 255;

/// Longest name of a golden with its variant and class, in bytes. The longest name of a file that is made from
/// it is `+STEM.annotated.new.png.new.png`, see [`super::disk::staged`].
const MAX_STEM_BYTES: usize = MAX_FILE_NAME_BYTES - "+.annotated.new.png.new.png".len();

/// A golden's name within its flow: `[A-Za-z0-9._-]{1,64}`.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline)]
pub struct SnapshotName(#[schemars(regex(pattern = r"^[A-Za-z0-9._-]{1,64}$"))] String);

impl SnapshotName {
    /// Creates a name after checking it: 1 to 64 characters, which are letters A-Z a-z, digits, `.`, `_` and `-`, at
    /// least one of them no dot. Names that end in `.new` or `.annotated`, and those of Windows devices such as `nul`
    /// and `nul.a`, are refused in any letter case, with [`SnapshotError::Name`]. The name is kept as it is.
    pub fn new(name: &str) -> Result<Self, SnapshotError> {
        let fail = |why| SnapshotError::Name {
            what: "snapshot name",
            given: name.to_owned(),
            why,
        };
        if name.is_empty() || name.len() > MAX_NAME_CHARS {
            return Err(fail("a name has 1 to 64 characters"));
        }
        check_name(name).map_err(fail)?;
        Ok(Self(name.to_owned()))
    }

    /// Returns the name of the `turn`-th golden (from 1) inside `repeat` with `each: true`: `row.3`. Its
    /// length is not checked.
    #[must_use]
    pub fn nth(&self, turn: u32) -> Self {
        Self(format!("{}.{turn}", self.0))
    }

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

/// Checks the rules of [`SnapshotName::new`], except the length. The error says why in words for people.
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

/// Returns true if Windows would open a device instead of a file of this name, also with an extension: `con`, `prn`,
/// `aux`, `nul`, and `com` or `lpt` with one digit. `lower` is in lower case.
fn is_reserved(lower: &str) -> bool {
    // Windows also takes `nul.tsv` for the device.
    let stem = lower.split('.').next().unwrap_or_default();
    matches!(stem, "con" | "prn" | "aux" | "nul")
        || (stem.len() == 4
            && (stem.starts_with("com") || stem.starts_with("lpt"))
            && stem.as_bytes()[3].is_ascii_digit())
}

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

/// Longest render class, in characters. Chosen: a class of a device with a long name still fits.
const MAX_CLASS_CHARS: usize = 128;

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
pub(super) fn check_variant(name: &str) -> Result<(), SnapshotError> {
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

/// Key of a golden: `flow/path/name[@VARIANT][~CLASS]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GoldenKey {
    flow: Utf8PathBuf,
    name: SnapshotName,
    variant: Option<String>,
    class: Option<RenderClass>,
}

impl GoldenKey {
    /// Creates the key of golden `name` in the flow at `flow` (its path below the root, without extension). Fails
    /// with [`SnapshotError::Name`] if the flow's path leads out of the root, if the variant is no file name, or if a
    /// folder of the flow or a file of the golden would have too long a name. Nothing is checked for existence.
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
        let key = Self {
            flow: flow.to_owned(),
            name: name.clone(),
            variant: variant.map(str::to_owned),
            class: class.cloned(),
        };
        // The file system's own error would come in the middle of a run, and would not say what to shorten.
        let mut folders = key.flow.components();
        if folders.any(|part| part.as_str().len() > MAX_FILE_NAME_BYTES) {
            return Err(SnapshotError::Name {
                what: "flow",
                given: key.flow.into_string(),
                why: "a folder of its goldens would have a name of more than 255 bytes; shorten the flow's name, or the label of the step that runs it",
            });
        }
        if key.stem().len() > MAX_STEM_BYTES {
            return Err(SnapshotError::Name {
                what: "golden",
                given: key.stem(),
                why: "its files would have names of more than 255 bytes; shorten the snapshot's name, its variant, or the device's `render_class`",
            });
        }
        Ok(key)
    }

    /// Returns the path of the flow without extension.
    pub fn flow(&self) -> &Utf8Path {
        &self.flow
    }

    pub fn name(&self) -> &SnapshotName {
        &self.name
    }

    pub fn variant(&self) -> Option<&str> {
        self.variant.as_deref()
    }

    /// Returns the render class, `None` for the files that all devices share.
    pub fn class(&self) -> Option<&RenderClass> {
        self.class.as_ref()
    }

    /// Returns the key without class, for the files that all devices share. The variant stays.
    #[must_use]
    pub fn shared(&self) -> Self {
        Self {
            class: None,
            ..self.clone()
        }
    }

    /// Returns the key with this class, in place of its own or added to a key without class.
    #[must_use]
    pub fn with_class(&self, class: &RenderClass) -> Self {
        Self {
            class: Some(class.clone()),
            ..self.clone()
        }
    }

    /// Returns the key without variant, which is looked up if the variant has no golden of its own. The class stays.
    #[must_use]
    pub fn without_variant(&self) -> Self {
        Self {
            variant: None,
            ..self.clone()
        }
    }

    /// Returns the path of the key's file, below the folder of goldens. [`FileKind::Shared`] has the path of the rows
    /// of the key without class; only if a class proposes it as pending does it have one of its own.
    pub fn file(&self, kind: FileKind, pending: bool) -> Utf8PathBuf {
        if kind == FileKind::Shared && !(pending && self.class.is_some()) {
            return self.shared().file(FileKind::Rows, pending);
        }
        self.flow
            .join(format!("{}{}", self.stem(), kind.ending(pending)))
    }

    /// Returns the name of the golden's files without ending: `name@VARIANT~CLASS`, with the parts that it has.
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

    /// Parses a path below the folder of goldens into key, kind, and true if pending. Returns `None` for any
    /// other name; the file need not exist. Shared rows without class are returned as rows of a key without
    /// class.
    pub fn from_file(path: &Utf8Path) -> Option<(Self, FileKind, bool)> {
        let file = path.file_name()?;
        let (stem, kind, pending) = FileKind::ALL.iter().find_map(|(kind, pending)| {
            let stem = file.strip_suffix(kind.ending(*pending))?;
            // Classes have no dot, and without a class this is a golden named `home.shared`.
            let is_own = *kind != FileKind::Shared || stem.contains('~');
            (is_own && !stem.is_empty()).then_some((stem, *kind, *pending))
        })?;
        let key = path.parent()?.join(stem).as_str().parse().ok()?;
        Some((key, kind, pending))
    }
}

impl fmt::Display for GoldenKey {
    /// Writes the text that [`GoldenKey::from_str`] parses: `flow/path/name[@VARIANT][~CLASS]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for component in self.flow.components() {
            write!(f, "{component}/")?;
        }
        f.write_str(&self.stem())
    }
}

impl FromStr for GoldenKey {
    type Err = SnapshotError;

    /// Parses `flow/path/name[@VARIANT][~CLASS]`; the flow may be empty. Digits and dots at the end of the name do
    /// not count for its length. Any other text is [`SnapshotError::Name`], also one that leads out of the root.
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
        // `each` adds a number for each `repeat` around to a name that may already have the full length.
        let written = name.trim_end_matches(|c: char| c == '.' || c.is_ascii_digit());
        if name.is_empty() || written.len() > MAX_NAME_CHARS {
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKind {
    /// `.tsv`: the shared rows without a class, rows with bounds with a class.
    Rows,
    Picture,
    Annotated,
    /// `.shared.new.tsv` of a class: the shared rows that it proposes if another class proposes different
    /// ones.
    Shared,
}

impl FileKind {
    /// All endings, longer ones first: `.annotated.new.png` ends in `.new.png`, and that in `.png`.
    const ALL: [(Self, bool); 7] = [
        (Self::Shared, true),
        (Self::Annotated, true),
        (Self::Annotated, false),
        (Self::Picture, true),
        (Self::Rows, true),
        (Self::Picture, false),
        (Self::Rows, false),
    ];

    /// Returns the ending of a file's name. [`FileKind::Shared`] that is not pending has the ending of rows.
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

/// Checks that a path stays below the folder it is joined to: no root, no drive, no `..`, no `.` at the beginning, no
/// `\`, `:` or NUL. The empty path passes. Links are not followed. `what` names the path in the error.
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
