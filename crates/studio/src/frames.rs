//! Keeps the latest pictures, and the history of acts with the pictures before and after each.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use serde::Serialize;

use super::StudioError;
use super::messages::PictureState;
use runner_screen::Screen;

/// Latest pictures kept, even without an act. Chosen: a person clicks on a picture that is at most some
/// seconds old.
const MAX_RECENT: usize = 12;

/// Acts in the history. Chosen: hours of work; it bounds the memory.
const MAX_HISTORY: usize = 5000;

/// Acts, and bytes, whose pictures and rows stay in memory; older ones go to disk. Chosen: a page shows the
/// last some hundred steps.
const MAX_ACTS_IN_MEMORY: usize = 300;
const MAX_MEMORY_BYTES: usize = 64 << 20;

/// Pictures written to disk in one go. Chosen: few, so that the live picture does not wait long.
const MAX_BATCH: usize = 20;

/// Bytes of a node of a screen in memory, roughly. Chosen: an estimate, which only decides when pictures go
/// to disk.
const NODE_BYTES: usize = 200;

/// Picture as a browser receives it.
#[derive(Debug)]
pub(super) struct EncodedPicture {
    pub(super) media_type: &'static str,
    pub(super) bytes: Bytes,
    /// Size of the display in pixels. The picture itself may be smaller.
    pub(super) size: (u32, u32),
}

/// Picture with its rows, once they are read.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) seq: u64,
    pub(super) picture: EncodedPicture,
    /// Time of the picture, in milliseconds since 1970.
    pub(super) captured_ms: u64,
    look: OnceLock<Look>,
    /// Set for a picture that was read from disk.
    completeness: Option<Completeness>,
}

/// Completeness of a picture that was read from disk.
#[derive(Debug)]
pub(super) enum Completeness {
    Complete,
    /// The elements were made from rows, so their nesting is unknown.
    Rows,
    /// There are no elements, for this reason.
    Without(String),
}

/// Elements that were read with a picture.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) screen: Arc<Screen>,
    /// Time that reading them took, in milliseconds.
    pub(super) took: u64,
    /// True if the screen kept moving, so that the elements may be older than the picture.
    pub(super) moving: bool,
}

impl Frame {
    /// Creates a picture that was taken now, without elements; [`Self::read`] sets them.
    pub(super) fn new(seq: u64, picture: EncodedPicture) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            seq,
            picture,
            captured_ms: now.map_or(0, |now| now.as_millis() as u64),
            look: OnceLock::new(),
            completeness: None,
        }
    }

    /// Creates a picture that was read from disk, or recorded. With `is_rows`, its screen was built from
    /// rows, so it knows no nesting. If `look` is an error, the picture has it as the reason why there are no
    /// rows.
    pub(super) fn recorded(
        seq: u64,
        picture: EncodedPicture,
        captured_ms: u64,
        look: Result<Look, StudioError>,
        is_rows: bool,
    ) -> Self {
        let (look, completeness) = match look {
            Ok(look) if is_rows => (OnceLock::from(look), Completeness::Rows),
            Ok(look) => (OnceLock::from(look), Completeness::Complete),
            Err(error) => (OnceLock::new(), Completeness::Without(error.to_string())),
        };
        Self {
            seq,
            picture,
            captured_ms,
            look,
            completeness: Some(completeness),
        }
    }

    /// Returns the completeness of a picture that was read from disk.
    pub(super) fn completeness(&self) -> Option<&Completeness> {
        self.completeness.as_ref()
    }

    /// Returns the elements.
    ///
    /// # Errors
    /// Returns [`StudioError::NotRead`] if they are not read yet, or the reason why a picture from disk has none.
    pub(super) fn known(&self) -> Result<&Look, StudioError> {
        self.look.get().ok_or_else(|| match &self.completeness {
            Some(Completeness::Without(why)) => StudioError::Recorded(why.clone()),
            _ => StudioError::NotRead,
        })
    }

    /// Returns number, size of the display and time for the page, without the picture.
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

    /// Sets the elements. Ignored if they are set already.
    pub(super) fn read(&self, look: Look) {
        let _ = self.look.set(look);
    }

    fn bytes(&self) -> usize {
        self.picture.bytes.len() + self.look().map_or(0, |look| look.screen.len() * NODE_BYTES)
    }
}

/// Act for the page.
#[derive(Debug, Serialize)]
pub(super) struct HistoryLine {
    #[serde(rename = "n")]
    number: u64,
    what: String,
    step: usize,
    /// Numbers of pictures.
    before: Option<u64>,
    after: Option<u64>,
}

#[derive(Debug)]
pub(super) struct HistoryEntry {
    number: u64,
    /// Description for a person.
    what: String,
    /// Index of the recording's step that contains it.
    step: usize,
    before: Option<FramePlace>,
    after: Option<FramePlace>,
}

/// Place of a picture.
#[derive(Debug, Clone)]
enum FramePlace {
    Memory(Arc<Frame>),
    /// On disk, by its number.
    Disk(u64),
}

impl FramePlace {
    /// Returns the number of the picture, in memory or on disk.
    fn seq(&self) -> u64 {
        match self {
            Self::Memory(frame) => frame.seq,
            Self::Disk(seq) => *seq,
        }
    }

    /// Returns the picture if it is in memory; `None` for one on disk, which is not read.
    fn frame(&self) -> Option<&Arc<Frame>> {
        match self {
            Self::Memory(frame) => Some(frame),
            Self::Disk(_) => None,
        }
    }
}

/// Returns the screen of a picture. `None` if it is on disk or its elements are not read.
fn frame_screen(place: &FramePlace) -> Option<Arc<Screen>> {
    let look = place.frame()?.look()?;
    Some(Arc::clone(&look.screen))
}

/// All pictures and acts that are kept.
#[derive(Debug, Default)]
pub(super) struct Frames {
    last_seq: u64,
    /// Number of the last picture of the previously shown device.
    device_switch_seq: u64,
    recent: VecDeque<Arc<Frame>>,
    /// Count of all acts so far, which is the number of the last one.
    done: u64,
    history: VecDeque<HistoryEntry>,
    /// Count of the oldest acts in `history` whose pictures are not in memory any more.
    out: usize,
    /// Pictures that are to be written to disk, oldest first.
    leaving: Vec<Arc<Frame>>,
    /// Number of the newest picture that left memory: two successive acts share a picture.
    newest_moved_seq: u64,
}

impl Frames {
    /// Takes the number for the next picture. Numbers begin at 1, and none is given twice.
    pub(super) fn next(&mut self) -> u64 {
        self.last_seq += 1;
        self.last_seq
    }

    /// Adds the latest picture and drops the oldest beyond `MAX_RECENT`. Pictures of acts stay in the history.
    pub(super) fn add(&mut self, frame: Arc<Frame>) {
        self.recent.push_back(frame);
        if self.recent.len() > MAX_RECENT {
            self.recent.pop_front();
        }
    }

    /// Forgets the latest pictures, as another device is shown now. Pictures with the numbers given so far
    /// are of the earlier one. The history stays.
    pub(super) fn forget_recent(&mut self) {
        self.recent.clear();
        self.device_switch_seq = self.last_seq;
    }

    /// Returns the number up to which pictures are of another device.
    pub(super) fn device_switch_seq(&self) -> u64 {
        self.device_switch_seq
    }

    pub(super) fn last(&self) -> Option<&Arc<Frame>> {
        self.recent.back()
    }

    /// Returns the latest picture whose elements are known. `None` if those of none of the [`MAX_RECENT`] latest
    /// are; the history does not count.
    pub(super) fn last_read(&self) -> Option<&Arc<Frame>> {
        self.recent
            .iter()
            .rev()
            .find(|frame| frame.look().is_some())
    }

    /// Returns the picture with this number if it is in memory: a recent one, one of an act, or one that waits to
    /// be written. `None` for one on disk.
    pub(super) fn find(&self, seq: u64) -> Option<Arc<Frame>> {
        let mut all = self
            .recent
            .iter()
            .chain(self.in_memory())
            .chain(&self.leaving);
        all.find(|frame| frame.seq == seq).cloned()
    }

    /// Returns the pictures of acts in memory, oldest first. One that two acts share comes twice.
    fn in_memory(&self) -> impl DoubleEndedIterator<Item = &Arc<Frame>> {
        let timestamps = self.history.range(self.out.min(self.history.len())..);
        let places = timestamps.flat_map(|entry| [&entry.before, &entry.after]);
        places.flatten().filter_map(FramePlace::frame)
    }

    /// Adds an act to the history, which was done on the picture `before` and is in step `step` of the recording. Drops
    /// no older act; [`Self::settle`] does, and also sets the picture after the act.
    pub(super) fn note(&mut self, what: String, step: usize, before: Option<Arc<Frame>>) {
        self.done += 1;
        self.history.push_back(HistoryEntry {
            number: self.done,
            what,
            step,
            before: before.map(FramePlace::Memory),
            after: None,
        });
    }

    /// Sets the picture that the latest acts led to, as the screen is at rest. All acts since the last call get the
    /// same. Moves old pictures out of memory, and drops the oldest acts beyond [`MAX_HISTORY`]. Returns true if
    /// there were such acts; without them only the limits are kept.
    pub(super) fn settle(&mut self, frame: &Arc<Frame>) -> bool {
        let open = self
            .history
            .iter_mut()
            .rev()
            .take_while(|entry| entry.after.is_none());
        let done = open
            .map(|entry| entry.after = Some(FramePlace::Memory(Arc::clone(frame))))
            .count();
        while self.out < self.history.len()
            && (self.history.len() - self.out > MAX_ACTS_IN_MEMORY
                || self.bytes() > MAX_MEMORY_BYTES)
        {
            self.move_oldest_out();
        }
        while self.history.len() > MAX_HISTORY {
            self.history.pop_front();
            self.out = self.out.saturating_sub(1);
        }
        done > 0
    }

    /// Moves the pictures of the oldest act in memory out of it, to be written to disk. Each picture is moved once.
    /// The act stays in the history. If they are not written fast enough, the oldest are lost.
    fn move_oldest_out(&mut self) {
        let Some(entry) = self.history.get_mut(self.out) else {
            return;
        };
        for place in [&mut entry.before, &mut entry.after] {
            let Some(FramePlace::Memory(frame)) = place else {
                continue;
            };
            let frame = Arc::clone(frame);
            *place = Some(FramePlace::Disk(frame.seq));
            if frame.seq > self.newest_moved_seq {
                self.newest_moved_seq = frame.seq;
                self.leaving.push(frame);
            }
        }
        self.out += 1;
        // They are not written fast enough, so the oldest are lost.
        let more = self.leaving.len().saturating_sub(MAX_ACTS_IN_MEMORY);
        self.leaving.drain(..more);
    }

    /// Returns pictures to write to disk, oldest first, a few at a time.
    pub(super) fn leaving(&self) -> Vec<Arc<Frame>> {
        self.leaving.iter().take(MAX_BATCH).cloned().collect()
    }

    /// Removes pictures that [`Self::leaving`] returned. Others may have come in between; they stay.
    pub(super) fn mark_written(&mut self, written: &[Arc<Frame>]) {
        let is_written = |frame: &Arc<Frame>| written.iter().any(|one| Arc::ptr_eq(one, frame));
        self.leaving.retain(|frame| !is_written(frame));
    }

    /// Returns the bytes of the pictures and rows of acts in memory, roughly. A picture that two successive acts
    /// share counts once.
    fn bytes(&self) -> usize {
        let mut last = 0;
        self.in_memory()
            .filter(|frame| std::mem::replace(&mut last, frame.seq) != frame.seq)
            .map(|frame| frame.bytes())
            .sum()
    }

    /// Returns different screens before and after acts in memory, newest first, at most `max_screens`. Pictures
    /// whose rows were not read are left out. Two reads of an equal screen are different.
    pub(super) fn screens(&self, max_screens: usize) -> Vec<Arc<Screen>> {
        let frames = self.in_memory().rev();
        let mut screens: Vec<Arc<Screen>> = Vec::new();
        for look in frames.filter_map(|frame| frame.look()) {
            if screens.len() == max_screens {
                break;
            }
            if !screens.iter().any(|known| Arc::ptr_eq(known, &look.screen)) {
                screens.push(Arc::clone(&look.screen));
            }
        }
        screens
    }

    /// Returns the screen that the last act led to. `None` if it is not at rest yet or its picture is not in
    /// memory.
    pub(super) fn last_screen(&self) -> Option<Arc<Screen>> {
        let last = self.history.back()?;
        frame_screen(last.after.as_ref()?)
    }

    /// Returns the screen before a step of the recording: before the first of its acts. `None` if there is
    /// none or it is not in memory.
    pub(super) fn screen_before(&self, step: usize) -> Option<Arc<Screen>> {
        let entry = self.history.iter().find(|entry| entry.step == step)?;
        frame_screen(entry.before.as_ref()?)
    }

    /// Returns the acts in these steps of the recording, oldest first, for the page. Empty if there are none in
    /// them or they were dropped.
    pub(super) fn history(&self, steps: std::ops::Range<usize>) -> Vec<HistoryLine> {
        let seq = |place: &Option<FramePlace>| place.as_ref().map(FramePlace::seq);
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
        for _ in 0..MAX_RECENT * 2 {
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
            let leaving = frames.leaving();
            written.extend(leaving.iter().map(|frame| frame.seq));
            frames.mark_written(&leaving);
            assert!(memory_bytes(&frames) <= (MAX_ACTS_IN_MEMORY + MAX_BATCH + 1) * 1000);
        }
        assert_eq!(frames.history.len(), MAX_HISTORY);
        let each_once: Vec<u64> = (1..=written.len() as u64).collect();
        assert_eq!(written, each_once);
        // The history numbers old acts and new ones; only those of the requested steps are returned.
        let reported = frames.history(100..400);
        assert_eq!((reported.len(), reported[0].before), (300, Some(101)));
        assert!(frames.find(101).is_none() && frames.find(acts as u64).is_some());
        assert!(frames.history(0..30).is_empty(), "longer ago than is told");
    }

    #[test]
    fn memory_is_bounded_by_bytes_and_where_nobody_writes() {
        let mut frames = Frames::default();
        for _ in 0..20 {
            let displayed = frame(&mut frames, MAX_MEMORY_BYTES / 8);
            frames.note("tap".to_owned(), 0, None);
            frames.settle(&displayed);
        }
        assert!(frames.bytes() <= MAX_MEMORY_BYTES);
        assert_eq!(frames.history(0..1).len(), 20);
        let mut frames = Frames::default();
        for _ in 0..MAX_ACTS_IN_MEMORY * 3 {
            let current_frame = frame(&mut frames, 1);
            frames.note("tap".to_owned(), 0, Some(Arc::clone(&current_frame)));
            frames.settle(&current_frame);
        }
        assert!(frames.leaving.len() <= MAX_ACTS_IN_MEMORY);
    }
}
