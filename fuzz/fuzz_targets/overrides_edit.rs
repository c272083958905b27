//! Changes of the owner's file: whatever is asked of whatever it holds, it says afterwards what was asked and nothing else.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zhiju::home::{Edit, Overrides};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // What is asked on the first line, the file below it.
    let (asked, file) = text.split_once('\n').unwrap_or((text, ""));
    let Ok(asked) = serde_json::from_str(asked) else { return };
    let Ok(edit) = Edit::read(&asked) else { return };
    let Ok(after) = edit.apply(file) else { return };
    let (mut before, mut after) = (
        Overrides::read(file).expect("it was read before it was changed").shown(),
        Overrides::read(&after).expect("what is written can be read").shown(),
    );
    for said in [&mut before, &mut after] {
        said.as_object_mut().expect("devices by their ids").retain(|id, _| *id != edit.device);
    }
    // An entry that says nothing is nothing.
    assert_eq!(before, after);
});
