//! Sources of `install`: an APK, or the folder of an app of the virtual device.

use camino::{Utf8Path, Utf8PathBuf};

/// File that makes a folder an app of the virtual device.
const MANIFEST: &str = "app.yaml";

/// Number of folders within each other that are searched for an APK. Chosen: Gradle's `build` has its APKs in
/// `outputs/apk/debug`.
const MAX_DEPTH: usize = 3;

/// Returns what to write in place of a folder that is no app, such as an APK in it. `written` is its path as the step
/// has it. `None` for files, for apps, and for what is not there.
pub fn folder_advice(source: &Utf8Path, written: &str) -> Option<String> {
    if !source.is_dir() || source.join(MANIFEST).is_file() {
        return None;
    }
    let written = written.trim_end_matches('/');
    let inside = find_apk(source, MAX_DEPTH);
    let inside = inside
        .as_deref()
        .and_then(|apk| apk.strip_prefix(source).ok());
    Some(match inside {
        Some(apk) => format!("write the APK in it: `install: {written}/{apk}`"),
        None => "write an APK, such as `install: build/app.apk`; for the virtual device the folder of an app, with its `app.yaml`".to_owned(),
    })
}

/// Returns the first APK in a folder by name, else the first in its folders, down to `depth` of them. Links to folders
/// are not followed, and unreadable folders have none.
fn find_apk(folder: &Utf8Path, depth: usize) -> Option<Utf8PathBuf> {
    let entries = folder.read_dir_utf8().ok()?;
    let mut entries: Vec<Utf8PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path().to_owned()))
        .collect();
    entries.sort();
    let is_apk = |path: &&Utf8PathBuf| path.extension() == Some("apk") && path.is_file();
    if let Some(apk) = entries.iter().find(is_apk) {
        return Some(apk.clone());
    }
    let deeper = depth.checked_sub(1)?;
    let mut folders = entries
        .iter()
        .filter(|path| path.is_dir() && !path.is_symlink());
    folders.find_map(|path| find_apk(path, deeper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_no_app_is_answered_with_the_apk_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        for file in [
            "demo/app.yaml",
            "build/outputs/apk/debug/app-debug.apk",
            "build/a.txt",
            "flows/a.yaml",
            "out/b.apk",
            "out/a.apk",
        ] {
            let path = root.join(file);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, "x").unwrap();
        }
        for (written, says) in [
            ("demo", None),
            ("flows/a.yaml", None),
            ("nowhere", None),
            ("flows", Some("such as `install: build/app.apk`")),
            (
                "build/",
                Some("`install: build/outputs/apk/debug/app-debug.apk`"),
            ),
            ("out", Some("`install: out/a.apk`")),
        ] {
            let told = folder_advice(&root.join(written), written);
            assert_eq!(told.is_some(), says.is_some(), "{written}: {told:?}");
            let told = told.unwrap_or_default();
            assert!(told.contains(says.unwrap_or_default()), "{written}: {told}");
        }
    }
}
