//! How long an unsure sentence takes when language models are asked and none answers.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::net::{TcpSocket, TcpStream};

use crate::common::{Client, Mosquitto, free_port};
use crate::llm::server::{Say, Server};
use crate::llm::{IN_VAIN, UNSURE, home};
use crate::process::{Process, configure_with_model};

/// All models together have so long.
const DEADLINE: Duration = Duration::from_secs(2);

/// What the rest may add: the bar.
const REST: Duration = Duration::from_millis(100);

/// Sentences of each case; after three failures the endpoint would be left alone, which is quick.
const SENTENCES: usize = 3;

/// A socket that takes no connection any more; those that fill its queue are held.
async fn full() -> (SocketAddr, tokio::net::TcpListener, Vec<TcpStream>) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    while let Ok(stream) = tokio::time::timeout(Duration::from_millis(200), TcpStream::connect(address)).await {
        waiting.push(stream.unwrap());
    }
    (address, listener, waiting)
}

/// The longest way of an unsure sentence to its finish frame, with one endpoint at `url`.
async fn slowest(url: &str) -> Duration {
    let (broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
    let mut client = Client::connect(broker.port, "bars").await;
    let yaml = format!(
        "mqtt: {{port: {}}}\nlog: {{level: error}}\nllm: {{order: [grammar, model, box], deadline_ms: {}, endpoints: \
         {{box: {{place: lan, url: '{url}', model: test}}}}}}\n",
        broker.port,
        DEADLINE.as_millis(),
    );
    let daemon = Process::start(&configure_with_model(folder.path(), &yaml));
    client.status("online").await;
    client.publish("registry", home().to_string()).await;
    client.on("registry/report").await;
    let mut slowest = Duration::ZERO;
    for n in 0..SENTENCES {
        let rid = format!("unanswered-{n}");
        let frame = json!({"topic": "llm/smarthome", "rid": rid, "payload":
            {"page_id": "p", "question": UNSURE, "local": "客厅", "instruct": true}});
        let start = Instant::now();
        client.publish("request", frame.to_string()).await;
        let finish = client.finish(&rid).await;
        slowest = slowest.max(start.elapsed());
        let said = &finish["payload"]["data"]["active"]["intent"]["result"];
        assert!(said.as_str().is_some_and(|said| said.contains(IN_VAIN)), "{url} was not asked: {finish}");
    }
    daemon.signal("TERM");
    daemon.end().await;
    slowest
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures a release binary; see the Makefile"]
async fn models_that_do_not_answer() {
    let (silent, dripping) = (Server::start().await, Server::start().await);
    (0..SENTENCES).for_each(|_| dripping.then(Say::Drip));
    let unheard = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let (taking_none, _listener, _waiting) = full().await;
    let here = |port: u16| format!("http://127.0.0.1:{port}/v1");
    let mut late = Vec::new();
    for (what, url) in [
        ("never answers", here(silent.port)),
        ("drips", here(dripping.port)),
        ("listens and accepts nothing", here(unheard.local_addr().unwrap().port())),
        ("takes no connection", here(taking_none.port())),
        ("is a name that nobody has", "http://nobody.invalid/v1".to_owned()),
        ("does not listen", here(free_port().await)),
    ] {
        let took = slowest(&url).await;
        let (took_ms, deadline_ms) = (took.as_millis(), DEADLINE.as_millis());
        println!("an endpoint that {what}: {SENTENCES} sentences ended within {took_ms} ms of {deadline_ms} ms");
        if took > DEADLINE + REST {
            late.push((what, took));
        }
    }
    assert!(late.is_empty(), "{late:?}");
}
