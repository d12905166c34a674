//! Gallery of the device.

use super::command::{QUICK, succeed};
use super::{Device, DeviceError, Script, quote};
use runner_text::percent;

/// Adds a picture, a video or a sound at an absolute path to the gallery. Does nothing on a device behind a
/// server without a shell, which does it when it takes a file.
///
/// Asks the media store, which answers from Android 10 on; else it sends the broadcast for which the media
/// scanner listens.
///
/// # Errors
/// Fails if the broadcast fails. A file that does not exist need not be reported.
pub async fn scan(device: &dyn Device, path: &str) -> Result<(), DeviceError> {
    // Appium's server sends the broadcast itself when it takes a file.
    if device.system().is_some_and(|system| !system.has_shell()) {
        return Ok(());
    }
    let script = Script::raw(
        format!(
            "content call --uri content://media --method scan_file --arg {} 2>/dev/null | grep -q uri=content || \
             am broadcast -a android.intent.action.MEDIA_SCANNER_SCAN_FILE -d {}",
            quote(path),
            quote(&file_url(path))
        ),
        "scan for media",
    );
    succeed(device, &script, QUICK).await.map(drop)
}

/// Formats an absolute path as a `file://` URL. Slashes stay; other characters are encoded in percent.
fn file_url(path: &str) -> String {
    format!("file://{}", percent::encoded(path, b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_urls() {
        assert_eq!(
            file_url("/sdcard/a b#ü.png"),
            "file:///sdcard/a%20b%23%C3%BC.png"
        );
    }
}
