//! Keys by which a device knows a host: their forms, the files they are in, certificates and TLS made of them.
//!
//! Both ends use it: the client signs with a [`PrivateKey`], the device knows a [`PublicKey`].
//! Source of the forms: AOSP `packages/modules/adb` (`client/auth.cpp`, `crypto/`, `tls/`) and
//! `system/core/libcrypto_utils/android_pubkey.cpp`.

mod files;
mod key;
mod public_key;
mod tls;

pub use files::{HostKeys, Keyring};
pub use key::{GenerateError, KeyError, NoKey, PrivateKey};
pub use public_key::{PublicKey, PublicKeyError};
pub use tls::{TlsError, accept_hosts, client};

/// Bytes of the token that a device gives a host to sign.
pub const TOKEN_LEN: usize = 20;
/// What begins a SHA-1 digest in a signature by PKCS#1 v1.5. The token stands where the digest would.
const DIGEST_PREFIX: [u8; 15] = [
    0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14,
];

/// What an `AUTH` packet carries, in its first argument.
pub mod kind {
    /// A token, from the device.
    pub const TOKEN: u32 = 1;
    /// A token's signature, from the host.
    pub const SIGNATURE: u32 = 2;
    /// A public key for the device's owner to allow, from the host.
    pub const PUBLIC_KEY: u32 = 3;
}

fn scheme() -> rsa::Pkcs1v15Sign {
    rsa::Pkcs1v15Sign {
        hash_len: Some(TOKEN_LEN),
        prefix: Box::new(DIGEST_PREFIX),
    }
}
