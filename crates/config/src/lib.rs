//! Merges arguments, environment and `runner.yaml` into one [`Config`], in which each value has its origin.
//!
//! The command line beats `RUNNER_*` variables, which beat the file, which beats defaults. No other crate
//! decides about a setting.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod adb;
mod advice;
mod apps;
mod choice;
mod config;
mod device_spec;
mod devices;
mod dialogs;
mod docs;
mod doubts;
mod drivers;
mod env_file;
mod error;
mod file;
mod flow_folders;
mod impact;
mod kind;
mod layers;
mod leases;
mod paths;
mod project_device;
mod quarantine_limit;
mod quirks;
mod record_mode;
mod resolve;
mod schema;
mod screenshot_use;
mod setting;
mod small_schemas;
mod spec;
mod storage;
mod table;
mod value_error;
mod variables;
mod webdriver;

pub use adb::keys as host_keys;
pub use advice::meant_value;
pub use apps::{AppPaths, is_package};
pub use config::Config;
pub use device_spec::DeviceSpec;
pub use docs::docs;
pub use doubts::host_of_wrong_port;
pub use drivers::DriverHomes;
pub use error::ConfigError;
pub use flow_folders::{flow_folders, only_flow_folder};
pub use impact::{ImpactMap, ImpactRule};
pub use quarantine_limit::{LimitError, QuarantineLimit};
pub use record_mode::RecordMode;
pub use resolve::Overrides;
pub use schema::schema;
pub use screenshot_use::ScreenshotUse;
pub use setting::{Origin, Setting};
pub use spec::{Flag, FlagGroup, Row};
pub use table::{RawSettings, SettingValues, rows};
pub use variables::mistaken_variables;
