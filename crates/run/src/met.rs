//! What an attempt meets on the screens of the app: activities, ids and texts, a bounded part of them. The history keeps it,
//! so that a later run can tell which flows a changed line of code may concern.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use runner_device::{Input, Picture};
use runner_engine::{Observer, Session};
use runner_event::Met;
use runner_screen::{Node, Screen};

/// Activities of one attempt.
const MOST_SCREENS: usize = 20;
/// Ids of one attempt.
const MOST_IDS: usize = 120;
/// Texts of one attempt: with the others two hundred.
const MOST_TEXTS: usize = 60;
/// Characters of a name or text. A longer one is no label; it is left out whole, for a part of it may be part of a secret.
const LONGEST: usize = 60;
/// Letters of a text: a shorter one stands in most lines of code.
const LEAST_LETTERS: usize = 3;

/// Notes what one attempt meets.
#[derive(Default)]
pub(crate) struct MetRecorder(Mutex<MetNames>);

#[derive(Default)]
struct MetNames {
    screens: BTreeSet<String>,
    ids: BTreeSet<String>,
    texts: BTreeSet<String>,
}

impl MetRecorder {
    /// What was met until now; nothing where no screen was looked at.
    pub(crate) fn met(&self) -> Box<Met> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let list = |names: &BTreeSet<String>| names.iter().cloned().collect();
        Box::new(Met {
            screens: list(&seen.screens),
            ids: list(&seen.ids),
            texts: list(&seen.texts),
        })
    }
}

impl MetNames {
    fn is_full(&self) -> bool {
        self.screens.len() >= MOST_SCREENS
            && self.ids.len() >= MOST_IDS
            && self.texts.len() >= MOST_TEXTS
    }

    fn add(&mut self, node: Node<'_>) {
        // The system's own windows are no part of the app.
        if node.package() == "com.android.systemui" {
            return;
        }
        if !node.resource_id().starts_with("android:") {
            keep(&mut self.ids, node.resource_name(), MOST_IDS);
        }
        if node.flags().password {
            return;
        }
        for text in [node.text(), node.desc(), node.hint()] {
            if text.chars().filter(|c| c.is_alphabetic()).count() >= LEAST_LETTERS {
                keep(&mut self.texts, text, MOST_TEXTS);
            }
        }
    }
}

fn keep(names: &mut BTreeSet<String>, name: &str, most: usize) {
    let name = name.trim();
    let is_short = !name.is_empty() && name.chars().count() <= LONGEST && !name.contains('\n');
    if is_short && names.len() < most && !names.contains(name) {
        names.insert(name.to_owned());
    }
}

#[async_trait::async_trait]
impl Observer for MetRecorder {
    fn saw(&self, screen: &Arc<Screen>) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.is_full() {
            return;
        }
        if let Some((_, activity)) = screen.foreground() {
            let name = activity.rsplit_once('.').map_or(activity, |(_, name)| name);
            keep(&mut seen.screens, name, MOST_SCREENS);
        }
        for node in screen.nodes() {
            seen.add(node);
        }
    }

    fn took(&self, _: &Picture) {}

    async fn before_input(&self, _: &Session, _: &[Input]) {}
}
