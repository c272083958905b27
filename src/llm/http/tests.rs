//! A client and sockets that do as they please.

use std::net::Ipv4Addr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use super::*;
use crate::llm::settings::Site;

/// Long enough for whatever happens at once, on any machine.
const AMPLE: Duration = Duration::from_secs(60);

fn client(host: &str, port: u16) -> HttpClient {
    let mut settings = HttpSettings::new("box", Site::Lan, &format!("http://{host}:{port}/v1"), "m");
    settings.connect_timeout = AMPLE;
    HttpClient::new(&settings).unwrap()
}

async fn ask(client: &HttpClient) -> Result<Completion, LlmError> {
    client
        .ask(&Prompt { prefix: "规则".into(), sentence: "开灯".into(), ..Prompt::default() }, Instant::now() + AMPLE)
        .await
}

/// Accepts one connection after the other, reads a question, says `answer`, and resets the connection.
async fn says(answer: &'static str) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut question = Vec::new();
            while !question.ends_with(b"}") {
                stream.read_buf(&mut question).await.unwrap();
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
            stream.set_zero_linger().unwrap();
        }
    });
    port
}

#[test]
fn a_name_is_looked_up_while_the_runtime_has_no_blocking_thread_left() {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(1).max_blocking_threads(1).enable_all().build().unwrap();
    let (free, blocked) = std::sync::mpsc::sync_channel::<()>(1);
    runtime.block_on(async {
        // It takes no work while this one waits.
        let busy = tokio::task::spawn_blocking(move || blocked.recv());
        let body = r#"{"choices": [{"message": {"content": "[]"}}]}"#;
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let port = says(answer.leak()).await;
        let answered = tokio::time::timeout(AMPLE / 2, ask(&client("localhost", port))).await;
        drop(free);
        busy.await.unwrap().unwrap_err();
        assert_eq!(answered.expect("the name was found").unwrap().text, "[]");
    });
}

#[tokio::test]
async fn asking_again_may_help_only_where_the_connection_was_refused_or_cut() {
    let again = |error: LlmError| match error {
        LlmError::Unreachable { again, .. } => again,
        other => panic!("{other}"),
    };
    let nobody = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap().local_addr().unwrap().port();
    assert!(again(ask(&client("127.0.0.1", nobody)).await.unwrap_err()));
    for answer in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"choices\": "] {
        let port = says(answer).await;
        assert!(again(ask(&client("127.0.0.1", port)).await.unwrap_err()), "{answer}");
    }
    // Too long for the nameserver, which is not even asked.
    let error = ask(&client(&format!("{}.invalid", "a".repeat(64)), 80)).await.unwrap_err();
    assert!(error.to_string().contains("dns error"), "{error}");
    assert!(!again(error), "a name that nobody has is nobody's a moment later");
}

#[tokio::test]
async fn a_connection_that_was_waited_for_in_vain_is_not_waited_for_again() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    // Once its queue is full, it takes no more.
    while let Ok(stream) = tokio::time::timeout(Duration::from_millis(200), TcpStream::connect(address)).await {
        waiting.push(stream.unwrap());
    }
    let mut settings = HttpSettings::new("box", Site::Lan, &format!("http://{address}/v1"), "m");
    settings.connect_timeout = Duration::from_millis(10);
    let error = ask(&HttpClient::new(&settings).unwrap()).await.unwrap_err();
    assert!(matches!(error, LlmError::Unreachable { again: false, .. }), "{error:?}");
}

#[test]
fn an_address_is_a_base_of_http() {
    for (base, url) in [
        ("https://api.example.com/v1", "https://api.example.com/v1/chat/completions"),
        ("http://192.168.1.5:8080", "http://192.168.1.5:8080/chat/completions"),
        ("http://[::1]:8080/v1/", "http://[::1]:8080/v1/chat/completions"),
    ] {
        assert_eq!(endpoint(base).unwrap().as_str(), url);
    }
    for base in
        ["api.example.com/v1", "ftp://a/v1", "localhost:8080", "", "http://", "https://u:p@a/v1", "http://a/?k=1"]
    {
        assert!(endpoint(base).is_err(), "{base}");
    }
}

#[test]
fn what_cannot_be_a_header_is_named_and_not_shown() {
    let mut settings = HttpSettings::new("a", Site::Lan, "http://127.0.0.1/v1", "m");
    settings.key = Some(Secret::new("sk\n1".into()));
    let error = HttpClient::new(&settings).unwrap_err().to_string();
    assert!(error.starts_with("key_file: ") && !error.contains("sk"), "{error}");
    for name in ["Content-Length", "a b", ""] {
        let headers = [(name.to_owned(), Secret::new("x".into()))].into();
        let settings = HttpSettings { headers, ..HttpSettings::new("a", Site::Lan, "http://127.0.0.1/v1", "m") };
        assert!(HttpClient::new(&settings).unwrap_err().to_string().starts_with("headers."), "{name}");
    }
}

#[test]
fn a_pause_is_asked_for_in_seconds_or_as_a_date() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_792_568_880); // 21 October 2026, 07:48:00 GMT
    let of =
        |text: &str| retry_after(&HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_str(text).unwrap())]), now);
    assert_eq!(of("2"), Some(Duration::from_secs(2)));
    assert_eq!(of("0.5"), Some(Duration::from_millis(500)));
    assert_eq!(of("Wed, 21 Oct 2026 07:49:00 GMT"), Some(Duration::from_secs(60)));
    assert_eq!(of("Wed, 21 Oct 2026 07:28:00 GMT"), Some(Duration::ZERO));
    for text in ["1e18", "9223372036854775807", "Fri, 31 Dec 9999 23:59:59 GMT"] {
        assert_eq!(of(text), Some(LONGEST_PAUSE), "{text}");
    }
    for text in ["-1", "soon", "1e400", "NaN", "Wed, 21 Oct"] {
        assert_eq!(of(text), None, "{text}");
    }
}
