//! Search for the app that a path without an `app.yaml` was probably meant as.

use camino::Utf8Path;
use runner_text::suggest::nearest;

/// Name of an app's manifest.
const MANIFEST: &str = "app.yaml";

/// Most apps that are named. Chosen: more names would hide the message.
const MAX_NAMED: usize = 3;

/// Returns advice for the path of an app whose folder has no `app.yaml`: the folder around the file `app.yaml`, the
/// file `app.yml` to be renamed, an app in the folder, or one whose name is near. `written` is the path as the person
/// wrote it, and `folder` is absolute. Returns `None` for an app, for a folder without any app in it, and if no name is
/// near.
pub fn app_advice(folder: &Utf8Path, written: &Utf8Path) -> Option<String> {
    if folder.join(MANIFEST).is_file() {
        return None;
    }
    let parent = written.parent().unwrap_or(Utf8Path::new(""));
    if folder.is_file() && matches!(folder.file_name(), Some(MANIFEST | "app.yml")) {
        let around = if parent.as_str().is_empty() {
            Utf8Path::new(".")
        } else {
            parent
        };
        return Some(format!("an app is the folder around it: write `{around}`"));
    }
    if folder.join("app.yml").is_file() {
        return Some(format!("rename its `app.yml` to `{MANIFEST}`"));
    }
    let inside = apps_in(folder);
    if !inside.is_empty() {
        return Some(choice(written, &inside));
    }
    if folder.exists() {
        return None;
    }
    let name = folder.file_name()?;
    let around = folder.parent()?;
    let beside = apps_in(around);
    if let Some(near) = nearest(name, beside.iter().map(String::as_str)) {
        return Some(format!("did you mean `{}`?", parent.join(near)));
    }
    // The name alone, of an app in the usual folder.
    let usual = apps_in(&around.join("apps"));
    let near = nearest(name, usual.iter().map(String::as_str))?;
    Some(format!(
        "did you mean `{}`?",
        parent.join("apps").join(near)
    ))
}

/// Returns the question for the apps in a folder that is no app itself. It names the first three.
fn choice(folder: &Utf8Path, names: &[String]) -> String {
    let paths = names.iter().take(MAX_NAMED);
    let paths: Vec<String> = paths
        .map(|name| format!("`{}`", folder.join(name)))
        .collect();
    format!("did you mean {}?", paths.join(" or "))
}

/// Returns the names of the apps in a folder, sorted; none for a folder that is not there.
fn apps_in(folder: &Utf8Path) -> Vec<String> {
    let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
    let apps = entries.filter(|entry| entry.path().join(MANIFEST).is_file());
    let mut names: Vec<String> = apps.map(|entry| entry.file_name().to_owned()).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use camino::Utf8PathBuf;

    use super::*;

    #[test]
    fn a_path_that_is_no_app_is_told_with_the_one_that_is_meant() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        for name in ["apps/demo", "apps/shop"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
            std::fs::write(root.join(name).join(MANIFEST), "").unwrap();
        }
        for name in ["old", "empty"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        std::fs::write(root.join("old/app.yml"), "").unwrap();
        for (written, expected) in [
            ("apps/demo", None),
            ("apps/dmeo", Some("did you mean `apps/demo`?")),
            ("demo", Some("did you mean `apps/demo`?")),
            ("apps", Some("did you mean `apps/demo` or `apps/shop`?")),
            ("apps/demo/app.yaml", Some("write `apps/demo`")),
            ("old", Some("rename its `app.yml`")),
            ("nothing", None),
            ("empty", None),
        ] {
            let said = app_advice(&root.join(written), Utf8Path::new(written));
            match expected {
                Some(part) => assert!(said.is_some_and(|it| it.contains(part)), "{written}"),
                None => assert_eq!(said, None, "{written}"),
            }
        }
    }
}
