//! Attacks on signed tokens, one row each (the table of cases; RFC 8725 as checklist).
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use identity::{
    Algorithm, Authenticator, Credential, External, ExternalIssuer, Fetch, Fetching, JwksSource,
    SigningKey, Tokens,
};
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{self, RsaEncoding, RsaKeyPair};
use serde_json::{Value, json};

use crate::identity::{ISSUER, START_MILLIS, World, world};

const KEY: &str = include_str!("identity_rsa_key.txt");
const OTHER: &str = "https://other.example";
const OTHER_KID: &str = "other-1";
const EC_KID: &str = "other-ec";

/// Answers every address with one document.
pub struct Fixed(pub String);

impl Fetch for Fixed {
    fn fetch<'a>(&'a self, _: &'a str) -> Fetching<'a> {
        Box::pin(async move { Ok(self.0.clone().into_bytes()) })
    }
}

fn line(at: usize) -> Vec<u8> {
    STANDARD.decode(KEY.lines().nth(at).unwrap()).unwrap()
}

pub fn private_key() -> Vec<u8> {
    line(0)
}

fn part(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(text)
}

/// Signs as somebody would who has the private key, with any padding.
fn rsa(message: &str, padding: &'static dyn RsaEncoding) -> String {
    let pair = RsaKeyPair::from_pkcs8(&private_key()).unwrap();
    let mut bytes = vec![0; pair.public().modulus_len()];
    pair.sign(padding, &SystemRandom::new(), message.as_bytes(), &mut bytes).unwrap();
    URL_SAFE_NO_PAD.encode(bytes)
}

/// A token with any header and claims, as text, signed with RS256.
fn signed(header: &str, claims: &str) -> String {
    let message = format!("{}.{}", part(header), part(claims));
    format!("{message}.{}", rsa(&message, &signature::RSA_PKCS1_SHA256))
}

struct Bench {
    world: World,
    authenticator: Authenticator,
    /// The key that signs now, the one before it, and one that is gone.
    kid: String,
    before: String,
    retired: String,
    tokens: Tokens,
    user_id: String,
}

/// Three generations of one private key, so that any of them can be signed with; a user with a session.
async fn bench() -> Bench {
    let world = world().await;
    let keys = world.service.keys().clone();
    let mut kids = Vec::new();
    for wait in [60 * 60, 60 * 60, 11 * 60] {
        kids.push(keys.import_rsa(&private_key()).await.unwrap());
        world.advance(Duration::from_secs(wait));
    }
    let user_id = world.user("ada").await;
    let tokens = world.log_in("ada").await;
    let okp = SigningKey::read(Algorithm::EdDsa, &[9; 32]).unwrap().public().to_jwk();
    let mut okp = json!(okp);
    okp["kid"] = json!(OTHER_KID);
    let ec = json!({ "kty": "EC", "crv": "P-256", "kid": EC_KID,
        "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0" });
    let set = json!({ "keys": [okp, ec] }).to_string();
    let mut issuer = ExternalIssuer::oidc(OTHER, "client-1");
    issuer.keys = JwksSource::Url("https://other.example/keys".to_owned());
    let clock = Arc::new(world.clock.clone());
    let external = External::new(issuer, Arc::new(Fixed(set)), clock);
    let authenticator = Authenticator::new(world.service.clone(), vec![external]);
    let [retired, before, kid] = <[String; 3]>::try_from(kids).unwrap();
    Bench { world, authenticator, kid, before, retired, tokens, user_id }
}

impl Bench {
    fn now(&self) -> u64 {
        use kernel::clock::Clock as _;
        self.world.clock.now_millis() / 1000
    }

    fn header(&self) -> Value {
        json!({ "alg": "RS256", "kid": self.kid, "typ": "at+jwt" })
    }

    fn claims(&self) -> Value {
        let now = self.now();
        json!({ "iss": ISSUER, "aud": "plinth", "sub": self.user_id, "iat": now, "nbf": now,
            "exp": now + 900, "jti": "1", "token_use": "access", "roles": ["owner"],
            "sid": self.tokens.session })
    }

    /// A token like ours but for the change; null takes a member away.
    fn token(&self, header: Value, claims: Value) -> String {
        let merged = |mut whole: Value, change: Value| {
            for (name, value) in change.as_object().unwrap() {
                whole[name] = value.clone();
            }
            whole.as_object_mut().unwrap().retain(|_, value| !value.is_null());
            whole.to_string()
        };
        signed(&merged(self.header(), header), &merged(self.claims(), claims))
    }

    fn with_header(&self, change: Value) -> String {
        self.token(change, json!({}))
    }

    fn with_claims(&self, change: Value) -> String {
        self.token(json!({}), change)
    }

    /// Our claims under another algorithm, with a signature of any making.
    fn forged(&self, algorithm: &str, sign: impl Fn(&str) -> String) -> String {
        let mut header = self.header();
        header["alg"] = json!(algorithm);
        let message = format!("{}.{}", part(&header.to_string()), part(&self.claims().to_string()));
        format!("{message}.{}", sign(&message))
    }

    fn by_hmac(&self, secret: &[u8]) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        self.forged("HS256", |message| URL_SAFE_NO_PAD.encode(hmac::sign(&key, message.as_bytes())))
    }

    /// A token of the other issuer's.
    fn other(&self, kid: &str, change: Value) -> String {
        let now = self.now();
        let mut claims = json!({ "iss": OTHER, "aud": ["someone", "client-1"], "sub": "u-1",
            "iat": now, "exp": now + 3600 });
        for (name, value) in change.as_object().unwrap() {
            claims[name] = value.clone();
        }
        SigningKey::read(Algorithm::EdDsa, &[9; 32]).unwrap().sign(kid, "JWT", &claims).unwrap()
    }

    async fn accepts(&self, token: &str) -> bool {
        match self.authenticator.token(token).await {
            Ok(_) => true,
            Err(error) => {
                assert_eq!(error.code().status, 401, "{error:?}");
                false
            }
        }
    }

    /// What must be accepted: otherwise a refusal below would prove nothing.
    fn good(&self) -> Vec<(&'static str, String)> {
        let now = self.now();
        vec![
            ("our own token", self.tokens.access_token.reveal().to_owned()),
            ("a token signed here", self.with_claims(json!({}))),
            (
                "nbf and iat at the edge of the skew",
                self.with_claims(json!({ "nbf": now + 5, "iat": now + 5 })),
            ),
            (
                "exp one second ahead",
                self.with_claims(json!({ "iat": now - 899, "nbf": now - 899, "exp": now + 1 })),
            ),
            ("key before, inside the overlap", self.with_header(json!({ "kid": self.before }))),
            ("a script's token without a session", self.with_claims(json!({ "sid": null }))),
            ("another issuer's, ours among its audiences", self.other(OTHER_KID, json!({}))),
            (
                "another issuer's at the edge of the leeway",
                self.other(OTHER_KID, json!({ "iat": now - 100, "exp": now - 29 })),
            ),
        ]
    }

    fn bad(&self) -> Vec<(&'static str, String)> {
        [self.bad_keys(), self.bad_headers(), self.bad_claims(), self.bad_times(), self.bad_forms()]
            .concat()
    }

    fn bad_keys(&self) -> Vec<(&'static str, String)> {
        let der = line(1);
        let pem = format!(
            "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
            KEY.lines().nth(1).unwrap()
        );
        let jwk =
            json!(SigningKey::read(Algorithm::Rs256, &private_key()).unwrap().public().to_jwk());
        let none = |_: &str| String::new();
        let okp = |message: &str| {
            let pair = ring::signature::Ed25519KeyPair::from_seed_unchecked(&[9; 32]).unwrap();
            URL_SAFE_NO_PAD.encode(pair.sign(message.as_bytes()))
        };
        vec![
            ("alg none", self.forged("none", none)),
            ("alg None", self.forged("None", none)),
            ("alg NONE", self.forged("NONE", none)),
            ("alg nOnE", self.forged("nOnE", none)),
            (
                "alg rs256 in lower case",
                self.forged("rs256", |m| rsa(m, &signature::RSA_PKCS1_SHA256)),
            ),
            ("HS256 with the public key as PEM", self.by_hmac(pem.as_bytes())),
            ("HS256 with the public key as DER", self.by_hmac(&der)),
            ("HS256 with the public key as JWK", self.by_hmac(jwk.to_string().as_bytes())),
            (
                "RS384 by the same key",
                self.forged("RS384", |m| rsa(m, &signature::RSA_PKCS1_SHA384)),
            ),
            ("PS256 by the same key", self.forged("PS256", |m| rsa(m, &signature::RSA_PSS_SHA256))),
            ("EdDSA by another key", self.forged("EdDSA", okp)),
            (
                "ES256 over an RSA signature",
                self.forged("ES256", |m| rsa(m, &signature::RSA_PKCS1_SHA256)),
            ),
            ("ES256 with r = s = 0", self.zero_signature()),
            ("kid unknown", self.with_header(json!({ "kid": "key_unknown" }))),
            ("kid missing", self.with_header(json!({ "kid": null }))),
            ("kid empty", self.with_header(json!({ "kid": "" }))),
            ("kid that is a number", self.with_header(json!({ "kid": 1 }))),
            ("kid like a path", self.with_header(json!({ "kid": "../../../../dev/null" }))),
            (
                "kid of a retired key, outside the overlap",
                self.with_header(json!({ "kid": self.retired })),
            ),
            ("kid of another issuer", self.with_header(json!({ "kid": OTHER_KID }))),
            ("another issuer's key for our issuer", self.other(OTHER_KID, self.claims())),
            (
                "our key for another issuer",
                self.with_claims(json!({ "iss": OTHER, "aud": "client-1" })),
            ),
            (
                "claims of ours under a key of the other's",
                self.other(
                    OTHER_KID,
                    json!({ "iss": ISSUER, "aud": "plinth", "account": "tenant-a" }),
                ),
            ),
        ]
    }

    /// The signature that a careless verifier takes for any message.
    fn zero_signature(&self) -> String {
        let zero = self.other(EC_KID, json!({})).replacen(
            &part(r#"{"alg":"EdDSA""#)[..12],
            &part(r#"{"alg":"ES256""#)[..12],
            1,
        );
        let (message, _) = zero.rsplit_once('.').unwrap();
        let header = json!({ "alg": "ES256", "kid": EC_KID, "typ": "JWT" }).to_string();
        format!(
            "{}.{}.{}",
            part(&header),
            message.split_once('.').unwrap().1,
            URL_SAFE_NO_PAD.encode([0; 64])
        )
    }

    fn bad_headers(&self) -> Vec<(&'static str, String)> {
        let jwk =
            json!(SigningKey::read(Algorithm::Rs256, &private_key()).unwrap().public().to_jwk());
        let (kid, claims) = (&self.kid, self.claims().to_string());
        let twice = format!(r#"{{"alg":"RS256","kid":"{kid}","kid":"{kid}","typ":"at+jwt"}}"#);
        vec![
            ("kid twice", signed(&twice, &claims)),
            ("jku", self.with_header(json!({ "jku": "https://eve.example/keys" }))),
            ("x5u", self.with_header(json!({ "x5u": "https://eve.example/cert" }))),
            ("embedded jwk", self.with_header(json!({ "jwk": jwk }))),
            ("x5c", self.with_header(json!({ "x5c": ["AAAA"] }))),
            ("crit with something unknown", self.with_header(json!({ "crit": ["exp"], "exp": 1 }))),
            ("crit with b64 false", self.with_header(json!({ "crit": ["b64"], "b64": false }))),
            ("b64 false alone", self.with_header(json!({ "b64": false }))),
            ("compressed", self.with_header(json!({ "zip": "DEF" }))),
            ("typ of an ID token", self.with_header(json!({ "typ": "JWT" }))),
            ("typ of a refresh token", self.with_header(json!({ "typ": "rt+jwt" }))),
            ("typ missing", self.with_header(json!({ "typ": null }))),
        ]
    }

    fn bad_claims(&self) -> Vec<(&'static str, String)> {
        let text = self.claims().to_string();
        let twice = text.replacen('{', r#"{"sub":"somebody else","#, 1);
        vec![
            ("iss wrong", self.with_claims(json!({ "iss": "https://eve.example" }))),
            ("iss missing", self.with_claims(json!({ "iss": null }))),
            ("iss a list", self.with_claims(json!({ "iss": [ISSUER] }))),
            (
                "iss with a slash at the end",
                self.with_claims(json!({ "iss": format!("{ISSUER}/") })),
            ),
            ("aud wrong", self.with_claims(json!({ "aud": "others" }))),
            ("aud missing", self.with_claims(json!({ "aud": null }))),
            (
                "aud with others beside ours",
                self.with_claims(json!({ "aud": ["plinth", "others"] })),
            ),
            ("aud that is a number", self.with_claims(json!({ "aud": 1 }))),
            ("another issuer's aud wrong", self.other(OTHER_KID, json!({ "aud": ["client-2"] }))),
            ("sub missing", self.with_claims(json!({ "sub": null }))),
            ("token_use id", self.with_claims(json!({ "token_use": "id" }))),
            ("token_use refresh", self.with_claims(json!({ "token_use": "refresh" }))),
            ("token_use missing", self.with_claims(json!({ "token_use": null }))),
            ("a role that does not exist", self.with_claims(json!({ "roles": ["god"] }))),
            ("a claim twice", signed(&self.header().to_string(), &twice)),
            (
                "a session of another user",
                self.with_claims(json!({ "sub": "00000000-0000-4000-8000-000000000000" })),
            ),
            (
                "a session that never was",
                self.with_claims(json!({ "sid": "00000000-0000-4000-8000-000000000000" })),
            ),
            ("a session that is no text", self.with_claims(json!({ "sid": 7 }))),
        ]
    }

    fn bad_times(&self) -> Vec<(&'static str, String)> {
        let now = self.now();
        vec![
            (
                "exp past",
                self.with_claims(json!({ "iat": now - 900, "nbf": now - 900, "exp": now - 1 })),
            ),
            (
                "exp equal to now",
                self.with_claims(json!({ "iat": now - 900, "nbf": now - 900, "exp": now })),
            ),
            ("exp missing", self.with_claims(json!({ "exp": null }))),
            ("exp a text", self.with_claims(json!({ "exp": (now + 900).to_string() }))),
            ("exp a fraction", self.with_claims(json!({ "exp": now as f64 + 900.5 }))),
            ("exp huge", self.with_claims(json!({ "exp": u64::MAX }))),
            ("exp further than we sign", self.with_claims(json!({ "exp": now + 901 }))),
            ("exp negative", self.with_claims(json!({ "exp": -1 }))),
            ("nbf ahead", self.with_claims(json!({ "nbf": now + 6 }))),
            ("nbf missing", self.with_claims(json!({ "nbf": null }))),
            ("nbf a text", self.with_claims(json!({ "nbf": now.to_string() }))),
            ("iat ahead", self.with_claims(json!({ "iat": now + 6 }))),
            ("iat missing", self.with_claims(json!({ "iat": null }))),
            (
                "another issuer's beyond the leeway",
                self.other(OTHER_KID, json!({ "iat": now - 100, "exp": now - 30 })),
            ),
        ]
    }

    fn bad_forms(&self) -> Vec<(&'static str, String)> {
        let good = self.with_claims(json!({}));
        let (message, signature) = good.rsplit_once('.').unwrap();
        let mut flipped = URL_SAFE_NO_PAD.decode(signature).unwrap();
        flipped[17] ^= 1;
        let changed = message.replacen('.', &format!(".{}", part(" ")), 1);
        vec![
            ("signature empty", format!("{message}.")),
            ("signature missing", message.to_owned()),
            ("signature cut", format!("{message}.{}", &signature[..signature.len() - 4])),
            (
                "signature with a bit turned",
                format!("{message}.{}", URL_SAFE_NO_PAD.encode(flipped)),
            ),
            ("signature padded", format!("{good}==")),
            (
                "signature in another base64",
                format!("{message}.{}+/", &signature[..signature.len() - 2]),
            ),
            ("blank at the end", format!("{good} ")),
            ("blank inside", good.replacen('.', ". ", 1)),
            ("claims changed after signing", format!("{changed}.{signature}")),
            ("a megabyte", format!("{good}{}", "A".repeat(1 << 20))),
            ("five parts, as if encrypted", format!("{good}.AAAA.AAAA")),
            ("a refresh token", self.tokens.refresh_token.reveal().to_owned()),
            ("dots alone", "..".to_owned()),
            ("header that is a list", signed("[]", &self.claims().to_string())),
        ]
    }
}

/// The table of reliability's section N: 42 cases and more, the positive controls first, and a session
/// that was ended last. Seen red: without comparing the algorithm, with `exp` compared by `>`,
/// and without the check of `typ`.
#[tokio::test]
async fn every_attack_on_a_token_is_refused() {
    let bench = bench().await;
    assert!(bench.now() > START_MILLIS / 1000);
    for (name, token) in bench.good() {
        assert!(bench.accepts(&token).await, "refused: {name}");
    }
    let bad = bench.bad();
    let mut wrongly = Vec::new();
    for (name, token) in &bad {
        if bench.accepts(token).await {
            wrongly.push(*name);
        }
    }
    assert!(wrongly.is_empty(), "accepted: {wrongly:?}");
    let names: std::collections::BTreeSet<_> = bad.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), bad.len(), "each case has a name of its own");
    assert!(bad.len() >= 42, "{} cases", bad.len());
    let (service, store) = (&bench.world.service, &bench.world.store);
    service.log_out(store, &bench.user_id, &bench.tokens.session).await.unwrap();
    assert!(
        !bench.accepts(&bench.with_claims(json!({}))).await,
        "accepted: a session that is over"
    );
}

/// What is not a bearer's is refused; no header at all is nobody in particular.
#[tokio::test]
async fn other_headers_are_refused() {
    let bench = bench().await;
    let token = bench.tokens.access_token.reveal();
    for header in ["", "Bearer", "Bearer ", "Basic YTpi", &format!("Bearer  {token}"), token] {
        let answer = Credential::read(Some(header));
        assert_eq!(answer.unwrap_err().code().status, 401, "{header:?}");
    }
    let lower = format!("bearer {token}");
    let Ok(Credential::Token(token)) = Credential::read(Some(&lower)) else { panic!("{lower}") };
    bench.authenticator.token(token.reveal()).await.unwrap();
    assert!(matches!(Credential::read(None), Ok(Credential::None)));
}
