//! The parts of an APK's manifest that a device without an Android runtime needs.

use super::axml::{self, AxmlError, Element};
use super::link::{ApkLink, ApkPath};

/// Resource ids of the attributes that are read, from Android's `public.xml`.
mod id {
    pub(super) const LABEL: u32 = 0x0101_0001;
    pub(super) const NAME: u32 = 0x0101_0003;
    pub(super) const PERMISSION: u32 = 0x0101_0006;
    pub(super) const DEBUGGABLE: u32 = 0x0101_000f;
    pub(super) const VALUE: u32 = 0x0101_0024;
    pub(super) const TARGET_PACKAGE: u32 = 0x0101_0021;
    pub(super) const DATA_SCHEME: u32 = 0x0101_0027;
    pub(super) const DATA_HOST: u32 = 0x0101_0028;
    pub(super) const DATA_PATH: u32 = 0x0101_002a;
    pub(super) const DATA_PATH_PREFIX: u32 = 0x0101_002b;
    pub(super) const DATA_PATH_PATTERN: u32 = 0x0101_002c;
    pub(super) const MIN_SDK: u32 = 0x0101_020c;
    pub(super) const VERSION_CODE: u32 = 0x0101_021b;
    pub(super) const VERSION_NAME: u32 = 0x0101_021c;
    pub(super) const TARGET_SDK: u32 = 0x0101_0270;
    pub(super) const TEST_ONLY: u32 = 0x0101_0272;
    pub(super) const VERSION_CODE_MAJOR: u32 = 0x0101_0576;
    pub(super) const APP_COMPONENT_FACTORY: u32 = 0x0101_057a;
    pub(super) const IS_SPLIT_REQUIRED: u32 = 0x0101_0591;
    pub(super) const REQUIRED_SPLIT_TYPES: u32 = 0x0101_064e;
}

/// Metadata that bundletool adds to a base APK that needs its splits.
const SPLITS_REQUIRED: &str = "com.android.vending.splits.required";

/// Most activities, services, permissions or other parts of a package. Chosen: without a limit a file could
/// fill the memory.
const MAX_PARTS: usize = 10_000;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApkManifest {
    pub package: String,
    /// `versionCode`. Its upper 32 bits are `versionCodeMajor`.
    pub version_code: u64,
    /// `versionName`, or empty.
    pub version_name: String,
    /// The app's name for people. `None` if it is missing, empty or not in the resource table.
    pub label: Option<String>,
    /// `minSdkVersion`: the lowest API level on which it can be installed. 1 if only that attribute is missing, 0
    /// without `uses-sdk`.
    pub min_sdk: u32,
    /// `targetSdkVersion`: the API level that it was made for. Equal to `min_sdk` if it is missing.
    pub target_sdk: u32,
    pub debuggable: bool,
    /// Made for tests: `pm install` needs `-t`.
    pub test_only: bool,
    /// Full name of its own `Application` class, if it has one.
    pub application: Option<String>,
    /// Full name of its own `AppComponentFactory`, if it has one.
    pub component_factory: Option<String>,
    /// Name of the split. `None` for a base or a complete app.
    pub split: Option<String>,
    /// A base APK that cannot be installed without its splits.
    pub needs_splits: bool,
    /// Full names of the activities and their aliases; empty for one without a name.
    pub activities: Vec<String>,
    /// Full name of the first activity or alias that the launcher starts.
    pub launchable: Option<String>,
    /// Links that its activities handle.
    pub links: Vec<ApkLink>,
    pub services: Vec<ApkService>,
    pub instrumentation: Vec<Instrumentation>,
    /// Permissions that it requests.
    pub permissions: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApkService {
    /// Full name of its class.
    pub class: String,
    /// Permission that its callers need.
    pub permission: Option<String>,
}

/// An instrumentation: code of the APK that runs inside another package's process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instrumentation {
    /// Full name of its class.
    pub class: String,
    /// Package in whose process it runs.
    pub target: String,
}

/// Reason why a manifest is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ManifestError {
    #[error(transparent)]
    Corrupt(#[from] AxmlError),
    /// The package's name is missing or malformed.
    #[error("Invalid manifest package: `{0}` is not a package's name")]
    Package(String),
}

impl ApkManifest {
    /// Parses a binary `AndroidManifest.xml`. `text` looks up a string in the resource table; it is called only if the
    /// label is a reference. An empty label counts as none. Fails if the file is damaged or the package's name is
    /// malformed.
    pub(super) fn read(
        bytes: &[u8],
        text: impl FnOnce(u32) -> Option<String>,
    ) -> Result<Self, ManifestError> {
        let mut reader = Reader::default();
        axml::visit(bytes, |depth, element| reader.take(depth, element))?;
        reader.end_filter()?;
        let Reader {
            mut manifest,
            label,
            ..
        } = reader;
        if let Some(id) = label {
            manifest.label = text(id).filter(|label| !label.is_empty());
        }
        if is_package(&manifest.package) {
            Ok(manifest)
        } else {
            Err(ManifestError::Package(manifest.package))
        }
    }
}

/// Returns true for at least two names with dots between them, 223 bytes at most. Each begins with an ASCII
/// letter and has only ASCII letters, digits and `_`. They are used as file names too.
fn is_package(name: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    name.len() <= 223 && name.contains('.') && name.split('.').all(part)
}

#[derive(Default)]
struct Reader {
    manifest: ApkManifest,
    /// Resource id of the label, if it is not written in the manifest.
    label: Option<u32>,
    /// Names of the elements around the current one, the root first.
    path: Vec<String>,
    /// Activity whose filters are being read.
    activity: Option<String>,
    filter: Filter,
}

/// The intent filter that is being read.
#[derive(Default)]
struct Filter {
    is_main: bool,
    is_launcher: bool,
    is_view: bool,
    link: ApkLink,
}

impl Reader {
    /// Takes what an element says, by its name, depth and parent. Elements at other places are ignored. An
    /// `activity-alias` counts as an activity. Fails if a list would have over [`MAX_PARTS`].
    fn take(&mut self, depth: usize, element: &Element<'_, '_>) -> Result<(), AxmlError> {
        let name = element.name()?;
        self.path.truncate(depth);
        if depth <= 3 {
            self.end_filter()?;
        }
        let parent = self.path.last().map_or("", String::as_str);
        match (depth, parent, name.as_str()) {
            (0, _, "manifest") => self.manifest(element)?,
            (1, "manifest", "uses-sdk") => {
                self.manifest.min_sdk = number(element, id::MIN_SDK)?.unwrap_or(1);
                self.manifest.target_sdk =
                    number(element, id::TARGET_SDK)?.unwrap_or(self.manifest.min_sdk);
            }
            (1, "manifest", "uses-permission") => {
                if let Some(permission) = text(element, id::NAME)? {
                    keep(&mut self.manifest.permissions, permission)?;
                }
            }
            (1, "manifest", "instrumentation") => {
                let class = text(element, id::NAME)?.unwrap_or_default();
                let instrumentation = Instrumentation {
                    class: self.class(&class),
                    target: text(element, id::TARGET_PACKAGE)?.unwrap_or_default(),
                };
                keep(&mut self.manifest.instrumentation, instrumentation)?;
            }
            (1, "manifest", "application") => {
                let label = element.android(id::LABEL)?;
                if let Some(axml::Value::Reference(id)) = label {
                    self.label = Some(id);
                }
                let label = label.and_then(axml::Value::text);
                self.manifest.label = label.filter(|label| !label.is_empty());
                self.manifest.debuggable = number(element, id::DEBUGGABLE)?.unwrap_or(0) != 0;
                self.manifest.test_only = number(element, id::TEST_ONLY)?.unwrap_or(0) != 0;
                self.manifest.application = self.own_class(element, id::NAME)?;
                self.manifest.component_factory =
                    self.own_class(element, id::APP_COMPONENT_FACTORY)?;
                self.manifest.needs_splits |= is_true(element, id::IS_SPLIT_REQUIRED)?;
            }
            (2, "application", "meta-data")
                if text(element, id::NAME)?.as_deref() == Some(SPLITS_REQUIRED) =>
            {
                self.activity = None;
                self.manifest.needs_splits |= is_true(element, id::VALUE)?;
            }
            (2, "application", "activity" | "activity-alias") => {
                let class = text(element, id::NAME)?.unwrap_or_default();
                let class = self.class(&class);
                keep(&mut self.manifest.activities, class.clone())?;
                self.activity = Some(class);
            }
            (2, "application", "service") => {
                self.activity = None;
                let class = text(element, id::NAME)?.unwrap_or_default();
                let service = ApkService {
                    class: self.class(&class),
                    permission: text(element, id::PERMISSION)?,
                };
                keep(&mut self.manifest.services, service)?;
            }
            (2, ..) => self.activity = None,
            (4, "intent-filter", "action") => {
                let action = text(element, id::NAME)?;
                self.filter.is_main |= action.as_deref() == Some("android.intent.action.MAIN");
                self.filter.is_view |= action.as_deref() == Some("android.intent.action.VIEW");
            }
            (4, "intent-filter", "category") => {
                self.filter.is_launcher |=
                    text(element, id::NAME)?.as_deref() == Some("android.intent.category.LAUNCHER");
            }
            (4, "intent-filter", "data") => self.data(element)?,
            _ => {}
        }
        self.path.push(name);
        Ok(())
    }

    /// Takes package, version and splits of the root. A missing version is 0 and empty, and a missing package
    /// fails later.
    fn manifest(&mut self, element: &Element<'_, '_>) -> Result<(), AxmlError> {
        let package = element
            .plain_attribute("package")?
            .and_then(axml::Value::text);
        self.manifest.package = package.unwrap_or_default();
        let code = number(element, id::VERSION_CODE)?.unwrap_or(0);
        let major = number(element, id::VERSION_CODE_MAJOR)?.unwrap_or(0);
        self.manifest.version_code = u64::from(major) << 32 | u64::from(code);
        self.manifest.version_name = text(element, id::VERSION_NAME)?.unwrap_or_default();
        let split = element
            .plain_attribute("split")?
            .and_then(axml::Value::text);
        self.manifest.split = split.filter(|split| !split.is_empty());
        let types = text(element, id::REQUIRED_SPLIT_TYPES)?;
        self.manifest.needs_splits = types.is_some_and(|types| !types.is_empty())
            || is_true(element, id::IS_SPLIT_REQUIRED)?;
        Ok(())
    }

    /// Adds scheme, host and paths of `data` to the filter's link. As on Android, several `data` are one set of
    /// each.
    fn data(&mut self, element: &Element<'_, '_>) -> Result<(), AxmlError> {
        let link = &mut self.filter.link;
        if let Some(scheme) = text(element, id::DATA_SCHEME)? {
            keep(&mut link.schemes, scheme)?;
        }
        if let Some(host) = text(element, id::DATA_HOST)? {
            keep(&mut link.hosts, host)?;
        }
        if let Some(path) = text(element, id::DATA_PATH)? {
            keep(&mut link.paths, ApkPath::Whole(path))?;
        }
        if let Some(path) = text(element, id::DATA_PATH_PREFIX)? {
            keep(&mut link.paths, ApkPath::Prefix(path))?;
        }
        if let Some(path) = text(element, id::DATA_PATH_PATTERN)? {
            keep(&mut link.paths, ApkPath::Pattern(path))?;
        }
        Ok(())
    }

    /// Applies the collected filter to the current activity, and begins an empty one. The first activity with a main
    /// launcher filter becomes the launchable one. A filter for `VIEW` with a scheme becomes a link. Outside an
    /// activity, the filter is dropped. Fails if there are too many links.
    fn end_filter(&mut self) -> Result<(), AxmlError> {
        let filter = std::mem::take(&mut self.filter);
        let Some(activity) = &self.activity else {
            return Ok(());
        };
        if filter.is_main && filter.is_launcher && self.manifest.launchable.is_none() {
            self.manifest.launchable = Some(activity.clone());
        }
        if filter.is_view && !filter.link.schemes.is_empty() {
            let link = ApkLink {
                activity: activity.clone(),
                ..filter.link
            };
            keep(&mut self.manifest.links, link)?;
        }
        Ok(())
    }

    /// Returns the full name of the class that an attribute names, or `None` if the attribute is missing or
    /// empty.
    fn own_class(&self, element: &Element<'_, '_>, id: u32) -> Result<Option<String>, AxmlError> {
        let class = text(element, id)?.filter(|name| !name.is_empty());
        Ok(class.map(|name| self.class(&name)))
    }

    /// Completes a class name: `.Main` and `Main` get the package in front. An empty name, and one with a dot further
    /// on, is returned unchanged.
    fn class(&self, name: &str) -> String {
        let package = &self.manifest.package;
        match name.find('.') {
            Some(0) => format!("{package}{name}"),
            None if !name.is_empty() => format!("{package}.{name}"),
            _ => name.to_owned(),
        }
    }
}

/// Adds a part. Fails if there are [`MAX_PARTS`].
fn keep<T>(list: &mut Vec<T>, part: T) -> Result<(), AxmlError> {
    if list.len() >= MAX_PARTS {
        return Err(AxmlError);
    }
    list.push(part);
    Ok(())
}

fn text(element: &Element<'_, '_>, id: u32) -> Result<Option<String>, AxmlError> {
    Ok(element.android(id)?.and_then(axml::Value::text))
}

/// Returns true if the attribute is `true` or a number that is not 0. A missing attribute is false.
fn is_true(element: &Element<'_, '_>, id: u32) -> Result<bool, AxmlError> {
    Ok(element.android(id)?.is_some_and(|value| match value {
        axml::Value::Text(text) => text == "true",
        other => other.number().unwrap_or(0) != 0,
    }))
}

fn number(element: &Element<'_, '_>, id: u32) -> Result<Option<u32>, AxmlError> {
    Ok(element.android(id)?.and_then(axml::Value::number))
}
