//! Folders of flows, whichever way `flows` of `runner.yaml` names them.

use camino::{Utf8Path, Utf8PathBuf};

/// Ends of patterns that take all flows of the folder before them, or all with one of the two extensions.
const WHOLE: [&str; 7] = [
    "**",
    "**/*",
    "**/*.yaml",
    "**/*.yml",
    "**/*.y*ml",
    "**/*.{yaml,yml}",
    "**/*.{yml,yaml}",
];

/// Returns the entries of `flows`, relative to the root: of a pattern for a whole folder, such as `flows/**/*.yaml`, the
/// folder; others as they are, without a leading `./`. The root is empty. Reads no files.
pub fn flow_folders(flows: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    flows.iter().map(|entry| whole_folder(entry)).collect()
}

/// Returns the entry of `flows` that holds all others, as [`flow_folders`] does; an only entry is that one, though it
/// may be a file or a pattern. `None` if there is none. Goldens of flows in this folder are filed by their path below it.
pub fn only_flow_folder(flows: &[Utf8PathBuf]) -> Option<Utf8PathBuf> {
    let folders = flow_folders(flows);
    let holds_all = |outer: &&Utf8PathBuf| folders.iter().all(|it| it.starts_with(outer));
    folders.iter().find(holds_all).cloned()
}

/// Returns the folder of a pattern for a whole folder, and other entries as they are.
fn whole_folder(entry: &Utf8Path) -> Utf8PathBuf {
    let entry = entry.strip_prefix(".").unwrap_or(entry);
    let text = entry.as_str();
    let folder = WHOLE.iter().find_map(|end| {
        let before = text.strip_suffix(end)?;
        // A name before `**` would make it another pattern.
        (before.is_empty() || before.ends_with('/')).then(|| before.trim_end_matches('/'))
    });
    Utf8PathBuf::from(folder.unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_the_same_in_each_way_of_naming_it() {
        let rows: &[(&[&str], Option<&str>)] = &[
            (&["flows"], Some("flows")),
            (&["./flows"], Some("flows")),
            (&["flows/"], Some("flows")),
            (&["flows/**"], Some("flows")),
            (&["flows/**/*"], Some("flows")),
            (&["flows/**/*.yaml"], Some("flows")),
            (&["flows/**/*.yaml", "flows/**/*.yml"], Some("flows")),
            (&["flows", "flows"], Some("flows")),
            (&["flows", "flows/sub"], Some("flows")),
            (&["flows/sub/*.yaml", "flows"], Some("flows")),
            (&["flows", "flows/x.yaml", "flows/sub/**"], Some("flows")),
            (&["flows/deep/**/*.{yaml,yml}"], Some("flows/deep")),
            (&["."], Some("")),
            (&["**/*.yaml"], Some("")),
            (&[".", "flows"], Some("")),
            // Less than a folder is filed as ever.
            (&["flows/*.yaml"], Some("flows/*.yaml")),
            (&["flows/x**/*.yaml"], Some("flows/x**/*.yaml")),
            (&["flows/**/*.smoke.yaml"], Some("flows/**/*.smoke.yaml")),
            (&["flows", "more"], None),
            (&["flows", "flows2"], None),
            (&["flows/sub", "flows/deep"], None),
            (&[], None),
        ];
        for (flows, only) in rows {
            let flows: Vec<Utf8PathBuf> = flows.iter().map(Utf8PathBuf::from).collect();
            let found = only_flow_folder(&flows);
            assert_eq!(found.as_deref(), only.map(Utf8Path::new), "{flows:?}");
        }
    }
}
