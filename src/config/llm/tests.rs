use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use crate::config::{Config, ConfigError, Environment, Flags, Problem};
use crate::llm::settings::{JsonMode, Price, Site, Step};

fn parse_in(folder: Option<&Path>, text: &str) -> Result<Config, ConfigError> {
    Config::from_text(text, folder, &Environment::default(), &Flags::default())
}

fn parse(text: &str) -> Result<Config, ConfigError> {
    parse_in(None, text)
}

fn problems(text: &str) -> Vec<String> {
    parse(text).expect_err("a problem").problems.iter().map(Problem::to_string).collect()
}

#[test]
fn by_default_no_language_model_is_asked() {
    let config = parse("").unwrap();
    assert_eq!((config.llm.steps.len(), config.llm.similarity), (0, true));
    assert!(!config.llm.chatter && config.llm.keep_hard == 0);
}

#[test]
fn endpoints_are_asked_in_the_order_that_is_told() {
    let text = "llm:\n  order: [grammar, model, box, qwen]\n  privacy: allow\n  endpoints:\n    qwen: {url: 'https://api.example.com/v1', \
                model: qwen-plus, json: object, body: {enable_thinking: false}, price: {prompt: 0.8, completion: 2}}\n    \
                box: {place: lan, url: 'http://192.168.1.5:8080/v1', model: any, connect_timeout_ms: 200}\n    \
                unused: {url: 'https://other.example/v1', model: m}\n";
    let config = parse(text).unwrap();
    assert_eq!(config.warnings, [""; 0]);
    let [Step::Http(lan), Step::Http(cloud)] = &config.llm.steps[..] else { panic!("{:?}", config.llm.steps) };
    assert_eq!((lan.name.as_str(), lan.place, lan.device_names), ("box", Site::Lan, true));
    assert_eq!(lan.connect_timeout, Duration::from_millis(200));
    assert_eq!((cloud.name.as_str(), cloud.place, cloud.device_names), ("qwen", Site::Cloud, false));
    assert_eq!((cloud.json, cloud.price), (JsonMode::Object, Some(Price { prompt: 0.8, completion: 2.0 })));
    assert_eq!(cloud.body["enable_thinking"], false);
}

#[test]
fn never_means_never() {
    let text = "llm:\n  order: [grammar, box]\n  when: never\n  endpoints: {box: {place: lan, url: 'http://10.0.0.5/v1', model: m}}\n";
    let config = parse(text).unwrap();
    assert!(config.llm.steps.is_empty() && !config.llm.similarity);
}

#[test]
fn nothing_leaves_the_home_unless_that_is_allowed() {
    let text =
        "llm:\n  order: [grammar, model, qwen]\n  endpoints: {qwen: {url: 'https://api.example.com/v1', model: m}}\n";
    let [problem] = &problems(text)[..] else { panic!() };
    assert!(problem.starts_with("llm.order[2]: qwen is in the cloud"), "{problem}");
}

#[test]
fn every_problem_is_named_with_its_path() {
    let text = "service: {deadline_seconds: 1}\nllm:\n  order: [model, grammar, box, box, local, nobody]\n  when: always\n  \
                chatter: 5\n  privacy: allow\n  keep_hard: -1\n  local: {tokenizer: /nowhere/t.json}\n  endpoints:\n    \
                box: {place: lan, url: 'api.example.com/v1', model: m, headrs: {}}\n    \
                plain: {url: 'http://api.example.com/v1', model: m, json: yaml, price: {prompt: -1}}\n    \
                empty: {}\n    grammar: {url: 'https://a.example/v1', model: m, key_file: /nowhere/key}\n";
    let problems = problems(text);
    for expected in [
        "llm.order: must begin with grammar",
        "llm.order[3]: box is there already",
        "llm.order[4]: local needs llm.local.model",
        "llm.order[5]: nobody is no endpoint of llm.endpoints",
        "llm.when: must be unsure or never",
        "llm.chatter: must be never or addressed",
        "llm.keep_hard: must be between 0 and 10000",
        "llm.local.tokenizer: no such file: /nowhere/t.json",
        "llm.local.tokenizer: needs llm.local.model",
        "llm.endpoints.box.url: api.example.com/v1: must begin with http:// or https://",
        "llm.endpoints.box.headrs: unknown key",
        "llm.endpoints.plain.url: must begin with https:// in the cloud",
        "llm.endpoints.plain.json: must be none, object or schema",
        "llm.endpoints.plain.price.prompt: must be between",
        "llm.endpoints.empty.url: is required",
        "llm.endpoints.empty.model: is required",
        "llm.endpoints.grammar: is a name of the program's own",
        "llm.endpoints.grammar.key_file: /nowhere/key: ",
        "llm.deadline_ms: must be shorter than service.deadline_seconds",
    ] {
        assert!(problems.iter().any(|p| p.starts_with(expected)), "{expected} is missing in {problems:#?}");
    }
}

#[test]
fn a_key_comes_from_a_file_and_one_that_everybody_can_read_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, "sk-1\n").unwrap();
    let text = "llm:\n  order: [grammar, model, qwen]\n  privacy: allow\n  endpoints: {qwen: {url: 'https://api.example.com/v1', model: m, key_file: key}}\n";
    for (mode, warnings) in [(0o600, 0), (0o644, 1)] {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        let config = parse_in(Some(folder.path()), text).unwrap();
        assert_eq!(config.warnings.len(), warnings, "{:?}", config.warnings);
        let Step::Http(qwen) = &config.llm.steps[0] else { panic!() };
        assert_eq!(qwen.key.as_ref().unwrap().reveal(), "sk-1");
    }
}

#[test]
fn an_endpoint_that_only_claims_to_be_at_home_is_a_warning() {
    for (url, warnings) in [
        ("http://192.168.1.5/v1", 0),
        ("http://localhost:8080/v1", 0),
        ("http://box.local/v1", 0),
        ("http://[fd00::1]/v1", 0),
        ("http://127.0.0.1:3128", 0),
        ("http://[::ffff:192.168.1.5]/v1", 0),
        ("https://api.example.com/v1", 1),
    ] {
        let text = format!("llm: {{endpoints: {{box: {{place: lan, url: '{url}', model: m}}}}}}");
        assert_eq!(parse(&text).unwrap().warnings.len(), warnings, "{url}");
        let text =
            format!("llm: {{endpoints: {{box: {{place: lan, url: 'http://10.0.0.2/v1', model: m, proxy: '{url}'}}}}}}");
        assert_eq!(parse(&text).unwrap().warnings.len(), warnings, "proxy {url}");
    }
}

#[test]
fn an_address_outside_is_not_at_home_because_it_is_said_to_be_and_neither_is_a_proxy() {
    let endpoint = |privacy: &str, place: &str, url: &str, proxy: &str| {
        format!("llm: {{privacy: {privacy}, endpoints: {{box: {{place: {place}, url: '{url}', model: m{proxy}}}}}}}")
    };
    for outside in ["8.8.8.8", "[2001:db8::1]", "[::ffff:8.8.8.8]", "134744072", "172.32.0.1"] {
        let [problem] = &problems(&endpoint("home", "lan", &format!("http://{outside}/v1"), ""))[..] else { panic!() };
        assert!(problem.starts_with("llm.endpoints.box.url: ") && problem.contains("llm.privacy"), "{problem}");
        for proxy in [format!("http://{outside}:3128"), format!("{outside}:3128")] {
            let proxy = format!(", proxy: '{proxy}'");
            let [problem] = &problems(&endpoint("home", "lan", "http://10.0.0.2/v1", &proxy))[..] else { panic!() };
            assert!(problem.starts_with("llm.endpoints.box.proxy: ") && problem.contains("llm.privacy"), "{problem}");
            let allowed = parse(&endpoint("allow", "lan", "http://10.0.0.2/v1", &proxy)).unwrap();
            assert_eq!(allowed.warnings.len(), 1);
            let cloud = parse(&endpoint("allow", "cloud", "https://api.example.com/v1", &proxy)).unwrap();
            assert_eq!(cloud.warnings, [""; 0]);
        }
        assert_eq!(parse(&endpoint("allow", "lan", &format!("http://{outside}/v1"), "")).unwrap().warnings.len(), 1);
    }
}

#[test]
fn a_proxy_that_is_none_is_named_and_its_password_is_not() {
    let text = "llm: {endpoints: {box: {place: lan, url: 'http://10.0.0.2/v1', model: m, proxy: 'socks5://u:secret@10.0.0.3'}}}";
    assert_eq!(problems(text), ["llm.endpoints.box.proxy: must be http://HOST:PORT"]);
}
