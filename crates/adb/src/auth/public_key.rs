//! RSA public key of a host in adb's format: base64 of a struct with precomputed numbers for simple
//! verifiers, and a name.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rsa::pkcs8::EncodePublicKey as _;
use rsa::sha2::{Digest as _, Sha256};
use rsa::traits::PublicKeyParts as _;
use rsa::{BoxedUint, RsaPublicKey};

use super::signature::scheme;

/// Bytes of the modulus of a key with 2048 bits.
const MODULUS_BYTES: usize = 256;
/// Bytes of the struct (AOSP `android_pubkey.cpp`): three 32-bit words, the modulus, and R² modulo the
/// modulus.
const ENCODED_BYTES: usize = 3 * 4 + 2 * MODULUS_BYTES;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no public key of adb: write the line of an `adbkey.pub`")]
pub struct PublicKeyError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    key: RsaPublicKey,
    /// Encoded as `SubjectPublicKeyInfo`, to compare with a certificate's.
    der: Vec<u8>,
}

impl PublicKey {
    /// Wraps a key. Only one whose modulus has exactly [`MODULUS_BYTES`], without leading zero bits, is accepted.
    pub(super) fn from_rsa(key: RsaPublicKey) -> Result<Self, PublicKeyError> {
        // The format has a fixed length, and R² is computed for a modulus of full length.
        let modulus = key.n_bytes();
        if modulus.len() != MODULUS_BYTES || modulus[0] < 0x80 {
            return Err(PublicKeyError);
        }
        let der = key.to_public_key_der().map_err(|_| PublicKeyError)?;
        let der = der.as_bytes().to_vec();
        Ok(Self { key, der })
    }

    /// Parses the line of an `adbkey.pub`. The name after the key is ignored.
    ///
    /// # Errors
    /// Returns [`PublicKeyError`] if it is no Base64 of an RSA key of 2048 bits in Android's form.
    pub fn parse(line: &str) -> Result<Self, PublicKeyError> {
        let word = line.split([' ', '\t', '\0', '\n', '\r']).next();
        let bytes = STANDARD
            .decode(word.unwrap_or_default())
            .map_err(|_| PublicKeyError)?;
        let bytes: &[u8; ENCODED_BYTES] =
            bytes.as_slice().try_into().map_err(|_| PublicKeyError)?;
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        if word(0) as usize * 4 != MODULUS_BYTES {
            return Err(PublicKeyError);
        }
        let modulus: Vec<u8> = bytes[8..8 + MODULUS_BYTES].iter().rev().copied().collect();
        let exponent = u64::from(word(ENCODED_BYTES - 4));
        let modulus = BoxedUint::from_be_slice_vartime(&modulus);
        let key =
            RsaPublicKey::new(modulus, BoxedUint::from(exponent)).map_err(|_| PublicKeyError)?;
        Self::from_rsa(key)
    }

    /// Formats the line of an `adbkey.pub`, with a name such as `ada@desk`.
    pub fn line(&self, name: &str) -> String {
        format!("{} {name}", STANDARD.encode(self.encode()))
    }

    /// Returns true if `signature` is this key's signature of `token`.
    pub fn verifies(&self, token: &[u8], signature: &[u8]) -> bool {
        self.key.verify(scheme(), token, signature).is_ok()
    }

    /// Returns true if a certificate's `SubjectPublicKeyInfo` holds this key.
    pub(super) fn is(&self, subject_public_key_info: &[u8]) -> bool {
        self.der == subject_public_key_info
    }

    /// Returns the SHA-256 of the DER form in capital hex digits. A device lists the keys it knows by it in
    /// its TLS request.
    pub fn fingerprint(&self) -> String {
        let digest = Sha256::digest(&self.der);
        digest.iter().map(|byte| format!("{byte:02X}")).collect()
    }

    /// Encodes the key in adb's own format: number of 32-bit words, −1/n modulo 2³², modulus, R² and exponent, all
    /// little-endian.
    fn encode(&self) -> Vec<u8> {
        let modulus: Vec<u8> = self.key.n_bytes().iter().rev().copied().collect();
        let low = u32::from_le_bytes([modulus[0], modulus[1], modulus[2], modulus[3]]);
        let exponent = self
            .key
            .e_bytes()
            .iter()
            .fold(0u32, |sum, byte| sum << 8 | u32::from(*byte));
        let mut bytes = Vec::with_capacity(ENCODED_BYTES);
        bytes.extend((MODULUS_BYTES as u32 / 4).to_le_bytes());
        bytes.extend(negative_inverse(low).to_le_bytes());
        bytes.extend(&modulus);
        bytes.extend(r_squared(&modulus));
        bytes.extend(exponent.to_le_bytes());
        bytes
    }
}

/// Returns -1/`odd` modulo 2³², by Newton's method. Each step doubles the correct bits; `odd` itself has
/// three.
fn negative_inverse(odd: u32) -> u32 {
    let mut inverse = odd;
    for _ in 0..4 {
        inverse = inverse.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse.wrapping_neg()
}

/// Returns R² modulo the modulus, where R is 2 to the power of the modulus's number of bits: 2²⁰⁴⁸ for
/// a key of a device. Both are little-endian, and of the same length. Doubles 1 for each bit of R². The
/// modulus must have its highest bit set, else the result is wrong; an empty one panics.
fn r_squared(modulus: &[u8]) -> Vec<u8> {
    let mut value = vec![0; modulus.len()];
    value[0] = 1;
    for _ in 0..modulus.len() * 8 * 2 {
        let carried = double(&mut value);
        let at_least = value.iter().rev().ge(modulus.iter().rev());
        if carried || at_least {
            subtract(&mut value, modulus);
        }
    }
    value
}

/// Doubles a little-endian number in place; returns true if the highest bit was lost.
fn double(value: &mut [u8]) -> bool {
    let mut carry = 0;
    for byte in value {
        let next = *byte >> 7;
        *byte = *byte << 1 | carry;
        carry = next;
    }
    carry == 1
}

/// Subtracts a little-endian number in place, modulo the size of `value`. A final borrow is dropped: it
/// cancels the bit that [`double`] lost.
fn subtract(value: &mut [u8], other: &[u8]) {
    let mut borrow = false;
    for (byte, other) in value.iter_mut().zip(other) {
        let (less, first) = byte.overflowing_sub(*other);
        let (less, second) = less.overflowing_sub(u8::from(borrow));
        *byte = less;
        borrow = first || second;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_struct_that_holds_no_key_is_refused() {
        let line = |change: &dyn Fn(&mut [u8])| {
            let mut bytes = [0xff; ENCODED_BYTES];
            bytes[..4].copy_from_slice(&64u32.to_le_bytes());
            bytes[ENCODED_BYTES - 4..].copy_from_slice(&65537u32.to_le_bytes());
            change(&mut bytes);
            STANDARD.encode(bytes)
        };
        assert!(PublicKey::parse(&line(&|_| {})).is_ok());
        for change in [
            // Words of the modulus; an even modulus; one that is too short; none; no exponent; an even one.
            (&|bytes: &mut [u8]| bytes[0] = 63) as &dyn Fn(&mut [u8]),
            &|bytes| bytes[8] = 2,
            &|bytes| bytes[8 + MODULUS_BYTES - 1] = 0x7f,
            &|bytes| bytes[8..8 + MODULUS_BYTES].fill(0),
            &|bytes| bytes[ENCODED_BYTES - 4..].fill(0),
            &|bytes| bytes[ENCODED_BYTES - 4] = 2,
        ] {
            assert_eq!(PublicKey::parse(&line(change)), Err(PublicKeyError));
        }
    }

    #[test]
    fn the_inverse_is_one() {
        for odd in [1, 3, 0x1234_5679, u32::MAX] {
            assert_eq!(negative_inverse(odd).wrapping_mul(odd), u32::MAX);
        }
    }
}
