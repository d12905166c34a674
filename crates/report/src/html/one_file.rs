//! A report of one file: the page with its styles, its scripts, the data of its flows and their files in it.
//!
//! It is written from its beginning to its end: of the flows, and of their files, one at a time is in memory.

use std::io::{BufWriter, Write};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::detail::Detail;
use super::embedded::{Embedded, LeftOut, encoded};
use super::files::ArtifactStore;
use super::summary::Summary;
use super::{Script, WrittenScripts, page};
use crate::{FlowRecord, ReportError, Results};
use camino::Utf8Path;
use runner_base::files::hash;
use runner_base::output_file::OutputFile;
use runner_event::{FlowStatus, ResultKey};

/// Bytes of the largest file: GitHub's comments and most mail servers take 25 MB as an attachment, GitLab's uploads and
/// artifacts 100 MB, and a browser shows it at once.
pub const MAX_ONE_FILE: u64 = 25_000_000;

/// Bytes by which a flow makes the summary longer once its data and its picture are there.
const NAMED: u64 = 100;

/// Whether a report of this name is one file.
pub fn is_one_file(path: &Utf8Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("html"))
}

/// A writer that counts.
pub(super) struct Counted<W> {
    inner: W,
    written: u64,
}

impl<W> Counted<W> {
    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        self.written
    }
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

/// Writes the report of `results` in at most `limit` bytes, as long as its summary fits.
///
/// # Errors
/// It cannot be written.
pub(super) fn write(results: &Results, output: &OutputFile, limit: u64) -> Result<(), ReportError> {
    let failed = |source| ReportError::File {
        path: output.path().to_owned(),
        source,
    };
    let file = output.begin().map_err(failed)?;
    let inner = BufWriter::new(file);
    let mut out = Counted { inner, written: 0 };
    write_page(results, &mut out, limit, &failed)?;
    let file = out.inner.into_inner();
    let file = file.map_err(|error| failed(error.into_error()))?;
    output.finish(file).map_err(failed)
}

fn write_page(
    results: &Results,
    out: &mut Counted<impl Write>,
    limit: u64,
    failed: &impl Fn(std::io::Error) -> ReportError,
) -> Result<(), ReportError> {
    let none = WrittenScripts::new();
    let summary = Summary::of(results, &none);
    out.write_all(page::head(&summary).as_bytes())
        .map_err(failed)?;
    let tail = page::tail(&summary)?.len() as u64 + NAMED * (results.flows.len() as u64 + 2);
    let limit_before_tail = limit.saturating_sub(tail);
    let mut embedded = Embedded::default();
    let (mut scripts, mut flows_left_out) = (WrittenScripts::new(), 0);
    let mut flows: Vec<_> = results.flows.iter().collect();
    // What went wrong is there, whatever else is not.
    flows.sort_by_key(|(_, record)| has_passed(record));
    for (key, record) in flows {
        if record.attempts.is_empty() {
            continue;
        }
        embedded.begin_flow(has_passed(record));
        let (packed, picture) = packed(results, key, record, &mut embedded)?;
        if out.written() + encoded(packed.len()) > limit_before_tail {
            flows_left_out += 1;
            continue;
        }
        let id = format!("flow-{}", hash(&packed));
        let text = BASE64_STANDARD.encode(packed);
        writeln!(
            out,
            "<script type=\"text/plain\" id=\"{id}\">{text}</script>"
        )
        .map_err(failed)?;
        let href = format!("#{id}");
        scripts.insert(key.clone(), Script { href, picture });
    }
    let left_out = embedded.write(out, limit_before_tail).map_err(failed)?;
    let left_out = LeftOut {
        limit,
        flows: flows_left_out,
        ..left_out
    };
    let mut summary = Summary::of(results, &scripts);
    summary.left_out = (!left_out.is_nothing()).then_some(left_out);
    out.write_all(page::tail(&summary)?.as_bytes())
        .map_err(failed)
}

/// All that is known of a flow, packed, and the picture that stands for it.
fn packed(
    results: &Results,
    key: &ResultKey,
    record: &FlowRecord,
    embedded: &mut Embedded,
) -> Result<(Vec<u8>, Option<String>), ReportError> {
    let mut keeper = ArtifactStore::embedding(results, embedded);
    let detail = Detail::of(results, &key.id.flow, record, &mut keeper)?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    serde_json::to_writer(&mut packed, &detail)?;
    let picture = detail.picture().map(str::to_owned);
    Ok((packed.finish()?, picture))
}

fn has_passed(record: &FlowRecord) -> bool {
    let status = record.outcome().map(|(_, end)| end.status);
    matches!(status, Some(FlowStatus::Passed | FlowStatus::Skipped))
}
