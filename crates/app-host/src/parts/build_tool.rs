//! Fetches files with Maven or Gradle, the person's own build tool with its settings and mirrors.

use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

use super::part_list::describe_missing;
use super::{Part, PartsError};
use crate::places::Places;
use runner_base::files::write_atomic;

/// Maven's plugin that copies files. The version is fixed, so that its parameters do not change under us.
const COPY: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";
/// Time without a new byte after which a build tool is stopped. Chosen: slow mirrors may first fetch the
/// large file themselves.
const STALL_LIMIT: Duration = Duration::from_mins(10);
/// Pause between two looks at its progress. Chosen: smooth for a progress bar.
const POLL: Duration = Duration::from_millis(250);
/// Limit for its recorded output, in bytes. Chosen: the end of a log with the error.
const MAX_OUTPUT_BYTES: usize = 8 * 1024;

/// A build tool of this computer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildTool {
    /// `mvn`.
    Maven(Utf8PathBuf),
    /// `gradle`. Not tested yet.
    Gradle(Utf8PathBuf),
}

impl BuildTool {
    /// Finds Maven, or else Gradle, on the `PATH`. `None` if there is neither. Nothing is started.
    pub fn find(places: &Places) -> Option<Self> {
        let maven = places.program(&["mvn", "mvn.cmd"]).map(Self::Maven);
        maven.or_else(|| places.program(&["gradle", "gradle.bat"]).map(Self::Gradle))
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Maven(_) => "Maven",
            Self::Gradle(_) => "Gradle (not tried yet)",
        }
    }

    pub fn program(&self) -> &Utf8Path {
        match self {
            Self::Maven(program) | Self::Gradle(program) => program,
        }
    }

    /// Fetches the files of `wanted` into `folder`, where the tool's build file stays too, and blocks until the
    /// tool ends. Each has the file name of a Maven repository, and is not checked, not even for being there.
    /// `arrived` returns the number of bytes so far, wherever they are, and is polled four times a second.
    ///
    /// Fails with the end of the tool's output if it fails. After 10 minutes without a new byte it is stopped.
    pub(super) fn fetch(
        &self,
        wanted: &[&Part],
        folder: &Utf8Path,
        mut arrived: impl FnMut() -> u64,
    ) -> Result<(), PartsError> {
        let mut child = self.start(wanted, folder)?;
        let words = OutputTail::default();
        words.listen(child.stdout.take());
        words.listen(child.stderr.take());
        let (mut last, mut since) = (0, Instant::now());
        loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(_)) => return Err(self.failed(wanted, &words)),
                Ok(None) => {}
                Err(source) => return Err(self.not_started(source)),
            }
            let now = arrived();
            if now != last {
                (last, since) = (now, Instant::now());
            }
            if since.elapsed() > STALL_LIMIT {
                let _ = child.kill();
                let _ = child.wait();
                return Err(PartsError::Stuck {
                    tool: self.name(),
                    minutes: STALL_LIMIT.as_secs() / 60,
                });
            }
            std::thread::sleep(POLL);
        }
    }

    /// Writes the tool's build file into `folder`, and starts the tool there, without input and with its output in
    /// pipes. Files of that name are replaced.
    fn start(&self, wanted: &[&Part], folder: &Utf8Path) -> Result<Child, PartsError> {
        let (name, text) = match self {
            Self::Maven(_) => ("pom.xml", pom(wanted, folder)),
            Self::Gradle(_) => ("build.gradle", gradle_script(wanted, folder)),
        };
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            write_atomic(&path, text.as_bytes()).map_err(|source| PartsError::File { path, source })
        };
        write(name, &text)?;
        let mut command = Command::new(self.program());
        match self {
            Self::Maven(_) => command.args(["-q", "-B", "-f", name, COPY]),
            Self::Gradle(_) => {
                // Otherwise it searches the folders above for a project's settings.
                write("settings.gradle", "rootProject.name = 'parts'\n")?;
                command.args(["-q", "--no-daemon", "--console=plain", "copyParts"])
            }
        };
        command
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| self.not_started(source))
    }

    /// Returns the error that the program cannot be started.
    fn not_started(&self, source: std::io::Error) -> PartsError {
        PartsError::NotStarted {
            program: self.program().to_owned(),
            source,
        }
    }

    /// Returns the error of a failed tool, with what it was to fetch and the end of its output.
    fn failed(&self, wanted: &[&Part], words: &OutputTail) -> PartsError {
        PartsError::Failed {
            tool: self.name(),
            missing: describe_missing(wanted),
            words: words.text(),
        }
    }
}

/// Generates a Maven project that copies these files into `folder`. Transitive dependencies do not matter, as
/// all files are listed.
fn pom(wanted: &[&Part], folder: &Utf8Path) -> String {
    let items: String = wanted
        .iter()
        .map(|part| {
            format!(
                "<artifactItem><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version><type>{}</type></artifactItem>\n",
                part.group, part.artifact, part.version, part.kind
            )
        })
        .collect();
    let folder = xml(folder.as_str());
    format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n<modelVersion>4.0.0</modelVersion>\n\
         <groupId>runner</groupId><artifactId>parts</artifactId><version>1</version><packaging>pom</packaging>\n\
         <build><plugins><plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-dependency-plugin</artifactId>\n\
         <configuration><outputDirectory>{folder}</outputDirectory><artifactItems>\n{items}</artifactItems></configuration>\n\
         </plugin></plugins></build>\n</project>\n"
    )
}

/// Generates a Gradle script with the task `copyParts`, which copies the same files into `folder`. They come
/// from Google's and the central repository, without transitive dependencies.
fn gradle_script(wanted: &[&Part], folder: &Utf8Path) -> String {
    let lines: String = wanted
        .iter()
        .map(|part| {
            format!(
                "    parts '{}:{}:{}@{}'\n",
                part.group, part.artifact, part.version, part.kind
            )
        })
        .collect();
    let folder = folder.as_str().replace('\\', "/").replace('\'', "\\'");
    format!(
        "repositories {{\n    google()\n    mavenCentral()\n}}\nconfigurations {{\n    parts {{ transitive = false }}\n}}\n\
         dependencies {{\n{lines}}}\ntasks.register('copyParts', Copy) {{\n    from configurations.parts\n    into '{folder}'\n}}\n"
    )
}

/// Escapes `&`, `<`, `>` and both quotes for XML.
pub(crate) fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// Last part of a program's output.
#[derive(Debug, Clone, Default)]
struct OutputTail(Arc<Mutex<Vec<u8>>>);

impl OutputTail {
    /// Reads a stream on a thread of its own until it ends, and keeps the last 8 KiB of all streams together. `None`
    /// does nothing.
    fn listen(&self, stream: Option<impl std::io::Read + Send + 'static>) {
        let Some(mut stream) = stream else { return };
        let words = self.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = stream.read(&mut buffer) {
                let mut kept = words.0.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(&buffer[..length]);
                let over = kept.len().saturating_sub(MAX_OUTPUT_BYTES);
                kept.drain(..over);
            }
        });
    }

    /// Returns the kept output without surrounding space, after a wait of 250 ms for what is still on its way.
    fn text(&self) -> String {
        // Output written before the end may still be in the pipe.
        std::thread::sleep(POLL);
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_name_every_part_and_no_place() {
        let wanted: Vec<&Part> = Part::all().iter().collect();
        let folder = Utf8Path::new("/tmp/a b & c's");
        let (maven, gradle) = (pom(&wanted, folder), gradle_script(&wanted, folder));
        for part in wanted {
            assert!(maven.contains(&format!("<artifactId>{}</artifactId>", part.artifact)));
            let named = format!(
                "'{}:{}:{}@{}'",
                part.group, part.artifact, part.version, part.kind
            );
            assert!(gradle.contains(&named), "{named}");
        }
        assert!(maven.contains("/tmp/a b &amp; c&apos;s") && gradle.contains("'/tmp/a b & c\\'s'"));
    }
}
