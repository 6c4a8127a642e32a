//! Terraform: two modules, and a root for each environment with a file for each system.
//!
//! There is no module for an index: Terraform knows indexes only as blocks within their table.

mod hcl;
mod root;
mod system;

use crate::Documents;
use crate::document::Environment;
use crate::output::OutputFile;

/// All files: `modules/…`, and `<environment>/…` for each environment asked for.
pub fn files(documents: &Documents, environments: &[Environment]) -> Vec<OutputFile> {
    let mut files = modules();
    for environment in environments {
        files.push(OutputFile::new(
            format!("{environment}/main.tf"),
            root::render(documents, *environment),
        ));
        for system in &documents.systems {
            files.push(OutputFile::new(
                format!("{environment}/{}.tf", system.system),
                system::render(documents, system, *environment),
            ));
        }
    }
    files
}

fn modules() -> Vec<OutputFile> {
    macro_rules! module {
        ($folder:literal, $prefix:literal, $name:literal) => {
            OutputFile::new(
                concat!("modules/", $folder, "/", $name, ".tf"),
                include_str!(concat!("terraform/modules/", $prefix, "_", $name, ".tf")),
            )
        };
    }
    vec![
        module!("dynamodb_table", "table", "main"),
        module!("dynamodb_table", "table", "variables"),
        module!("dynamodb_table", "table", "outputs"),
        module!("backup", "backup", "main"),
        module!("backup", "backup", "variables"),
        module!("backup", "backup", "outputs"),
    ]
}
