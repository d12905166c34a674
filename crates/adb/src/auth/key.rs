//! RSA private key of a host.

use std::io;
use std::path::PathBuf;

use rsa::RsaPrivateKey;
use rsa::pkcs1::DecodeRsaPrivateKey as _;
use rsa::pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _, LineEnding};
use rsa::rand_core::UnwrapErr;
use rsa::traits::PublicKeyParts as _;
use rustls::pki_types::PrivatePkcs8KeyDer;

use super::PublicKey;
use super::signature::{TOKEN_LEN, scheme};

/// Bits of every key. adbd's public key format has a fixed size for 2048 bits (AOSP `android_pubkey.cpp`).
const KEY_BITS: usize = 2048;

#[derive(Debug, Clone, thiserror::Error)]
pub enum KeyError {
    #[error("the key {} cannot be read: {cause}", .path.display())]
    Unreadable { path: PathBuf, cause: String },
    #[error(
        "the key {} is damaged: it holds no RSA key of 2048 bits in PEM; remove it, and a new one is made, which the device has to be asked for again",
        .path.display()
    )]
    Damaged { path: PathBuf },
    #[error("no key could be made at {}: {cause}", .path.display())]
    NotMade { path: PathBuf, cause: String },
    /// The path of the host's own key is unknown, as `HOME` is not set.
    #[error(
        "nobody knows where this computer's key is; set HOME, or name a key in ADB_VENDOR_KEYS"
    )]
    Homeless,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    #[error(transparent)]
    Random(#[from] getrandom::Error),
    /// The library could not make an RSA key of the random numbers.
    #[error(transparent)]
    Rsa(#[from] rsa::Error),
    /// The new key cannot be written in adbd's format.
    #[error(transparent)]
    Unusual(#[from] NoKey),
}

/// Error of a text that is no private key. It repeats nothing of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no RSA key of 2048 bits in PEM")]
pub struct NoKey;

/// RSA private key of a host. Its `Debug` form shows nothing of it.
pub struct PrivateKey {
    key: RsaPrivateKey,
    public: PublicKey,
}

impl std::fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PrivateKey").finish_non_exhaustive()
    }
}

impl PrivateKey {
    /// Generates a key from the system's randomness. Takes about a second of one processor.
    ///
    /// # Errors
    /// Returns a [`GenerateError`], mostly because the system has no randomness.
    pub fn generate() -> Result<Self, GenerateError> {
        // Tested first, as the generator would panic without randomness.
        let mut probe = [0; 8];
        getrandom::fill(&mut probe)?;
        let mut random = UnwrapErr(getrandom::SysRng);
        Ok(Self::from_rsa(RsaPrivateKey::new(&mut random, KEY_BITS)?)?)
    }

    /// Parses a PEM of PKCS#8, as adb writes it, or PKCS#1, as older versions did.
    ///
    /// # Errors
    /// Returns [`NoKey`] unless it is an RSA key of 2048 bits.
    pub fn from_pem(text: &str) -> Result<Self, NoKey> {
        let key = RsaPrivateKey::from_pkcs8_pem(text)
            .or_else(|_| RsaPrivateKey::from_pkcs1_pem(text).map_err(|_| NoKey))
            .map_err(|_| NoKey)?;
        Self::from_rsa(key)
    }

    /// Wraps a key. Only keys of [`KEY_BITS`] are accepted.
    pub(super) fn from_rsa(key: RsaPrivateKey) -> Result<Self, NoKey> {
        if key.size() * 8 != KEY_BITS {
            return Err(NoKey);
        }
        let public = PublicKey::from_rsa(key.to_public_key()).map_err(|_| NoKey)?;
        Ok(Self { key, public })
    }

    /// Writes the key as adb stores it: PKCS#8 in PEM.
    pub(super) fn write_pem(&self, out: &mut impl io::Write) -> io::Result<()> {
        let text = self.key.to_pkcs8_pem(LineEnding::LF);
        out.write_all(text.map_err(io::Error::other)?.as_bytes())
    }

    /// Encodes the key as PKCS#8 in DER, which rustls takes.
    pub(super) fn to_der(&self) -> Result<PrivatePkcs8KeyDer<'static>, NoKey> {
        let der = self.key.to_pkcs8_der().map_err(|_| NoKey)?;
        Ok(PrivatePkcs8KeyDer::from(der.as_bytes().to_vec()))
    }

    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Signs a device's token as if it were a SHA-1 digest, as adb does. Blinding keeps the time from
    /// depending on the key.
    ///
    /// # Errors
    /// Returns [`NoKey`] if the token has not [`TOKEN_LEN`] bytes.
    pub fn sign(&self, token: &[u8]) -> Result<Vec<u8>, NoKey> {
        if token.len() != TOKEN_LEN {
            return Err(NoKey);
        }
        self.key.sign(scheme(), token).map_err(|_| NoKey)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Key shared by all tests, as making one takes a second.
    fn key() -> &'static PrivateKey {
        static KEY: std::sync::OnceLock<PrivateKey> = std::sync::OnceLock::new();
        KEY.get_or_init(|| PrivateKey::generate().unwrap())
    }

    #[test]
    fn a_signature_is_that_of_its_token_and_key_only() {
        let token = [7; TOKEN_LEN];
        let signature = key().sign(&token).unwrap();
        assert_eq!(signature.len(), 256);
        let public = key().public();
        assert!(public.verifies(&token, &signature));
        assert!(!public.verifies(&[8; TOKEN_LEN], &signature));
        let other = PrivateKey::generate().unwrap();
        assert!(!other.public().verifies(&token, &signature));
        assert!(key().sign(b"short").is_err());
    }

    #[test]
    fn both_halves_read_back() {
        let mut pem = Vec::new();
        key().write_pem(&mut pem).unwrap();
        let again = PrivateKey::from_pem(std::str::from_utf8(&pem).unwrap()).unwrap();
        assert_eq!(again.public(), key().public());
        let line = key().public().line("ada@desk");
        assert!(line.ends_with(" ada@desk"), "{line}");
        assert_eq!(PublicKey::parse(&line).as_ref(), Ok(key().public()));
    }

    #[test]
    fn noise_is_no_key_and_is_not_repeated() {
        for noise in [
            "",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "MIIEv",
        ] {
            let refused = PrivateKey::from_pem(noise).unwrap_err();
            assert_eq!(refused.to_string(), "no RSA key of 2048 bits in PEM");
        }
        for noise in ["", "AAAA ada@desk", "QAAAA", "\0"] {
            assert!(PublicKey::parse(noise).is_err(), "{noise}");
        }
        assert_eq!(format!("{:?}", key()), "PrivateKey { .. }");
    }
}
