//! A Home Assistant behind TLS, as its published protocol has it: the right one is spoken with, and to any other the token
//! is not shown.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::{SinkExt, StreamExt};
use rustls::ServerConfig;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::common::{Broker, Client, Pace, json_of, request, within};
use crate::process::{Process, configure};
use crate::runner::{stdout, zhiju};
use crate::tls::Authority;

/// A listener with a certificate for `name`, signed by the authority of `ca.pem` beside it.
struct House {
    listener: TcpListener,
    tls: TlsAcceptor,
    broker: Broker,
    folder: TempDir,
}

impl House {
    async fn with(name: &str, expired: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new(folder.path(), "ca.pem");
        Authority::new(folder.path(), "other-ca.pem");
        authority.issue(folder.path(), "ha", name, expired);
        std::fs::write(folder.path().join("token"), "good\n").unwrap();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let tls = acceptor(folder.path());
        Self { listener, tls, broker: Broker::embedded().await, folder }
    }

    fn url(&self) -> String {
        format!("https://127.0.0.1:{}", self.listener.local_addr().unwrap().port())
    }

    /// The configuration file of a daemon that is told of it.
    fn config(&self, tls: &str) -> PathBuf {
        let hub = format!("ha: {{kind: home_assistant, url: '{}', token_file: token, tls: {tls}}}", self.url());
        let yaml = format!("mqtt: {{port: {}}}\nhubs: {{{hub}}}\nlog: {{format: journald}}\n", self.broker.port());
        configure(self.folder.path(), &yaml)
    }

    /// The next connection of the daemon, whether or not it comes to an understanding.
    async fn dialled(&self) -> std::io::Result<TlsStream<TcpStream>> {
        let (stream, _) = within("the daemon", self.listener.accept()).await.unwrap();
        within("a handshake", self.tls.accept(stream)).await
    }
}

fn acceptor(folder: &Path) -> TlsAcceptor {
    let certificates = CertificateDer::pem_file_iter(folder.join("ha.pem")).unwrap().map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(folder.join("ha.key")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// Home Assistant's side of a connection.
struct Peer {
    socket: WebSocketStream<TlsStream<TcpStream>>,
}

impl Peer {
    /// Greets, and takes the token.
    async fn greet(stream: TlsStream<TcpStream>) -> Self {
        let mut peer = Self { socket: tokio_tungstenite::accept_async(stream).await.unwrap() };
        peer.say(json!({"type": "auth_required", "ha_version": "2026.11.1"})).await;
        assert_eq!(peer.hear().await["access_token"], "good");
        peer.say(json!({"type": "auth_ok", "ha_version": "2026.11.1"})).await;
        peer
    }

    async fn say(&mut self, message: Value) {
        self.socket.send(Message::Text(message.to_string())).await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        loop {
            if let Message::Text(text) = within("a command", self.socket.next()).await.unwrap().unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    /// Answers whatever is asked until a service is called, with a house of one lamp; returns the call.
    async fn until_service(&mut self) -> Value {
        loop {
            let asked = self.hear().await;
            let result = match asked["type"].as_str().unwrap() {
                "call_service" => return asked,
                "get_config" => json!({"state": "RUNNING"}),
                "config/area_registry/list" => json!([{"area_id": "a", "name": "客厅", "aliases": []}]),
                "config/entity_registry/list" => json!([{"entity_id": "light.a", "area_id": "a"}]),
                "config/entity_registry/get_entries" => json!({"light.a": {"entity_id": "light.a", "area_id": "a"}}),
                "homeassistant/expose_entity/list" => {
                    json!({"exposed_entities": {"light.a": {"conversation": true}}})
                }
                _ => json!([]),
            };
            self.say(json!({"id": asked["id"], "type": "result", "success": true, "result": result})).await;
            if asked["type"] == "subscribe_entities" {
                let states = json!({"a": {"light.a": {"s": "off", "a": {"friendly_name": "阅读灯"}}}});
                self.say(json!({"id": asked["id"], "type": "event", "event": states})).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_house_is_brought_and_moved_over_tls_by_the_owners_own_authority() {
    let house = House::with("127.0.0.1", false).await;
    let mut client = Client::subscribed(house.broker.port(), "person", &["zhiju/home/#"], Pace::default()).await;
    let _daemon = Process::start(&house.config("{ca_file: ca.pem}"));
    let mut peer = Peer::greet(house.dialled().await.unwrap()).await;
    let served = tokio::spawn(async move { peer.until_service().await });
    client
        .find("the hub", |publish| {
            publish.topic == "zhiju/home/hubs" && json_of(publish)["hubs"][0]["devices_online"] == 1
        })
        .await;
    client.publish("request", request("r", "r", "打开阅读灯").to_string()).await;
    let call = served.await.unwrap();
    assert_eq!((&call["domain"], &call["service"]), (&json!("light"), &json!("turn_on")), "{call}");
    assert_eq!(call["target"], json!({"entity_id": ["light.a"]}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_does_not_match_is_refused_and_named_with_the_address() {
    for (name, expired, tls, why) in [
        ("ha.home", false, "{ca_file: ca.pem}", "is for another name: see hubs.ha.tls.server_name"),
        ("127.0.0.1", false, "{ca_file: other-ca.pem}", "signed by nobody we trust: see hubs.ha.tls.ca_file"),
        ("127.0.0.1", true, "{ca_file: ca.pem}", "Home Assistant's certificate has expired"),
        (
            "127.0.0.1",
            false,
            "{ca_file: ca.pem, server_name: ha.home}",
            "is for another name: see hubs.ha.tls.server_name",
        ),
    ] {
        let house = House::with(name, expired).await;
        let mut daemon = Process::start(&house.config(tls));
        assert!(house.dialled().await.is_err(), "nothing is said to it: {tls}");
        let line = daemon.says("Home Assistant is gone").await;
        assert!(line.contains(why) && line.contains(&house.url()), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_house_that_is_reached_by_address_may_have_a_certificate_for_its_name() {
    let house = House::with("ha.home", false).await;
    let mut daemon = Process::start(&house.config("{ca_file: ca.pem, server_name: ha.home}"));
    let _peer = Peer::greet(house.dialled().await.unwrap()).await;
    daemon.says("connected to Home Assistant").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_authority_that_is_renewed_is_believed_with_the_next_connection() {
    let house = House::with("127.0.0.1", false).await;
    let right = std::fs::read(house.folder.path().join("ca.pem")).unwrap();
    std::fs::copy(house.folder.path().join("other-ca.pem"), house.folder.path().join("ca.pem")).unwrap();
    let mut daemon = Process::start(&house.config("{ca_file: ca.pem}"));
    assert!(house.dialled().await.is_err());
    std::fs::write(house.folder.path().join("ca.pem"), right).unwrap();
    let stream = loop {
        // An attempt may have begun before the file was there.
        if let Ok(stream) = house.dialled().await {
            break stream;
        }
    };
    let _peer = Peer::greet(stream).await;
    daemon.says("connected to Home Assistant").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a real Home Assistant; see deploy/tests/home_assistant.sh"]
async fn a_real_house_behind_tls_is_brought_and_moved() {
    let (settings, rest) = super::settings();
    let house = House::with("127.0.0.1", false).await;
    std::fs::copy(&settings.token_file, house.folder.path().join("token")).unwrap();
    let config = house.config("{ca_file: ca.pem}");
    let mut client = Client::subscribed(house.broker.port(), "person", &["zhiju/home/#"], Pace::default()).await;
    let _daemon = Process::start(&config);
    let address = rest.address.clone();
    let (listener, tls) = (house.listener, house.tls);
    // As a proxy before it does.
    let proxy = tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (tls, address) = (tls.clone(), address.clone());
            tokio::spawn(async move {
                let mut inside = TcpStream::connect(address).await.unwrap();
                let mut outside = tls.accept(stream).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
            });
        }
    });
    client
        .find("the hub", |p| {
            p.topic == "zhiju/home/hubs" && json_of(p)["hubs"][0]["devices_online"].as_u64() > Some(50)
        })
        .await;
    for (said, is) in [("关掉鱼缸开关", "off"), ("打开鱼缸开关", "on")] {
        client.publish("request", request(said, "p", said).to_string()).await;
        let wanted = [("switch.ac".to_owned(), [("state".to_owned(), is.into())].into())].into();
        rest.until(&wanted, said).await;
    }
    proxy.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_speaks_no_tls_is_named_and_doctor_says_the_same() {
    let house = House::with("127.0.0.1", false).await;
    let config = house.config("{ca_file: ca.pem}");
    let plain = async {
        loop {
            let (mut stream, _) = house.listener.accept().await.unwrap();
            let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    };
    let asking = async {
        let mut daemon = Process::start(&config);
        let line = daemon.says("Home Assistant is gone").await;
        let command = config.clone();
        let output =
            tokio::task::spawn_blocking(move || zhiju().args(["doctor", "--config"]).arg(command).output().unwrap());
        (line, stdout(&within("doctor", output).await.unwrap()))
    };
    let (line, shown) = tokio::select! {
        () = plain => unreachable!(),
        said = asking => said,
    };
    for text in [line, shown] {
        assert!(text.contains("does not answer in TLS: see hubs.ha.url") && text.contains(&house.url()), "{text}");
    }
}
