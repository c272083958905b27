//! What is made of the home in force: made once, however many ask for it, and after the one before is let go of, so that
//! memory never holds more than one of them for longer than requests under way need it.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwapOption;

#[derive(Debug)]
pub(super) struct Current<T> {
    slot: ArcSwapOption<T>,
    /// Held while one is made. Who waits for it could not go on without it either.
    making: Mutex<()>,
}

impl<T> Default for Current<T> {
    fn default() -> Self {
        Self { slot: ArcSwapOption::empty(), making: Mutex::new(()) }
    }
}

impl<T> Current<T> {
    /// The one that `is` wanted, if it is there.
    pub(super) fn known(&self, is: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        self.slot.load_full().filter(|known| is(known))
    }

    /// The one that `is` wanted, made if need be.
    pub(super) fn get(&self, is: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> Arc<T> {
        self.known(&is).unwrap_or_else(|| {
            let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
            self.known(&is).unwrap_or_else(|| {
                self.slot.store(None);
                let made = Arc::new(make());
                self.slot.store(Some(Arc::clone(&made)));
                made
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn it_is_made_once_however_many_want_it() {
        let (current, made, start) = (Current::default(), AtomicUsize::new(0), Barrier::new(8));
        let make = || made.fetch_add(1, Ordering::Relaxed);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    start.wait();
                    assert_eq!(*current.get(|_| true, make), 0);
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn the_one_before_is_gone_before_the_next_is_made() {
        let current = Current::default();
        let gone = Arc::downgrade(&current.get(|_| true, || 1));
        let next = current.get(
            |known| *known == 2,
            || {
                assert!(gone.upgrade().is_none());
                2
            },
        );
        assert_eq!(*next, 2);
    }
}
