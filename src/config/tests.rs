mod hubs;

use super::*;
use crate::hub::HubKind;

const EXAMPLE: &str = include_str!("../../deploy/zhiju.example.yaml");

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::from_text(text, None, &Environment::default(), &Flags::default())
}

fn with_variables(text: &str, variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
    Config::from_text(text, None, &Environment::of_variables(variables.iter().copied()), &Flags::default())
}

fn problems(result: Result<Config, ConfigError>) -> Vec<String> {
    result.expect_err("a problem").problems.iter().map(Problem::to_string).collect()
}

#[test]
fn an_empty_file_means_every_default() {
    let config = parse("").unwrap();
    assert_eq!((config.mqtt.host.as_str(), config.mqtt.port), ("127.0.0.1", 1883));
    assert_eq!(config.home_id, "home");
    assert_eq!(config.mqtt.client_id, "zhiju-home");
    assert_eq!(config.assistant.names, ["小牛"]);
    assert_eq!(config, parse("# only a comment\n").unwrap());
    assert_eq!(config, parse("mqtt:\nlog:\n").unwrap());
}

#[test]
fn the_annotated_example_says_what_the_defaults_are() {
    assert_eq!(parse(EXAMPLE).unwrap(), parse("").unwrap());
}

#[test]
fn the_annotated_example_shows_every_key() {
    let keys = EXAMPLE.lines().map(|line| match line.trim_start().strip_prefix('#') {
        Some(key) if key.starts_with(char::is_alphabetic) => line.replacen('#', "", 1),
        _ => line.to_owned(),
    });
    let tree: serde_yaml::Value = serde_yaml::from_str(&keys.collect::<Vec<_>>().join("\n")).unwrap();
    let raw: raw::RawConfig = serde_yaml::from_value(tree.clone()).unwrap();
    assert!(raw.unknown.is_empty(), "{:?}", raw.unknown);
    let sections: [(&str, &[&str]); 18] = [
        ("mqtt", raw::RawMqtt::KEYS),
        ("store", raw::RawStore::KEYS),
        ("model", raw::RawModel::KEYS),
        ("assistant", raw::RawAssistant::KEYS),
        ("dialogue", raw::RawDialogue::KEYS),
        ("resolve", raw::RawResolve::KEYS),
        ("delivery", raw::RawDelivery::KEYS),
        ("service", raw::RawService::KEYS),
        ("language", raw::RawLanguage::KEYS),
        ("llm", raw::RawLlm::KEYS),
        ("log", raw::RawLog::KEYS),
        ("metrics", raw::RawMetrics::KEYS),
        ("http", raw::RawHttp::KEYS),
        ("wyoming", raw::RawWyoming::KEYS),
        ("mcp", raw::RawMcp::KEYS),
        ("time", raw::RawTime::KEYS),
        ("jobs", raw::RawJobs::KEYS),
        ("learning", raw::RawLearning::KEYS),
    ];
    for (section, keys) in sections {
        for key in keys {
            assert!(tree[section].get(key).is_some(), "{section}.{key} is missing in the example");
        }
    }
    for key in raw::RawTls::KEYS {
        assert!(tree["mqtt"]["tls"].get(key).is_some(), "mqtt.tls.{key} is missing in the example");
    }
    assert!(tree.get("home_id").is_some() && tree.get("satellites").is_some());
}

#[test]
fn every_problem_is_named_with_its_path() {
    let text = "home_id: a/b\nmqtt: {port: 0, hots: x, max_packet_bytes: lots}\nlog: {level: ',,=', format: xml}\n\
                satelites: {}\nstore: 5\nassistant: {names: []}\n";
    assert_eq!(
        problems(parse(text)),
        [
            "satelites: unknown key; known here: home_id, mqtt, store, model, assistant, satellites, dialogue, \
             resolve, delivery, service, language, llm, log, metrics, http, wyoming, mcp, hubs, time, jobs, learning",
            "home_id: must not contain / + # or $: it is a level of an MQTT topic",
            "mqtt.hots: unknown key; known here: host, port, username, password_file, client_id, \
             max_packet_bytes, response_topics, tls",
            "store: must be a mapping",
            "mqtt.port: must be between 1 and 65535",
            "mqtt.max_packet_bytes: must be between 65536 and 16777216",
            "assistant.names: must hold at least one name",
            "log.level: invalid filter directive",
            "log.format: must be auto, journald, text or json",
        ]
    );
}

#[test]
fn no_door_is_open_that_is_not_named() {
    let config = parse("").unwrap();
    assert_eq!((config.http, config.wyoming), (None, None));
    let config = parse("http: {listen: '127.0.0.1:8710'}\nwyoming: {listen: '[::1]:10700'}").unwrap();
    assert!(config.http.is_some_and(|http| http.terms.tokens.is_none()) && config.wyoming.is_some());
}

#[test]
fn outside_of_this_machine_a_door_wants_to_know_who_comes() {
    let told = problems(parse("http: {listen: '0.0.0.0:8710'}\nwyoming: {listen: '[::]:10700'}"));
    assert_eq!(
        told,
        [
            "http.listen: is no loopback address: that needs http.tokens",
            "wyoming.listen: is no loopback address: that needs wyoming.clients",
        ]
    );
    let told = problems(parse("wyoming: {listen: '127.0.0.1:10700', announce: true}"));
    assert_eq!(told, ["wyoming.announce: nobody else reaches the loopback address of wyoming.listen"]);
    let told = problems(parse("http: {listen: x, hosts: ['a:1'], origins: [panel.lan]}\nwyoming: {clients: [ha]}"));
    assert_eq!(told.len(), 4, "{told:?}");
}

#[test]
fn tokens_that_others_can_read_or_that_are_none_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    let text = format!("http: {{listen: '0.0.0.0:8710', tokens: '{}'}}", path.display());
    for (mode, tokens, said) in [
        (0o600, "phone ask 0123456789abcdef", None),
        (0o640, "phone ask 0123456789abcdef", None),
        (0o644, "phone ask 0123456789abcdef", Some("everyone can read it")),
        (0o600, "phone ask short", Some("line 1: the secret must have")),
        (0o600, "", Some("holds no token")),
    ] {
        std::fs::write(&path, tokens).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        match said {
            None => assert!(parse(&text).unwrap().http.unwrap().terms.tokens.is_some()),
            Some(said) => {
                let told = problems(parse(&text));
                assert!(told[0].starts_with("http.tokens: ") && told[0].contains(said), "{told:?}");
            }
        }
    }
    assert!(problems(parse("http: {tokens: /nowhere}"))[0].starts_with("http.tokens: "));
}

#[test]
fn endpoints_are_addresses_in_files_and_are_not_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toy");
    let text = format!("mcp: {{endpoints: {{toy: '{}'}}}}", path.display());
    std::fs::write(&path, "wss://api.example/mcp/?token=secret\n").unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    assert_eq!(parse(&text).unwrap().mcp_endpoints[0].name, "toy");
    std::fs::write(&path, "https://api.example/?token=secret\n").unwrap();
    let told = problems(parse(&text));
    assert!(told.len() == 1 && told[0].starts_with("mcp.endpoints.toy: ") && !told[0].contains("secret"), "{told:?}");
}

#[test]
fn a_level_that_the_log_does_not_know_is_refused_with_its_key() {
    for level in ["loud", "", "info,zhiju::transport", "zhiju=loud", "info,,debug"] {
        let problems = problems(parse(&format!("log: {{level: '{level}'}}\n")));
        assert!(problems.len() == 1 && problems[0].starts_with("log.level: "), "{level}: {problems:?}");
    }
    for level in
        ["off", "INFO", "3", "info,zhiju::transport=debug", "warn,rumqttd=off", "zhiju[utterance{rid=1}]=trace"]
    {
        assert_eq!(parse(&format!("log: {{level: '{level}'}}\n")).unwrap().log.level, level);
    }
}

#[test]
fn duplicate_keys_are_refused_also_in_maps() {
    for text in ["home_id: a\nhome_id: b\n", "satellites:\n  tablet: 客厅\n  tablet: 卧室\n"] {
        let problems = problems(parse(text));
        assert!(problems.len() == 1 && problems[0].contains("duplicate"), "{problems:?}");
    }
}

#[test]
fn what_is_no_mapping_is_one_problem_and_no_panic() {
    for text in ["- a", "42", "\"", "a: [", "\u{0}", "? {a: b}\n: c", "1: 2", "&a [*a]"] {
        assert_eq!(problems(parse(text)).len(), 1, "{text:?}");
    }
}

#[test]
fn flags_win_over_variables_and_those_over_the_file() {
    let file = "home_id: file\nmqtt: {host: file, port: 1}\nstore: {dir: /file}\n";
    let variables = [("ZHIJU_BROKER", "variable:2"), ("ZHIJU_HOME_ID", "variable"), ("ZHIJU_STORE", "/variable")];
    let config = with_variables(file, &variables).unwrap();
    assert_eq!((config.mqtt.host.as_str(), config.mqtt.port, config.home_id.as_str()), ("variable", 2, "variable"));
    assert_eq!(config.store_dir, PathBuf::from("/variable"));

    let flags = Flags {
        broker: Some("flag:3".into()),
        home_id: Some("flag".into()),
        store: Some("/flag".into()),
        ..Flags::default()
    };
    let config = Config::from_text(file, None, &Environment::of_variables(variables), &flags).unwrap();
    assert_eq!((config.mqtt.host.as_str(), config.mqtt.port, config.home_id.as_str()), ("flag", 3, "flag"));
    assert_eq!(config.store_dir, PathBuf::from("/flag"));
}

#[test]
fn every_key_has_a_variable() {
    let config = with_variables(
        "",
        &[
            ("ZHIJU_SERVICE__WORKERS", "7"),
            ("ZHIJU_LOG__SENTENCES", "true"),
            ("ZHIJU_LOG", "debug"),
            ("ZHIJU_MQTT__CLIENT_ID", "12"),
            ("ZHIJU_ASSISTANT__NAMES", "[小牛, 小智]"),
            ("ZHIJU_SATELLITES__TABLET", "客厅"),
            ("ZHIJU_TEST_RUNNER", "qemu"),
            ("ZHIJU_DELIVERY__TTL_SECONDS", ""),
        ],
    )
    .unwrap();
    assert_eq!((config.service.workers, config.log.sentences, config.log.level.as_str()), (7, true, "debug"));
    assert_eq!(config.mqtt.client_id, "12");
    assert_eq!(config.assistant.names, ["小牛", "小智"]);
    assert_eq!(config.satellites["tablet"], "客厅");
    assert_eq!(config.instruct_ttl, Duration::from_secs(10));
}

#[test]
fn a_wrong_variable_is_named() {
    let variables = [("ZHIJU_MQTT__PORT", "x"), ("ZHIJU_BROCKER", "y"), ("ZHIJU_MQT__PORT", "1")];
    assert_eq!(
        problems(with_variables("", &variables)).iter().map(|p| p.split("; known").next().unwrap()).collect::<Vec<_>>(),
        [
            "brocker: unknown key",
            "mqt.port: unknown key",
            "mqtt.port: must be between 1 and 65535 (from ZHIJU_MQTT__PORT)"
        ]
    );
    assert!(problems(with_variables("", &variables))[0].ends_with("(from ZHIJU_BROCKER)"));
    assert!(problems(with_variables("", &variables))[1].ends_with("(from ZHIJU_MQT__PORT)"));
    assert_eq!(problems(with_variables("", &[("ZHIJU_BROKER", ":1")])).len(), 1);
    assert_eq!(problems(with_variables("mqtt: 5", &[("ZHIJU_MQTT__PORT", "1")])).len(), 1);
}

#[test]
fn a_broker_may_have_an_ipv6_address_or_no_port() {
    for (broker, host, port) in
        [("hub", "hub", 1883), ("[::1]:1884", "::1", 1884), ("::1", "::1", 1883), ("[::1]", "::1", 1883)]
    {
        let config = with_variables("", &[("ZHIJU_BROKER", broker)]).unwrap();
        assert_eq!((config.mqtt.host.as_str(), config.mqtt.port), (host, port), "{broker}");
    }
}

#[test]
fn a_password_comes_from_a_file_and_is_never_shown() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "s3cret\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let text = "mqtt: {username: zhiju, password_file: password}";
    let load = |environment: &Environment, beside: Option<&Path>| {
        Config::from_text(text, beside, environment, &Flags::default())
    };
    let config = load(&Environment::default(), Some(folder.path())).unwrap();
    assert_eq!(config.mqtt.credentials.as_ref().unwrap().password, "s3cret");
    assert!(config.warnings.is_empty());
    assert!(!format!("{config:?}").contains("s3cret"));

    let systemd = Environment::of_variables([("CREDENTIALS_DIRECTORY", folder.path().to_str().unwrap())]);
    assert_eq!(load(&systemd, None).unwrap().mqtt.credentials, config.mqtt.credentials);

    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(load(&systemd, None).unwrap().warnings.len(), 1);
    std::fs::write(&file, "\n").unwrap();
    assert!(problems(load(&systemd, None))[0].starts_with("mqtt.password_file: "));
    assert!(problems(load(&Environment::default(), None))[0].starts_with("mqtt.password_file: password: "));
    assert_eq!(problems(parse("mqtt: {username: zhiju}")), ["mqtt.username: needs mqtt.password_file"]);
}

#[test]
fn the_state_folder_follows_systemd_then_the_user() {
    let store = |variables: &[(&str, &str)]| with_variables("", variables).unwrap().store_dir;
    assert_eq!(store(&[("STATE_DIRECTORY", "/run/a:/run/b"), ("HOME", "/h")]), PathBuf::from("/run/a"));
    assert_eq!(store(&[("XDG_STATE_HOME", "/x"), ("HOME", "/h")]), PathBuf::from("/x/zhiju"));
    assert_eq!(store(&[("HOME", "/h")]), PathBuf::from("/h/.local/state/zhiju"));
}

#[test]
fn a_satellite_needs_a_topic_level_and_a_room() {
    assert_eq!(problems(parse("satellites: {a/b: 客厅}")).len(), 1);
    assert_eq!(problems(parse("satellites: {tablet: ''}")).len(), 1);
    assert_eq!(problems(parse("satellites: [tablet]")).len(), 1);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let flags = Flags { config: Some("/nonexistent/zhiju.yaml".into()), ..Flags::default() };
    let problems = problems(Config::load(&Environment::default(), &flags));
    assert!(problems[0].starts_with("/nonexistent/zhiju.yaml: "), "{problems:?}");
}

#[test]
fn the_wait_for_a_vector_is_bounded() {
    assert_eq!(parse("").unwrap().service.vector_wait, Duration::from_millis(30));
    assert_eq!(parse("service: {vector_wait_ms: 0}").unwrap().service.vector_wait, Duration::ZERO);
    for wait in ["-1", "1001", "soon"] {
        let problems = problems(parse(&format!("service: {{vector_wait_ms: {wait}}}")));
        assert!(problems[0].contains("service.vector_wait_ms: must be between 0 and 1000"), "{problems:?}");
    }
}

#[test]
fn what_the_service_is_told_of_language_models_needs_no_restart() {
    let parse = |text: &str| Config::from_text(text, None, &Environment::default(), &Flags::default()).unwrap();
    let before = parse("");
    assert_eq!(before.needs_restart(&parse("llm: {keep_hard: 5, chatter: addressed}")), [""; 0]);
    assert_eq!(before.needs_restart(&parse("llm: {keep_hard: 5, deadline_ms: 1000}")), ["llm"]);
}

#[test]
fn nothing_is_learned_unless_the_owner_says_so() {
    assert_eq!(parse("").unwrap().learning, None);
    assert_eq!(parse("learning: {keep: 5}").unwrap().learning, None);
    assert_eq!(parse("learning: {enabled: true}").unwrap().learning, Some(Learning { keep: 1_000 }));
    let before = parse("").unwrap();
    assert_eq!(before.needs_restart(&parse("learning: {enabled: true, keep: 0}").unwrap()), [""; 0]);
    let problems = problems(parse("learning: {enabled: maybe, keep: 10001, words: 1}"));
    for problem in ["learning.enabled", "learning.keep: must be between 0 and 10000", "learning.words: unknown"] {
        assert!(problems.iter().any(|named| named.starts_with(problem)), "{problem}: {problems:?}");
    }
}

#[test]
fn answers_are_allowed_below_sound_beginnings_of_topics_only() {
    assert_eq!(parse("").unwrap().mqtt.response_topics, ["answers/"]);
    assert_eq!(parse("mqtt: {response_topics: [a/, b/c/]}").unwrap().mqtt.response_topics, ["a/", "b/c/"]);
    assert!(parse("mqtt: {response_topics: []}").unwrap().mqtt.response_topics.is_empty());
    for bad in ["''", "/", "answers", "a/+/", "a/#", "$SYS/", "zhiju/", "zhiju/home/response/", "a//"] {
        let problems = problems(parse(&format!("mqtt: {{response_topics: ['x/', {bad}]}}")));
        assert!(problems.len() == 1 && problems[0].starts_with("mqtt.response_topics[1]: "), "{bad}: {problems:?}");
    }
}

#[test]
fn who_may_come_in_counts_at_once_and_where_from_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let config = |listen: &str, file: &str, more: &str| {
        let path = folder.path().join(file);
        std::fs::write(&path, format!("phone ask {file}-0123456789abcdef\n")).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        parse(&format!("http: {{listen: '{listen}', tokens: '{}'{more}}}", path.display())).unwrap()
    };
    let one = config("127.0.0.1:8710", "one", "");
    assert_eq!(one.needs_restart(&config("127.0.0.1:8710", "two", "")), Vec::<&str>::new());
    let befriended = config("127.0.0.1:8710", "one", ", hosts: [a], origins: ['https://b']");
    assert_eq!(one.needs_restart(&befriended), Vec::<&str>::new());
    for (listen, more) in [("127.0.0.1:8711", ""), ("127.0.0.1:8710", ", connections: 5")] {
        assert_eq!(one.needs_restart(&config(listen, "one", more)), ["http"]);
    }
    let wyoming = |more: &str| parse(&format!("wyoming: {{listen: '127.0.0.1:10700'{more}}}")).unwrap();
    let here = wyoming("");
    assert_eq!(here.needs_restart(&wyoming(", clients: [192.168.1.5]")), Vec::<&str>::new());
    assert_eq!(here.needs_restart(&wyoming(", connections: 5")), ["wyoming"]);
    assert_eq!(here.needs_restart(&parse("").unwrap()), ["wyoming"]);
    let made = rcgen::generate_simple_self_signed(["gateway.lan".to_owned()]).unwrap();
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let (cert, key) = (file("cert.pem", made.cert.pem()), file("key.pem", made.key_pair.serialize_pem()));
    let with_tls = config("127.0.0.1:8710", "one", &format!(", tls: {{cert_file: '{cert}', key_file: '{key}'}}"));
    assert_eq!(one.needs_restart(&with_tls), ["http"]);
    let again = file("again.pem", made.cert.pem());
    let renewed = config("127.0.0.1:8710", "one", &format!(", tls: {{cert_file: '{again}', key_file: '{key}'}}"));
    assert_eq!(with_tls.needs_restart(&renewed), Vec::<&str>::new());
    let bad = |tls: &str| problems(parse(&format!("http: {{listen: '127.0.0.1:8710', tls: {tls}}}")));
    assert_eq!(bad("{}"), ["http.tls: needs cert_file and key_file"]);
    assert!(bad(&format!("{{cert_file: '{key}', key_file: '{key}'}}"))[0].starts_with("http.tls.cert_file: "));
    assert!(bad(&format!("{{cert_file: '{cert}', key_file: '{cert}'}}"))[0].starts_with("http.tls.key_file: "));
}
