//! What hubs are told behind the instruct.

use super::*;

/// A home of which some devices belong to hubs: `z2m:…` on the broker, `ha:…` with a connection of its own.
struct Routes;

impl Route for Routes {
    fn native(&self, instruct: &Instruct) -> Option<Routed> {
        let (hub, own) = instruct.id.split_once(':')?;
        let once = own.ends_with("toggle");
        let to = |part: &str| match hub {
            "z2m" => To::Topic { topic: format!("zigbee2mqtt/{own}/{part}"), payload: part.into() },
            _ => To::Connection(json!({"device": own, "part": part})),
        };
        let messages = match own {
            "gone" => Err(Unable::Gone { device: own.into() }),
            _ => Ok(["first", "second"].map(|part| Native { to: to(part), once }).into()),
        };
        Some(Routed { hub: hub.into(), messages, untold: Vec::new() })
    }
}

/// A hub that is always there.
struct OneLine(mpsc::Sender<Delivery>);

impl Lines for OneLine {
    fn line(&self, _: &str) -> Option<mpsc::Sender<Delivery>> {
        Some(self.0.clone())
    }
}

struct House {
    outbox: Outbox<MemoryLog>,
    hub: mpsc::Receiver<Delivery>,
    answered: mpsc::Receiver<(Row, Fate)>,
    courier: Arc<Courier>,
}

fn house(log: Arc<MemoryLog>, clock: Clock) -> House {
    let (line, hub) = mpsc::channel(8);
    let (courier, answered) = Courier::new(Arc::new(OneLine(line)), clock.clone(), 16);
    let courier = Arc::new(courier);
    let outbox = opened(log, 16, clock).with_hubs(Arc::new(Routes), &courier);
    House { outbox, hub, answered, courier }
}

/// What became of these rows.
async fn settle(outbox: &Outbox<MemoryLog>, rows: impl IntoIterator<Item = (Row, Fate)>) {
    let (settled, receiver) = mpsc::channel(64);
    rows.into_iter().for_each(|row| settled.try_send(row).unwrap());
    drop(settled);
    outbox.sweep(receiver).await;
}

fn clock() -> Clock {
    Clock::by_hand("boot", 1_000, NOON)
}

#[tokio::test]
async fn what_hubs_are_told_follows_the_instruct_in_order() {
    let log = Arc::new(MemoryLog::default());
    let mut house = house(Arc::clone(&log), clock());
    let given = orders(&["lamp", "z2m:a", "ha:b"]);
    let publications = house.outbox.accept(&by("r"), &given, None).await.unwrap();
    let wanted = [
        "zhiju/home/instruct/lamp",
        "zhiju/home/instruct/z2m:a",
        "zigbee2mqtt/a/first",
        "zigbee2mqtt/a/second",
        "zhiju/home/instruct/ha:b",
    ];
    assert_eq!(topics(&publications), wanted);
    assert_eq!(log.rows().unwrap().len(), 7);
    for part in ["first", "second"] {
        let delivery = house.hub.recv().await.unwrap();
        assert_eq!(delivery.message, json!({"device": "b", "part": part}));
        assert_eq!(delivery.expires_ms, house.outbox.expires_ms());
        delivery.done.send(crate::hub::Answered::Taken).unwrap();
    }
    house.courier.stop(tokio::time::Instant::now() + Duration::from_secs(20)).await;
    drop(house.courier);
    house.outbox.sweep(house.answered).await;
    assert_eq!(log.rows().unwrap().len(), 5);
}

#[tokio::test]
async fn a_restart_tells_hubs_again_what_is_fresh_and_nothing_twice_that_must_not_be() {
    let log = Arc::new(MemoryLog::default());
    let clock = clock();
    let devices = ["z2m:old", "z2m:a", "z2m:toggle", "ha:b", "ha:toggle"];
    let first = house(Arc::clone(&log), clock.clone());
    first.outbox.accept(&by("r"), &orders(&devices[..1]), None).await.unwrap();
    clock.advance(Duration::from_secs(5));
    first.outbox.accept(&by("r"), &orders(&devices[1..]), risky(&["z2m:toggle", "ha:toggle"])).await.unwrap();
    clock.advance(Duration::from_secs(5));
    drop(first);
    let mut second = house(Arc::clone(&log), clock);
    let again = second.outbox.restore().unwrap();
    let wanted = [
        "zhiju/home/instruct/z2m:a",
        "zigbee2mqtt/a/first",
        "zigbee2mqtt/a/second",
        "zhiju/home/instruct/z2m:toggle",
        "zhiju/home/instruct/ha:b",
        "zhiju/home/instruct/ha:toggle",
    ];
    assert_eq!(topics(&again), wanted);
    assert_eq!(second.hub.recv().await.unwrap().message, json!({"device": "b", "part": "first"}));
    assert_eq!(trail(&log)[1..], [(Step::Unanswered, "z2m:toggle ha:toggle".into())]);
}

#[tokio::test]
async fn what_moved_is_what_the_hub_took_and_not_what_was_heard_on_the_side() {
    let log = Arc::new(MemoryLog::default());
    let house = house(Arc::clone(&log), clock());
    let given = house.outbox.accept(&by("r"), &orders(&["z2m:lock"]), risky(&["z2m:lock"])).await.unwrap();
    let mut rows: Vec<Row> = given.into_iter().map(|publication| publication.row.unwrap()).collect();
    settle(&house.outbox, [(rows.remove(0), Fate::Delivered), (rows.remove(0), Fate::Delivered)]).await;
    assert_eq!(trail(&log).len(), 1, "half of it is not it");
    settle(&house.outbox, [(rows.remove(0), Fate::Refused("no".into()))]).await;
    assert_eq!(trail(&log)[1..], [(Step::Refused, "z2m:lock".into())]);
}

#[tokio::test]
async fn what_a_hub_is_unable_to_do_is_told_as_an_instruct_and_noted_as_refused() {
    let log = Arc::new(MemoryLog::default());
    let house = house(Arc::clone(&log), clock());
    let given = house.outbox.accept(&by("r"), &orders(&["z2m:gone"]), risky(&["z2m:gone"])).await.unwrap();
    assert_eq!(topics(&given), ["zhiju/home/instruct/z2m:gone"]);
    assert_eq!(trail(&log)[1..], [(Step::Refused, "z2m:gone".into())]);
    settle(&house.outbox, given.into_iter().map(|p| (p.row.unwrap(), Fate::Delivered))).await;
    assert_eq!(trail(&log).len(), 2, "it did not move");
}

#[tokio::test]
async fn hubs_are_told_nothing_of_what_is_so_already() {
    let house = house(Arc::default(), clock());
    let rests: Vec<Instruct> =
        orders(&["z2m:a", "ha:b"]).into_iter().map(|order| Instruct { noop: true, ..order }).collect();
    let given = house.outbox.accept(&by("r"), &rests, None).await.unwrap();
    assert_eq!(topics(&given), ["zhiju/home/instruct/z2m:a", "zhiju/home/instruct/ha:b"]);
    assert_eq!(house.outbox.waiting(), 2);
}

#[tokio::test]
async fn a_row_that_would_tell_our_own_topics_is_dropped() {
    let log = Arc::new(MemoryLog::default());
    let way = Way::Topic { topic: "zhiju/home/request".into(), once: false };
    let head = Head { rid: "r".into(), device: "d".into(), boot: "boot".into(), given_ms: 1_000, way };
    log.push(&head.row(b"{}")).unwrap();
    assert!(opened(Arc::clone(&log), 8, clock()).restore().unwrap().is_empty());
    assert!(log.rows().unwrap().is_empty());
}

#[tokio::test]
async fn whoever_follows_hears_what_hubs_refuse() {
    let house = house(Arc::default(), clock());
    let follow = Arc::new(Follow::new(Duration::from_secs(3), Duration::from_secs(10), Box::new(|_| Duration::ZERO)));
    let outbox = house.outbox.followed_by(Arc::clone(&follow));
    let given = outbox.accept(&by("r"), &orders(&["z2m:gone", "z2m:a"]), None).await.unwrap();
    settle(&outbox, given.into_iter().map(|p| (p.row.unwrap(), Fate::Refused("no".into())))).await;
    let news = follow.look(&crate::home::Snapshot::default(), 1_000);
    let told: Vec<_> = news.outcomes.iter().map(|o| (o.device.as_str(), o.reason.as_deref().unwrap())).collect();
    assert_eq!(told, [("z2m:gone", "the hub has no device gone"), ("z2m:a", "no")]);
    assert_eq!(news.failed[0].rejected, ["z2m:gone", "z2m:a"]);
}

#[tokio::test]
async fn what_goes_over_a_hubs_own_connection_needs_no_broker() {
    let house = house(Arc::default(), clock());
    let needs = |ids: &[&str]| Deliver::needs_broker(&house.outbox, &orders(ids));
    assert!(!needs(&[]) && !needs(&["ha:a", "ha:b"]));
    assert!(needs(&["lamp"]) && needs(&["ha:a", "z2m:b"]) && needs(&["ha:gone"]));
    assert!(Deliver::needs_broker(&outbox(MemoryLog::default(), 1), &orders(&["ha:a"])));
}
