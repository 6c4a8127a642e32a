//! `plinth tables docs`, `terraform` and `cloudformation`: files in a folder.

use std::path::PathBuf;
use std::process::ExitCode;

use ::tables::{
    Documents, Environment, OutputFile, cloudformation as cfn, markdown, terraform as hcl,
};
use clap::Args;

/// From which documents, and where to.
#[derive(Args)]
pub struct Arguments {
    /// The folder to write into; made if it is missing.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The folder with the documents, instead of those inside this binary.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// The environment: dev, sit or prod; all three if none is named.
    #[arg(long, value_name = "NAME")]
    environment: Option<Environment>,
    /// Another prefix for the names of a system's tables, such as `storefront=shop-`.
    #[arg(long, value_name = "SYSTEM=PREFIX")]
    prefix: Vec<String>,
}

impl Arguments {
    fn documents(&self) -> Result<Documents, String> {
        let options = super::options::DocumentOptions {
            folder: self.folder.clone(),
            environment: self.environment.unwrap_or(Environment::Dev),
            prefix: self.prefix.clone(),
        };
        options.documents()
    }

    fn environments(&self) -> Vec<Environment> {
        self.environment.map_or_else(|| Environment::ALL.to_vec(), |one| vec![one])
    }
}

pub fn docs(arguments: &Arguments) -> Result<ExitCode, String> {
    write(arguments, &markdown::pages(&arguments.documents()?))
}

pub fn terraform(arguments: &Arguments) -> Result<ExitCode, String> {
    write(arguments, &hcl::files(&arguments.documents()?, &arguments.environments()))
}

pub fn cloudformation(arguments: &Arguments) -> Result<ExitCode, String> {
    let documents = arguments.documents()?;
    let environments = arguments.environments().into_iter();
    let files: Vec<_> =
        environments.flat_map(|environment| cfn::templates(&documents, environment)).collect();
    write(arguments, &files)
}

fn write(arguments: &Arguments, files: &[OutputFile]) -> Result<ExitCode, String> {
    for file in files {
        let path = file.write(&arguments.out);
        path.map_err(|error| format!("`{}` cannot be written: {error}", file.path))?;
    }
    println!("{} files written to {}.", files.len(), arguments.out.display());
    Ok(ExitCode::SUCCESS)
}
