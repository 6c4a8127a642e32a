//! What is made from the documents: infrastructure, pages, and the estimate of cost.
//!
//! `tests/generated/` holds what is expected for the tenancy system, which is small. After a change
//! that is meant, run the tests with `ACCEPT=1` and read the difference.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;
use tables::cost::{self, Assumptions, Prices};
use tables::{Documents, Environment, OutputFile, cloudformation, markdown, rust, terraform};

fn documents() -> Documents {
    Documents::embedded().unwrap()
}

#[track_caller]
fn matches(files: &[OutputFile], path: &str, expected: &str) {
    let file = files.iter().find(|file| file.path == path).unwrap();
    let at = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/generated")).join(expected);
    if std::env::var_os("ACCEPT").is_some() {
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(&at, &file.text).unwrap();
    }
    assert_eq!(fs::read_to_string(&at).unwrap_or_default(), file.text, "{}", at.display());
}

#[test]
fn a_small_system_gives_the_expected_files() {
    let documents = documents();
    let files = cloudformation::templates(&documents, Environment::Prod);
    matches(&files, "prod/tenancy.json", "cloudformation-tenancy.json");
    let files = terraform::files(&documents, &Environment::ALL);
    matches(&files, "prod/tenancy.tf", "terraform-tenancy.tf.txt");
    matches(&files, "prod/main.tf", "terraform-main.tf.txt");
    let files = markdown::pages(&documents);
    matches(&files, "tenancy/README.md", "tenancy.md");
}

/// The files under a folder, by their paths in it.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let (mut folders, mut files) = (vec![folder.to_owned()], BTreeMap::new());
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let parts = path.strip_prefix(folder).unwrap().iter();
                let name: Vec<_> = parts.map(|part| part.to_string_lossy()).collect();
                files.insert(name.join("/"), fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

/// Here and not in `patterns`, whose own tests would need source that compiles to write it anew.
#[test]
fn the_source_of_patterns_is_what_the_documents_give() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../patterns/src"));
    let wanted = rust::files(&documents());
    if std::env::var_os("ACCEPT").is_some() {
        fs::remove_dir_all(folder).unwrap();
        wanted.iter().for_each(|file| drop(file.write(folder).unwrap()));
    }
    let found = files(folder);
    let wanted: BTreeMap<_, _> = wanted.into_iter().map(|file| (file.path, file.text)).collect();
    let paths: BTreeSet<_> = found.keys().chain(wanted.keys()).collect();
    let differs = |path: &&&String| found.get(**path) != wanted.get(**path);
    let stale: Vec<_> = paths.iter().filter(differs).collect();
    assert!(
        stale.is_empty(),
        "these files of crates/patterns/src are not what the documents in `tables/` give: {stale:?}. \
         Write them with `ACCEPT=1 cargo nextest run -p tables`"
    );
}

fn resources(environment: Environment) -> Vec<Value> {
    let files = cloudformation::templates(&documents(), environment);
    let parse = |file: &OutputFile| serde_json::from_str::<Value>(&file.text).unwrap();
    files.iter().map(parse).collect()
}

/// R000-4.8.3-1, R000-4.6.3-2: in production the storefront has a replica, elsewhere nobody has.
#[test]
fn templates_hold_every_table_and_replicas_where_they_belong() {
    for environment in Environment::ALL {
        let mut tables = 0;
        let mut global = 0;
        for template in resources(environment) {
            for resource in template["Resources"].as_object().unwrap().values() {
                match resource["Type"].as_str().unwrap() {
                    "AWS::DynamoDB::Table" => tables += 1,
                    "AWS::DynamoDB::GlobalTable" => {
                        global += 1;
                        let regions = &resource["Properties"]["Replicas"];
                        assert_eq!(regions[0]["Region"], "af-south-1");
                        assert_eq!(regions[1]["Region"], "eu-west-1");
                    }
                    _ => {}
                }
            }
        }
        let expected = if environment == Environment::Prod { 3 } else { 0 };
        assert_eq!((tables + global, global), (30, expected), "{environment}");
    }
}

/// R000-4.8.2-4: the plan's name, rule, schedule, retention and copy.
#[test]
fn the_production_backup_plan_is_as_the_document_says() {
    let templates = resources(Environment::Prod);
    let storefront = &templates[3]["Resources"];
    let plan = &storefront["HourlyBackupPlan"]["Properties"]["BackupPlan"];
    assert_eq!(plan["BackupPlanName"], "bbws-dynamodb-prod-hourly");
    let rule = &plan["BackupPlanRule"][0];
    assert_eq!(rule["RuleName"], "hourly_backup");
    assert_eq!(rule["ScheduleExpression"], "cron(0 * * * ? *)");
    assert_eq!(rule["Lifecycle"]["DeleteAfterDays"], 90);
    assert_eq!(rule["CopyActions"][0]["Lifecycle"]["DeleteAfterDays"], 90);
    let selected = &storefront["HourlyBackupSelection"]["Properties"]["BackupSelection"];
    assert_eq!(selected["Resources"].as_array().unwrap().len(), 3);
}

#[test]
fn terraform_calls_the_table_module_for_every_table() {
    let files = terraform::files(&documents(), &Environment::ALL);
    for environment in Environment::ALL {
        let folder = format!("{environment}/");
        let texts = files.iter().filter(|file| file.path.starts_with(&folder));
        let text: String = texts.map(|file| file.text.as_str()).collect();
        assert_eq!(text.matches("\"../modules/dynamodb_table\"").count(), 30);
        assert_eq!(text.matches("\"../modules/backup\"").count(), 5);
        let replicas = if environment == Environment::Prod { 3 } else { 0 };
        assert_eq!(text.matches("replica_regions").count(), replicas);
    }
}

#[test]
fn every_table_has_a_page_and_every_system_a_diagram() {
    let pages = markdown::pages(&documents());
    assert_eq!(pages.len(), 36);
    let diagrams: Vec<_> = pages.iter().filter(|page| page.text.contains("```mermaid")).collect();
    assert_eq!(diagrams.len(), 5);
    for page in pages {
        assert!(page.text.starts_with("# "), "{}", page.path);
    }
}

/// C0-44: a million reads at $0.25 a million are $0.25, not $250.
#[test]
fn a_million_reads_cost_what_a_million_reads_cost() {
    let documents = documents();
    let table = documents.find("storefront/products")[0];
    let system = documents.system("storefront").unwrap();
    let assumptions = Assumptions { items_per_query: 1, ..Assumptions::default() };
    let estimate =
        |environment| cost::estimate(table, system, environment, &assumptions, &Prices::default());
    let dev = estimate(Environment::Dev);
    // A million queries of half a unit, a hundred thousand consistent reads of a unit.
    assert!((dev.reads - (0.5 + 0.1) * 0.25).abs() < 1e-9, "{dev:?}");
    // 500 writes of a unit, and as many to each of two indexes.
    assert!((dev.writes - 500.0 / 1e6 * 1.25).abs() < 1e-9, "{dev:?}");
    assert!((dev.index_writes - 2.0 * dev.writes).abs() < 1e-9, "{dev:?}");
    assert!(dev.replica.abs() < f64::EPSILON && !dev.assumed);
    let prod = estimate(Environment::Prod);
    assert!(prod.replica > 0.0 && prod.backups > dev.backups, "{prod:?}");
}

#[test]
fn a_table_without_a_load_is_marked_as_assumed() {
    let documents = documents();
    let table = documents.find("listbackup/users")[0];
    let system = documents.system("listbackup").unwrap();
    let (assumptions, prices) = (Assumptions::default(), Prices::default());
    let cost = cost::estimate(table, system, Environment::Dev, &assumptions, &prices);
    assert!(cost.assumed && cost.total() > 0.0);
    assert!(cost::report(&[cost], &prices).contains("listbackup/users*"));
}
