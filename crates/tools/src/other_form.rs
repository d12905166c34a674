//! Finds files whose names have the same letters in another Unicode form. macOS takes both for one name, Linux for two.

use camino::Utf8Path;
use runner_screen::letter_form;

/// Entries of a folder that are compared. Chosen: a project's folders have fewer; a larger one only loses advice.
const MAX_ENTRIES: usize = 1000;

/// Returns what to say of a path that does not exist, if its first missing part is there with its letters composed
/// otherwise, as in files that were named on macOS. `None` for all other paths. Reads the folder of that part.
pub fn file_in_other_form(path: &Utf8Path) -> Option<String> {
    let folder = path.ancestors().skip(1).find(|folder| folder.is_dir())?;
    let missing = path.strip_prefix(folder).ok()?.components().next()?;
    let mut entries = folder.read_dir_utf8().ok()?.flatten().take(MAX_ENTRIES);
    entries.find_map(|entry| {
        let name = entry.file_name();
        let form = letter_form(missing.as_str(), name)?;
        Some(format!(
            "`{name}` is there with {form}, which is another name: copy it from the folder, or rename the file"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `größe` composed and decomposed.
    const FORMS: [&str; 2] = ["gr\u{f6}\u{df}e", "gro\u{308}\u{df}e"];

    #[test]
    fn a_name_in_another_form_is_found_as_a_file_and_as_a_folder() {
        let [composed, decomposed] = FORMS;
        for (written, there, form) in [
            (composed, decomposed, "decomposed letters (Unicode's NFD)"),
            (decomposed, composed, "composed letters (Unicode's NFC)"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let folder = Utf8Path::from_path(folder.path()).unwrap();
            std::fs::create_dir(folder.join(there)).unwrap();
            // macOS finds it under both names.
            if folder.join(written).exists() {
                return;
            }
            for path in [folder.join(written), folder.join(written).join("a.yaml")] {
                let said = file_in_other_form(&path).unwrap();
                assert!(
                    said.starts_with(&format!("`{there}` is there with {form}")),
                    "{said}"
                );
            }
            for path in ["grosse", "größer", ""] {
                assert_eq!(file_in_other_form(&folder.join(path)), None, "{path}");
            }
        }
    }
}
