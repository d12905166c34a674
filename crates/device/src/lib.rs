//! The trait [`Device`], its implementations, and functions over every device.
//!
//! [`adb`] implements the trait, [`uia2`] wraps it with another way to read the screen and to touch, and the
//! crate `runner-webdriver` implements it by a server that controls the device. Apps, settings, logs and
//! files are functions over `&dyn Device`: they use its shell, or its [`ServerSystem`]. Every call has a
//! limit, and stops on the device what it began when it is dropped.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

pub mod adb;
pub mod app_host;
pub mod app_version;
pub mod apps;
pub mod clipboard;
pub mod crash;
pub mod doctor;
#[cfg(any(test, feature = "testing"))]
pub mod fake;
pub mod files;
pub mod fling;
pub mod keyboard;
pub mod logs;
pub mod media;
pub mod nearby_devices;
pub mod permissions;
pub mod record;
pub mod remote;
pub mod settings;
pub mod source;
pub mod system;
pub mod text;
pub mod trial;
pub mod uia2;

mod clock;
mod command;
mod counters;
mod device;
mod device_info;
mod direction;
mod driver;
mod error;
mod features;
mod front_elements;
mod input;
mod keys;
mod kind;
mod limit;
mod look_options;
mod message;
mod processes;
mod questions;
mod reading;
mod sections;
mod server_system;
mod windows;

pub use clock::{Clock, ClockTime, Elapsed};
pub use counters::{Cost, Counters};
pub use device::{ByteStream, Device, FocusedElement, LineStream};
pub use device_info::DeviceInfo;
pub use direction::Direction;
pub use driver::{DriverChoice, DriverKind};
pub use error::{DeviceError, DumpFailure};
pub use features::{Feature, Features};
pub use front_elements::FrontElements;
pub use input::{FingerPath, Gesture, INPUT_LIMIT, Input, Key, KeyError};
pub use kind::{KindNames, VIRTUAL, VirtualMark};
pub use limit::{in_time, in_time_by};
pub use look_options::{ATTEMPTS, LookOptions, PictureOptions};
pub use message::shorten;
pub use reading::{NoAnswer, Reading};
pub use runner_adb::{Script, ShellOutput, quote};
pub use sections::Sections;
pub use server_system::{Ability, Panel, ServerApp, ServerSystem};

pub use runner_picture::Picture;

#[cfg(test)]
mod tests;
