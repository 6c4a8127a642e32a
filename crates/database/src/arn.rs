//! Amazon resource names: how tables, indexes and streams are called from outside, and back to
//! plain names.

use crate::Error;
use crate::definition_checks::{constraint_text, is_name, texts};
use crate::options::Options;

/// The ARN of a table.
pub fn table(options: &Options, table_name: &str) -> String {
    format!("arn:aws:dynamodb:{}:{}:table/{table_name}", options.region, options.account_id)
}

/// The ARN of an index.
pub fn index(options: &Options, table_name: &str, index_name: &str) -> String {
    format!("{}/index/{index_name}", table(options, table_name))
}

/// The ARN of a stream.
pub fn stream(options: &Options, table_name: &str, label: &str) -> String {
    format!("{}/stream/{label}", table(options, table_name))
}

/// The ARN of an encryption key that was given as an ARN, an alias or an id.
pub fn encryption_key(options: &Options, key: &str) -> String {
    if key.starts_with("arn:") {
        return key.to_owned();
    }
    let kind = if key.starts_with("alias/") { "" } else { "key/" };
    format!("arn:aws:kms:{}:{}:{kind}{key}", options.region, options.account_id)
}

/// The table name in a `TableName` parameter, which may hold a name or a table's ARN. A plain name
/// comes back as it is, unchecked. Whose table it is does not matter here.
pub fn table_name_of(name_or_arn: &str) -> Result<&str, Error> {
    if !name_or_arn.starts_with("arn:") {
        return Ok(name_or_arn);
    }
    let refused = |constraint: &str| {
        let text = constraint_text(name_or_arn, "tableName", constraint);
        Error::Validation(format!("1 validation error detected: {text}"))
    };
    let resource = name_or_arn.splitn(6, ':').nth(5).unwrap_or_default();
    let Some((kind, name)) = resource.split_once('/') else {
        return Err(refused(texts::ARN_FORMAT));
    };
    if kind != "table" {
        return Err(refused("Invalid resource type"));
    }
    if name.len() < 3 {
        return Err(refused("Table name of ARN must have length greater than or equal to 3"));
    }
    if is_name(name) { Ok(name) } else { Err(refused(texts::ARN_FORMAT)) }
}

/// The table name in a `TableName` parameter. An ARN of another account names another table, which
/// nobody here may use; its region does not matter, since a database has the region it is told.
pub fn own_table<'a>(
    options: &Options,
    operation: &str,
    name_or_arn: &'a str,
) -> Result<&'a str, Error> {
    let name = table_name_of(name_or_arn)?;
    let is_arn = name.len() < name_or_arn.len();
    if is_arn && name_or_arn.split(':').nth(4) != Some(options.account_id.as_str()) {
        return Err(access_denied(options, operation, name_or_arn));
    }
    Ok(name)
}

/// The table name in the ARN of a tag operation: only tables of this region and account can be
/// tagged, indexes cannot (rule 62).
pub fn tagged_table<'a>(
    options: &Options,
    operation: &str,
    arn: &'a str,
) -> Result<&'a str, Error> {
    if arn.is_empty() {
        return Err(Error::Validation("Invalid TableArn".to_owned()));
    }
    if !arn.starts_with("arn:") {
        return Err(texts::invalid(format!("ARNs must start with 'arn:': {arn}")));
    }
    let parts: Vec<&str> = arn.splitn(6, ':').collect();
    let [_, _, "dynamodb", region, account, resource] = parts[..] else {
        return Err(texts::invalid(format!("Provided Arn is not a DynamoDB resource arn: {arn}")));
    };
    if account != options.account_id {
        return Err(access_denied(options, operation, arn));
    }
    let name = resource.strip_prefix("table/").unwrap_or_default();
    if name.contains("/index/") {
        return Err(texts::invalid(format!(
            "Invalid resource arn provided, only table or stream is accepted. \
             Provided resource arn: {arn}"
        )));
    }
    if region != options.region || !is_name(name) {
        return Err(Error::Validation(format!(
            "Invalid TableArn: Invalid ResourceArn provided as input {arn}"
        )));
    }
    Ok(name)
}

/// What an operation answers about what its caller may not see (rules 5 and 62).
pub fn access_denied(options: &Options, operation: &str, arn: &str) -> Error {
    Error::AccessDenied(format!(
        "User: arn:aws:iam::{}:root is not authorized to perform: dynamodb:{operation} \
         on resource: {arn}",
        options.account_id
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARN: &str = "arn:aws:dynamodb:eu-west-2:123456789012:table/orders";

    #[test]
    fn a_table_may_be_given_by_name_or_arn() {
        assert_eq!(table_name_of("orders"), Ok("orders"));
        assert_eq!(table_name_of(ARN), Ok("orders"));
    }

    #[test]
    fn an_arn_of_something_else_is_refused() {
        let refused = |arn: &str| table_name_of(arn).unwrap_err().to_string();
        let index = format!("{ARN}/index/by_date");
        assert_eq!(
            refused(&index),
            format!(
                "1 validation error detected: Value '{index}' at 'tableName' failed to satisfy \
                 constraint: {}",
                texts::ARN_FORMAT
            )
        );
        assert!(refused("arn:aws:dynamodb:r:1:backup/orders").ends_with("Invalid resource type"));
        assert!(refused("arn:aws:dynamodb:r:1:table/ab").ends_with("greater than or equal to 3"));
        assert!(refused("arn:aws:dynamodb").ends_with("pattern: [a-zA-Z0-9_.-]+"));
    }

    #[test]
    fn an_encryption_key_is_shown_as_an_arn() {
        let options = Options::in_memory();
        let key = |given| encryption_key(&options, given);
        assert_eq!(key("arn:aws:kms:x:1:key/k"), "arn:aws:kms:x:1:key/k");
        assert_eq!(key("k"), "arn:aws:kms:us-east-1:000000000000:key/k");
        assert_eq!(key("alias/k"), "arn:aws:kms:us-east-1:000000000000:alias/k");
    }
}
