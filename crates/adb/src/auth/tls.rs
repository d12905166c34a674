//! `A_STLS`: TLS 1.3 between a host and a device, each known by its RSA key.
//!
//! Wireless debugging wants it. The host's certificate is made of its key, as adb makes it; the device holds the key in it
//! against those that it was paired with.

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

/// How a device names the keys that it knows: an organization, beside the fingerprint as common name.
const KNOWN_KEY: &str = "AdbKey-0";

/// Why TLS cannot be had with a key.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TlsError {
    /// The key cannot be written.
    #[error(transparent)]
    Key(#[from] NoKey),
    /// No certificate can be made of the key.
    #[error(transparent)]
    Certificate(#[from] rcgen::Error),
    /// TLS does not take the key.
    #[error(transparent)]
    Tls(#[from] Error),
}

/// A client with one of these keys: the one that the device says it knows, else the last, which is the host's own.
///
/// # Errors
/// What is wrong with the last key, where TLS takes none of them.
pub fn client(keys: &[Arc<PrivateKey>]) -> Result<ClientConfig, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let (mut usable, mut problem) = (Vec::new(), None);
    for key in keys {
        match certified(key, &provider) {
            Ok(certified) => usable.push((key.public().fingerprint(), certified)),
            // A key of unusual numbers is good for a signature, and not for TLS.
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

/// A device with a key of its own, which takes the hosts whose keys it knows.
///
/// # Errors
/// What is wrong with the key.
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

/// The certificate that adb makes of a key: signed by itself, for ten years and more, of nobody in particular.
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

/// The name by which a device says that it knows a key.
fn known_key_name(key: &PublicKey) -> DistinguishedName {
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

/// The host's certificates, by their keys' fingerprints.
#[derive(Debug)]
struct KnownKey(Vec<(String, Arc<CertifiedKey>)>);

impl ResolvesClientCert for KnownKey {
    fn resolve(&self, known: &[&[u8]], _schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        // A fingerprint is long enough to be found without reading the names around it.
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

/// Takes the certificate of any device, as adb does: a device makes a new one whenever it likes, and no authority signs
/// it, so there is nothing to hold it against. What TLS gives here is that the device knows the host.
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

/// Takes the hosts whose keys are known, whatever else their certificate says, as adbd does.
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
        // adbd takes its signatures.
        let mut random = UnwrapErr(getrandom::SysRng);
        let small = RsaPrivateKey::new_with_exp(&mut random, 2048, 3u64.into()).unwrap();
        let small = Arc::new(PrivateKey::of(small).unwrap());
        let usual = Arc::new(PrivateKey::generate().unwrap());
        assert!(client(&[Arc::clone(&small), usual]).is_ok());
        assert!(client(&[small]).is_err());
    }
}
