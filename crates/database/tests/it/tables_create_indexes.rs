//! CreateTable: local and global indexes. Texts are those of the service.

use database::operations::CreateTableRequest;
use database::shapes::*;

use crate::tables_support::*;

fn refused(request: CreateTableRequest) -> String {
    told(World::new().try_create(request))
}

fn with_global(attributes: &[&str], indexes: Vec<GlobalSecondaryIndex>) -> CreateTableRequest {
    CreateTableRequest {
        global_secondary_indexes: Some(indexes),
        ..on_demand("orders", "pk", attributes)
    }
}

fn with_local(attributes: &[&str], indexes: Vec<LocalSecondaryIndex>) -> CreateTableRequest {
    CreateTableRequest {
        local_secondary_indexes: Some(indexes),
        ..on_demand("orders", "pk/sk", attributes)
    }
}

#[test]
fn indexes_are_shown_in_their_order_and_names_by_name() {
    let world = World::new();
    let projection = include(&["zz", "aa"]);
    let request = CreateTableRequest {
        local_secondary_indexes: Some(vec![local("by_l", "pk/l")]),
        global_secondary_indexes: Some(vec![
            GlobalSecondaryIndex { projection, ..global("z_index", "z/a") },
            global("a_index", "a"),
        ]),
        ..on_demand("orders", "pk/sk", &["z", "a", "l", "sk", "pk"])
    };
    let created = world.create(request);
    assert!(created.global_secondary_indexes.iter().all(|index| {
        index.index_status == IndexStatus::Creating && index.backfilling.is_none()
    }));
    let table = world.describe("orders");
    let names: Vec<_> =
        table.attribute_definitions.iter().map(|d| d.attribute_name.as_str()).collect();
    assert_eq!(names, ["a", "l", "pk", "sk", "z"]);
    let [first, second] = &table.global_secondary_indexes[..] else { panic!("two indexes") };
    assert_eq!((first.index_name.as_str(), second.index_name.as_str()), ("z_index", "a_index"));
    assert_eq!(first.index_arn, format!("{}/index/z_index", table.table_arn));
    assert_eq!(first.index_status, IndexStatus::Active);
    assert_eq!(first.backfilling, None);
    assert_eq!(first.key_schema, key("z/a"));
    assert_eq!(first.projection, include(&["aa", "zz"]));
    assert_eq!(first.warm_throughput.read_units_per_second, Some(12_000));
    assert_eq!(second.projection, keys_only());
    assert_eq!(table.local_secondary_indexes[0].key_schema, key("pk/l"));
}

#[test]
fn index_names_follow_the_rules_of_table_names() {
    let short = |name: &str, list: &str| {
        format!(
            "Value '{name}' at '{list}.1.member.indexName' failed to satisfy constraint: Member \
             must have length greater than or equal to 3"
        )
    };
    let request = CreateTableRequest {
        local_secondary_indexes: Some(vec![local("l1", "pk/l")]),
        global_secondary_indexes: Some(vec![global("g1", "g")]),
        ..on_demand("orders", "pk/sk", &["pk", "sk", "l", "g"])
    };
    assert_eq!(
        refused(request),
        format!(
            "ValidationException: 2 validation errors detected: {}; {}",
            short("g1", "globalSecondaryIndexes"),
            short("l1", "localSecondaryIndexes")
        )
    );
}

#[test]
fn an_empty_list_of_indexes_is_refused() {
    assert_eq!(
        refused(with_global(&["pk"], vec![])),
        invalid("List of GlobalSecondaryIndexes is empty")
    );
    assert_eq!(
        refused(with_local(&["pk", "sk"], vec![])),
        invalid("List of LocalSecondaryIndexes is empty")
    );
}

#[test]
fn an_undefined_index_key_names_the_first_index() {
    let undefined = "Some index key attributes are not defined in AttributeDefinitions.";
    let two = vec![global("gsi1", "a/b"), global("gsi2", "c/z")];
    assert_eq!(
        refused(with_global(&["pk", "a", "c"], two)),
        invalid(&format!("{undefined} Keys: [a, b], AttributeDefinitions: [a, pk, c]"))
    );
    assert_eq!(
        refused(with_local(&["pk", "sk"], vec![local("lsi", "pk/l")])),
        invalid(&format!("{undefined} Keys: [l, pk], AttributeDefinitions: [sk, pk]"))
    );
    assert_eq!(
        refused(with_global(&["pk", "a"], vec![global("gsi", "a/m n")])),
        "ValidationException: Invalid KeySchema: Some index key attribute have no definition"
    );
}

#[test]
fn an_unused_definition_lists_both_sides() {
    let request = CreateTableRequest {
        global_secondary_indexes: Some(vec![global("gsi", "h/a")]),
        ..on_demand("orders", "PK", &["PK", "h", "a", "unused"])
    };
    assert_eq!(
        refused(request),
        invalid(
            "Some AttributeDefinitions are not used. AttributeDefinitions: [h, a, unused, PK], \
             keys used: [a, h, PK]"
        )
    );
}

#[test]
fn a_local_index_needs_a_table_with_a_range_key() {
    let request = CreateTableRequest {
        local_secondary_indexes: Some(vec![local("lsi", "pk/l")]),
        ..on_demand("orders", "pk", &["pk", "l"])
    };
    assert_eq!(
        refused(request),
        invalid(
            "Table KeySchema does not have a range key, which is required when specifying a \
             LocalSecondaryIndex"
        )
    );
}

#[test]
fn a_local_index_has_the_tables_hash_key_and_a_range_key() {
    assert_eq!(
        refused(with_local(&["pk", "sk"], vec![local("lsi", "pk")])),
        invalid("Index KeySchema does not have a range key for index: lsi")
    );
    assert_eq!(
        refused(with_local(&["pk", "sk", "l"], vec![local("lsi", "l/sk")])),
        invalid(
            "Index KeySchema does not have the same leading hash key as table KeySchema for \
             index: lsi. index hash key: l, table hash key: pk"
        )
    );
}

#[test]
fn a_global_key_has_up_to_four_attributes_of_each_kind() {
    let attributes = ["pk", "a", "b", "c", "d", "e", "f", "g", "h"];
    let world = World::new();
    world.create(with_global(&attributes, vec![global("gsi", "a b c d/e f g h")]));
    assert_eq!(world.describe("orders").global_secondary_indexes[0].key_schema.len(), 8);
    let with_key = |schema: &str, attributes: &[&str]| {
        refused(with_global(attributes, vec![global("gsi", schema)]))
    };
    assert_eq!(
        with_key("a b c d e", &attributes[..6]),
        invalid("The KeySchema exceeds the maximum allowed number of HASH key attributes")
    );
    assert_eq!(
        with_key("a/b c d e f", &attributes[..7]),
        invalid("The KeySchema exceeds the maximum allowed number of RANGE key attributes")
    );
    assert_eq!(
        with_key("a b/a", &["pk", "a", "b"]),
        "ValidationException: The KeySchema contains multiple key attributes with the same name"
    );
    assert_eq!(
        with_key("a/a", &["pk", "a"]),
        "ValidationException: Both the Hash Key and the Range Key element in the KeySchema have \
         the same name"
    );
    let mixed = [key("a/b"), key("c")].concat();
    let index = GlobalSecondaryIndex { key_schema: mixed, ..global("gsi", "a") };
    assert_eq!(
        refused(with_global(&["pk", "a", "b", "c"], vec![index])),
        invalid("All HASH key attributes must precede RANGE key attributes in the KeySchema")
    );
    assert!(with_key("a b c d e/f g h i", &["pk"]).ends_with(
        "at 'keySchema' failed to satisfy constraint: Member must have length less than or equal to 8"
    ));
}

#[test]
fn a_projection_has_names_only_with_include() {
    let projected = |projection: Projection| {
        let index = GlobalSecondaryIndex { projection, ..global("gsi", "a") };
        refused(with_global(&["pk", "a"], vec![index]))
    };
    let of = |projection_type, names: Option<&[&str]>| Projection {
        projection_type,
        non_key_attributes: names.map(|names| names.iter().map(|n| (*n).to_owned()).collect()),
    };
    let names: Option<&[&str]> = Some(&["x"]);
    assert_eq!(projected(of(None, None)), invalid("Unknown ProjectionType: null"));
    assert_eq!(
        projected(of(Some(ProjectionType::All), names)),
        invalid("ProjectionType is ALL, but NonKeyAttributes is specified")
    );
    assert_eq!(
        projected(of(Some(ProjectionType::KeysOnly), names)),
        invalid("ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified")
    );
    assert_eq!(
        projected(of(Some(ProjectionType::Include), None)),
        invalid("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
    );
    assert_eq!(
        projected(include(&["x", "y", "x"])),
        invalid("Duplicate element in NonKeyAttributes: x")
    );
    assert_eq!(
        projected(include(&[])),
        "ValidationException: 1 validation error detected: Value '[]' at \
         'globalSecondaryIndexes.1.member.projection.nonKeyAttributes' failed to satisfy \
         constraint: Member must have length greater than or equal to 1"
    );
}

#[test]
fn all_indexes_together_project_at_most_100_names() {
    let names: Vec<String> = (0..20).map(|number| format!("n{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let index = |number: usize, names: &[&str]| GlobalSecondaryIndex {
        projection: include(names),
        ..global(&format!("gsi{number}"), "a")
    };
    let mut indexes: Vec<_> = (0..5).map(|number| index(number, &names)).collect();
    let world = World::new();
    world.create(with_global(&["pk", "a"], indexes.clone()));
    indexes.push(index(5, &["one_more"]));
    assert_eq!(
        refused(with_global(&["pk", "a"], indexes)),
        invalid("Number of projected attributes in all indexes exceeds per-table limit of 100")
    );
}

#[test]
fn a_table_has_at_most_20_global_and_5_local_indexes() {
    let globals = |count: usize| (0..count).map(|n| global(&format!("gsi{n}"), "a")).collect();
    let locals = |count: usize| (0..count).map(|n| local(&format!("lsi{n}"), "pk/l")).collect();
    let world = World::new();
    let request = CreateTableRequest {
        global_secondary_indexes: Some(globals(20)),
        ..with_local(&["pk", "sk", "l", "a"], locals(5))
    };
    world.create(request);
    assert_eq!(
        refused(with_global(&["pk", "a"], globals(21))),
        invalid("GlobalSecondaryIndex count exceeds the per-table limit of 20")
    );
    assert_eq!(
        refused(with_local(&["pk", "sk", "l"], locals(6))),
        invalid("Number of LocalSecondaryIndexes exceeds per-table limit of 5")
    );
}

#[test]
fn local_and_global_indexes_share_their_names() {
    let same = vec![global("same", "a"), global("same", "b")];
    assert_eq!(
        refused(with_global(&["pk", "a", "b"], same)),
        invalid("Duplicate index name: same")
    );
    let request = CreateTableRequest {
        global_secondary_indexes: Some(vec![global("same", "a")]),
        ..with_local(&["pk", "sk", "l", "a"], vec![local("same", "pk/l")])
    };
    assert_eq!(refused(request), invalid("Duplicate index name: same"));
}

#[test]
fn the_throughput_of_an_index_fits_the_billing_mode() {
    let index = GlobalSecondaryIndex { provisioned_throughput: units(1, 1), ..global("gsi", "a") };
    assert_eq!(
        refused(with_global(&["pk", "a"], vec![index.clone()])),
        invalid(
            "ProvisionedThroughput should not be specified for index: gsi when BillingMode is \
             PAY_PER_REQUEST"
        )
    );
    let provisioned_with = |index: GlobalSecondaryIndex| CreateTableRequest {
        billing_mode: Some(BillingMode::Provisioned),
        provisioned_throughput: units(1, 1),
        ..with_global(&["pk", "a"], vec![index])
    };
    assert_eq!(
        refused(provisioned_with(global("gsi", "a"))),
        invalid("ProvisionedThroughput is not specified for index: gsi")
    );
    let world = World::new();
    world.create(provisioned_with(index));
    let shown = &world.describe("orders").global_secondary_indexes[0];
    assert_eq!(shown.provisioned_throughput.read_capacity_units, 1);
}
