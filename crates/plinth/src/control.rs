//! How does a command reach the server that has the data folder open? By a socket in that folder.
//!
//! Who may read the folder may do everything with it; the socket gives them that while the server runs,
//! and nobody else: the system lets only its owner connect, and the server asks the system who did.
//! Nothing of it is reachable over a network.
//!
//! One question and one answer, each a line of JSON, then the connection ends.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use audit::Entry;
use kernel::{PLATFORM, Role};
use platform::Platform;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;

use crate::settings::DataFolder;

/// The longest question or answer.
const LINE_MAX: u64 = 16 * 1024;
const TIME_MAX: Duration = Duration::from_secs(10);
/// The longest path that a socket's address has room for, on any system.
const PATH_MAX: usize = 100;

/// What a command asks.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Question {
    /// For whom a token is to be signed.
    Token(Wanted),
    /// Where the services are.
    Address,
}

/// Whom a token is for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Wanted {
    /// Their address.
    pub email: String,
    /// Their role.
    pub role: String,
    /// The account or tenant that they act for.
    pub tenant: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Reply {
    Done(String),
    Refused(String),
}

/// The listening socket, while this is kept.
pub struct Control {
    path: PathBuf,
    task: JoinHandle<()>,
}

impl Drop for Control {
    fn drop(&mut self) {
        self.task.abort();
        // The next start removes it if this does not.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Listens in the data folder. The database must be open already: its lock says that no other server
/// has the folder, so that a socket which is there is a dead one's.
pub fn listen(folder: &DataFolder, platform: Platform, url: String) -> Result<Control, String> {
    let path = folder.control_socket();
    let cannot = |error: io::Error| {
        format!("Cannot listen for commands at {}: {error}", folder.control_socket().display())
    };
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(cannot(error)),
        _ => {}
    }
    let place = Place::of(&path).map_err(cannot)?;
    let listener = UnixListener::bind(&place.path).map_err(cannot)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).map_err(cannot)?;
    let server = Arc::new(Server { platform, url });
    let task = tokio::spawn(async move {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let server = Arc::clone(&server);
                    tokio::spawn(async move {
                        let _ = tokio::time::timeout(TIME_MAX, server.answer(stream)).await;
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a command could not be taken");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    });
    Ok(Control { path, task })
}

struct Server {
    platform: Platform,
    url: String,
}

impl Server {
    async fn answer(&self, mut stream: UnixStream) -> io::Result<()> {
        let owner = rustix::process::geteuid().as_raw();
        let peer = stream.peer_cred()?.uid();
        if peer != owner && peer != 0 {
            tracing::warn!(user = peer, "another user tried to give a command");
            return Ok(());
        }
        let reply = match read_line::<Question>(&mut stream).await? {
            Question::Address => Reply::Done(self.url.clone()),
            Question::Token(wanted) => match sign(&self.platform, &wanted).await {
                Ok(token) => Reply::Done(token),
                Err(problem) => Reply::Refused(problem),
            },
        };
        write_line(&mut stream, &reply).await
    }
}

/// Signs a token for scripts. That it was signed is recorded before it is given away.
pub async fn sign(platform: &Platform, wanted: &Wanted) -> Result<String, String> {
    let Wanted { email, role, tenant } = wanted;
    let parsed = Role::parse(role).ok_or_else(|| {
        let known: Vec<_> = Role::ALL.iter().map(|role| role.as_str()).collect();
        format!("There is no role {role}. There are: {}", known.join(", "))
    })?;
    let service = platform.identity();
    let token = service.sign_script_token(email, parsed, tenant.as_deref()).await;
    let token = token.map_err(|error| explained(&error))?;
    let mut change = platform.begin_as("command line");
    let mut entry = Entry::new("AUTH", "SCRIPT_TOKEN_SIGNED", PLATFORM)
        .detail("email", email.as_str())
        .detail("role", parsed.as_str());
    if let Some(tenant) = tenant {
        entry = entry.detail("tenant", tenant.as_str());
    }
    change.record(entry);
    let recorded = change.commit(None).await;
    recorded.map_err(|error| explained(&error.into()))?;
    Ok(token.reveal().to_owned())
}

/// What is wrong, for whoever may see everything.
pub fn explained(error: &kernel::Error) -> String {
    let errors = error.details().get("errors").and_then(|errors| errors.as_array());
    let fields = errors.into_iter().flatten().map(|one| {
        let text = |name: &str| one[name].as_str().unwrap_or_default().to_owned();
        format!("{}: {}", text("field"), text("message"))
    });
    let mut said: Vec<String> = fields.collect();
    said.extend(error.reason().map(str::to_owned));
    match (said.is_empty(), error.code().status) {
        (true, _) => error.to_string(),
        // What strangers are told instead of the reason.
        (false, 500..) => said.join("; "),
        (false, _) => format!("{error}: {}", said.join("; ")),
    }
}

/// Asks the server that has the folder open; nothing if there is none.
pub async fn ask(folder: &DataFolder, question: &Question) -> Result<Option<String>, String> {
    let path = folder.control_socket();
    let asked = async {
        let place = Place::of(&path)?;
        let mut stream = UnixStream::connect(&place.path).await?;
        write_line(&mut stream, question).await?;
        read_line::<Reply>(&mut stream).await
    };
    let reply = tokio::time::timeout(TIME_MAX, asked).await;
    let reply = reply.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
    match reply {
        Ok(Reply::Done(answer)) => Ok(Some(answer)),
        Ok(Reply::Refused(problem)) => Err(problem),
        Err(error) => match error.kind() {
            // Nobody listens: there is no server, or it has ended without saying so.
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Ok(None),
            io::ErrorKind::PermissionDenied => Err(format!(
                "{} belongs to another user. Run this as the user who runs the server.",
                path.display()
            )),
            _ => Err(format!(
                "The server that has {} open does not answer: {error}. Its log may say why.",
                folder.path().display()
            )),
        },
    }
}

/// A socket's address. It has room for a short path only; the folder's descriptor shortens a long one.
struct Place {
    path: PathBuf,
    _folder: Option<std::fs::File>,
}

impl Place {
    fn of(path: &Path) -> io::Result<Place> {
        use std::os::fd::AsRawFd as _;
        if path.as_os_str().len() <= PATH_MAX {
            return Ok(Place { path: path.to_owned(), _folder: None });
        }
        let folder = std::fs::File::open(path.parent().unwrap_or(Path::new(".")))?;
        let descriptor = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
        let short = descriptor.join(path.file_name().unwrap_or_default());
        Ok(Place { path: short, _folder: Some(folder) })
    }
}

async fn write_line<T: Serialize>(stream: &mut UnixStream, value: &T) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    stream.write_all(&line).await
}

async fn read_line<T: for<'a> Deserialize<'a>>(stream: &mut UnixStream) -> io::Result<T> {
    let mut line = Vec::new();
    BufReader::new(stream.take(LINE_MAX)).read_until(b'\n', &mut line).await?;
    Ok(serde_json::from_slice(&line)?)
}
