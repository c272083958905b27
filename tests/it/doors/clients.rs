//! Clients of the doors, as small as they can be.

use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::{Error, Message};
use zhiju::door::http::PIPE;

use crate::common::within;

/// What came back by HTTP.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub text: String,
    /// Null if it is no JSON.
    pub body: Value,
}

/// Connects as soon as the door is open.
pub async fn connect(port: u16) -> TcpStream {
    let connecting = async {
        loop {
            if let Ok(stream) = TcpStream::connect(("127.0.0.1", port)).await {
                return stream;
            }
            tokio::task::yield_now().await;
        }
    };
    within("the door", connecting).await
}

/// Connects from another address of this machine, 127.0.0.`last`, to a door that is open.
pub async fn connect_from(last: u8, port: u16) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from(([127, 0, 0, last], 0))).unwrap();
    socket.connect(SocketAddr::from(([127, 0, 0, 1], port))).await.unwrap()
}

/// Sends bytes and reads until the end.
pub async fn raw(port: u16, request: &[u8]) -> Reply {
    let mut stream = connect(port).await;
    let mut bytes = Vec::new();
    let asking = async {
        // Whoever is refused early may be cut off in the middle of it.
        let _ = stream.write_all(request).await;
        let _ = stream.read_to_end(&mut bytes).await;
    };
    within("the answer", asking).await;
    let text = String::from_utf8(bytes).unwrap();
    let (head, text) = text.split_once("\r\n\r\n").unwrap_or_default();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    let body = serde_json::from_str(text).unwrap_or_default();
    Reply { status, head: head.to_owned(), text: text.to_owned(), body }
}

/// One request; a `Host` among the headers stands in place of the usual one.
pub async fn send(port: u16, line: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut request = format!("{line} HTTP/1.1\r\n");
    if !headers.iter().any(|(name, _)| *name == "Host") {
        request.push_str(&format!("Host: 127.0.0.1:{port}\r\n"));
    }
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    raw(port, request.as_bytes()).await
}

pub async fn get(port: u16, path: &str, headers: &[(&str, &str)]) -> Reply {
    send(port, &format!("GET {path}"), headers, "").await
}

pub async fn post(port: u16, path: &str, headers: &[(&str, &str)], body: &Value) -> Reply {
    let headers = [headers, &[("Content-Type", "application/json")]].concat();
    send(port, &format!("POST {path}"), &headers, &body.to_string()).await
}

/// A WebSocket pipe.
pub struct Pipe {
    pub socket: WebSocketStream<TcpStream>,
}

impl Pipe {
    pub async fn open(port: u16, headers: &[(&str, &str)]) -> Self {
        Self::at(port, PIPE, headers).await.unwrap()
    }

    pub async fn at(port: u16, path: &str, headers: &[(&str, &str)]) -> Result<Self, Error> {
        Self::over(connect(port).await, port, path, headers).await
    }

    /// One over a connection that is there.
    pub async fn over(stream: TcpStream, port: u16, path: &str, headers: &[(&str, &str)]) -> Result<Self, Error> {
        let mut request = format!("ws://127.0.0.1:{port}{path}").into_client_request().unwrap();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
        }
        let (socket, _) = within("the handshake", tokio_tungstenite::client_async(request, stream)).await?;
        Ok(Self { socket })
    }

    pub async fn send(&mut self, text: impl Into<String>) {
        self.socket.send(Message::Text(text.into())).await.unwrap();
    }

    /// The next frame.
    pub async fn frame(&mut self) -> Value {
        match within("a frame", self.socket.next()).await {
            Some(Ok(Message::Text(text))) => serde_json::from_str(&text).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    /// The data of the next finish frame.
    pub async fn finish(&mut self) -> (String, Value) {
        loop {
            let frame = self.frame().await;
            assert_eq!(frame["topic"], "llm/smarthome");
            if frame["payload"]["finish"] == true {
                return (frame["rid"].as_str().unwrap().to_owned(), frame["payload"]["data"].clone());
            }
        }
    }

    pub async fn ask(&mut self, rid: &str, page: &str, question: &str) -> Value {
        self.send(crate::common::request(rid, page, question).to_string()).await;
        let (answered, data) = self.finish().await;
        assert_eq!(answered, rid);
        data
    }
}

/// A client of Wyoming.
pub struct WyomingClient {
    pub stream: BufStream<TcpStream>,
}

impl WyomingClient {
    pub async fn connect(port: u16) -> Self {
        Self { stream: BufStream::new(connect(port).await) }
    }

    pub async fn say(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
        self.stream.flush().await.unwrap();
    }

    /// The next event, if the connection has not ended.
    pub async fn event(&mut self) -> Option<(String, Value)> {
        let reading = async {
            let mut line = String::new();
            if self.stream.read_line(&mut line).await.unwrap_or_default() == 0 {
                return None;
            }
            let header: Value = serde_json::from_str(&line).unwrap();
            let mut data = vec![0; header["data_length"].as_u64().unwrap_or_default() as usize];
            self.stream.read_exact(&mut data).await.unwrap();
            Some((header["type"].as_str().unwrap().to_owned(), serde_json::from_slice(&data).unwrap()))
        };
        within("an event", reading).await
    }

    pub async fn ask(&mut self, kind: &str, data: Value) -> (String, Value) {
        self.say(format!("{}\n", json!({"type": kind, "data": data})).as_bytes()).await;
        self.event().await.unwrap()
    }
}

/// A client of MCP that begins with `initialize`, or would.
pub struct McpClient {
    pub port: u16,
    pub id: u64,
}

impl McpClient {
    pub fn new(port: u16) -> Self {
        Self { port, id: 0 }
    }

    pub async fn call(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params});
        let Reply { status, body, .. } = post(self.port, "/mcp", &[], &message).await;
        assert_eq!((status, &body["id"], &body["jsonrpc"]), (200, &json!(self.id), &json!("2.0")), "{body}");
        body
    }

    pub async fn tool(&mut self, name: &str, arguments: Value) -> Value {
        self.call("tools/call", json!({"name": name, "arguments": arguments})).await["result"].clone()
    }

    pub async fn command(&mut self, text: &str, room: Option<&str>, conversation: Option<&str>) -> Value {
        self.tool("home_command", json!({"text": text, "room": room, "conversation": conversation})).await
    }
}
