//! `main.tf` of an environment: Terraform itself and the providers.

use super::hcl::{Body, Hcl};
use crate::Documents;
use crate::document::Environment;

pub(super) fn render(documents: &Documents, environment: Environment) -> String {
    let mut file = Body::default();
    file.comment(&format!("The tables of every system in {environment}."));
    file.comment("Written by `plinth tables terraform` from the table documents; change those.");
    file.blank();
    let mut providers = Body::default();
    providers.attribute(
        "aws",
        Hcl::Object(vec![
            ("source".to_owned(), Hcl::text("hashicorp/aws")),
            ("version".to_owned(), Hcl::text(">= 5.80")),
        ]),
    );
    let mut terraform = Body::default();
    terraform.attribute("required_version", Hcl::text(">= 1.5")).blank();
    terraform.block("required_providers", providers);
    file.block("terraform", terraform).blank();
    let sites: Vec<_> = documents.systems.iter().map(|system| system.site(environment)).collect();
    let mut accounts: Vec<_> = sites.iter().filter_map(|site| site.account.clone()).collect();
    accounts.dedup();
    let mut variable = Body::default();
    variable
        .attribute(
            "description",
            Hcl::text("AWS accounts that the tables may be put into; any if empty."),
        )
        .attribute("type", Hcl::raw("list(string)"))
        .attribute("default", Hcl::List(accounts.into_iter().map(Hcl::text).collect()));
    file.block("variable \"allowed_account_ids\"", variable).blank();
    let provider = |alias: Option<&str>, region: &str| {
        let mut provider = Body::default();
        if let Some(alias) = alias {
            provider.attribute("alias", Hcl::text(alias));
        }
        provider.attribute("region", Hcl::text(region));
        let accounts = "length(var.allowed_account_ids) == 0 ? null : var.allowed_account_ids";
        provider.attribute("allowed_account_ids", Hcl::raw(accounts));
        provider
    };
    let region = sites.first().map_or("us-east-1", |site| site.region.as_str());
    let copy = sites.iter().find_map(|site| site.backup_copy_region.as_deref()).unwrap_or(region);
    file.block("provider \"aws\"", provider(None, region)).blank();
    file.comment("Where backups are copied to, in the environments that copy them.");
    file.block("provider \"aws\"", provider(Some("copy"), copy));
    file.render(0)
}
