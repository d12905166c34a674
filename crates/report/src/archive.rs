//! Writes the archive of a run, one ZIP file for a review: proposed goldens, events, traces and videos.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Seek as _, Write as _};

use camino::{Utf8Path, Utf8PathBuf};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{Attempt, JsonStream, ReportError, Results, Subscriber as _};
use runner_base::output_file::OutputFile;
use runner_event::{ArtifactKind, Event};
use runner_text::input_file::{MAX_STREAM, read_regular};

/// Writes a zip archive of a run and returns the number of artifacts that no longer exist or have other bytes. It
/// holds the events as `events.ndjson`, the `recordings` below `recordings/`, the proposed goldens of each flow's last
/// attempt, and the traces and videos of all attempts; no other artifacts. Several runs may have used one path for
/// different files: the archive has that of the latest attempt, and the others count as missing. `recordings` are paths
/// of the history's files, which `runner lint --against` reads from the archive. The file at `output` is replaced only
/// if all went well.
///
/// # Errors
/// Returns an error if a recording, even a missing one, or a found artifact cannot be read, or if the archive cannot
/// be written. A missing artifact is no error.
pub fn write_archive(
    results: &Results,
    events: &[Event],
    recordings: &[Utf8PathBuf],
    output: &OutputFile,
) -> Result<usize, ReportError> {
    let path = output.path();
    let failed = |source| ReportError::File {
        path: path.to_owned(),
        source,
    };
    let broken = |error: ZipError| failed(std::io::Error::other(error));
    // Written to disk: the pictures of many flows may not fit into memory.
    let file = output.begin().map_err(failed)?;
    let mut archive = ZipWriter::new(file);
    let mut missing: BTreeSet<(&Utf8Path, &str)> = BTreeSet::new();
    let mut packed: BTreeMap<&Utf8Path, &str> = BTreeMap::new();
    for record in results.flows.values() {
        let last = record.attempts.last().map(|attempt| attempt.artifacts());
        let proposals = last.into_iter().flatten();
        let proposals = proposals.filter(|artifact| artifact.kind == ArtifactKind::Proposal);
        let newest_first = record.attempts.iter().rev();
        let recorded = newest_first.flat_map(Attempt::recorded);
        for artifact in proposals.chain(recorded) {
            let (path, hash) = (artifact.path.as_path(), artifact.hash.as_str());
            if let Some(packed) = packed.get(path) {
                missing.extend((*packed != hash).then_some((path, hash)));
                continue;
            }
            let Some(found) = results.artifact_file(artifact) else {
                missing.insert((path, hash));
                continue;
            };
            packed.insert(path, hash);
            // Pictures are compressed already.
            let is_text = matches!(artifact.path.extension(), Some("tsv" | "log"));
            let method = if is_text {
                CompressionMethod::Deflated
            } else {
                CompressionMethod::Stored
            };
            let options = SimpleFileOptions::default().compression_method(method);
            let name = artifact.path.as_str();
            archive.start_file(name, options).map_err(broken)?;
            let bytes = read_regular(&found, MAX_STREAM).map_err(|error| failed(error.into()))?;
            archive.write_all(&bytes).map_err(failed)?;
        }
    }
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for path in recordings {
        // Two runs of a flow on one device name their files alike.
        let run = path.parent().and_then(|folder| folder.file_name());
        let name = path.file_name().unwrap_or_default();
        let name = format!("recordings/{}/{name}", run.unwrap_or_default());
        archive.start_file(name, stored).map_err(broken)?;
        let bytes = read_regular(path, MAX_STREAM).map_err(|error| failed(error.into()))?;
        archive.write_all(&bytes).map_err(failed)?;
    }
    let options = SimpleFileOptions::default();
    archive
        .start_file("events.ndjson", options)
        .map_err(broken)?;
    // A file without a name: the system removes it with its handle.
    let mut text = tempfile::tempfile().map_err(failed)?;
    let mut stream = JsonStream::new(Box::new(text.try_clone().map_err(failed)?));
    for event in events {
        stream.on(event)?;
    }
    drop(stream);
    text.rewind().map_err(failed)?;
    std::io::copy(&mut text, &mut archive).map_err(failed)?;
    let file = archive.finish().map_err(broken)?;
    output.finish(file).map_err(failed)?;
    Ok(missing.len())
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::FlowRecord;
    use crate::testing::flow_id;
    use runner_base::output_file::Form;
    use runner_event::{Artifact, VideoPiece};

    /// Packs a flow whose attempts, oldest first, left these videos, all at one path, and one file there. Returns the
    /// packed video and the number of missing ones.
    fn packed(videos: &[&str], left: &str) -> (Option<String>, usize) {
        let guard = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(guard.path()).unwrap();
        fs_err::write(root.join("video.mp4"), left).unwrap();
        let attempts = (1..).zip(videos).map(|(number, video)| Attempt {
            number,
            video: vec![VideoPiece {
                at_ms: 0,
                file: Artifact {
                    kind: ArtifactKind::Video,
                    path: "video.mp4".into(),
                    hash: runner_base::files::hash(video.as_bytes()),
                },
            }],
            ..Attempt::default()
        });
        let record = FlowRecord {
            attempts: attempts.collect(),
            ..FlowRecord::default()
        };
        let key = flow_id("a.yaml", "virtual", 1).result_key();
        let mut results = Results::default();
        results.folders.push(root.to_owned());
        results.flows.insert(key, record);
        let output = OutputFile::new(root, "a.zip".into(), Form::Archive, "--archive").unwrap();
        let missing = write_archive(&results, &[], &[], &output).unwrap();
        let file = fs_err::File::open(output.path()).unwrap();
        let mut archive = zip::ZipArchive::new(file).unwrap();
        let video = archive.by_name("video.mp4").ok().map(|mut file| {
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            text
        });
        (video, missing)
    }

    // A later run of a flow that failed writes over the files of the one before.
    #[test]
    fn what_is_there_is_packed_though_others_of_its_path_are_gone() {
        for (videos, left, expected, missing) in [
            (&["one"][..], "one", Some("one"), 0),
            (&["one", "one"], "one", Some("one"), 0),
            (&["one", "two"], "two", Some("two"), 1),
            (&["one", "two"], "one", Some("one"), 1),
            (&["one", "one", "two"], "three", None, 2),
        ] {
            let expected = expected.map(str::to_owned);
            assert_eq!(
                packed(videos, left),
                (expected, missing),
                "{videos:?} {left}"
            );
        }
    }
}
