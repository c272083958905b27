//! What stands in the audit trail, however much is asked.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_is_still_open_is_one_entry_however_often_it_is_asked() {
    let broker = Broker::mosquitto().await;
    let (mut client, folder) = (Client::connect(broker.port(), "client").await, tempfile::tempdir().unwrap());
    let daemon = Daemon::start(broker.port(), |settings| {
        settings.state_dir = folder.path().to_owned();
        settings.confirm_within = PATIENCE;
    });
    with_villa(&mut client).await;
    let said = ["打开大门锁", "打开大门锁", "打开大门锁", "确认", "打开大门锁", "算了", "锁上大门锁"];
    for (n, text) in said.into_iter().enumerate() {
        say(&mut client, "kitchen", &format!("k{n}"), text, None).await;
    }
    for _ in 0..2 {
        client.on("instruct/lock-01").await;
    }
    daemon.stop().await;
    let entries = read_trail(folder.path()).unwrap();
    let entries = entries.iter().map(|entry| serde_json::from_slice::<Value>(entry).unwrap());
    let steps = entries.map(|entry| (entry["step"].as_str().unwrap().to_owned(), entry["confirmed"] == true));
    let steps: Vec<(String, bool)> = steps.filter(|(step, _)| step == "asked" || step == "ordered").collect();
    let wanted = [("asked", false), ("ordered", true), ("asked", false), ("ordered", false)];
    assert_eq!(steps, wanted.map(|(step, confirmed)| (step.to_owned(), confirmed)));
}
