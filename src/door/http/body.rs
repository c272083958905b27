//! Bodies of JSON, in and out.

use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::frame::{ErrorCode, clean};
use crate::listen::Meter;

/// Bytes of a body; far more than anybody says in one breath. Homes come by the pipe.
const MAX_BYTES: usize = 64 << 10;

/// From the head of a request to the end of its body.
const PATIENCE: Duration = Duration::from_secs(10);

/// The body of a request, if it is JSON, and its size.
///
/// # Errors
/// The status and why: it is no JSON, too large, too slow or of a type that pages of any site may send.
pub(super) async fn read(request: Request) -> Result<(Value, usize), (StatusCode, String)> {
    read_within(PATIENCE, request).await
}

async fn read_within(patience: Duration, request: Request) -> Result<(Value, usize), (StatusCode, String)> {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "Content-Type must be application/json".into()));
    }
    let meter = request.extensions().get::<Meter>().cloned().unwrap_or_default();
    let body = match tokio::time::timeout(patience, to_bytes(request.into_body(), MAX_BYTES)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) if meter.refused() => {
            let message = "too much of what others sent is held; nothing was done".to_owned();
            return Err((StatusCode::SERVICE_UNAVAILABLE, message));
        }
        Ok(Err(_)) => {
            let message = format!("the body is broken or larger than {MAX_BYTES} bytes");
            return Err((StatusCode::PAYLOAD_TOO_LARGE, message));
        }
        Err(_) => return Err((StatusCode::REQUEST_TIMEOUT, "the body does not come to an end".into())),
    };
    match serde_json::from_slice(&body) {
        Ok(value) => Ok((value, body.len())),
        Err(error) => Err((StatusCode::BAD_REQUEST, format!("not JSON: {error}"))),
    }
}

/// JSON with a status.
pub(super) fn reply(status: StatusCode, value: &Value) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// An error of our own routes.
pub(super) fn error(status: StatusCode, code: &str, message: &str) -> Response {
    reply(status, &json!({"error": {"code": code, "message": clean(message)}}))
}

/// The status of a request that failed.
pub(super) fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::BadFrame | ErrorCode::BadHome => StatusCode::BAD_REQUEST,
        ErrorCode::NoHome | ErrorCode::Overloaded => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::Timeout => StatusCode::GATEWAY_TIMEOUT,
        ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, Bytes};
    use futures_util::{StreamExt, stream};

    use super::*;

    #[tokio::test]
    async fn a_body_that_does_not_come_to_an_end_is_not_waited_for() {
        let begun = stream::iter([Ok::<_, std::io::Error>(Bytes::from_static(b"{"))]).chain(stream::pending());
        let endless = stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from_static(b" ")));
        let cases = [
            (Duration::from_millis(20), Body::from_stream(begun), StatusCode::REQUEST_TIMEOUT),
            (PATIENCE, Body::from_stream(endless), StatusCode::PAYLOAD_TOO_LARGE),
        ];
        for (patience, body, wanted) in cases {
            let request = Request::builder().header(CONTENT_TYPE, "application/json").body(body).unwrap();
            assert_eq!(read_within(patience, request).await.unwrap_err().0, wanted);
        }
    }
}
