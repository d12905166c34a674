//! Prepares an APK for its run: JDK, parts, host, the app's classes, and the files that name the APK to
//! Robolectric.

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::files::temporary_in;

use crate::apk::{Apk, ApkProblem};
use crate::classes::{self, ClassesError, Translator};
use crate::eviction::oldest;
use crate::host::Host;
use crate::jar::open;
use crate::manifest_text;
use crate::parts::digest_of;
use crate::process::{AppFiles, HostSpec};

/// Limit for cached APKs; the oldest are removed. Chosen: a few builds of several apps.
const MAX_CACHED: usize = 12;

/// Source of an app's classes.
#[derive(Clone, Copy)]
pub enum Code<'a> {
    /// Translates the APK's dex files.
    Dex(&'a dyn Translator),
    /// Uses a build's class path instead.
    ClassPath {
        /// Jars and folders.
        class_path: &'a str,
        /// Folder that relative paths refer to.
        root: &'a Utf8Path,
    },
}

/// An APK that can be started.
#[derive(Debug, Clone)]
pub struct PreparedApk {
    pub apk: Apk,
    host: Host,
    files: AppFiles,
}

/// Reason why an APK cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    #[error(transparent)]
    Apk(#[from] ApkProblem),
    #[error(transparent)]
    Classes(#[from] ClassesError),
    /// The APK changed while it was read.
    #[error("{0} changed while it was read; a build may be at work, try again")]
    Changed(Utf8PathBuf),
    #[error("{path}: {source}; check that its folder may be written")]
    File {
        path: Utf8PathBuf,
        source: std::io::Error,
    },
}

impl PreparedApk {
    /// Prepares the APK at `path`: copies it into the cache, translates its code unless `code` is a class path, and
    /// writes its manifest. Blocks for seconds the first time, and for milliseconds later. All but the 12 newest APKs
    /// in the cache are removed.
    ///
    /// # Errors
    ///
    /// Returns a [`PrepareError`] of one sentence that says what to do.
    pub fn new(path: &Utf8Path, code: Code<'_>, host: Host) -> Result<Self, PrepareError> {
        let apk = Apk::read(path)?;
        let parts = &host.parts;
        let folder = parts.cache("apks").join(&apk.digest[..32]);
        // A running build would change the file while a process has it open.
        let copy = copy_apk(&apk, &folder)?;
        let classes = match code {
            // Behind its classes the APK itself: Android's class loaders find its other entries, such as those by which
            // a library finds its parts (`META-INF/services`).
            Code::Dex(translator) => {
                let jar = classes::translated(&apk, &copy, parts, translator)?;
                vec![jar, copy.clone()]
            }
            Code::ClassPath { class_path, root } => {
                classes::class_path_jars(class_path, root, parts)?
            }
        };
        let manifest = manifest_text::write(&apk, &folder).map_err(at(&folder))?;
        prune(&parts.cache("apks"));
        let files = AppFiles {
            package: apk.manifest.package.clone(),
            apk: copy,
            manifest,
            classes,
        };
        Ok(Self { apk, host, files })
    }

    /// Returns the command for its process, whose own files go below `run`. With `real_time`, the app's time
    /// is the computer's. Starts nothing.
    pub fn spec(&self, run: &Utf8Path, real_time: bool) -> HostSpec {
        let mut spec = self.host.spec(run);
        spec.app = Some(self.files.clone());
        spec.real_time = real_time;
        spec.options.extend(self.host.archive.read_options());
        spec
    }
}

/// Copies the APK into `folder`, whose name contains the digest. A copy that is there already is returned
/// unread. Fails if the APK has changed since its digest was taken.
fn copy_apk(apk: &Apk, folder: &Utf8Path) -> Result<Utf8PathBuf, PrepareError> {
    let copy = folder.join("app.apk");
    if copy.is_file() {
        return Ok(copy);
    }
    fs_err::create_dir_all(folder).map_err(at(folder))?;
    let mut staged = temporary_in(folder).map_err(at(folder))?;
    let mut source = open(&apk.path).map_err(at(&apk.path))?;
    std::io::copy(&mut source, &mut staged).map_err(at(folder))?;
    let open = staged.reopen().map_err(at(folder))?;
    if digest_of(open).map_err(at(folder))? != apk.digest {
        return Err(PrepareError::Changed(apk.path.clone()));
    }
    staged
        .persist(&copy)
        .map_err(|error| at(&copy)(error.error))?;
    Ok(copy)
}

/// Removes all prepared APKs but the 12 newest. One that cannot be removed stays without an error.
fn prune(folder: &Utf8Path) {
    for old in oldest(folder, MAX_CACHED, |_| true) {
        // Fails on some systems while a process has it open; then it is removed another time.
        let _ = fs_err::remove_dir_all(old);
    }
}

/// Returns a function that adds the path to an error of the file system.
fn at(path: &Utf8Path) -> impl Fn(std::io::Error) -> PrepareError {
    let path = path.to_owned();
    move |source| PrepareError::File {
        path: path.clone(),
        source,
    }
}
