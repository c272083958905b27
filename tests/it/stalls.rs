//! Peers that are there and do not get on: readers that read no more, TLS that does not come to an end.

use std::sync::Arc;

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::Packet;
use rumqttc::v5::{AsyncClient, Event, MqttOptions};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;
use zhiju::dial::TlsSettings;
use zhiju::transport::BrokerSettings;

use crate::bad_broker::{CONNACK, impatient, packet, say_much};
use crate::common::{Broker, Client, Daemon, home, request, within};
use crate::process::{Process, configure};
use crate::tls::Authority;

/// Subscribes to everything of the home and takes nothing of it.
async fn deaf(port: u16) -> (AsyncClient, rumqttc::v5::EventLoop) {
    let mut options = MqttOptions::new("deaf", "127.0.0.1", port);
    options.set_receive_maximum(Some(1));
    let (client, mut events) = AsyncClient::new(options, 10);
    client.subscribe("zhiju/home/#", QoS::AtLeastOnce).await.unwrap();
    let subscribed = async { while !matches!(events.poll().await.unwrap(), Event::Incoming(Packet::SubAck(_))) {} };
    within("the subscription", subscribed).await;
    (client, events)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscriber_that_takes_nothing_keeps_nothing_from_others() {
    let broker = Broker::mosquitto().await;
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    client.status("online").await;
    client.publish("registry", home().to_string()).await;
    client.on("registry/report").await;
    let _deaf = deaf(broker.port()).await;
    for n in 0..300 {
        let rid = format!("r{n}");
        client
            .publish(
                "request",
                request(&rid, "p", if n % 2 == 0 { "打开客厅的灯" } else { "关掉客厅的灯" }).to_string(),
            )
            .await;
        let active = client.finish(&rid).await["payload"]["data"]["active"].clone();
        assert_eq!(active["intent"]["type"], "instruct", "{n}: {active}");
        assert_eq!(client.on("instruct/lamp-1").await["rid"], rid);
    }
    daemon.stop().await;
    client.status("offline").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_that_does_not_come_to_an_end_is_given_up() {
    let files = tempfile::tempdir().unwrap();
    Authority::new(files.path(), "ca.pem");
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let yaml = format!("log: {{format: journald}}\nmqtt: {{port: {port}, tls: {{ca_file: ca.pem}}}}\n");
    let mut daemon = Process::start(&configure(files.path(), &yaml));
    // Its greeting is taken and nothing said.
    let first = within("a connection", listener.accept()).await.unwrap();
    daemon.says("the broker does not answer in time").await;
    let second = within("another connection", listener.accept()).await.unwrap();
    daemon.signal("TERM");
    assert!(daemon.end().await.0.success());
    drop((first, second));
}

/// A connection through TLS, up to its CONNECT.
async fn connection(listener: &TcpListener, acceptor: &TlsAcceptor) -> TlsStream<TcpStream> {
    let (stream, _) = within("a connection", listener.accept()).await.unwrap();
    let mut stream = within("the handshake", acceptor.accept(stream)).await.unwrap();
    assert_eq!(within("the CONNECT", packet(&mut stream)).await.unwrap().0, 0x10);
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_reads_no_more_is_left_through_tls_too() {
    let files = tempfile::tempdir().unwrap();
    let authority = Authority::new(files.path(), "ca.pem");
    authority.issue(files.path(), "broker", "127.0.0.1", false);
    let certificates = CertificateDer::pem_file_iter(files.path().join("broker.pem")).unwrap().map(Result::unwrap);
    let key = PrivateKeyDer::from_pem_file(files.path().join("broker.key")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(certificates.collect(), key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let tls = TlsSettings { ca_file: Some(files.path().join("ca.pem")), ..TlsSettings::default() };
    let port = listener.local_addr().unwrap().port();
    let link = impatient(BrokerSettings { port, tls: Some(tls), ..BrokerSettings::default() });
    let mut stalled = connection(&listener, &acceptor).await;
    stalled.write_all(CONNACK).await.unwrap();
    stalled.flush().await.unwrap();
    say_much(&link).await;
    let next = connection(&listener, &acceptor).await;
    drop((stalled, next));
    link.stop(Instant::now()).await;
}
