//! Records activities, ids and texts that an attempt sees on the app's screens, up to a limit of each. The
//! history keeps them, so that a later run can tell which flows a changed line of code may concern.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use runner_device::{Input, Picture};
use runner_engine::{Observer, Session};
use runner_event::ScreenNames;
use runner_screen::{Node, Screen};

/// Chosen: activities of one attempt. A flow rarely visits more.
const MAX_SCREENS: usize = 20;
/// Chosen: ids of one attempt, to keep the history's files small.
const MAX_IDS: usize = 120;
/// Chosen: texts of one attempt. With activities and ids there are at most two hundred names.
const MAX_TEXTS: usize = 60;
/// Chosen: characters of a name or text. A longer one is no label. It is left out and not cut, as its
/// beginning may be part of a secret that the mask does not know.
const MAX_NAME_CHARS: usize = 60;
/// Chosen: letters of a text. A shorter one occurs in most lines of code.
const MIN_LETTERS: usize = 3;

/// Records the names and texts that one attempt sees.
#[derive(Default)]
pub(crate) struct ScreenNameRecorder(Mutex<NameSets>);

#[derive(Default)]
struct NameSets {
    screens: BTreeSet<String>,
    ids: BTreeSet<String>,
    texts: BTreeSet<String>,
}

impl ScreenNameRecorder {
    /// Returns a copy of the names recorded so far: screens, ids and texts, each in alphabetical order.
    pub(crate) fn met(&self) -> Box<ScreenNames> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let list = |names: &BTreeSet<String>| names.iter().cloned().collect();
        Box::new(ScreenNames {
            screens: list(&seen.screens),
            ids: list(&seen.ids),
            texts: list(&seen.texts),
        })
    }
}

impl NameSets {
    fn is_full(&self) -> bool {
        self.screens.len() >= MAX_SCREENS
            && self.ids.len() >= MAX_IDS
            && self.texts.len() >= MAX_TEXTS
    }

    /// Adds an element's id and texts, as far as there is room. Left out are Android's own ids, the system's windows,
    /// the texts of password fields, and texts with fewer than 3 letters.
    fn add(&mut self, node: Node<'_>) {
        // Windows of the system do not belong to the app.
        if node.package() == "com.android.systemui" {
            return;
        }
        if !node.resource_id().starts_with("android:") {
            keep(&mut self.ids, node.resource_name(), MAX_IDS);
        }
        if node.flags().password {
            return;
        }
        for text in [node.text(), node.desc(), node.hint()] {
            if text.chars().filter(|c| c.is_alphabetic()).count() >= MIN_LETTERS {
                keep(&mut self.texts, text, MAX_TEXTS);
            }
        }
    }
}

/// Adds a trimmed name, unless it is empty, longer than 60 characters, of several lines, or there are `most` names
/// already.
fn keep(names: &mut BTreeSet<String>, name: &str, most: usize) {
    let name = name.trim();
    let is_short =
        !name.is_empty() && name.chars().count() <= MAX_NAME_CHARS && !name.contains('\n');
    if is_short && names.len() < most && !names.contains(name) {
        names.insert(name.to_owned());
    }
}

#[async_trait::async_trait]
impl Observer for ScreenNameRecorder {
    /// Adds the names of a screen, as far as there is room: of its activity, without the package, and of all elements.
    fn saw(&self, screen: &Arc<Screen>) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.is_full() {
            return;
        }
        if let Some((_, activity)) = screen.foreground() {
            let name = activity.rsplit_once('.').map_or(activity, |(_, name)| name);
            keep(&mut seen.screens, name, MAX_SCREENS);
        }
        for node in screen.nodes() {
            seen.add(node);
        }
    }

    fn took(&self, _: &Picture) {}

    async fn before_input(&self, _: &Session, _: &[Input]) {}
}
