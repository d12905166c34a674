//! TLS server with a self-made certificate.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Answers one request over TLS with a certificate that nobody signed; at `/slow` it never answers.
pub fn serve_over_tls() -> SocketAddr {
    let pem = include_bytes!("../fixtures/self-signed.pem");
    let certificate = CertificateDer::from_pem_slice(pem).expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(pem).expect("a key");
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(
        rustls::crypto::ring::default_provider(),
    ))
    .with_safe_default_protocol_versions()
    .expect("TLS")
    .with_no_client_auth()
    .with_single_cert(vec![certificate], key)
    .expect("a server");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    std::thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            let mut tls = rustls::ServerConnection::new(Arc::clone(&config)).expect("a connection");
            let mut stream = rustls::Stream::new(&mut tls, &mut socket);
            let mut request = [0; 2048];
            let read = stream.read(&mut request).unwrap_or(0);
            if request[..read].starts_with(b"GET /slow") {
                std::thread::sleep(std::time::Duration::from_secs(20));
            }
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
        }
    });
    address
}
