//! Checks of table definitions.
use crate::Error;
/// Is this a table name?
pub fn table_name(_name: &str) -> Result<(), Error> {
    Ok(())
}
