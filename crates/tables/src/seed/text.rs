//! Texts by the name of their attribute.

use super::people;

/// A plausible text for an attribute, if its name says enough.
pub(super) fn by_name(name: &str, number: usize, choice: usize) -> Option<String> {
    let (given, family) = people::name(number);
    let (city, state) = people::CITIES[number % people::CITIES.len()];
    let pick = |texts: &[&str]| texts[choice % texts.len()].to_owned();
    Some(match name {
        "givenName" => given.to_owned(),
        "familyName" => family.to_owned(),
        "name" | "sellerName" | "customerName" => format!("{given} {family}"),
        "username" => format!("{}{number}", given.to_lowercase()),
        "organizationName" | "accountName" | "platformAccountName" => people::organisation(number),
        "city" => city.to_owned(),
        "state" => state.to_owned(),
        "teamName" => pick(&["Operations", "Finance", "Growth", "Support", "Platform", "Data"]),
        "division" => pick(&["Technology", "Commercial", "Operations"]),
        "group" => pick(&["Engineering", "Sales", "Logistics"]),
        "team" => pick(&["Platform", "Key accounts", "Warehouse"]),
        "sourceName" => format!("{} contacts", people::organisation(number)),
        "platform" => pick(&["keap", "stripe", "gohighlevel", "hubspot", "shopify"]),
        "catalogName" => pick(&["Autumn popcorn", "Holiday tins", "Classic selection"]),
        "campaignName" => pick(&["Autumn sale", "Spring sale", "Show and sell", "Camp fund"]),
        "timezone" => pick(&["Africa/Johannesburg", "Europe/London", "America/Denver"]),
        "industry" => pick(&["Retail", "Software", "Health", "Logistics"]),
        "size" => pick(&["Small", "Medium", "Enterprise"]),
        "customerPhone" => format!("+1 303 555 {:04}", number % 10_000),
        "userAgent" | "user_agent" => pick(&["Mozilla/5.0 (X11; Linux x86_64)", "boto3/1.40"]),
        "subject" => pick(&["Backup complete", "New sign-in", "Payment received"]),
        "message" => pick(&["Everything was saved.", "A new device signed in.", "Thank you."]),
        "notes" => pick(&["Leave at the door.", "Call first.", "Paid in advance."]),
        "description" => {
            pick(&["For everyday work", "Agreed with the team", "Introduced this year"])
        }
        "parkReason" => "The customer asked for a pause.".to_owned(),
        "tagKey" => pick(&["category", "owner", "stage"]),
        "tagValue" => format!("{}-{number}", pick(&["production", "finance", "trial"])),
        "resourceType" | "resourceKind" | "resource_type" => pick(&["source", "user", "job"]),
        "action" => pick(&["create", "update", "login", "delete"]),
        "eventType" => pick(&["TENANT_CREATED", "TENANT_PARKED", "TENANT_UNPARKED"]),
        "event_type" => pick(&["AUTH", "APIKEY"]),
        "method" => pick(&["POST", "PUT", "PATCH"]),
        "route" => pick(&["/v1.0/tenants", "/storefront/v1.0/products"]),
        "subject_of_limit" => format!("account-{number}"),
        "policy" => pick(&["default", "login", "export"]),
        _ => return None,
    })
}
