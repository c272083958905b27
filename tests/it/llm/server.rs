//! A server of chat completions that answers as it is told, well or badly.

use std::collections::VecDeque;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// One answer.
#[derive(Clone, Debug)]
pub enum Say {
    /// A completion of this content.
    Content(String),
    /// The same, once it may go on; it tells when it was asked.
    Later { asked: Arc<Notify>, go_on: Arc<Notify>, content: String },
    /// This body as it stands.
    Body(String),
    /// Another status, and a line of the head.
    Status(u16, &'static str),
    /// So many bytes that are no end of JSON.
    Huge(usize),
    /// Nothing, for ever.
    Never,
    /// A byte now and then, for ever.
    Drip,
    /// Half of the body, then the connection is reset.
    Reset,
}

/// The server; it ends with the test.
pub struct Server {
    pub port: u16,
    script: Arc<Mutex<VecDeque<Say>>>,
    asked: Arc<Mutex<Vec<Value>>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Speaks plain HTTP.
    pub async fn start() -> Self {
        Self::listen(None).await
    }

    /// Speaks TLS as `localhost`, with a certificate that goes to `ca_file` for those who want to trust it.
    pub async fn tls(ca_file: &Path) -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        std::fs::write(ca_file, made.cert.pem()).unwrap();
        let key = PrivateKeyDer::try_from(made.key_pair.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        Self::listen(Some(TlsAcceptor::from(Arc::new(config)))).await
    }

    async fn listen(tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (script, asked) = (Arc::<Mutex<VecDeque<Say>>>::default(), Arc::<Mutex<Vec<Value>>>::default());
        let (to_say, was_asked) = (Arc::clone(&script), Arc::clone(&asked));
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (to_say, was_asked, tls) = (Arc::clone(&to_say), Arc::clone(&was_asked), tls.clone());
                connections.spawn(async move {
                    // Before the drop, which then resets instead of closing.
                    let reset = |stream: &tokio::net::TcpStream| stream.set_zero_linger().unwrap();
                    match tls {
                        None => {
                            let mut stream = stream;
                            if serve(&mut stream, &to_say, &was_asked).await.is_none() {
                                reset(&stream);
                            }
                        }
                        Some(tls) => {
                            if let Ok(mut stream) = tls.accept(stream).await
                                && serve(&mut stream, &to_say, &was_asked).await.is_some()
                            {
                                let _ = stream.shutdown().await;
                            }
                        }
                    }
                });
            }
        });
        Self { port, script, asked, task }
    }

    /// What it answers next, after what it was told before.
    pub fn then(&self, say: Say) {
        self.script.lock().unwrap().push_back(say);
    }

    /// How many answers it was told and has not given yet.
    pub fn left(&self) -> usize {
        self.script.lock().unwrap().len()
    }

    /// The bodies of all questions so far.
    pub fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves one question; `None` when the connection is to be reset.
async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    script: &Mutex<VecDeque<Say>>,
    asked: &Mutex<Vec<Value>>,
) -> Option<()> {
    let body = read(stream).await?;
    asked.lock().unwrap().push(if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() });
    let say = script.lock().unwrap().pop_front().unwrap_or(Say::Never);
    let head = |status: u16, length: usize, more: &str| {
        let more = if more.is_empty() { String::new() } else { format!("{more}\r\n") };
        format!(
            "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n{more}\r\n"
        )
    };
    match say {
        Say::Content(content) => {
            let body = completion(&content);
            stream.write_all(format!("{}{body}", head(200, body.len(), "")).as_bytes()).await.ok()?;
        }
        Say::Later { asked, go_on, content } => {
            asked.notify_one();
            go_on.notified().await;
            let body = completion(&content);
            stream.write_all(format!("{}{body}", head(200, body.len(), "")).as_bytes()).await.ok()?;
        }
        Say::Body(body) => {
            stream.write_all(format!("{}{body}", head(200, body.len(), "")).as_bytes()).await.ok()?;
        }
        Say::Status(status, more) => stream.write_all(head(status, 0, more).as_bytes()).await.ok()?,
        Say::Huge(bytes) => {
            stream.write_all(head(200, bytes, "").as_bytes()).await.ok()?;
            for _ in 0..bytes / 1024 {
                stream.write_all(&[b'['; 1024]).await.ok()?;
            }
        }
        Say::Never => std::future::pending().await,
        Say::Drip => {
            stream.write_all(head(200, 100_000, "").as_bytes()).await.ok()?;
            let mut pace = tokio::time::interval(Duration::from_millis(10));
            loop {
                pace.tick().await;
                stream.write_all(b" ").await.ok()?;
                stream.flush().await.ok()?;
            }
        }
        Say::Reset => {
            let body = completion("[\"打开-客厅-照明灯#Light#one\"]");
            let half = &body.as_bytes()[..body.len() / 2];
            stream.write_all(head(200, body.len(), "").as_bytes()).await.ok()?;
            stream.write_all(half).await.ok()?;
            stream.flush().await.ok()?;
            return None;
        }
    }
    stream.flush().await.ok()
}

/// The body of a question.
async fn read<S: AsyncRead + Unpin>(stream: &mut S) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.map_or(Some(0), |length| length.parse().ok())?;
        if bytes.len() >= end + 4 + length {
            return Some(bytes.split_off(end + 4));
        }
    }
}

fn completion(content: &str) -> String {
    json!({
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
        "usage": {"prompt_tokens": 700, "completion_tokens": 20},
    })
    .to_string()
}
