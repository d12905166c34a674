//! Projects of unit tests, in temporary folders.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;

use runner_base::context::Context;
use runner_config::{Config, Overrides};

/// Writes files, by their paths below the root, and resolves the project's configuration without variables of
/// the environment. The folder is removed once it is dropped.
pub(crate) fn project(
    files: &[(&str, &str)],
    overrides: &Overrides,
) -> (tempfile::TempDir, Config) {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
    for (name, text) in files {
        let path = root.join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }
    let context = Context::fixed(root, BTreeMap::new());
    let config = Config::resolve(&context, overrides).unwrap();
    (folder, config)
}
