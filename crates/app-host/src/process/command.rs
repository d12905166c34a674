//! Arguments, environment and folders of the JVM.

use camino::{Utf8Path, Utf8PathBuf};

use super::spec::HostSpec;

/// Main class of the host.
const MAIN: &str = "runner.host.Main";
/// Name of the default folder for the app's data.
pub(super) const DATA: &str = "data";
/// Name of the folder for `user.home`.
const HOME: &str = "home";
/// Name of the folder for `java.io.tmpdir`.
const TEMPORARY: &str = "tmp";

/// Packages of Java that Robolectric accesses by reflection.
const OPENED: [&str; 7] = [
    "java.lang",
    "java.lang.reflect",
    "java.util",
    "java.io",
    "java.net",
    "java.text",
    "jdk.internal.access",
];

/// System properties that must be set before the host's first line. The host sets Robolectric's own.
const PROPERTIES: [&str; 2] = [
    "java.awt.headless=true",
    // Nothing is downloaded while an app runs.
    "robolectric.offline=true",
];

/// Options for a process that lives for seconds beside others: only the quick compiler, and no threads for
/// garbage collection. Also keeps the JVM's messages about its class archive out of the app's output.
const OPTIONS: [&str; 3] = [
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xlog:disable",
];

/// Separator in a class path.
pub const SEPARATOR: &str = if cfg!(windows) { ";" } else { ":" };

pub(super) fn make_folders(folder: &Utf8Path) -> std::io::Result<()> {
    [DATA, HOME, TEMPORARY]
        .iter()
        .try_for_each(|name| fs_err::create_dir_all(folder.join(name)))
}

/// Returns the JVM's arguments: opened packages, heap limit, folders below `folder`, class path and main class. The
/// spec's options come last of the options, so they win over the others.
pub(super) fn arguments(spec: &HostSpec, folder: &Utf8Path) -> Vec<String> {
    let mut arguments: Vec<String> = OPENED
        .iter()
        .map(|package| format!("--add-opens=java.base/{package}=ALL-UNNAMED"))
        .collect();
    arguments.push("--enable-native-access=ALL-UNNAMED".to_owned());
    arguments.extend(OPTIONS.map(str::to_owned));
    arguments.push(format!("-Xmx{}m", spec.heap_mib));
    // Prevents files that a JVM would write outside the folder.
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

/// Returns the JVM's whole environment: a home and temporary folder below `folder`, a locale, and the spec's
/// variables. It contains none of this program's variables, in which an app would find keys and addresses.
pub(super) fn variables(spec: &HostSpec, folder: &Utf8Path) -> Vec<(String, String)> {
    let own = [
        ("HOME", folder.join(HOME)),
        ("TMPDIR", folder.join(TEMPORARY)),
        ("TEMP", folder.join(TEMPORARY)),
        ("TMP", folder.join(TEMPORARY)),
        // Otherwise files with non-ASCII names cannot be opened.
        ("LC_ALL", Utf8PathBuf::from("C.UTF-8")),
    ];
    own.into_iter()
        .map(|(name, value)| (name.to_owned(), value.into_string()))
        .chain(spec.variables.iter().cloned())
        .collect()
}

/// Joins paths to a class path.
pub(crate) fn class_path(paths: &[Utf8PathBuf]) -> String {
    let paths: Vec<&str> = paths.iter().map(|path| path.as_str()).collect();
    paths.join(SEPARATOR)
}
