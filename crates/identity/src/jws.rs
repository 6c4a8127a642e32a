//! Signed tokens in their compact form, and the keys that sign and verify them.
//!
//! A key has one algorithm: what a token's header says is compared with it and never chosen by it.
//! The primitives are ring's; this file is the thin layer of RFC 7515 and 7517 over them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::error::Error;
use kernel::strict_json;
use ring::rand::SystemRandom;
use ring::signature::{self, Ed25519KeyPair, KeyPair as _, RsaKeyPair, UnparsedPublicKey};
use serde_json::{Map, Value};

/// Most bytes of a token.
const TOKEN_BYTES_MAX: usize = 8 * 1024;
/// Members of a header that would name a key, change what is signed or must be understood: none of
/// them is. A nested token (`cty`) is none of ours either.
const REFUSED_MEMBERS: [&str; 11] =
    ["jku", "jwk", "x5u", "x5c", "crit", "b64", "zip", "enc", "epk", "cty", "p2c"];

/// How tokens are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Ed25519.
    EdDsa,
    /// RSA with SHA-256.
    Rs256,
    /// RSA with SHA-384.
    Rs384,
    /// RSA with SHA-512.
    Rs512,
    /// RSA-PSS with SHA-256.
    Ps256,
    /// P-256 with SHA-256.
    Es256,
    /// P-384 with SHA-384.
    Es384,
}

impl Algorithm {
    const ALL: [Algorithm; 7] = [
        Algorithm::EdDsa,
        Algorithm::Rs256,
        Algorithm::Rs384,
        Algorithm::Rs512,
        Algorithm::Ps256,
        Algorithm::Es256,
        Algorithm::Es384,
    ];

    /// Its name in headers and keys. Compared as it is: names have one spelling.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::EdDsa => "EdDSA",
            Algorithm::Rs256 => "RS256",
            Algorithm::Rs384 => "RS384",
            Algorithm::Rs512 => "RS512",
            Algorithm::Ps256 => "PS256",
            Algorithm::Es256 => "ES256",
            Algorithm::Es384 => "ES384",
        }
    }

    fn parse(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }
}

/// A public key with its one algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    algorithm: Algorithm,
    bytes: KeyBytes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum KeyBytes {
    Ed25519(Vec<u8>),
    Rsa {
        n: Vec<u8>,
        e: Vec<u8>,
    },
    /// An uncompressed point.
    Ec(Vec<u8>),
}

impl PublicKey {
    /// The key of a JWK, if it is one for signatures that is understood here.
    pub fn from_jwk(jwk: &Map<String, Value>) -> Option<PublicKey> {
        let text = |name: &str| jwk.get(name).and_then(Value::as_str);
        let part = |name: &str| URL_SAFE_NO_PAD.decode(text(name)?).ok();
        if text("use").is_some_and(|usage| usage != "sig") {
            return None;
        }
        let named = match jwk.get("alg") {
            None => None,
            Some(name) => Some(Algorithm::parse(name.as_str()?)?),
        };
        let (usual, others, bytes): (_, &[Algorithm], _) = match (text("kty")?, text("crv")) {
            ("OKP", Some("Ed25519")) => (Algorithm::EdDsa, &[], KeyBytes::Ed25519(part("x")?)),
            ("RSA", _) => {
                let others = &[Algorithm::Rs384, Algorithm::Rs512, Algorithm::Ps256];
                (Algorithm::Rs256, others, KeyBytes::Rsa { n: part("n")?, e: part("e")? })
            }
            ("EC", Some(curve @ ("P-256" | "P-384"))) => {
                let is_256 = curve == "P-256";
                let usual = if is_256 { Algorithm::Es256 } else { Algorithm::Es384 };
                let point = [vec![4], part("x")?, part("y")?].concat();
                (usual, &[], KeyBytes::Ec(point))
            }
            _ => return None,
        };
        let algorithm = named.unwrap_or(usual);
        let fits = algorithm == usual || others.contains(&algorithm);
        fits.then_some(PublicKey { algorithm, bytes })
    }

    /// The members of its JWK, without `kid`.
    pub fn to_jwk(&self) -> BTreeMap<String, String> {
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let mut jwk = BTreeMap::from([
            ("alg".to_owned(), self.algorithm.name().to_owned()),
            ("use".to_owned(), "sig".to_owned()),
        ]);
        let members = match &self.bytes {
            KeyBytes::Ed25519(x) => {
                vec![("kty", "OKP".to_owned()), ("crv", "Ed25519".to_owned()), ("x", text(x))]
            }
            KeyBytes::Rsa { n, e } => {
                vec![("kty", "RSA".to_owned()), ("n", text(n)), ("e", text(e))]
            }
            KeyBytes::Ec(point) => {
                let half = point.len() / 2;
                let curve = if half == 32 { "P-256" } else { "P-384" };
                vec![
                    ("kty", "EC".to_owned()),
                    ("crv", curve.to_owned()),
                    ("x", text(&point[1..=half])),
                    ("y", text(&point[half + 1..])),
                ]
            }
        };
        jwk.extend(members.into_iter().map(|(name, value)| (name.to_owned(), value)));
        jwk
    }

    /// What its tokens are signed with.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Whether this is its signature of the message.
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        let by = |algorithm: &'static dyn signature::VerificationAlgorithm, key: &[u8]| {
            UnparsedPublicKey::new(algorithm, key).verify(message, signature).is_ok()
        };
        let rsa = match self.algorithm {
            Algorithm::Rs384 => &signature::RSA_PKCS1_2048_8192_SHA384,
            Algorithm::Rs512 => &signature::RSA_PKCS1_2048_8192_SHA512,
            Algorithm::Ps256 => &signature::RSA_PSS_2048_8192_SHA256,
            _ => &signature::RSA_PKCS1_2048_8192_SHA256,
        };
        match (&self.bytes, self.algorithm) {
            (KeyBytes::Ed25519(x), _) => by(&signature::ED25519, x),
            (KeyBytes::Rsa { n, e }, _) => {
                signature::RsaPublicKeyComponents { n, e }.verify(rsa, message, signature).is_ok()
            }
            (KeyBytes::Ec(point), Algorithm::Es384) => {
                by(&signature::ECDSA_P384_SHA384_FIXED, point)
            }
            (KeyBytes::Ec(point), _) => by(&signature::ECDSA_P256_SHA256_FIXED, point),
        }
    }
}

/// A private key, which cannot be printed.
pub struct SigningKey {
    pair: Pair,
}

enum Pair {
    Ed25519(Ed25519KeyPair),
    Rsa(Box<RsaKeyPair>),
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.algorithm().name())
    }
}

impl SigningKey {
    /// A key from its stored form: an Ed25519 seed, or an RSA key in PKCS #8.
    pub fn read(algorithm: Algorithm, bytes: &[u8]) -> Result<SigningKey, Error> {
        let unusable = |error: ring::error::KeyRejected| {
            Error::internal(format!("a signing key cannot be used: {error}"))
        };
        let pair = match algorithm {
            Algorithm::EdDsa => {
                Pair::Ed25519(Ed25519KeyPair::from_seed_unchecked(bytes).map_err(unusable)?)
            }
            Algorithm::Rs256 => {
                Pair::Rsa(Box::new(RsaKeyPair::from_pkcs8(bytes).map_err(unusable)?))
            }
            other => {
                let why = format!("{} is verified here, and not signed with", other.name());
                return Err(Error::internal(why));
            }
        };
        Ok(SigningKey { pair })
    }

    /// What it signs with.
    pub fn algorithm(&self) -> Algorithm {
        match self.pair {
            Pair::Ed25519(_) => Algorithm::EdDsa,
            Pair::Rsa(_) => Algorithm::Rs256,
        }
    }

    /// The public half.
    pub fn public(&self) -> PublicKey {
        let bytes = match &self.pair {
            Pair::Ed25519(pair) => KeyBytes::Ed25519(pair.public_key().as_ref().to_vec()),
            Pair::Rsa(pair) => {
                let parts = ring::rsa::PublicKeyComponents::<Vec<u8>>::from(pair.public());
                KeyBytes::Rsa { n: parts.n, e: parts.e }
            }
        };
        PublicKey { algorithm: self.algorithm(), bytes }
    }

    /// A token with these claims, its type and the key's id in the header.
    pub fn sign(&self, kid: &str, typ: &str, claims: &Value) -> Result<String, Error> {
        let header = serde_json::json!({ "alg": self.algorithm().name(), "kid": kid, "typ": typ });
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(&header), part(claims));
        let signature = match &self.pair {
            Pair::Ed25519(pair) => pair.sign(message.as_bytes()).as_ref().to_vec(),
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                let rng = SystemRandom::new();
                let padding = &signature::RSA_PKCS1_SHA256;
                pair.sign(padding, &rng, message.as_bytes(), &mut signature)
                    .map_err(|_| Error::internal("signing with RSA failed"))?;
                signature
            }
        };
        Ok(format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

/// SHA-256 of a token's text.
pub(super) type Digest = [u8; 32];

/// A token that is taken apart, and not yet believed.
pub(super) struct Compact {
    pub header: Map<String, Value>,
    pub claims: Map<String, Value>,
    message: String,
    signature: Vec<u8>,
    digest: Digest,
    /// The key that is known to have signed it.
    signer: OnceLock<PublicKey>,
}

/// Why a token is refused: for the log alone.
pub(super) type Refused = &'static str;

impl Compact {
    pub fn parse(token: &str) -> Result<Compact, Refused> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err("the token is too long");
        }
        let (message, signature) = token.rsplit_once('.').ok_or("the token has no parts")?;
        let (header, claims) = message.split_once('.').ok_or("the token has two parts")?;
        if claims.contains('.') {
            return Err("the token has more than three parts");
        }
        let decode =
            |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| "a part is not base64url");
        let object = |part: &str| {
            strict_json::object(&decode(part)?).ok_or("a part is not an object, or names one twice")
        };
        let (header, claims, signature) = (object(header)?, object(claims)?, decode(signature)?);
        if REFUSED_MEMBERS.iter().any(|name| header.contains_key(*name)) {
            return Err("the header has a member that is not accepted");
        }
        let (message, digest) = (message.to_owned(), Compact::digest_of(token));
        Ok(Compact { header, claims, message, signature, digest, signer: OnceLock::new() })
    }

    /// The digest of a token.
    pub fn digest_of(token: &str) -> Digest {
        let mut digest = Digest::default();
        digest.copy_from_slice(
            ring::digest::digest(&ring::digest::SHA256, token.as_bytes()).as_ref(),
        );
        digest
    }

    /// The digest of its text.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The id of the key that it says it is signed with.
    pub fn kid(&self) -> Result<&str, Refused> {
        let kid = self.header.get("kid").and_then(Value::as_str).unwrap_or_default();
        if kid.is_empty() || kid.len() > 256 { Err("the token names no key") } else { Ok(kid) }
    }

    /// Whether it is known that this key signed it.
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        self.signer.get() == Some(key)
    }

    /// Refuses it unless this key signed it, with this key's algorithm.
    pub fn verify(&self, key: &PublicKey) -> Result<(), Refused> {
        if self.header.get("alg").and_then(Value::as_str) != Some(key.algorithm.name()) {
            return Err("the algorithm is not the key's");
        }
        if !key.verifies(self.message.as_bytes(), &self.signature) {
            return Err("the signature is wrong");
        }
        // If another key was found right before, that one stays the one that is known.
        let _ = self.signer.set(key.clone());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8037, appendix A.4 and A.5: Ed25519 over a fixed message.
    #[test]
    fn ed25519_agrees_with_the_rfc() {
        let seed = URL_SAFE_NO_PAD.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A").unwrap();
        let key = SigningKey::read(Algorithm::EdDsa, &seed).unwrap();
        assert_eq!(key.public().to_jwk()["x"], "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
        let message = b"eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
        let signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        assert!(key.public().verifies(message, &signature));
        assert!(!key.public().verifies(b"another", &signature));
    }

    #[test]
    fn keys_for_encryption_or_with_a_foreign_algorithm_are_left_out() {
        let jwk = |text: &str| {
            PublicKey::from_jwk(serde_json::from_str::<Value>(text).unwrap().as_object().unwrap())
        };
        let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
        let okp = |more: &str| jwk(&format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{x}"{more}}}"#));
        assert!(okp("").is_some());
        assert!(okp(r#","use":"enc""#).is_none());
        assert!(okp(r#","alg":"RS256""#).is_none());
        assert!(okp(r#","alg":"HS256""#).is_none());
        assert!(jwk(r#"{"kty":"oct","k":"AAAA"}"#).is_none());
    }

    #[test]
    fn a_private_key_is_not_printed() {
        let key = SigningKey::read(Algorithm::EdDsa, &[7; 32]).unwrap();
        assert_eq!(format!("{key:?}"), "SigningKey(EdDSA)");
    }
}
