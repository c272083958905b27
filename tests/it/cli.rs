//! The command line from outside: what it prints, and its exit codes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::Value;

use crate::common::{Broker, Client, within};
use crate::runner::{stderr, stdout, zhiju};

fn run(arguments: &[&str]) -> Output {
    zhiju().args(arguments).output().unwrap()
}

fn home(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/homes").join(name)
}

#[test]
fn wrong_usage_exits_2() {
    for arguments in [&["bogus"][..], &["eval"], &["run", "--no-such-flag"], &[]] {
        assert_eq!(run(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn check_config_names_every_problem_and_exits_78() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("zhiju.yaml");
    std::fs::write(&file, "mqtt: {port: 70000}\nhome: x\n").unwrap();
    let output = run(&["check-config", "--config", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(78));
    let problems = stderr(&output);
    assert!(problems.contains("mqtt.port: must be between 1 and 65535"), "{problems}");
    assert!(problems.contains("home: unknown key"), "{problems}");

    std::fs::write(folder.path().join("lexicon.yaml"), "version: none\n").unwrap();
    std::fs::write(&file, "language: {lexicon: lexicon.yaml}\n").unwrap();
    let output = run(&["check-config", "--config", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(78));
    assert!(stderr(&output).starts_with("language.lexicon: "), "{}", stderr(&output));
    assert!(stderr(&output).contains("lexicon.yaml: version: "), "{}", stderr(&output));

    std::fs::write(&file, "").unwrap();
    let output = run(&["check-config", "--config", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).starts_with("configuration ok\n"));
}

/// A lexicon whose section is as it ships, but for one entry.
fn without(section: &str, id: &str) -> String {
    let shipped: serde_yaml::Mapping = zhiju::zh::LEXICON.shipped().unwrap();
    let mut entries = shipped[section].as_mapping().unwrap().clone();
    assert!(entries.remove(id).is_some());
    let tagged = serde_yaml::value::TaggedValue { tag: serde_yaml::value::Tag::new("replace"), value: entries.into() };
    serde_yaml::to_string(&BTreeMap::from([(section, tagged)])).unwrap()
}

#[test]
fn what_is_wrong_with_the_language_of_an_owner_is_named_with_file_and_path() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own");
    std::fs::create_dir(&own).unwrap();
    let config = folder.path().join("zhiju.yaml");
    std::fs::write(&config, "language: {folder: own}\n").unwrap();
    let cycle = "properties: {brightness: {like: volume}, volume: {like: brightness}}";
    for (name, text, problem) in [
        (
            "lexicon.yaml",
            "kinds: {light: {number: brilliance}}",
            "kinds.light.number: there is no property `brilliance`",
        ),
        ("lexicon.yaml", "verbs: !replace {}", "verbs: there must be a verb `cancel`"),
        ("lexicon.yaml", "verbs: {on: {words: [亮], words: [灭]}}", "duplicate"),
        ("lexicon.yaml", "verbs: {on: {words: [亮起来, 亮起来]}}", "verbs.on.words: `亮起来` stands there twice"),
        ("lexicon.yaml", cycle, "properties.brightness: brightness leads back to itself"),
        ("lexicon.yaml", "verbs: {on: {words: ['']}}", "verbs.on.words[0]: the word is empty"),
        ("lexicon.yaml", "verbs: {on: {wrods: [亮]}}", "verbs.on.wrods: unknown field"),
        (
            "time.yaml",
            "day_parts: {今儿晚: {day: 0, part: nightfall}}",
            "day_parts.今儿晚: there is no part of the day `nightfall`",
        ),
        ("replies.yaml", "doing: 好，{device}。", "doing: there is no {device} to fill in"),
        ("replies.yaml", "doink: 好。", "doink: there is no reply `doink`"),
        ("meanings.yaml", "concepts: {light: 5}", "concepts.light: invalid type"),
        ("capabilities.yaml", "clusters: [{ids: [a]}]", "missing field `says`"),
        ("purposes.yaml", "teleporter: [瞬移]", "teleporter: there is no kind `teleporter`"),
        ("phrasing.yaml", "things: 机器", "things: invalid type"),
        ("ordinary.yaml", "more: [好]", "more: `好` has not two to four characters"),
        ("failures.yaml", "too_late: 太慢了。", "too_late: unknown field"),
        ("models.yaml", "rooms: [屋]", "rooms: invalid type"),
        ("tools.yaml", "tools: !replace {}", "tools: there must be a tool `home_command`"),
        ("hot_words.yaml", "开灯", "invalid type"),
        ("share.yaml", "rooms: 屋", "rooms: unknown field"),
        ("colours.yaml", "[{id: red, word: 大红, hue: 0, saturation: 90}]", "[9].id: `red` stands there twice"),
        ("home_assistant.yaml", "sensors: !replace {}", "sensors: there must be a class ``"),
        ("zigbee2mqtt.yaml", "kinds: 5", "kinds: invalid type"),
        ("discovery.yaml", "kinds: 5", "kinds: invalid type"),
        ("smartthings.yaml", "features: 5", "features: "),
        ("prompt.md", "", "the word is empty"),
        ("prompt.txt", "", "no file of the language is called so"),
        ("protocol.yaml", "", "nothing can be laid over this file of the language"),
        ("lexikon.yaml", "", "no file of the language is called so"),
        // What code asks for by its id, in whatever way, is missed at the start and not at the sentence that needs it.
        ("lexicon.yaml", &without("verbs", "mop"), "verbs: there must be a verb `mop`"),
    ] {
        let file = own.join(name);
        std::fs::write(&file, text).unwrap();
        let output = run(&["check-config", "--config", config.to_str().unwrap()]);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(78), "{text}: {told}");
        let named = format!("language.folder: {}: ", file.display());
        assert!(told.starts_with(&named) && told.contains(problem), "{text}: {told}");
        std::fs::remove_file(file).unwrap();
    }
    let output = run(&["check-config", "--config", config.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    std::fs::remove_dir(&own).unwrap();
    let output = run(&["check-config", "--config", config.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(78));
    assert!(stderr(&output).starts_with("language.folder: no such folder: "), "{}", stderr(&output));
}

#[test]
fn check_config_tries_the_language_models() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("zhiju.yaml");
    let check = |endpoint: &str| {
        std::fs::write(&file, format!("llm: {{order: [grammar, box], endpoints: {{box: {{{endpoint}}}}}}}")).unwrap();
        run(&["check-config", "--config", file.to_str().unwrap()])
    };
    std::fs::write(folder.path().join("ca.pem"), "no certificate\n").unwrap();
    for (endpoint, problem) in [
        ("place: lan, url: 10.0.0.5/v1, model: m", "llm.endpoints.box.url: "),
        ("place: lan, url: 'http://10.0.0.5/v1', model: m, ca_file: ca.pem", "llm.endpoints.box: ca_file: "),
        ("place: lan, url: 'http://10.0.0.5/v1', model: m, headers: {Host: x}", "llm.endpoints.box: headers.Host: "),
        ("place: lan, url: 'http://10.0.0.5/v1', model: m, proxy: '::'", "llm.endpoints.box.proxy: "),
    ] {
        let output = check(endpoint);
        assert_eq!(output.status.code(), Some(78), "{endpoint}");
        assert!(stderr(&output).contains(problem), "{}", stderr(&output));
    }
    let output = check("place: lan, url: 'http://10.0.0.5/v1', model: m");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("llm        box (Lan, http://10.0.0.5/v1)"), "{}", stdout(&output));
}

#[test]
fn the_demonstration_with_a_language_model_goes_as_expected() {
    let output = run(&["demo", "--llm"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("local"), "{}", stdout(&output));
}

#[test]
fn check_config_reads_variables() {
    let output = zhiju().arg("check-config").env("ZHIJU_BROKER", "hub.local:1884").output().unwrap();
    assert!(stdout(&output).contains("hub.local:1884"), "{}", stdout(&output));
    let output = zhiju().arg("check-config").env("ZHIJU_BROCKER", "hub.local").output().unwrap();
    assert_eq!(output.status.code(), Some(78));
    assert!(stderr(&output).contains("from ZHIJU_BROCKER"));
}

#[test]
fn run_refuses_a_bad_configuration_before_it_connects() {
    let output = run(&["run", "--broker", "127.0.0.1:0"]);
    assert_eq!(output.status.code(), Some(78));
    assert!(stderr(&output).contains("mqtt.port: must be between 1 and 65535 (from --broker)"), "{}", stderr(&output));
}

#[test]
fn ask_prints_one_finish_frame_a_line() {
    let output = run(&["ask", "--json", "--local", "客厅", "小爱，开灯。", "小爱，关灯。"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let frames: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(frames.len(), 2);
    for (frame, question) in frames.iter().zip(["小爱，开灯。", "小爱，关灯。"]) {
        assert_eq!(frame["topic"], "llm/smarthome");
        assert_eq!(frame["payload"]["finish"], true);
        assert_eq!(frame["payload"]["data"]["question"], question);
        assert_eq!(frame["payload"]["data"]["active"]["intent"]["type"], "none");
    }
}

#[test]
fn ask_prints_the_same_frames_without_json_where_the_output_is_no_terminal() {
    let said = ["ask", "--no-model", "--local", "客厅", "关灯", "今天收益不错"];
    let output = run(&said);
    assert_eq!(stdout(&output).lines().count(), 2, "{}", stdout(&output));
    assert_eq!(stdout(&output), stdout(&run(&[&said[..], &["--json"]].concat())));
}

#[test]
fn ask_without_a_text_answers_each_line_of_its_input_on_one_page() {
    let mut child = zhiju();
    child
        .args(["ask", "--no-model", "--local", "厨房"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    child.stdin.take().unwrap().write_all("打开空调\n\n客厅\n".as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let frames: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let active = |at: usize| &frames[at]["payload"]["data"]["active"];
    assert_eq!(active(0)["intent"]["type"], "question", "{text}");
    assert_eq!(active(1)["instructs"][0]["id"], "dev-6", "{text}");
    assert_eq!(frames.len(), 2, "an empty line is nothing that was said: {text}");
}

#[test]
fn ask_names_an_input_that_is_no_text() {
    let mut child = zhiju();
    child.args(["ask", "--no-model"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"\xff\xfe\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("stdin: "), "{}", stderr(&output));
}

#[tokio::test]
async fn ask_on_a_terminal_shows_a_person_what_was_heard_understood_found_and_replied() {
    let shown = on_a_terminal(&["ask", "--no-model", "打开浴室灯", "--local", "卧室"], "").await;
    for line in [
        "heard in 卧室: 打开浴室灯",
        "understood 打开-",
        "found      ",
        "would do   dev-2 {\"power\":true}",
        "replied    正在",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(!shown.contains("llm/smarthome"), "{shown}");
}

#[tokio::test]
async fn ask_on_a_terminal_is_a_conversation_until_the_input_ends() {
    let shown = on_a_terminal(&["ask", "--no-model", "--local", "厨房"], "打开空调\n客厅\n\u{4}").await;
    assert!(shown.contains("8 devices in 客厅"), "{shown}");
    assert!(shown.contains("> ") && shown.contains("heard in 厨房: 打开空调"), "{shown}");
    assert!(shown.contains("heard in 厨房: 客厅") && shown.contains("would do   dev-6 "), "{shown}");
}

#[tokio::test]
async fn ask_with_json_prints_frames_on_a_terminal_too() {
    let shown = on_a_terminal(&["ask", "--no-model", "--json"], "关灯\n\u{4}").await;
    let frame = shown.lines().find(|line| line.starts_with('{')).unwrap_or_else(|| panic!("{shown}"));
    let frame: Value = serde_json::from_str(frame).unwrap();
    assert_eq!(frame["payload"]["finish"], true);
    assert!(!shown.contains("> ") && !shown.contains("heard"), "{shown}");
}

/// What `zhiju` shows on a terminal on which `typed` is typed.
async fn on_a_terminal(arguments: &[&str], typed: &str) -> String {
    let mut main = File::from(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap());
    grantpt(&main).unwrap();
    unlockpt(&main).unwrap();
    let path = ptsname(&main, Vec::new()).unwrap().into_string().unwrap();
    let side = || Stdio::from(File::options().read(true).write(true).open(&path).unwrap());
    let mut command = zhiju();
    command.args(arguments).env("NO_COLOR", "1").stdin(side()).stdout(side()).stderr(side());
    let mut child = command.spawn().unwrap();
    // With the command go this process's ends: from then on reading ends with the child.
    drop(command);
    main.write_all(typed.as_bytes()).unwrap();
    let shown = tokio::task::spawn_blocking(move || {
        let mut shown = Vec::new();
        // A terminal whose other end is closed is an error to read, not an end.
        let _ = main.read_to_end(&mut shown);
        assert_eq!(child.wait().unwrap().code(), Some(0), "{}", String::from_utf8_lossy(&shown));
        String::from_utf8(shown).unwrap().replace('\r', "")
    });
    shown.await.unwrap()
}

#[test]
fn a_home_that_is_none_exits_1() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("home.json");
    for wrong in ["[]", "{", "{\"devices\": 5}"] {
        std::fs::write(&file, wrong).unwrap();
        let output = run(&["ask", "--no-model", "开灯", "--home", file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{wrong}");
        assert!(stderr(&output).starts_with("home: "), "{}", stderr(&output));
    }
    assert_eq!(run(&["ask", "开灯", "--home", "/nonexistent.json"]).status.code(), Some(1));
}

#[test]
fn a_home_is_imported_shown_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().to_str().unwrap();
    let on_store = |arguments: &[&str]| run(&[&["home"], arguments, &["--store", store]].concat());

    assert!(stdout(&on_store(&["show"])).starts_with("no home yet"));
    assert_eq!(on_store(&["export"]).status.code(), Some(1));

    let villa = home("villa.json");
    let output = on_store(&["import", villa.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let closing = stdout(&output);
    assert!(closing.starts_with("revision 1: 107 devices, "), "{closing}");

    let shown = stdout(&on_store(&["show"]));
    assert!(shown.contains("老伙计") && shown.contains("scene-sleep"), "{shown}");

    let exported: Value = serde_json::from_str(&stdout(&on_store(&["export"]))).unwrap();
    let original: Value = serde_json::from_str(&std::fs::read_to_string(villa).unwrap()).unwrap();
    assert_eq!(exported["devices"].as_array().unwrap().len(), original["devices"].as_array().unwrap().len());
    assert_eq!(exported["layout"], original["layout"]);

    let bad = folder.path().join("bad.json");
    std::fs::write(&bad, "{\"devices\": {}}").unwrap();
    assert_eq!(on_store(&["import", bad.to_str().unwrap()]).status.code(), Some(1));
    assert!(stdout(&on_store(&["show"])).contains("revision 1"), "a bad import replaces nothing");
}

#[test]
fn a_store_in_use_is_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let _held = zhiju::store::Store::open(folder.path()).unwrap();
    let output = run(&["home", "show", "--store", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    assert!(message.contains("the daemon is running on this store"), "{message}");
    assert!(message.contains("mosquitto_pub -h 127.0.0.1 -p 1883"), "{message}");
}

#[test]
fn a_store_of_a_newer_version_is_left_alone_and_exits_78() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().to_str().unwrap();
    let villa = home("villa.json");
    assert!(run(&["home", "import", villa.to_str().unwrap(), "--store", store]).status.success());
    let path = folder.path().join("sentinel.json");
    let sentinel = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, sentinel.replace("\"schema\":2", "\"schema\":3")).unwrap();
    for arguments in [&["run"][..], &["home", "show"], &["home", "import", villa.to_str().unwrap()]] {
        let output = run(&[arguments, &["--store", store]].concat());
        assert_eq!(output.status.code(), Some(78), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("schema 3 is newer than 2"), "{}", stderr(&output));
    }
    std::fs::write(&path, sentinel).unwrap();
    assert!(stdout(&run(&["home", "show", "--store", store])).contains("revision 1, 107 devices"));
}

#[tokio::test]
async fn run_serves_until_it_is_told_to_stop() {
    let broker = Broker::embedded().await;
    let folder = tempfile::tempdir().unwrap();
    let address = format!("127.0.0.1:{}", broker.port());
    let arguments = ["run", "--home-id", "home", "--broker", &address, "--store", folder.path().to_str().unwrap()];
    let mut daemon = zhiju().args(arguments).stderr(Stdio::null()).spawn().unwrap();
    let mut client = Client::connect(broker.port(), "watcher").await;
    client.status("online").await;

    let killed = Command::new("kill").args(["-TERM", &daemon.id().to_string()]).status().unwrap();
    assert!(killed.success());
    client.status("offline").await;
    let ended = within("the daemon's end", tokio::task::spawn_blocking(move || daemon.wait())).await;
    assert_eq!(ended.unwrap().unwrap().code(), Some(0));
}

#[test]
fn eval_actions_compares_words_vectors_and_what_ships() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eval/actions.jsonl");
    let output = zhiju().args(["eval", "--actions"]).arg(&file).output().unwrap();
    let text = stdout(&output);
    assert!(output.status.success(), "{text}{}", stderr(&output));
    let lines: Vec<&str> = text.lines().collect();
    for (line, name) in lines.iter().skip(1).zip(["words", "vectors", "ships"]) {
        assert!(line.starts_with(name), "{text}");
    }
    assert!(lines[4].starts_with("actions top1 0.9") && lines[5].starts_with("descriptions top1 0."), "{text}");
}

#[test]
fn a_store_of_another_user_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    // Root can give a folder away; everybody else finds one that is not theirs.
    let given = std::os::unix::fs::chown(folder.path(), Some(12_345), None);
    let foreign = if given.is_ok() { folder.path() } else { Path::new("/usr") };
    // The next thing that `run` would refuse, and not with 1.
    let folder_of_config = tempfile::tempdir().unwrap();
    let config = folder_of_config.path().join("zhiju.yaml");
    std::fs::write(folder_of_config.path().join("lexicon.yaml"), "version: none\n").unwrap();
    std::fs::write(&config, "language: {lexicon: lexicon.yaml}\n").unwrap();
    let villa = home("villa.json");
    let home = |verb: &str| vec!["home".to_owned(), verb.to_owned()];
    for mut arguments in [
        [home("import"), vec![villa.to_str().unwrap().to_owned()]].concat(),
        home("show"),
        home("export"),
        vec!["hard".to_owned()],
        vec!["audit".to_owned()],
        vec!["run".to_owned()],
    ] {
        for (flag, path) in [("--store", foreign), ("--config", &config)] {
            arguments.extend([flag.to_owned(), path.to_str().unwrap().to_owned()]);
        }
        let output = zhiju().args(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let text = stderr(&output);
        assert!(text.contains("sudo -u zhiju") && text.contains("zhiju-store"), "{arguments:?}: {text}");
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}
