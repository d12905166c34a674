//! TLS 1.3 between a host and a device (`A_STLS`), each identified by its RSA key.
//!
//! Wireless debugging requires it. The host makes a certificate from its key, as adb does; the device
//! compares the key in it with those of the hosts it was paired with.

use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName as Name, DnType, IsCa, KeyPair,
    KeyUsagePurpose, PKCS_RSA_SHA256, SerialNumber,
};
use rustls::client::ResolvesClientCert;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, ring, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::sign::CertifiedKey;
use rustls::version::TLS13;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName, Error, ServerConfig,
    SignatureScheme,
};

use super::key::NoKey;
use super::{PrivateKey, PublicKey};

/// Organization in the names by which a device lists the keys it knows, with the fingerprint as common name
/// (AOSP `tls/adb_ca_list.cpp`).
const KNOWN_KEY: &str = "AdbKey-0";

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TlsError {
    #[error(transparent)]
    Key(#[from] NoKey),
    #[error(transparent)]
    Certificate(#[from] rcgen::Error),
    #[error(transparent)]
    Tls(#[from] Error),
}

/// Configures the host's side of TLS 1.3 with one of these keys: the first that the device lists as known, else the
/// last, which is mostly the host's own ([`super::Keyring::keys`]). Keys that TLS does not accept are left out. Any
/// certificate of the device is accepted.
///
/// # Errors
/// Returns the last key's error if TLS accepts none of them. Without keys there is no error here; the device
/// then refuses the host.
pub fn client(keys: &[Arc<PrivateKey>]) -> Result<ClientConfig, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let (mut usable, mut problem) = (Vec::new(), None);
    for key in keys {
        match certified(key, &provider) {
            Ok(certified) => usable.push((key.public().fingerprint(), certified)),
            // An unusual key may be good for signatures and not for TLS.
            Err(why) => problem = Some(why),
        }
    }
    if let (true, Some(why)) = (usable.is_empty(), problem) {
        return Err(why);
    }
    let mut config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyDevice(
            provider.signature_verification_algorithms,
        )))
        .with_client_cert_resolver(Arc::new(KnownKey(usable)));
    config.enable_sni = false;
    config.resumption = rustls::client::Resumption::disabled();
    Ok(config)
}

/// Configures the device's side of TLS 1.3 with its own key. It admits only the hosts with a key in `known`,
/// and lists these to them.
///
/// # Errors
/// Returns an error if the device's own key cannot be used.
pub fn accept_hosts(key: &PrivateKey, known: Vec<PublicKey>) -> Result<ServerConfig, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let (chain, private) = parts(key)?;
    let names = known.iter().map(known_key_name).collect();
    let verifier = KnownHosts {
        known,
        names,
        algorithms: provider.signature_verification_algorithms,
    };
    let config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .with_client_cert_verifier(Arc::new(verifier))
        .with_single_cert(chain, private)?;
    Ok(config)
}

/// Makes a certificate of the key as adb does: self-signed, without a real name, valid for more than ten years. Also
/// returns the key itself in the form that TLS takes.
fn parts(
    key: &PrivateKey,
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), TlsError> {
    let der = key.to_der()?;
    let pair = KeyPair::from_pkcs8_der_and_sign_algo(&der, &PKCS_RSA_SHA256)?;
    let mut params = CertificateParams::default();
    let mut name = Name::new();
    name.push(DnType::CountryName, "US");
    name.push(DnType::OrganizationName, "Android");
    name.push(DnType::CommonName, "Adb");
    params.distinguished_name = name;
    params.serial_number = Some(SerialNumber::from(1u64));
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![
        KeyUsagePurpose::KeyCertSign,
        KeyUsagePurpose::CrlSign,
        KeyUsagePurpose::DigitalSignature,
    ];
    let certificate = params.self_signed(&pair)?;
    Ok((vec![certificate.der().clone()], PrivateKeyDer::Pkcs8(der)))
}

fn certified(key: &PrivateKey, provider: &CryptoProvider) -> Result<Arc<CertifiedKey>, TlsError> {
    let (chain, private) = parts(key)?;
    Ok(Arc::new(CertifiedKey::from_der(chain, private, provider)?))
}

/// Encodes the distinguished name (organization and fingerprint) by which a device lists a key it knows, so
/// that the host can choose it.
fn known_key_name(key: &PublicKey) -> DistinguishedName {
    // Last numbers of the attribute types (X.520): `id-at-organizationName` and `id-at-commonName`.
    const ORGANIZATION: u8 = 10;
    const COMMON_NAME: u8 = 3;
    // In DER, with lengths below 128.
    let tagged = |tag: u8, content: &[u8]| [&[tag, content.len() as u8], content].concat();
    let attribute = |kind: u8, value: &str| {
        let kind = tagged(0x06, &[0x55, 0x04, kind]);
        let value = tagged(0x0c, value.as_bytes());
        tagged(0x31, &tagged(0x30, &[kind, value].concat()))
    };
    let organization = attribute(ORGANIZATION, KNOWN_KEY);
    let name = attribute(COMMON_NAME, &key.fingerprint());
    DistinguishedName::in_sequence(&[organization, name].concat())
}

/// Chooses the client's certificate; each stands with its key's fingerprint.
#[derive(Debug)]
struct KnownKey(Vec<(String, Arc<CertifiedKey>)>);

impl ResolvesClientCert for KnownKey {
    /// Returns the first key whose fingerprint the device lists, else the last one.
    fn resolve(&self, known: &[&[u8]], _schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        // The fingerprint is long enough to be searched for without parsing the names.
        let names = |fingerprint: &str| {
            let wanted = fingerprint.as_bytes();
            known
                .iter()
                .any(|name| name.windows(wanted.len()).any(|part| part == wanted))
        };
        let found = self.0.iter().find(|(fingerprint, _)| names(fingerprint));
        found.or(self.0.last()).map(|(_, key)| Arc::clone(key))
    }

    fn has_certs(&self) -> bool {
        !self.0.is_empty()
    }
}

/// Accepts the certificate of every device, as adb does. A device makes a new certificate at any time and no
/// authority signs it, so there is nothing to verify. TLS serves to prove the host to the device.
#[derive(Debug)]
struct AnyDevice(WebPkiSupportedAlgorithms);

impl ServerCertVerifier for AnyDevice {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(Error::General("only TLS 1.3 is spoken here".to_owned()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}

/// Accepts hosts by their key alone, whatever else the certificate says, as adbd does.
#[derive(Debug)]
struct KnownHosts {
    known: Vec<PublicKey>,
    names: Vec<DistinguishedName>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ClientCertVerifier for KnownHosts {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &self.names
    }

    /// Accepts a certificate whose key is known. Names, times and signatures of it do not count.
    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let certificate = ParsedCertificate::try_from(end_entity)?;
        let theirs = certificate.subject_public_key_info();
        if self.known.iter().any(|key| key.is(&theirs)) {
            return Ok(ClientCertVerified::assertion());
        }
        Err(Error::InvalidCertificate(
            CertificateError::ApplicationVerificationFailure,
        ))
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(Error::General("only TLS 1.3 is spoken here".to_owned()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use rsa::RsaPrivateKey;
    use rsa::rand_core::UnwrapErr;

    use super::*;

    #[test]
    fn a_key_that_tls_does_not_take_is_passed_over() {
        // adbd accepts such a key's signatures.
        let mut random = UnwrapErr(getrandom::SysRng);
        let small = RsaPrivateKey::new_with_exp(&mut random, 2048, 3u64.into()).unwrap();
        let small = Arc::new(PrivateKey::from_rsa(small).unwrap());
        let usual = Arc::new(PrivateKey::generate().unwrap());
        assert!(client(&[Arc::clone(&small), usual]).is_ok());
        assert!(client(&[small]).is_err());
    }
}
