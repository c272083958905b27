//! Hubs of the configuration.

use super::*;

#[test]
fn hubs_are_read_by_their_kind() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("token"), "s3cret\n").unwrap();
    let text = "hubs:\n  overrides: mine.yaml\n  ha: {kind: home_assistant, url: 'http://ha:8123', token_file: token}\n  \
                z2m: {kind: zigbee2mqtt}\n  attic: {kind: zigbee2mqtt, base_topic: attic/z2m}\n  \
                d: {kind: ha_discovery}\n  st: {kind: smartthings, topic: st}\n";
    let config = Config::from_text(text, Some(folder.path()), &Environment::default(), &Flags::default()).unwrap();
    let hubs: Vec<(&str, &str)> = config.hubs.iter().map(|hub| (hub.name.as_str(), hub.kind.as_str())).collect();
    let kinds = [("attic", "zigbee2mqtt"), ("d", "ha_discovery"), ("ha", "home_assistant"), ("st", "smartthings")];
    assert_eq!(hubs, [&kinds[..], &[("z2m", "zigbee2mqtt")]].concat());
    assert_eq!(config.overrides, Some(folder.path().join("mine.yaml")));
    assert!(!format!("{:?}", config.hubs).contains("s3cret"));
    assert!(matches!(&config.hubs[4].kind, HubKind::Zigbee2Mqtt { base_topic } if base_topic == "zigbee2mqtt"));
    let named = with_variables("", &[("ZHIJU_HUBS__Z2M__KIND", "zigbee2mqtt")]).unwrap();
    assert_eq!(named.hubs.len(), 1);
    assert!(named.overrides.is_none() && named.needs_restart(&parse("").unwrap()) == ["hubs"]);
}

#[test]
fn what_is_wrong_with_hubs_is_named_key_by_key() {
    let text = "hubs:\n  overrides: [1]\n  Big: {kind: zigbee2mqtt}\n  a: {kind: tuya}\n  b: {base_topic: x}\n  \
                c: {kind: zigbee2mqtt, base_topic: zhiju/x, url: y}\n  d: {kind: zigbee2mqtt, base_topic: 'a/#'}\n  \
                e: {kind: home_assistant, url: 'ftp://x', token_file: none, tls: {ca_file: none.pem}}\n  \
                f: {kind: home_assistant}\n  g: 7\n  h: {kind: ha_discovery, prefx: x, expose: assist}\n  i: {kind: smartthings}\n  \
                j: {kind: smartthings}\n";
    let problems = problems(parse(text));
    let keys: Vec<&str> = problems.iter().map(|problem| problem.split(": ").next().unwrap()).collect();
    for key in [
        "hubs.overrides",
        "hubs.Big",
        "hubs.a.kind",
        "hubs.b.kind",
        "hubs.c.base_topic",
        "hubs.c.url",
        "hubs.d.base_topic",
        "hubs.e.url",
        "hubs.e.token_file",
        "hubs.e.tls.ca_file",
        "hubs.f.url",
        "hubs.f.token_file",
        "hubs.g",
        "hubs.h.prefx",
        "hubs.h.expose",
        "hubs.j",
    ] {
        assert!(keys.contains(&key), "{key}: {problems:#?}");
    }
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in [("token", "s3cret"), ("ca.pem", "nothing")] {
        std::fs::write(folder.path().join(file), text).unwrap();
    }
    for (url, tls, wrong) in [
        ("http://ha", "{}", "hubs.a.tls: TLS is spoken with https:// alone: see hubs.a.url"),
        ("https://ha", "{ca_file: ca.pem}", "ca.pem: holds no certificate"),
        ("https://ha", "{client_cert_file: ca.pem}", "hubs.a.tls.client_cert_file: needs hubs.a.tls.client_key_file"),
        ("https://ha", "{name: ha}", "hubs.a.tls.name: "),
    ] {
        let text = format!("hubs: {{a: {{kind: home_assistant, url: '{url}', token_file: token, tls: {tls}}}}}");
        let config = Config::from_text(&text, Some(folder.path()), &Environment::default(), &Flags::default());
        let problems = self::problems(config);
        assert!(problems.len() == 1 && problems[0].contains(wrong), "{url} {tls}: {problems:?}");
    }
    let many: String = (0..17).map(|i| format!("  h{i}: {{kind: zigbee2mqtt, base_topic: t{i}}}\n")).collect();
    assert_eq!(self::problems(parse(&format!("hubs:\n{many}"))), ["hubs: must be at most 16"]);
    assert_eq!(self::problems(parse("hubs: []")), ["hubs: must be a mapping from names of hubs to hubs"]);
}

#[test]
fn an_owners_file_that_is_wrong_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("overrides.yaml"), "devices: {a: {risk: none}}").unwrap();
    let config = Config::from_text("", Some(folder.path()), &Environment::default(), &Flags::default()).unwrap();
    assert!(config.warnings[0].contains("overrides.yaml: devices.a"), "{:?}", config.warnings);
}
