//! Placeholder until the server comes.
use crate::state::DeviceState;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
pub(crate) struct UiAutomator2Server(CancellationToken);
impl UiAutomator2Server {
    pub(crate) fn new(_: Arc<DeviceState>) -> Arc<Self> {
        Arc::new(Self(CancellationToken::new()))
    }
    pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
        self: Arc<Self>,
        stream: S,
    ) {
        use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _};
        let mut stream = tokio::io::BufReader::new(stream);
        let mut line = String::new();
        while stream.read_line(&mut line).await.is_ok_and(|read| read > 0) {
            if line.starts_with("DELETE") {
                self.0.cancel();
            }
            let _ = stream.get_mut().write_all(line.as_bytes()).await;
            line.clear();
        }
    }
    pub(crate) fn ended(&self) -> CancellationToken {
        self.0.clone()
    }
    pub(crate) fn disconnect_automation(&self) {}
}
