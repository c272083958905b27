//! A book of what was heard, kept by whoever listens and read by whoever waits for something to stand in it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::common::within;

/// Enters into the book.
pub struct Teller<B> {
    book: Arc<Mutex<B>>,
    news: watch::Sender<()>,
}

/// Reads the book.
pub struct Heard<B> {
    book: Arc<Mutex<B>>,
    news: watch::Receiver<()>,
}

/// An empty book.
pub fn heard<B: Default>() -> (Teller<B>, Heard<B>) {
    let book = Arc::new(Mutex::new(B::default()));
    let (tell, news) = watch::channel(());
    (Teller { book: Arc::clone(&book), news: tell }, Heard { book, news })
}

impl<B> Teller<B> {
    pub fn tell(&self, enter: impl FnOnce(&mut B)) {
        enter(&mut self.book.lock().unwrap_or_else(PoisonError::into_inner));
        self.news.send_replace(());
    }
}

impl<B> Heard<B> {
    pub fn book(&self) -> MutexGuard<'_, B> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the book satisfies `enough`.
    pub async fn until(&mut self, what: &str, enough: impl Fn(&B) -> bool) {
        let waiting = async {
            loop {
                self.news.mark_unchanged();
                if enough(&self.book()) {
                    return;
                }
                self.news.changed().await.unwrap();
            }
        };
        within(what, waiting).await;
    }
}
