"""Every boto3 call of the storefront's table design, on tables made as it describes.

One thing differs, as decided (C0-01): `active` is a key of indexes and therefore the text "true" or
"false", never a boolean. `price` is a Decimal, as boto3 asks.
"""

from datetime import datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal
from uuid import uuid4

import pytest
from boto3.dynamodb.conditions import Attr, Key
from conftest import index


def now(**ago):
    moment = datetime.now(timezone.utc) - timedelta(**ago)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.fixture(scope="module")
def options():
    return {
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        "SSESpecification": {"Enabled": True, "SSEType": "KMS"},
    }


@pytest.fixture(scope="module")
def tenants(make_table, options):
    return make_table(
        "PK S", "SK S", TableName="tenants",
        attributes=("email S", "status S", "active S", "dateCreated S"),
        GlobalSecondaryIndexes=[
            index("EmailIndex", "email"),
            index("TenantStatusIndex", "status", "dateCreated"),
            index("ActiveIndex", "active", "dateCreated"),
        ],
        Tags=[{"Key": "Environment", "Value": "dev"}, {"Key": "Component", "Value": "dynamodb"}],
        **options,
    )


@pytest.fixture(scope="module")
def products(make_table, options):
    return make_table(
        "PK S", "SK S", TableName="products", attributes=("active S", "dateCreated S"),
        GlobalSecondaryIndexes=[
            index("ProductActiveIndex", "active", "dateCreated"),
            index("ActiveIndex", "active", "dateCreated"),
        ],
        **options,
    )


@pytest.fixture(scope="module")
def campaigns(make_table, options):
    return make_table(
        "PK S", "SK S", TableName="campaigns",
        attributes=("active S", "productId S", "fromDate S", "dateCreated S"),
        GlobalSecondaryIndexes=[
            index("CampaignActiveIndex", "active", "fromDate"),
            index("CampaignProductIndex", "productId", "fromDate"),
            index("ActiveIndex", "active", "dateCreated"),
        ],
        **options,
    )


def create_tenant(table, email, status="UNVALIDATED", organization_name=None, created=None):
    tenant_id = f"tenant_{uuid4()}"
    created = created or now()
    item = {
        "PK": f"TENANT#{tenant_id}",
        "SK": "METADATA",
        "id": tenant_id,
        "email": email,
        "status": status,
        "organizationName": organization_name,
        "active": "true",
        "dateCreated": created,
        "dateLastUpdated": created,
        "lastUpdatedBy": "system@kimmyai.io",
    }
    table.put_item(Item=item, ConditionExpression="attribute_not_exists(PK)")
    return item


def by_email(table, email):
    response = table.query(
        IndexName="EmailIndex", KeyConditionExpression=Key("email").eq(email)
    )
    return response["Items"]


def set_active(table, key, active, user):
    """The document's soft delete and restore, which differ in one value."""
    placeholder = f":{active}"
    response = table.update_item(
        Key={"PK": key, "SK": "METADATA"},
        UpdateExpression=f"SET active = {placeholder}, dateLastUpdated = :now, lastUpdatedBy = :user",
        ExpressionAttributeValues={placeholder: active, ":now": now(), ":user": user},
        ReturnValues="ALL_NEW",
    )
    return response["Attributes"]


def test_checkout_finds_or_makes_a_tenant(tenants):
    assert by_email(tenants, "customer@example.com") == []
    made = create_tenant(tenants, "customer@example.com")
    assert by_email(tenants, "customer@example.com") == [made]
    response = tenants.get_item(Key={"PK": made["PK"], "SK": "METADATA"})
    assert response.get("Item") == made
    assert made["organizationName"] is None


def test_a_tenant_id_is_taken_once(tenants):
    made = create_tenant(tenants, "once@example.com")
    with pytest.raises(tenants.meta.client.exceptions.ConditionalCheckFailedException):
        tenants.put_item(Item=made, ConditionExpression="attribute_not_exists(PK)")


def test_tenants_by_status_newest_first(tenants):
    old = create_tenant(tenants, "old@example.com", "SUSPENDED", created=now(days=9))
    middle = create_tenant(tenants, "middle@example.com", "SUSPENDED", created=now(days=3))
    new = create_tenant(tenants, "new@example.com", "SUSPENDED", created=now(hours=1))
    status = Key("status").eq("SUSPENDED")
    response = tenants.query(
        IndexName="TenantStatusIndex", KeyConditionExpression=status, ScanIndexForward=False
    )
    assert response["Items"] == [new, middle, old]
    response = tenants.query(
        IndexName="TenantStatusIndex",
        KeyConditionExpression=status & Key("dateCreated").gte(now(days=1)),
        ScanIndexForward=False,
    )
    assert response["Items"] == [new]
    response = tenants.query(
        IndexName="TenantStatusIndex",
        KeyConditionExpression=status & Key("dateCreated").gte(now(days=7)),
    )
    assert response["Items"] == [middle, new]


def test_a_status_is_changed_through_its_alias(tenants):
    made = create_tenant(tenants, "status@example.com")
    response = tenants.update_item(
        Key={"PK": made["PK"], "SK": "METADATA"},
        UpdateExpression="SET #status = :status, dateLastUpdated = :now, lastUpdatedBy = :user",
        ExpressionAttributeNames={"#status": "status"},
        ExpressionAttributeValues={":status": "VALIDATED", ":now": now(), ":user": "otp@kimmyai.io"},
        ReturnValues="ALL_NEW",
    )
    assert response["Attributes"]["status"] == "VALIDATED"
    found = tenants.query(
        IndexName="TenantStatusIndex", KeyConditionExpression=Key("status").eq("VALIDATED")
    )
    assert [tenant["id"] for tenant in found["Items"]] == [made["id"]]


def test_a_tenant_is_hidden_and_restored(tenants):
    made = create_tenant(tenants, "hidden@example.com")
    hidden = set_active(tenants, made["PK"], "false", "admin@kimmyai.io")
    assert hidden["active"] == "false" and hidden["email"] == made["email"]
    active = Key("active").eq
    query = lambda value: {  # noqa: E731
        tenant["id"]
        for tenant in tenants.query(
            IndexName="ActiveIndex", KeyConditionExpression=active(value), ScanIndexForward=False
        )["Items"]
    }
    assert made["id"] in query("false") and made["id"] not in query("true")
    set_active(tenants, made["PK"], "true", "admin@kimmyai.io")
    assert made["id"] in query("true") and made["id"] not in query("false")


def test_scans_show_the_active_or_all(tenants):
    hidden = create_tenant(tenants, "scan@example.com")
    set_active(tenants, hidden["PK"], "false", "admin@kimmyai.io")
    default = tenants.scan(FilterExpression=Attr("active").eq("true"))["Items"]
    everything = tenants.scan(
        FilterExpression=Attr("active").eq("true") | Attr("active").eq("false")
    )["Items"]
    assert hidden["id"] not in {tenant["id"] for tenant in default}
    assert len(everything) == len(default) + 1
    # A boolean is never equal to the text that is stored.
    assert tenants.scan(FilterExpression=Attr("active").eq(True))["Items"] == []


def test_a_boolean_is_refused_as_a_key_of_an_index(tenants, refused):
    made = create_tenant(tenants, "boolean@example.com")
    text = (
        "One or more parameter values were invalid: Type mismatch for Index Key active Expected: S "
        "Actual: BOOL IndexName: ActiveIndex"
    )
    refused("ValidationException", text, tenants.put_item, Item={**made, "active": True})


def test_pages_of_a_scan_and_of_an_index(tenants):
    for number in range(7):
        create_tenant(tenants, f"page-{number}@example.com")
    everything = {
        tenant["id"] for tenant in tenants.scan(FilterExpression=Attr("active").eq("true"))["Items"]
    }

    def walk(call, **arguments):
        seen, start = [], {}
        while True:
            response = call(Limit=3, **start, **arguments)
            assert len(response["Items"]) <= 3
            seen += [tenant["id"] for tenant in response["Items"]]
            last = response.get("LastEvaluatedKey")
            if last is None:
                return seen
            start = {"ExclusiveStartKey": last}

    scanned = walk(tenants.scan, FilterExpression=Attr("active").eq("true"))
    queried = walk(
        tenants.query, IndexName="ActiveIndex", KeyConditionExpression=Key("active").eq("true"),
        ScanIndexForward=False,
    )
    assert sorted(scanned) == sorted(queried) == sorted(everything)


def create_product(table, name, price, created=None):
    product_id = f"prod_{uuid4()}"
    created = created or now()
    item = {
        "PK": f"PRODUCT#{product_id}",
        "SK": "METADATA",
        "id": product_id,
        "name": name,
        "description": "Professional WordPress hosting with advanced features",
        "price": price,
        "features": ["Up to 10 WordPress sites", "100GB storage", "Daily backups"],
        "billingCycle": "monthly",
        "active": "true",
        "dateCreated": created,
        "dateLastUpdated": created,
        "lastUpdatedBy": "admin@kimmyai.io",
    }
    table.put_item(Item=item)
    return item


def test_products_for_the_pricing_page(products):
    first = create_product(products, "WordPress Professional Plan", Decimal("299.99"), now(days=2))
    second = create_product(products, "WordPress Basic Plan", Decimal("99.90"), now(days=1))
    response = products.get_item(Key={"PK": first["PK"], "SK": "METADATA"})
    assert response.get("Item") == first
    active = Key("active").eq("true")
    response = products.query(
        IndexName="ProductActiveIndex", KeyConditionExpression=active, ScanIndexForward=True
    )
    assert response["Items"] == [first, second]
    assert products.query(IndexName="ActiveIndex", KeyConditionExpression=active)["Count"] == 2
    page = products.query(IndexName="ProductActiveIndex", KeyConditionExpression=active, Limit=1)
    assert page["Items"] == [first]
    page = products.query(
        IndexName="ProductActiveIndex", KeyConditionExpression=active, Limit=1,
        ExclusiveStartKey=page["LastEvaluatedKey"],
    )
    assert page["Items"] == [second]


def test_a_product_is_updated_and_hidden(products):
    made = create_product(products, "WordPress Old Plan", Decimal("10.00"))
    response = products.update_item(
        Key={"PK": made["PK"], "SK": "METADATA"},
        UpdateExpression="SET dateLastUpdated = :now, lastUpdatedBy = :user, price = :price"
        ", description = :desc",
        ExpressionAttributeValues={
            ":now": now(), ":user": "admin@kimmyai.io",
            ":price": Decimal("349.99"), ":desc": "New text",
        },
        ReturnValues="ALL_NEW",
    )
    changed = response["Attributes"]
    assert (changed["price"], changed["description"]) == (Decimal("349.99"), "New text")
    assert set_active(products, made["PK"], "false", "admin@kimmyai.io")["active"] == "false"


def create_campaign(table, code, product_id, from_date, to_date, discount=Decimal("20.0")):
    created = now()
    item = {
        "PK": f"CAMPAIGN#{code}",
        "SK": "METADATA",
        "id": f"camp_{uuid4()}",
        "code": code,
        "description": "Summer 2025 Special Offer",
        "discountPercentage": discount,
        "productId": product_id,
        "termsConditionsLink": "https://example.com/terms",
        "fromDate": from_date,
        "toDate": to_date,
        "active": "true",
        "dateCreated": created,
        "dateLastUpdated": created,
        "lastUpdatedBy": "admin@kimmyai.io",
    }
    table.put_item(Item=item)
    return item


def test_campaigns(campaigns, products):
    product = create_product(products, "WordPress Campaign Plan", Decimal("299.99"))
    summer = create_campaign(campaigns, "SUMMER2025", product["id"], "2025-06-01", "2025-08-31")
    always = create_campaign(campaigns, "ALWAYS", product["id"], "2025-01-01", "2999-12-31")
    hidden = create_campaign(campaigns, "HIDDEN", product["id"], "2025-02-01", "2025-03-01")
    assert set_active(campaigns, hidden["PK"], "false", "admin@kimmyai.io")["active"] == "false"
    response = campaigns.get_item(Key={"PK": "CAMPAIGN#SUMMER2025", "SK": "METADATA"})
    campaign = response.get("Item")
    assert campaign == summer
    found = products.get_item(Key={"PK": f"PRODUCT#{campaign['productId']}", "SK": "METADATA"})
    price = found["Item"]["price"] * (1 - campaign["discountPercentage"] / 100)
    assert price.quantize(Decimal("0.01"), ROUND_HALF_UP) == Decimal("239.99")
    active = Key("active").eq("true")
    response = campaigns.query(
        IndexName="CampaignActiveIndex", KeyConditionExpression=active, ScanIndexForward=False
    )
    assert response["Items"] == [summer, always]
    today = now()[:10]
    valid = [c for c in response["Items"] if c["fromDate"] <= today <= c["toDate"]]
    assert valid == [always]
    response = campaigns.query(
        IndexName="CampaignProductIndex",
        KeyConditionExpression=Key("productId").eq(product["id"]), ScanIndexForward=False,
    )
    assert [c["code"] for c in response["Items"]] == ["SUMMER2025", "HIDDEN", "ALWAYS"]
    assert campaigns.query(IndexName="ActiveIndex", KeyConditionExpression=active)["Count"] == 2


def test_a_campaign_is_updated(campaigns):
    create_campaign(campaigns, "UPDATED", "prod_1", "2025-06-01", "2025-08-31")
    response = campaigns.update_item(
        Key={"PK": "CAMPAIGN#UPDATED", "SK": "METADATA"},
        UpdateExpression="SET dateLastUpdated = :now, lastUpdatedBy = :user"
        ", discountPercentage = :discount, toDate = :to",
        ExpressionAttributeValues={
            ":now": now(), ":user": "admin@kimmyai.io",
            ":discount": Decimal("12.5"), ":to": "2025-09-30",
        },
        ReturnValues="ALL_NEW",
    )
    changed = response["Attributes"]
    assert (changed["discountPercentage"], changed["toDate"]) == (Decimal("12.5"), "2025-09-30")


def test_the_tables_are_as_described(tenants, products, campaigns):
    for table, indexes in ((tenants, 3), (products, 2), (campaigns, 3)):
        table.reload()
        assert table.billing_mode_summary["BillingMode"] == "PAY_PER_REQUEST"
        assert table.stream_specification["StreamViewType"] == "NEW_AND_OLD_IMAGES"
        assert len(table.global_secondary_indexes) == indexes
        assert {i["Projection"]["ProjectionType"] for i in table.global_secondary_indexes} == {"ALL"}
        assert table.sse_description["SSEType"] == "KMS"
