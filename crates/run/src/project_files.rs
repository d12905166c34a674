//! Files of all flows of the project.

use camino::Utf8PathBuf;

use runner_config::Config;
use runner_flow::DiscoverError;

/// Finds the files of all flows of the project, also where a person named some.
pub(super) fn project_files(config: &Config) -> Result<Vec<Utf8PathBuf>, DiscoverError> {
    let folders = config.flows.value.iter();
    let all: Vec<_> = folders.map(|path| config.root.join(path)).collect();
    runner_flow::discover(&all, &config.root)
}
