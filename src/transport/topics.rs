//! Every topic of the contract.

use crate::frame::{Origin, is_topic_level};

/// Longest topic that is answered to, in bytes.
pub(super) const MAX_RESPONSE_TOPIC: usize = 1024;

/// The topics of one home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topics {
    /// `zhiju/{home}/`
    prefix: String,
}

/// What a topic that the daemon subscribes to is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Incoming {
    /// `request`, or `request/{client}`: a request frame, and the application that the topic names.
    Request(Option<String>),
    /// `utterance/{satellite}`: what this satellite heard.
    Utterance(String),
    /// `registry`: a home document.
    Registry,
    /// `state/{device_id}`: what this device reports of itself.
    State(String),
    /// `jobs/cancel`: what is not to be done later after all.
    CancelJobs,
}

impl Topics {
    /// The topics of the home `home`; `None` when that is not one topic level.
    pub fn new(home: &str) -> Option<Self> {
        is_topic_level(home).then(|| Self { prefix: format!("zhiju/{home}/") })
    }

    /// The filters to subscribe to.
    pub fn subscriptions(&self) -> [String; 6] {
        ["request", "request/+", "utterance/+", "registry", "state/+", "jobs/cancel"]
            .map(|filter| format!("{}{filter}", self.prefix))
    }

    /// What a message on `topic` is about; `None` for topics that are none of the subscriptions'.
    pub fn parse(&self, topic: &str) -> Option<Incoming> {
        let rest = topic.strip_prefix(&self.prefix)?;
        match rest.split_once('/') {
            None if rest == "request" => Some(Incoming::Request(None)),
            None if rest == "registry" => Some(Incoming::Registry),
            Some(("request", client)) if is_topic_level(client) => Some(Incoming::Request(Some(client.to_owned()))),
            Some(("utterance", satellite)) if is_topic_level(satellite) => {
                Some(Incoming::Utterance(satellite.to_owned()))
            }
            Some(("jobs", "cancel")) => Some(Incoming::CancelJobs),
            Some(("state", device)) if is_topic_level(device) => Some(Incoming::State(device.to_owned())),
            _ => None,
        }
    }

    /// Where stream and finish frames of a request go: an application's own below its name, where nobody else's come.
    pub fn response(&self, origin: &Origin, rid: &str) -> String {
        self.of_request("response", origin, rid)
    }

    /// Where a satellite hears what to say aloud.
    pub fn reply(&self, satellite: &str) -> String {
        self.join("reply", satellite)
    }

    /// Where the candidates of a request go.
    pub fn candidates(&self, origin: &Origin, rid: &str) -> String {
        self.of_request("candidates", origin, rid)
    }

    /// Where a device's instructs go; `None` when its id cannot be a topic level.
    pub fn instruct(&self, device: &str) -> Option<String> {
        is_topic_level(device).then(|| self.join("instruct", device))
    }

    /// Where the hub is asked for a device's fresh state; `None` when its id cannot be a topic level.
    pub fn state_get(&self, device: &str) -> Option<String> {
        is_topic_level(device).then(|| format!("{}state/{device}/get", self.prefix))
    }

    /// Where it is told what became of the instructs of a request: an application's own below its name.
    pub fn outcome(&self, origin: &Origin, rid: &str) -> String {
        self.of_request("outcome", origin, rid)
    }

    /// Where it is told what is to be done later.
    pub fn jobs(&self) -> String {
        format!("{}jobs", self.prefix)
    }

    /// Where jobs are taken back.
    pub fn cancel_jobs(&self) -> String {
        format!("{}jobs/cancel", self.prefix)
    }

    /// Where it is told how hubs are.
    pub fn hubs(&self) -> String {
        format!("{}hubs", self.prefix)
    }

    /// Where it is reported what became of a home document.
    pub fn report(&self) -> String {
        format!("{}registry/report", self.prefix)
    }

    /// Where the daemon says whether it is there.
    pub fn status(&self) -> String {
        format!("{}status", self.prefix)
    }

    /// Where `zhiju doctor` sends itself a message.
    pub fn doctor(&self) -> String {
        format!("{}doctor", self.prefix)
    }

    /// Whether the answer to a request may be sent to the response topic that it names, besides its own.
    ///
    /// An answer is written with the daemon's own rights, so that only topics below one of `prefixes` are written on, and
    /// none below `zhiju/` and `$`. Whoever has a name there, a satellite or an application, has but what is below it: who
    /// may publish by that name may not write to whoever else is answered there.
    pub fn may_answer_to(&self, topic: &str, rid: &str, origin: &Origin, prefixes: &[String]) -> bool {
        let own = |below: &str| origin.client.is_empty() || below.split('/').next() == Some(&origin.client);
        let allowed = prefixes.iter().filter_map(|prefix| topic.strip_prefix(prefix.as_str())).any(own);
        // Levels may be empty in MQTT (`a//b`); whatever is there must be something that any broker takes.
        let sound = topic.len() <= MAX_RESPONSE_TOPIC
            && !topic.starts_with('$')
            && !topic.starts_with("zhiju/")
            && topic.split('/').all(|level| level.is_empty() || is_topic_level(level));
        topic == self.response(origin, rid) || allowed && sound
    }

    fn of_request(&self, kind: &str, origin: &Origin, rid: &str) -> String {
        match origin.as_application() {
            Some(client) => format!("{}{kind}/{client}/{rid}", self.prefix),
            None => self.join(kind, rid),
        }
    }

    fn join(&self, kind: &str, level: &str) -> String {
        format!("{}{kind}/{level}", self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn topics() -> Topics {
        Topics::new("home").unwrap()
    }

    #[test]
    fn the_topics_are_the_contracts() {
        let t = topics();
        assert_eq!(
            t.subscriptions(),
            ["request", "request/+", "utterance/+", "registry", "state/+", "jobs/cancel"]
                .map(|filter| format!("zhiju/home/{filter}"))
        );
        let origins = [Origin::request(), Origin::satellite("kitchen"), Origin::application("app")];
        let topics = ["zhiju/home/response/r", "zhiju/home/response/r", "zhiju/home/response/app/r"];
        assert_eq!(origins.map(|origin| t.response(&origin, "r")), topics);
        assert_eq!(t.candidates(&Origin::application("app"), "r"), "zhiju/home/candidates/app/r");
        assert_eq!(t.outcome(&Origin::application("app"), "r"), "zhiju/home/outcome/app/r");
        assert_eq!(t.outcome(&Origin::satellite("kitchen"), "r"), "zhiju/home/outcome/r");
        assert_eq!(t.reply("kitchen"), "zhiju/home/reply/kitchen");
        assert_eq!(t.candidates(&Origin::request(), "r"), "zhiju/home/candidates/r");
        assert_eq!(t.instruct("dev-1").unwrap(), "zhiju/home/instruct/dev-1");
        assert_eq!(t.state_get("dev-1").unwrap(), "zhiju/home/state/dev-1/get");
        assert_eq!(t.report(), "zhiju/home/registry/report");
        assert_eq!(t.status(), "zhiju/home/status");
    }

    #[test]
    fn what_is_subscribed_to_is_understood() {
        let t = topics();
        assert_eq!(t.parse("zhiju/home/request"), Some(Incoming::Request(None)));
        assert_eq!(t.parse("zhiju/home/request/app"), Some(Incoming::Request(Some("app".into()))));
        assert_eq!(t.parse("zhiju/home/registry"), Some(Incoming::Registry));
        assert_eq!(t.parse("zhiju/home/utterance/厨房"), Some(Incoming::Utterance("厨房".into())));
        assert_eq!(t.parse("zhiju/home/state/dev-1"), Some(Incoming::State("dev-1".into())));
        for other in [
            "zhiju/home/request/app/1",
            "zhiju/home/request/",
            "zhiju/home/state/dev-1/get",
            "zhiju/home/registry/report",
            "zhiju/away/request",
            "x",
            "",
        ] {
            assert_eq!(t.parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_home_or_device_that_is_no_topic_level_has_no_topics() {
        for bad in ["", "a/b", "+", "#", "a\n"] {
            assert_eq!(Topics::new(bad), None);
            assert_eq!(topics().instruct(bad), None);
            assert_eq!(topics().state_get(bad), None);
        }
    }

    #[test]
    fn answers_never_reach_command_topics() {
        let (app, prefixes) = (Origin::request(), ["answers/".to_owned(), "zhiju/".to_owned(), "$".to_owned()]);
        let may = |topic: &str| topics().may_answer_to(topic, "r", &app, &prefixes);
        for good in ["answers/app", "answers/a//b", "answers/", "zhiju/home/response/r"] {
            assert!(may(good), "{good}");
        }
        let bad =
            ["", "answers", "app/answers", "answers/a/+", "answers/#", "$SYS/x", "answers/\0", "zhiju", "zhiju/home"];
        let ours = ["zhiju/home/request", "zhiju/b/state/x", "zhiju/home/instruct/lock", "zhiju/home/response/other"];
        let sly = ["/zhiju/home/request", "zhiju//response/r", "zigbee2mqtt/lock/set", "/answers/app"];
        for bad in bad.into_iter().chain(ours).chain(sly) {
            assert!(!may(bad), "{bad}");
        }
        assert!(!may(&format!("answers/{}", "x".repeat(2000))));
    }

    #[test]
    fn a_satellite_is_answered_below_its_own_name_only() {
        let (kitchen, prefixes) = (Origin::satellite("kitchen"), ["answers/".to_owned()]);
        let may = |topic: &str| topics().may_answer_to(topic, "r", &kitchen, &prefixes);
        assert!(may("answers/kitchen") && may("answers/kitchen/1") && may("zhiju/home/response/r"));
        let may_app = |topic: &str| topics().may_answer_to(topic, "r", &Origin::application("app"), &prefixes);
        assert!(may_app("answers/app/1") && may_app("zhiju/home/response/app/r"));
        assert!(!may_app("answers/other/1") && !may_app("zhiju/home/response/r"));
        for bad in ["answers/app/secret", "answers/kitchen2", "answers/", "answers//kitchen"] {
            assert!(!may(bad), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_topics_never_panic(topic in any::<String>()) {
            let _ = topics().parse(&topic);
            let _ = topics().may_answer_to(&topic, &topic, &Origin::request(), &[String::new()]);
        }
    }
}
