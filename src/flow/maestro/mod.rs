//! Maestro's flows: the same tree as our own, with Maestro's commands as steps.
//!
//! A file is Maestro's where its first document is a map with `appId` or `url` and its second a list.

mod key;
mod tree;

pub use key::PressedKey;
pub use tree::{
    Body, Condition, Coordinate, Direction, EnvEntries, Header, LaunchApp, LaunchArgument,
    MaestroCommand, Platform, Point, RandomKind, RawText, ScrollUntilVisible, Selector, Swipe,
    SwipeGesture, Tap, Trait,
};
