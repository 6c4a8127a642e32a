//! What a person sees when the server is ready: what to open, and three lines to copy.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;

use identity::FirstAdministrator;
use wire::access_keys::NewAccessKey;

use crate::settings::DataFolder;

/// The access key that the examples use.
pub enum Key {
    /// Made just now: its secret is shown, this once.
    New(NewAccessKey),
    /// Made earlier: its secret is not known any more.
    Known(String),
    /// There is none to show.
    None,
}

/// Where the server can be reached.
pub struct Addresses {
    /// The DynamoDB API.
    pub database: SocketAddr,
    /// The services, if they are served.
    pub services: Option<SocketAddr>,
    /// Whether both speak TLS.
    pub has_tls: bool,
}

impl Addresses {
    /// Where commands on this machine reach the services.
    pub fn services_url(&self, public: Option<&str>) -> String {
        match (self.services, public) {
            // A certificate is for the public name.
            (_, Some(url)) if self.has_tls => url.trim_end_matches('/').to_owned(),
            (Some(address), _) if self.has_tls => format!("https://{address}"),
            (Some(address), _) => format!("http://{address}"),
            (None, _) => String::new(),
        }
    }
}

/// Prints it. If nobody reads, nothing is lost.
pub fn print(addresses: &Addresses, folder: &DataFolder, region: &str, key: &Key) {
    let text = text(addresses, folder, region, key);
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Prints how the first administrator logs in, once.
pub fn print_administrator(addresses: &Addresses, made: &FirstAdministrator) {
    let scheme = if addresses.has_tls { "https" } else { "http" };
    let Some(address) = addresses.services else { return };
    let (email, password) = (&made.email, made.password.reveal());
    let text = format!(
        "The first administrator of the services, shown this once:\n\n  \
         email          {email}\n  \
         password       {password}\n\n\
         curl {scheme}://{address}/auth/login -H 'content-type: application/json' \
         -d '{{\"name\":\"{email}\",\"password\":\"{password}\"}}'\n\n"
    );
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

fn text(addresses: &Addresses, folder: &DataFolder, region: &str, key: &Key) -> String {
    let scheme = if addresses.has_tls { "https" } else { "http" };
    let url = format!("{scheme}://{}", addresses.database);
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!("\nPlinth {version} is ready.\n\n");
    if let Some(address) = addresses.services {
        text.push_str(&format!(
            "  services       {scheme}://{address}\n  \
             documentation  {scheme}://{address}/docs\n"
        ));
    }
    text.push_str(&format!(
        "  DynamoDB API   {url}\n  \
         health         {url}/health\n  \
         metrics        {url}/metrics\n  \
         data           {}\n\n",
        folder.path().display()
    ));
    let create = match folder.path() {
        usual if usual == Path::new(DataFolder::USUAL) => "`plinth access-keys create`".to_owned(),
        other => format!("`plinth access-keys create --data {}`", other.display()),
    };
    let (id, secret) = match key {
        Key::New(key) => {
            text.push_str(&format!(
                "  access key     {}\n  \
                 secret         {}\n\n\
                 The secret is shown this once; {create} makes another key.\n\n",
                key.id,
                key.secret.as_str()
            ));
            (key.id.as_str(), key.secret.as_str())
        }
        Key::Known(id) => {
            text.push_str(&format!(
                "  access key     {id}\n\n\
                 Its secret was shown when it was made; {create} makes another \
                 key.\n\n"
            ));
            (id.as_str(), "YOUR_SECRET")
        }
        Key::None => {
            text.push_str(&format!("{create} makes an access key.\n\n"));
            ("YOUR_KEY", "YOUR_SECRET")
        }
    };
    text.push_str(&format!(
        "Three lines to copy:\n\n\
         python3 -c \"import boto3; print(boto3.client('dynamodb', endpoint_url='{url}', \
         region_name='{region}', aws_access_key_id='{id}', \
         aws_secret_access_key='{secret}').list_tables()['TableNames'])\"\n\n\
         AWS_ACCESS_KEY_ID='{id}' AWS_SECRET_ACCESS_KEY='{secret}' aws dynamodb list-tables \
         --endpoint-url {url} --region {region}\n\n\
         curl {url}/ --user '{id}:{secret}' --aws-sigv4 aws:amz:{region}:dynamodb \
         -H 'x-amz-target: DynamoDB_20120810.ListTables' \
         -H 'content-type: application/x-amz-json-1.0' -d '{{}}'\n\n"
    ));
    text
}
