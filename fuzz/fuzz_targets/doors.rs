//! What comes in by doors of their own form: events of Wyoming, files of tokens. Whatever arrives is read or an error, and
//! what is written is read again.
#![no_main]

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use libfuzzer_sys::fuzz_target;
use zhiju::door::http::Tokens;
use zhiju::door::wyoming::Event;

/// Bytes in memory are always there: nothing has to wait.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("waits for bytes that are there"),
    }
}

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = Tokens::read(text);
    }
    let mut rest = bytes;
    while let Ok(Some(event)) = at_once(Event::read(&mut rest)) {
        let mut written = Vec::new();
        at_once(event.write(&mut written)).expect("memory takes what is written");
        let again = at_once(Event::read(&mut &written[..])).expect("what is written is read");
        assert!(again.is_some_and(|again| again.kind == event.kind && again.data.keys().eq(event.data.keys())));
    }
});
