//! Tests archives that are made to do harm.

use std::io::{Cursor, Write as _};

use base64::Engine as _;
use camino::Utf8Path;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::proposals::{EntryKind, classify};
use super::*;

const TABLE: &str = "#pending against=none by=lab\n# schema=1\nid\tclass\ttext\tdesc\tres_id\thint\tflags\nn1\tView\t-\t-\t-\t-\t-\n";

/// Returns an archive of these files.
fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

struct Inbox {
    folder: tempfile::TempDir,
    store: Store,
}

impl Inbox {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let store = Store::new(root, Utf8Path::new("snapshots"));
        Self { folder, store }
    }

    fn take(&self, archive: &[u8]) -> Result<ImportResult, ReviewError> {
        let path = Utf8Path::from_path(self.folder.path())
            .unwrap()
            .join("a.zip");
        fs_err::write(&path, archive).unwrap();
        import(&self.store, &path)
    }

    /// Returns the files other than the archive and the lock.
    fn files(&self) -> Vec<String> {
        walkdir::WalkDir::new(self.folder.path())
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| {
                let below = entry.path().strip_prefix(self.folder.path()).unwrap();
                below.to_string_lossy().replace('\\', "/")
            })
            .filter(|name| name != "a.zip" && !name.starts_with(".runner"))
            .collect()
    }
}

fn refused(imported: &ImportResult) -> Vec<&str> {
    imported
        .refused
        .iter()
        .map(|(name, _)| name.as_str())
        .collect()
}

#[test]
fn an_honest_archive_is_taken_however_deep_its_folder_lies() {
    let inbox = Inbox::new();
    let archive = zipped(&[
        ("readme.txt", b"hello"),
        (
            "job 7/out/proposed-goldens/pixel/login/home.new.tsv",
            TABLE.as_bytes(),
        ),
        (
            "job 7/out/proposed-goldens/emulator/login/home.new.tsv",
            TABLE.as_bytes(),
        ),
        ("job 7/out/inner.zip", b"PK"),
        ("job 7/out/login/pixel-1/home.actual.tsv", b"x"),
    ]);
    let imported = inbox.take(&archive).unwrap();
    assert!(imported.refused.is_empty(), "{:?}", imported.refused);
    let keys: Vec<String> = imported.keys.iter().map(ToString::to_string).collect();
    assert_eq!(keys, ["login/home~lab"]);
    assert!(imported.changed.is_empty());
    assert!(
        inbox
            .files()
            .iter()
            .all(|name| name.starts_with("snapshots/login/home"))
    );
}

/// Taking an archive again changes nothing, whether its proposal waits or is the golden by then.
#[test]
fn what_waits_or_is_the_golden_is_not_replaced_without_a_word() {
    let inbox = Inbox::new();
    let archive = |table: &str| {
        let name = "proposed-goldens/d/login/home.new.tsv";
        zipped(&[(name, table.as_bytes())])
    };
    let [one, other] = [archive(TABLE), archive(&TABLE.replace("View", "Button"))];
    let taken = |archive: &[u8]| {
        let imported = inbox.take(archive).unwrap();
        [
            imported.keys.len(),
            imported.replaced.len(),
            imported.already.len(),
        ]
    };
    assert_eq!(taken(&one), [1, 0, 0]);
    assert_eq!(taken(&one), [1, 0, 0]);
    assert_eq!(taken(&other), [1, 1, 0]);
    let accepted = inbox
        .store
        .accept(&runner_snapshot::Selection::All)
        .unwrap();
    assert_eq!(accepted.accepted.len(), 1, "{:?}", accepted.refused);
    let files = inbox.files();
    assert_eq!(taken(&other), [0, 0, 1]);
    assert_eq!(inbox.files(), files);
}

/// Archive written by Python's `zipfile` to a pipe, as some CI servers do: sizes are behind the contents. The
/// device is `dé`.
const BY_PYTHON: &str = "\
    UEsDBBQACAgIAIMYIlwAAAAAAAAAAAAAAAAnAAAAb3V0L3Byb3Bvc2VkLWdvbGRlbnMvZMOpL2EvaG9tZS5uZXcudHN2NcgxDoAg\
    DADAubyChNmBB/ANV1OgQhOsxjZRf6+Lue3CQVJZmseGLGpJdiGfnzQwu+C1dNowRccVykBVMLoNKmmBk3T5urMYrAObOokwM10w\
    /dwLUEsHCMWXiUZUAAAAXwAAAFBLAQIUAxQACAgIAIMYIlzFl4lGVAAAAF8AAAAnAAAAAAAAAAAAAACAAQAAAABvdXQvcHJvcG9z\
    ZWQtZ29sZGVucy9kw6kvYS9ob21lLm5ldy50c3ZQSwUGAAAAAAEAAQBVAAAAqQAAAAAA";

#[test]
fn an_archive_written_without_seeking_is_taken() {
    let inbox = Inbox::new();
    let archive = base64::engine::general_purpose::STANDARD.decode(BY_PYTHON);
    let imported = inbox.take(&archive.unwrap()).unwrap();
    assert!(imported.refused.is_empty(), "{:?}", imported.refused);
    assert_eq!(imported.keys.len(), 1);
    assert_eq!(inbox.files(), ["snapshots/a/home.new.tsv"]);
}

#[test]
fn what_is_encrypted_is_refused() {
    let inbox = Inbox::new();
    let name = "proposed-goldens/d/a/home.new.tsv";
    let mut archive = zipped(&[(name, TABLE.as_bytes())]);
    // The first bit of the flags, in the file's own header and in the list of files.
    let listed = (0..archive.len() - 4).find(|at| archive[*at..].starts_with(b"PK\x01\x02"));
    archive[6] |= 1;
    archive[listed.unwrap() + 8] |= 1;
    let imported = inbox.take(&archive).unwrap();
    assert_eq!(
        imported.refused,
        [(name.to_owned(), "it is encrypted".to_owned())]
    );
    assert!(inbox.files().is_empty(), "{:?}", inbox.files());
}

#[test]
fn names_that_lead_elsewhere_are_hostile() {
    for hostile in [
        "../proposed-goldens/d/a/home.new.tsv",
        "proposed-goldens/d/../../../x/home.new.tsv",
        "proposed-goldens/../home.new.tsv",
        "/proposed-goldens/d/a/home.new.tsv",
        "C:/proposed-goldens/d/a/home.new.tsv",
        "proposed-goldens/d/C:home.new.tsv",
        "proposed-goldens\\d\\a\\home.new.tsv",
        "proposed-goldens/d/a/home.new.tsv\0.png",
    ] {
        assert!(
            matches!(classify(hostile), EntryKind::Hostile(_)),
            "{hostile}"
        );
        let inbox = Inbox::new();
        // A writer may refuse to write such a name, which is as good.
        let archive = std::panic::catch_unwind(|| zipped(&[(hostile, TABLE.as_bytes())]));
        if let Ok(archive) = archive
            && let Ok(imported) = inbox.take(&archive)
        {
            assert!(imported.keys.is_empty(), "{hostile}");
        }
        assert!(inbox.files().is_empty(), "{hostile}: {:?}", inbox.files());
    }
    for other in [
        "a/b.png",
        "proposed-goldens/",
        "proposed-goldens/d",
        "proposed-goldens/d/",
    ] {
        assert_eq!(classify(other), EntryKind::Other, "{other}");
    }
}

#[test]
fn what_is_no_pending_golden_is_refused_and_its_golden_with_it() {
    let inbox = Inbox::new();
    let under = |name: &str| format!("proposed-goldens/d/{name}");
    let files = [
        under("a/home.new.tsv"),
        under("a/home~lab.new.png"),
        under("a/other.new.tsv"),
        under("a/script.sh"),
        under("a/done.tsv"),
        under("a/.new.tsv"),
        under("con/x/aux.new.tsv"),
    ];
    let contents: Vec<(&str, &[u8])> = files
        .iter()
        .map(|name| {
            let bytes: &[u8] = if name.ends_with("png") {
                b"no picture"
            } else {
                TABLE.as_bytes()
            };
            (name.as_str(), bytes)
        })
        .collect();
    let imported = inbox.take(&zipped(&contents)).unwrap();
    let keys: Vec<String> = imported.keys.iter().map(ToString::to_string).collect();
    assert_eq!(keys, ["a/other~lab"], "{:?}", imported.refused);
    for name in files.iter().filter(|name| !name.contains("other")) {
        assert!(
            refused(&imported).contains(&name.as_str()),
            "{name}: {:?}",
            imported.refused
        );
    }
}

#[test]
fn a_bomb_is_measured_while_it_is_unpacked() {
    let inbox = Inbox::new();
    let bomb = vec![b'a'; 8 * 1024 * 1024];
    let archive = zipped(&[
        ("proposed-goldens/d/a/home.new.tsv", &bomb),
        ("proposed-goldens/d/b/home.new.tsv", TABLE.as_bytes()),
        ("other/bomb.bin", &bomb),
    ]);
    assert!(archive.len() < 64 * 1024);
    let imported = inbox.take(&archive).unwrap();
    assert_eq!(refused(&imported), ["proposed-goldens/d/a/home.new.tsv"]);
    assert!(
        imported.refused[0].1.contains("unpacks to more"),
        "{:?}",
        imported.refused
    );
    assert_eq!(imported.keys.len(), 1);
}

#[test]
fn a_picture_larger_than_any_screen_is_not_decoded() {
    let inbox = Inbox::new();
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend([0, 1, 0, 0, 0, 1, 0, 0, 8, 6, 0, 0, 0]);
    png.extend([0; 4]);
    let imported = inbox
        .take(&zipped(&[("proposed-goldens/d/a/home~lab.new.png", &png)]))
        .unwrap();
    assert!(imported.keys.is_empty());
    assert_eq!(imported.refused.len(), 1);
}

#[test]
fn links_capital_letters_and_broken_archives_are_refused() {
    let inbox = Inbox::new();
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    let link = "proposed-goldens/d/a/home.new.tsv";
    writer.add_symlink(link, "/etc/passwd", options).unwrap();
    let archive = writer.finish().unwrap().into_inner();
    let imported = inbox.take(&archive).unwrap();
    assert_eq!(imported.refused, [(link.to_owned(), "a link".to_owned())]);
    let imported = inbox
        .take(&zipped(&[
            ("proposed-goldens/d/a/home.new.tsv", TABLE.as_bytes()),
            ("proposed-goldens/d/a/Home.new.tsv", TABLE.as_bytes()),
        ]))
        .unwrap();
    assert!(imported.keys.is_empty(), "{:?}", imported.keys);
    assert_eq!(imported.refused.len(), 2, "{:?}", imported.refused);
    let whole = zipped(&[("proposed-goldens/d/a/home.new.tsv", TABLE.as_bytes())]);
    for broken in [&b""[..], b"PK", &whole[..whole.len() / 2]] {
        assert!(inbox.take(broken).is_err());
    }
    // Two files of one name: the second hides the first from a reader that looks only at the list.
    let twice = zipped(&[
        ("proposed-goldens/d/a/home.new.tsv", TABLE.as_bytes()),
        ("proposed-goldens/d/a/hone.new.tsv", TABLE.as_bytes()),
    ]);
    let twice: Vec<u8> = String::from_utf8_lossy(&twice)
        .contains("hone")
        .then(|| replace(&twice))
        .unwrap();
    assert!(inbox.take(&twice).is_err());
    assert!(inbox.files().is_empty(), "{:?}", inbox.files());
}

/// Gives the second entry the first one's name.
fn replace(archive: &[u8]) -> Vec<u8> {
    let mut bytes = archive.to_vec();
    for at in 0..bytes.len() - 4 {
        if &bytes[at..at + 4] == b"hone" {
            bytes[at + 2] = b'm';
        }
    }
    bytes
}

#[cfg(unix)]
#[test]
fn links_in_a_folder_are_not_followed() {
    let inbox = Inbox::new();
    let outside = tempfile::tempdir().unwrap();
    fs_err::write(outside.path().join("home.new.tsv"), TABLE).unwrap();
    let given = tempfile::tempdir().unwrap();
    let below = given.path().join("proposed-goldens/d/a");
    fs_err::create_dir_all(&below).unwrap();
    fs_err::write(below.join("there.new.tsv"), TABLE).unwrap();
    fs_err::os::unix::fs::symlink(
        outside.path().join("home.new.tsv"),
        below.join("home.new.tsv"),
    )
    .unwrap();
    fs_err::os::unix::fs::symlink(outside.path(), below.join("folder")).unwrap();
    let imported = import(&inbox.store, Utf8Path::from_path(given.path()).unwrap()).unwrap();
    let keys: Vec<String> = imported.keys.iter().map(ToString::to_string).collect();
    assert_eq!(keys, ["a/there~lab"]);
    assert_eq!(imported.refused.len(), 2, "{:?}", imported.refused);
}

proptest::proptest! {
    /// Checks that no bytes cause a panic or write outside the folder of goldens.
    #[test]
    fn any_bytes_are_read_or_refused(at in 0..400_usize, byte: u8) {
        let mut archive = zipped(&[("x/proposed-goldens/d/a/home.new.tsv", TABLE.as_bytes())]);
        let at = at % archive.len();
        archive[at] = byte;
        let inbox = Inbox::new();
        let _ = inbox.take(&archive);
        proptest::prop_assert!(inbox.files().iter().all(|name| name.starts_with("snapshots/")));
    }
}
