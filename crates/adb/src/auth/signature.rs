//! Token that a device gives a host to sign, and the scheme of the signature.

/// Bytes of the token that a device gives a host to sign (`TOKEN_SIZE` in AOSP's `adb.h`).
pub const TOKEN_LEN: usize = 20;
/// Prefix of a SHA-1 digest in a PKCS#1 v1.5 signature (RFC 8017, section 9.2). adb's token takes the place
/// of the digest.
const DIGEST_PREFIX: [u8; 15] = [
    0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14,
];

/// Returns adb's way of signing: PKCS #1 v1.5 over the token, as if it were a SHA-1 digest.
pub(super) fn scheme() -> rsa::Pkcs1v15Sign {
    rsa::Pkcs1v15Sign {
        hash_len: Some(TOKEN_LEN),
        prefix: Box::new(DIGEST_PREFIX),
    }
}
