use std::path::PathBuf;

use super::*;

/// Folder that holds `root` and one file of each kind.
struct Kinds {
    folder: tempfile::TempDir,
}

impl Kinds {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("root")).unwrap();
        std::fs::write(folder.path().join("outside"), "out").unwrap();
        let kinds = Self { folder };
        std::fs::write(kinds.path("file"), "text").unwrap();
        std::fs::write(kinds.path("empty"), "").unwrap();
        std::fs::write(kinds.path("bytes"), b"a\xff").unwrap();
        std::fs::create_dir(kinds.path("folder")).unwrap();
        let sparse = File::create(kinds.path("sparse")).unwrap();
        sparse.set_len(MAX_TEXT + 1).unwrap();
        kinds
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("root").join(name)
    }

    fn in_root(&self, name: &str) -> Result<Vec<u8>, String> {
        let root = self.folder.path().join("root");
        let read = read_in_root(root, self.path(name), MAX_TEXT);
        read.map_err(|error| error.problem.to_string())
    }

    fn named(&self, name: &str) -> Result<Vec<u8>, String> {
        read_named(self.path(name), MAX_TEXT).map_err(|error| error.problem.to_string())
    }
}

#[test]
fn a_file_is_read_and_others_are_told_by_what_they_are() {
    let kinds = Kinds::new();
    assert_eq!(kinds.in_root("file").unwrap(), b"text");
    assert_eq!(kinds.in_root("empty").unwrap(), b"");
    for (name, why) in [
        ("none", "is not there"),
        ("file/none", "is not there"),
        ("folder", "is a folder, not a file"),
        ("../outside", "leads out of the project's root"),
        ("sparse", "is larger than 1 MB"),
    ] {
        let refused = kinds.in_root(name).unwrap_err();
        assert!(refused.starts_with(why), "{name}: {refused}");
    }
    let refused = read_text(kinds.path("bytes"), MAX_TEXT).unwrap_err();
    assert!(matches!(refused.problem, InputProblem::NotText(1)));
    assert!(refused.to_string().contains("bytes is not UTF-8 text"));
}

#[cfg(unix)]
#[test]
fn links_are_followed_within_the_root_to_files_alone() {
    use std::os::unix::fs::symlink;

    let kinds = Kinds::new();
    let _socket = std::os::unix::net::UnixListener::bind(kinds.path("socket")).unwrap();
    let fifo = kinds.path("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    for (name, target, why) in [
        ("in", "file", None),
        ("away", "nothing", Some("is a link that leads nowhere")),
        ("out", "../outside", Some("leads out of the project's root")),
        ("zero", "/dev/zero", Some("leads out of the project's root")),
        ("to_fifo", "fifo", Some("is a FIFO, not a file")),
        ("to_socket", "socket", Some("is a socket, not a file")),
    ] {
        symlink(target, kinds.path(name)).unwrap();
        match (kinds.in_root(name), why) {
            (Ok(bytes), None) => assert_eq!(bytes, b"text"),
            (Err(refused), Some(why)) => assert!(refused.starts_with(why), "{name}: {refused}"),
            (other, _) => panic!("{name}: {other:?}"),
        }
    }
    let zero = read_regular("/dev/zero", MAX_TEXT).unwrap_err();
    assert_eq!(
        zero.to_string(),
        "/dev/zero is a character device, not a file"
    );
}

#[cfg(unix)]
#[test]
fn a_person_may_name_a_pipe_that_ends() {
    let kinds = Kinds::new();
    let fifo = kinds.path("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let writing = std::thread::spawn({
        let fifo = fifo.clone();
        move || std::fs::write(fifo, "piped")
    });
    assert_eq!(kinds.named("fifo").unwrap(), b"piped");
    writing.join().unwrap().unwrap();
    assert_eq!(
        kinds.named("fifo").unwrap_err(),
        "is a FIFO that nothing writes to"
    );
    std::os::unix::fs::symlink("/dev/zero", kinds.path("zero")).unwrap();
    let refused = kinds.named("zero").unwrap_err();
    assert!(refused.starts_with("is larger than 1 MB"), "{refused}");
    std::os::unix::fs::symlink("/dev/null", kinds.path("null")).unwrap();
    assert_eq!(kinds.named("null").unwrap(), b"");
}
