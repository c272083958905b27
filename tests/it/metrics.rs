//! The numbers over HTTP.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::common::{Broker, Client, Daemon, free_port, home, request, within};

/// What the daemon answers on `/metrics`.
async fn scrape(port: u16) -> String {
    let asking = async {
        let mut stream = loop {
            if let Ok(stream) = TcpStream::connect(("127.0.0.1", port)).await {
                break stream;
            }
            tokio::task::yield_now().await;
        };
        stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    };
    within("the metrics", asking).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_is_counted_and_told() {
    let broker = Broker::mosquitto().await;
    let mut client = Client::connect(broker.port(), "client").await;
    let port = free_port().await;
    let daemon = Daemon::start(broker.port(), |settings| {
        settings.metrics = Some(([127, 0, 0, 1], port).into());
    });
    client.status("online").await;
    client.publish("request", request("r0", "p", "打开客厅的灯").to_string()).await;
    assert_eq!(client.finish("r0").await["payload"]["data"]["error"]["code"], "no_home");
    client.publish("registry", home().to_string()).await;
    client.on("registry/report").await;
    for rid in ["r1", "r2"] {
        client.publish("request", request(rid, "p", "打开客厅的灯").to_string()).await;
        client.finish(rid).await;
    }
    let text = scrape(port).await;
    assert!(text.starts_with("HTTP/1.0 200 OK\r\n") && text.ends_with("# EOF\n"), "{text}");
    for line in [
        "zhiju_utterances_total{intent=\"instruct\",parser=\"grammar\"} 2",
        "zhiju_failures_total{code=\"no_home\"} 1",
        "zhiju_registry_revision 1",
        "zhiju_registry_devices 2",
        "zhiju_broker_connections_total 1",
        "zhiju_broker_connected 1",
        "zhiju_stale_instructs_total 0",
    ] {
        assert!(text.lines().any(|l| l == line), "{line} is not in\n{text}");
    }
    daemon.stop().await;
}
