#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod adbd;
mod answers;
mod apk;
pub mod app_host;
mod apps;
pub mod automation;
mod background;
mod dump;
mod faults;
mod instrumentation;
mod likely_names;
mod log;
mod options;
mod phone;
mod ports;
mod quirks;
mod screen_recording;
mod screenshot;
mod server;
mod shell;
mod state;
mod storage;
pub mod stub;
mod system;
mod touch_panel;
mod video;
mod virtual_files;
mod window;

pub use answers::{WrongAnswer, WrongCommand};
pub use apk::{ApkLink, ApkManifest, ApkPath, ApkService, Instrumentation};
pub use apps::HostCall;
pub use apps::{
    AppError, MessageError, VirtualPhone, a2ui_docs, app_advice, check as check_app,
    has_errors as app_has_errors, schema as app_schema,
};
pub use faults::{Fault, FaultError, FaultSpec};
pub use options::{KeyDemand, PhoneFactory, VirtualDeviceError, VirtualDeviceOptions};
pub use phone::{
    AccessibilityAction, ActivityDump, HostDemand, KeyPress, LinkDump, NodeDump, NodeOrder,
    PackageDump, Phone, PhoneError, PhoneOptions, SchemaCheck, Setting, Switch, Touch, WindowDump,
};
pub use quirks::{Quirk, QuirkError};
pub use runner_picture::Frame;
pub use server::VirtualDevice;
pub use state::ReportedFront;
pub use system::HOSTED_MODEL;
pub use window::{StackedWindow, WindowTouch};

/// Returns true if bytes are the binary manifest of an APK. For fuzzing its reader.
#[doc(hidden)]
pub fn is_apk_manifest(bytes: &[u8]) -> bool {
    apk::is_manifest(bytes)
}

/// Returns true if the shell can parse a script. For fuzzing it.
#[doc(hidden)]
pub fn parses_as_shell(script: &str) -> bool {
    shell::parses(script)
}
