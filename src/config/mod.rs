//! Arguments + environment + `runner.yaml` → one `Config`, once, each value with where it came from.

mod file;

pub use file::{
    ProjectDevice, ProjectFile, ReportPaths, SnapshotDefaults, schema as project_schema,
};
