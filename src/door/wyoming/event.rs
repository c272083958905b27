//! Events of Wyoming: a line of JSON, perhaps more JSON of a length that it tells, perhaps bytes.

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Bytes of the line, of the JSON after it, and of the bytes after that. Sound is none of our business.
const MAX_BYTES: usize = 64 << 10;

/// What is said one way or the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its type.
    pub kind: String,
    /// What it tells.
    pub data: Map<String, Value>,
}

/// What is no event, or none that is read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadEvent {
    /// The connection broke.
    #[error("{0}")]
    Broken(#[from] std::io::Error),
    /// The line is none.
    #[error("the header is longer than {MAX_BYTES} bytes")]
    LongHeader,
    /// It is no JSON, or not the protocol's.
    #[error("{0}")]
    Shape(String),
}

impl Event {
    /// An event that tells `data`, which is an object.
    pub fn new(kind: &str, data: Value) -> Self {
        let data = match data {
            Value::Object(data) => data,
            _ => Map::new(),
        };
        Self { kind: kind.to_owned(), data }
    }

    /// A text that it tells.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.data.get(key).and_then(Value::as_str)
    }

    /// The next event; `None` at the end of the connection.
    ///
    /// # Errors
    /// When the connection breaks, or what comes is no event; where the next one begins is not known then.
    pub async fn read(from: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<Self>, BadEvent> {
        let mut line = Vec::new();
        from.take(MAX_BYTES as u64 + 1).read_until(b'\n', &mut line).await?;
        if line.is_empty() {
            return Ok(None);
        }
        if line.len() > MAX_BYTES {
            return Err(BadEvent::LongHeader);
        }
        let header: Map<String, Value> = serde_json::from_slice(&line).map_err(|e| shape("header", &e.to_string()))?;
        let Some(kind) = header.get("type").and_then(Value::as_str) else {
            return Err(shape("type", "must be a text"));
        };
        let mut data = match header.get("data") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(data)) => data.clone(),
            Some(_) => return Err(shape("data", "must be an object")),
        };
        let length = length(&header, "data_length")?;
        if length > 0 {
            let mut bytes = vec![0; length];
            from.read_exact(&mut bytes).await?;
            // What comes after the line wins over what stands in it.
            let more: Map<String, Value> = serde_json::from_slice(&bytes).map_err(|e| shape("data", &e.to_string()))?;
            data.extend(more);
        }
        let mut payload = vec![0; self::length(&header, "payload_length")?];
        from.read_exact(&mut payload).await?;
        Ok(Some(Self { kind: kind.to_owned(), data }))
    }

    /// Says it, in the form that the protocol's own library uses.
    ///
    /// # Errors
    /// When the connection breaks.
    pub async fn write(&self, to: &mut (impl AsyncWrite + Unpin)) -> std::io::Result<()> {
        let data = Value::Object(self.data.clone()).to_string();
        let header = json!({"type": self.kind, "version": env!("CARGO_PKG_VERSION"), "data_length": data.len()});
        to.write_all(format!("{header}\n{data}").as_bytes()).await?;
        to.flush().await
    }
}

fn shape(what: &str, why: &str) -> BadEvent {
    BadEvent::Shape(format!("{what}: {why}"))
}

fn length(header: &Map<String, Value>, key: &str) -> Result<usize, BadEvent> {
    let length = match header.get(key) {
        None | Some(Value::Null) => Some(0),
        Some(length) => length.as_u64().and_then(|length| usize::try_from(length).ok()),
    };
    length.filter(|length| *length <= MAX_BYTES).ok_or_else(|| shape(key, &format!("must be at most {MAX_BYTES}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(mut bytes: &[u8]) -> Result<Option<Event>, String> {
        Event::read(&mut bytes).await.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn both_forms_are_read_and_what_comes_last_wins() {
        let inline = read(b"{\"type\":\"transcript\",\"data\":{\"text\":\"a\"}}\n").await.unwrap().unwrap();
        let apart = read(b"{\"type\":\"transcript\",\"data_length\":12}\n{\"text\":\"a\"}").await.unwrap().unwrap();
        assert_eq!((inline.text("text"), &inline), (Some("a"), &apart));
        let both = b"{\"type\":\"x\",\"data\":{\"text\":\"b\",\"n\":1},\"data_length\":12,\"payload_length\":3}\n{\"text\":\"a\"}xyz";
        let mut rest = &both[..];
        let event = Event::read(&mut rest).await.unwrap().unwrap();
        assert_eq!((event.text("text"), event.data["n"].as_u64(), rest.len()), (Some("a"), Some(1), 0));
        assert_eq!(read(b"").await, Ok(None));
    }

    #[tokio::test]
    async fn what_is_written_is_read() {
        let event = Event::new("handled", json!({"text": "好\n了"}));
        let mut bytes = Vec::new();
        event.write(&mut bytes).await.unwrap();
        assert_eq!(read(&bytes).await, Ok(Some(event)));
    }

    #[tokio::test]
    async fn lengths_that_lie_and_lines_without_end_are_refused() {
        let long = [&b"{\"type\":\""[..], &vec![b'a'; MAX_BYTES]].concat();
        for bad in [
            &b"{\"type\":\"x\",\"data_length\":99999999999}\n"[..],
            b"{\"type\":\"x\",\"data_length\":-1}\n",
            b"{\"type\":\"x\",\"data_length\":\"2\"}\n{}",
            b"{\"type\":\"x\",\"payload_length\":1.5}\n",
            b"{\"type\":\"x\",\"data_length\":5}\n{}",
            b"{\"type\":\"x\",\"data_length\":2}\n[]",
            b"{\"type\":\"x\",\"data\":[]}\n",
            b"{\"type\":7}\n",
            b"[]\n",
            b"\xff\xfe\n",
            b"\n",
            &long,
        ] {
            assert!(read(bad).await.is_err(), "{:?}", String::from_utf8_lossy(&bad[..bad.len().min(60)]));
        }
    }
}
