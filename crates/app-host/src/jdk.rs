//! Finds a JDK: the one that is named, else the newest of those in known places.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use crate::places::Places;
use runner_text::input_file::{MAX_TEXT, read_text};

/// Oldest usable Java: Robolectric 4.17 calls methods added in Java 21.
pub const MIN_JAVA: u32 = 21;

/// A usable JDK.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jdk {
    pub home: Utf8PathBuf,
    /// Feature version of its Java, such as 21.
    pub feature: u32,
    /// Full version, such as `21.0.4`.
    pub version: String,
}

/// A JDK that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusableJdk {
    pub home: Utf8PathBuf,
    /// Reason for the rejection.
    pub why: String,
}

/// Reason why there is no JDK.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JdkError {
    /// The JDK named by the person cannot be used.
    #[error("RUNNER_JAVA_HOME: {} {}; name a JDK of {MIN_JAVA} or newer, or leave the variable out", .0.home, .0.why)]
    Named(UnusableJdk),
    /// No usable JDK was found; holds the rejected ones.
    #[error(
        "no JDK of {MIN_JAVA} or newer was found{}; install one, such as your system's package `openjdk-{MIN_JAVA}-jdk`, or Android Studio, which brings one, or name it by RUNNER_JAVA_HOME",
        found(.0)
    )]
    None(Vec<UnusableJdk>),
}

/// Formats the rejected JDKs and their reasons in parentheses, to be appended to a sentence. Empty without any.
fn found(rejected: &[UnusableJdk]) -> String {
    let found: Vec<String> = rejected
        .iter()
        .map(|one| format!("{} {}", one.home, one.why))
        .collect();
    if found.is_empty() {
        String::new()
    } else {
        format!(" ({})", found.join("; "))
    }
}

impl Jdk {
    /// Returns the JDK that `RUNNER_JAVA_HOME` names, else the usable one with the highest feature version; of
    /// several with the same the first, even if its full version is lower. `JAVA_HOME` and the `PATH` come first.
    ///
    /// # Errors
    ///
    /// Returns a [`JdkError`]: the named one is rejected, even if there are others, or none was found. The error
    /// lists what was rejected and why.
    pub fn find(places: &Places) -> Result<Self, JdkError> {
        if let Some(named) = &places.named_java {
            return Self::read(named).map_err(JdkError::Named);
        }
        Self::newest(&jdk_folders(places, &system_folders()))
    }

    /// Returns the usable JDK with the highest feature version, the first of several. Fails with all rejected ones if
    /// there is none.
    fn newest(homes: &[Utf8PathBuf]) -> Result<Self, JdkError> {
        let mut found: Vec<Self> = Vec::new();
        let mut rejected: Vec<UnusableJdk> = Vec::new();
        for home in homes {
            match Self::read(home) {
                Ok(jdk) => found.push(jdk),
                Err(other) => rejected.push(other),
            }
        }
        // Of two equally new ones the first found wins.
        found.sort_by_key(|jdk| std::cmp::Reverse(jdk.feature));
        found.into_iter().next().ok_or(JdkError::None(rejected))
    }

    /// Reads the file `release` of a JDK, without starting a program. Rejects it if it has no version of at
    /// least 21, or lacks the programs `java` or `javac`.
    fn read(home: &Utf8Path) -> Result<Self, UnusableJdk> {
        let rejected = |why: String| UnusableJdk {
            home: home.to_owned(),
            why,
        };
        let release = read_text(home.join("release"), MAX_TEXT)
            .map_err(|_| rejected("is no JDK: it has no file `release`".to_owned()))?;
        let version =
            version(&release).ok_or_else(|| rejected("does not say its version".to_owned()))?;
        let feature = feature(&version)
            .ok_or_else(|| rejected(format!("says a version that is none: {version:?}")))?;
        if feature < MIN_JAVA {
            return Err(rejected(format!("is JDK {version}: too old")));
        }
        let jdk = Self {
            home: home.to_owned(),
            feature,
            version,
        };
        match [jdk.java(), jdk.javac()]
            .iter()
            .find(|program| !program.is_file())
        {
            Some(missing) => {
                let missing = missing.file_stem().unwrap_or_default();
                Err(rejected(format!(
                    "is Java {} without `{missing}`",
                    jdk.version
                )))
            }
            None => Ok(jdk),
        }
    }

    pub fn java(&self) -> Utf8PathBuf {
        self.program("java")
    }

    pub fn javac(&self) -> Utf8PathBuf {
        self.program("javac")
    }

    fn program(&self, name: &str) -> Utf8PathBuf {
        let ending = if cfg!(windows) { ".exe" } else { "" };
        self.home.join("bin").join(format!("{name}{ending}"))
    }
}

impl std::fmt::Display for Jdk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "JDK {} at {}", self.version, self.home)
    }
}

/// Extracts the version of the line `JAVA_VERSION="21.0.4"` from a `release` file. `None` if there is no such line, its
/// version is empty or has 64 bytes or more, or holds other characters than a version has. The first such line counts.
fn version(release: &str) -> Option<String> {
    let line = release
        .lines()
        .find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    let version = line.trim().trim_matches('"');
    let is_version = |letter: char| letter.is_ascii_alphanumeric() || "._+-".contains(letter);
    let plain = !version.is_empty() && version.len() < 64 && version.chars().all(is_version);
    plain.then(|| version.to_owned())
}

/// Returns the feature version: 8 for `1.8.0_402`, 21 for `21.0.4` and `21-ea`. `None` if it does not begin
/// with a number.
fn feature(version: &str) -> Option<u32> {
    let mut numbers = version.split(|letter: char| !letter.is_ascii_digit());
    match numbers.next()?.parse().ok()? {
        1 => numbers.next()?.parse().ok(),
        feature => Some(feature),
    }
}

/// Lists folders that hold a file `release`, each once: the one that `JAVA_HOME` names, that of `javac` on
/// the path, those in folders of the system and the person, and Android Studio's. Their versions are not
/// checked.
fn jdk_folders(places: &Places, system: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let mut homes: Vec<Utf8PathBuf> = places.java_home.iter().cloned().collect();
    let on_path = places.program(&["javac", "javac.exe"]);
    // `/usr/bin/javac` is a link into a JDK.
    let real = on_path.and_then(|program| program.canonicalize_utf8().ok());
    homes.extend(real.and_then(|program| Some(program.parent()?.parent()?.to_owned())));
    let user = [
        ".sdkman/candidates/java",
        ".jdks",
        "Library/Java/JavaVirtualMachines",
    ];
    let user = places
        .home
        .iter()
        .flat_map(|home| user.map(|name| home.join(name)));
    let programs = places.program_folders.iter();
    let windows = programs.clone().flat_map(|folder| {
        ["Java", "Eclipse Adoptium", "Microsoft", "Zulu"].map(|name| folder.join(name))
    });
    for folder in system.iter().cloned().chain(user).chain(windows) {
        homes.extend(jdks_in(&folder));
    }
    homes.extend(android_studio_jdks(places));
    let mut seen = BTreeSet::new();
    homes
        .into_iter()
        .filter(|home| home.join("release").is_file())
        .filter(|home| seen.insert(home.canonicalize_utf8().unwrap_or_else(|_| home.clone())))
        .collect()
}

/// Lists the folders in which Linux and macOS keep JDKs. They need not exist.
fn system_folders() -> Vec<Utf8PathBuf> {
    [
        "/usr/lib/jvm",
        "/usr/java",
        "/opt/java",
        "/Library/Java/JavaVirtualMachines",
    ]
    .into_iter()
    .map(Utf8PathBuf::from)
    .collect()
}

/// Lists the entries of a folder of several JDKs, sorted. On macOS each is in a bundle, whose inner folder is
/// listed. Empty if the folder cannot be read; entries are not checked for being JDKs.
fn jdks_in(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let Ok(entries) = folder.read_dir_utf8() else {
        return Vec::new();
    };
    let mut homes: Vec<Utf8PathBuf> = entries
        .flatten()
        .map(|entry| {
            let bundle = entry.path().join("Contents/Home");
            if bundle.is_dir() {
                bundle
            } else {
                entry.into_path()
            }
        })
        .collect();
    homes.sort();
    homes
}

/// Lists usual folders of the JDK in Android Studio: the system's, the person's and those of Windows. They
/// need not exist.
fn android_studio_jdks(places: &Places) -> Vec<Utf8PathBuf> {
    let mut homes: Vec<Utf8PathBuf> = [
        "/opt/android-studio/jbr",
        "/usr/local/android-studio/jbr",
        "/snap/android-studio/current/jbr",
        "/Applications/Android Studio.app/Contents/jbr/Contents/Home",
    ]
    .into_iter()
    .map(Utf8PathBuf::from)
    .collect();
    let in_home = [
        "android-studio/jbr",
        "Applications/Android Studio.app/Contents/jbr/Contents/Home",
    ];
    let home = places.home.iter();
    homes.extend(home.flat_map(|home| in_home.map(|name| home.join(name))));
    let programs = places.program_folders.iter();
    homes.extend(programs.map(|folder| folder.join("Android/Android Studio/jbr")));
    homes
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Machine {
        _guard: tempfile::TempDir,
        root: Utf8PathBuf,
    }

    impl Machine {
        fn new() -> Self {
            let guard = tempfile::tempdir().unwrap();
            let root = Utf8Path::from_path(guard.path())
                .unwrap()
                .canonicalize_utf8()
                .unwrap();
            Self {
                _guard: guard,
                root,
            }
        }

        fn jdk(&self, below: &str, release: &str, compiler: bool) -> Utf8PathBuf {
            let home = self.root.join(below);
            fs_err::create_dir_all(home.join("bin")).unwrap();
            fs_err::write(home.join("release"), release).unwrap();
            let programs = if compiler {
                &["java", "javac"][..]
            } else {
                &["java"]
            };
            for name in programs {
                let ending = if cfg!(windows) { ".exe" } else { "" };
                fs_err::write(home.join("bin").join(format!("{name}{ending}")), "").unwrap();
            }
            home
        }

        fn find(&self, places: &Places) -> Result<Jdk, JdkError> {
            Jdk::newest(&jdk_folders(places, &[self.root.join("jvm")]))
        }
    }

    fn release(version: &str) -> String {
        format!("IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"{version}\"\nOS_NAME=\"Linux\"\n")
    }

    #[test]
    fn the_newest_wins_and_of_two_as_new_the_one_that_is_named_first() {
        let machine = Machine::new();
        machine.jdk("jvm/java-17", &release("17.0.15"), true);
        machine.jdk("jvm/java-21", &release("21.0.4"), true);
        machine.jdk(
            "home/.sdkman/candidates/java/25-tem",
            &release("25.0.1"),
            true,
        );
        let studio = machine.jdk("home/android-studio/jbr", &release("25"), true);
        let places = Places {
            home: Some(machine.root.join("home")),
            ..Places::default()
        };
        assert_eq!(machine.find(&places).unwrap().version, "25.0.1");
        let places = Places {
            java_home: Some(studio.clone()),
            ..places
        };
        assert_eq!(machine.find(&places).unwrap().home, studio);
    }

    #[test]
    fn what_was_found_and_does_not_do_is_told() {
        let machine = Machine::new();
        let old = machine.jdk("jvm/java-17", &release("17.0.15"), true);
        let eight = machine.jdk("jvm/java-8", &release("1.8.0_402"), true);
        let jre = machine.jdk("jvm/jre-21", &release("21.0.4"), false);
        let half = machine.jdk("jvm/half-21", &release("21.0.4"), true);
        let java = if cfg!(windows) {
            "bin/java.exe"
        } else {
            "bin/java"
        };
        fs_err::remove_file(half.join(java)).unwrap();
        machine.jdk("jvm/odd", "JAVA_VERSION=\"\x1b[2J\"\n", true);
        let error = machine.find(&Places::default()).unwrap_err().to_string();
        for part in [
            format!("{old} is JDK 17.0.15: too old"),
            format!("{eight} is JDK 1.8.0_402: too old"),
            format!("{jre} is Java 21.0.4 without `javac`"),
            format!("{half} is Java 21.0.4 without `java`"),
            "does not say its version".to_owned(),
            "RUNNER_JAVA_HOME".to_owned(),
        ] {
            assert!(error.contains(&part), "{part}: {error}");
        }
        assert!(!error.contains('\x1b'));
    }

    #[test]
    fn a_named_one_counts_alone() {
        let machine = Machine::new();
        machine.jdk("jvm/java-25", &release("25"), true);
        let named = |home: Utf8PathBuf| Places {
            named_java: Some(home),
            ..Places::default()
        };
        let old = machine.jdk("mine", &release("17"), true);
        let error = Jdk::find(&named(old)).unwrap_err();
        assert!(matches!(error, JdkError::Named(_)), "{error}");
        let new = machine.jdk("other", &release("21-ea"), true);
        assert_eq!(Jdk::find(&named(new)).unwrap().feature, 21);
        assert!(Jdk::find(&named(machine.root.join("none"))).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn the_link_on_path_leads_to_a_jdk() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let machine = Machine::new();
        let home = machine.jdk("elsewhere/jdk", &release("24"), true);
        let javac = home.join("bin/javac");
        fs_err::set_permissions(&javac, std::fs::Permissions::from_mode(0o755)).unwrap();
        fs_err::create_dir_all(machine.root.join("bin")).unwrap();
        symlink(&javac, machine.root.join("bin/javac")).unwrap();
        let places = Places {
            path: vec![machine.root.join("bin")],
            ..Places::default()
        };
        assert_eq!(machine.find(&places).unwrap().home, home);
    }

    #[test]
    fn versions_are_read_as_java_writes_them() {
        for (version, expected) in [
            ("1.8.0_402", Some(8)),
            ("11", Some(11)),
            ("21.0.4", Some(21)),
            ("26-ea", Some(26)),
            ("", None),
            ("x", None),
            ("99999999999", None),
        ] {
            assert_eq!(feature(version), expected, "{version}");
        }
    }
}
