//! What agents send: JSON-RPC and the arguments of tools. Whatever it is, it ends in an answer of the protocol or in none, and
//! what is handed on is within the bounds.
#![no_main]

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use zhiju::clock::Clock;
use zhiju::dispatch::{Asker, DispatchLimits, Job, Take};
use zhiju::door::mcp::McpServer;
use zhiju::door::{Desk, Places};
use zhiju::frame::{ErrorCode, Event, Finish, Limits};
use zhiju::home::Registry;
use zhiju::observe::Metrics;

/// Answers at once, and holds what it is asked to its bounds.
#[derive(Debug)]
struct Bounded(Limits);

impl Take for Bounded {
    fn take(&self, job: Job) {
        let (request, asker) = job.into_parts();
        assert!(request.question.chars().count() <= self.0.question_chars);
        assert!(request.page_id.chars().count() <= self.0.id_chars && request.home.is_none());
        let Asker::Line(line) = asker else { panic!("an agent is answered on its line") };
        let message = "no".to_owned();
        line.try_send(Event::Finish(Finish::Failed { code: ErrorCode::Overloaded, message })).expect("there is room");
    }
}

struct Fixture {
    server: McpServer,
    runtime: Runtime,
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let limits = Limits::default();
    let registry = Arc::new(Registry::default());
    let model = json!({"m": {"property": {"power": {"type": "bool"}}}});
    let device =
        json!({"id": "d", "name": "主灯", "local": "客厅", "device": {"model": "m", "state": {"power": false}}});
    let home = json!({"layout": ["客厅"], "model": model, "devices": [device]});
    registry.replace(&home.to_string()).expect("a home");
    let places = Arc::new(Places::new(BTreeMap::new(), Arc::clone(&registry)));
    let within = DispatchLimits { workers: 1, waiting: 1, bytes: 1 << 20, deadline: Duration::from_secs(10) };
    let desk =
        Arc::new(Desk::new(Arc::new(Bounded(limits)), &within, places, &Clock::of_machine(), Metrics::default()));
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    Fixture { server: McpServer { desk, registry, limits }, runtime }
});

fn tell(text: &str) -> Option<Value> {
    FIXTURE.runtime.block_on(FIXTURE.server.message("fuzz", text))
}

fuzz_target!(|text: &str| {
    for message in [
        text.to_owned(),
        // Deeper in than chance comes: a tool with these arguments, a text with these characters.
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{text}}}"#),
        json!({"jsonrpc": "2.0", "id": text, "method": "tools/call", "params": {"name": "home_state", "arguments": {"about": text}}}).to_string(),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "home_command", "arguments": {"text": text, "room": text, "conversation": text}}}).to_string(),
    ] {
        let Some(answer) = tell(&message) else { continue };
        assert_eq!(answer["jsonrpc"], "2.0");
        assert!(answer.get("result").is_some() != answer.get("error").is_some(), "{answer}");
    }
});
