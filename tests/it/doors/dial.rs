//! MCP endpoints that are dialled, against a small server of their published form.

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use zhiju::door::mcp::{Endpoint, reach};

use super::House;
use super::clients::get;
use crate::common::within;

/// A server that waits to be dialled.
pub struct Server {
    listener: TcpListener,
}

impl Server {
    async fn start() -> (Self, Endpoint) {
        let (server, address) = Self::at().await;
        (server, Endpoint::new("toy", address).unwrap())
    }

    /// One, and its address.
    pub async fn at() -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("ws://{}/mcp_endpoint/mcp/?token=t", listener.local_addr().unwrap());
        (Self { listener }, address)
    }

    pub async fn dialled(&self) -> Link {
        let accepting = async {
            let (stream, _) = self.listener.accept().await.unwrap();
            tokio_tungstenite::accept_async(stream).await.unwrap()
        };
        Link { socket: within("the dialler", accepting).await }
    }
}

/// A connection that the daemon opened.
pub struct Link {
    socket: WebSocketStream<TcpStream>,
}

impl Link {
    async fn send(&mut self, message: &str) {
        self.socket.send(Message::Text(message.to_owned())).await.unwrap();
    }

    /// The next message that is no ping.
    async fn next(&mut self) -> Value {
        loop {
            match within("an answer", self.socket.next()).await {
                Some(Ok(Message::Text(text))) => return serde_json::from_str(&text).unwrap(),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// Waits for the ping that a connection begins with.
    async fn pinged(&mut self) {
        let first = within("a ping", self.socket.next()).await;
        assert!(matches!(first, Some(Ok(Message::Ping(_)))), "{first:?}");
    }

    /// All that is said until the connection is over.
    async fn rest(&mut self) -> Vec<Value> {
        let mut said = Vec::new();
        let reading = async {
            while let Some(Ok(message)) = self.socket.next().await {
                if let Message::Text(text) = message {
                    said.push(serde_json::from_str(&text).unwrap());
                }
            }
        };
        within("the end", reading).await;
        said
    }

    /// Waits until the connection is over.
    pub async fn ends(&mut self) {
        let end = async {
            while let Some(Ok(Message::Text(_) | Message::Ping(_) | Message::Pong(_))) = self.socket.next().await {}
        };
        within("the end", end).await;
    }

    pub async fn call(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()).await;
        let answer = self.next().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// As such servers begin.
    pub async fn greet(&mut self) -> Vec<Value> {
        let params = json!({"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "x"}});
        assert_eq!(self.call(0, "initialize", params).await["result"]["protocolVersion"], "2024-11-05");
        self.send(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#).await;
        self.call(2, "tools/list", json!({})).await["result"]["tools"].as_array().unwrap().clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_is_dialled_lists_and_calls_tools() {
    let (server, endpoint) = Server::start().await;
    let mut house = House::with(|settings| settings.mcp_endpoints = vec![endpoint.clone()]).await;
    let mut link = server.dialled().await;
    assert_eq!(link.greet().await.len(), 3);
    let numbers = get(house.http, "/metrics", &[]).await.text;
    assert!(numbers.contains("zhiju_mcp_endpoint_connected{name=\"toy\"} 1\n"), "{numbers}");
    let said = json!({"name": "home_command", "arguments": {"text": "打开书房吸顶灯"}});
    let result = link.call(3, "tools/call", said).await["result"].clone();
    assert!(result["content"][0]["text"].as_str().unwrap().contains("正在打开书房吸顶灯"), "{result}");
    house.client.on("instruct/cct-05").await;
    for bad in ["not json", "[]", r#"{"jsonrpc": "2.0", "id": 4, "method": "resources/list"}"#, "{}"] {
        link.send(bad).await;
        assert!(link.next().await["error"]["code"].is_i64(), "{bad}");
    }
    // Nor is what is not text. One message in several frames is one message.
    link.socket.send(Message::Binary(br#"{"jsonrpc": "2.0", "id": 5, "method": "ping"}"#.to_vec())).await.unwrap();
    assert_eq!(link.next().await["error"]["code"], -32700);
    let (first, second) = br#"{"jsonrpc": "2.0", "id": 6, "method": "ping"}"#.split_at(12);
    for (code, part, last) in [(Data::Text, first, false), (Data::Continue, second, true)] {
        link.socket.send(Message::Frame(Frame::message(part.to_vec(), OpCode::Data(code), last))).await.unwrap();
    }
    assert_eq!(link.next().await, json!({"jsonrpc": "2.0", "id": 6, "result": {}}));
    // Ids are the other side's affair: each request has its answer.
    for _ in 0..2 {
        link.send(r#"{"jsonrpc": "2.0", "id": 3, "method": "ping"}"#).await;
    }
    for _ in 0..2 {
        assert_eq!(link.next().await, json!({"jsonrpc": "2.0", "id": 3, "result": {}}));
    }
    // Whoever looks whether it takes us is a connection of its own.
    // It answers pings, as whoever reads does.
    let lives = async { server.dialled().await.ends().await };
    let (looked, ()) = tokio::join!(reach(&endpoint), lives);
    looked.unwrap();
    drop((link, server));
    let gone = async {
        while !get(house.http, "/metrics", &[]).await.text.contains("zhiju_mcp_endpoint_connected{name=\"toy\"} 0\n") {}
    };
    within("the endpoint to be gone", gone).await;
    assert_eq!(house.moved(), 0);
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_call_is_lost_without_an_error_however_its_endpoint_dies() {
    let (mut server, address) = Server::at().await;
    let endpoint = Endpoint::new("toy", address).unwrap();
    let mut house = House::with(|settings| settings.mcp_endpoints = vec![endpoint]).await;
    let said = json!({"name": "home_command", "arguments": {"text": "打开书房吸顶灯"}});
    let call = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": said}).to_string();
    let (mut answered, calls) = (0, 50);
    for time in 0..calls {
        let mut link = server.dialled().await;
        // What is not read when a connection is closed would take the call along.
        link.pinged().await;
        link.send(&call).await;
        // In the middle of the call, with its action, after its answer; and each time all that was said until then is heard.
        match time % 3 {
            0 => {}
            1 => _ = house.client.on("instruct/cct-05").await,
            _ => answered += u64::from(link.next().await["id"] == 9),
        }
        link.socket.get_mut().shutdown().await.unwrap();
        answered += link.rest().await.iter().filter(|answer| answer["id"] == 9).count() as u64;
        if time % 10 == 9 {
            // The whole server is gone for a while.
            let port = server.listener.local_addr().unwrap();
            drop((link, server));
            server = Server { listener: TcpListener::bind(port).await.unwrap() };
        }
    }
    // Once it is there again, the one before is over.
    server.dialled().await.greet().await;
    let metrics = get(house.http, "/metrics", &[]).await.text;
    let unheard = metrics.lines().find_map(|line| line.strip_prefix("zhiju_unheard_total{door=\"endpoint\"} "));
    assert_eq!(
        answered + unheard.map_or(0, |count| count.parse::<u64>().unwrap()),
        calls,
        "{answered} and {unheard:?}"
    );
    assert!(answered >= calls / 3 && unheard.is_some());
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_dies_is_there_again_each_time() {
    let (server, endpoint) = Server::start().await;
    let house = House::with(|settings| settings.mcp_endpoints = vec![endpoint]).await;
    for time in 0..50_u64 {
        let mut link = server.dialled().await;
        assert_eq!(link.greet().await.len(), 3, "{time}");
        match time % 3 {
            // In the middle of a call, with a goodbye, and without one.
            0 => {
                link.send(r#"{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "home_devices"}}"#)
                    .await
            }
            1 => link.socket.close(None).await.unwrap(),
            _ => {}
        }
    }
    // One that says far too much is left, and is no end either.
    let mut link = server.dialled().await;
    let _ = link.socket.send(Message::Text("x".repeat(10 << 20))).await;
    drop(link);
    // One that takes the connection and breaks off the handshake is no end either.
    drop(within("the dialler", server.listener.accept()).await.unwrap());
    assert_eq!(server.dialled().await.greet().await.len(), 3);
    house.daemon.stop().await;
}
