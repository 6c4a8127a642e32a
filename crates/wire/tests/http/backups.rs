//! Backups, before recovery exists: clients ask on start.

use serde_json::json;

use super::Service;

#[tokio::test]
async fn continuous_backups_are_described_and_not_updated() {
    let service = Service::start().await;
    let things = json!({ "TableName": "things" });
    let expected = json!({ "ContinuousBackupsDescription": {
        "ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": { "PointInTimeRecoveryStatus": "DISABLED" } } });
    assert_eq!(service.answer("DescribeContinuousBackups", &things).await, expected);
    let arn = json!({ "TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/things" });
    assert_eq!(service.answer("DescribeContinuousBackups", &arn).await, expected);

    let nothing = json!({ "TableName": "nothing" });
    let unknown = ("TableNotFoundException".to_owned(), "Table not found: nothing".to_owned());
    assert_eq!(service.refusal("DescribeContinuousBackups", &nothing).await, unknown);

    let update = json!({ "TableName": "things",
        "PointInTimeRecoverySpecification": { "PointInTimeRecoveryEnabled": true } });
    let (kind, message) = service.refusal("UpdateContinuousBackups", &update).await;
    assert_eq!(kind, "UnknownOperationException");
    assert!(message.starts_with("UpdateContinuousBackups is not offered: "), "{message}");
}
