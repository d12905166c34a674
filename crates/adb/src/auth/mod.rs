//! Keys by which a device recognises a host: their formats and files, and the certificates and TLS settings
//! made from them.
//!
//! Both ends use it: the client signs with a [`PrivateKey`], the device knows a [`PublicKey`]. Source of the
//! forms: AOSP `packages/modules/adb` (`client/auth.cpp`, `crypto/`, `tls/`) and
//! `system/core/libcrypto_utils/android_pubkey.cpp`.

mod files;
mod key;
mod public_key;
mod signature;
mod tls;

pub use files::{HostKeys, Keyring};
pub use key::{GenerateError, KeyError, NoKey, PrivateKey};
pub use public_key::{PublicKey, PublicKeyError};
pub use signature::TOKEN_LEN;
pub use tls::{TlsError, accept_hosts, client};

/// Types of an `AUTH` packet, in its first argument (AOSP `protocol.txt`).
pub mod kind {
    /// Token to sign, sent by the device.
    pub const TOKEN: u32 = 1;
    /// Signature of a token, sent by the host.
    pub const SIGNATURE: u32 = 2;
    /// Public key for the device's owner to allow, sent by the host.
    pub const PUBLIC_KEY: u32 = 3;
}
