//! Who may come in, whom we dial and who we are, as the configuration says now: read again on SIGHUP.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use futures_util::StreamExt;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use zhiju::dial::TlsSettings;
use zhiju::dial::tls::client_config;
use zhiju::dial::websocket;
use zhiju::door::http::PIPE;

use super::SECRET;
use super::clients::{Pipe, connect, get, post, raw};
use super::dial::Server;
use crate::common::{Broker, Client, free_port, within};
use crate::console::Reader;
use crate::process::{Process, configure};

/// A secret of the configuration, as it has to lie there.
pub fn secret(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

async fn reload(daemon: &mut Process) {
    daemon.signal("HUP");
    daemon.says("the configuration is taken over").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_gone_is_refused_at_once_and_its_pipes_and_pages_end() {
    let (broker, folder, port) = (Broker::embedded().await, tempfile::tempdir().unwrap(), free_port().await);
    let mut client = Client::connect(broker.port(), "client").await;
    let yaml = format!("mqtt: {{port: {}}}\nhttp: {{listen: '127.0.0.1:{port}', tokens: tokens}}\n", broker.port());
    let tokens = folder.path().join("tokens");
    let (phone, voice) = (format!("phone ask,see {SECRET}"), format!("voice ask {SECRET}-3"));
    secret(&tokens, &format!("{phone}\n{voice}\n"));
    let mut daemon = Process::start(&configure(folder.path(), &yaml));
    client.status("online").await;
    client.publish("registry", crate::common::home().to_string()).await;
    client.on("registry/report").await;
    let [phone, voice] = [SECRET.to_owned(), format!("{SECRET}-3")].map(|secret| format!("Bearer {secret}"));
    let mut of_phone = Pipe::open(port, &[("Authorization", &phone)]).await;
    let mut of_voice = Pipe::open(port, &[("Authorization", &voice)]).await;
    for pipe in [&mut of_phone, &mut of_voice] {
        assert_eq!(pipe.ask("r", "p", "家里哪些灯开着").await["ret"], 0);
    }
    let mut page = Reader::open(port, &[("Authorization", &phone)]).await;
    page.on("hello").await;
    secret(&tokens, &format!("voice ask {SECRET}-3\n"));
    reload(&mut daemon).await;
    assert_eq!(page.on("bye").await, json!({"why": "token"}));
    assert_eq!(page.next().await, None);
    let Some(Ok(Message::Close(Some(CloseFrame { code, .. })))) = within("the end", of_phone.socket.next()).await
    else {
        panic!("no goodbye");
    };
    assert_eq!(code, CloseCode::Policy);
    assert_eq!(get(port, "/healthz", &[("Authorization", &phone)]).await.status, 401);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(post(port, "/mcp", &[("Authorization", &phone)], &ping).await.status, 401);
    assert!(Pipe::at(port, PIPE, &[("Authorization", &phone)]).await.is_err());
    assert_eq!(of_voice.ask("r2", "p", "家里哪些灯开着").await["ret"], 0, "others stay");
    // A file that cannot be used changes nothing.
    secret(&tokens, "voice ask short\n");
    daemon.signal("HUP");
    daemon.says("nothing changes").await;
    assert_eq!(of_voice.ask("r3", "p", "家里哪些灯开着").await["ret"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_is_gone_is_left_and_one_that_is_new_is_dialled() {
    let (broker, folder) = (Broker::embedded().await, tempfile::tempdir().unwrap());
    let yaml = format!("mqtt: {{port: {}}}\nmcp: {{endpoints: {{toy: toy}}}}\n", broker.port());
    let ((former, at_former), (next, at_next)) = (Server::at().await, Server::at().await);
    secret(&folder.path().join("toy"), &at_former);
    let mut daemon = Process::start(&configure(folder.path(), &yaml));
    let mut link = former.dialled().await;
    assert_eq!(link.greet().await.len(), 3);
    reload(&mut daemon).await;
    assert_eq!(link.greet().await.len(), 3, "what stays is not disturbed");
    secret(&folder.path().join("toy"), &at_next);
    reload(&mut daemon).await;
    link.ends().await;
    assert_eq!(next.dialled().await.greet().await.len(), 3);
}

/// Asks over TLS and trusts this certificate alone: the answer, or why there is none.
async fn ask(port: u16, trusted: &str) -> Result<String, String> {
    let config = client_config(&TlsSettings { ca_file: Some(trusted.into()), ..TlsSettings::default() }).unwrap();
    let config = rustls::ClientConfig::clone(&config);
    let client = reqwest::Client::builder().use_preconfigured_tls(config).no_proxy().build().unwrap();
    let asking = client.get(format!("https://localhost:{port}/healthz")).send();
    let answer = within("an answer", asking).await.map_err(|error| format!("{error:?}"))?;
    answer.text().await.map_err(|error| error.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn http_is_served_over_tls_with_the_certificate_of_now() {
    let (broker, folder, port) = (Broker::embedded().await, tempfile::tempdir().unwrap(), free_port().await);
    let mut client = Client::connect(broker.port(), "client").await;
    let path = |name: &str| folder.path().join(name).display().to_string();
    let certificate = |name: &str| {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        std::fs::write(path(name), made.cert.pem()).unwrap();
        made.key_pair.serialize_pem()
    };
    let (first, second) = (certificate("first.pem"), certificate("second.pem"));
    let install = |name: &str, key: &str| {
        std::fs::copy(path(name), path("cert.pem")).unwrap();
        secret(&folder.path().join("key.pem"), key);
    };
    install("first.pem", &first);
    let tls = "tls: {cert_file: cert.pem, key_file: key.pem}";
    let yaml = format!("mqtt: {{port: {}}}\nhttp: {{listen: '127.0.0.1:{port}', {tls}}}\n", broker.port());
    let mut daemon = Process::start(&configure(folder.path(), &yaml));
    client.status("online").await;
    drop(connect(port).await);
    assert_eq!(ask(port, &path("first.pem")).await.unwrap(), "ok\n");
    assert!(ask(port, &path("second.pem")).await.is_err(), "whoever trusts another one does not ask");
    // Who speaks plainly hears nothing of the home.
    let plain = raw(port, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!((plain.status, plain.text.as_str()), (0, ""));
    let trusted = TlsSettings { ca_file: Some(path("first.pem").into()), ..TlsSettings::default() };
    let (address, at) = (format!("wss://localhost:{port}{PIPE}"), [([127, 0, 0, 1], port).into()]);
    let pipe = within("the pipe", websocket::open(&address, &at, &trusted, 1 << 20)).await.unwrap();

    install("second.pem", &second);
    reload(&mut daemon).await;
    assert_eq!(ask(port, &path("second.pem")).await.unwrap(), "ok\n");
    assert!(ask(port, &path("first.pem")).await.is_err());
    // One that does not fit changes nothing, and is named.
    install("first.pem", &second);
    daemon.signal("HUP");
    let told = daemon.says("nothing changes").await;
    assert!(told.contains("http.tls.cert_file"), "{told}");
    assert_eq!(ask(port, &path("second.pem")).await.unwrap(), "ok\n");
    drop(pipe);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_this_machine_friendly_sites_and_clients_of_wyoming_count_anew() {
    let (broker, folder) = (Broker::embedded().await, tempfile::tempdir().unwrap());
    let (port, wyoming) = (free_port().await, free_port().await);
    let yaml = |host: &str, origin: &str, client: &str| {
        let http = format!("http: {{listen: '127.0.0.1:{port}', hosts: [{host}], origins: ['https://{origin}']}}");
        let wyoming = format!("wyoming: {{listen: '127.0.0.1:{wyoming}', clients: [{client}]}}");
        format!("mqtt: {{port: {}}}\n{http}\n{wyoming}\n", broker.port())
    };
    let mut daemon = Process::start(&configure(folder.path(), &yaml("old.lan", "old.panel", "192.168.1.5")));
    let asked = async |host: &str, origin: &str| {
        let origin = format!("https://{origin}");
        get(port, "/healthz", &[("Host", host), ("Origin", &origin)]).await.status
    };
    assert_eq!([asked("old.lan", "old.panel").await, asked("new.lan", "old.panel").await], [200, 403]);
    let mut of_site = Pipe::open(port, &[("Origin", "https://old.panel")]).await;
    let mut of_here = Pipe::open(port, &[]).await;
    configure(folder.path(), &yaml("new.lan", "new.panel", "192.168.1.6"));
    reload(&mut daemon).await;
    assert_eq!([asked("new.lan", "new.panel").await, asked("old.lan", "new.panel").await], [200, 403]);
    assert_eq!(asked("new.lan", "old.panel").await, 403);
    let Some(Ok(Message::Close(Some(CloseFrame { code, .. })))) = within("the end", of_site.socket.next()).await else {
        panic!("no goodbye");
    };
    assert_eq!(code, CloseCode::Policy);
    let answer = of_here.ask("r", "p", "家里哪些灯开着").await;
    assert_eq!(answer["error"]["code"], "no_home", "others stay: {answer}");
    let restart = daemon.said().into_iter().find(|line| line.contains("count from the next start"));
    assert_eq!(restart, None);
}
