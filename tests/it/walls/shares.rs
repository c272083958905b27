//! Whoever floods takes nothing from what others have: neither the question that they were asked, nor a way to be served.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_conversations_takes_nobody_s_question() {
    let broker = Broker::mosquitto().await;
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |settings| settings.service.pages.pages = 20);
    with_villa(&mut client).await;
    let asked = say(&mut client, "bath", "ask", "打开大门锁", None).await;
    assert_eq!(asked["active"]["intent"]["type"], "question");
    for n in 0..60 {
        say(&mut client, "kitchen", &format!("k{n}"), "打开书房吸顶灯", Some(&format!("p{n}"))).await;
    }
    assert_eq!(say(&mut client, "bath", "yes", "确认", None).await["active"]["instructs"][0]["id"], "lock-01");
    client.on("instruct/lock-01").await;
    daemon.stop().await;
}
