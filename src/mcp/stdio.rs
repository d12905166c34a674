//! One client over standard input and output.

use std::sync::Arc;

use rmcp::ServiceExt as _;

use super::{Server, Toolbox};

/// Serves until the client is gone.
///
/// # Errors
/// Where the client does not speak the protocol.
pub async fn serve_stdio(toolbox: Arc<dyn Toolbox>) -> Result<(), std::io::Error> {
    let transport = rmcp::transport::io::stdio();
    let service = Server::new(toolbox)
        .serve(transport)
        .await
        .map_err(|error| std::io::Error::other(error.to_string()))?;
    service
        .waiting()
        .await
        .map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(())
}
