//! TLS from certificate files.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Why the certificate cannot be used, in words for the operator.
#[derive(Debug)]
pub struct TlsError(String);

impl std::fmt::Display for TlsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TlsError {}

/// TLS 1.2 and 1.3 with the certificate chain and the private key in two PEM files.
pub fn server_config(certificates: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let wrong = |path: &Path, problem: &dyn std::fmt::Display| {
        TlsError(format!("{} cannot be used for TLS: {problem}", path.display()))
    };
    let read = |path: &Path| fs::read(path).map_err(|error| wrong(path, &error));
    let chain: Vec<_> = CertificateDer::pem_slice_iter(&read(certificates)?)
        .collect::<Result<_, _>>()
        .map_err(|error| wrong(certificates, &error))?;
    if chain.is_empty() {
        return Err(wrong(certificates, &"it holds no certificate in PEM form"));
    }
    let key_bytes = zeroize::Zeroizing::new(read(key)?);
    let private = PrivateKeyDer::from_pem_slice(&key_bytes).map_err(|error| wrong(key, &error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(certificates, &error))?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .map_err(|error| wrong(key, &error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
