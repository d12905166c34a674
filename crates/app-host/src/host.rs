//! What every app's process is started with: a JDK, the parts, the compiled host, and the archive of classes.

use camino::{Utf8Path, Utf8PathBuf};

use crate::archive::Archive;
use crate::host_jar::{HostJarError, host_jar};
use crate::jdk::{Jdk, JdkError};
use crate::parts::{Parts, PartsError};
use crate::places::Places;
use crate::process::{HostSpec, START_LIMIT};

/// The largest heap of an app's process, in MiB.
const HEAP_MIB: u32 = 640;

/// The cache of what processes keep for later ones: fonts, names of classes.
pub(crate) const CACHE: &str = "profiles";

/// What runs apps on this computer.
#[derive(Debug, Clone)]
pub struct Host {
    /// The JDK.
    pub jdk: Jdk,
    pub(crate) parts: Parts,
    /// Its archive of classes.
    pub archive: Archive,
    jar: Utf8PathBuf,
    variables: Vec<(String, String)>,
}

/// Why no app can run.
#[derive(Debug, thiserror::Error)]
pub enum HostProblem {
    /// No JDK.
    #[error(transparent)]
    Jdk(#[from] JdkError),
    /// No parts.
    #[error(transparent)]
    Parts(#[from] PartsError),
    /// The cache cannot be written.
    #[error("{cache}: {source}; check that it may be written")]
    Folder {
        /// Its folder.
        cache: Utf8PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The host does not compile.
    #[error(transparent)]
    Jar(#[from] HostJarError),
}

impl Host {
    /// Finds the JDK and the parts, and compiles the host where it is not there yet: seconds the first time.
    ///
    /// # Errors
    /// [`HostProblem`], one sentence that says what to do.
    pub fn new(places: &Places) -> Result<Self, HostProblem> {
        let parts = Parts::at(&places.parts);
        let jdk = Jdk::find(places)?;
        parts.require()?;
        let jar = host_jar(&parts, &jdk)?;
        let cache = parts.cache(CACHE);
        fs_err::create_dir_all(&cache).map_err(|source| HostProblem::Folder { cache, source })?;
        Ok(Self {
            archive: Archive::new(&parts, &jar),
            jdk,
            parts,
            jar,
            variables: places.variables.clone(),
        })
    }

    /// Returns how to start a process without an app in the folder of a run.
    pub fn spec(&self, run: &Utf8Path) -> HostSpec {
        // Robolectric's own libraries first: it needs them in its versions.
        let mut class_path = vec![self.jar.clone()];
        class_path.extend(self.parts.class_path());
        HostSpec {
            java: self.jdk.java(),
            class_path,
            parts: self.parts.jars(),
            folder: run.to_owned(),
            data_dir: None,
            app: None,
            real_time: false,
            heap_mib: HEAP_MIB,
            options: vec![format!("-Drunner.host.cache={}", self.parts.cache(CACHE))],
            variables: self.variables.clone(),
            limit: START_LIMIT,
        }
    }
}
