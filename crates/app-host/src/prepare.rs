//! All that must be there before a person's APK runs: a JDK, the parts, the host, the app's classes, and what names the APK to
//! Robolectric.

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::files::temporary_in;

use crate::apk::{Apk, ApkProblem};
use crate::classes::{self, ClassesError, Translator};
use crate::conf;
use crate::eviction::oldest;
use crate::host::Host;
use crate::jar::open;
use crate::parts::digest_of;
use crate::process::{AppFiles, HostSpec};

/// How many APKs are kept; the oldest go.
const MAX_KEPT: usize = 12;

/// Where an app's classes come from.
#[derive(Clone, Copy)]
pub enum Code<'a> {
    /// The APK's dex files, translated.
    Dex(&'a dyn Translator),
    /// A build's own class path; paths in it are below `root`.
    ClassPath {
        /// Jars and folders.
        class_path: &'a str,
        /// The folder that they are relative to.
        root: &'a Utf8Path,
    },
}

/// An APK that can be started.
#[derive(Debug, Clone)]
pub struct PreparedApk {
    /// What it is.
    pub apk: Apk,
    host: Host,
    files: AppFiles,
}

/// Why an APK cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The APK.
    #[error(transparent)]
    Apk(#[from] ApkProblem),
    /// The app's classes.
    #[error(transparent)]
    Classes(#[from] ClassesError),
    /// It changed while it was read.
    #[error("{0} changed while it was read; a build may be at work, try again")]
    Changed(Utf8PathBuf),
    /// A file cannot be read or written.
    #[error("{path}: {source}; check that its folder may be written")]
    File {
        /// Which.
        path: Utf8PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl PreparedApk {
    /// Makes all ready to start the APK at `path`: seconds the first time, milliseconds later. It blocks.
    ///
    /// # Errors
    /// [`PrepareError`], one sentence that says what to do.
    pub fn new(path: &Utf8Path, code: Code<'_>, host: Host) -> Result<Self, PrepareError> {
        let apk = Apk::read(path)?;
        let parts = &host.parts;
        let folder = parts.cache("apks").join(&apk.digest[..32]);
        // A build that goes on would change the file under a process that has it open.
        let copy = retained(&apk, &folder)?;
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
        let manifest = conf::write(&apk, &folder).map_err(at(&folder))?;
        prune(&parts.cache("apks"));
        let files = AppFiles {
            package: apk.manifest.package.clone(),
            apk: copy,
            manifest,
            classes,
        };
        Ok(Self { apk, host, files })
    }

    /// Returns how to start it in the folder of a run.
    pub fn spec(&self, run: &Utf8Path, real_time: bool) -> HostSpec {
        let mut spec = self.host.spec(run);
        spec.app = Some(self.files.clone());
        spec.real_time = real_time;
        spec.options.extend(self.host.archive.read_options());
        spec
    }
}

/// A copy of the APK in `folder`, which has its digest in its name.
fn retained(apk: &Apk, folder: &Utf8Path) -> Result<Utf8PathBuf, PrepareError> {
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

/// Removes the APKs that were made ready longest ago.
fn prune(folder: &Utf8Path) {
    for old in oldest(folder, MAX_KEPT, |_| true) {
        // A process may have it open, on systems that mind: it goes another time.
        let _ = fs_err::remove_dir_all(old);
    }
}

fn at(path: &Utf8Path) -> impl Fn(std::io::Error) -> PrepareError {
    let path = path.to_owned();
    move |source| PrepareError::File {
        path: path.clone(),
        source,
    }
}
