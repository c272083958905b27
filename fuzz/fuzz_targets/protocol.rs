//! Command arrays: whatever arrives reads as at least one command, and what was read survives printing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zhiju::language::protocol::{MAX_COMMAND_CHARS, parse_array, print_array, read_answer};

fuzz_target!(|text: &str| {
    let reading = read_answer(text, true);
    assert!(!reading.commands.is_empty());
    // What was mended may have grown past what is taken.
    if reading.commands.iter().all(|command| command.to_string().chars().count() <= MAX_COMMAND_CHARS) {
        let again = parse_array(&print_array(&reading.commands));
        assert_eq!(again.commands, reading.commands);
    }
});
