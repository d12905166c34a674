//! Tests of files in the device's storage.

use super::*;
use runner_engine::StorageLocation;

#[tokio::test]
async fn storage_is_read_only_unless_the_configuration_says_otherwise() {
    let fake = Fake::showing([""]);
    let file = json!({ "location_id": "downloads", "path": "a.txt", "content": "x" });
    let failure = run(&fake, "write_file", file.clone()).await.unwrap_err();
    assert_eq!(
        (failure.message.masked_text(), failure.code),
        ("Write not allowed", Some(ErrorCode::PERMISSION_DENIED))
    );
    let gone = json!({ "location_id": "downloads", "path": "a.txt" });
    let failure = run(&fake, "delete_file", gone).await.unwrap_err();
    assert_eq!(failure.message, "Delete not allowed");
    let nowhere = json!({ "location_id": "moon", "path": "a.txt" });
    let failure = run(&fake, "read_file", nowhere).await.unwrap_err();
    assert_eq!(
        failure.message,
        "Storage location 'moon' not found. Please add it in the app settings."
    );

    let location = StorageLocation {
        allow_write: true,
        ..StorageLocation::defaults().remove(0)
    };
    let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>).with_locations(vec![location]);
    let outside = json!({ "location_id": "sdcard", "path": "../data/a", "content": "x" });
    let failure = run_on(&session, "write_file", outside).await.unwrap_err();
    assert!(failure.message.contains("leaves"), "{failure:?}");
}

/// A storage that accepts files but cannot append to them. No device over adb was seen to have one.
#[tokio::test]
async fn a33_a_storage_that_cannot_be_appended_to_is_told() {
    let printed = |text: String, code: i32| ShellOutput {
        stdout: text.into_bytes(),
        exit_code: Some(code),
        ..ShellOutput::default()
    };
    let fake = Fake::showing([""]).on_shell(move |script| {
        if script.starts_with("cat ") {
            let text = "cat: write error: Operation not supported on transport endpoint\n";
            return printed(text.to_owned(), 1);
        }
        // What is at the path: the parts of the answer, each after the script's own mark.
        let mark = script.split("echo ").find(|part| part.starts_with('@'));
        let mark = mark.and_then(|part| part.split(';').next()).unwrap_or("@");
        let file = "regular file|3|1700000000|/sdcard/a.txt\n";
        let parts = ["/sdcard", "/sdcard", "", file];
        printed(parts.join(&format!("\n{mark}\n")), 0)
    });
    let location = StorageLocation {
        allow_write: true,
        ..StorageLocation::defaults().remove(0)
    };
    let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>).with_locations(vec![location]);
    let args = json!({ "location_id": "sdcard", "path": "a.txt", "content": "x" });
    let failure = run_on(&session, "append_file", args).await.unwrap_err();
    assert_eq!(
        (failure.message.masked_text(), failure.code),
        (
            "This storage provider does not support append mode. Use write_file to write the entire file content instead.",
            Some(ErrorCode::ACTION_FAILED)
        )
    );
}
