//! What is used, over a real broker: it is named first when the daemon asks which one, also after a restart, and nothing is
//! moved by it.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::{Broker, Client, Daemon};

/// A home with a table lamp in the living room, and one in the kitchen.
fn home() -> Value {
    serde_json::from_str(&crate::common::home().to_string().replace("照明灯", "台灯")).unwrap()
}

fn daemon(broker: &Broker, folder: &Path) -> Daemon {
    Daemon::start(broker.port(), |settings| settings.state_dir = folder.join("state"))
}

/// What comes of a sentence that was said in no room: the reply, and the devices that move.
async fn say(client: &mut Client, page: &str, sentence: &str) -> (String, Vec<String>) {
    let frame = json!({"topic": "llm/smarthome", "rid": "r", "payload": {"page_id": page, "question": sentence}});
    client.publish("request", frame.to_string()).await;
    let active = client.finish("r").await["payload"]["data"]["active"].clone();
    let moved = active["instructs"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned());
    (active["intent"]["result"].as_str().unwrap().to_owned(), moved.collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lamp_that_was_used_more_is_named_first_also_after_a_restart_and_nothing_moves_by_it() {
    let broker = Broker::embedded().await;
    let mut client = Client::connect(broker.port(), "hub").await;
    let folder = tempfile::tempdir().unwrap();
    let before = daemon(&broker, folder.path());
    client.status("online").await;
    client.publish("registry", home().to_string()).await;
    assert_eq!(client.on("registry/report").await["ok"], true);
    let asked = |rooms: &str| (format!("你要打开哪个房间的台灯呢？{rooms}？"), Vec::<String>::new());

    assert_eq!(say(&mut client, "1", "打开台灯").await, asked("客厅还是厨房"));
    for sentence in ["打开厨房的台灯", "关掉厨房的台灯"] {
        assert_eq!(say(&mut client, "2", sentence).await.1, ["lamp-2"]);
    }
    assert_eq!(say(&mut client, "2", "打开客厅的台灯").await.1, ["lamp-1"]);
    assert_eq!(say(&mut client, "3", "打开台灯").await, asked("厨房还是客厅"));

    before.stop().await;
    client.status("offline").await;
    let after = daemon(&broker, folder.path());
    client.status("online").await;
    assert_eq!(say(&mut client, "4", "打开台灯").await, asked("厨房还是客厅"));

    // A home without this lamp, and then with it again, knows nothing of it any more.
    let mut without: Value = home();
    without["devices"].as_array_mut().unwrap().pop();
    for document in [without, home()] {
        client.publish("registry", document.to_string()).await;
        assert_eq!(client.on("registry/report").await["ok"], true);
    }
    assert_eq!(say(&mut client, "5", "打开台灯").await, asked("客厅还是厨房"));
    after.stop().await;
}
