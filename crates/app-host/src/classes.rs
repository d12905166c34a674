//! Provides an app's classes as jars: translated from its dex files once, or taken from a build's class path.

use std::collections::HashSet;

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::files::temporary_in;
use sha2::{Digest as _, Sha256};

use crate::apk::Apk;
use crate::eviction::oldest;
use crate::jar::{self, open};
use crate::parts::{Parts, digest_of, hex};
use crate::process::SEPARATOR;

/// Limit for cached jars; the oldest are removed. Chosen: a few builds of several apps.
const MAX_CACHED: usize = 40;
/// Limit for entries of a class path. Chosen: large builds have hundreds.
const MAX_ENTRIES: usize = 5000;

/// Converter of an APK's dex files to JVM classes.
pub trait Translator: Send + Sync {
    /// Returns a version that changes whenever the same dex files yield other classes.
    fn version(&self) -> &str;

    /// Writes the classes of the APK into the jar `jar`. An empty file may be there already. `framework` is the
    /// jar of Android's own classes.
    ///
    /// # Errors
    ///
    /// Returns one sentence.
    fn translate(&self, apk: &Utf8Path, framework: &Utf8Path, jar: &Utf8Path)
    -> Result<(), String>;
}

/// Reason why there are no classes.
#[derive(Debug, thiserror::Error)]
pub enum ClassesError {
    /// The dex files cannot be translated.
    #[error(
        "the code of {apk} cannot be translated: {why}; `--classes` takes a build's own class path instead"
    )]
    Translation {
        apk: Utf8PathBuf,
        /// Message of the translator.
        why: String,
    },
    /// An entry of a class path is missing, or neither jar nor folder.
    #[error(
        "`--classes`: {path} {why}; name jars and folders of classes, with `{SEPARATOR}` between them"
    )]
    Entry { path: Utf8PathBuf, why: String },
    #[error("{path}: {source}; check that its folder may be written")]
    File {
        path: Utf8PathBuf,
        source: std::io::Error,
    },
}

/// Returns the jar with the classes of an APK, from the cache if its dex files were translated before by the
/// same version of the translator. `copy` is the file that is read; errors name the person's own. A new jar
/// lets the cache drop the oldest.
///
/// # Errors
///
/// [`ClassesError`].
pub fn translated(
    apk: &Apk,
    copy: &Utf8Path,
    parts: &Parts,
    translator: &dyn Translator,
) -> Result<Utf8PathBuf, ClassesError> {
    let folder = parts.cache("classes");
    let mut digest = Sha256::new();
    digest.update(&apk.code);
    digest.update(translator.version());
    let jar = folder.join(format!("dex-{}.jar", name(&digest.finalize())));
    if jar.is_file() {
        return Ok(jar);
    }
    fs_err::create_dir_all(&folder).map_err(at(&folder))?;
    // The name only: a translator makes the file itself.
    let staged = temporary_in(&folder).map_err(at(&folder))?.into_temp_path();
    let staged_path = Utf8Path::from_path(&staged).unwrap_or(&jar).to_owned();
    let framework = parts.framework();
    translator
        .translate(copy, &framework, &staged_path)
        .map_err(|why| ClassesError::Translation {
            apk: apk.path.clone(),
            why,
        })?;
    staged
        .persist(&jar)
        .map_err(|error| at(&jar)(error.error))?;
    prune(&folder, std::slice::from_ref(&jar));
    Ok(jar)
}

/// Returns the jars of a class path, in its order. All are copied to names made of their contents: a build that
/// runs meanwhile changes nothing under a running app, and the JVM's archive does not accept folders. Relative
/// entries are below `root`; empty ones are skipped. The cache then keeps these jars, and of others the newest up
/// to 40 in all.
///
/// # Errors
///
/// [`ClassesError`]: it has no entries or more than 5,000, or one is neither a jar nor a folder.
pub fn class_path_jars(
    class_path: &str,
    root: &Utf8Path,
    parts: &Parts,
) -> Result<Vec<Utf8PathBuf>, ClassesError> {
    let entries: Vec<&str> = class_path
        .split(SEPARATOR)
        .filter(|entry| !entry.is_empty())
        .collect();
    let wrong = |path: &str, why: &str| ClassesError::Entry {
        path: path.into(),
        why: why.to_owned(),
    };
    if entries.is_empty() || entries.len() > MAX_ENTRIES {
        return Err(wrong(class_path, "is no class path"));
    }
    let folder = parts.cache("classes");
    fs_err::create_dir_all(&folder).map_err(at(&folder))?;
    let copies = entries.into_iter().map(|entry| {
        let path = root.join(entry);
        if path.is_dir() {
            return pack_folder(&path, &folder);
        }
        match path.extension() {
            Some("jar") if path.is_file() => copied(&path, &folder),
            _ if !path.exists() => Err(wrong(entry, "is not there")),
            _ => Err(wrong(entry, "is neither a jar nor a folder")),
        }
    });
    let jars: Result<Vec<Utf8PathBuf>, ClassesError> = copies.collect();
    prune(&folder, jars.as_deref().unwrap_or_default());
    jars
}

/// Packs the folder `path` into a jar in `folder`, named by the digest of its files' names and contents.
/// Returns the existing jar if it was packed before.
fn pack_folder(path: &Utf8Path, folder: &Utf8Path) -> Result<Utf8PathBuf, ClassesError> {
    let mut digest = Sha256::new();
    for file in jar::files_below(path).map_err(at(path))? {
        let open = open(&path.join(&file)).map_err(at(&file))?;
        digest.update((file.as_str().len() as u64).to_be_bytes());
        digest.update(file.as_str());
        digest.update(digest_of(open).map_err(at(&file))?);
    }
    let jar = folder.join(format!("folder-{}.jar", name(&digest.finalize())));
    if !jar.is_file() {
        jar::pack(path, &jar).map_err(at(path))?;
    }
    Ok(jar)
}

/// Copies a jar into `folder` under a name made of its contents. An equal copy that is there already is kept.
fn copied(path: &Utf8Path, folder: &Utf8Path) -> Result<Utf8PathBuf, ClassesError> {
    let mut staged = temporary_in(folder).map_err(at(folder))?;
    let mut source = open(path).map_err(at(path))?;
    std::io::copy(&mut source, &mut staged).map_err(at(path))?;
    let copy = staged.reopen().map_err(at(path))?;
    let digest = digest_of(copy).map_err(at(path))?;
    let jar = folder.join(format!("jar-{}.jar", &digest[..32]));
    if !jar.is_file() {
        staged
            .persist(&jar)
            .map_err(|error| at(&jar)(error.error))?;
    }
    Ok(jar)
}

/// Returns the first 32 hexadecimal digits of a digest.
fn name(digest: &[u8]) -> String {
    hex(&digest[..16])
}

/// Removes the oldest jars but `used`, which an app is about to read. One that a process has open stays readable
/// for it, or cannot be removed.
fn prune(folder: &Utf8Path, used: &[Utf8PathBuf]) {
    let used: HashSet<&Utf8Path> = used.iter().map(Utf8PathBuf::as_path).collect();
    let others = MAX_CACHED.saturating_sub(used.len());
    let is_other = |path: &Utf8Path| path.extension() == Some("jar") && !used.contains(path);
    for jar in oldest(folder, others, is_other) {
        let _ = fs_err::remove_file(jar);
    }
}

/// Converts an input or output error into that of this file.
fn at(path: &Utf8Path) -> impl Fn(std::io::Error) -> ClassesError {
    let path = path.to_owned();
    move |source| ClassesError::File {
        path: path.clone(),
        source,
    }
}

#[cfg(test)]
mod tests;
