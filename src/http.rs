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
    serve_within(listener, router, stop, grace, HEAD).await;
}

async fn serve_within(
    listener: TcpListener,
    router: Router,
    stop: &CancellationToken,
    grace: Duration,
    head: Duration,
) {
    let mut connections = JoinSet::new();
    loop {
        let is_open = connections.len() < CONNECTIONS;
        tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept(), if is_open => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, router.clone(), stop.clone(), head));
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

async fn connection(stream: TcpStream, router: Router, stop: CancellationToken, head: Duration) {
    // Answers are small, and somebody waits for each.
    let _ = stream.set_nodelay(true);
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(head);
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

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    const WHOLE: &[u8] = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n";

    async fn started(head: Duration) -> (std::net::SocketAddr, CancellationToken) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
        let router = Router::new().route("/", get(async || "hello"));
        let stopped = stop.clone();
        tokio::spawn(async move {
            serve_within(listener, router, &stopped, Duration::ZERO, head).await;
        });
        (address, stop)
    }

    async fn rest(stream: &mut TcpStream) -> String {
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8(answer).unwrap()
    }

    #[tokio::test]
    async fn who_does_not_say_what_it_wants_is_hung_up_on() {
        let (address, _stop) = started(Duration::from_millis(50)).await;
        for part in [&WHOLE[..9], b""] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(part).await.unwrap();
            assert!(!rest(&mut stream).await.contains("hello"));
        }
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(WHOLE).await.unwrap();
        assert!(rest(&mut stream).await.ends_with("hello"));
    }

    #[tokio::test]
    async fn stopping_ends_every_connection() {
        let (address, stop) = started(HEAD).await;
        let mut idle = TcpStream::connect(address).await.unwrap();
        idle.write_all(WHOLE).await.unwrap();
        let mut begun = TcpStream::connect(address).await.unwrap();
        begun.write_all(&WHOLE[..9]).await.unwrap();
        stop.cancel();
        let _ = rest(&mut idle).await;
        assert_eq!(rest(&mut begun).await, "");
        // The listener is gone with them.
        assert!(TcpStream::connect(address).await.is_err());
    }
}
