//! An attempt at a publisher: a few quick tries, and then the schedule as for everybody.

use kernel::error::Error;

use crate::attempt::Outcome;
use crate::client::Reply;
use crate::events::Message;
use crate::records::Delivery;
use crate::worker::Deliveries;

impl Deliveries {
    /// Publishes a claimed delivery (R002-11.3-1: three tries, the pauses doubling from 200 ms).
    pub(crate) async fn publish(&self, delivery: &Delivery) -> Result<Outcome, Error> {
        let name = delivery.endpoint_id.trim_start_matches("pub_");
        let publisher = self.parts.publishers.iter().find(|publisher| publisher.name() == name);
        let Some(publisher) = publisher else {
            return Ok(Outcome::Stopped("its publisher is not configured"));
        };
        let Some(event) = self.event(&delivery.event_id).await? else {
            return Ok(Outcome::Stopped("its event has expired"));
        };
        let message = Message::of(&event)?;
        let started = self.now();
        let mut outcome = publisher.publish(&message).await;
        let mut pause = self.parts.settings.publish_pause;
        for _ in 1..self.parts.settings.publish_tries {
            if outcome.is_ok() {
                break;
            }
            self.parts.pauses.pause(pause).await;
            pause *= 2;
            outcome = publisher.publish(&message).await;
        }
        let reply = outcome.map(|()| Reply { status: 200, ..Reply::default() });
        Ok(Outcome::Published { started, reply })
    }
}
