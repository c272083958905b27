//! What is told of language models: in the status, and by `zhiju hard`.

use super::*;

/// An endpoint that cannot be used.
fn unusable() -> HttpSettings {
    HttpSettings { name: "gone".into(), ca_file: Some("/nowhere/ca.pem".into()), ..lan(9) }
}

fn often(settings: &mut DaemonSettings) {
    settings.llm.report_every = Duration::from_millis(20);
}

impl House {
    /// What the status tells of a parser, as soon as `wanted` accepts it.
    async fn told(&mut self, name: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let status = self.client.on("status").await;
            let parsers = status["parsers"].as_array().into_iter().flatten();
            if let Some(parser) = parsers.into_iter().find(|parser| parser["parser"] == name && wanted(parser)) {
                return parser.clone();
            }
        }
    }
}

#[tokio::test]
async fn the_status_tells_what_the_parsers_did() {
    let server = Server::start().await;
    server.then(Say::Content(format!("```{LAMP}```")));
    let mut house = House::with(vec![lan(server.port)], |settings| {
        often(settings);
        settings.llm.fence = true;
    })
    .await;
    house.say(UNSURE).await.is_lit();
    let parser = house.told("box", |parser| parser["calls"] == 1).await;
    assert_eq!((&parser["ends"], &parser["reasons"]), (&json!({"sure": 1}), &json!({"salvaged": 1})));
    assert_eq!(parser["tokens"], 720);
}

#[tokio::test]
async fn the_status_tells_what_keeps_a_step_from_being_asked() {
    let nobody = crate::common::free_port().await;
    let mut house = House::with(vec![unusable(), lan(nobody)], often).await;
    let gone = house.told("gone", |_| true).await;
    assert!(gone["unusable"].as_str().unwrap().starts_with("ca_file: /nowhere/ca.pem"), "{gone}");
    for _ in 0..3 {
        house.say(UNSURE).await.is_not_understood(IN_VAIN);
    }
    house.told("box", |parser| parser["breaker"] == "open").await;
}

#[tokio::test]
async fn where_no_step_can_be_used_the_status_says_so_and_the_daemon_goes_on() {
    let mut house = House::with(vec![unusable()], often).await;
    let gone = house.told("gone", |parser| parser["unusable"].is_string()).await;
    assert_eq!(gone["calls"], 0);
    house.say(UNSURE).await.is_asked_about();
    house.goes_on().await;
}

#[tokio::test]
async fn hard_sentences_are_kept_only_if_that_is_wanted_and_printed_as_lines() {
    for keep in [0, 2] {
        let server = Server::start().await;
        let mut house = House::with(vec![lan(server.port)], |settings| {
            settings.service.keep_hard = keep;
            settings.llm.fence = true;
        })
        .await;
        for _ in 0..3 {
            server.then(Say::Content(format!("```{LAMP}```")));
            house.say(UNSURE).await.is_lit();
        }
        house.daemon.stop().await;
        let store = house.folder.path().join("state");
        let printed = tokio::task::spawn_blocking(move || {
            let run = |more: &[&str]| {
                stdout(&zhiju().args(["hard", "--answers", "--store"]).arg(&store).args(more).output().unwrap())
            };
            (run(&["--clear"]), run(&[]))
        });
        let (lines, cleared) = within("the lines", printed).await.unwrap();
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((lines.len(), cleared.as_str()), (keep, ""));
        for line in lines {
            assert_eq!(
                (&line["sentence"], &line["commands"][0]),
                (&json!(UNSURE), &json!("打开-客厅-照明灯#Light#one"))
            );
            assert_eq!(line["answers"][0]["problems"], json!(["salvaged"]));
        }
    }
}
