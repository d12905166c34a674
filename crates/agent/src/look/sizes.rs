//! Measures the length of looks, for the benchmark and the tests.

use std::sync::Arc;

use super::{LookHistory, View, ViewOptions};
use runner_engine::short_ids::ShortIds;
use runner_screen::{DisplayContext, Screen};
use runner_text::secret::without_secrets;
use runner_tools::Caller;

/// Replacement for one text of a screen.
const OTHER_TEXT: &str = "Something else";

/// Characters of the answers for one screen.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// Characters of the first look.
    pub look: usize,
    /// Characters of the longest `runner_changes` answer after any one text of the screen changed.
    pub largest_change: usize,
}

impl Sizes {
    /// Measures the looks of a dump: the characters of the whole look, and of the longest change that another
    /// text of one element causes. `None` if the dump cannot be parsed.
    pub fn measure(dump: &str) -> Option<Self> {
        let read = |dump: &str| Screen::parse(dump.as_bytes(), &DisplayContext::default()).ok();
        let before = read(dump)?;
        let displayed = |text: String| without_secrets(&text).chars().count();
        let look = View::new(&ShortIds::default(), &before);
        let look = displayed(look.write("look 1", ViewOptions::default()));
        let mut largest_change = 0;
        for changed in with_one_other_text(dump) {
            let ids = ShortIds::default();
            let looks = LookHistory::default();
            let caller = Caller::default();
            looks.add(Arc::new(View::new(&ids, &before)), &caller);
            let now = Arc::new(View::new(&ids, &read(&changed)?));
            largest_change = largest_change.max(displayed(looks.changes(&now, None, &caller)));
        }
        Some(Self {
            look,
            largest_change,
        })
    }
}

/// Returns copies of the dump, each with another one of its non-empty texts replaced by [`OTHER_TEXT`].
fn with_one_other_text(dump: &str) -> impl Iterator<Item = String> {
    const BEGIN: &str = " text=\"";
    dump.match_indices(BEGIN).filter_map(move |(at, _)| {
        let (before, rest) = dump.split_at(at + BEGIN.len());
        let end = rest.find('"')?;
        (end > 0).then(|| format!("{before}{OTHER_TEXT}{}", &rest[end..]))
    })
}
