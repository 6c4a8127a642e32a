//! The operations that tables need, on the SDK's client.

use aws_sdk_dynamodb::types::{PointInTimeRecoverySpecification, TimeToLiveSpecification};
use serde_json::{Value, json};
use tables::{Target, TargetError};

use crate::refusal::{incomplete, refusal};
use crate::{Amazon, answer, items, members};

type Answer = Result<Value, TargetError>;

impl Target for Amazon {
    async fn call(&self, operation: &'static str, body: &Value) -> Answer {
        match operation {
            "CreateTable" => self.create_table(body).await,
            "UpdateTable" => self.update_table(body).await,
            "DeleteTable" => self.delete_table(body).await,
            "DescribeTable" => self.describe_table(body).await,
            "UpdateTimeToLive" => self.update_time_to_live(body).await,
            "DescribeTimeToLive" => self.describe_time_to_live(body).await,
            "UpdateContinuousBackups" => self.update_continuous_backups(body).await,
            "DescribeContinuousBackups" => self.describe_continuous_backups(body).await,
            "TagResource" => self.tag_resource(body).await,
            "ListTagsOfResource" => self.list_tags_of_resource(body).await,
            "BatchWriteItem" => self.batch_write_item(body).await,
            _ => Err(TargetError::NotOffered { operation: operation.to_owned() }),
        }
    }

    fn describe(&self) -> String {
        self.name().to_owned()
    }
}

fn table_name(body: &Value) -> Option<String> {
    members::text(body, "TableName")
}

impl Amazon {
    async fn create_table(&self, body: &Value) -> Answer {
        let request = self
            .client
            .create_table()
            .set_table_name(table_name(body))
            .set_attribute_definitions(members::definitions(body)?)
            .set_key_schema(members::key_schema(body)?)
            .set_billing_mode(members::text(body, "BillingMode").map(|mode| mode.as_str().into()))
            .set_provisioned_throughput(members::throughput(body)?)
            .set_global_secondary_indexes(members::global_indexes(body)?)
            .set_local_secondary_indexes(members::local_indexes(body)?)
            .set_stream_specification(members::stream(body)?)
            .set_sse_specification(members::encryption(body))
            .set_deletion_protection_enabled(body["DeletionProtectionEnabled"].as_bool())
            .set_tags(members::tags(body)?);
        let sent = request.send().await.map_err(|error| refusal("CreateTable", error))?;
        Ok(json!({ "TableDescription": sent.table_description().map(answer::table) }))
    }

    async fn update_table(&self, body: &Value) -> Answer {
        let request = self
            .client
            .update_table()
            .set_table_name(table_name(body))
            .set_attribute_definitions(members::definitions(body)?)
            .set_billing_mode(members::text(body, "BillingMode").map(|mode| mode.as_str().into()))
            .set_provisioned_throughput(members::throughput(body)?)
            .set_global_secondary_index_updates(members::index_updates(body)?)
            .set_stream_specification(members::stream(body)?)
            .set_sse_specification(members::encryption(body))
            .set_deletion_protection_enabled(body["DeletionProtectionEnabled"].as_bool());
        let sent = request.send().await.map_err(|error| refusal("UpdateTable", error))?;
        Ok(json!({ "TableDescription": sent.table_description().map(answer::table) }))
    }

    async fn delete_table(&self, body: &Value) -> Answer {
        let request = self.client.delete_table().set_table_name(table_name(body));
        request.send().await.map_err(|error| refusal("DeleteTable", error))?;
        Ok(json!({}))
    }

    async fn describe_table(&self, body: &Value) -> Answer {
        let request = self.client.describe_table().set_table_name(table_name(body));
        let sent = request.send().await.map_err(|error| refusal("DescribeTable", error))?;
        Ok(json!({ "Table": sent.table().map(answer::table) }))
    }

    async fn update_time_to_live(&self, body: &Value) -> Answer {
        let specification = &body["TimeToLiveSpecification"];
        let specification = TimeToLiveSpecification::builder()
            .set_enabled(specification["Enabled"].as_bool())
            .set_attribute_name(members::text(specification, "AttributeName"))
            .build()
            .map_err(incomplete)?;
        let request = self.client.update_time_to_live().set_table_name(table_name(body));
        let request = request.time_to_live_specification(specification);
        request.send().await.map_err(|error| refusal("UpdateTimeToLive", error))?;
        Ok(json!({}))
    }

    async fn describe_time_to_live(&self, body: &Value) -> Answer {
        let request = self.client.describe_time_to_live().set_table_name(table_name(body));
        let sent = request.send().await.map_err(|error| refusal("DescribeTimeToLive", error))?;
        let description = sent.time_to_live_description();
        let status = description.and_then(|description| description.time_to_live_status());
        Ok(json!({ "TimeToLiveDescription": {
            "TimeToLiveStatus": status.map(|status| status.as_str()),
            "AttributeName": description.and_then(|description| description.attribute_name()),
        } }))
    }

    async fn update_continuous_backups(&self, body: &Value) -> Answer {
        let specification = &body["PointInTimeRecoverySpecification"];
        let days = specification["RecoveryPeriodInDays"].as_i64();
        let specification = PointInTimeRecoverySpecification::builder()
            .set_point_in_time_recovery_enabled(
                specification["PointInTimeRecoveryEnabled"].as_bool(),
            )
            .set_recovery_period_in_days(days.and_then(|days| i32::try_from(days).ok()))
            .build()
            .map_err(incomplete)?;
        let request = self.client.update_continuous_backups().set_table_name(table_name(body));
        let request = request.point_in_time_recovery_specification(specification);
        request.send().await.map_err(|error| refusal("UpdateContinuousBackups", error))?;
        Ok(json!({}))
    }

    async fn describe_continuous_backups(&self, body: &Value) -> Answer {
        let request = self.client.describe_continuous_backups().set_table_name(table_name(body));
        let sent = request.send().await;
        let sent = sent.map_err(|error| refusal("DescribeContinuousBackups", error))?;
        let status = sent
            .continuous_backups_description()
            .and_then(|description| description.point_in_time_recovery_description())
            .and_then(|description| description.point_in_time_recovery_status());
        Ok(json!({ "ContinuousBackupsDescription": { "PointInTimeRecoveryDescription": {
            "PointInTimeRecoveryStatus": status.map(|status| status.as_str()),
        } } }))
    }

    async fn tag_resource(&self, body: &Value) -> Answer {
        let request = self.client.tag_resource().set_tags(members::tags(body)?);
        let request = request.set_resource_arn(members::text(body, "ResourceArn"));
        request.send().await.map_err(|error| refusal("TagResource", error))?;
        Ok(json!({}))
    }

    async fn list_tags_of_resource(&self, body: &Value) -> Answer {
        let request = self
            .client
            .list_tags_of_resource()
            .set_resource_arn(members::text(body, "ResourceArn"))
            .set_next_token(members::text(body, "NextToken"));
        let sent = request.send().await.map_err(|error| refusal("ListTagsOfResource", error))?;
        Ok(json!({ "Tags": answer::tags(sent.tags()), "NextToken": sent.next_token() }))
    }

    async fn batch_write_item(&self, body: &Value) -> Answer {
        let requests = items::write_requests(body)?;
        let request = self.client.batch_write_item().set_request_items(Some(requests));
        let sent = request.send().await.map_err(|error| refusal("BatchWriteItem", error))?;
        Ok(json!({ "UnprocessedItems": items::unprocessed(sent.unprocessed_items()) }))
    }
}
