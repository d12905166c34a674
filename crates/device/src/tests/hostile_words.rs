//! Tests of words that end a quotation or begin a command.

use super::*;

/// Names that end a quotation or begin a command, as a person or an app may choose them.
const HOSTILE: [&str; 9] = [
    "'; reboot #",
    "\"; reboot #",
    "$(id) `id` ${HOME}",
    "a && b || c | d > /sdcard/e < f & g",
    "line one\nline two\r\ttab",
    "-n --help -e",
    "\\ \\n \\' \\",
    "~ * ? [a-z] {b,c} !x",
    "\u{7f}\u{1}\u{202e}ü😀",
];

#[tokio::test]
async fn hostile_words_arrive_as_they_are() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    for text in HOSTILE {
        let printed = device
            .shell(&Script::command(["printf", "%s", text]), LIMIT)
            .await
            .unwrap();
        assert_eq!(printed.text(), text);
        let error = apps::open_link(device, text, None).await.unwrap_err();
        assert!(
            matches!(error, DeviceError::Command { .. }),
            "{text:?}: {error}"
        );
        let extras = [(text.to_owned(), serde_json::json!(text))].into();
        let launch = apps::Launch {
            package: APP,
            extras: Some(&extras),
            ..apps::Launch::default()
        };
        apps::launch(device, &launch).await.unwrap();
        assert!(!matches!(apps::is_installed(device, text).await, Ok(true)));
    }
    let listed = device
        .shell(&Script::command(["ls", "/sdcard/e"]), LIMIT)
        .await
        .unwrap();
    assert!(!listed.succeeded(), "a redirection was run");
}

#[tokio::test]
async fn hostile_file_names_stay_in_their_location() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    let location = Location::new("/sdcard/Download").unwrap();
    for text in HOSTILE {
        let name = text.replace('/', "_");
        match files::write(device, &location, &name, text.as_bytes()).await {
            Ok(()) => {
                let read = files::read(device, &location, &name, 1000).await.unwrap();
                assert_eq!(read, text.as_bytes(), "{name:?}");
                files::delete(device, &location, &name).await.unwrap();
            }
            Err(error) => assert!(
                matches!(error, FileError::Outside { .. }),
                "{name:?}: {error}"
            ),
        }
    }
    for outside in ["../x", "/etc/x", "a/../../x", "..", "a\0b"] {
        let error = files::write(device, &location, outside, b"x").await;
        assert!(
            matches!(error, Err(FileError::Outside { .. })),
            "{outside:?}: {error:?}"
        );
    }
    for outside in ["/sdcard/../../etc/x", "/system/x"] {
        assert!(
            device.push(b"x", outside, 0o644).await.is_err(),
            "{outside}"
        );
    }
}

#[tokio::test]
async fn a_link_that_cannot_arrive_whole_is_refused() {
    let (_phone, device) = start().await;
    let long = "x".repeat(2 << 20);
    let before = field(device.as_ref()).await;
    for text in ["a\0b", &long] {
        let link = apps::open_link(device.as_ref(), text, None).await;
        assert!(matches!(link, Err(DeviceError::Command { .. })));
    }
    assert_eq!(field(device.as_ref()).await, before);
}
