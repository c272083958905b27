//! Answers of language models over HTTP: whatever a server says, it is commands of the protocol or no answer, and why it is
//! none is said without a word of the server.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zhiju::language::protocol::read_answer;
use zhiju::llm::http::read_completion;
use zhiju::llm::settings::{HttpSettings, JsonMode, Site};

fuzz_target!(|bytes: &[u8]| {
    let mut settings = HttpSettings::new("box", Site::Lan, "http://10.0.0.5/v1", "m");
    for json in [JsonMode::None, JsonMode::Object, JsonMode::Schema] {
        settings.json = json;
        match read_completion(&settings, bytes) {
            Ok(completion) => {
                for fence in [false, true] {
                    assert!(!read_answer(&completion.text, fence).commands.is_empty());
                }
            }
            Err(reason) => assert!(reason.chars().count() < 200, "{reason}"),
        }
    }
});
