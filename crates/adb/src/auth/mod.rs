//! Keys by which a device recognises a host: their formats and files, and the certificates and TLS settings
//! made from them.
//!
//! Both ends use it: the client signs with a [`PrivateKey`], the device knows a [`PublicKey`]. Source of the
//! forms: AOSP `packages/modules/adb` (`client/auth.cpp`, `crypto/`, `tls/`) and
//! `system/core/libcrypto_utils/android_pubkey.cpp`.

mod files;
mod key;
mod public_key;
mod tls;

pub use files::{HostKeys, Keyring};
pub use key::{GenerateError, KeyError, NoKey, PrivateKey};
pub use public_key::{PublicKey, PublicKeyError};
pub use tls::{TlsError, accept_hosts, client};

/// Bytes of the token that a device gives a host to sign (`TOKEN_SIZE` in AOSP's `adb.h`).
pub const TOKEN_LEN: usize = 20;
/// Prefix of a SHA-1 digest in a PKCS#1 v1.5 signature (RFC 8017, section 9.2). adb's token takes the place
/// of the digest.
const DIGEST_PREFIX: [u8; 15] = [
    0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14,
];

/// Types of an `AUTH` packet, in its first argument (AOSP `protocol.txt`).
pub mod kind {
    /// Token to sign, sent by the device.
    pub const TOKEN: u32 = 1;
    /// Signature of a token, sent by the host.
    pub const SIGNATURE: u32 = 2;
    /// Public key for the device's owner to allow, sent by the host.
    pub const PUBLIC_KEY: u32 = 3;
}

fn scheme() -> rsa::Pkcs1v15Sign {
    rsa::Pkcs1v15Sign {
        hash_len: Some(TOKEN_LEN),
        prefix: Box::new(DIGEST_PREFIX),
    }
}
