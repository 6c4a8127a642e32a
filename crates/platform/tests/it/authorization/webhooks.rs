//! An example of each route of `/ops/v1.0/webhooks`.

use std::sync::Arc;

use platform::http::matrix::Example;

use super::stage::Stage;

pub fn examples(_: &Arc<Stage>) -> Vec<Example> {
    Vec::new()
}
