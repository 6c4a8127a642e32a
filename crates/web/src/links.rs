//! `_links`: where a caller can go from here, and only what they may do now.

use kernel::permissions::{Decision, Permission, Target, may};
use serde_json::{Map, Value, json};

use super::Context;

/// Links of one answer.
pub struct Links<'a> {
    context: &'a Context,
    links: Map<String, Value>,
}

impl<'a> Links<'a> {
    /// None yet.
    pub fn new(context: &'a Context) -> Links<'a> {
        Links { context, links: Map::new() }
    }

    /// A link that everybody has who sees the answer: `self`. The template is one of the service's
    /// paths; see [`Context::link`].
    #[must_use]
    pub fn to(mut self, relation: &str, template: &str, values: &[(&str, &str)]) -> Links<'a> {
        let href = self.context.link(template, values);
        self.links.insert(relation.to_owned(), json!({ "href": href }));
        self
    }

    /// A link to something that takes the permission `P` on the target, shown only to those who
    /// have it, and only if the target is in a state for it.
    #[must_use]
    pub fn offer<P: Permission>(
        self,
        is_possible: bool,
        target: &Target<'_>,
        relation: &str,
        template: &str,
        values: &[(&str, &str)],
    ) -> Links<'a> {
        let is_allowed = may(&self.context.caller, &P::RULE, target) == Decision::Allowed;
        if is_possible && is_allowed { self.to(relation, template, values) } else { self }
    }

    /// The value of `_links`.
    pub fn done(self) -> Value {
        Value::Object(self.links)
    }
}
