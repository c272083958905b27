//! Request frames and utterances: whatever arrives is a request or an error, and what is rendered of it parses again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zhiju::frame::{Finish, Intent, Limits, Request, Speech, Utterance, finish_frame};

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits::default();
    let _ = Utterance::parse(bytes, &limits);
    let Ok(request) = Request::parse(bytes, &limits) else { return };
    let finish = Finish::Done {
        intent: Intent::None,
        result: request.question.clone(),
        speech: Speech::full(&request.question),
        instructs: Vec::new(),
        risky: Vec::new(),
        confirmed: false,
        jobs: Vec::new(),
    };
    let frame = finish_frame(&request.rid, &request, &finish);
    let again: serde_json::Value = serde_json::from_str(&frame.to_string()).expect("a rendered frame is JSON");
    assert_eq!(again, frame);
});
