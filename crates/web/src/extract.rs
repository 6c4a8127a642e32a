//! A handler's inputs as types: what they take from a request, and how they describe themselves.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::request::Parts;
use kernel::error::{Error, UNSUPPORTED_MEDIA_TYPE};
use kernel::strict_json;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Context;
use super::check::{Checker, Definitions};

/// A request as extractors see it: whole, its caller known and permitted.
pub struct Input<'a, S> {
    /// The service's state.
    pub state: &'a S,
    /// The circumstances.
    pub context: Context,
    /// Method, path, headers.
    pub head: &'a Parts,
    /// The body.
    pub body: Bytes,
    pub(super) checks: &'a Checks,
}

/// Something a handler takes.
pub trait Extract<S>: Sized + Send {
    /// Takes it from a request.
    fn extract(input: &Input<'_, S>) -> Result<Self, Error>;

    /// Says what it takes.
    fn describe(description: &mut Description);
}

/// What the inputs of a handler say of themselves.
#[derive(Debug, Default)]
pub struct Description {
    pub(super) body: Option<Arc<Value>>,
    /// Whether it may be left out.
    pub(super) is_body_optional: bool,
    /// The name of the body's schema.
    pub(super) body_name: Option<String>,
    pub(super) query: Option<Arc<Value>>,
    pub(super) path: Option<Arc<Value>>,
    /// Whether `limit` and `nextToken` are taken apart from other parameters.
    pub(super) is_paged: bool,
    /// Whether If-Match is looked at, and whether it must be there.
    pub(super) if_match: Option<bool>,
    pub(super) definitions: Definitions,
}

impl Description {
    /// The schema of a type, with those it refers to added to the definitions.
    pub(super) fn schema<T: ToSchema>(&mut self) -> Arc<Value> {
        let mut all = Vec::new();
        T::schemas(&mut all);
        let value = |schema| Arc::new(serde_json::to_value(schema).unwrap_or_default());
        self.definitions.extend(all.into_iter().map(|(name, schema)| (name, value(schema))));
        let own = value(T::schema());
        self.definitions.insert(T::name().into_owned(), Arc::clone(&own));
        own
    }

    /// Adds parameters of the query string: several inputs of a handler may take some. No others are
    /// taken.
    pub(super) fn add_query(&mut self, schema: &Value) {
        let Some(before) = self.query.take() else {
            self.query = Some(Arc::new(schema.clone()));
            return;
        };
        let mut all = Value::clone(&before);
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            all["properties"][name] = property.clone();
        }
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        if let (Some(all), false) = (all.as_object_mut(), required.is_empty()) {
            let names = all.entry("required").or_insert_with(|| Value::Array(Vec::new()));
            names.as_array_mut().into_iter().for_each(|names| names.extend(required.clone()));
        }
        all["additionalProperties"] = Value::Bool(false);
        self.query = Some(Arc::new(all));
    }
}

/// The checks of a route's inputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Checks {
    pub body: Checker,
    pub query: Checker,
    pub is_paged: bool,
    pub path: Checker,
}

impl Checks {
    pub(super) fn new(description: &Description) -> Result<Checks, String> {
        let checker = |schema: &Option<Arc<Value>>| {
            Checker::new(schema.clone().unwrap_or_default(), &description.definitions)
        };
        Ok(Checks {
            body: checker(&description.body)?,
            query: checker(&description.query)?,
            is_paged: description.is_paged,
            path: checker(&description.path)?,
        })
    }
}

/// The service's state.
pub struct State<S>(pub S);

impl<S: Clone + Send> Extract<S> for State<S> {
    fn extract(input: &Input<'_, S>) -> Result<State<S>, Error> {
        Ok(State(input.state.clone()))
    }

    fn describe(_: &mut Description) {}
}

/// A JSON body: checked against the type's schema first, so that every problem is told at once.
pub struct Body<T>(pub T);

impl<S, T: DeserializeOwned + ToSchema + Send> Extract<S> for Body<T> {
    fn extract(input: &Input<'_, S>) -> Result<Body<T>, Error> {
        let wrong = |why| Error::validation([("body", why)]);
        // Nothing at all is no body of another kind.
        if input.body.is_empty() && !input.head.headers.contains_key(CONTENT_TYPE) {
            return Err(wrong("is missing: send JSON".to_owned()));
        }
        must_be_json(input.head)?;
        let value = strict_json::parse(&input.body).map_err(wrong)?;
        if let Some(number) = strict_json::inexact_number(&input.body) {
            let number: String = number.chars().take(40).collect();
            let message =
                format!("has a number with more digits than are kept, {number}: send a text");
            return Err(wrong(message));
        }
        typed(&input.checks.body, "body", value).map(Body)
    }

    fn describe(description: &mut Description) {
        description.body = Some(description.schema::<T>());
        description.body_name = Some(T::name().into_owned());
    }
}

/// A JSON body that may be left out.
impl<S, T: DeserializeOwned + ToSchema + Send> Extract<S> for Option<Body<T>> {
    fn extract(input: &Input<'_, S>) -> Result<Option<Body<T>>, Error> {
        if input.body.is_empty() {
            return Ok(None);
        }
        Body::extract(input).map(Some)
    }

    fn describe(description: &mut Description) {
        <Body<T> as Extract<S>>::describe(description);
        description.is_body_optional = true;
    }
}

/// The query string.
pub struct Params<T>(pub T);

impl<S, T: DeserializeOwned + ToSchema + Send> Extract<S> for Params<T> {
    fn extract(input: &Input<'_, S>) -> Result<Params<T>, Error> {
        let mut members = query_members(input)?;
        must_pass(&input.checks.query, "query", &members)?;
        if let (true, Some(members)) = (input.checks.is_paged, members.as_object_mut()) {
            // These are of Paging.
            members.remove("limit");
            members.remove("nextToken");
        }
        parsed("query", members).map(Params)
    }

    fn describe(description: &mut Description) {
        let schema = description.schema::<T>();
        description.add_query(&schema);
    }
}

/// The members of the query string, each as its schema wants it.
pub(super) fn query_members<S>(input: &Input<'_, S>) -> Result<Value, Error> {
    let query = input.head.uri.query().unwrap_or_default();
    let mut members = Map::new();
    for (name, text) in form_urlencoded::parse(query.as_bytes()) {
        let schema = input.checks.query.member(&name).unwrap_or(&Value::Null);
        match members.get_mut(&*name) {
            Some(Value::Array(values)) => values.push(from_text(&schema["items"], &text)),
            Some(_) => {
                return Err(Error::validation([(&*name, "should come once".to_owned())]));
            }
            None if has_type(schema, "array") => {
                let first = vec![from_text(&schema["items"], &text)];
                members.insert(name.into_owned(), Value::Array(first));
            }
            None => {
                members.insert(name.into_owned(), from_text(schema, &text));
            }
        }
    }
    Ok(Value::Object(members))
}

/// The parts of the path that the route names.
pub struct InPath<T>(pub T);

impl<S, T: DeserializeOwned + ToSchema + Send> Extract<S> for InPath<T> {
    fn extract(input: &Input<'_, S>) -> Result<InPath<T>, Error> {
        let checker = &input.checks.path;
        let member = |(name, text): &(String, String)| {
            (name.clone(), from_text(checker.member(name).unwrap_or(&Value::Null), text))
        };
        let members: Map<String, Value> = input.context.path_values.iter().map(member).collect();
        typed(checker, "path", Value::Object(members)).map(InPath)
    }

    fn describe(description: &mut Description) {
        description.path = Some(description.schema::<T>());
    }
}

/// Refuses what is not as the schema says, with every problem.
pub(super) fn must_pass(checker: &Checker, name: &str, value: &Value) -> Result<(), Error> {
    let problems = checker.problems(name, value);
    if problems.is_empty() {
        return Ok(());
    }
    let fields = problems.iter().map(|(field, why)| (field.as_str(), why.clone()));
    Err(Error::validation(fields))
}

fn typed<T: DeserializeOwned>(checker: &Checker, name: &str, value: Value) -> Result<T, Error> {
    must_pass(checker, name, &value)?;
    parsed(name, value)
}

fn parsed<T: DeserializeOwned>(name: &str, value: Value) -> Result<T, Error> {
    // The type is stricter than its schema. Its words may repeat what was sent, so only the log has
    // what kind of mistake it was.
    serde_json::from_value(value).map_err(|error| {
        let why = "does not have the form that the documentation describes".to_owned();
        Error::validation([(name, why)]).because(format!("{:?}", error.classify()))
    })
}

/// Text becomes what the schema wants, if it can; if not, the check says so.
fn from_text(schema: &Value, text: &str) -> Value {
    // Rust reads a plus sign before a number, JSON does not.
    if text.starts_with('+') {
        return Value::from(text);
    }
    let parsed = if has_type(schema, "integer") {
        text.parse::<i64>().ok().map(Value::from)
    } else if has_type(schema, "number") {
        text.parse::<f64>().ok().map(Value::from)
    } else if has_type(schema, "boolean") {
        text.parse::<bool>().ok().map(Value::from)
    } else {
        None
    };
    parsed.unwrap_or_else(|| Value::from(text))
}

fn has_type(schema: &Value, name: &str) -> bool {
    match &schema["type"] {
        Value::String(one) => one == name,
        Value::Array(several) => several.iter().any(|one| one == name),
        _ => false,
    }
}

fn must_be_json(head: &Parts) -> Result<(), Error> {
    let refuse = |message: &'static str| Err(Error::new(UNSUPPORTED_MEDIA_TYPE, message));
    if head.headers.get(CONTENT_ENCODING).is_some_and(|value| value != "identity") {
        return refuse("Send the body without compression: no Content-Encoding is understood");
    }
    let text = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let mut parts = text.unwrap_or_default().split(';').map(str::trim);
    let is_json = parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"));
    let is_plain =
        |part: &str| part.is_empty() || part.replace('"', "").eq_ignore_ascii_case("charset=utf-8");
    if !is_json || !parts.all(is_plain) {
        return refuse("Send JSON, with the header Content-Type: application/json");
    }
    Ok(())
}
