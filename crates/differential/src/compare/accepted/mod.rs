//! The differences that are accepted. Each has an entry of the same name in
//! `accepted_differences.md`, which says who is right and how we know.
//!
//! An accepted difference is a small function: it looks at a case that differs and, if the case is
//! the one it is about, takes the difference out. What it does not speak of stays, and is reported.

mod answers;
mod broken;
mod capacity;
mod failures;
mod statements;
mod streams;
mod tables;

use serde_json::Value;

use super::Case;
use crate::party::{Failure, Outcome};

/// An accepted difference.
pub struct Accepted {
    /// Its name in the document, which is the name of its function.
    pub name: &'static str,
    /// The module of its function.
    pub group: &'static str,
    /// Takes it out of a case.
    pub apply: fn(&mut Case<'_>) -> Applied,
}

/// Whether a case was the one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// No.
    No,
    /// Yes, and nothing else follows from it.
    Yes,
    /// Yes, and the two hold different data from here on.
    YesAndEnds,
}

macro_rules! accepted {
    ($($module:ident::$name:ident),+ $(,)?) => {
        &[$(Accepted {
            name: stringify!($name),
            group: stringify!($module),
            apply: $module::$name,
        }),+]
    };
}

impl Accepted {
    /// Whether it is about broken requests, which only come over HTTP.
    pub fn is_over_http(&self) -> bool {
        self.group == "broken"
    }
}

/// All of them.
pub const ALL: &[Accepted] = accepted![
    tables::description_has_more_members,
    tables::indexes_come_and_go_in_time,
    tables::changed_table_is_updating_for_a_while,
    tables::time_to_live_has_the_words_of_whole_tables,
    tables::added_index_keeps_its_throughput,
    tables::stream_keeps_its_name_after_it_ends,
    tables::time_to_live_changes_one_step_at_a_time,
    tables::ended_stream_is_listed,
    tables::deleted_table_shows_no_definition,
    tables::deleted_table_tells_its_last_size,
    tables::definition_error_has_another_text,
    streams::stream_description_has_a_key_schema,
    streams::record_size_is_that_of_the_items,
    streams::new_stream_starts_empty,
    streams::unchanged_write_makes_no_record,
    capacity::local_index_read_is_charged_to_the_index,
    answers::update_of_nothing_returns_nothing_old,
    answers::removal_makes_no_item,
    answers::updated_list_elements_come_alone,
    answers::transaction_projects_no_keys,
    answers::transaction_tells_item_collections,
    answers::local_index_fetches_from_the_table,
    answers::item_collection_key_is_normalised,
    answers::page_ended_by_size_counts_what_it_read,
    answers::equal_index_keys_have_no_order,
    answers::query_by_whole_key_ends,
    failures::unreadable_body_has_the_services_text,
    failures::base64_has_the_services_text,
    failures::echo_is_ordered_by_name,
    failures::global_index_does_not_project,
    failures::index_does_not_project_for_filters,
    failures::attribute_type_must_exist,
    failures::operators_are_limited,
    failures::bounds_are_in_order_everywhere,
    failures::filter_size_is_not_shown,
    failures::key_condition_names_the_operator,
    failures::not_contains_needs_the_attribute,
    failures::transaction_stops_at_the_first_wrong_key,
    failures::empty_key_is_no_cancellation,
    failures::nested_empty_set_is_refused_at_once,
    failures::empty_set_is_not_named,
    failures::key_conditions_go_with_expressions,
    failures::segment_is_named,
    failures::select_is_not_counted,
    failures::undefined_value_names_the_expression,
    failures::size_is_no_condition,
    failures::paths_conflict_in_projections,
    failures::operand_types_are_checked,
    failures::operands_must_differ,
    failures::projection_has_a_syntax_error,
    failures::syntax_error_is_behind_the_last_sign,
    failures::function_without_its_end_is_a_syntax_error,
    failures::streams_are_listed_for_valid_names,
    failures::update_reports_another_of_several_faults,
    failures::start_key_comes_after_the_expressions,
    statements::statement_operands_are_checked_with_the_statement,
    statements::statement_reports_another_of_several_operands,
    statements::deletion_of_nothing_meets_its_condition,
    statements::order_by_counts_partitions,
    statements::statement_update_reports_another_of_several_faults,
    statements::contains_looks_into_binaries,
    statements::contains_compares_numbers,
    statements::or_between_other_attributes_is_a_filter,
    broken::null_is_as_good_as_absent,
    broken::null_in_a_list_is_refused,
    broken::empty_parameter_fails_its_statement,
    broken::shape_error_names_the_token,
    broken::shape_is_checked_in_every_operation,
    broken::body_that_is_no_object_has_no_text,
    broken::member_may_come_twice,
    broken::operation_belongs_to_one_target,
    broken::undefined_placeholder_names_the_expression,
    broken::unused_names_are_refused_at_once,
    broken::names_need_an_expression,
    broken::no_key_conditions_are_conditions,
    broken::definition_is_checked_before_the_name,
    broken::batch_over_several_tables_is_counted,
];

/// Both answers, if both are.
fn answers<'a>(case: &'a mut Case<'_>) -> Option<(&'a mut Value, &'a mut Value)> {
    match (&mut case.ours, &mut case.theirs) {
        (Outcome::Answer(ours), Outcome::Answer(theirs)) => Some((ours, theirs)),
        _ => None,
    }
}

/// Both errors, if both are.
fn failures<'a>(case: &'a Case<'_>) -> Option<(&'a Failure, &'a Failure)> {
    Some((case.ours.failure()?, case.theirs.failure()?))
}

/// Gives the reference our outcome. A write that only one of them did ends the sequence.
fn accept(case: &mut Case<'_>) -> Applied {
    let writes = [
        "PutItem",
        "UpdateItem",
        "DeleteItem",
        "BatchWriteItem",
        "TransactWriteItems",
        "ExecuteStatement",
        "BatchExecuteStatement",
        "ExecuteTransaction",
        "UpdateTimeToLive",
    ];
    let is_one_sided = case.ours.answer().is_some() != case.theirs.answer().is_some()
        || failed_members(&case.ours) != failed_members(&case.theirs);
    let ends = is_one_sided && writes.contains(&case.step.operation());
    case.theirs = case.ours.clone();
    if ends { Applied::YesAndEnds } else { Applied::Yes }
}

/// Which statements of a batch failed.
fn failed_members(outcome: &Outcome) -> Vec<bool> {
    let responses = outcome.answer().and_then(|answer| answer["Responses"].as_array());
    responses.into_iter().flatten().map(|response| response.get("Error").is_some()).collect()
}

fn accept_if(case: &mut Case<'_>, is_accepted: bool) -> Applied {
    if is_accepted { accept(case) } else { Applied::No }
}

fn applied(is_applied: bool) -> Applied {
    if is_applied { Applied::Yes } else { Applied::No }
}

/// Visits what is at the same place in both.
fn both(ours: &mut Value, theirs: &mut Value, visit: &mut impl FnMut(&mut Value, &mut Value)) {
    visit(ours, theirs);
    match (ours, theirs) {
        (Value::Object(one), Value::Object(other)) => {
            for (name, value) in one.iter_mut() {
                if let Some(counterpart) = other.get_mut(name) {
                    both(value, counterpart, visit);
                }
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            for (value, counterpart) in one.iter_mut().zip(other) {
                both(value, counterpart, visit);
            }
        }
        _ => {}
    }
}

/// A member of the step's request.
fn requested<'a>(case: &'a Case<'_>, name: &str) -> Option<&'a Value> {
    case.step.body()?.get(name)
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn every_accepted_difference_is_documented_and_the_other_way_round() {
        let document = include_str!("../../../accepted_differences.md");
        let documented: Vec<&str> =
            document.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        let known: Vec<&str> = ALL.iter().map(|accepted| accepted.name).collect();
        assert_eq!(documented, known);
    }
}
