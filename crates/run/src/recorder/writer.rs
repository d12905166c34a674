//! Writes the entries of a recording to its file, masked, and gives the file its final name.

use std::collections::VecDeque;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;

use camino::Utf8PathBuf;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use super::run_recording::RunRecording;
use runner_engine::same_rows;
use runner_event::FlowStatus;
use runner_recording::{ActLine, EndLine, Head, Line, LookLine, MAX_RUN_BYTES, Touch};
use runner_screen::Screen;
use runner_text::secret::Scrubber;

/// Chosen: earlier looks that a look is compared with. A dialog that closes shows the rows of one of the
/// last.
const MAX_COMPARED: usize = 8;
/// Bytes of a step's result. Chosen: expressions do not compare longer values.
const MAX_VALUE: usize = 16 << 10;

pub(super) enum Entry {
    Line(Line),
    Look(u64, Arc<Screen>),
    Act(u64, Option<usize>, Vec<Touch>),
    End(Box<EndLine>),
}

/// Returns true for a result of at most 16 KiB, which is short enough to be stored.
fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= MAX_VALUE,
        other => serde_json::to_string(other).is_ok_and(|text| text.len() <= MAX_VALUE),
    }
}

pub(super) struct Writer {
    run: Arc<RunRecording>,
    part: Utf8PathBuf,
    file: GzEncoder<std::fs::File>,
    scrubber: Scrubber,
    /// Last looks with their indices among the stored ones.
    compared: VecDeque<(usize, Arc<Screen>)>,
    dumps: usize,
    /// Time of the last look that repeats the one before, if it is not written yet.
    still: Option<u64>,
}

impl Writer {
    /// Creates the file of a recording under its name while it is written, with its folder, and writes its head.
    pub(super) fn create(
        run: &Arc<RunRecording>,
        head: Head,
        scrubber: Scrubber,
    ) -> std::io::Result<Self> {
        let part = run.folder.part(&head.id);
        if let Some(folder) = part.parent() {
            fs_err::create_dir_all(folder)?;
        }
        let file = runner_base::files::create(&part)?;
        let mut writer = Self {
            run: Arc::clone(run),
            part,
            file: GzEncoder::new(file, Compression::fast()),
            scrubber,
            compared: VecDeque::new(),
            dumps: 0,
            still: None,
        };
        writer.line(&Line::Recording(Box::new(head)))?;
        Ok(writer)
    }

    /// Writes entries until the attempt ends, and gives the file its final name, which depends on whether it passed.
    /// Removes a file that cannot be written, has no end, or exceeds what a run's recordings may have together, and
    /// returns `None`: a failed recording fails no flow.
    pub(super) fn write_all(&mut self, entries: &Receiver<Entry>) -> Option<Utf8PathBuf> {
        let mut status = None;
        let mut write = || -> std::io::Result<()> {
            for entry in entries {
                if let Entry::End(end) = &entry {
                    status = Some(end.status);
                }
                self.entry(entry)?;
            }
            self.file.try_finish()
        };
        let written = write();
        let finish = || -> std::io::Result<Utf8PathBuf> {
            written?;
            let status = status.ok_or(std::io::ErrorKind::UnexpectedEof)?;
            let passed = matches!(status, FlowStatus::Passed | FlowStatus::Flaky);
            let size = self.file.get_ref().metadata()?.len();
            if self.run.bytes.fetch_add(size, Ordering::Relaxed) + size > MAX_RUN_BYTES {
                // A smaller recording may still fit.
                self.run.bytes.fetch_sub(size, Ordering::Relaxed);
                return Err(std::io::ErrorKind::FileTooLarge.into());
            }
            runner_recording::finish(&self.part, passed)
        };
        let kept = finish();
        if kept.is_err() {
            let _ = fs_err::remove_file(&self.part);
        }
        kept.ok()
    }

    /// Writes an entry, masked. Of several looks at a screen that stands still only the last is written. Values
    /// that are too long become null.
    fn entry(&mut self, entry: Entry) -> std::io::Result<()> {
        if let Entry::Line(Line::Still(ms)) = entry {
            self.still = Some(ms);
            return Ok(());
        }
        if let Some(ms) = self.still.take() {
            self.line(&Line::Still(ms))?;
        }
        match entry {
            Entry::Line(mut line) => {
                if let Line::Done(done) = &mut line {
                    if !is_short(&done.value) {
                        done.value = Value::Null;
                    }
                    self.scrubber.scrub_json(&mut done.value, &[]);
                }
                self.line(&line)
            }
            Entry::Look(ms, screen) => self.look(ms, screen),
            Entry::Act(ms, looks, mut inputs) => {
                for input in &mut inputs {
                    if let Touch::Text(text) = input {
                        *text = self.scrubber.scrub_outside(text).into_owned();
                    }
                }
                self.line(&Line::Act(ActLine { ms, looks, inputs }))
            }
            Entry::End(mut end) => {
                end.commit = self.run.commit();
                self.line(&Line::End(*end))
            }
        }
    }

    /// Writes a look as a whole dump, masked, or as a reference if one of the newest [`MAX_COMPARED`] dumps has the
    /// same rows.
    fn look(&mut self, ms: u64, screen: Arc<Screen>) -> std::io::Result<()> {
        let mut known = self.compared.iter();
        if let Some((look, _)) = known.find(|(_, known)| same_rows(known, &screen)) {
            let look = *look;
            return self.line(&Line::Again { ms, look });
        }
        let dump = self.scrubber.scrub_outside(&screen.to_dump()).into_owned();
        self.line(&Line::Look(LookLine {
            ms,
            dump,
            around: (&*screen).into(),
        }))?;
        self.compared.push_back((self.dumps, screen));
        if self.compared.len() > MAX_COMPARED {
            self.compared.pop_front();
        }
        self.dumps += 1;
        Ok(())
    }

    fn line(&mut self, line: &Line) -> std::io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        self.file.write_all(&bytes)
    }
}
