//! Finds elements by their ids, on a new look or an earlier one.

use std::sync::Arc;

use super::Session;
use crate::EngineError;
use crate::history;
use crate::short_ids::{self, ShortIds};
use runner_screen::{NodeIndex, Screen};

impl Session {
    /// Takes a new look and finds an element by id. Elements of earlier looks are found again by their properties. Does
    /// not wait: an element that is not on this look is [`EngineError::Gone`] if its number was given out, else
    /// [`EngineError::UnknownId`]. Dialogs of rules are answered before, as [`Session::look_for`] does.
    pub async fn element(&self, id: &str) -> Result<(Arc<Screen>, NodeIndex), EngineError> {
        let (screen, found) = self.look_for(|screen| self.on_screen(id, screen)).await?;
        match found.first() {
            Some(index) => Ok((screen, *index)),
            None => Err(self.no_such(id)),
        }
    }

    /// Returns the short ids, which outlive a lost session of the same device.
    pub fn short_ids(&self) -> Arc<ShortIds> {
        self.remembered()
    }

    /// Returns the short id of the element that has this node id on the last look, and gives it one if it has
    /// none. `None` if the element is not there, or is none that may have one.
    pub fn short_id(&self, node_id: &str) -> Option<String> {
        let screen = self.last_screen()?;
        let node = screen.node_by_id(node_id)?.index();
        let numbers = self.short_ids().show(&screen, &[node]);
        numbers.first().map(|number| short_ids::written(*number))
    }

    /// Builds the error for an id without an element. [`EngineError::Gone`] for a number that this session
    /// gave to an element; [`EngineError::UnknownId`] for all others, also for long ids that were once there.
    pub(crate) fn no_such(&self, id: &str) -> EngineError {
        let called = short_ids::number(id).and_then(|number| self.short_ids().called(number));
        let id = id.to_owned();
        match called {
            Some(called) => EngineError::Gone { id, called },
            None => EngineError::UnknownId { id },
        }
    }

    /// Finds the element that has this id on `screen`, or had it on an earlier look and is found again by its
    /// properties. Short numbers are matched among all elements that may have one. `None` for an unknown id
    /// and for an element that is not there. Does not look.
    pub fn on_screen(&self, id: &str, screen: &Screen) -> Option<NodeIndex> {
        if let Some(number) = short_ids::number(id) {
            return self.short_ids().find(number, screen);
        }
        if let Some(node) = screen.node_by_id(id) {
            return Some(node.index());
        }
        let (old, index) = self.observed(id)?;
        history::find_again(old.node(index), screen)
    }

    /// Returns the newest look on which an element had this id, with the element. Only looks that the history
    /// still has count, and for a short number only those that show the same element. `None` if there is
    /// none.
    pub fn observed(&self, id: &str) -> Option<(Arc<Screen>, NodeIndex)> {
        if let Some(number) = short_ids::number(id) {
            let ids = self.short_ids();
            let node_id = ids.node_id(number)?;
            // The same place may hold another element by now.
            return self
                .history()
                .find_where(&node_id, |screen| ids.find(number, screen));
        }
        self.history().find(id)
    }

    /// Finds an element of an earlier look on `screen`, by its id or its properties. `None` if it is not there, or
    /// cannot be told from others. Does not look.
    pub fn find_again(&self, old: &Screen, index: NodeIndex, screen: &Screen) -> Option<NodeIndex> {
        history::find_again(old.node(index), screen)
    }
}
