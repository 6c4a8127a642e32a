//! Table names given as ARNs.
use crate::Error;
/// The table's name in a name or ARN.
pub fn table_name_of(name: &str) -> Result<&str, Error> {
    Ok(name.rsplit_once(":table/").map_or(name, |(_, name)| name))
}
