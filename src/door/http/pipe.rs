//! The WebSocket pipe of seed 003: request frames in, stream and finish frames out, many requests in flight on one pipe.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use futures_util::{FutureExt, SinkExt};
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::tungstenite;
use tracing::debug;

use super::{Client, House, Pass};
use crate::door::Desk;
use crate::door::lanes::{Conversation, Turn};
use crate::door::unheard::{Outgoing, Teller, outgoing};
use crate::frame::{
    BadFrame, Door, ErrorCode, Event, Finish, Origin, Request, UNKNOWN_RID, finish_frame, stream_frame,
};
use crate::listen::{Meter, Peer};

/// Requests in flight on one pipe; the next one is read when one of them is answered.
const IN_FLIGHT: usize = 32;

/// Bytes of a frame, and of those in flight, that need no leave; whoever brings a home needs more.
const SMALL: usize = 16 << 10;

/// How often a pipe holds each byte of the largest frame that it took: in the buffers that have grown for it, which stay, and
/// in the frames in flight.
const HELD: usize = 4;

/// Bytes of a control frame's head, with the mask of a client.
const CONTROL_HEAD: usize = 6;

/// Frames that may wait to be sent: those of all requests in flight.
const WAITING: usize = 4 * IN_FLIGHT;

/// How long a frame may take to be sent. Who reads slower is dropped.
const SENDING: Duration = Duration::from_secs(10);

/// Bytes that a pipe gathers before it writes.
const WRITE_BYTES: usize = 4 << 10;

/// Opens a pipe.
pub(super) async fn open(
    State(house): State<Arc<House>>,
    Extension(Client(client)): Extension<Client>,
    Extension(pass): Extension<Pass>,
    Extension(peer): Extension<Peer>,
    Extension(meter): Extension<Meter>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let most = house.limits.payload_bytes;
    let upgrade = upgrade.max_message_size(most).max_frame_size(most).write_buffer_size(WRITE_BYTES);
    meter.limit(house.budget.clone(), SMALL, HELD);
    upgrade.on_upgrade(move |socket| async move {
        let origin = Origin { door: Door::Socket, client };
        let (told, frames) = outgoing(WAITING, house.desk.unheard(), &origin, answered);
        let idle = house.idle;
        let guard = Arc::clone(&house.guard);
        let (talk, tasks) = (Conversation::default(), JoinSet::new());
        let pipe = Pipe { house, origin, talk, told, tasks, bytes: 0, meter };
        pipe.run(socket, frames, peer, idle, guard.revoked(&pass)).await;
    })
}

struct Pipe {
    house: Arc<House>,
    origin: Origin,
    /// Its requests go on in their order.
    talk: Conversation,
    /// Frames on their way out.
    told: Teller,
    /// One a request; each gives back the size of its payload. They stop waiting when the pipe ends.
    tasks: JoinSet<usize>,
    bytes: usize,
    /// What it may read and hold.
    meter: Meter,
}

impl Pipe {
    async fn run(
        mut self,
        mut socket: WebSocket,
        mut frames: Outgoing,
        mut peer: Peer,
        idle: Duration,
        revoked: impl Future<Output = ()>,
    ) {
        let mut revoked = std::pin::pin!(revoked);
        let mut silent_until = Instant::now() + idle;
        let close = loop {
            let room = self.tasks.len() < IN_FLIGHT && self.bytes < self.meter.granted();
            tokio::select! {
                // What is finished goes out before more is taken in.
                biased;
                _ = peer.closing.changed() => break Some((close_code::AWAY, "the daemon stops")),
                () = &mut revoked => break Some((close_code::POLICY, "who may come in has changed")),
                Some(frame) = frames.next() => {
                    if !tell(&mut socket, frame, &mut frames).await {
                        break None;
                    }
                    silent_until = Instant::now() + idle;
                }
                Some(done) = self.tasks.join_next(), if !self.tasks.is_empty() => {
                    self.bytes -= done.unwrap_or_default();
                }
                message = socket.recv(), if room => {
                    match message {
                        Some(Ok(Message::Text(text))) => self.take(text),
                        Some(Ok(Message::Binary(_))) => {
                            self.meter.message();
                            self.refuse("must be text, not binary".into(), None);
                        }
                        Some(Ok(Message::Ping(said) | Message::Pong(said))) => {
                            self.meter.aside(said.len() + CONTROL_HEAD);
                        }
                        Some(Ok(Message::Close(_))) | None => break None,
                        Some(Err(_)) if self.meter.refused() => {
                            break Some((close_code::AGAIN, "too much of what others sent is held"));
                        }
                        Some(Err(error)) => {
                            debug!(%error, "a pipe broke");
                            break Some(broken(error));
                        }
                    }
                    silent_until = Instant::now() + idle;
                }
                () = sleep_until(silent_until), if self.tasks.is_empty() => {
                    break Some((close_code::NORMAL, "idle"));
                }
            }
        };
        if let Some((code, reason)) = close {
            let frame = CloseFrame { code, reason: reason.into() };
            let _ = timeout(SENDING, socket.send(Message::Close(Some(frame)))).await;
        }
    }

    fn take(&mut self, text: String) {
        self.meter.message();
        match Request::parse(text.as_bytes(), &self.house.limits) {
            Ok(request) => {
                let request = Request { origin: self.origin.clone(), ..request };
                let (house, told, bytes) = (Arc::clone(&self.house), self.told.clone(), text.len());
                let mut serving = Box::pin(serve(house, self.talk.turn(), request, bytes, told));
                // Begun here: a task that is ended before its beginning could not say that nobody hears its answer.
                if serving.as_mut().now_or_never().is_none() {
                    self.bytes += bytes;
                    self.tasks.spawn(serving);
                }
            }
            Err(BadFrame { message, rid }) => self.refuse(message, rid),
        }
    }

    fn refuse(&self, message: String, rid: Option<String>) {
        let rid = rid.unwrap_or_else(|| UNKNOWN_RID.to_owned());
        let request = Request { rid, ..Request::default() };
        // Without room the pipe does not read, so there is some.
        self.told.tell(failed(&request, ErrorCode::BadFrame, message));
    }
}

/// Sends a frame and those that wait behind it, in as few pieces as they fit in. False when the other side takes them too slowly
/// or is gone.
async fn tell(socket: &mut WebSocket, first: Value, frames: &mut Outgoing) -> bool {
    let (mut next, mut fed) = (Some(first), Vec::new());
    let mut sent = true;
    while let Some(frame) = next {
        sent = matches!(timeout(SENDING, socket.feed(Message::Text(frame.to_string()))).await, Ok(Ok(())));
        fed.push(frame);
        next = if sent { frames.try_next() } else { None };
    }
    sent = sent && matches!(timeout(SENDING, socket.flush()).await, Ok(Ok(())));
    if !sent {
        // The first of them may have got through.
        fed.iter().for_each(|frame| frames.lose(frame));
    }
    sent
}

/// The request that a frame is the answer to.
fn answered(frame: &Value) -> Option<String> {
    (frame["payload"]["finish"] == true).then(|| frame["rid"].as_str().unwrap_or_default().to_owned())
}

/// Asks, and says how it goes until the end.
async fn serve(house: Arc<House>, turn: Turn, request: Request, bytes: usize, told: Teller) -> usize {
    let desk: &Desk = &house.desk;
    let rid = request.rid.clone();
    // A home that came along is not needed for the answer.
    let kept = Request { home: None, ..request.clone() };
    let mut line = match desk.ask(turn, request, bytes).await {
        Ok(line) => line,
        Err(finish) => {
            told.tell(finish_frame(&rid, &kept, &finish));
            return bytes;
        }
    };
    loop {
        let (frame, last) = match line.next().await {
            Event::Stream { intent, text, .. } => (stream_frame(&rid, intent, &text), false),
            Event::Finish(finish) => (finish_frame(&rid, &kept, &finish), true),
            Event::Candidates(_) | Event::AskState { .. } => continue,
        };
        // The pipe may wait for its reader; this does not, since others want the lane. There is room for all frames.
        if !told.tell(frame) || last {
            return bytes;
        }
    }
}

fn failed(request: &Request, code: ErrorCode, message: String) -> Value {
    finish_frame(&request.rid, request, &Finish::Failed { code, message })
}

/// How to end a pipe on which this was said.
fn broken(error: axum::Error) -> (u16, &'static str) {
    match error.into_inner().downcast_ref() {
        Some(tungstenite::Error::Capacity(_)) => (close_code::SIZE, "too large"),
        Some(tungstenite::Error::Utf8) => (close_code::INVALID, "not UTF-8"),
        _ => (close_code::PROTOCOL, "no frame"),
    }
}
