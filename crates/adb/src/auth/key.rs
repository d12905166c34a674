//! The private key of a host.

use std::io;
use std::path::PathBuf;

use rsa::RsaPrivateKey;
use rsa::pkcs1::DecodeRsaPrivateKey as _;
use rsa::pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _, LineEnding};
use rsa::rand_core::UnwrapErr;
use rsa::traits::PublicKeyParts as _;
use rustls::pki_types::PrivatePkcs8KeyDer;

use super::{PublicKey, TOKEN_LEN, scheme};

/// Bits of every key: adbd knows no other length.
const BITS: usize = 2048;

/// Why there is no key.
#[derive(Debug, Clone, thiserror::Error)]
pub enum KeyError {
    /// A file cannot be read.
    #[error("the key {} cannot be read: {cause}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        cause: String,
    },
    /// A file holds no key.
    #[error(
        "the key {} is damaged: it holds no RSA key of 2048 bits in PEM; remove it, and a new one is made, which the device has to be asked for again",
        .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// No key could be made.
    #[error("no key could be made at {}: {cause}", .path.display())]
    NotMade {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        cause: String,
    },
    /// Nobody said where the host's own key is.
    #[error(
        "nobody knows where this computer's key is; set HOME, or name a key in ADB_VENDOR_KEYS"
    )]
    Homeless,
}

/// Why no new key was made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// The system has no randomness.
    #[error(transparent)]
    Random(#[from] getrandom::Error),
    /// The numbers are no RSA key.
    #[error(transparent)]
    Rsa(#[from] rsa::Error),
    /// The key is not what adbd takes.
    #[error(transparent)]
    Unusual(#[from] NoKey),
}

/// A text that is not a private key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no RSA key of 2048 bits in PEM")]
pub struct NoKey;

/// The key of a host. Its debug form shows nothing of it.
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
    /// A new key, from the system's randomness. Takes a second of a processor.
    ///
    /// # Errors
    /// [`GenerateError`], mostly where the system has no randomness.
    pub fn generate() -> Result<Self, GenerateError> {
        // Asked first, for what follows would panic.
        let mut probe = [0; 8];
        getrandom::fill(&mut probe)?;
        let mut random = UnwrapErr(getrandom::SysRng);
        Ok(Self::of(RsaPrivateKey::new(&mut random, BITS)?)?)
    }

    /// Reads a key as adb writes it, and as older ones did: PKCS#8 or PKCS#1 in PEM.
    ///
    /// # Errors
    /// [`NoKey`], which repeats nothing of the text.
    pub fn from_pem(text: &str) -> Result<Self, NoKey> {
        let key = RsaPrivateKey::from_pkcs8_pem(text)
            .or_else(|_| RsaPrivateKey::from_pkcs1_pem(text).map_err(|_| NoKey))
            .map_err(|_| NoKey)?;
        Self::of(key)
    }

    pub(super) fn of(key: RsaPrivateKey) -> Result<Self, NoKey> {
        if key.size() * 8 != BITS {
            return Err(NoKey);
        }
        let public = PublicKey::of(key.to_public_key()).map_err(|_| NoKey)?;
        Ok(Self { key, public })
    }

    /// Writes the key as adb keeps it: PKCS#8 in PEM.
    pub(super) fn write_pem(&self, out: &mut impl io::Write) -> io::Result<()> {
        let text = self.key.to_pkcs8_pem(LineEnding::LF);
        out.write_all(text.map_err(io::Error::other)?.as_bytes())
    }

    /// The key as TLS wants it.
    pub(super) fn to_der(&self) -> Result<PrivatePkcs8KeyDer<'static>, NoKey> {
        let der = self.key.to_pkcs8_der().map_err(|_| NoKey)?;
        Ok(PrivatePkcs8KeyDer::from(der.as_bytes().to_vec()))
    }

    /// The public half.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Signs a device's token, taken as a SHA-1 digest. Blinded, so that the time it takes says nothing of the key.
    ///
    /// # Errors
    /// [`NoKey`] where the token is not of [`TOKEN_LEN`] bytes.
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

    /// Made once for all tests: it takes a second.
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
