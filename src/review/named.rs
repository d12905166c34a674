//! Which goldens the project's flows name, and where: from reading the flows alone.

use std::collections::HashMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::FlowPlace;
use crate::config::Config;
use crate::diagnostic::{Source, line_column};
use crate::flow::{self, Flow};
use crate::run::{Filter, Plan, golden_folder};
use crate::snapshot::GoldenKey;

/// The goldens that flows name.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// By their path below the folder of goldens, without class and variant.
    uses: HashMap<Utf8PathBuf, Use>,
    /// Folders of goldens of flows that do not read: nobody knows what they name.
    unknown: Vec<Utf8PathBuf>,
    /// No flow was found at all, so nothing can be said about goldens.
    is_empty: bool,
    /// Files that were read, absolute.
    pub sources: Vec<Utf8PathBuf>,
}

/// A snapshot step.
#[derive(Debug, Clone)]
pub(super) struct Use {
    /// Text of the file it stands in, as it was read.
    pub source: Arc<Source>,
    /// The step in it.
    pub span: std::ops::Range<usize>,
    /// The flow to run, below the root.
    pub flow: Utf8PathBuf,
    /// It takes a golden each time: `home.1`, `home.2`, …
    each: bool,
}

impl Use {
    /// Where it stands, for people.
    pub fn place(&self) -> FlowPlace {
        let (line, column) = line_column(&self.source.text, self.span.start);
        FlowPlace {
            file: self.source.path.clone(),
            line,
            column,
        }
    }
}

impl Named {
    /// Reads all flows. What does not read is no error here: the goldens below it are left alone.
    pub fn read(config: &Config) -> Self {
        let Ok(plan) = Plan::read(config, &Filter::default()) else {
            return Self {
                is_empty: true,
                ..Self::default()
            };
        };
        let mut named = Self::default();
        let folders = &config.flows.value;
        for flow in &plan.flows {
            named.add(flow, &golden_folder(folders, &flow.key), &config.root);
        }
        for (path, diagnostics) in &plan.unreadable {
            named
                .unknown
                .push(golden_folder(folders, &path.with_extension("")));
            named.sources.push(config.root.join(path));
            let wrong = diagnostics.iter().map(|one| &one.source.path);
            named
                .sources
                .extend(wrong.map(|path| config.root.join(path)));
        }
        named.sources.sort();
        named.sources.dedup();
        named
    }

    fn add(&mut self, flow: &Flow, folder: &Utf8Path, root: &Utf8Path) {
        self.sources.push(root.join(&flow.source.path));
        for golden in flow::goldens(flow) {
            let Some((source, span)) = golden.snapshot() else {
                continue;
            };
            self.sources.push(root.join(&source.path));
            self.uses.insert(
                folder.join(&golden.path),
                Use {
                    source: Arc::clone(source),
                    span,
                    flow: flow.source.path.clone(),
                    each: golden.each,
                },
            );
        }
    }

    /// The step that takes a golden.
    pub fn find(&self, key: &GoldenKey) -> Option<&Use> {
        let mut path = key.flow().join(key.name().as_str());
        if let Some(exact) = self.uses.get(&path) {
            return Some(exact);
        }
        // `each` adds the turn of every `repeat` around it.
        loop {
            let (stem, turn) = path.as_str().rsplit_once('.')?;
            if turn.is_empty() || !turn.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            path = Utf8PathBuf::from(stem);
            if let Some(found) = self.uses.get(&path) {
                return found.each.then_some(found);
            }
        }
    }

    /// Whether it is certain that no flow names a golden.
    pub fn is_obsolete(&self, key: &GoldenKey) -> bool {
        !self.is_empty
            && self.find(key).is_none()
            && !self
                .unknown
                .iter()
                .any(|folder| key.flow().starts_with(folder))
    }
}
