//! All sources of settings, and the circumstances in which one of them gives a value.

use camino::Utf8Path;

use super::Origin;
use runner_base::context::Context;
use runner_text::diagnostic::{self, Source};

/// Circumstances in which a source gives a value.
pub struct SourceContext<'a> {
    pub layers: &'a Layers<'a>,
    /// Base of relative paths: the root for `runner.yaml`, or else the working folder.
    pub folder: &'a Utf8Path,
    pub origin: &'a Origin,
}

/// All sources of settings.
pub struct Layers<'a> {
    pub context: &'a Context,
    /// Names of devices from the command line.
    pub devices: &'a [String],
    pub root: &'a Utf8Path,
    /// Text of `runner.yaml`, if there is one. `places` has the ranges of its values.
    pub source: Option<&'a Source>,
    pub places: &'a std::collections::BTreeMap<String, std::ops::Range<usize>>,
}

impl Layers<'_> {
    /// Returns the origin of a key of `runner.yaml`, with its line, or line 1 if the key's place is unknown.
    /// Without a file it is `Origin::Default`.
    pub(super) fn origin(&self, key: &str) -> Origin {
        let offset = self.places.get(key).map_or(0, |range| range.start);
        match self.source {
            Some(source) => Origin::File {
                path: source.path.clone(),
                line: diagnostic::line_column(&source.text, offset).0,
            },
            None => Origin::Default,
        }
    }
}
