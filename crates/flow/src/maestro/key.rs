//! Keys of `pressKey`.

macro_rules! keys {
    ($($variant:ident, $name:literal, $code:literal, $android:literal;)+) => {
        /// Key of `pressKey`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum PressedKey {
            $(#[doc = $name] $variant,)+
        }

        impl PressedKey {
            /// All keys.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns Maestro's name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// Returns Android's key code for `input keyevent`.
            pub fn code(self) -> u16 {
                match self { $(Self::$variant => $code),+ }
            }

            /// Returns Android's name, without `KEYCODE_`.
            pub fn android_name(self) -> &'static str {
                match self { $(Self::$variant => $android),+ }
            }
        }
    };
}

keys! {
    Enter, "Enter", 66, "ENTER";
    Backspace, "Backspace", 67, "DEL";
    Back, "Back", 4, "BACK";
    Home, "Home", 3, "HOME";
    Lock, "Lock", 276, "SOFT_SLEEP";
    VolumeUp, "Volume Up", 24, "VOLUME_UP";
    VolumeDown, "Volume Down", 25, "VOLUME_DOWN";
    RemoteUp, "Remote Dpad Up", 19, "DPAD_UP";
    RemoteDown, "Remote Dpad Down", 20, "DPAD_DOWN";
    RemoteLeft, "Remote Dpad Left", 21, "DPAD_LEFT";
    RemoteRight, "Remote Dpad Right", 22, "DPAD_RIGHT";
    RemoteCenter, "Remote Dpad Center", 23, "DPAD_CENTER";
    RemotePlayPause, "Remote Media Play Pause", 85, "MEDIA_PLAY_PAUSE";
    RemoteStop, "Remote Media Stop", 86, "MEDIA_STOP";
    RemoteNext, "Remote Media Next", 87, "MEDIA_NEXT";
    RemotePrevious, "Remote Media Previous", 88, "MEDIA_PREVIOUS";
    RemoteRewind, "Remote Media Rewind", 89, "MEDIA_REWIND";
    RemoteFastForward, "Remote Media Fast Forward", 90, "MEDIA_FAST_FORWARD";
    Escape, "Escape", 111, "ESCAPE";
    Power, "Power", 26, "POWER";
    Tab, "Tab", 62, "TAB";
    RemoteNavigationUp, "Remote System Navigation Up", 280, "SYSTEM_NAVIGATION_UP";
    RemoteNavigationDown, "Remote System Navigation Down", 281, "SYSTEM_NAVIGATION_DOWN";
    RemoteButtonA, "Remote Button A", 96, "BUTTON_A";
    RemoteButtonB, "Remote Button B", 97, "BUTTON_B";
    RemoteMenu, "Remote Menu", 82, "MENU";
    TvInput, "TV Input", 178, "TV_INPUT";
    TvInputHdmi1, "TV Input HDMI 1", 243, "TV_INPUT_HDMI_1";
    TvInputHdmi2, "TV Input HDMI 2", 244, "TV_INPUT_HDMI_2";
    TvInputHdmi3, "TV Input HDMI 3", 245, "TV_INPUT_HDMI_3";
}

impl PressedKey {
    /// Finds a key by Maestro's name, ignoring case.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut keys = Self::ALL.iter();
        keys.find(|key| key.name().eq_ignore_ascii_case(name))
            .copied()
    }
}
