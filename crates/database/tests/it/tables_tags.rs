//! Tags (rule 62). Texts are those of the service.

use database::operations::*;
use database::shapes::Tag;

use crate::tables_support::*;

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/orders";

fn tag(key: &str, value: &str) -> Tag {
    Tag { key: key.to_owned(), value: value.to_owned() }
}

fn set(world: &World, arn: &str, tags: Vec<Tag>) -> String {
    let request = TagResourceRequest { resource_arn: arn.to_owned(), tags };
    told(block_on(world.database.tag_resource(request)))
}

fn remove(world: &World, arn: &str, keys: &[&str]) -> String {
    let tag_keys = keys.iter().map(|key| (*key).to_owned()).collect();
    let request = UntagResourceRequest { resource_arn: arn.to_owned(), tag_keys };
    told(block_on(world.database.untag_resource(request)))
}

fn list(world: &World, arn: &str) -> Result<Vec<Tag>, String> {
    let request = ListTagsOfResourceRequest { resource_arn: arn.to_owned(), next_token: None };
    match block_on(world.database.list_tags_of_resource(request)) {
        Ok(answer) => Ok(answer.tags),
        error => Err(told(error)),
    }
}

fn world() -> World {
    let world = World::new();
    world.create(orders());
    world
}

#[test]
fn tags_are_set_overwritten_and_removed() {
    let world = world();
    assert_eq!(list(&world, ARN), Ok(vec![]));
    assert_eq!(set(&world, ARN, vec![tag("env", "test"), tag("team", "")]), "no error");
    assert_eq!(set(&world, ARN, vec![tag("env", "live")]), "no error");
    assert_eq!(list(&world, ARN), Ok(vec![tag("env", "live"), tag("team", "")]));
    assert_eq!(remove(&world, ARN, &["team", "unknown"]), "no error");
    let world = world.reopen();
    assert_eq!(list(&world, ARN), Ok(vec![tag("env", "live")]));
}

#[test]
fn a_table_can_start_with_tags() {
    let world = World::new();
    let with = |tags| CreateTableRequest { tags: Some(tags), ..orders() };
    assert_eq!(
        told(world.try_create(with(vec![tag("aws:x", "")]))),
        "ValidationException: Tag Key cannot be prefixed with aws:, Key: aws:x"
    );
    world.create(with(vec![tag("env", "test")]));
    assert_eq!(list(&world, ARN), Ok(vec![tag("env", "test")]));
}

#[test]
fn a_table_has_at_most_50_tags() {
    let world = world();
    let tags: Vec<Tag> = (0..50).map(|number| tag(&format!("k{number}"), "")).collect();
    assert_eq!(set(&world, ARN, tags.clone()), "no error");
    let too_many = "ValidationException: Number of Tags exceed the current limit for the provided \
                    ResourceArn";
    assert_eq!(set(&world, ARN, vec![tag("one_more", "")]), too_many);
    assert_eq!(set(&world, ARN, tags), "no error", "overwriting is no growth");
    assert_eq!(list(&world, ARN).unwrap().len(), 50);
}

#[test]
fn lengths_are_counted_in_characters() {
    let world = world();
    let (key, value) = ("ä".repeat(128), "ж".repeat(256));
    assert_eq!(set(&world, ARN, vec![tag(&key, &value)]), "no error");
    let (key, value) = ("k".repeat(129), "v".repeat(257));
    assert_eq!(
        set(&world, ARN, vec![tag("good", ""), tag(&key, "")]),
        format!("ValidationException: The Tag Key provided is invalid, Key: {key}")
    );
    assert_eq!(
        set(&world, ARN, vec![tag("k", &value)]),
        format!("ValidationException: The Tag Value provided is invalid, Value: {value}")
    );
    assert_eq!(list(&world, ARN).unwrap().len(), 1, "all or nothing");
}

#[test]
fn keys_and_values_have_letters_digits_spaces_and_a_few_signs() {
    let world = world();
    assert_eq!(set(&world, ARN, vec![tag("表 é", "a+b-c=d.e_f:g/h@i")]), "no error");
    for value in ["100%", "a,b", "(x)", "🔑", "a\\b"] {
        assert_eq!(
            set(&world, ARN, vec![tag("k", value)]),
            format!("ValidationException: The Tag Value provided is invalid, Value: {value}")
        );
    }
}

#[test]
fn a_request_names_a_key_once_and_at_least_one() {
    let world = world();
    assert_eq!(
        set(&world, ARN, vec![tag("dup", "1"), tag("dup", "2")]),
        "ValidationException: Duplicate Tag Keys provided as input: Duplicate Tag Key found dup"
    );
    assert_eq!(
        set(&world, ARN, vec![]),
        "ValidationException: Atleast one Tag needs to be provided as Input."
    );
    assert_eq!(
        remove(&world, ARN, &[]),
        "ValidationException: Atleast one Tag Key needs to be provided as Input."
    );
    assert_eq!(
        remove(&world, ARN, &[""]),
        "ValidationException: The Tag Key provided is invalid, Key: "
    );
}

#[test]
fn only_tables_have_tags() {
    let world = world();
    let index = format!("{ARN}/index/by_a");
    assert_eq!(
        list(&world, &index),
        Err(invalid(&format!(
            "Invalid resource arn provided, only table or stream is accepted. Provided resource \
             arn: {index}"
        )))
    );
    assert_eq!(list(&world, ""), Err("ValidationException: Invalid TableArn".to_owned()));
    assert_eq!(
        set(&world, "not-a-valid-arn", vec![tag("k", "")]),
        invalid("ARNs must start with 'arn:': not-a-valid-arn")
    );
    assert_eq!(
        list(&world, "arn:aws:s3:::bucket"),
        Err(invalid("Provided Arn is not a DynamoDB resource arn: arn:aws:s3:::bucket"))
    );
    let elsewhere = "arn:aws:dynamodb:eu-west-2:000000000000:table/orders";
    assert_eq!(
        list(&world, elsewhere),
        Err(format!(
            "ValidationException: Invalid TableArn: Invalid ResourceArn provided as input \
             {elsewhere}"
        ))
    );
}

#[test]
fn an_unknown_table_is_not_the_callers_to_see() {
    let world = World::new();
    let denied = |operation: &str, arn: &str| {
        format!(
            "AccessDeniedException: User: arn:aws:iam::000000000000:root is not authorized to \
             perform: dynamodb:{operation} on resource: {arn}"
        )
    };
    assert_eq!(list(&world, ARN), Err(denied("ListTagsOfResource", ARN)));
    let foreign = "arn:aws:dynamodb:us-east-1:123456789012:table/orders";
    assert_eq!(remove(&world, foreign, &["k"]), denied("UntagResource", foreign));
    assert_eq!(
        set(&world, ARN, vec![tag("k", "")]),
        format!(
            "ResourceNotFoundException: Requested resource not found: ResourcArn: {ARN} not found"
        )
    );
    assert_eq!(
        remove(&world, ARN, &["k"]),
        "ResourceNotFoundException: Requested resource not found"
    );
}
