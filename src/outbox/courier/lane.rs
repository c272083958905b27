//! One hub's messages: what waits, what was handed over, what came of it.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};
use tracing::warn;

use super::{Letter, Lines};
use crate::clock::Clock;
use crate::hub::{Answered, Delivery};
use crate::transport::{Fate, Row, Throttle};

/// Messages that a hub has not answered yet, at most.
const WINDOW: usize = 32;

/// How long after its time a message that was handed over may still be answered: a service may take that long.
const ANSWER_MS: u64 = 30_000;

/// How often it is looked whether a hub is back.
const LOOK: Duration = Duration::from_millis(100);

/// One hub's messages.
pub(super) struct Lane {
    hub: String,
    lines: Arc<dyn Lines>,
    clock: Clock,
    settled: mpsc::Sender<(Row, Fate)>,
    /// To be handed over, in order.
    waiting: BTreeMap<u64, Letter>,
    /// Handed over and not answered.
    told: BTreeMap<u64, (Letter, oneshot::Receiver<Answered>)>,
    next: u64,
    throttle: Throttle,
}

impl Lane {
    pub(super) fn new(hub: &str, lines: Arc<dyn Lines>, clock: Clock, settled: mpsc::Sender<(Row, Fate)>) -> Self {
        let (waiting, told) = (BTreeMap::new(), BTreeMap::new());
        Self { hub: hub.to_owned(), lines, clock, settled, waiting, told, next: 0, throttle: Throttle::default() }
    }

    /// Until nobody can send a letter any more and all are settled.
    pub(super) async fn run(mut self, mut letters: mpsc::Receiver<Letter>) {
        let mut open = true;
        while open || !self.waiting.is_empty() || !self.told.is_empty() {
            self.drop_stale();
            let next = self.next_to_tell();
            let line = next.and_then(|_| self.lines.line(&self.hub)).filter(|line| !line.is_closed());
            let look_again = match (next, &line) {
                (Some(_), None) => Some(LOOK),
                _ => None,
            };
            let wake = self.due().into_iter().chain(look_again).min();
            tokio::select! {
                biased;
                answered = answers(&mut self.told) => self.settle(answered),
                letter = letters.recv(), if open => match letter {
                    Some(letter) => {
                        self.waiting.insert(self.next, letter);
                        self.next += 1;
                    }
                    None => open = false,
                },
                room = room_on(line.clone()), if line.is_some() => {
                    if let (Some(room), Some(number)) = (room, next)
                        && let Some(letter) = self.waiting.remove(&number)
                    {
                        self.tell(number, letter, room);
                    }
                }
                () = tokio::time::sleep(wake.unwrap_or_default()), if wake.is_some() => {}
            }
        }
    }

    /// The first that may be told now: of a device one after the other.
    fn next_to_tell(&self) -> Option<u64> {
        if self.told.len() >= WINDOW {
            return None;
        }
        let busy = |letter: &Letter| self.told.values().any(|(told, _)| told.device == letter.device);
        self.waiting.iter().find(|(_, letter)| !busy(letter)).map(|(number, _)| *number)
    }

    /// When something here grows stale: what came first does so first.
    fn due(&self) -> Option<Duration> {
        let waiting = self.waiting.first_key_value().map(|(_, letter)| letter.expires_ms);
        let told = self.told.first_key_value().map(|(_, (letter, _))| given_up_ms(letter));
        let due = waiting.into_iter().chain(told).min()?;
        Some(Duration::from_millis(due.saturating_sub(self.clock.now_ms())))
    }

    fn tell(&mut self, number: u64, letter: Letter, room: mpsc::OwnedPermit<Delivery>) {
        // It may have waited for room.
        if letter.expires_ms <= self.clock.now_ms() {
            return self.release(letter, Fate::Expired);
        }
        let (done, answered) = oneshot::channel();
        room.send(Delivery { message: letter.message.clone(), expires_ms: letter.expires_ms, done });
        self.told.insert(number, (letter, answered));
    }

    fn drop_stale(&mut self) {
        let now_ms = self.clock.now_ms();
        while let Some(first) = self.waiting.first_entry().filter(|first| first.get().expires_ms <= now_ms) {
            let letter = first.remove();
            self.release(letter, Fate::Expired);
        }
        while let Some(first) = self.told.first_entry().filter(|first| given_up_ms(&first.get().0) <= now_ms) {
            let (letter, _) = first.remove();
            self.release(letter, Fate::Unanswered);
        }
    }

    /// Takes what the hub answered; what it did not answer before its connection broke waits again in its old place.
    fn settle(&mut self, answered: Vec<(u64, Option<Answered>)>) {
        for (number, answer) in answered {
            let Some((letter, _)) = self.told.remove(&number) else { continue };
            match answer {
                Some(Answered::Taken) => self.release(letter, Fate::Delivered),
                Some(Answered::Refused(why)) => self.release(letter, Fate::Refused(why)),
                Some(Answered::Expired) => self.release(letter, Fate::Expired),
                None if letter.once => self.release(letter, Fate::Unanswered),
                None => drop(self.waiting.insert(number, letter)),
            }
        }
    }

    fn release(&mut self, letter: Letter, fate: Fate) {
        if fate != Fate::Delivered
            && let Some(suppressed) = self.throttle.pass_of("device", &letter.device, Instant::now())
        {
            let (hub, device) = (&self.hub, &letter.device);
            warn!(hub, device, ?fate, suppressed, "what the hub was to be told is not done");
        }
        // The channel is as long as the outbox; it is closed only when the daemon ends.
        let _ = self.settled.try_send((letter.row, fate));
    }
}

/// Room on a line, without holding it.
async fn room_on(line: Option<mpsc::Sender<Delivery>>) -> Option<mpsc::OwnedPermit<Delivery>> {
    line?.reserve_owned().await.ok()
}

/// When no answer to a message is waited for any more.
fn given_up_ms(letter: &Letter) -> u64 {
    letter.expires_ms.saturating_add(ANSWER_MS)
}

/// All that was answered; `None` is the answer of a connection that broke. Waits for at least one.
async fn answers(told: &mut BTreeMap<u64, (Letter, oneshot::Receiver<Answered>)>) -> Vec<(u64, Option<Answered>)> {
    poll_fn(|context| {
        let answered: Vec<_> = told
            .iter_mut()
            .filter_map(|(number, (_, answer))| match Pin::new(answer).poll(context) {
                Poll::Ready(answer) => Some((*number, answer.ok())),
                Poll::Pending => None,
            })
            .collect();
        if answered.is_empty() { Poll::Pending } else { Poll::Ready(answered) }
    })
    .await
}
