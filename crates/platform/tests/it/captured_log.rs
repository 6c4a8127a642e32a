//! Everything that this process logs, for tests that look for what must be there and what must not.

use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock};

use tracing::level_filters::LevelFilter;

static LOG: OnceLock<CapturedLog> = OnceLock::new();

/// The log so far. Other tests write into it too: look for what only one's own has.
#[derive(Clone, Default)]
pub struct CapturedLog(Arc<Mutex<Vec<u8>>>);

impl CapturedLog {
    /// Captures from now on, every level, as JSON lines. For the whole process: what is logged in one
    /// thread only depends on what others do meanwhile.
    pub fn start() -> CapturedLog {
        let log = LOG.get_or_init(|| {
            let log = CapturedLog::default();
            let writer = log.clone();
            let subscriber = tracing_subscriber::fmt()
                .json()
                .flatten_event(true)
                .with_max_level(LevelFilter::TRACE)
                .with_writer(move || writer.clone())
                .finish();
            tracing::subscriber::set_global_default(subscriber).unwrap();
            log
        });
        log.clone()
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for CapturedLog {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
