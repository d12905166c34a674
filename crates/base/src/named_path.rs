//! Paths that a person names: all spellings of a path become one.
//!
//! `.` and `..` are resolved as the file system does, so a `..` behind a link leads to the parent of what the link leads
//! to. Links below the root of a project stay in a path, as a flow is filed by the path it has there. A link from
//! outside into the project does not: the path is that below the root.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// Signs of which each pattern for paths has one.
pub const PATTERN_SIGNS: [char; 4] = ['*', '?', '[', '{'];

/// Returns a path without `.`, `..` and doubled slashes. Behind a link, `..` leads to the parent of what the link leads
/// to; behind a folder that is missing it takes that folder away. Behind a part of a pattern it stays, and so it does
/// at the start of a relative path. A slash at the end stays too: nothing but a folder has it.
pub fn tidy(path: &Utf8Path) -> Utf8PathBuf {
    let mut tidied = Utf8PathBuf::new();
    for part in path.components() {
        match part {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => step_out(&mut tidied),
            part => tidied.push(part),
        }
    }
    with_slash_of(tidied, path)
}

/// Returns the path below `root` to what a tidy path leads to, if it enters the root by a link from outside. Links below
/// the root stay in it. A path below the root already, and one that leads elsewhere, is returned as it is.
pub fn within(root: &Utf8Path, path: Utf8PathBuf) -> Utf8PathBuf {
    if path.starts_with(root) {
        return path;
    }
    let Ok(real_root) = root.canonicalize_utf8() else {
        return path;
    };
    let folders: Vec<&Utf8Path> = path.ancestors().collect();
    // The outermost is taken, so that no link below the root is resolved.
    let entered = folders.into_iter().rev().find_map(|folder| {
        let real = folder.canonicalize_utf8().ok()?;
        let below = real.strip_prefix(&real_root).ok()?;
        let rest = path.strip_prefix(folder).ok()?;
        let parts = root.components().chain(below.components());
        Some(parts.chain(rest.components()).collect::<Utf8PathBuf>())
    });
    match entered {
        Some(entered) => with_slash_of(entered, &path),
        None => path,
    }
}

/// Returns a path that is relative to `root` in the form of all its spellings: tidy, with `/` between its parts. The root
/// is `.`. A path that leads out of the root, such as by `..` behind a link, is returned as written.
pub fn below(root: &Utf8Path, path: &Utf8Path) -> Utf8PathBuf {
    let whole = within(root, tidy(&root.join(path)));
    let Ok(below) = whole.strip_prefix(root) else {
        return path.to_owned();
    };
    let parts: Vec<&str> = below.components().map(|part| part.as_str()).collect();
    if parts.is_empty() {
        return Utf8PathBuf::from(".");
    }
    with_slash_of(Utf8PathBuf::from(parts.join("/")), path)
}

/// Takes the last part of a tidy path away, as `..` behind it does. See [`tidy`].
fn step_out(path: &mut Utf8PathBuf) {
    let Some(name) = path.file_name() else {
        // The root of a file system is its own parent.
        if !path.has_root() || path.ends_with("..") {
            path.push("..");
        }
        return;
    };
    if path.is_symlink() {
        if let Ok(real) = path.canonicalize_utf8() {
            *path = real;
        }
    } else if name.contains(PATTERN_SIGNS) && !path.exists() {
        path.push("..");
        return;
    }
    path.pop();
}

/// Returns `path` with a slash at its end if `written` has one.
fn with_slash_of(mut path: Utf8PathBuf, written: &Utf8Path) -> Utf8PathBuf {
    if written.as_str().ends_with('/') {
        path.push("");
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let guard = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(guard.path()).unwrap();
        let folder = folder.canonicalize_utf8().unwrap();
        for name in ["p/flows/sub", "p/src", "a[b]", "beside"] {
            fs_err::create_dir_all(folder.join(name)).unwrap();
        }
        (guard, folder)
    }

    #[test]
    fn all_spellings_of_a_path_become_one() {
        let (_guard, folder) = folder();
        for (written, tidied) in [
            ("p/flows", "p/flows"),
            ("./p//flows/.", "p/flows"),
            ("p/./flows/", "p/flows/"),
            ("p/src/../flows", "p/flows"),
            ("p/flows/sub/../../src/../flows/t.yaml", "p/flows/t.yaml"),
            ("p/none/../flows", "p/flows"),
            ("p/../../../../../../../../../../x", "/x"),
            ("p/flows/*.yaml", "p/flows/*.yaml"),
            ("./p/./flows//*/", "p/flows/*/"),
            ("p/src/../flows/{a,b}/*.yaml", "p/flows/{a,b}/*.yaml"),
            // Only what is there has a parent for sure.
            ("p/*/../x", "p/*/../x"),
            ("p/*/../../x", "p/*/../../x"),
            ("a[b]/../p", "p"),
        ] {
            let path = tidy(&folder.join(written));
            assert_eq!(path.as_str(), folder.join(tidied).as_str(), "{written}");
            assert_eq!(tidy(&path).as_str(), path.as_str(), "{written}");
        }
        for (written, tidied) in [
            ("", ""),
            (".", ""),
            ("..", ".."),
            ("../../a", "../../a"),
            ("/..", "/"),
        ] {
            assert_eq!(tidy(Utf8Path::new(written)).as_str(), tidied, "{written}");
        }
    }

    #[test]
    fn paths_of_a_project_are_relative_to_its_root() {
        let (_guard, folder) = folder();
        let root = folder.join("p");
        for (written, below_root) in [
            (".", "."),
            ("./", "."),
            ("flows/..", "."),
            ("flows", "flows"),
            ("./flows", "flows"),
            ("flows/", "flows/"),
            ("flows/../flows", "flows"),
            ("./flows//**/*.yaml", "flows/**/*.yaml"),
            ("*/../x", "*/../x"),
        ] {
            let path = below(&root, Utf8Path::new(written));
            assert_eq!(path.as_str(), below_root, "{written}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_where_the_system_does() {
        use std::os::unix::fs::symlink;

        let (_guard, folder) = folder();
        let root = folder.join("p");
        symlink("flows/sub", root.join("lsub")).unwrap();
        symlink("lsub", root.join("again")).unwrap();
        symlink("../beside", root.join("out")).unwrap();
        symlink("p", folder.join("link")).unwrap();
        symlink("link/flows", folder.join("inner")).unwrap();
        symlink("p/flows/t.yaml", folder.join("file.yaml")).unwrap();
        fs_err::write(root.join("flows/t.yaml"), "").unwrap();
        for (written, named) in [
            // Links of the project stay; behind them, `..` is that of the system.
            ("p/lsub/s.yaml", "p/lsub/s.yaml"),
            ("p/lsub/../t.yaml", "p/flows/t.yaml"),
            ("p/again/../t.yaml", "p/flows/t.yaml"),
            ("p/again/../*.yaml", "p/flows/*.yaml"),
            ("p/out/../p/flows", "p/flows"),
            // Links from outside are none of the project's.
            ("link/flows/t.yaml", "p/flows/t.yaml"),
            ("link/lsub/s.yaml", "p/lsub/s.yaml"),
            ("link/lsub/../t.yaml", "p/flows/t.yaml"),
            ("link/flows/*/", "p/flows/*/"),
            ("inner/t.yaml", "p/flows/t.yaml"),
            ("inner/../src", "p/src"),
            ("file.yaml", "p/flows/t.yaml"),
            ("link", "p"),
            ("beside/x", "beside/x"),
        ] {
            let path = within(&root, tidy(&folder.join(written)));
            assert_eq!(path.as_str(), folder.join(named).as_str(), "{written}");
        }
        // Whichever way leads to the root.
        let other_way = within(&folder.join("link"), root.join("flows/t.yaml"));
        assert_eq!(other_way, folder.join("link/flows/t.yaml"));
        assert_eq!(below(&root, Utf8Path::new("lsub/..")), "flows");
        assert_eq!(below(&root, Utf8Path::new("out/..")), "out/..");
    }
}
