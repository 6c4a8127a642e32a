//! The servers that run from this program, each in a process of its own.

use std::net::Ipv4Addr;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// Which server.
#[derive(Clone, Debug, clap::Args)]
pub struct PeerArguments {
    /// dynoxide's database; without it, the bare server
    #[arg(long)]
    dynoxide: Option<PathBuf>,
    /// Where to listen
    #[arg(long)]
    port: u16,
}

/// Serves until the process is ended.
pub fn serve_peer(arguments: &PeerArguments) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, arguments.port)).await?;
        match &arguments.dynoxide {
            None => serve_bare(listener).await,
            Some(path) => {
                let path = path.to_str().context("the path is no text")?;
                let database =
                    dynoxide::Database::new(path).map_err(|error| anyhow!("dynoxide: {error}"))?;
                dynoxide::server::serve_on(listener, database).await;
                Ok(())
            }
        }
    })
}

/// hyper alone: reads each request and answers with the same bytes, as many as an item takes.
async fn serve_bare(listener: TcpListener) -> anyhow::Result<()> {
    let body = Bytes::from(format!(r#"{{"Item":{{"note":{{"S":"{}"}}}}}}"#, "x".repeat(900)));
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let body = body.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request: Request<Incoming>| {
                let body = body.clone();
                async move {
                    request.into_body().collect().await?;
                    Ok::<_, hyper::Error>(Response::new(Full::new(body)))
                }
            });
            // A connection that breaks is the generator's business.
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}
