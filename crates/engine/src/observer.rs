//! Observers of what a session sees and sends.

use std::sync::Arc;

use super::Session;
use runner_device::{Input, Picture};
use runner_screen::{NodeIndex, Screen};

/// Receives what a session sees and sends, as it happens.
#[async_trait::async_trait]
pub trait Observer: Send + Sync {
    /// Called after a look. The caller of the look waits for it, so it must be quick.
    fn saw(&self, screen: &Arc<Screen>);

    /// Called after a screenshot. The caller waits for it, so it must be quick.
    fn took(&self, picture: &Picture);

    /// Called when a selector matched elements of a look, at least one.
    fn found(&self, _screen: &Arc<Screen>, _nodes: &[NodeIndex]) {}

    /// Called before inputs are sent. They are sent after this returns.
    async fn before_input(&self, session: &Session, inputs: &[Input]);
}
