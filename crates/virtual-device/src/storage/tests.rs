//! Tests of the device's files.

use super::*;

#[test]
fn names_are_plain_on_any_host_and_read_back() {
    for name in [
        "a.txt",
        "..\\..\\x",
        "C:",
        "con",
        "NUL.txt",
        "lpt1",
        "100%",
        "trail.",
        "ü 漢",
        "a\nb",
    ] {
        let host = host_name(name);
        assert!(!host.contains(['\\', ':', '/', '\n']), "{host}");
        assert!(!host.ends_with(['.', ' ']), "{host}");
        assert_eq!(device_name(&host), name);
    }
}

#[test]
fn paths_stay_inside() {
    let storage = Storage::new(None).unwrap();
    for path in [
        "/../../etc/passwd",
        "/sdcard/../../../../etc/passwd",
        "..\\..\\etc",
        "/data/local/tmp/./../../../..//x",
        "C:\\Windows",
        "//server/share",
    ] {
        let host = storage.host(path).unwrap();
        assert!(
            host.starts_with(&storage.root),
            "{path} -> {}",
            host.display()
        );
        assert!(
            !host
                .components()
                .any(|part| part == std::path::Component::ParentDir)
        );
    }
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "s").unwrap();
    let storage = Storage::new(None).unwrap();
    let link = storage.host("/sdcard/link").unwrap();
    std::os::unix::fs::symlink(outside.path(), link).unwrap();
    assert_eq!(
        storage.read("/sdcard/link/secret"),
        Err(StorageError::Denied)
    );
    assert_eq!(
        storage.write("/sdcard/link/new", b"x"),
        Err(StorageError::Denied)
    );
    assert_eq!(
        storage.remove("/sdcard/link", true),
        Err(StorageError::Denied)
    );
    assert!(
        !storage
            .list("/sdcard")
            .unwrap()
            .contains(&"link".to_owned())
    );
    assert!(outside.path().join("secret").exists());
}

#[test]
fn shared_storage_has_several_names() {
    let storage = Storage::new(None).unwrap();
    storage.write("/sdcard/x", b"1").unwrap();
    assert_eq!(storage.read("/storage/emulated/0/x").unwrap(), b"1");
    assert_eq!(storage.read("/storage/self/primary/x").unwrap(), b"1");
    assert_eq!(storage.read("/sdcard2/x"), Err(StorageError::Missing));
}

#[test]
fn the_system_is_read_only() {
    let storage = Storage::new(None).unwrap();
    assert_eq!(storage.write("/x", b""), Err(StorageError::ReadOnly));
    assert_eq!(
        storage.write("/system/bin/sh", b""),
        Err(StorageError::ReadOnly)
    );
    assert_eq!(storage.write("/data/x", b""), Err(StorageError::Denied));
    assert_eq!(storage.remove("/sdcard", true), Err(StorageError::Denied));
}

#[test]
fn an_apk_that_cannot_be_stored_leaves_the_former_one() {
    let storage = Storage::new(None).unwrap();
    let store = || storage.store_apk(storage.begin_apk().unwrap(), "org.example.app");
    store().unwrap();
    let former = storage.apk_path("org.example.app");
    // A file where the next folder would be.
    let next = storage.host("/data/app/~~runner2==").unwrap();
    std::fs::write(&next, "").unwrap();
    assert!(store().is_err());
    assert_eq!(storage.apk_path("org.example.app"), former);
    assert!(storage.stat(&former).is_ok());
    std::fs::remove_file(next).unwrap();
    store().unwrap();
    assert_ne!(storage.apk_path("org.example.app"), former);
    assert_eq!(storage.stat(&former), Err(StorageError::Missing));
    storage.count_install("org.example.app");
    let left = storage.list("/data/app/~~runner2==").unwrap();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_full_storage_takes_nothing() {
    let storage = Storage::new(None).unwrap();
    storage.set_full(true);
    assert_eq!(storage.write("/sdcard/x", b"1"), Err(StorageError::Full));
    storage.set_full(false);
    assert_eq!(storage.write("/sdcard/x", b"1"), Ok(()));
}
