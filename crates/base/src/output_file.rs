//! Files that a person names to be written. One that is there is replaced only where it begins as this program's own do.

use std::fs::File;
use std::io::{Read as _, Seek as _};

use camino::{Utf8Path, Utf8PathBuf};
use runner_text::input_file::open_regular;
use tempfile::NamedTempFile;

use crate::files::{create, temporary_in, write_named};

/// First line of a log, by which it is known again.
pub const LOG_HEAD: &str = "runner log\n";

/// First line of a recording, by which it is known again.
pub const RECORDING_HEAD: &str = "# Recorded by `runner mcp --record`, which writes it anew.\n";

/// Enough of a file to know its form.
const HEAD: u64 = 512;

/// What an output is, known by how it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// JUnit XML.
    Junit,
    /// An event stream, JSON lines.
    Events,
    /// A log.
    Log,
    /// A ZIP archive.
    Archive,
    /// A PNG or JPEG.
    Picture,
    /// A flow that a session of an agent records.
    Recording,
}

/// Why an output is not written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// Something else has the name.
    #[error("{path} is {found}, not {}: give {option} another path, or delete it first", wanted.noun())]
    Other {
        /// As it is shown.
        path: Utf8PathBuf,
        /// What is there.
        found: &'static str,
        /// What was to be written.
        wanted: Form,
        /// The option or key that names it.
        option: String,
    },
    /// What is there cannot be read, so nobody knows what would be lost.
    #[error("{path} is not replaced, as it cannot be read: {source}; give {option} another path")]
    Unread {
        /// As it is shown.
        path: Utf8PathBuf,
        /// The option or key that names it.
        option: String,
        /// Why.
        source: std::io::Error,
    },
}

/// A file to be written.
#[derive(Debug, Clone)]
pub struct OutputFile {
    path: Utf8PathBuf,
}

impl OutputFile {
    /// Looks at what has the name in `folder` now. `option` names it. Nothing, an empty file, a pipe and a character device are fine.
    ///
    /// # Errors
    /// [`OutputError`] where something would be lost.
    pub fn new(
        folder: &Utf8Path,
        named: &Utf8Path,
        form: Form,
        option: &str,
    ) -> Result<Self, OutputError> {
        let path = folder.join(named);
        let shown = path.strip_prefix(folder).unwrap_or(&path).to_owned();
        let other = |found| OutputError::Other {
            path: shown.clone(),
            found,
            wanted: form,
            option: option.to_owned(),
        };
        let Ok(about) = fs_err::metadata(&path) else {
            return Ok(Self { path });
        };
        if about.is_dir() {
            return Err(other("a folder"));
        }
        if about.is_file() && about.len() > 0 {
            let head = head(&path).map_err(|source| OutputError::Unread {
                path: shown.clone(),
                option: option.to_owned(),
                source,
            })?;
            if !form.has_head(&head) {
                return Err(other(noun_of(&path, &head)));
            }
        }
        Ok(Self { path })
    }

    /// Where it is written.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Makes it anew, for what is written as it comes; its folders too.
    ///
    /// # Errors
    /// The file system's.
    pub fn create(&self) -> std::io::Result<File> {
        if let Some(folder) = self
            .path
            .parent()
            .filter(|folder| !folder.as_str().is_empty())
        {
            fs_err::create_dir_all(folder)?;
        }
        create(&self.path)
    }

    /// Makes a temporary file for [`Self::finish`], for what need not fit into memory.
    ///
    /// # Errors
    /// The file system's.
    pub fn begin(&self) -> std::io::Result<NamedTempFile> {
        // A device has no folder that takes a file.
        let folder = match self.path.parent() {
            _ if self.is_stream() => return NamedTempFile::new(),
            Some(folder) if !folder.as_str().is_empty() => folder,
            _ => Utf8Path::new("."),
        };
        fs_err::create_dir_all(folder)?;
        temporary_in(folder)
    }

    /// Gives the temporary file its name, or writes it to the pipe that has the name.
    ///
    /// # Errors
    /// The file system's.
    pub fn finish(&self, mut file: NamedTempFile) -> std::io::Result<()> {
        if self.is_stream() {
            file.rewind()?;
            std::io::copy(&mut file, &mut create(&self.path)?)?;
            return Ok(());
        }
        // Behind a link it is the file that the link means.
        let path = self.path.canonicalize_utf8();
        let path = path.as_deref().unwrap_or(&self.path);
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    fn is_stream(&self) -> bool {
        let about = fs_err::metadata(&self.path);
        about.is_ok_and(|about| !about.is_file() && !about.is_dir())
    }

    /// Writes it whole, as [`write_named`] does.
    ///
    /// # Errors
    /// The file system's.
    pub fn write(&self, bytes: &[u8]) -> std::io::Result<()> {
        write_named(&self.path, bytes)
    }
}

impl Form {
    /// Names it, with its article.
    fn noun(self) -> &'static str {
        match self {
            Self::Junit => "a JUnit report",
            Self::Events => "an event stream",
            Self::Log => "a log",
            Self::Archive => "a ZIP archive",
            Self::Picture => "a picture",
            Self::Recording => "a recording",
        }
    }

    fn has_head(self, head: &[u8]) -> bool {
        match self {
            Self::Junit => {
                let text = String::from_utf8_lossy(head);
                let text = text.split_once("?>").map_or(&*text, |(_, rest)| rest);
                text.trim_start().starts_with("<testsuite")
            }
            Self::Events => head.starts_with(b"{\"seq\":0,"),
            Self::Log => head.starts_with(LOG_HEAD.as_bytes()),
            Self::Recording => head.starts_with(RECORDING_HEAD.as_bytes()),
            Self::Archive => head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06"),
            Self::Picture => {
                head.starts_with(b"\x89PNG\r\n\x1a\n") || head.starts_with(b"\xff\xd8\xff")
            }
        }
    }
}

/// Names what others wrote, as far as its name and its head say it.
fn noun_of(path: &Utf8Path, head: &[u8]) -> &'static str {
    let text = String::from_utf8_lossy(head);
    let is_flow = ["steps:", "app:", "appId:"]
        .iter()
        .any(|key| text.lines().any(|line| line.starts_with(key)));
    match path.extension() {
        Some("yaml" | "yml") if is_flow => "a flow",
        Some("yaml" | "yml") => "a file of YAML",
        Some("tsv") => "a golden",
        _ if Form::Archive.has_head(head) => "a ZIP archive",
        _ if Form::Picture.has_head(head) => "a picture",
        _ if Form::Events.has_head(head) => "an event stream",
        _ if Form::Junit.has_head(head) => "a JUnit report",
        _ => "a file that this program did not write",
    }
}

fn head(path: &Utf8Path) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let file = open_regular(path, u64::MAX)?;
    file.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_begins_as_its_own_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        let forms: [(Form, &[u8]); 5] = [
            (
                Form::Junit,
                b"<?xml version=\"1.0\"?>\n<testsuites name=\"runner\">",
            ),
            (Form::Events, b"{\"seq\":0,\"t_ms\":0}"),
            (Form::Log, LOG_HEAD.as_bytes()),
            (Form::Archive, b"PK\x03\x04"),
            (Form::Picture, b"\x89PNG\r\n\x1a\n"),
        ];
        let path = folder.join("it");
        for (form, _) in forms {
            assert!(OutputFile::new(folder, "it".into(), form, "--x").is_ok());
        }
        for (written, bytes) in forms {
            std::fs::write(&path, bytes).unwrap();
            for (form, _) in forms {
                let output = OutputFile::new(folder, &path, form, "--x");
                assert_eq!(output.is_ok(), form == written, "{form:?} over {written:?}");
            }
        }
        let flow = folder.join("login.yaml");
        std::fs::write(&flow, "app: a.b\nsteps: [ launch ]\n").unwrap();
        let refused = OutputFile::new(folder, &flow, Form::Junit, "--junit").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "login.yaml is a flow, not a JUnit report: give --junit another path, or delete it first"
        );
        std::fs::write(&flow, "").unwrap();
        assert!(OutputFile::new(folder, &flow, Form::Junit, "--junit").is_ok());
        let refused = OutputFile::new(folder, folder, Form::Log, "--log").unwrap_err();
        assert!(refused.to_string().contains("is a folder"), "{refused}");
    }
}
