//! Every setting of `plinth serve`, declared once: a flag, an environment variable and a line of the
//! configuration file, with one help text. `plinth settings` prints the reference from here.
//!
//! A flag wins over the environment, the environment over the file, the file over the default.

mod data_folder;
mod platform;
mod tenancy;
mod values;
mod webhooks;

use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, Args, Command, ValueEnum};
use secrets::MASTER_KEY_VARIABLE;
use tables::Environment;

pub use self::data_folder::DataFolder;
pub use self::platform::PlatformSettings;
pub use self::tenancy::TenancySettings;
pub use self::webhooks::WebhookSettings;

/// Where the configuration file is looked for if none is named.
const DEFAULT_FILE: &str = "plinth.toml";
/// Settings that may be tables of the file.
const DOCUMENTS: [&str; 2] = ["issuers", "policies"];

/// How the server runs.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    /// A TOML file with settings, named as the flags are: `listen = "127.0.0.1:8000"`. Without this,
    /// `plinth.toml` in the current folder is read if it exists.
    #[arg(long, value_name = "FILE", env = "PLINTH_CONFIG")]
    pub config: Option<PathBuf>,

    /// The folder that holds everything: database, access keys, sealing key. Created if need be.
    #[arg(long, value_name = "FOLDER", env = "PLINTH_DATA", default_value = DataFolder::USUAL)]
    pub data: PathBuf,

    /// The address of the DynamoDB API. Anything but loopback needs TLS or --allow-plain-http.
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "PLINTH_LISTEN",
        default_value = "127.0.0.1:8000",
        value_parser = values::address
    )]
    pub listen: SocketAddr,

    /// The address of the services' REST APIs and of /docs, or `off` for the database alone: then no
    /// table is made either. Anything but loopback needs TLS or --allow-plain-http.
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "PLINTH_SERVICES_LISTEN",
        default_value = "127.0.0.1:8080"
    )]
    pub services_listen: ServicesListen,

    /// Which names the tables of the services have: those of dev, sit or prod.
    #[arg(long, value_name = "NAME", env = "PLINTH_ENVIRONMENT", default_value = "dev")]
    pub environment: Environment,

    /// Where the services keep their items: `embedded` for the database in the data folder, `aws` for
    /// Amazon DynamoDB or anything that answers as it does, with the credentials that the AWS tools
    /// use. Any number of processes may share one `aws` store; give all of them the same master key.
    #[arg(
        long,
        value_name = "STORE",
        env = "PLINTH_STORE",
        value_enum,
        default_value = "embedded"
    )]
    pub store: StoreKind,

    /// Another endpoint of the `aws` store than its region's own: `http://127.0.0.1:8000` for the
    /// DynamoDB API of another Plinth, say.
    #[arg(long, value_name = "URL", env = "PLINTH_STORE_ENDPOINT", value_parser = values::web_address)]
    pub store_endpoint: Option<String>,

    /// The region of the `aws` store. Without this, the one that the AWS tools use.
    #[arg(long, value_name = "REGION", env = "PLINTH_STORE_REGION", value_parser = values::region)]
    pub store_region: Option<String>,

    /// Seconds that a request to a service may take. In the `aws` store a request with an
    /// Idempotency-Key is held for twice as long: if its process dies, it can be repeated after that
    /// time.
    #[arg(
        long,
        value_name = "SECONDS",
        env = "PLINTH_REQUEST_SECONDS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=900)
    )]
    pub request_seconds: u64,

    /// Where the services are reached, as tokens and links name it: `https://api.example.com`. Without
    /// this, the address they listen on.
    #[arg(long, value_name = "URL", env = "PLINTH_PUBLIC_URL", value_parser = values::web_address)]
    pub public_url: Option<String>,

    /// The file with the master key that secrets of the services are sealed with: 32 bytes in base64, or
    /// `kms:` and the ARN or id of a symmetric key of Amazon KMS, which then wraps and unwraps the keys
    /// of accounts, with the credentials that the AWS tools use. The newest first if there are several.
    /// PLINTH_MASTER_KEY holds the same without a file. Without either, one is made in the data folder,
    /// in the environment dev only.
    #[arg(long, value_name = "FILE", env = "PLINTH_MASTER_KEY_FILE")]
    pub master_key_file: Option<PathBuf>,

    /// Another endpoint of Amazon KMS than its region's own: `http://127.0.0.1:5000`.
    #[arg(long, value_name = "URL", env = "PLINTH_KMS_ENDPOINT", value_parser = values::web_address)]
    pub kms_endpoint: Option<String>,

    /// Origins whose web pages may call the services, separated by commas:
    /// `https://app.example.com`. Without this, none.
    #[arg(long, value_name = "ORIGINS", env = "PLINTH_ALLOW_ORIGIN", value_delimiter = ',')]
    pub allow_origin: Vec<String>,

    #[command(flatten)]
    pub platform: PlatformSettings,

    #[command(flatten)]
    pub webhooks: WebhookSettings,

    #[command(flatten)]
    pub tenancy: TenancySettings,

    /// The certificate chain for TLS, in a PEM file.
    #[arg(long, value_name = "FILE", env = "PLINTH_TLS_CERTIFICATE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,

    /// The private key of the certificate, in a PEM file.
    #[arg(long, value_name = "FILE", env = "PLINTH_TLS_KEY", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,

    /// Listen on an address other machines reach, without TLS: because a proxy adds it, or because
    /// the network is trusted. Items then travel readable; signatures still protect from changes.
    #[arg(long, env = "PLINTH_ALLOW_PLAIN_HTTP")]
    pub allow_plain_http: bool,

    /// Take every request, whatever its signature. For throw-away use; only on loopback.
    #[arg(long, env = "PLINTH_INSECURE_ANY_SIGNATURE")]
    pub insecure_any_signature: bool,

    /// When a write is acknowledged: `durable` after it is on disk, `relaxed` before. A power cut
    /// then loses the last moments of acknowledged writes, a killed process none.
    #[arg(long, env = "PLINTH_DURABILITY", value_enum, default_value = "durable")]
    pub durability: Durability,

    /// Mebibytes of items and indexes kept in memory for reading.
    #[arg(
        long,
        value_name = "MEBIBYTES",
        env = "PLINTH_CACHE",
        default_value_t = 440,
        value_parser = clap::value_parser!(u64).range(1..=1 << 24)
    )]
    pub cache: u64,

    /// The region in ARNs and stream records. Requests may be signed for any region.
    #[arg(long, env = "PLINTH_REGION", default_value = "us-east-1", value_parser = values::region)]
    pub region: String,

    /// The account number in ARNs.
    #[arg(long, env = "PLINTH_ACCOUNT_ID", default_value = "000000000000", value_parser = values::account_id)]
    pub account_id: String,

    /// Milliseconds for which a new table answers as if it did not exist, and a deleted one keeps its
    /// name, unless DescribeTable asks before. On AWS both take a while: this finds programs that do
    /// not wait for it.
    #[arg(long, value_name = "MS", env = "PLINTH_TABLE_CREATION_TIME", default_value_t = 0)]
    pub table_creation_time: u64,

    /// Origins whose web pages may call the DynamoDB API, separated by commas:
    /// `https://app.example.com`. Without this, any, as on AWS: requests are signed. With
    /// --insecure-any-signature, only those on this machine.
    #[arg(
        long,
        value_name = "ORIGINS",
        env = "PLINTH_DYNAMODB_ALLOW_ORIGIN",
        value_delimiter = ',',
        value_parser = values::origin
    )]
    pub dynamodb_allow_origin: Vec<String>,

    /// The file with the key that secrets are sealed with: 32 bytes in base64, readable by its owner
    /// only. Without this, `sealing.key` in the data folder, made at the first start.
    #[arg(long, value_name = "FILE", env = "PLINTH_SEALING_KEY_FILE")]
    pub sealing_key_file: Option<PathBuf>,

    /// Show /metrics to other machines too. They name the tables and tell how they are used.
    #[arg(long, env = "PLINTH_PUBLIC_METRICS")]
    pub public_metrics: bool,

    /// Connections at one time; more are closed at once.
    #[arg(
        long,
        value_name = "COUNT",
        env = "PLINTH_MAX_CONNECTIONS",
        default_value_t = 16384,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000)
    )]
    pub max_connections: usize,

    /// The form of log lines: `text`, `json`, or `auto` for text on a terminal and JSON elsewhere.
    #[arg(long, env = "PLINTH_LOG_FORMAT", value_enum, default_value = "auto")]
    pub log_format: LogFormat,

    /// What is logged: `error`, `warn`, `info`, `debug`, `trace`, or a filter such as
    /// `info,wire=debug`.
    #[arg(
        long,
        value_name = "FILTER",
        env = "PLINTH_LOG",
        default_value = "info,fjall=warn,lsm_tree=warn,h2=error",
        value_parser = values::log_filter
    )]
    pub log: String,
}

/// Where the services listen, if they do.
#[derive(Clone, Copy, Debug)]
pub struct ServicesListen(pub Option<SocketAddr>);

impl std::str::FromStr for ServicesListen {
    type Err = String;

    fn from_str(text: &str) -> Result<ServicesListen, String> {
        if text == "off" {
            return Ok(ServicesListen(None));
        }
        let wrong = |_| "write an IP address with a port, 127.0.0.1:8080 say, or off".to_owned();
        text.parse().map(|address| ServicesListen(Some(address))).map_err(wrong)
    }
}

/// Where the services keep their items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StoreKind {
    Embedded,
    Aws,
}

/// When a write is acknowledged.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Durability {
    Durable,
    Relaxed,
}

/// The form of log lines.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum LogFormat {
    Auto,
    Text,
    Json,
}

/// What the arguments say, completed by the configuration file. A wrong value is blamed on where it
/// came from.
pub fn matches(command: Command, arguments: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    let file = File::read(&command, &arguments)
        .map_err(|problem| clap::Error::raw(ErrorKind::Io, format!("{problem}\n")))?;
    let complete = file.iter().fold(command.clone(), |command, file| file.complete(command));
    let matches = complete.try_get_matches_from(&arguments);
    matches.map_err(|error| blamed(error, &command, file.as_ref(), &arguments))
}

/// Names the variable or the line of the file that a wrong value came from, instead of the flag.
fn blamed(
    mut error: clap::Error,
    command: &Command,
    file: Option<&File>,
    arguments: &[OsString],
) -> clap::Error {
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return error };
    let flag = flag.split([' ', '=']).next().unwrap_or_default().to_owned();
    let is_given = arguments.iter().any(|argument| {
        argument.to_string_lossy().split('=').next().is_some_and(|name| name == flag)
    });
    let key = flag.trim_start_matches("--");
    let in_file = file.filter(|file| file.settings.iter().any(|(name, _)| name == key));
    let place = match (variable(command, key), in_file) {
        _ if is_given => return error,
        (Some(variable), _) => format!("the variable {variable}"),
        (None, Some(file)) => format!("{key} in {}", file.path.display()),
        (None, None) => return error,
    };
    error.insert(ContextKind::InvalidArg, ContextValue::String(place));
    error
}

/// The variable that is set for a flag of any command.
fn variable(command: &Command, key: &str) -> Option<String> {
    let mut own = command.get_arguments().filter(|argument| argument.get_long() == Some(key));
    let own = own.find_map(Arg::get_env).filter(|name| std::env::var_os(name).is_some());
    let own = own.map(|name| name.to_string_lossy().into_owned());
    own.or_else(|| command.get_subcommands().find_map(|below| variable(below, key)))
}

/// The variables among these that look like settings, and are none: most likely mistyped. They are no
/// error, since a cluster that has a service of that name sets some (`PLINTH_SERVICE_HOST`).
pub fn unknown_variables(command: &Command, given: impl Iterator<Item = OsString>) -> Vec<String> {
    fn is_known(command: &Command, name: &OsStr) -> bool {
        command.get_arguments().any(|argument| argument.get_env() == Some(name))
            || command.get_subcommands().any(|below| is_known(below, name))
    }
    let is_unknown = |name: &OsString| {
        name.to_string_lossy().starts_with("PLINTH_")
            && name.as_os_str() != MASTER_KEY_VARIABLE
            && !is_known(command, name)
    };
    given.filter(is_unknown).map(|name| name.to_string_lossy().into_owned()).collect()
}

/// The configuration file: its settings, as flags would have them.
struct File {
    path: PathBuf,
    settings: Vec<(String, String)>,
}

impl File {
    /// The file that is named or there, if any.
    fn read(command: &Command, arguments: &[OsString]) -> Result<Option<File>, String> {
        let Some(path) = file(command, arguments) else { return Ok(None) };
        let text = std::fs::read_to_string(&path).map_err(|error| {
            format!("The configuration {} cannot be read: {error}", path.display())
        })?;
        let table: toml::Table = toml::from_str(&text)
            .map_err(|error| format!("The configuration {} is no TOML: {error}", path.display()))?;
        let serve = command.find_subcommand("serve");
        let named = serve.into_iter().flat_map(Command::get_arguments).filter_map(name);
        let known: Vec<String> = named.filter(|name| name != "config").collect();
        let mut settings = Vec::new();
        for (key, value) in table {
            if !known.contains(&key) {
                return Err(format!(
                    "The configuration {} has a setting `{key}` that does not exist. There are: {}",
                    path.display(),
                    known.join(", ")
                ));
            }
            let value = flat(&key, value)
                .map_err(|problem| format!("The configuration {}: {problem}", path.display()))?;
            settings.push((key, value));
        }
        Ok(Some(File { path, settings }))
    }

    /// The command with these settings as its defaults, so that flags and the environment win.
    fn complete(&self, command: Command) -> Command {
        command.mut_subcommand("serve", |serve| {
            self.settings.iter().fold(serve, |serve, (key, value)| {
                serve.mut_arg(key.replace('-', "_"), |argument| {
                    argument.default_value(value.clone())
                })
            })
        })
    }
}

/// A value of the file as a flag would have it.
fn flat(key: &str, value: toml::Value) -> Result<String, String> {
    match value {
        toml::Value::String(text) => Ok(text),
        toml::Value::Integer(number) => Ok(number.to_string()),
        toml::Value::Boolean(is_on) => Ok(is_on.to_string()),
        toml::Value::Array(all) if DOCUMENTS.contains(&key) => serde_json::to_string(&all)
            .map_err(|error| format!("the tables `{key}` cannot be read: {error}")),
        toml::Value::Array(all) => {
            let texts: Option<Vec<&str>> = all.iter().map(toml::Value::as_str).collect();
            texts.map(|texts| texts.join(",")).ok_or_else(|| format!("`{key}` is no list of texts"))
        }
        _ => Err(format!("`{key}` is neither a text nor a number nor true or false")),
    }
}

/// The file that is named, or the one that is there.
fn file(command: &Command, arguments: &[OsString]) -> Option<PathBuf> {
    let matches = command.clone().ignore_errors(true).try_get_matches_from(arguments).ok()?;
    let serve = matches.subcommand_matches("serve")?;
    let named = serve.try_get_one::<PathBuf>("config").ok().flatten().cloned();
    named.or_else(|| Some(PathBuf::from(DEFAULT_FILE)).filter(|path| path.is_file()))
}

/// The name of a setting in the file and, with two dashes, on the command line.
fn name(argument: &Arg) -> Option<String> {
    argument.get_long().filter(|long| !["help", "version"].contains(long)).map(str::to_owned)
}

/// The reference of all settings, as Markdown.
pub fn reference(command: &Command) -> String {
    let mut text = String::from(
        "# Settings\n\n`plinth settings` prints this page. Each setting of `plinth serve` is a flag, an \
         environment variable and a line\nof the configuration file; a flag wins over the environment, \
         the environment over the file, the file over the default.\n",
    );
    let serve = command.find_subcommand("serve").cloned().unwrap_or_default();
    for argument in serve.get_arguments() {
        let Some(name) = name(argument) else { continue };
        let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string);
        let variable = argument.get_env().map(|name| name.to_string_lossy().into_owned());
        let is_switch = argument.get_action().takes_values();
        let defaults: Vec<_> =
            argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        let default = match defaults.join(" ") {
            text if text.is_empty() && is_switch => "none".to_owned(),
            text if text.is_empty() => "`false`".to_owned(),
            text => format!("`{text}`"),
        };
        text.push_str(&format!(
            "\n## `{name}`\n\n{}\n\n- flag: `--{name}`\n- environment: `{}`\n- default: {default}\n",
            help.unwrap_or_default(),
            variable.unwrap_or_default(),
        ));
    }
    text
}
