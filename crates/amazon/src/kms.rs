//! A master key in Amazon KMS: it wraps the accounts' keys and unwraps them, and never leaves KMS.
//!
//! Account and key id are the encryption context, so a wrapped key opens only where it belongs, and
//! the trail of KMS says for which account it was asked.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_kms::Client;
use aws_sdk_kms::config::timeout::TimeoutConfig;
use aws_sdk_kms::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_kms::primitives::Blob;
use kernel::Error;
use secrets::{Context, KeyService, Sealing};
use tokio::sync::OnceCell;

use crate::connection::{Connection, configuration};
use crate::refusal::chain;

/// One answer, and all tries together. Whoever waits is a request, or a start.
const ANSWER_MAX: Duration = Duration::from_secs(5);
const TRIES_MAX: Duration = Duration::from_secs(15);

/// A symmetric key in Amazon KMS.
#[derive(Debug)]
pub struct Kms {
    connection: Connection,
    client: OnceCell<Client>,
    /// As KMS is asked for it.
    name: String,
    id: String,
}

impl Kms {
    /// The key of this id or ARN; what is wrong with the name otherwise. Nothing is sent yet.
    pub fn named(name: &str, endpoint: Option<String>) -> Result<Kms, String> {
        let (region, id) = parse(name).ok_or_else(|| {
            format!(
                "`{name}` names no key of Amazon KMS. Write its ARN, or its id, as `aws kms \
                 describe-key` shows them: an alias may come to mean another key."
            )
        })?;
        Ok(Kms {
            connection: Connection { endpoint, region, ..Connection::default() },
            client: OnceCell::new(),
            name: name.to_owned(),
            id: format!("kms-{id}"),
        })
    }

    async fn client(&self) -> &Client {
        let make = async || {
            let configuration = configuration(&self.connection).await;
            let timeouts = TimeoutConfig::builder()
                .operation_attempt_timeout(ANSWER_MAX)
                .operation_timeout(TRIES_MAX);
            let builder = aws_sdk_kms::config::Builder::from(&configuration);
            Client::from_conf(builder.timeout_config(timeouts.build()).build())
        };
        self.client.get_or_init(make).await
    }

    async fn encrypt(&self, context: &Context, key: &[u8]) -> Result<Vec<u8>, Error> {
        let request = self.client().await.encrypt().key_id(&self.name).plaintext(Blob::new(key));
        let sent = request.set_encryption_context(Some(bound(context))).send().await;
        let answer = sent.map_err(|error| self.failure("Encrypt", &error))?;
        let wrapped = answer.ciphertext_blob.map(Blob::into_inner);
        wrapped.ok_or_else(|| Error::unavailable("Amazon KMS answers without the wrapped key"))
    }

    async fn decrypt(&self, context: &Context, wrapped: &[u8]) -> Result<Vec<u8>, Error> {
        // The key is named although the text says which it is: no other one is to be believed.
        let request =
            self.client().await.decrypt().key_id(&self.name).ciphertext_blob(Blob::new(wrapped));
        let sent = request.set_encryption_context(Some(bound(context))).send().await;
        let answer = sent.map_err(|error| {
            let refused = error.as_service_error();
            let is_foreign = refused.is_some_and(|refused| {
                refused.is_invalid_ciphertext_exception() || refused.is_incorrect_key_exception()
            });
            if is_foreign {
                let account = &context.account;
                return Error::internal(format!(
                    "the key of the account {account} was changed, or is another's, or was wrapped \
                     by another key than {}",
                    self.name
                ));
            }
            self.failure("Decrypt", &error)
        })?;
        let key = answer.plaintext.map(Blob::into_inner);
        key.ok_or_else(|| Error::unavailable("Amazon KMS answers without the key"))
    }

    /// What KMS says, and what to do about it. It may be mended while requests are tried again.
    fn failure<E, R>(&self, operation: &str, error: &SdkError<E, R>) -> Error
    where
        E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
        R: std::fmt::Debug + Send + Sync + 'static,
    {
        let name = &self.name;
        let Some(code) = error.code() else {
            return Error::unavailable(format!(
                "Amazon KMS cannot be asked about the master key {name}: {}. It needs a region, \
                 credentials, and a way to the endpoint",
                chain(error)
            ));
        };
        let advice = match code {
            "NotFoundException" => ". Is it a key of this region and account?",
            "AccessDeniedException" => {
                ". Allow kms:Encrypt and kms:Decrypt on this key to whom these credentials belong"
            }
            "DisabledException" | "KMSInvalidStateException" => ". Enable the key",
            "InvalidKeyUsageException" => {
                ". It must be a symmetric key to encrypt and decrypt with"
            }
            _ => "",
        };
        let message = error.message().filter(|message| !message.is_empty());
        let message = message.unwrap_or("no reason is given").trim_end_matches('.');
        Error::unavailable(format!(
            "Amazon KMS refuses to {} with the master key {name}: {code}: {message}{advice}",
            operation.to_lowercase()
        ))
    }
}

impl KeyService for Kms {
    fn id(&self) -> &str {
        &self.id
    }

    fn wrap<'a>(&'a self, context: &'a Context, key: &'a [u8]) -> Sealing<'a> {
        Box::pin(self.encrypt(context, key))
    }

    fn unwrap<'a>(&'a self, context: &'a Context, wrapped: &'a [u8]) -> Sealing<'a> {
        Box::pin(self.decrypt(context, wrapped))
    }
}

fn bound(context: &Context) -> HashMap<String, String> {
    let Context { account, key_id } = context;
    HashMap::from([
        ("plinth-account".to_owned(), account.clone()),
        ("plinth-key".to_owned(), key_id.clone()),
    ])
}

/// The region, if the name says it, and the key's id, which is the same in every way to name it. A key
/// of several regions has one id in all of them, and what one wraps the others unwrap.
fn parse(name: &str) -> Option<(Option<String>, &str)> {
    let (region, id) = match name.strip_prefix("arn:") {
        None => (None, name),
        Some(rest) => {
            let parts: Vec<&str> = rest.splitn(5, ':').collect();
            let [_partition, "kms", region, _account, resource] = parts[..] else { return None };
            (Some(region.to_owned()), resource.strip_prefix("key/")?)
        }
    };
    let is_id = (1..=64).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_id.then_some((region.filter(|region| !region.is_empty()), id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_id_however_it_is_named() {
        let id = "1234abcd-12ab-34cd-56ef-1234567890ab";
        let arn = format!("arn:aws:kms:af-south-1:123456789012:key/{id}");
        let (by_id, by_arn) = (Kms::named(id, None).unwrap(), Kms::named(&arn, None).unwrap());
        assert_eq!((by_id.id(), by_arn.id()), (by_arn.id(), format!("kms-{id}").as_str()));
        assert_eq!(by_arn.connection.region.as_deref(), Some("af-south-1"));
        assert_eq!(by_id.connection.region, None);
        let wrong = [
            "",
            "alias/plinth",
            "arn:aws:kms:af-south-1:123456789012:alias/plinth",
            "arn:aws:s3:::bucket",
            "key/1",
        ];
        for name in wrong {
            let problem = Kms::named(name, None).unwrap_err();
            assert!(problem.contains("describe-key"), "{problem}");
        }
    }
}
