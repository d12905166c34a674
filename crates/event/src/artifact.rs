//! Files that a run left.

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file that a run left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Artifact {
    /// What it is.
    pub kind: ArtifactKind,
    /// Path below the artifacts folder, `/` as separator.
    #[schemars(with = "String")]
    pub path: Utf8PathBuf,
    /// XXH3-64 of its bytes, 16 hex digits.
    pub hash: String,
}

/// What an artifact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactKind {
    /// A screenshot.
    Screenshot,
    /// A screenshot with boxes.
    Annotated,
    /// A screen as TSV.
    Tsv,
    /// A screen as a dump of all its nodes, packed with gzip: of a trace.
    Screen,
    /// Picture of a difference.
    Difference,
    /// The golden a snapshot was compared with.
    Golden,
    /// The golden's rows beside those that were seen, as TSV: its first column says what changed.
    Rows,
    /// What would become the golden; `runner review --from` takes it.
    Proposal,
    /// Log lines of the app.
    Log,
    /// Video.
    Video,
    /// Anything else, such as a pulled file.
    File,
}
