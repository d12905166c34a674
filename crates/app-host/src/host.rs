//! Prerequisites of every app's process: a JDK, the parts, the compiled host, and the class archive.

use camino::{Utf8Path, Utf8PathBuf};

use crate::archive::Archive;
use crate::host_jar::{HostJarError, host_jar};
use crate::jdk::{Jdk, JdkError};
use crate::parts::{Parts, PartsError};
use crate::places::Places;
use crate::process::{HostSpec, START_LIMIT};

/// Limit for the heap of an app's process, in MiB. Chosen: above the usual limit of an app on a phone, and
/// several processes fit into a small computer.
const HEAP_MIB: u32 = 640;

/// Name of the cache for data that processes leave for later ones: fonts, names of classes.
pub(crate) const CACHE: &str = "profiles";

/// Installation that runs apps on this computer.
#[derive(Debug, Clone)]
pub struct Host {
    pub jdk: Jdk,
    pub(crate) parts: Parts,
    pub archive: Archive,
    jar: Utf8PathBuf,
    variables: Vec<(String, String)>,
}

/// Reason why no app can run.
#[derive(Debug, thiserror::Error)]
pub enum HostProblem {
    #[error(transparent)]
    Jdk(#[from] JdkError),
    #[error(transparent)]
    Parts(#[from] PartsError),
    #[error("{cache}: {source}; check that it may be written")]
    Folder {
        cache: Utf8PathBuf,
        source: std::io::Error,
    },
    #[error(transparent)]
    Jar(#[from] HostJarError),
}

impl Host {
    /// Finds the JDK, checks that all parts are installed, and compiles the host if needed, which takes seconds. A
    /// missing jar that is made from the parts is made again. Creates the folder of its cache.
    ///
    /// # Errors
    ///
    /// Returns a [`HostProblem`] of one sentence that says what to do.
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

    /// Returns the command for a process without an app and without a data folder. Its time is the simulated one of the
    /// framework, not the computer's. Its own files go into a folder below `run`. Starts nothing.
    pub fn spec(&self, run: &Utf8Path) -> HostSpec {
        // Robolectric's libraries come first, as it needs its own versions of them.
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
