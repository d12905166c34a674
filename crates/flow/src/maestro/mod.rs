//! Maestro flows: parsed to the same tree as flows of the own language, with Maestro commands as steps.
//!
//! A file is a Maestro flow if its first document is a map with `appId` or `url`, and its second a list.

mod advice;
mod commands;
mod effects;
mod file_reader;
mod gesture;
mod glob;
mod header_reader;
mod import;
mod key;
mod option_reader;
mod options;
mod reader;
mod selector;
mod tree;
mod vocabulary;
mod workspace;

pub(super) use advice::in_line;
pub use import::{
    CopiedFile, ImportPlan, ImportedFlow, MaestroImport, UnconvertedFlow, import, import_one,
};
pub use key::PressedKey;
pub(super) use reader::{Reader, is_maestro};
pub use tree::{
    Body, Condition, Coordinate, EnvEntries, Header, LaunchApp, LaunchArgument, MaestroCommand,
    Platform, Point, RandomKind, RawSelector, RawText, ScrollUntilVisible, Swipe, SwipeGesture,
    Tap, Trait, file_name,
};
pub use vocabulary::{
    COMMANDS, COMMON, CommandEntry, CommandState, PERMISSION_GROUPS, SELECTOR, TAP,
};
pub use workspace::{
    Workspace, WorkspaceError, all_files, is_maestro_file, other_flows, written_tags,
};

#[cfg(test)]
mod docs;
#[cfg(test)]
mod tests;
