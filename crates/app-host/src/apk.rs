//! What an APK is, as far as it must be known before its code runs: read with limits, for APKs come from anywhere.

use std::fs::File;

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::archive;
use runner_virtual_device::ApkManifest;
use sha2::{Digest as _, Sha256};

use crate::parts::{digest_of, hex};
use runner_text::input_file::open_regular;

/// Most files of an APK, and most bytes: Android itself takes no larger one.
const MAX_FILES: usize = 200_000;
const MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// Most dex files. Builds for debugging have one a library and more.
const MAX_DEX: usize = 500;
/// Most bytes of dex, unpacked.
const MAX_DEX_BYTES: u64 = 1024 * 1024 * 1024;
/// How many names of libraries are told.
const MAX_LIBRARIES: usize = 1000;

/// An APK that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apk {
    /// The file.
    pub path: Utf8PathBuf,
    /// SHA-256 of the file.
    pub digest: String,
    /// SHA-256 of its dex files.
    pub code: String,
    /// Its manifest.
    pub manifest: ApkManifest,
    /// Names of its native libraries, such as `libflutter.so`, each once. That it has some is no reason that it does not run.
    pub libraries: Vec<String>,
}

/// Why an APK cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum ApkProblem {
    /// It cannot be read.
    #[error("{path} cannot be read: {source}")]
    File {
        /// The file.
        path: Utf8PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is no APK, or a damaged one.
    #[error("{path} is no APK: {why}")]
    NotApk {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// An Android App Bundle.
    #[error(
        "{0} is an app bundle, from which a store makes APKs; build an APK, such as with `./gradlew assembleDebug`"
    )]
    Bundle(Utf8PathBuf),
    /// An archive of several APKs.
    #[error(
        "{0} holds the parts of a split app; only an APK that holds all of an app is run here, such as one of `./gradlew assembleDebug`"
    )]
    Archive(Utf8PathBuf),
    /// One of several APKs that are an app together.
    #[error(
        "{path} is {what} of a split app; only an APK that holds all of an app is run here, such as one of `./gradlew assembleDebug`"
    )]
    Split {
        /// The file.
        path: Utf8PathBuf,
        /// `the base`, or which split.
        what: String,
    },
    /// It has no code.
    #[error("{0} has no code (`classes.dex`), so there is nothing to run")]
    NoCode(Utf8PathBuf),
    /// It is larger than any app.
    #[error("{path} {why}, which is more than is read")]
    TooLarge {
        /// The file.
        path: Utf8PathBuf,
        /// What is too large.
        why: String,
    },
}

impl Apk {
    /// Reads the APK at `path`. No code of it runs.
    ///
    /// # Errors
    /// [`ApkProblem`], one sentence.
    pub fn read(path: &Utf8Path) -> Result<Self, ApkProblem> {
        let file_problem = |source| ApkProblem::File {
            path: path.to_owned(),
            source,
        };
        let not_apk = |why: String| ApkProblem::NotApk {
            path: path.to_owned(),
            why,
        };
        let open = || open_regular(path, MAX_BYTES).map_err(|error| file_problem(error.into()));
        let mut zip =
            archive::open(open()?, MAX_FILES).map_err(|error| not_apk(error.to_string()))?;
        let contents = Contents::of(&mut zip).map_err(|error| not_apk(error.to_string()))?;
        if let Some(problem) = contents.problem(path) {
            return Err(problem);
        }
        let manifest =
            ApkManifest::from_apk(open()?).map_err(|error| not_apk(error.to_string()))?;
        let split = match &manifest.split {
            // Its name is the file's own word.
            Some(split) => Some(format!("the split {split:?}")),
            None => manifest.needs_splits.then(|| "the base".to_owned()),
        };
        if let Some(what) = split {
            return Err(ApkProblem::Split {
                path: path.to_owned(),
                what,
            });
        }
        if contents.dex.is_empty() {
            return Err(ApkProblem::NoCode(path.to_owned()));
        }
        Ok(Self {
            path: path.to_owned(),
            digest: digest_of(open()?).map_err(file_problem)?,
            code: code(&mut zip, &contents.dex).map_err(file_problem)?,
            manifest,
            libraries: contents.libraries,
        })
    }

    /// The framework whose code is in native libraries, which no JVM runs.
    pub fn native_framework(&self) -> Option<&'static str> {
        let has = |name: &str| self.libraries.iter().any(|library| library == name);
        [
            ("Flutter", &["libflutter.so"][..]),
            ("Unity", &["libunity.so"]),
            (
                "React Native",
                &["libreactnativejni.so", "libreactnative.so", "libhermes.so"],
            ),
            (".NET", &["libmonodroid.so", "libmonosgen-2.0.so"]),
            ("NativeScript", &["libNativeScript.so"]),
            ("Godot", &["libgodot_android.so"]),
        ]
        .into_iter()
        .find_map(|(framework, names)| names.iter().any(|name| has(name)).then_some(framework))
    }
}

fn too_large(path: &Utf8Path, why: String) -> ApkProblem {
    ApkProblem::TooLarge {
        path: path.to_owned(),
        why,
    }
}

/// What the list of an archive says.
#[derive(Default)]
struct Contents {
    /// Places of the dex files, by their number.
    dex: Vec<(u32, usize)>,
    dex_bytes: u64,
    libraries: Vec<String>,
    has_manifest: bool,
    is_bundle: bool,
    holds_apks: bool,
}

impl Contents {
    fn of(zip: &mut zip::ZipArchive<File>) -> zip::result::ZipResult<Self> {
        let mut contents = Self::default();
        for index in 0..zip.len() {
            let entry = zip.by_index_raw(index)?;
            // A name that is no text is none of those that count.
            let Ok(name) = std::str::from_utf8(entry.name_raw()) else {
                continue;
            };
            if let Some(number) = dex_number(name) {
                contents.dex.push((number, index));
                contents.dex_bytes = contents.dex_bytes.saturating_add(entry.size());
            }
            contents.has_manifest |= name == "AndroidManifest.xml";
            contents.is_bundle |= matches!(
                name,
                "BundleConfig.pb" | "base/manifest/AndroidManifest.xml"
            );
            contents.holds_apks |= name.ends_with(".apk") && !name.starts_with("assets/");
            if let Some(library) = library(name)
                && contents.libraries.len() < MAX_LIBRARIES
            {
                contents.libraries.push(library.to_owned());
            }
        }
        contents.dex.sort_unstable();
        contents.libraries.sort_unstable();
        contents.libraries.dedup();
        Ok(contents)
    }

    fn problem(&self, path: &Utf8Path) -> Option<ApkProblem> {
        if self.is_bundle && !self.has_manifest {
            return Some(ApkProblem::Bundle(path.to_owned()));
        }
        if self.holds_apks && !self.has_manifest {
            return Some(ApkProblem::Archive(path.to_owned()));
        }
        if self.dex.len() > MAX_DEX {
            let why = format!("has {} dex files", self.dex.len());
            return Some(too_large(path, why));
        }
        if self.dex_bytes > MAX_DEX_BYTES {
            let why = format!("says that it unpacks to {} bytes of code", self.dex_bytes);
            return Some(too_large(path, why));
        }
        None
    }
}

/// 1 of `classes.dex`, 2 of `classes2.dex`: the names that Android loads.
fn dex_number(name: &str) -> Option<u32> {
    let number = name.strip_prefix("classes")?.strip_suffix(".dex")?;
    match number {
        "" => Some(1),
        _ if number.starts_with('0') || !number.bytes().all(|byte| byte.is_ascii_digit()) => None,
        _ => number.parse().ok().filter(|number| *number > 1),
    }
}

/// `libx.so` of `lib/ABI/libx.so`.
fn library(name: &str) -> Option<&str> {
    let (_, file) = name.strip_prefix("lib/")?.split_once('/')?;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._+-".contains(letter);
    (file.ends_with(".so") && file.len() < 128 && file.chars().all(plain)).then_some(file)
}

/// SHA-256 of the dex files as they are packed: nothing is unpacked for it.
fn code(zip: &mut zip::ZipArchive<File>, dex: &[(u32, usize)]) -> std::io::Result<String> {
    let mut digest = Sha256::new();
    for (number, index) in dex {
        let entry = zip.by_index_raw(*index)?;
        digest.update(number.to_be_bytes());
        digest.update(entry.size().to_be_bytes());
        digest.update(entry.crc32().to_be_bytes());
        digest.update(digest_of(entry)?);
    }
    Ok(hex(&digest.finalize()))
}

#[cfg(test)]
mod tests;
