//! An answer as it is kept: sealed for its place, in the request's item, or in parts beside it.

use bytes::Bytes;
use http::StatusCode;
use http::header::{HeaderMap, HeaderName, HeaderValue, ToStrError};
use kernel::error::Error;
use serde_bytes::ByteBuf;
use store::{Key as StoreKey, Put, Write};

use super::Idempotency;
use super::claim::{Claim, Ground};
use super::record::{Chunk, Record, Status, chunk_expiry};
use crate::Answer;

/// A sealed answer up to this size is in the request's item, which has at most 400 KB with the rest.
const INLINE_BYTES_MAX: usize = 300 * 1024;
/// Size of a part.
const CHUNK_BYTES: usize = 350 * 1024;

/// Headers that belong to one exchange and not to the answer: they are made anew.
const NOT_KEPT: [&str; 12] = [
    "connection",
    "keep-alive",
    "transfer-encoding",
    "upgrade",
    "trailer",
    "date",
    "x-request-id",
    "traceparent",
    "tracestate",
    "ratelimit",
    "ratelimit-policy",
    "idempotent-replayed",
];

impl Idempotency {
    /// The writes that keep an answer, on condition that the claim holds; the condition is on the
    /// first of them.
    pub(crate) async fn completion(
        &self,
        claim: &Claim,
        answer: &Answer,
    ) -> Result<Vec<Write>, Error> {
        let mut record = claim.record().clone();
        let packed = pack(answer)?;
        let place = place(&record.request_hash);
        let sealed = self.seal.seal(&record.account_id, &place, &packed).await?;
        let mut chunks = Vec::new();
        if sealed.len() <= INLINE_BYTES_MAX {
            record.response = Some(ByteBuf::from(sealed));
        } else {
            for (at, bytes) in (0_u32..).zip(sealed.chunks(CHUNK_BYTES)) {
                let chunk = Chunk {
                    parent_hash: record.request_hash.clone(),
                    fencing_token: record.fencing_token,
                    chunk: at,
                    bytes: ByteBuf::from(bytes.to_vec()),
                    ttl: chunk_expiry(record.ttl),
                };
                chunks.push(self.table.answer_chunk().put(&chunk)?);
            }
            record.response_chunks = u32::try_from(chunks.len()).ok();
        }
        record.status = Status::Completed;
        record.response_status = Some(answer.status.as_u16());
        record.completed_at = Some(self.now());
        record.locked_until = None;
        let complete = match claim.stands_on() {
            Ground::Fence(fence) => self.table.complete_request(fence),
            Ground::Nothing => self.unseen(&record),
        };
        let completed = complete.put(&record)?;
        Ok([completed].into_iter().chain(chunks).collect())
    }

    /// A put on condition that the request was not seen before it was made.
    pub(super) fn unseen(&self, record: &Record) -> Put {
        self.table.begin_request(record.created_at.seconds())
    }

    /// The answer that was kept.
    pub(super) async fn kept(&self, record: Record) -> Result<Answer, Error> {
        let lost = || Error::internal("a kept answer is not complete");
        let sealed = match (record.response, record.response_chunks) {
            (Some(sealed), _) => sealed.into_vec(),
            (None, Some(count)) => {
                let key =
                    |chunk: u32| self.chunk_key(&record.request_hash, record.fencing_token, chunk);
                let keys = (0..count).map(key).collect::<Result<Vec<_>, _>>()?;
                let chunks: Vec<Option<Chunk>> = self.store.batch_get(&keys).await?;
                let mut sealed = Vec::new();
                for chunk in chunks {
                    sealed.extend(chunk.ok_or_else(lost)?.bytes.into_vec());
                }
                sealed
            }
            (None, None) => return Err(lost()),
        };
        let place = place(&record.request_hash);
        let packed = self.seal.unseal(&record.account_id, &place, &sealed).await?;
        unpack(record.response_status.ok_or_else(lost)?, packed).ok_or_else(lost)
    }

    fn chunk_key(&self, hash: &str, fencing_token: u64, chunk: u32) -> Result<StoreKey, Error> {
        Ok(self.table.get_answer_chunk(hash, fencing_token, chunk).key()?)
    }
}

fn place(request_hash: &str) -> String {
    ["platform/idempotency_keys/", request_hash, "/response"].concat()
}

/// The length of the headers' JSON in four bytes, that JSON, the body.
fn pack(answer: &Answer) -> Result<Vec<u8>, Error> {
    let kept = answer.headers.iter().filter(|(name, _)| !NOT_KEPT.contains(&name.as_str()));
    let headers = kept.map(|(name, value)| Ok((name.as_str(), value.to_str()?)));
    let headers: Vec<_> = headers.collect::<Result<_, ToStrError>>().map_err(Error::internal)?;
    let headers = serde_json::to_vec(&headers).map_err(Error::internal)?;
    let length = u32::try_from(headers.len()).map_err(Error::internal)?;
    Ok([&length.to_be_bytes()[..], &headers, &answer.body].concat())
}

fn unpack(status: u16, packed: Vec<u8>) -> Option<Answer> {
    let mut rest = Bytes::from(packed);
    if rest.len() < 4 {
        return None;
    }
    let length = rest.split_to(4);
    let length = u32::from_be_bytes(length.as_ref().try_into().ok()?) as usize;
    if rest.len() < length {
        return None;
    }
    let kept: Vec<(String, String)> = serde_json::from_slice(&rest.split_to(length)).ok()?;
    let mut headers = HeaderMap::with_capacity(kept.len());
    for (name, value) in kept {
        headers.append(HeaderName::try_from(name).ok()?, HeaderValue::try_from(value).ok()?);
    }
    let status = StatusCode::from_u16(status).ok()?;
    Some(Answer { headers, ..Answer::new(status, rest) })
}
