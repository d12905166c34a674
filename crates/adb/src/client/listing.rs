//! Parses an adb server's list of devices.

/// State of a device in the server's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionState {
    /// Ready (`device`).
    Online,
    /// Any other state in adb's words: `offline`, `unauthorized`, `no permissions …`.
    Other(String),
}

impl ConnectionState {
    /// Returns the instruction to the person; `None` for a ready device.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Online => None,
            Self::Other(state) => Some(advice_for(state)),
        }
    }
}

/// Returns the instruction to the person for a device's state in adb's words. An unknown state gets the
/// advice to look at `adb devices -l`.
pub fn advice_for(state: &str) -> &'static str {
    if state.contains("unauthorized") || state.contains("authorizing") {
        "unlock its screen and allow USB debugging for this computer; if no question comes, revoke the authorizations in its developer options and plug it in again"
    } else if state.contains("no permissions") || state.contains("insufficient permissions") {
        "this user may not open the USB device; on Linux install the udev rules for Android devices, plug it in again and restart a server that runs with `adb kill-server`"
    } else if state.contains("offline") {
        "it does not answer adb; plug it in again or run `adb reconnect`, and restart the device if that does not help"
    } else if state.contains("in use") {
        "another program holds its USB interface, most likely an adb server on another port; name that server with `--adb-port`, or stop it with `adb kill-server`"
    } else if state.contains("connecting") {
        "it is still connecting; try again in a moment"
    } else if state.contains("recovery")
        || state.contains("sideload")
        || state.contains("bootloader")
    {
        "it is not running Android; restart it"
    } else {
        "`adb devices -l` says how the server sees it"
    }
}

/// One line of `host:devices-l`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectedDevice {
    pub serial: String,
    pub state: ConnectionState,
    /// `model:` of the line.
    pub model: Option<String>,
    /// `transport_id:` of the line.
    pub transport_id: Option<u64>,
}

/// States of one word (AOSP `adb/adb.h`, `to_string(ConnectionState)`).
const STATES: [&str; 12] = [
    "authorizing",
    "bootloader",
    "connecting",
    "detached",
    "device",
    "host",
    "offline",
    "recovery",
    "rescue",
    "sideload",
    "unauthorized",
    "unknown",
];

/// Parses a line such as `emulator-5554  device product:sdk model:Pixel_7 device:emu transport_id:2`; `None` without
/// a serial. The state `device` is online; every other is kept as its words. Unknown properties are part of the
/// state. A serial alone has an empty state.
///
/// Serial and state may be several words: mDNS names a second wireless device `adb-R58
/// (2)._adb-tls-connect._tcp`.
pub(super) fn parse_device(line: &str) -> Option<ConnectedDevice> {
    // Only these keys count, as adb's descriptions of a state contain colons too: `see [http://developer.android.com/…]`.
    const KEYS: [&str; 6] = [
        "usb",
        "product",
        "model",
        "device",
        "transport_id",
        "features",
    ];
    let property = |word: &str| {
        word.split_once(':')
            .filter(|(key, _)| KEYS.contains(key))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
    };
    let line = line.trim();
    let words: Vec<&str> = line.split_whitespace().collect();
    let names = words
        .iter()
        .position(|word| property(word).is_some())
        .unwrap_or(words.len());
    let (named, properties) = words.split_at(names);
    // The last word is the state if it is a known one; a state of several words begins with `no`.
    let state_at = match named.split_last()? {
        (last, before) if !before.is_empty() && STATES.contains(last) => before.len(),
        _ => named
            .windows(2)
            .position(|pair| pair[0] == "no" && pair[1].starts_with("permissions"))
            .filter(|at| *at > 0)
            .unwrap_or(1),
    };
    let (serial, state) = named.split_at(state_at);
    // Unchanged, as the server knows the device by it.
    let length = serial.iter().try_fold(0, |from, word| {
        Some(from + line.get(from..)?.find(word)? + word.len())
    })?;
    let mut device = ConnectedDevice {
        serial: line.get(..length)?.to_owned(),
        state: match state.join(" ").as_str() {
            "device" => ConnectionState::Online,
            other => ConnectionState::Other(other.to_owned()),
        },
        model: None,
        transport_id: None,
    };
    for (key, value) in properties.iter().filter_map(|word| property(word)) {
        match key.as_str() {
            "model" => device.model = Some(value),
            "transport_id" => device.transport_id = value.parse().ok(),
            _ => {}
        }
    }
    Some(device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_lines_read() {
        let online = parse_device(
            "emulator-5554          device product:sdk_gphone model:Pixel_7 device:emu64 transport_id:12",
        )
        .unwrap();
        assert_eq!(online.serial, "emulator-5554");
        assert_eq!(online.state, ConnectionState::Online);
        assert_eq!(online.model.as_deref(), Some("Pixel_7"));
        assert_eq!(online.transport_id, Some(12));

        let refused = parse_device(
            "0123456789ABCDEF       no permissions (user in plugdev group; are your udev rules wrong?); see [http://developer.android.com/tools/device.html] usb:1-1 transport_id:3",
        )
        .unwrap();
        assert_eq!(refused.transport_id, Some(3));
        assert!(
            matches!(&refused.state, ConnectionState::Other(state) if state.starts_with("no permissions (user"))
        );
        assert!(
            refused
                .state
                .advice()
                .is_some_and(|advice| advice.contains("udev"))
        );

        for (line, state) in [
            ("192.168.1.5:5555 offline", "offline"),
            ("x unauthorized usb:1-2", "unauthorized"),
        ] {
            let device = parse_device(line).unwrap();
            assert_eq!(device.state, ConnectionState::Other(state.to_owned()));
        }
        assert_eq!(parse_device(""), None);
    }

    #[test]
    fn u9_a_serial_may_have_spaces() {
        let name = "adb-R58N (2)._adb-tls-connect._tcp";
        for (rest, state, model) in [
            (
                "device product:x model:Pixel_7 device:y transport_id:4",
                None,
                Some("Pixel_7"),
            ),
            ("offline transport_id:4", Some("offline"), None),
            ("device", None, None),
            ("unauthorized", Some("unauthorized"), None),
            (
                "no permissions (missing udev rules? user is in the plugdev group); see [http://developer.android.com/tools/device.html] usb:1-2 transport_id:4",
                Some(
                    "no permissions (missing udev rules? user is in the plugdev group); see [http://developer.android.com/tools/device.html]",
                ),
                None,
            ),
        ] {
            let device = parse_device(&format!("{name} {rest}")).unwrap();
            assert_eq!(device.serial, name, "{rest}");
            let expected = state.map_or(ConnectionState::Online, |state| {
                ConnectionState::Other(state.to_owned())
            });
            assert_eq!(device.state, expected, "{rest}");
            assert_eq!(device.model.as_deref(), model, "{rest}");
        }
        let twice = parse_device("my  device (2) device transport_id:1").unwrap();
        assert_eq!(twice.serial, "my  device (2)");
    }
}
