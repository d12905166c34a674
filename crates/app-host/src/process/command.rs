//! The JVM's arguments, environment and folders.

use camino::{Utf8Path, Utf8PathBuf};

use super::HostSpec;

/// The host's class.
const MAIN: &str = "runner.host.Main";
/// The app's files, where nobody names another folder.
pub(super) const DATA: &str = "data";
/// `user.home`.
const HOME: &str = "home";
/// `java.io.tmpdir`.
const TEMPORARY: &str = "tmp";

/// Packages of Java that Robolectric reaches into.
const OPENED: [&str; 7] = [
    "java.lang",
    "java.lang.reflect",
    "java.util",
    "java.io",
    "java.net",
    "java.text",
    "jdk.internal.access",
];

/// Properties that count before the host's first line. It sets those of Robolectric itself.
const PROPERTIES: [&str; 2] = [
    "java.awt.headless=true",
    // Nothing is downloaded while an app runs.
    "robolectric.offline=true",
];

/// Options for a process that lives for seconds, beside others: the quick compiler alone, and no threads that collect. What the
/// JVM says of its archive of classes is no output of the app.
const OPTIONS: [&str; 3] = [
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xlog:disable",
];

/// The separator of a class path.
pub(crate) const SEPARATOR: &str = if cfg!(windows) { ";" } else { ":" };

pub(super) fn make_folders(folder: &Utf8Path) -> std::io::Result<()> {
    [DATA, HOME, TEMPORARY]
        .iter()
        .try_for_each(|name| fs_err::create_dir_all(folder.join(name)))
}

pub(super) fn arguments(spec: &HostSpec, folder: &Utf8Path) -> Vec<String> {
    let mut arguments: Vec<String> = OPENED
        .iter()
        .map(|package| format!("--add-opens=java.base/{package}=ALL-UNNAMED"))
        .collect();
    arguments.push("--enable-native-access=ALL-UNNAMED".to_owned());
    arguments.extend(OPTIONS.map(str::to_owned));
    arguments.push(format!("-Xmx{}m", spec.heap_mib));
    // Files that a JVM would leave outside the folder.
    arguments.push("-XX:-UsePerfData".to_owned());
    arguments.push(format!("-XX:ErrorFile={}", folder.join("jvm-crash.log")));
    arguments.extend(PROPERTIES.iter().map(|property| format!("-D{property}")));
    for (property, path) in [
        ("robolectric.dependency.dir", spec.parts.clone()),
        ("user.home", folder.join(HOME)),
        ("java.io.tmpdir", folder.join(TEMPORARY)),
    ] {
        arguments.push(format!("-D{property}={path}"));
    }
    // Last, so that they win.
    arguments.extend(spec.options.iter().cloned());
    arguments.push("-cp".to_owned());
    arguments.push(class_path(&spec.class_path));
    arguments.push(MAIN.to_owned());
    arguments
}

/// Nothing of this program's environment: an app would find keys and addresses there.
pub(super) fn variables(spec: &HostSpec, folder: &Utf8Path) -> Vec<(String, String)> {
    let own = [
        ("HOME", folder.join(HOME)),
        ("TMPDIR", folder.join(TEMPORARY)),
        ("TEMP", folder.join(TEMPORARY)),
        ("TMP", folder.join(TEMPORARY)),
        // Else names of files that are not ASCII cannot be opened.
        ("LC_ALL", Utf8PathBuf::from("C.UTF-8")),
    ];
    own.into_iter()
        .map(|(name, value)| (name.to_owned(), value.into_string()))
        .chain(spec.variables.iter().cloned())
        .collect()
}

/// Paths as one class path.
pub(crate) fn class_path(paths: &[Utf8PathBuf]) -> String {
    let paths: Vec<&str> = paths.iter().map(|path| path.as_str()).collect();
    paths.join(SEPARATOR)
}
