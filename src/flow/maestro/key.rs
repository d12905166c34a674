//! The keys that `pressKey` knows.

macro_rules! keys {
    ($($variant:ident, $name:literal, $code:literal;)+) => {
        /// A key of `pressKey`, named as Maestro names it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum PressedKey {
            $(#[doc = $name] $variant,)+
        }

        impl PressedKey {
            /// Every key.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// Android's key code, which `input keyevent` takes.
            pub fn code(self) -> u16 {
                match self { $(Self::$variant => $code),+ }
            }
        }
    };
}

keys! {
    Enter, "Enter", 66;
    Backspace, "Backspace", 67;
    Back, "Back", 4;
    Home, "Home", 3;
    Lock, "Lock", 276;
    VolumeUp, "Volume Up", 24;
    VolumeDown, "Volume Down", 25;
    RemoteUp, "Remote Dpad Up", 19;
    RemoteDown, "Remote Dpad Down", 20;
    RemoteLeft, "Remote Dpad Left", 21;
    RemoteRight, "Remote Dpad Right", 22;
    RemoteCenter, "Remote Dpad Center", 23;
    RemotePlayPause, "Remote Media Play Pause", 85;
    RemoteStop, "Remote Media Stop", 86;
    RemoteNext, "Remote Media Next", 87;
    RemotePrevious, "Remote Media Previous", 88;
    RemoteRewind, "Remote Media Rewind", 89;
    RemoteFastForward, "Remote Media Fast Forward", 90;
    Escape, "Escape", 111;
    Power, "Power", 26;
    Tab, "Tab", 62;
    RemoteNavigationUp, "Remote System Navigation Up", 280;
    RemoteNavigationDown, "Remote System Navigation Down", 281;
    RemoteButtonA, "Remote Button A", 96;
    RemoteButtonB, "Remote Button B", 97;
    RemoteMenu, "Remote Menu", 82;
    TvInput, "TV Input", 178;
    TvInputHdmi1, "TV Input HDMI 1", 243;
    TvInputHdmi2, "TV Input HDMI 2", 244;
    TvInputHdmi3, "TV Input HDMI 3", 245;
}

impl PressedKey {
    /// The key of this name; upper and lower case are alike.
    pub fn of(name: &str) -> Option<Self> {
        let mut keys = Self::ALL.iter();
        keys.find(|key| key.name().eq_ignore_ascii_case(name))
            .copied()
    }
}
