//! Observers of what a session sees and sends, as it happens.

use std::sync::Arc;

use super::Session;
use runner_device::{Input, Picture};
use runner_screen::{NodeIndex, Screen};

/// Receives what a session sees and sends.
#[async_trait::async_trait]
pub trait Observer: Send + Sync {
    /// A look was taken. Whoever looked waits for this, so it is quick.
    fn saw(&self, screen: &Arc<Screen>);

    /// A screenshot was taken. Whoever took it waits for this, so it is quick.
    fn took(&self, picture: &Picture);

    /// A selector matched these elements of a look, at least one.
    fn found(&self, _screen: &Arc<Screen>, _nodes: &[NodeIndex]) {}

    /// These inputs are about to be sent. They are sent after this.
    async fn before_input(&self, session: &Session, inputs: &[Input]);
}
