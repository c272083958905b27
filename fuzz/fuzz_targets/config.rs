//! Configurations: whatever stands in the file, it is a configuration or a list of problems that each name a key.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zhiju::config::{Config, Environment, Flags};

fuzz_target!(|text: &str| {
    match Config::from_text(text, None, &Environment::default(), &Flags::default()) {
        Ok(config) => assert!(config.needs_restart(&config).is_empty()),
        Err(error) => assert!(!error.problems.is_empty() && error.problems.iter().all(|p| !p.text.is_empty())),
    }
});
