//! Maven and Gradle: how a person's own build tool, with its settings and mirrors, gets files.

use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

use super::{Part, PartsError};
use crate::places::Places;
use runner_base::files::write_atomic;

/// Maven's plugin that copies files, at one version: what it is asked does not change under us.
const COPY: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";
/// A build tool that has brought no byte for so long is stopped.
const STUCK: Duration = Duration::from_mins(10);
/// Between two looks at how far it is.
const POLL: Duration = Duration::from_millis(250);
/// How much of what it writes is kept.
const MAX_WORDS: usize = 8 * 1024;

/// A build tool of this computer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildTool {
    /// `mvn`.
    Maven(Utf8PathBuf),
    /// `gradle`. Nobody has tried it yet.
    Gradle(Utf8PathBuf),
}

impl BuildTool {
    /// Maven, else Gradle.
    pub fn find(places: &Places) -> Option<Self> {
        let maven = places.program(&["mvn", "mvn.cmd"]).map(Self::Maven);
        maven.or_else(|| places.program(&["gradle", "gradle.bat"]).map(Self::Gradle))
    }

    /// What it is called.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Maven(_) => "Maven",
            Self::Gradle(_) => "Gradle (not tried yet)",
        }
    }

    /// The program.
    pub fn program(&self) -> &Utf8Path {
        match self {
            Self::Maven(program) | Self::Gradle(program) => program,
        }
    }

    /// Has it put the files of `wanted` into `folder`, as a repository names them. `arrived` says how many bytes have come
    /// so far, wherever they are, and is asked again and again.
    pub(super) fn fetch(
        &self,
        wanted: &[&Part],
        folder: &Utf8Path,
        mut arrived: impl FnMut() -> u64,
    ) -> Result<(), PartsError> {
        let mut child = self.start(wanted, folder)?;
        let words = Words::default();
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
            if since.elapsed() > STUCK {
                let _ = child.kill();
                let _ = child.wait();
                return Err(PartsError::Stuck {
                    tool: self.name(),
                    minutes: STUCK.as_secs() / 60,
                });
            }
            std::thread::sleep(POLL);
        }
    }

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
                // Else it looks for the project's settings in the folders above.
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

    fn not_started(&self, source: std::io::Error) -> PartsError {
        PartsError::NotStarted {
            program: self.program().to_owned(),
            source,
        }
    }

    fn failed(&self, wanted: &[&Part], words: &Words) -> PartsError {
        PartsError::Failed {
            tool: self.name(),
            missing: super::install::named(wanted),
            words: words.text(),
        }
    }
}

/// A project that only copies these files, and none that they need: all are named.
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

/// The same for Gradle.
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

/// The last of what a program writes.
#[derive(Debug, Clone, Default)]
struct Words(Arc<Mutex<Vec<u8>>>);

impl Words {
    fn listen(&self, stream: Option<impl std::io::Read + Send + 'static>) {
        let Some(mut stream) = stream else { return };
        let words = self.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = stream.read(&mut buffer) {
                let mut kept = words.0.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(&buffer[..length]);
                let over = kept.len().saturating_sub(MAX_WORDS);
                kept.drain(..over);
            }
        });
    }

    fn text(&self) -> String {
        // What it wrote before it ended is on its way.
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
