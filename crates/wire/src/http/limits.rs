//! Every limit of the server, in one place.

use std::time::Duration;

/// How much and how long. [`Limits::default`] says what is usual.
#[derive(Clone, Debug)]
pub struct Limits {
    /// From the first byte of a request to the end of its headers; also for the TLS handshake.
    pub header_time: Duration,
    /// Between two requests of a connection.
    pub idle_time: Duration,
    /// From the end of the headers to the end of the body.
    pub body_time: Duration,
    /// Between two pieces of a body.
    pub body_pause: Duration,
    /// Bytes of a request's headers.
    pub header_bytes_max: usize,
    /// Headers of a request.
    pub headers_max: usize,
    /// Bytes of a body, decompressed.
    pub body_bytes_max: usize,
    /// Bytes of all large bodies that are held at one time.
    pub bodies_bytes_max: usize,
    /// Bytes of all large answers that are not sent yet.
    pub answers_bytes_max: usize,
    /// For how long nothing of an answer may be read.
    pub answer_pause: Duration,
    /// Connections at one time.
    pub connections_max: usize,
    /// Connections of one address at one time, loopback excepted.
    pub connections_per_address_max: usize,
    /// Requests of one HTTP/2 connection at one time.
    pub streams_max: u32,
    /// How long requests may take to finish when the server stops.
    pub stop_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            header_time: Duration::from_secs(10),
            idle_time: Duration::from_secs(60),
            body_time: Duration::from_secs(60),
            body_pause: Duration::from_secs(10),
            header_bytes_max: 16 << 10,
            headers_max: 100,
            body_bytes_max: 16 << 20,
            bodies_bytes_max: 256 << 20,
            answers_bytes_max: 512 << 20,
            answer_pause: Duration::from_secs(60),
            connections_max: 16_384,
            connections_per_address_max: 2_048,
            streams_max: 128,
            stop_time: Duration::from_secs(25),
        }
    }
}
