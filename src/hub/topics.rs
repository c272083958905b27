//! Which topics hubs may have: never the daemon's own, or what it says would come back as what it is told.

use crate::frame::is_topic_level;

/// Longest topic or filter, in bytes.
const MAX_TOPIC: usize = 512;

/// The first level of all topics of this program.
const OWN: &str = "zhiju";

/// Whether a hub may be told something on a topic, which a device's configuration may name.
pub fn may_be_told(topic: &str) -> bool {
    is_foreign(topic) && topic.split('/').all(|level| level.is_empty() || is_topic_level(level))
}

/// Whether a hub may listen to a filter. It begins with a level of its own: nothing that the daemon says matches it.
pub fn may_be_heard(filter: &str) -> bool {
    let mut levels = filter.split('/').peekable();
    let Some(first) = levels.next() else { return false };
    // A topic may begin with a slash: its first level is empty then, and none of ours is.
    let mut sound = is_foreign(filter) && (first.is_empty() || is_topic_level(first));
    while let Some(level) = levels.next() {
        sound &= match level {
            "#" => levels.peek().is_none(),
            "+" | "" => true,
            level => is_topic_level(level),
        };
    }
    sound
}

fn is_foreign(topic: &str) -> bool {
    let first = topic.split('/').next().unwrap_or_default();
    !topic.is_empty() && topic.len() <= MAX_TOPIC && first != OWN && !first.starts_with('$')
}

/// Whether a message on `topic` is for who listens to `filter`, as MQTT matches them.
pub fn matches(filter: &str, topic: &str) -> bool {
    let (mut wanted, mut levels) = (filter.split('/'), topic.split('/'));
    loop {
        match (wanted.next(), levels.next()) {
            (Some("#"), _) | (None, None) => return true,
            (Some("+"), Some(_)) => {}
            (Some(wanted), Some(level)) if wanted == level => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn no_hub_hears_or_tells_the_daemons_own_topics() {
        for own in ["zhiju/home/request", "zhiju", "zhiju/home/utterance/x", "$SYS/x", "", "#", "+", "+/home/request"] {
            assert!(!may_be_heard(own), "{own}");
        }
        for own in ["zhiju/home/request", "zhiju", "$SYS/x", "", "a/#", "a/+/b", "a\0", &"x".repeat(600)] {
            assert!(!may_be_told(own), "{own}");
        }
        for good in ["zigbee2mqtt/#", "homeassistant/+/+/config", "tele/灯/STATE", "a//b", "/a/b", "zhiju2/x"] {
            assert!(may_be_heard(good), "{good}");
        }
        for bad in ["a/#/b", "a/b#", "a/+b"] {
            assert!(!may_be_heard(bad), "{bad}");
        }
        assert!(may_be_told("zigbee2mqtt/客厅/灯/set"));
    }

    #[test]
    fn filters_match_as_the_broker_matches_them() {
        for (filter, topic) in [("a/b", "a/b"), ("a/+", "a/b"), ("a/#", "a"), ("a/#", "a/b/c"), ("a/+/c", "a//c")] {
            assert!(matches(filter, topic), "{filter} {topic}");
        }
        for (filter, topic) in [("a/b", "a/b/c"), ("a/+", "a/b/c"), ("a/+", "a"), ("a/#", "b"), ("A/b", "a/b")] {
            assert!(!matches(filter, topic), "{filter} {topic}");
        }
    }

    proptest! {
        #[test]
        fn what_may_be_heard_never_matches_our_own(filter in "[a-z+#$/]{0,12}|zhiju/.*", rest in "[a-z/]{0,9}") {
            let own = format!("zhiju/{rest}");
            prop_assert!(!may_be_heard(&filter) || !matches(&filter, &own));
        }
    }
}
