//! Serves HTTP with limits on the number of connections and on the time that a client takes to send a
//! request.

mod connections;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use connections::Connections;
pub use connections::Visitor;

/// Limits of one connection.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Time for the head of a request. An idle connection ends after it too.
    head: Duration,
    /// Time for the head of the first request, before which nobody knows whether the client may come in.
    first_head: Duration,
}

/// Chosen: browsers send the head at once, so 5 s is only for slow machines; 30 s lets an idle page keep its connection between two requests.
const LIMITS: Limits = Limits {
    head: Duration::from_secs(30),
    first_head: Duration::from_secs(5),
};

/// Bytes of a request's head, and of a body that is read ahead. Chosen: several times the headers of any
/// browser; much less would refuse long cookies, much more would let guests fill the memory.
const MAX_BUFFER_BYTES: usize = 64 * 1024;

/// Pause after the system could not accept a connection. Chosen: long enough not to spin while file
/// descriptors are short, short enough for a person not to notice.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves HTTP/1 until `stop`, and never fails. Running requests then have `grace` to end, and are cut off after it; a
/// dropped future ends all connections. An idle connection ends after 30 s, and one that sends no request after 5 s.
///
/// Each request has a [`Visitor`] in its extensions. The router calls [`admitted`] once the request may pass; a client
/// that is not admitted gets one answer, then its connection ends.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    stop: &CancellationToken,
    grace: Duration,
) {
    serve_within(listener, router, stop, grace, LIMITS).await;
}

/// Serves as [`serve`] does, with these limits for each connection. A connection that cannot be accepted is tried
/// again after `ACCEPT_PAUSE`.
async fn serve_within(
    listener: TcpListener,
    router: Router,
    stop: &CancellationToken,
    grace: Duration,
    limits: Limits,
) {
    let visitors = Arc::new(Connections::default());
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            // The set keeps ended tasks until they are joined.
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let visitor = visitors.enter();
                    connections.spawn(connection(stream, router.clone(), visitor, stop.clone(), limits));
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
        }
    }
    drop(listener);
    let ended = async { while connections.join_next().await.is_some() {} };
    // Requests that take longer are cut off.
    let _ = tokio::time::timeout(grace, ended).await;
}

/// Serves requests of one connection, HTTP/1 only. Ends without an answer if no head of a request arrives in time or
/// newer guests push it out. At `stop` the running request is still answered. Errors are ignored.
async fn connection(
    stream: TcpStream,
    router: Router,
    visitor: Visitor,
    stop: CancellationToken,
    limits: Limits,
) {
    // Answers are small, and a person waits for each.
    let _ = stream.set_nodelay(true);
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(MAX_BUFFER_BYTES);
    let router = router.layer(from_fn_with_state(visitor.clone(), track_visitor));
    let served = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    tokio::pin!(served);
    let late = async {
        tokio::time::sleep(limits.first_head).await;
        if visitor.has_requested() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        _ = served.as_mut() => return,
        () = late => return,
        () = visitor.evicted() => return,
        () = stop.cancelled() => served.as_mut().graceful_shutdown(),
    }
    // An error here is a client that went away.
    let _ = served.await;
}

/// Notes that a request has arrived on the connection, and puts the visitor into its extensions. If the
/// visitor still is a guest after the handlers, the answer gets `Connection: close`. Changes nothing
/// else of it.
async fn track_visitor(
    State(visitor): State<Visitor>,
    mut request: Request,
    next: Next,
) -> Response {
    visitor.set_requested();
    request.extensions_mut().insert(visitor.clone());
    let mut response = next.run(request).await;
    if visitor.is_guest() {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    response
}

/// Moves the connection of a permitted request out of the guests' limit. Returns false if too many
/// connections are admitted. Requests of other servers, without a visitor, return true.
pub fn admitted(request: &Request) -> bool {
    let visitor = request.extensions().get::<Visitor>();
    visitor.is_none_or(Visitor::admit)
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    const WHOLE: &[u8] = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n";

    const LONG: Duration = Duration::from_mins(1);
    const SHORT: Duration = Duration::from_millis(50);

    async fn started(limits: Limits) -> (std::net::SocketAddr, CancellationToken) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
        let known = async |request: Request| {
            assert!(admitted(&request));
            "hello"
        };
        let router = Router::new()
            .route("/", get(known))
            .route("/open", get(async || "hello"));
        let stopped = stop.clone();
        tokio::spawn(async move {
            serve_within(listener, router, &stopped, Duration::ZERO, limits).await;
        });
        (address, stop)
    }

    /// Reads until the server closes the connection, which must be soon.
    async fn read_to_end(stream: &mut TcpStream) -> String {
        let mut answer = Vec::new();
        let reading = stream.read_to_end(&mut answer);
        let read = tokio::time::timeout(Duration::from_secs(3), reading).await;
        assert!(read.is_ok(), "the connection stays open");
        String::from_utf8(answer).unwrap()
    }

    #[tokio::test]
    async fn who_does_not_say_what_it_wants_is_hung_up_on() {
        for limits in [(SHORT, LONG), (LONG, SHORT)] {
            let (head, first_head) = limits;
            let (address, _stop) = started(Limits { head, first_head }).await;
            for part in [&WHOLE[..9], b""] {
                let mut stream = TcpStream::connect(address).await.unwrap();
                stream.write_all(part).await.unwrap();
                assert!(!read_to_end(&mut stream).await.contains("hello"));
            }
        }
    }

    #[tokio::test]
    async fn who_may_pass_is_waited_for_longer() {
        let limits = Limits {
            head: LONG,
            first_head: SHORT,
        };
        let (address, _stop) = started(limits).await;
        let mut stream = TcpStream::connect(address).await.unwrap();
        for _ in 0..2 {
            stream.write_all(WHOLE).await.unwrap();
            let mut answer = vec![0; 4096];
            let read = stream.read(&mut answer).await.unwrap();
            let answer = String::from_utf8_lossy(&answer[..read]).into_owned();
            assert!(answer.ends_with("hello"), "{answer}");
            tokio::time::sleep(3 * SHORT).await;
        }
    }

    #[tokio::test]
    async fn a_guest_gets_one_answer() {
        let (address, _stop) = started(LIMITS).await;
        let mut stream = TcpStream::connect(address).await.unwrap();
        let requested = b"GET /open HTTP/1.1\r\nHost: here\r\n\r\n".repeat(2);
        stream.write_all(&requested).await.unwrap();
        assert_eq!(read_to_end(&mut stream).await.matches("hello").count(), 1);
    }

    #[tokio::test]
    async fn half_open_connections_keep_nobody_out() {
        let (address, _stop) = started(LIMITS).await;
        let mut open = Vec::new();
        for _ in 0..300 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(&WHOLE[..9]).await.unwrap();
            open.push(stream);
        }
        for path in ["/", "/open"] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let requested =
                format!("GET {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n");
            stream.write_all(requested.as_bytes()).await.unwrap();
            assert!(read_to_end(&mut stream).await.ends_with("hello"));
        }
    }

    #[tokio::test]
    async fn stopping_ends_every_connection() {
        let (address, stop) = started(LIMITS).await;
        let mut idle = TcpStream::connect(address).await.unwrap();
        idle.write_all(WHOLE).await.unwrap();
        let mut begun = TcpStream::connect(address).await.unwrap();
        begun.write_all(&WHOLE[..9]).await.unwrap();
        stop.cancel();
        let _ = read_to_end(&mut idle).await;
        assert_eq!(read_to_end(&mut begun).await, "");
        // The listener is closed too.
        assert!(TcpStream::connect(address).await.is_err());
    }
}
