//! CloudFormation templates: one per system and environment, in JSON.

use serde_json::{Map, Value, json};

use crate::backups::{self, BackupPlan};
use crate::document::{Environment, System, Table};
use crate::output::{OutputFile, camel};
use crate::{Documents, request};

/// The template of every system in an environment, as `<environment>/<system>.json`.
pub fn templates(documents: &Documents, environment: Environment) -> Vec<OutputFile> {
    let file = |system: &System| {
        let template = template(documents, system, environment);
        let text = serde_json::to_string_pretty(&template).unwrap_or_default() + "\n";
        OutputFile::new(format!("{environment}/{}.json", system.system), text)
    };
    documents.systems.iter().map(file).collect()
}

fn template(documents: &Documents, system: &System, environment: Environment) -> Value {
    let mut resources = Map::new();
    let mut outputs = Map::new();
    for table in documents.tables_of(&system.system) {
        let name = documents.table_name(table, environment);
        let id = logical_id(table);
        resources.insert(id.clone(), table_resource(table, &name, system, environment));
        outputs.insert(
            format!("{id}Name"),
            json!({ "Description": format!("Name of the table {}", table.table_name), "Value": { "Ref": id } }),
        );
    }
    let plans = backups::plans(documents, system, environment);
    if !plans.is_empty() {
        add_backups(&plans, system, environment, &mut resources);
    }
    json!({
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": format!("{} ({environment})", system.description),
        "Resources": resources,
        "Outputs": outputs,
    })
}

fn logical_id(table: &Table) -> String {
    format!("{}Table", camel(&table.table_name))
}

fn table_resource(table: &Table, name: &str, system: &System, environment: Environment) -> Value {
    let replica = system.site(environment).replica_region.as_deref();
    let (kind, properties) = match replica {
        None => ("AWS::DynamoDB::Table", single(table, name, environment)),
        Some(replica) => {
            let regions = [system.site(environment).region.as_str(), replica];
            ("AWS::DynamoDB::GlobalTable", global(table, name, environment, &regions))
        }
    };
    // A table outlives its stack: its items are worth more than the definition.
    json!({
        "Type": kind,
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": properties,
    })
}

/// What a table in one region and a global one have in common.
fn common(table: &Table, name: &str, environment: Environment) -> Value {
    let mut request = request::create_table(table, name, environment);
    let mut properties = json!({});
    for member in [
        "TableName",
        "AttributeDefinitions",
        "KeySchema",
        "BillingMode",
        "GlobalSecondaryIndexes",
        "LocalSecondaryIndexes",
    ] {
        if let Some(value) = request.get_mut(member) {
            properties[member] = value.take();
        }
    }
    if let Some(view) = table.streams.view_type.filter(|_| table.streams.enabled) {
        properties["StreamSpecification"] = json!({ "StreamViewType": view.word() });
    }
    if let Some(ttl) = &table.time_to_live {
        properties["TimeToLiveSpecification"] =
            json!({ "AttributeName": ttl.attribute, "Enabled": true });
    }
    properties
}

fn single(table: &Table, name: &str, environment: Environment) -> Value {
    let mut properties = common(table, name, environment);
    let encrypted = request::encryption(table)["Enabled"] == true;
    properties["SSESpecification"] = if encrypted {
        json!({ "SSEEnabled": true, "SSEType": "KMS" })
    } else {
        json!({ "SSEEnabled": false })
    };
    if let Some(throughput) = request::throughput(table) {
        properties["ProvisionedThroughput"] = throughput;
    }
    merge(&mut properties, settings(table, environment));
    properties
}

/// A global table has its settings per replica, and needs the stream that feeds them.
fn global(table: &Table, name: &str, environment: Environment, regions: &[&str]) -> Value {
    let mut properties = common(table, name, environment);
    if request::encryption(table)["Enabled"] == true {
        properties["SSESpecification"] = json!({ "SSEEnabled": true, "SSEType": "KMS" });
    }
    let replica = |region: &&str| {
        let mut replica = json!({ "Region": region });
        merge(&mut replica, settings(table, environment));
        replica
    };
    properties["Replicas"] = regions.iter().map(replica).collect();
    properties
}

fn settings(table: &Table, environment: Environment) -> Value {
    let mut recovery = json!({ "PointInTimeRecoveryEnabled": table.pitr.enabled });
    if let Some(days) = table.pitr.retention_days.filter(|_| table.pitr.enabled) {
        recovery["RecoveryPeriodInDays"] = json!(days);
    }
    json!({
        "DeletionProtectionEnabled": table.deletion_protection.get(environment),
        "PointInTimeRecoverySpecification": recovery,
        "Tags": request::tags(table, environment),
    })
}

fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}

/// A vault, a role, and a plan with its selection of tables for each schedule.
fn add_backups(
    plans: &[BackupPlan],
    system: &System,
    environment: Environment,
    resources: &mut Map<String, Value>,
) {
    let site = system.site(environment);
    let vault = json!({
        "Type": "AWS::Backup::BackupVault",
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": { "BackupVaultName": site.backup_vault },
    });
    resources.insert("BackupVault".to_owned(), vault);
    resources.insert("BackupRole".to_owned(), backup_role());
    let base = backups::base_name(&site.backup_vault);
    for plan in plans {
        let frequency = plan.frequency.name();
        let id = camel(frequency);
        let mut rule = json!({
            "RuleName": format!("{frequency}_backup"),
            "TargetBackupVault": { "Ref": "BackupVault" },
            "ScheduleExpression": plan.schedule,
            "Lifecycle": { "DeleteAfterDays": plan.retention_days },
        });
        if let Some(region) = &site.backup_copy_region {
            let arn = format!(
                "arn:${{AWS::Partition}}:backup:{region}:${{AWS::AccountId}}:backup-vault:{}",
                site.backup_vault
            );
            rule["CopyActions"] = json!([{
                "DestinationBackupVaultArn": { "Fn::Sub": arn },
                "Lifecycle": { "DeleteAfterDays": plan.retention_days },
            }]);
        }
        let name = format!("{base}-dynamodb-{environment}-{frequency}");
        let properties =
            json!({ "BackupPlan": { "BackupPlanName": name, "BackupPlanRule": [rule] } });
        resources.insert(
            format!("{id}BackupPlan"),
            json!({ "Type": "AWS::Backup::BackupPlan", "Properties": properties }),
        );
        let arns: Vec<_> = plan
            .tables
            .iter()
            .map(|table| json!({ "Fn::GetAtt": [logical_id(table), "Arn"] }))
            .collect();
        let selection = json!({
            "SelectionName": format!("{base}-dynamodb-{environment}-selection"),
            "IamRoleArn": { "Fn::GetAtt": ["BackupRole", "Arn"] },
            "Resources": arns,
        });
        resources.insert(
            format!("{id}BackupSelection"),
            json!({
                "Type": "AWS::Backup::BackupSelection",
                "Properties": {
                    "BackupPlanId": { "Ref": format!("{id}BackupPlan") },
                    "BackupSelection": selection,
                },
            }),
        );
    }
}

fn backup_role() -> Value {
    let trust = json!({
        "Version": "2012-10-17",
        "Statement": [{
            "Effect": "Allow",
            "Principal": { "Service": "backup.amazonaws.com" },
            "Action": "sts:AssumeRole",
        }],
    });
    let policy = |name: &str| json!({ "Fn::Sub": format!("arn:${{AWS::Partition}}:iam::aws:policy/service-role/{name}") });
    json!({
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": trust,
            "ManagedPolicyArns": [
                policy("AWSBackupServiceRolePolicyForBackup"),
                policy("AWSBackupServiceRolePolicyForRestores"),
            ],
        },
    })
}
