//! The pictures that were shown lately, and what was done, with the pictures before and after it.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use serde::Serialize;

use super::StudioError;
use super::messages::PictureState;
use runner_screen::Screen;

/// Pictures that are kept though nothing was done on them.
const RECENT: usize = 12;

/// Maximum number of acts in the history.
const MAX_HISTORY: usize = 5000;

/// Of so many acts, and up to so many bytes, the pictures and rows are in memory; then on disk.
const IN_MEMORY: usize = 300;
const MOST_BYTES: usize = 64 << 20;

/// Pictures that go to the disk at once.
const AT_ONCE: usize = 20;

/// What a node of a screen takes in memory, roughly.
const NODE: usize = 200;

/// A picture as a browser gets it.
#[derive(Debug)]
pub(super) struct EncodedPicture {
    pub(super) media_type: &'static str,
    pub(super) bytes: Bytes,
    /// Pixels of the display, which the bytes may have fewer of.
    pub(super) size: (u32, u32),
}

/// One picture, and the rows that were read with it once they are.
#[derive(Debug)]
pub(super) struct Frame {
    /// Its number.
    pub(super) seq: u64,
    pub(super) picture: EncodedPicture,
    /// Milliseconds since 1970.
    pub(super) captured_ms: u64,
    look: OnceLock<Look>,
    /// Of one that was kept on disk.
    stored: Option<Stored>,
}

/// What is not as it was of a picture that was kept on disk.
#[derive(Debug)]
pub(super) enum Stored {
    /// All is there.
    Complete,
    /// Rows are, and not what is inside what.
    Rows,
    /// Why there are no rows.
    Without(String),
}

/// The rows of a picture.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) screen: Arc<Screen>,
    /// How long it took, in milliseconds.
    pub(super) took: u64,
    /// The screen never stood still: the rows may be of a moment before the picture.
    pub(super) moving: bool,
}

impl Frame {
    pub(super) fn new(seq: u64, picture: EncodedPicture) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            seq,
            picture,
            captured_ms: now.map_or(0, |now| now.as_millis() as u64),
            look: OnceLock::new(),
            stored: None,
        }
    }

    /// One that was kept on disk, captured at `captured_ms`.
    pub(super) fn recorded(
        seq: u64,
        picture: EncodedPicture,
        captured_ms: u64,
        look: Result<Look, StudioError>,
        is_rows: bool,
    ) -> Self {
        let (look, retained) = match look {
            Ok(look) if is_rows => (OnceLock::from(look), Stored::Rows),
            Ok(look) => (OnceLock::from(look), Stored::Complete),
            Err(error) => (OnceLock::new(), Stored::Without(error.to_string())),
        };
        Self {
            seq,
            picture,
            captured_ms,
            look,
            stored: Some(retained),
        }
    }

    /// What is not as it was, of one that was kept on disk.
    pub(super) fn stored(&self) -> Option<&Stored> {
        self.stored.as_ref()
    }

    /// The rows, or why there are none.
    pub(super) fn known(&self) -> Result<&Look, StudioError> {
        self.look.get().ok_or_else(|| match &self.stored {
            Some(Stored::Without(why)) => StudioError::Recorded(why.clone()),
            _ => StudioError::NotRead,
        })
    }

    /// For the page.
    pub(super) fn state(&self) -> PictureState {
        PictureState {
            seq: self.seq,
            size: self.picture.size,
            captured_ms: self.captured_ms,
        }
    }

    pub(super) fn look(&self) -> Option<&Look> {
        self.look.get()
    }

    /// The rows, once.
    pub(super) fn read(&self, look: Look) {
        let _ = self.look.set(look);
    }

    fn bytes(&self) -> usize {
        self.picture.bytes.len() + self.look().map_or(0, |look| look.screen.len() * NODE)
    }
}

/// Something that was done, as pages receive it.
#[derive(Debug, Serialize)]
pub(super) struct HistoryLine {
    #[serde(rename = "n")]
    number: u64,
    what: String,
    step: usize,
    /// Pictures, by number.
    before: Option<u64>,
    after: Option<u64>,
}

/// Something that was done.
#[derive(Debug)]
pub(super) struct HistoryEntry {
    number: u64,
    /// What, for a person.
    what: String,
    /// The step of the recording that says it, from 0.
    step: usize,
    before: Option<Place>,
    after: Option<Place>,
}

/// Where a picture is.
#[derive(Debug, Clone)]
enum Place {
    Memory(Arc<Frame>),
    /// It left memory; its number.
    Disk(u64),
}

impl Place {
    fn seq(&self) -> u64 {
        match self {
            Self::Memory(frame) => frame.seq,
            Self::Disk(seq) => *seq,
        }
    }

    fn frame(&self) -> Option<&Arc<Frame>> {
        match self {
            Self::Memory(frame) => Some(frame),
            Self::Disk(_) => None,
        }
    }
}

fn screen_of(place: &Place) -> Option<Arc<Screen>> {
    let look = place.frame()?.look()?;
    Some(Arc::clone(&look.screen))
}

/// All that is kept.
#[derive(Debug, Default)]
pub(super) struct Frames {
    made: u64,
    /// The last picture of a device that was shown before.
    device_switch_seq: u64,
    recent: VecDeque<Arc<Frame>>,
    done: u64,
    history: VecDeque<HistoryEntry>,
    /// So many of the moments, the oldest, are not in memory.
    out: usize,
    /// On the way from memory to the disk, the oldest first.
    leaving: Vec<Arc<Frame>>,
    /// The newest that left: two acts share the picture between them.
    newest_out: u64,
}

impl Frames {
    /// The number of the next picture.
    pub(super) fn next(&mut self) -> u64 {
        self.made += 1;
        self.made
    }

    pub(super) fn add(&mut self, frame: Arc<Frame>) {
        self.recent.push_back(frame);
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
    }

    /// Another device is shown: what was seen of the one before is not a picture of it.
    pub(super) fn forget_recent(&mut self) {
        self.recent.clear();
        self.device_switch_seq = self.made;
    }

    /// Pictures up to this number are not of the device that is shown.
    pub(super) fn device_switch_seq(&self) -> u64 {
        self.device_switch_seq
    }

    pub(super) fn last(&self) -> Option<&Arc<Frame>> {
        self.recent.back()
    }

    /// The last picture whose rows are known.
    pub(super) fn last_read(&self) -> Option<&Arc<Frame>> {
        self.recent
            .iter()
            .rev()
            .find(|frame| frame.look().is_some())
    }

    pub(super) fn find(&self, seq: u64) -> Option<Arc<Frame>> {
        let mut all = self
            .recent
            .iter()
            .chain(self.in_memory())
            .chain(&self.leaving);
        all.find(|frame| frame.seq == seq).cloned()
    }

    /// The pictures of what was done, the oldest first; one that two acts share comes twice.
    fn in_memory(&self) -> impl DoubleEndedIterator<Item = &Arc<Frame>> {
        let timestamps = self.history.range(self.out.min(self.history.len())..);
        let places = timestamps.flat_map(|entry| [&entry.before, &entry.after]);
        places.flatten().filter_map(Place::frame)
    }

    /// Something was done on a picture; it is step number `step` of the recording.
    pub(super) fn note(&mut self, what: String, step: usize, before: Option<Arc<Frame>>) {
        self.done += 1;
        self.history.push_back(HistoryEntry {
            number: self.done,
            what,
            step,
            before: before.map(Place::Memory),
            after: None,
        });
    }

    /// The screen came to rest: what was done last led to this. Whether anything was.
    pub(super) fn settle(&mut self, frame: &Arc<Frame>) -> bool {
        let open = self
            .history
            .iter_mut()
            .rev()
            .take_while(|entry| entry.after.is_none());
        let done = open
            .map(|entry| entry.after = Some(Place::Memory(Arc::clone(frame))))
            .count();
        while self.out < self.history.len()
            && (self.history.len() - self.out > IN_MEMORY || self.bytes() > MOST_BYTES)
        {
            self.leave();
        }
        while self.history.len() > MAX_HISTORY {
            self.history.pop_front();
            self.out = self.out.saturating_sub(1);
        }
        done > 0
    }

    /// The oldest moment in memory leaves it.
    fn leave(&mut self) {
        let Some(entry) = self.history.get_mut(self.out) else {
            return;
        };
        for place in [&mut entry.before, &mut entry.after] {
            let Some(Place::Memory(frame)) = place else {
                continue;
            };
            let frame = Arc::clone(frame);
            *place = Some(Place::Disk(frame.seq));
            if frame.seq > self.newest_out {
                self.newest_out = frame.seq;
                self.leaving.push(frame);
            }
        }
        self.out += 1;
        // Nobody writes them fast enough: they are not kept.
        let more = self.leaving.len().saturating_sub(IN_MEMORY);
        self.leaving.drain(..more);
    }

    /// What is to be written to the disk, the oldest first, and few at once.
    pub(super) fn leaving(&self) -> Vec<Arc<Frame>> {
        self.leaving.iter().take(AT_ONCE).cloned().collect()
    }

    /// What [`Self::leaving`] gave is written.
    pub(super) fn mark_written(&mut self) {
        let written = self.leaving.len().min(AT_ONCE);
        self.leaving.drain(..written);
    }

    fn bytes(&self) -> usize {
        let mut last = 0;
        self.in_memory()
            .filter(|frame| std::mem::replace(&mut last, frame.seq) != frame.seq)
            .map(|frame| frame.bytes())
            .sum()
    }

    /// The screens of what was done, each once, the newest first.
    pub(super) fn screens(&self, most: usize) -> Vec<Arc<Screen>> {
        let frames = self.in_memory().rev();
        let mut screens: Vec<Arc<Screen>> = Vec::new();
        for look in frames.filter_map(|frame| frame.look()) {
            if screens.len() == most {
                break;
            }
            if !screens.iter().any(|known| Arc::ptr_eq(known, &look.screen)) {
                screens.push(Arc::clone(&look.screen));
            }
        }
        screens
    }

    /// The screen to which what was done last led.
    pub(super) fn last_screen(&self) -> Option<Arc<Screen>> {
        let last = self.history.back()?;
        screen_of(last.after.as_ref()?)
    }

    /// The screen on which this step of the recording was done, while it is in memory.
    pub(super) fn screen_before(&self, step: usize) -> Option<Arc<Screen>> {
        let entry = self.history.iter().find(|entry| entry.step == step)?;
        screen_of(entry.before.as_ref()?)
    }

    /// What was done in these steps of the recording, for the page.
    pub(super) fn history(&self, steps: std::ops::Range<usize>) -> Vec<HistoryLine> {
        let seq = |place: &Option<Place>| place.as_ref().map(Place::seq);
        let entries = self.history.iter();
        let wanted = entries.filter(|entry| steps.contains(&entry.step));
        let lines = wanted.map(|entry| HistoryLine {
            number: entry.number,
            what: entry.what.clone(),
            step: entry.step,
            before: seq(&entry.before),
            after: seq(&entry.after),
        });
        lines.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(frames: &mut Frames, bytes: usize) -> Arc<Frame> {
        let picture = EncodedPicture {
            media_type: "image/png",
            bytes: vec![0; bytes].into(),
            size: (1, 1),
        };
        let frame = Arc::new(Frame::new(frames.next(), picture));
        frames.add(Arc::clone(&frame));
        frame
    }

    #[test]
    fn what_was_done_keeps_its_pictures() {
        let mut frames = Frames::default();
        let before = frame(&mut frames, 10);
        frames.note("tap".to_owned(), 0, Some(before));
        let after = frame(&mut frames, 10);
        frames.settle(&after);
        for _ in 0..RECENT * 2 {
            frame(&mut frames, 10);
        }
        assert!(frames.find(1).is_some() && frames.find(2).is_some());
        assert!(frames.find(3).is_none(), "only looked at");
        assert_eq!(frames.history(0..1)[0].after, Some(2));
    }

    #[test]
    fn what_another_device_showed_is_told_apart() {
        let mut frames = Frames::default();
        let old = frame(&mut frames, 10);
        frames.note("tap".to_owned(), 0, Some(Arc::clone(&old)));
        frames.forget_recent();
        let new = frame(&mut frames, 10);
        assert!(frames.find(old.seq).is_some(), "it is of what was done");
        assert!(old.seq <= frames.device_switch_seq() && frames.device_switch_seq() < new.seq);
    }

    fn memory_bytes(frames: &Frames) -> usize {
        let leaving: usize = frames.leaving.iter().map(|frame| frame.bytes()).sum();
        frames.bytes() + leaving
    }

    #[test]
    fn a_recording_of_thousands_of_acts_stays_bounded_and_old_pictures_leave_in_order() {
        let mut frames = Frames::default();
        let mut written = Vec::new();
        let acts = MAX_HISTORY + 50;
        let mut before = frame(&mut frames, 1000);
        for act in 0..acts {
            frames.note("tap".to_owned(), act, Some(before));
            before = frame(&mut frames, 1000);
            frames.settle(&before);
            written.extend(frames.leaving().iter().map(|frame| frame.seq));
            frames.mark_written();
            assert!(memory_bytes(&frames) <= (IN_MEMORY + AT_ONCE + 1) * 1000);
        }
        assert_eq!(frames.history.len(), MAX_HISTORY);
        let each_once: Vec<u64> = (1..=written.len() as u64).collect();
        assert_eq!(written, each_once);
        // The history has the numbers of old acts and of the newest; no more than those of the steps asked for.
        let reported = frames.history(100..400);
        assert_eq!((reported.len(), reported[0].before), (300, Some(101)));
        assert!(frames.find(101).is_none() && frames.find(acts as u64).is_some());
        assert!(frames.history(0..30).is_empty(), "longer ago than is told");
    }

    #[test]
    fn memory_is_bounded_by_bytes_and_where_nobody_writes() {
        let mut frames = Frames::default();
        for _ in 0..20 {
            let displayed = frame(&mut frames, MOST_BYTES / 8);
            frames.note("tap".to_owned(), 0, None);
            frames.settle(&displayed);
        }
        assert!(frames.bytes() <= MOST_BYTES);
        assert_eq!(frames.history(0..1).len(), 20);
        let mut frames = Frames::default();
        for _ in 0..IN_MEMORY * 3 {
            let current_frame = frame(&mut frames, 1);
            frames.note("tap".to_owned(), 0, Some(Arc::clone(&current_frame)));
            frames.settle(&current_frame);
        }
        assert!(frames.leaving.len() <= IN_MEMORY);
    }
}
