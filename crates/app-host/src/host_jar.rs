//! Compiles the host, whose Java sources are embedded in this program, once with the person's JDK against the
//! parts.

use std::process::{Command, Stdio};

use camino::{Utf8Path, Utf8PathBuf};
use runner_text::temporary_folder::TemporaryFolder;
use sha2::{Digest as _, Sha256};

use crate::jar;
use crate::jdk::Jdk;
use crate::parts::{Parts, hex};
use crate::process::class_path;
use runner_base::files::write_atomic;

include!(concat!(env!("OUT_DIR"), "/host_sources.rs"));

/// A source file: path, such as `runner/host/Main.java`, and text.
pub type SourceFile = (&'static str, &'static str);

/// Java release that the host's sources are written for.
const RELEASE: &str = "21";

/// Reason why the host could not be compiled.
#[derive(Debug, thiserror::Error)]
pub enum HostJarError {
    #[error("{javac} could not be started: {source}; `runner doctor` says which JDK is used")]
    NotStarted {
        javac: Utf8PathBuf,
        source: std::io::Error,
    },
    /// `javac` found errors, because the parts are not those that the sources are written for.
    #[error(
        "{jdk} could not compile the host; `runner virtual install` checks the parts, and RUNNER_JAVA_HOME names another JDK. It says:\n{words}"
    )]
    Failed {
        /// Version and folder of the JDK.
        jdk: String,
        /// Output of `javac`.
        words: String,
    },
    #[error("the host cannot be compiled in {folder}: {source}; check that it may be written")]
    File {
        folder: Utf8PathBuf,
        source: std::io::Error,
    },
}

/// Returns the jar of the host, after compiling it if needed, for which it waits without a limit. A jar that was
/// made before from the same sources, parts and JDK is returned as it is.
///
/// # Errors
///
/// Returns a [`HostJarError`] with the output of `javac`.
pub fn host_jar(parts: &Parts, jdk: &Jdk) -> Result<Utf8PathBuf, HostJarError> {
    compiled(SOURCES, parts, jdk)
}

/// Returns the jar of `sources`, after compiling it if needed. A jar that was made before from the same sources,
/// parts and JDK is returned as it is. Fails with the output of `javac`, or if the cache cannot be written.
pub(crate) fn compiled(
    sources: &[SourceFile],
    parts: &Parts,
    jdk: &Jdk,
) -> Result<Utf8PathBuf, HostJarError> {
    let folder = parts.cache("host");
    let jar_path = folder.join(format!("host-{}.jar", digest(sources, parts, jdk)));
    if jar_path.is_file() {
        return Ok(jar_path);
    }
    let failed = |source| HostJarError::File {
        folder: folder.clone(),
        source,
    };
    let work = TemporaryFolder::below(&folder).map_err(failed)?;
    let (source_folder, classes) = (work.path().join("src"), work.path().join("classes"));
    fs_err::create_dir_all(&classes).map_err(failed)?;
    let mut files = Vec::new();
    for (path, text) in sources {
        let file = source_folder.join(path);
        fs_err::create_dir_all(file.parent().unwrap_or(&source_folder)).map_err(failed)?;
        write_atomic(&file, text.as_bytes()).map_err(failed)?;
        files.push(file);
    }
    compile(&files, &classes, parts, jdk)?;
    jar::pack(&classes, &jar_path).map_err(failed)?;
    Ok(jar_path)
}

/// Compiles `files` for Java 21 into the folder `classes`, which exists, and waits for `javac` without a limit.
/// Fails with the output of `javac` if it finds errors.
fn compile(
    files: &[Utf8PathBuf],
    classes: &Utf8Path,
    parts: &Parts,
    jdk: &Jdk,
) -> Result<(), HostJarError> {
    let output = Command::new(jdk.javac())
        .args([
            "-nowarn",
            "-proc:none",
            "-encoding",
            "UTF-8",
            "-Xlint:none",
            "-g",
        ])
        .args(["-source", RELEASE, "-target", RELEASE])
        .args(["-d", classes.as_str(), "-cp"])
        .arg(class_path(&parts.compile_path()))
        .args(files.iter().map(|file| file.as_str()))
        .stdin(Stdio::null())
        .env_remove("JAVA_TOOL_OPTIONS")
        .env_remove("JDK_JAVAC_OPTIONS")
        .output()
        .map_err(|source| HostJarError::NotStarted {
            javac: jdk.javac(),
            source,
        })?;
    if output.status.success() {
        return Ok(());
    }
    let words = [output.stdout, output.stderr].concat();
    Err(HostJarError::Failed {
        jdk: jdk.to_string(),
        words: String::from_utf8_lossy(&words).trim().to_owned(),
    })
}

/// Hashes everything the jar is made from: sources, parts, JDK, release. Returns the first 16 hexadecimal
/// digits.
fn digest(sources: &[SourceFile], parts: &Parts, jdk: &Jdk) -> String {
    let mut digest = Sha256::new();
    let mut add = |text: &str| {
        digest.update((text.len() as u64).to_be_bytes());
        digest.update(text.as_bytes());
    };
    for (path, text) in sources {
        add(path);
        add(text);
    }
    parts.list().iter().for_each(|part| add(part.sha256));
    add(&jdk.version);
    add(RELEASE);
    let mut hex = hex(&digest.finalize());
    hex.drain(16..);
    hex
}

#[cfg(test)]
pub(crate) mod tests;
