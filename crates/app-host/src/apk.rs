//! Reads an APK's manifest and file list before its code runs. Everything is limited, as APKs come from
//! anywhere.

use std::fs::File;

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::archive;
use runner_virtual_device::ApkManifest;
use sha2::{Digest as _, Sha256};

use crate::parts::{digest_of, hex};
use runner_text::input_file::open_regular;

/// Limits for files and bytes of an APK. Chosen: no app has as many; a ZIP file without the Zip64 extension
/// holds 65,535 files and 4 GiB.
const MAX_FILES: usize = 200_000;
const MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// Limit for dex files. Chosen: debug builds have one per library and more.
const MAX_DEX: usize = 500;
/// Limit for the dex files' unpacked bytes. Chosen: several times the largest apps'.
const MAX_DEX_BYTES: u64 = 1024 * 1024 * 1024;
/// Limit for names of libraries that are listed. Chosen: no app has as many.
const MAX_LIBRARIES: usize = 1000;

/// An APK that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apk {
    pub path: Utf8PathBuf,
    /// SHA-256 of the file.
    pub digest: String,
    /// SHA-256 of its dex files.
    pub code: String,
    pub manifest: ApkManifest,
    /// Distinct names of its native libraries, such as `libflutter.so`. Their presence alone does not prevent
    /// a run.
    pub libraries: Vec<String>,
}

/// Reason why an APK cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum ApkProblem {
    #[error("{path} cannot be read: {source}")]
    File {
        path: Utf8PathBuf,
        source: std::io::Error,
    },
    /// The file is no APK, or a damaged one.
    #[error("{path} is no APK: {why}")]
    NotApk { path: Utf8PathBuf, why: String },
    /// The file is an Android App Bundle.
    #[error(
        "{0} is an app bundle, from which a store makes APKs; build an APK, such as with `./gradlew assembleDebug`"
    )]
    Bundle(Utf8PathBuf),
    /// The file is an archive of several APKs.
    #[error(
        "{0} holds the parts of a split app; only an APK that holds all of an app is run here, such as one of `./gradlew assembleDebug`"
    )]
    Archive(Utf8PathBuf),
    /// The file is one of several APKs that form an app together.
    #[error(
        "{path} is {what} of a split app; only an APK that holds all of an app is run here, such as one of `./gradlew assembleDebug`"
    )]
    Split {
        path: Utf8PathBuf,
        /// `the base`, or the split's name.
        what: String,
    },
    #[error("{0} has no code (`classes.dex`), so there is nothing to run")]
    NoCode(Utf8PathBuf),
    /// The file exceeds a limit.
    #[error("{path} {why}, which is more than is read")]
    TooLarge {
        path: Utf8PathBuf,
        /// Clause such as `has 600 dex files`.
        why: String,
    },
}

impl Apk {
    /// Reads the APK at `path`, without running code of it: manifest, digests and the names of its native
    /// libraries.
    ///
    /// # Errors
    ///
    /// Returns an [`ApkProblem`] of one sentence: it cannot be read, is none or has more than 4 GiB; it is a
    /// bundle, or holds the parts of a split app or is one; or it has no code, or too much of it.
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
        let contents = Contents::scan(&mut zip).map_err(|error| not_apk(error.to_string()))?;
        if let Some(problem) = contents.problem(path) {
            return Err(problem);
        }
        let manifest =
            ApkManifest::from_apk(open()?).map_err(|error| not_apk(error.to_string()))?;
        let split = match &manifest.split {
            // The name comes from the file, so it may be anything.
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
            code: dex_digest(&mut zip, &contents.dex).map_err(file_problem)?,
            manifest,
            libraries: contents.libraries,
        })
    }

    /// Returns the first known framework, such as Flutter or Unity, whose native library the APK holds, and
    /// whose code no JVM runs. `None` if none is recognized; the APK may still have native code.
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

/// Builds the [`ApkProblem::TooLarge`]. `why` is a clause such as `has 600 dex files`.
fn too_large(path: &Utf8Path, why: String) -> ApkProblem {
    ApkProblem::TooLarge {
        path: path.to_owned(),
        why,
    }
}

/// Results of scanning an archive's file list.
#[derive(Default)]
struct Contents {
    /// Dex files: number and index in the archive.
    dex: Vec<(u32, usize)>,
    dex_bytes: u64,
    libraries: Vec<String>,
    has_manifest: bool,
    is_bundle: bool,
    holds_apks: bool,
}

impl Contents {
    /// Scans the archive's file list; nothing is unpacked. Dex files are in the order of their numbers; names of
    /// libraries are sorted, each once, and of at most [`MAX_LIBRARIES`] entries. Names that are not UTF-8 are
    /// passed over.
    fn scan(zip: &mut zip::ZipArchive<File>) -> zip::result::ZipResult<Self> {
        let mut contents = Self::default();
        for index in 0..zip.len() {
            let entry = zip.by_index_raw(index)?;
            // None of the relevant names is invalid UTF-8.
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
            if let Some(library) = library_name(name)
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

    /// Returns the first problem that the file list shows: an app bundle or an archive of APKs (if it has no
    /// manifest), too many dex files, or too large ones. `None` if there is none; a lack of code is not looked for.
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

/// Returns the number of a dex file that Android loads: 1 for `classes.dex`, 2 for `classes2.dex`. `None` for
/// other names, such as `classes1.dex` and `classes02.dex`.
fn dex_number(name: &str) -> Option<u32> {
    let number = name.strip_prefix("classes")?.strip_suffix(".dex")?;
    match number {
        "" => Some(1),
        _ if number.starts_with('0') || !number.bytes().all(|byte| byte.is_ascii_digit()) => None,
        _ => number.parse().ok().filter(|number| *number > 1),
    }
}

/// Returns `libx.so` for `lib/ABI/libx.so`. `None` for other entries, deeper folders, and names with other
/// characters or more than 127 of them.
fn library_name(name: &str) -> Option<&str> {
    let (_, file) = name.strip_prefix("lib/")?.split_once('/')?;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._+-".contains(letter);
    (file.ends_with(".so") && file.len() < 128 && file.chars().all(plain)).then_some(file)
}

/// Hashes the dex files in the given order, by number, size and checksum, in packed form, so that nothing
/// must be unpacked. The same code packed otherwise has another digest.
fn dex_digest(zip: &mut zip::ZipArchive<File>, dex: &[(u32, usize)]) -> std::io::Result<String> {
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
