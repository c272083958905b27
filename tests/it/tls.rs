//! TLS and passwords towards a real Mosquitto: what works, and what the log says when it does not.

use std::fs;
use std::path::Path;
use std::process::Command;

use rcgen::{BasicConstraints, Certificate, CertificateParams, DnType, IsCa, KeyPair, date_time_ymd};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::common::{Client, Mosquitto, free_port, within};
use crate::process::{Process, configure};

/// Somebody who signs certificates.
pub struct Authority {
    certificate: Certificate,
    key: KeyPair,
}

impl Authority {
    pub fn new(folder: &Path, file: &str) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, file);
        let certificate = params.self_signed(&key).unwrap();
        fs::write(folder.join(file), certificate.pem()).unwrap();
        Self { certificate, key }
    }

    /// Writes `{file}.pem` and `{file}.key`.
    pub fn issue(&self, folder: &Path, file: &str, name: &str, expired: bool) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, file);
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(if expired { 2021 } else { 2090 }, 1, 1);
        let certificate = params.signed_by(&key, &self.certificate, &self.key).unwrap();
        fs::write(folder.join(format!("{file}.pem")), certificate.pem()).unwrap();
        fs::write(folder.join(format!("{file}.key")), key.serialize_pem()).unwrap();
    }
}

/// A Mosquitto with a plain listener and one that speaks TLS, whose certificate is for `name`.
async fn broker(name: &str, expired: bool, wants_certificate: bool) -> (Mosquitto, u16, TempDir) {
    let (files, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let authority = Authority::new(files.path(), "ca.pem");
    Authority::new(files.path(), "other-ca.pem");
    authority.issue(files.path(), "broker", name, expired);
    authority.issue(files.path(), "zhiju", "zhiju", false);
    let (port, at) = (free_port().await, files.path().display());
    let more = format!(
        "listener {port} 127.0.0.1\nallow_anonymous true\ncafile {at}/ca.pem\ncertfile {at}/broker.pem\n\
         keyfile {at}/broker.key\nrequire_certificate {wants_certificate}\n"
    );
    (Mosquitto::with(folder, &more).await, port, files)
}

fn yaml(port: u16, tls: &str) -> String {
    format!("log: {{format: journald}}\nmqtt: {{port: {port}, tls: {{{tls}}}}}\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_and_a_daemon_that_know_each_other_by_certificate_get_together() {
    let (broker, port, files) = broker("127.0.0.1", false, true).await;
    let mut client = Client::connect(broker.port, "client").await;
    let tls = "ca_file: ca.pem, client_cert_file: zhiju.pem, client_key_file: zhiju.key";
    let mut daemon = Process::start(&configure(files.path(), &yaml(port, tls)));
    daemon.says("connected to the broker").await;
    client.status("online").await;
    daemon.signal("TERM");
    client.status("offline").await;
    assert!(daemon.end().await.0.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_is_reached_by_address_may_have_a_certificate_for_its_name() {
    let (_broker, port, files) = broker("broker.home", false, false).await;
    let mut daemon = Process::start(&configure(files.path(), &yaml(port, "ca_file: ca.pem")));
    daemon.says("is for another name: see mqtt.tls.server_name").await;
    daemon.signal("TERM");
    daemon.end().await;
    let tls = "ca_file: ca.pem, server_name: broker.home";
    let mut daemon = Process::start(&configure(files.path(), &yaml(port, tls)));
    daemon.says("connected to the broker").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_certificate_is_named() {
    let (_broker, port, files) = broker("127.0.0.1", true, false).await;
    let mut daemon = Process::start(&configure(files.path(), &yaml(port, "ca_file: ca.pem")));
    daemon.says("the broker's certificate has expired").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_nobody_we_trust_signed_is_named() {
    let (_broker, port, files) = broker("127.0.0.1", false, false).await;
    let mut daemon = Process::start(&configure(files.path(), &yaml(port, "ca_file: other-ca.pem")));
    daemon.says("signed by nobody we trust: see mqtt.tls.ca_file").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_wants_a_certificate_is_understood() {
    let (_broker, port, files) = broker("127.0.0.1", false, true).await;
    let mut daemon = Process::start(&configure(files.path(), &yaml(port, "ca_file: ca.pem")));
    daemon.says("wants a client certificate that it trusts: see mqtt.tls.client_cert_file").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_does_not_speak_tls_is_understood() {
    let (broker, _, files) = broker("127.0.0.1", false, false).await;
    let mut daemon = Process::start(&configure(files.path(), &yaml(broker.port, "ca_file: ca.pem")));
    let line = daemon.says("no connection to the broker").await;
    assert!(line.contains("mqtt.tls") || line.contains("closed the connection"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_is_named_and_the_right_one_works() {
    let folder = tempfile::tempdir().unwrap();
    let (port, list) = (free_port().await, folder.path().join("passwords"));
    let made = Command::new("mosquitto_passwd").arg("-b").arg("-c").arg(&list).args(["hub", "right"]).status();
    assert!(made.unwrap().success());
    let more = format!("listener {port} 127.0.0.1\nallow_anonymous false\npassword_file {}\n", list.display());
    let _broker = Mosquitto::with(folder, &more).await;
    let files = tempfile::tempdir().unwrap();
    let yaml = format!("mqtt: {{port: {port}, username: hub, password_file: password}}\n");
    for (password, said) in [("wrong", "refuses user name or password"), ("right", "connected to the broker")] {
        fs::write(files.path().join("password"), password).unwrap();
        let mut daemon = Process::start(&configure(files.path(), &yaml));
        let line = daemon.says(said).await;
        assert!(!line.contains("wrong") && !line.contains("=right"), "{line}");
        daemon.signal("TERM");
        assert!(daemon.end().await.0.success());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_refuses_again_and_again_is_told_of_once() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let files = tempfile::tempdir().unwrap();
    let yaml = format!("mqtt: {{port: {}}}\n", listener.local_addr().unwrap().port());
    let daemon = Process::start(&configure(files.path(), &yaml));
    for _ in 0..4 {
        let (mut stream, _) = within("an attempt", listener.accept()).await.unwrap();
        let mut some = [0; 64];
        within("the CONNECT", stream.read(&mut some)).await.unwrap();
        // CONNACK: not authorised.
        stream.write_all(&[0x20, 3, 0, 0x87, 0]).await.unwrap();
    }
    daemon.signal("TERM");
    let (status, lines) = daemon.end().await;
    assert!(status.success());
    let told = lines.iter().filter(|line| line.contains("no connection to the broker")).count();
    assert_eq!(told, 1, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("mqtt.password_file")), "{lines:?}");
}
