//! Writes a report of one file: the page with its styles, scripts, data and files in it.
//!
//! It is written from start to end, with only one flow or file in memory at a time.

use std::io::{BufWriter, Write};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::counting_writer::CountingWriter;
use super::embedded_files::{EmbeddedFiles, element_bytes};
use super::files::ArtifactStore;
use super::page;
use super::view::{Detail, Omissions, Summary};
use super::written_scripts::{Script, WrittenScripts};
use crate::{FlowRecord, ReportError, Results};
use camino::Utf8Path;
use runner_base::files::hash;
use runner_base::output_file::OutputFile;
use runner_event::{FlowStatus, ResultKey};

/// Size limit of a report of one file, in bytes. Chosen: GitHub's comments accept attachments of 25 MB,
/// GitLab's uploads 100 MB, and a browser shows it at once.
pub const MAX_ONE_FILE: u64 = 25_000_000;

/// Bytes that each flow may add to the summary by the links to its data and its picture. Chosen: two links
/// with hashes, rounded up.
const MAX_LINK_BYTES: u64 = 100;

/// Returns true if a report with this name is one file, not a folder: its extension is `html` in any case.
/// Nothing is read.
pub fn is_one_file(path: &Utf8Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("html"))
}

/// Writes the report of `results` in at most `limit` bytes. The summary is always complete, even if it alone is
/// longer. Data of flows and files that do not fit are left out, which the page says and which is no error. An
/// earlier file is replaced only when the report is complete, and stays after an error.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub(super) fn write(results: &Results, output: &OutputFile, limit: u64) -> Result<(), ReportError> {
    let failed = |source| ReportError::File {
        path: output.path().to_owned(),
        source,
    };
    let file = output.begin().map_err(failed)?;
    let mut out = CountingWriter::new(BufWriter::new(file));
    write_page(results, &mut out, limit, &failed)?;
    let file = out.into_inner().into_inner();
    let file = file.map_err(|error| failed(error.into_error()))?;
    output.finish(file).map_err(failed)
}

/// Writes the page up to `limit` bytes: first the flows that did not pass, then the others, then files, then the
/// summary. A flow that does not fit is left out, a smaller one after it may fit; the summary counts what is missing.
/// The files of a flow that was left out are left out too, and not counted. A flow without attempts has no data.
fn write_page(
    results: &Results,
    out: &mut CountingWriter<impl Write>,
    limit: u64,
    failed: &impl Fn(std::io::Error) -> ReportError,
) -> Result<(), ReportError> {
    let none = WrittenScripts::new();
    let summary = Summary::new(results, &none);
    out.write_all(page::head(&summary).as_bytes())
        .map_err(failed)?;
    let tail =
        page::tail(&summary)?.len() as u64 + MAX_LINK_BYTES * (results.flows.len() as u64 + 2);
    let limit_before_tail = limit.saturating_sub(tail);
    let mut embedded = EmbeddedFiles::default();
    let (mut scripts, mut flows_left_out) = (WrittenScripts::new(), 0);
    let mut flows: Vec<_> = results.flows.iter().collect();
    // Failed flows come first, so that they are there even if others do not fit.
    flows.sort_by_key(|(_, record)| has_passed(record));
    for (key, record) in flows {
        if record.attempts.is_empty() {
            continue;
        }
        let mut own = EmbeddedFiles::for_flow(has_passed(record));
        let (packed, picture) = pack_flow(results, key, record, &mut own)?;
        if out.written() + element_bytes(packed.len()) > limit_before_tail {
            flows_left_out += 1;
            continue;
        }
        embedded.include(own);
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
    let left_out = Omissions {
        limit,
        flows: flows_left_out,
        ..left_out
    };
    let mut summary = Summary::new(results, &scripts);
    summary.left_out = (!left_out.is_nothing()).then_some(left_out);
    out.write_all(page::tail(&summary)?.as_bytes())
        .map_err(failed)
}

/// Returns the data of a flow as gzipped JSON, and the link to the picture that represents its last attempt, if any.
/// The files of the flow are added to `embedded`, which writes them later. A missing file is no error.
fn pack_flow(
    results: &Results,
    key: &ResultKey,
    record: &FlowRecord,
    embedded: &mut EmbeddedFiles,
) -> Result<(Vec<u8>, Option<String>), ReportError> {
    let mut store = ArtifactStore::for_one_file(results, embedded);
    let detail = Detail::new(results, &key.id.flow, record, &mut store)?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    serde_json::to_writer(&mut packed, &detail)?;
    let picture = detail.picture().map(str::to_owned);
    Ok((packed.finish()?, picture))
}

fn has_passed(record: &FlowRecord) -> bool {
    let status = record.outcome().map(|(_, end)| end.status);
    matches!(status, Some(FlowStatus::Passed | FlowStatus::Skipped))
}
