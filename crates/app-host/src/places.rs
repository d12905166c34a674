//! Places on this computer according to the environment: programs, homes of JDKs, caches.

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::context::Context;

/// Folder of parts below the cache. Another set of parts has another name, so that two versions of this
/// program do not replace each other's.
const PARTS: &str = "runner/android-15-r1";

/// Places of programs and folders.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// Folder of the parts: `RUNNER_ANDROID_PARTS`, else below the user's cache.
    pub parts: Utf8PathBuf,
    /// Folder in which the program was started.
    pub working_folder: Utf8PathBuf,
    /// JDK named by the person: `RUNNER_JAVA_HOME`.
    pub named_java: Option<Utf8PathBuf>,
    /// `JAVA_HOME`.
    pub java_home: Option<Utf8PathBuf>,
    pub home: Option<Utf8PathBuf>,
    /// Folders of `PATH`.
    pub path: Vec<Utf8PathBuf>,
    /// `ProgramFiles` and `LOCALAPPDATA` of Windows.
    pub program_folders: Vec<Utf8PathBuf>,
    /// Variables that processes on Windows need.
    pub variables: Vec<(String, String)>,
}

impl Places {
    /// Reads the places from the environment. Relative paths are below the working folder, and empty
    /// variables count as not set. The parts are where `RUNNER_ANDROID_PARTS` says, else in the person's
    /// cache folder, else below `.runner` in the working folder. No place is checked for existence.
    pub fn from_context(context: &Context) -> Self {
        let folder = |name: &str| {
            let path = context.variable(name)?;
            Some(context.working_folder.join(path))
        };
        let home = folder("HOME").or_else(|| folder("USERPROFILE"));
        let in_home = |below: &str| home.as_ref().map(|home| home.join(below));
        let cache = if cfg!(windows) {
            folder("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            in_home("Library/Caches")
        } else {
            folder("XDG_CACHE_HOME").or_else(|| in_home(".cache"))
        };
        let parts = folder("RUNNER_ANDROID_PARTS");
        // Without a home, as in some containers, the project's folder is used.
        let parts = parts.or_else(|| cache.map(|cache| cache.join(PARTS)));
        let own = || context.working_folder.join(".runner").join(PARTS);
        let windows = ["ProgramFiles", "ProgramW6432", "LOCALAPPDATA"];
        let variable = |name: &&str| {
            let value = context.variable(name)?;
            Some(((*name).to_owned(), value.to_owned()))
        };
        Self {
            parts: parts.unwrap_or_else(own),
            working_folder: context.working_folder.clone(),
            named_java: folder("RUNNER_JAVA_HOME"),
            java_home: folder("JAVA_HOME"),
            path: context.variable("PATH").map(folders).unwrap_or_default(),
            program_folders: windows.iter().filter_map(|name| folder(name)).collect(),
            variables: ["SystemRoot", "SystemDrive"]
                .iter()
                .filter_map(variable)
                .collect(),
            home,
        }
    }

    /// Finds a program on `PATH` by one of its names: the first folder that has any of them counts. On Unix it must
    /// be executable. `None` if there is none.
    pub fn program(&self, names: &[&str]) -> Option<Utf8PathBuf> {
        self.path
            .iter()
            .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
            .find(|file| is_program(file))
    }
}

/// Splits a `PATH`. Relative folders are dropped, as they would mean another program in each working folder.
fn folders(path: &str) -> Vec<Utf8PathBuf> {
    std::env::split_paths(path)
        .filter_map(|folder| Utf8PathBuf::from_path_buf(folder).ok())
        .filter(|folder| folder.is_absolute())
        .collect()
}

#[cfg(unix)]
fn is_program(file: &Utf8Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file)
        .is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Utf8Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn places(variables: &[(&str, &str)]) -> Places {
        let pairs = variables.iter();
        let variables: BTreeMap<String, String> = pairs
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Places::from_context(&Context::fixed("/work".into(), variables))
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_parts_are_where_the_environment_says() {
        let home = ("HOME", "/home/ada");
        for (variables, expected) in [
            (&[home][..], "/home/ada/.cache/runner/android-15-r1"),
            (&[home, ("XDG_CACHE_HOME", "/c")], "/c/runner/android-15-r1"),
            (&[home, ("RUNNER_ANDROID_PARTS", "/parts")], "/parts"),
            (&[("RUNNER_ANDROID_PARTS", "parts")], "/work/parts"),
            (&[], "/work/.runner/runner/android-15-r1"),
        ] {
            assert_eq!(places(variables).parts, expected);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_a_file_that_may_be_run() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        fs_err::create_dir_all(folder.join("one/mvn")).unwrap();
        for (name, mode) in [("two", 0o644), ("three", 0o755)] {
            fs_err::create_dir_all(folder.join(name)).unwrap();
            let file = folder.join(name).join("mvn");
            fs_err::write(&file, "").unwrap();
            fs_err::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let path = format!("{folder}/none:{folder}/one:relative:{folder}/two:{folder}/three");
        let places = places(&[("PATH", &path)]);
        assert_eq!(
            places.program(&["mvn.cmd", "mvn"]),
            Some(folder.join("three/mvn"))
        );
        assert_eq!(places.program(&["gradle"]), None);
    }
}
