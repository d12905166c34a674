//! Finds the files of the flows of a run.

use runner_config::{Config, Origin};
use runner_flow::{DiscoverError, Discovery};

/// Finds the files of the flows. An error about a path that `runner.yaml` has names its line there.
pub(super) fn find_flows(config: &Config) -> Result<Discovery, DiscoverError> {
    let maestro_config = config.maestro_config.as_deref();
    runner_flow::discover_with(&config.flow_paths(), &config.root, maestro_config)
        .map_err(|error| name_origin(error, config))
}

/// Names the line of `runner.yaml` that has a path without flows; other errors, and those about paths of the
/// command line, stay as they are.
fn name_origin(error: DiscoverError, config: &Config) -> DiscoverError {
    let origin = &config.flows.origin;
    if !config.paths.is_empty() || !matches!(origin, Origin::File { .. }) {
        return error;
    }
    match error {
        DiscoverError::Missing(mut missing) => {
            missing.near.push_str(&format!("; {origin} names it"));
            DiscoverError::Missing(missing)
        }
        DiscoverError::TakenAway(path) => {
            DiscoverError::TakenAway(format!("{path}, which {origin} names"))
        }
        DiscoverError::Joined { parts, sign, .. } => DiscoverError::Joined {
            advice: format!("a list at {origin}: `flows: [{}]`", listed(&parts)),
            parts,
            sign,
        },
        DiscoverError::None(mut none) => {
            none.paths.push_str(&format!(", which {origin} names"));
            DiscoverError::None(none)
        }
        DiscoverError::NoneIn(paths) => {
            DiscoverError::NoneIn(format!("{paths}, which {origin} names"))
        }
        error => error,
    }
}

/// Formats paths as items of a YAML list, with quotes around patterns and around paths with a space or a quote.
fn listed(paths: &[String]) -> String {
    let item = |path: &String| {
        if path.contains(['*', '?', '\'', ' ']) {
            format!("'{}'", path.replace('\'', "''"))
        } else {
            path.clone()
        }
    };
    let items: Vec<String> = paths.iter().map(item).collect();
    items.join(", ")
}
