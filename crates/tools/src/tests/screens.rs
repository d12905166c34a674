//! Tests of the screen's state and its picture.

use super::*;
use runner_device::DumpFailure;

#[tokio::test]
async fn a_screen_that_cannot_be_read_tells_its_cause() {
    let table = [
        (
            DeviceError::NoDump {
                cause: "could not get idle state".to_owned(),
                kind: DumpFailure::NotIdle,
            },
            "No windows available and no active window root node. The screen may be transitioning.",
            FailureKind::Assertion,
        ),
        (
            DeviceError::NoDump {
                cause: "null root node".to_owned(),
                kind: DumpFailure::NullRoot,
            },
            "All windows returned null root nodes.",
            FailureKind::Infrastructure,
        ),
        (
            DeviceError::NoDump {
                cause: "another client".to_owned(),
                kind: DumpFailure::SlotTaken,
            },
            "Accessibility service not enabled or not ready. Please enable it in Android Settings > Accessibility.",
            FailureKind::Infrastructure,
        ),
        (
            DeviceError::Lost {
                serial: "fake".to_owned(),
                cause: "gone".to_owned(),
            },
            "Accessibility service not enabled or not ready. Please enable it in Android Settings > Accessibility.",
            FailureKind::Infrastructure,
        ),
    ];
    for (error, message, kind) in table {
        let fake = Fake::showing([""]);
        fake.with(|state| state.looks.push_front(Err(error)));
        let failure = run(&fake, "get_screen_state", Value::Null)
            .await
            .unwrap_err();
        assert_eq!(
            (failure.message.masked_text(), failure.kind),
            (message, kind)
        );
        assert!(failure.details[0].starts_with("cause: "), "{failure:?}");
    }
}

#[tokio::test]
async fn the_screen_comes_with_its_picture() {
    let fake = Fake::showing([&button(r#"text="Go" clickable="true""#)]);
    let args = json!({ "include_screenshot": true });
    let outcome = run(&fake, "get_screen_state", args).await.unwrap();
    assert!(
        outcome.words().contains("\tButton\tGo\t"),
        "{}",
        outcome.words()
    );
    let [(kind, jpeg)] = outcome.images.as_slice() else {
        panic!("no picture");
    };
    assert_eq!(
        (kind.as_str(), &jpeg[..2]),
        ("image/jpeg", &[0xff, 0xd8][..])
    );
}

/// A screenshot that begins as PNG but cannot be decoded. No device over adb was seen to send one.
#[tokio::test]
async fn a01_a_picture_that_does_not_decode_is_told() {
    let fake = Fake::showing([&button(r#"text="Go""#)]);
    fake.with(|state| state.screenshot = Some(b"\x89PNG\r\n\x1a\n broken".to_vec()));
    let args = json!({ "include_screenshot": true });
    let failure = run(&fake, "get_screen_state", args).await.unwrap_err();
    assert_eq!(failure.message, "Screenshot annotation failed");
    assert_eq!(failure.code, Some(ErrorCode::ACTION_FAILED));
}
