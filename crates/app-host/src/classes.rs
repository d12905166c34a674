//! An app's classes as jars: translated from its dex once, or a build's own class path.

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::files::temporary_in;
use sha2::{Digest as _, Sha256};

use crate::apk::Apk;
use crate::eviction::oldest;
use crate::jar::{self, open};
use crate::parts::{Parts, digest_of, hex};
use crate::process::SEPARATOR;

/// How many jars are kept; the oldest go.
const MAX_KEPT: usize = 40;
/// Most entries of a class path.
const MAX_ENTRIES: usize = 5000;

/// What makes an APK's dex files into classes for a JVM.
pub trait Translator: Send + Sync {
    /// Changes whenever other classes come out of the same dex.
    fn version(&self) -> &str;

    /// Writes the classes of the APK into the new jar `jar`. `framework` is the jar of Android's own classes.
    ///
    /// # Errors
    /// One sentence.
    fn translate(&self, apk: &Utf8Path, framework: &Utf8Path, jar: &Utf8Path)
    -> Result<(), String>;
}

/// Why there are no classes.
#[derive(Debug, thiserror::Error)]
pub enum ClassesError {
    /// The dex files do not do.
    #[error(
        "the code of {apk} cannot be translated: {why}; `--classes` takes a build's own class path instead"
    )]
    Translation {
        /// The APK.
        apk: Utf8PathBuf,
        /// What the translator says.
        why: String,
    },
    /// A part of a class path is not there, or is something else.
    #[error(
        "`--classes`: {path} {why}; name jars and folders of classes, with `{SEPARATOR}` between them"
    )]
    Entry {
        /// Which.
        path: Utf8PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file cannot be read or written.
    #[error("{path}: {source}; check that its folder may be written")]
    File {
        /// Which.
        path: Utf8PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

/// The classes of an APK by `translator`: from the cache, where its dex files were translated before. `copy` is the file that is
/// read; errors name the person's own.
///
/// # Errors
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
    prune(&folder);
    Ok(jar)
}

/// The jars of a class path. All are copied by their contents: a build that runs while the app does changes nothing under
/// it, and the JVM's cache takes no folders.
///
/// # Errors
/// [`ClassesError`].
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
            return packed(&path, &folder);
        }
        match path.extension() {
            Some("jar") if path.is_file() => copied(&path, &folder),
            _ if !path.exists() => Err(wrong(entry, "is not there")),
            _ => Err(wrong(entry, "is neither a jar nor a folder")),
        }
    });
    let jars = copies.collect();
    prune(&folder);
    jars
}

/// A folder as a jar, by the digest of its files.
fn packed(path: &Utf8Path, folder: &Utf8Path) -> Result<Utf8PathBuf, ClassesError> {
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

/// 32 hexadecimal digits.
fn name(digest: &[u8]) -> String {
    hex(&digest[..16])
}

/// Removes the oldest jars. One that a process has open stays there for it, or cannot be removed.
fn prune(folder: &Utf8Path) {
    for jar in oldest(folder, MAX_KEPT, |path| path.extension() == Some("jar")) {
        let _ = fs_err::remove_file(jar);
    }
}

fn at(path: &Utf8Path) -> impl Fn(std::io::Error) -> ClassesError {
    let path = path.to_owned();
    move |source| ClassesError::File {
        path: path.clone(),
        source,
    }
}

#[cfg(test)]
mod tests;
