//! The store's writes as the SDK's actions of batches and transactions.

use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete, DeleteRequest, Put, PutRequest,
    ReturnValuesOnConditionCheckFailure as OnFailure, TransactWriteItem, Update, WriteRequest,
};
use store::BackendError;
use store::backend::{Action, Change};

use crate::failure::incomplete;
use crate::values::{names_to_sdk, to_sdk, values_to_sdk};

/// A put or a deletion of a batch; nothing for what a batch cannot do.
pub(crate) fn write_request(write: &Action) -> Result<Option<WriteRequest>, BackendError> {
    let request = WriteRequest::builder();
    Ok(match &write.change {
        Change::Put(item) => {
            let put = PutRequest::builder().set_item(Some(to_sdk(item)));
            Some(request.put_request(put.build().map_err(incomplete)?).build())
        }
        Change::Delete { key } => {
            let delete = DeleteRequest::builder().set_key(Some(to_sdk(key)));
            Some(request.delete_request(delete.build().map_err(incomplete)?).build())
        }
        Change::Update { .. } | Change::Check { .. } => None,
    })
}

/// An action of a transaction.
pub(crate) fn transact_item(write: &Action) -> Result<TransactWriteItem, BackendError> {
    let (names, values) = (names_to_sdk(&write.names), values_to_sdk(&write.values));
    let item = TransactWriteItem::builder();
    let item = match &write.change {
        Change::Put(put) => item.put(
            Put::builder()
                .table_name(&write.table_name)
                .set_item(Some(to_sdk(put)))
                .set_condition_expression(write.condition.clone())
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .return_values_on_condition_check_failure(OnFailure::AllOld)
                .build()
                .map_err(incomplete)?,
        ),
        Change::Update { key, expression } => item.update(
            Update::builder()
                .table_name(&write.table_name)
                .set_key(Some(to_sdk(key)))
                .update_expression(expression)
                .set_condition_expression(write.condition.clone())
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .return_values_on_condition_check_failure(OnFailure::AllOld)
                .build()
                .map_err(incomplete)?,
        ),
        Change::Delete { key } => item.delete(
            Delete::builder()
                .table_name(&write.table_name)
                .set_key(Some(to_sdk(key)))
                .set_condition_expression(write.condition.clone())
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .return_values_on_condition_check_failure(OnFailure::AllOld)
                .build()
                .map_err(incomplete)?,
        ),
        Change::Check { key } => item.condition_check(
            ConditionCheck::builder()
                .table_name(&write.table_name)
                .set_key(Some(to_sdk(key)))
                .set_condition_expression(write.condition.clone())
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .return_values_on_condition_check_failure(OnFailure::AllOld)
                .build()
                .map_err(incomplete)?,
        ),
    };
    Ok(item.build())
}
