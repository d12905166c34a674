//! Placeholder until the server comes.
use crate::state::DeviceState;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
pub(crate) struct Server;
impl Server {
    pub(crate) fn new(_: Arc<DeviceState>) -> Arc<Self> {
        Arc::new(Self)
    }
    pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
        self: Arc<Self>,
        stream: S,
    ) {
        drop(stream);
    }
}
