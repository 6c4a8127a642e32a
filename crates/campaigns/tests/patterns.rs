//! Every access pattern of every document, at 1,000 items; `campaigns patterns` does 100,000.

use campaigns::patterns::sweep_table;
use tables::Documents;

#[tokio::test]
async fn every_access_pattern_finds_its_items_by_its_index_for_what_they_weigh() {
    let documents = Documents::embedded().unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for at in 0..documents.tables.len() {
        for finding in sweep_table(&documents, at, 1_000).await.unwrap() {
            count += 1;
            if let Err(message) = finding.units {
                wrong.push(format!("{} {}: {message}", finding.table, finding.pattern));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    let patterns = documents.tables.iter().map(|table| table.access_patterns.len());
    assert_eq!(count, patterns.sum::<usize>());
}
