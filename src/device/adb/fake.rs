//! Fake adb peers.
