//! Homes that come with requests: one in memory at a time, and not many that wait for it. Askers take turns.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, Weak};

use arc_swap::ArcSwapOption;
use tokio::sync::{Mutex, Semaphore};
use tokio::task::spawn_blocking;

use crate::frame::{ErrorCode, Origin, Shares};
use crate::home::{self, Home, Live, MAX_DOCUMENT_BYTES};
use crate::interpret::HomeModel;
use crate::language::lexicon::Lexicon;

/// Requests that wait for another home than theirs to go; nobody has more of them than others have left.
const MAX_WAITING: usize = 8;

/// Bytes of their documents together.
const MAX_WAITING_BYTES: usize = MAX_DOCUMENT_BYTES;

/// Homes that come with requests.
#[derive(Debug)]
pub(super) struct InlineHomes {
    /// The last one, for whoever brings it again.
    last: ArcSwapOption<Inline>,
    /// Held by the home that is in memory.
    one: Arc<Semaphore>,
    /// Whoever waits for that: of each asker one, so that whoever comes next waits for nobody twice.
    turns: Mutex<()>,
    lines: std::sync::Mutex<HashMap<Origin, Weak<Mutex<()>>>>,
    waiting: Arc<Shares>,
    waiting_bytes: Arc<Shares>,
}

/// A home that came with a request; its model is in memory until the last request that brought it is served.
#[derive(Debug)]
pub(super) struct Inline {
    document: String,
    pub(super) home: Arc<HomeModel>,
    pub(super) live: Live,
}

impl Default for InlineHomes {
    fn default() -> Self {
        Self {
            last: ArcSwapOption::empty(),
            one: Arc::new(Semaphore::new(1)),
            turns: Mutex::new(()),
            lines: std::sync::Mutex::default(),
            waiting: Shares::of(MAX_WAITING),
            waiting_bytes: Shares::of(MAX_WAITING_BYTES),
        }
    }
}

impl InlineHomes {
    /// The home of a document. All of it has to be right, since nobody gets a report about it. Before another one than the
    /// last is read, all who brought that are waited for.
    ///
    /// # Errors
    /// When it is no home, or too much waits already.
    pub(super) async fn view(
        &self,
        document: &str,
        asker: &Origin,
        lexicon: &Arc<Lexicon>,
    ) -> Result<Arc<Inline>, (ErrorCode, String)> {
        if let Some(known) = self.known(document) {
            return Ok(known);
        }
        let full =
            || (ErrorCode::Overloaded, "too many homes that came with requests wait; nothing was done".to_owned());
        let _waits = self.waiting.take(asker, 1).ok_or_else(full)?;
        let _bytes = self.waiting_bytes.take(asker, document.len()).ok_or_else(full)?;
        let line = self.line(asker);
        let _in_line = line.lock().await;
        let _turn = self.turns.lock().await;
        if let Some(known) = self.known(document) {
            return Ok(known);
        }
        self.last.store(None);
        let one = Arc::clone(&self.one).acquire_owned().await.map_err(|_| full())?;
        let (document, lexicon) = (document.to_owned(), Arc::clone(lexicon));
        let read = spawn_blocking(move || {
            let home = read(&document).map_err(|message| (ErrorCode::BadHome, format!("payload.home.{message}")))?;
            let live = Live::initial(&home);
            let home = Arc::new(HomeModel::new(lexicon, Arc::new(home)).holding(one));
            Ok(Arc::new(Inline { document, home, live }))
        });
        let inline = read.await.map_err(|panic| (ErrorCode::Internal, panic.to_string()))??;
        self.last.store(Some(Arc::clone(&inline)));
        Ok(inline)
    }

    /// Where the homes of an asker wait for each other.
    fn line(&self, asker: &Origin) -> Arc<Mutex<()>> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.retain(|_, line| line.strong_count() > 0);
        let known = lines.get(asker).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let line = Arc::default();
            lines.insert(asker.clone(), Arc::downgrade(&line));
            line
        })
    }

    fn known(&self, document: &str) -> Option<Arc<Inline>> {
        self.last.load_full().filter(|known| known.document == document)
    }
}

fn read(document: &str) -> Result<Home, String> {
    let (home, report) = home::parse_text(document).map_err(|error| error.to_string())?;
    let Some(rejected) = report.rejected.first() else { return Ok(home) };
    let more = report.rejected.len() - 1;
    let others = if more > 0 { format!(" (and {more} more)") } else { String::new() };
    Err(format!("{}: {}{others}", rejected.path, rejected.reason))
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::Poll;

    use super::*;

    /// Whether a future is not done yet.
    async fn is_pending<F: Future>(mut future: Pin<&mut F>) -> bool {
        std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_pending())).await
    }

    fn home(did: usize) -> String {
        format!(r#"{{"did": "{did}", "devices": []}}"#)
    }

    #[tokio::test]
    async fn a_home_is_shared_by_all_who_bring_it_and_waited_for_by_all_others() {
        let (homes, lexicon) = (InlineHomes::default(), Arc::new(Lexicon::built_in().unwrap()));
        let first = homes.view(&home(1), &Origin::request(), &lexicon).await.unwrap();
        let again = homes.view(&home(1), &Origin::request(), &lexicon).await.unwrap();
        assert!(Arc::ptr_eq(&first, &again));
        let (other, asker) = (home(2), Origin::request());
        let mut waits = std::pin::pin!(homes.view(&other, &asker, &lexicon));
        assert!(is_pending(waits.as_mut()).await);
        drop(first);
        assert!(is_pending(waits.as_mut()).await);
        let gone = Arc::downgrade(&again);
        drop(again);
        let other = waits.await.unwrap();
        assert!(gone.upgrade().is_none());
        assert_eq!(other.home.world.home().id, "2");
    }

    #[tokio::test]
    async fn not_many_wait() {
        let (homes, lexicon) = (InlineHomes::default(), Arc::new(Lexicon::built_in().unwrap()));
        let _first = homes.view(&home(0), &Origin::request(), &lexicon).await.unwrap();
        let documents: Vec<String> = (1..=MAX_WAITING).map(home).collect();
        let askers: Vec<Origin> = ["a", "a", "a", "a", "b", "b", "c", "d"].map(Origin::satellite).into();
        let askers_documents = documents.iter().zip(&askers);
        let mut waiting: Vec<_> =
            askers_documents.map(|(home, asker)| Box::pin(homes.view(home, asker, &lexicon))).collect();
        for waits in &mut waiting {
            assert!(is_pending(waits.as_mut()).await);
        }
        let refused = async |document: &str| homes.view(document, &Origin::request(), &lexicon).await.unwrap_err().0;
        assert_eq!(refused(&home(99)).await, ErrorCode::Overloaded);
        waiting.truncate(1);
        assert_eq!(refused(&"x".repeat(MAX_WAITING_BYTES)).await, ErrorCode::Overloaded);
    }

    #[tokio::test]
    async fn whoever_brings_many_homes_leaves_room_for_others_and_takes_turns_with_them() {
        let (homes, lexicon) = (InlineHomes::default(), Arc::new(Lexicon::built_in().unwrap()));
        let (app, other) = (Origin::application("app"), Origin::application("other"));
        let first = homes.view(&home(0), &app, &lexicon).await.unwrap();
        let documents: Vec<String> = (1..=MAX_WAITING).map(home).collect();
        let mut waiting: Vec<_> = documents.iter().map(|home| Box::pin(homes.view(home, &app, &lexicon))).collect();
        let mut waits = 0;
        for future in &mut waiting {
            waits += usize::from(is_pending(future.as_mut()).await);
        }
        assert_eq!(waits, MAX_WAITING / 2, "the others were refused");
        waiting.truncate(waits);
        let document = home(99);
        let mut next = std::pin::pin!(homes.view(&document, &other, &lexicon));
        assert!(is_pending(next.as_mut()).await);
        // After the one whose turn it is already.
        drop(first);
        drop(waiting.remove(0).await.unwrap());
        assert_eq!(next.await.unwrap().home.world.home().id, "99");
        drop(waiting);
        assert!(homes.line(&app).try_lock().is_ok());
    }

    #[tokio::test]
    async fn what_is_no_home_is_named_and_makes_room() {
        let (homes, lexicon) = (InlineHomes::default(), Arc::new(Lexicon::built_in().unwrap()));
        let (code, message) = homes.view("{}", &Origin::request(), &lexicon).await.unwrap_err();
        assert_eq!((code, &message[..]), (ErrorCode::BadHome, "payload.home.devices: is missing"));
        homes.view(&home(1), &Origin::request(), &lexicon).await.unwrap();
    }
}
