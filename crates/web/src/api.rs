//! What a service offers: its routes, each with operation, permission and handler.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use kernel::error::Code;
use kernel::permissions::Rule;
use serde_json::{Map, Value};
use utoipa::{PartialSchema as _, ToSchema};

use super::PageAnswer;
use super::endpoint::{Bound, Endpoint, bind};
use super::extract::Description;

/// A service's routes. [`super::ShellBuilder::mount`] puts them below a path.
pub struct Api<S> {
    pub(super) service: &'static str,
    state: S,
    pub(super) keys: KeyDemand,
    pub(super) routes: Vec<Described>,
}

/// What a service asks of API keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyDemand {
    /// A key may come alone, and says nothing beside a token.
    #[default]
    Alone,
    /// A key may come alone; beside a token it must allow what is asked, too.
    Checked,
    /// Every request has a token and a key, and both must allow it (R002-6.3-1, R002-6.3-2).
    Both,
}

/// A route with all that its handler says of itself.
#[derive(Clone)]
pub(super) struct Described {
    pub route: Route,
    pub rule: Rule,
    pub description: Arc<Description>,
    pub handler: Arc<dyn Bound>,
}

impl<S: Clone + Send + Sync + 'static> Api<S> {
    /// A service without routes. Its name is in logs, metrics and documentation.
    pub fn new(service: &'static str, state: S) -> Api<S> {
        Api { service, state, keys: KeyDemand::default(), routes: Vec::new() }
    }

    /// The same with another demand of API keys.
    #[must_use]
    pub fn keys(mut self, demand: KeyDemand) -> Api<S> {
        self.keys = demand;
        self
    }

    /// The same with a route. The handler's first argument is [`super::Allowed`] with the permission
    /// it demands: one without is no handler.
    #[must_use]
    pub fn route<M: 'static, E: Endpoint<S, M>>(mut self, route: Route, endpoint: E) -> Api<S> {
        let mut description = Description::default();
        E::describe(&mut description);
        for answer in &route.answers {
            (answer.define)(&mut description);
        }
        let handler = bind(self.state.clone(), endpoint);
        let described =
            Described { route, rule: E::rule(), description: Arc::new(description), handler };
        self.routes.push(described);
        self
    }
}

/// A method on a path, and what it is for.
#[derive(Clone)]
pub struct Route {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) operation: &'static str,
    pub(super) summary: &'static str,
    pub(super) answers: Vec<Answered>,
    pub(super) errors: Vec<Code>,
    pub(super) is_idempotent: bool,
    pub(super) time_max: Option<Duration>,
    pub(super) deprecated: Option<Deprecated>,
}

/// A route that will go away.
#[derive(Clone, Copy)]
pub(super) struct Deprecated {
    /// Since when, in seconds since 1970.
    pub since: u64,
    /// The path of what to use in its place.
    pub successor: &'static str,
}

#[derive(Clone)]
pub(super) struct Answered {
    pub status: u16,
    pub description: &'static str,
    /// The bodies that there can be: their media types, and a schema each.
    pub content: Map<String, Value>,
    define: fn(&mut Description),
}

/// A body in JSON.
fn json_content(schema: Value) -> Map<String, Value> {
    Map::from_iter([("application/json".to_owned(), schema)])
}

impl Route {
    /// Reads. The path is the service's own, as `/keys/{keyId}`; the operation is named as in
    /// `getKey`, once in the whole server.
    pub fn get(path: &'static str, operation: &'static str) -> Route {
        Route::new(Method::GET, path, operation)
    }

    /// Makes or does.
    pub fn post(path: &'static str, operation: &'static str) -> Route {
        Route::new(Method::POST, path, operation)
    }

    /// Replaces.
    pub fn put(path: &'static str, operation: &'static str) -> Route {
        Route::new(Method::PUT, path, operation)
    }

    /// Changes.
    pub fn patch(path: &'static str, operation: &'static str) -> Route {
        Route::new(Method::PATCH, path, operation)
    }

    /// Removes.
    pub fn delete(path: &'static str, operation: &'static str) -> Route {
        Route::new(Method::DELETE, path, operation)
    }

    fn new(method: Method, path: &'static str, operation: &'static str) -> Route {
        let is_idempotent = [Method::POST, Method::PUT, Method::PATCH].contains(&method);
        Route {
            method,
            path,
            operation,
            summary: "",
            answers: Vec::new(),
            errors: Vec::new(),
            is_idempotent,
            time_max: None,
            deprecated: None,
        }
    }

    /// Says in a line what it does.
    #[must_use]
    pub fn summary(mut self, summary: &'static str) -> Route {
        self.summary = summary;
        self
    }

    /// Says what it answers with when all is well: a type that is not generic, because its name is
    /// that of its schema.
    #[must_use]
    pub fn answers<T: ToSchema>(mut self, status: u16, description: &'static str) -> Route {
        let define = |description: &mut Description| {
            description.schema::<T>();
        };
        let schema = serde_json::json!({ "$ref": format!("#/components/schemas/{}", T::name()) });
        self.answers.push(Answered { status, description, content: json_content(schema), define });
        self
    }

    /// Says that it answers 200 with a page of a list of these ([`super::PageAnswer`]).
    #[must_use]
    pub fn answers_page<T: ToSchema>(mut self, description: &'static str) -> Route {
        // The derived schema of a generic type refers to its parameter without defining it.
        let define = |description: &mut Description| {
            description.schema::<T>();
        };
        let schema = serde_json::to_value(PageAnswer::<T>::schema()).unwrap_or_default();
        let content = json_content(schema);
        self.answers.push(Answered { status: 200, description, content, define });
        self
    }

    /// Says that it answers 200 with a text in one of these media types.
    #[must_use]
    pub fn answers_text(mut self, media: &[&str], description: &'static str) -> Route {
        let text = || serde_json::json!({ "type": "string" });
        let content = media.iter().map(|media| ((*media).to_owned(), text())).collect();
        self.answers.push(Answered { status: 200, description, content, define: |_| {} });
        self
    }

    /// Says that it answers without a body when all is well.
    #[must_use]
    pub fn answers_empty(mut self, status: u16, description: &'static str) -> Route {
        self.answers.push(Answered { status, description, content: Map::new(), define: |_| {} });
        self
    }

    /// Says which errors of its own it has, besides those that every route has.
    #[must_use]
    pub fn errors(mut self, codes: &[Code]) -> Route {
        self.errors.extend_from_slice(codes);
        self
    }

    /// Takes no Idempotency-Key: because answers hold secrets that must not be kept, say.
    #[must_use]
    pub fn never_replayed(mut self) -> Route {
        self.is_idempotent = false;
        self
    }

    /// May take another time than the shell allows.
    #[must_use]
    pub fn time_max(mut self, time: Duration) -> Route {
        self.time_max = Some(time);
        self
    }

    /// Will go away, since a time in seconds since 1970, and is replaced by another of the service's
    /// paths: answers say so (RFC 9745).
    #[must_use]
    pub fn deprecated(mut self, since: u64, successor: &'static str) -> Route {
        self.deprecated = Some(Deprecated { since, successor });
        self
    }
}
