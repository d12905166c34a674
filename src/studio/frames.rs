//! The pictures that were shown lately, and what was done, with the pictures before and after it.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use serde_json::{Value, json};

use super::StudioError;
use crate::screen::Screen;

/// Pictures that are kept though nothing was done on them.
const RECENT: usize = 12;

/// What was done is kept up to so many acts, and so many bytes of their pictures and rows.
const MOST_MOMENTS: usize = 300;
const MOST_BYTES: usize = 64 << 20;

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
    pub(super) taken: u64,
    look: OnceLock<Look>,
    /// Of one that was kept on disk.
    kept: Option<Kept>,
}

/// What is not as it was of a picture that was kept on disk.
#[derive(Debug)]
pub(super) enum Kept {
    /// All is there.
    Whole,
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
            taken: now.map_or(0, |now| now.as_millis() as u64),
            look: OnceLock::new(),
            kept: None,
        }
    }

    /// One that was kept on disk, from `taken` on.
    pub(super) fn recorded(
        seq: u64,
        picture: EncodedPicture,
        taken: u64,
        look: Result<Look, String>,
        is_rows: bool,
    ) -> Self {
        let (look, kept) = match look {
            Ok(look) if is_rows => (OnceLock::from(look), Kept::Rows),
            Ok(look) => (OnceLock::from(look), Kept::Whole),
            Err(why) => (OnceLock::new(), Kept::Without(why)),
        };
        Self {
            seq,
            picture,
            taken,
            look,
            kept: Some(kept),
        }
    }

    /// What is not as it was, of one that was kept on disk.
    pub(super) fn kept(&self) -> Option<&Kept> {
        self.kept.as_ref()
    }

    /// The rows, or why there are none.
    pub(super) fn known(&self) -> Result<&Look, StudioError> {
        self.look.get().ok_or_else(|| match &self.kept {
            Some(Kept::Without(why)) => StudioError::Recorded(why.clone()),
            _ => StudioError::NotRead,
        })
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

/// Something that was done.
#[derive(Debug)]
pub(super) struct Moment {
    number: u64,
    /// What, for a person.
    what: String,
    /// The step of the recording that says it, from 0.
    step: usize,
    before: Option<Arc<Frame>>,
    after: Option<Arc<Frame>>,
}

/// All that is kept.
#[derive(Debug, Default)]
pub(super) struct Frames {
    made: u64,
    recent: VecDeque<Arc<Frame>>,
    done: u64,
    moments: VecDeque<Moment>,
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
        let of_moments = self
            .moments
            .iter()
            .flat_map(|moment| [&moment.before, &moment.after]);
        let mut all = self.recent.iter().chain(of_moments.flatten());
        all.find(|frame| frame.seq == seq).cloned()
    }

    /// Something was done on a picture; it is step number `step` of the recording.
    pub(super) fn note(&mut self, what: String, step: usize, before: Option<Arc<Frame>>) {
        self.done += 1;
        self.moments.push_back(Moment {
            number: self.done,
            what,
            step,
            before,
            after: None,
        });
    }

    /// The screen came to rest: what was done last led to this. Whether anything was.
    pub(super) fn rest(&mut self, frame: &Arc<Frame>) -> bool {
        let open = self
            .moments
            .iter_mut()
            .rev()
            .take_while(|moment| moment.after.is_none());
        let done = open
            .map(|moment| moment.after = Some(Arc::clone(frame)))
            .count();
        while self.moments.len() > MOST_MOMENTS || self.bytes() > MOST_BYTES {
            if self.moments.pop_front().is_none() {
                break;
            }
        }
        done > 0
    }

    fn bytes(&self) -> usize {
        let mut last = 0;
        let frames = self
            .moments
            .iter()
            .flat_map(|moment| [&moment.before, &moment.after]);
        frames
            .flatten()
            .filter(|frame| std::mem::replace(&mut last, frame.seq) != frame.seq)
            .map(|frame| frame.bytes())
            .sum()
    }

    /// The screens of what was done, each once, the newest first.
    pub(super) fn screens(&self, most: usize) -> Vec<Arc<Screen>> {
        let frames = self
            .moments
            .iter()
            .rev()
            .flat_map(|moment| [&moment.after, &moment.before]);
        let mut screens: Vec<Arc<Screen>> = Vec::new();
        for look in frames.flatten().filter_map(|frame| frame.look()) {
            if screens.len() == most {
                break;
            }
            if !screens.iter().any(|known| Arc::ptr_eq(known, &look.screen)) {
                screens.push(Arc::clone(&look.screen));
            }
        }
        screens
    }

    /// What was done, for the page.
    pub(super) fn told(&self) -> Vec<Value> {
        let seq = |frame: &Option<Arc<Frame>>| frame.as_ref().map(|frame| frame.seq);
        let told = self.moments.iter().map(|moment| {
            json!({
                "n": moment.number, "what": moment.what, "step": moment.step,
                "before": seq(&moment.before), "after": seq(&moment.after),
            })
        });
        told.collect()
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
        frames.rest(&after);
        for _ in 0..RECENT * 2 {
            frame(&mut frames, 10);
        }
        assert!(frames.find(1).is_some() && frames.find(2).is_some());
        assert!(frames.find(3).is_none(), "only looked at");
        assert_eq!(frames.told()[0]["after"], 2);
    }

    #[test]
    fn memory_is_bounded() {
        let mut frames = Frames::default();
        for _ in 0..MOST_MOMENTS + 5 {
            let shown = frame(&mut frames, 1);
            frames.note("tap".to_owned(), 0, Some(Arc::clone(&shown)));
            frames.rest(&shown);
        }
        assert_eq!(frames.told().len(), MOST_MOMENTS);
        for _ in 0..20 {
            let shown = frame(&mut frames, MOST_BYTES / 8);
            frames.note("tap".to_owned(), 0, None);
            frames.rest(&shown);
        }
        assert!(frames.bytes() <= MOST_BYTES);
        assert!(!frames.told().is_empty());
    }
}
