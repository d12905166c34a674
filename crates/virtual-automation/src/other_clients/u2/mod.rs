//! Server of the Python package `uiautomator2`: JSON-RPC over HTTP, on the virtual phone's tree, pixels,
//! input and clipboard.
//!
//! Methods and fields are those of <https://github.com/openatx/android-uiautomator-server>, and of requests
//! that the package sends. Not implemented: watchers, sounds, and objects that live on the server
//! (`childByText` and the like).

mod dump;
mod error;
mod gestures;
mod methods;
mod object;
mod parameters;
mod selector;
mod server;
#[cfg(test)]
mod tests;

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream};
use tokio_util::sync::CancellationToken;

use self::error::RpcError;
use self::parameters::Parameters;
pub(crate) use self::server::Server;
use crate::http::{self, Answer, Request, Service};
use runner_virtual_device::Fault;
use runner_virtual_device::automation::AutomationServer;

/// Pause between two looks of a wait. Chosen: quick, and cheap in virtual time.
const POLL: Duration = Duration::from_millis(200);
/// Limit for a wait in milliseconds. Chosen: longer than any client asks for.
const MAX_WAIT_MILLIS: u64 = 600_000;

impl AutomationServer for Server {
    fn serve(self: Arc<Self>, stream: DuplexStream) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(Server::serve(self, stream))
    }

    fn ended(&self) -> CancellationToken {
        Server::ended(self)
    }
}

impl Server {
    /// Serves one connection.
    pub(crate) async fn serve<S>(self: Arc<Self>, stream: S)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let ended = self.ended.clone();
        http::serve(self, stream, ended).await;
    }

    /// Answers a call. Waits are loops of short looks, so that a client that disconnects ends them.
    async fn call(self: Arc<Self>, call: RpcCall) -> Result<Value, RpcError> {
        let waits = match call.method.as_str() {
            "waitForExists" => Some(true),
            "waitUntilGone" => Some(false),
            _ => None,
        };
        let Some(wanted) = waits else {
            return self.run(call).await;
        };
        let limit = call.params.number(1).unwrap_or(0.0).max(0.0) as u64;
        let limit = Duration::from_millis(limit.min(MAX_WAIT_MILLIS));
        let begun = (Instant::now(), self.state.elapsed());
        loop {
            let look = RpcCall {
                method: "exist".to_owned(),
                params: call.params.clone(),
            };
            if Arc::clone(&self).run(look).await? == Value::Bool(wanted) {
                return Ok(Value::Bool(true));
            }
            // Measured by the device's time if that is virtual.
            let waited = if self.state.is_realistic() {
                begun.0.elapsed()
            } else {
                self.state.elapsed().saturating_sub(begun.1)
            };
            if waited >= limit {
                return Ok(Value::Bool(false));
            }
            if self.state.is_realistic() {
                tokio::time::sleep(POLL).await;
            } else {
                self.state.pass(POLL);
            }
        }
    }

    /// Runs a method on a thread for blocking work, and remembers a toast from before or after it. A panic in it
    /// is an internal error.
    async fn run(self: Arc<Self>, call: RpcCall) -> Result<Value, RpcError> {
        if methods::is_input(&call.method) && self.state.shows(Fault::HungInput) {
            self.ended.cancelled().await;
        }
        // Blocking work: screenshots take a while, and a realistic device sleeps.
        let answering = tokio::task::spawn_blocking(move || {
            // Time may have passed since the last request.
            self.state.exchange();
            self.record_toast();
            let result = methods::run(&self, &call.method, &call.params);
            self.state.collect_log();
            self.record_toast();
            result
        });
        answering
            .await
            .unwrap_or_else(|error| Err(RpcError::internal(error.to_string())))
    }

    /// Answers a JSON-RPC request; one that does not parse gets an error with the id `null`.
    async fn rpc(self: Arc<Self>, body: &[u8]) -> Value {
        let request: Value = match serde_json::from_slice(body) {
            Ok(request) => request,
            Err(error) => return RpcError::parse(error.to_string()).answer(&Value::Null),
        };
        let id = request.get("id").cloned().unwrap_or(Value::Null);
        let Some(method) = request.get("method").and_then(Value::as_str) else {
            return RpcError::invalid_request().answer(&id);
        };
        let params = request.get("params").cloned().unwrap_or(Value::Null);
        let call = RpcCall {
            method: method.to_owned(),
            params: Parameters::new(params),
        };
        match self.call(call).await {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(error) => error.answer(&id),
        }
    }
}

struct RpcCall {
    method: String,
    params: Parameters,
}

impl Service for Server {
    /// Answers a request, always. The server ends a moment after it answered `/stop`.
    async fn answer(self: Arc<Self>, request: Request) -> Option<Answer> {
        let path = request.path.split('?').next().unwrap_or_default();
        Some(match (request.method.as_str(), path) {
            (_, "/ping") => Answer::new(200, "text/html", "pong"),
            (_, "/stop") => {
                let ended = self.ended.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(15)).await;
                    ended.cancel();
                });
                Answer::new(200, "text/html", "Server stopped!!!")
            }
            ("POST", "/jsonrpc/0") => {
                let answer = self.rpc(&request.body).await;
                Answer::new(200, "application/json", answer.to_string())
            }
            _ => Answer::new(404, "text/plain", "Not Found!!!"),
        })
    }
}
