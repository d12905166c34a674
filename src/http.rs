//! Serving HTTP with limits: on how long a client may take to say what it wants, and on how many there are.

use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The head of a request is there within this, else its connection ends; so does one on which nothing is asked.
const HEAD: Duration = Duration::from_secs(30);

/// So many connections at once; others wait for one of them to end.
const CONNECTIONS: usize = 256;

/// How long nobody is let in after the system could not take a connection: when files are short, those that end help.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until `stop`; requests that go on then have `grace` to end. Dropping it ends all connections.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    stop: &CancellationToken,
    grace: Duration,
) {
    let mut connections = JoinSet::new();
    loop {
        let is_open = connections.len() < CONNECTIONS;
        tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept(), if is_open => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, router.clone(), stop.clone()));
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
        }
    }
    drop(listener);
    let ended = async { while connections.join_next().await.is_some() {} };
    // What is late is cut off.
    let _ = tokio::time::timeout(grace, ended).await;
}

async fn connection(stream: TcpStream, router: Router, stop: CancellationToken) {
    // Answers are small, and somebody waits for each.
    let _ = stream.set_nodelay(true);
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD);
    let service = TowerToHyperService::new(router);
    let served = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(served);
    tokio::select! {
        _ = served.as_mut() => return,
        () = stop.cancelled() => served.as_mut().graceful_shutdown(),
    }
    // An error here is a client that went away.
    let _ = served.await;
}
