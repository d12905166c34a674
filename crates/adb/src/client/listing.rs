//! The devices that an adb server lists.

use super::server::advice_for;

/// State of a device as the server lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionState {
    /// Ready (`device`).
    Online,
    /// Anything else, in adb's words: `offline`, `unauthorized`, `no permissions …`.
    Other(String),
}

impl ConnectionState {
    /// What to do about it; `None` where the device is ready.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Online => None,
            Self::Other(state) => Some(advice_for(state)),
        }
    }
}

/// One line of `host:devices-l`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectedDevice {
    /// Serial.
    pub serial: String,
    /// State.
    pub state: ConnectionState,
    /// `model:` where known.
    pub model: Option<String>,
    /// `transport_id:` where known.
    pub transport_id: Option<u64>,
}

/// Reads a line such as `emulator-5554  device product:sdk model:Pixel_7 device:emu transport_id:2`.
/// The state may be several words.
pub(super) fn parse_device(line: &str) -> Option<ConnectedDevice> {
    // Only these keys count: adb's words of a state hold colons too, as in `see [http://developer.android.com/…]`.
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
    let mut words = line.split_whitespace().peekable();
    let serial = words.next()?.to_owned();
    let mut state = Vec::new();
    while let Some(word) = words.next_if(|word| property(word).is_none()) {
        state.push(word);
    }
    let mut device = ConnectedDevice {
        serial,
        state: match state.join(" ").as_str() {
            "device" => ConnectionState::Online,
            other => ConnectionState::Other(other.to_owned()),
        },
        model: None,
        transport_id: None,
    };
    for (key, value) in words.filter_map(property) {
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
}
