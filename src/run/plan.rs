//! What is to be run: the flows that were found and read, and those that do not read.

use std::sync::Arc;

use camino::Utf8PathBuf;

use crate::config::Config;
use crate::diagnostic::{Diagnostic, Severity};
use crate::flow::{self, Flow};

/// Which flows of those found.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// With any of these tags; all where empty.
    pub tags: Vec<String>,
    /// With none of these.
    pub excluded: Vec<String>,
}

/// The flows of a run.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Flows to run, sorted by path.
    pub flows: Vec<Arc<Flow>>,
    /// What is wrong in files that do not read; each bad file is an error of its own.
    pub diagnostics: Vec<Diagnostic>,
    /// Warnings about flows that run all the same.
    pub warnings: Vec<Diagnostic>,
}

/// No flow to run.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// Nothing was found.
    #[error("{0}. `runner init` writes a first flow")]
    Discover(#[from] flow::DiscoverError),
    /// Tags left nothing.
    #[error("none of the {found} flows found has the wanted tags")]
    NoTag {
        /// How many there were before.
        found: usize,
    },
}

impl Plan {
    /// Finds and reads flows.
    ///
    /// # Errors
    /// [`PlanError`] where there is nothing to run. Flows that do not read are no error here.
    pub fn read(config: &Config, filter: &Filter) -> Result<Self, PlanError> {
        let paths = flow::discover(&config.flow_paths(), &config.root)?;
        let (flows, diagnostics) = flow::read_all(&paths, &config.read_options());
        let (diagnostics, warnings): (Vec<_>, Vec<_>) = diagnostics
            .into_iter()
            .partition(|diagnostic| diagnostic.severity == Severity::Error);
        let found = flows.len();
        let kept: Vec<Arc<Flow>> = flows
            .into_iter()
            .filter(|flow| filter.takes(&flow.tags))
            .map(Arc::new)
            .collect();
        if kept.is_empty() && diagnostics.is_empty() {
            return Err(PlanError::NoTag { found });
        }
        Ok(Self {
            flows: kept,
            diagnostics,
            warnings,
        })
    }

    /// Files that do not read, each with its diagnostics, in order.
    pub fn unreadable(&self) -> Vec<(Utf8PathBuf, Vec<Diagnostic>)> {
        let mut files: Vec<(Utf8PathBuf, Vec<Diagnostic>)> = Vec::new();
        for diagnostic in &self.diagnostics {
            match files
                .iter_mut()
                .find(|(path, _)| *path == diagnostic.source.path)
            {
                Some((_, list)) => list.push(diagnostic.clone()),
                None => files.push((diagnostic.source.path.clone(), vec![diagnostic.clone()])),
            }
        }
        files
    }
}

impl Filter {
    fn takes(&self, tags: &[String]) -> bool {
        let any = |wanted: &[String]| tags.iter().any(|tag| wanted.contains(tag));
        (self.tags.is_empty() || any(&self.tags)) && !any(&self.excluded)
    }
}
