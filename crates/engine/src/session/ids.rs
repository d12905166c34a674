//! Finds elements by their ids, on a new look or an earlier one.

use std::sync::Arc;

use super::Session;
use crate::EngineError;
use crate::describe::describe;
use crate::history;
use crate::identity::{self, Identity};
use crate::short_ids::{self, ShortIds};
use runner_screen::{NodeIndex, Screen};

impl Session {
    /// Takes a new look and finds an element by id. Elements of earlier looks are found again by their properties. Does
    /// not wait: an element that is not on this look is [`EngineError::Gone`] if its number was given out, or if it
    /// cannot be told from another there, else [`EngineError::UnknownId`]. Dialogs of rules are answered before, as
    /// [`Session::look_for`] does.
    pub async fn element(&self, id: &str) -> Result<(Arc<Screen>, NodeIndex), EngineError> {
        let (screen, found) = self.look_for(|screen| self.on_screen(id, screen)).await?;
        match found.first() {
            Some(index) => Ok((screen, *index)),
            None => Err(self.missing(id, &screen)),
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
            Some(called) => EngineError::Gone {
                id,
                called,
                has_double: false,
            },
            None => EngineError::UnknownId { id },
        }
    }

    /// Builds the error for an id whose element is not found on `screen`: [`EngineError::Gone`] if another there may be
    /// meant, else that of [`Session::no_such`].
    fn missing(&self, id: &str, screen: &Screen) -> EngineError {
        if self.identify(id, screen) == Identity::Unclear
            && let Some((old, index)) = self.observed(id)
        {
            let number = short_ids::number(id);
            let called = number.and_then(|number| self.short_ids().called(number));
            return EngineError::Gone {
                id: id.to_owned(),
                called: called.unwrap_or_else(|| describe(old.node(index))),
                has_double: true,
            };
        }
        self.no_such(id)
    }

    /// Finds the element that has this id on `screen`, or had it on an earlier look and is found again by its
    /// properties. Short numbers are matched among all elements that may have one. `None` for an unknown id,
    /// for an element that is not there, and if others look the same and nothing tells which it is. Does not look.
    pub fn on_screen(&self, id: &str, screen: &Screen) -> Option<NodeIndex> {
        match self.identify(id, screen) {
            Identity::Found(index) => Some(index),
            Identity::Unclear | Identity::Gone => None,
        }
    }

    /// Finds the element as [`Session::on_screen`] does, and tells what is not there from what is not clear.
    fn identify(&self, id: &str, screen: &Screen) -> Identity {
        let Some(number) = short_ids::number(id) else {
            // The place of an id may hold another element by now.
            let earlier = self.history().find_before(screen, id);
            return match (earlier, screen.node_by_id(id)) {
                (Some((old, index)), _) => identity::identify(old.node(index), screen),
                (None, Some(node)) => Identity::Found(node.index()),
                (None, None) => Identity::Gone,
            };
        };
        let found = self.short_ids().find(number, screen);
        let earlier = self.observed(id);
        let earlier = earlier.filter(|(old, _)| old.foreground() == screen.foreground());
        match (found, earlier) {
            (Some(found), Some((old, index)))
                if identity::has_strayed(old.node(index), screen.node(found)) =>
            {
                Identity::Unclear
            }
            (Some(found), _) => Identity::Found(found),
            (None, Some((old, index))) => identity::follow(old.node(index), screen),
            (None, None) => Identity::Gone,
        }
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

    /// Finds an element of an earlier look on `screen`, as an id that a caller gives. `None` if it is not there, or if
    /// another that looks the same may be meant. Does not look.
    pub fn find_named(&self, old: &Screen, index: NodeIndex, screen: &Screen) -> Option<NodeIndex> {
        match identity::identify(old.node(index), screen) {
            Identity::Found(index) => Some(index),
            Identity::Unclear | Identity::Gone => None,
        }
    }

    /// Finds an element of an earlier look on `screen`, by its id or its properties, for an act that follows its own
    /// element. `None` if it is not there, or cannot be told from others; of equal ones in the same number it is the
    /// one at the same index. Does not look.
    pub fn find_again(&self, old: &Screen, index: NodeIndex, screen: &Screen) -> Option<NodeIndex> {
        history::find_again(old.node(index), screen)
    }
}
