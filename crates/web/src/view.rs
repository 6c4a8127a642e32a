//! Answers that show the fields of a record: each field is named once.

/// Declares an answer that shows fields of a record, beside `_links`. A field is shown because it is
/// named here: what a record has besides stays inside. Fields that follow `and` are computed.
///
/// ```
/// struct Record { name: String, secret: String, size: i64 }
///
/// web::view! {
///     /// A thing.
///     pub struct ThingAnswer of Record {
///         /// What it is called.
///         name: String,
///     } and {
///         /// Whether it is a large one.
///         is_large: bool,
///     }
/// }
///
/// let record = Record { name: "thing".into(), secret: "x".into(), size: 9 };
/// let answer = ThingAnswer::of(&record, serde_json::json!({}), record.size > 8);
/// let expected = serde_json::json!({ "name": "thing", "isLarge": true, "_links": {} });
/// assert_eq!(serde_json::to_value(&answer).unwrap(), expected);
/// # let _ = record.secret;
/// ```
#[macro_export]
macro_rules! view {
    ($(#[$about:meta])* pub struct $name:ident of $record:ty {
        $($(#[$doc:meta])* $field:ident: $kind:ty,)*
    } $(and { $($(#[$more_doc:meta])* $more:ident: $more_kind:ty,)* })?) => {
        $(#[$about])*
        #[derive(Debug, ::serde::Serialize, ::utoipa::ToSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$doc])* pub $field: $kind,)*
            $($($(#[$more_doc])* pub $more: $more_kind,)*)?
            /// Where to go from here.
            #[serde(rename = "_links")]
            #[schema(value_type = Object)]
            pub links: ::serde_json::Value,
        }

        impl $name {
            /// The record as it is shown.
            pub fn of(
                record: &$record,
                links: ::serde_json::Value,
                $($($more: $more_kind,)*)?
            ) -> $name {
                $name { $($field: record.$field.clone(),)* $($($more,)*)? links }
            }

            /// Its own address.
            #[allow(dead_code, reason = "only what is created has a location")]
            pub fn location(&self) -> &str {
                self.links["self"]["href"].as_str().unwrap_or_default()
            }
        }
    };
}
