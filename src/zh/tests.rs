use super::load::Data;
use super::*;

/// What is wrong with a text that is laid over the lexicon, as far as that can be wrong in any file.
fn refused(text: &str) -> String {
    Sources::text(&LEXICON, text).unwrap_err().to_string()
}

fn tree(data: &Data) -> serde_yaml::Value {
    data.read().unwrap()
}

#[test]
fn every_file_that_ships_is_sound() {
    for file in FILES {
        Sources::default().data(file).unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(NOT_OWNED.iter().all(|owned| FILES.iter().any(|file| file.name == owned.name)));
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/zh");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name.ends_with(".rs") || FILES.iter().any(|file| file.name == name), "nobody reads {name}");
    }
}

#[test]
fn a_key_that_stands_twice_is_named() {
    let error = refused("kinds:\n  light: {words: [灯]}\n  light: {words: [灯]}\n");
    assert!(error.starts_with("own lexicon.yaml: ") && error.contains("light"), "{error}");
}

#[test]
fn words_that_are_empty_or_stand_twice_are_named_with_their_paths() {
    let error = refused("kinds: {light: {words: [灯, ' ', 灯]}}\nset: {words: ['']}");
    assert_eq!(
        error,
        "own lexicon.yaml: kinds.light.words[1]: the word is empty; \
         own lexicon.yaml: kinds.light.words: `灯` stands there twice; \
         own lexicon.yaml: set.words[0]: the word is empty"
    );
}

#[test]
fn what_is_no_yaml_or_has_another_tag_is_named() {
    assert!(refused("kinds: [").starts_with("own lexicon.yaml: "));
    assert_eq!(refused("so: !add [好]"), "own lexicon.yaml: so: the tag !add means nothing, only !replace does");
}

#[test]
fn what_has_another_shape_is_named_with_its_path() {
    let data = Sources::text(&TIME, "clock: {half: [半儿]}").unwrap().data(&TIME).unwrap();
    let error = data.read::<std::collections::BTreeMap<String, Vec<String>>>().unwrap_err().to_string();
    assert!(error.starts_with("own time.yaml: days: "), "{error}");
}

#[test]
fn entries_join_lists_grow_and_all_else_is_replaced() {
    let data = Sources::text(&SHARE, "device: 东西\nroom: !replace [间]\nnew: {a: [x]}").unwrap().data(&SHARE).unwrap();
    let tree = tree(&data);
    assert_eq!((&tree["device"], &tree["home"]), (&"东西".into(), &"家".into()));
    assert_eq!((&tree["room"][0], &tree["new"]["a"][0]), (&"间".into(), &"x".into()));
    let data = Sources::text(&PHRASING, "things: [机器, 铁疙瘩]").unwrap().data(&PHRASING).unwrap();
    let things: Vec<String> = serde_yaml::from_value(self::tree(&data)["things"].clone()).unwrap();
    assert!(things.iter().filter(|thing| *thing == "机器").count() == 1 && things.ends_with(&["铁疙瘩".to_owned()]));
}

#[test]
fn a_folder_is_read_by_the_names_of_the_files_that_ship() {
    let folder = tempfile::tempdir().unwrap();
    let own = OwnFiles { folder: Some(folder.path().to_owned()), ..OwnFiles::default() };
    std::fs::write(folder.path().join(".gitignore"), "anything").unwrap();
    std::fs::write(folder.path().join("replies.yaml"), "none: 啥？").unwrap();
    let sources = Sources::read(&own).unwrap();
    assert_eq!(tree(&sources.data(&REPLIES).unwrap())["none"], "啥？");
    for (name, why) in [
        ("lexikon.yaml", "no file of the language is called so"),
        ("prompt.txt", "no file of the language is called so"),
        ("notes", "no file of the language is called so"),
        ("protocol.yaml", "nothing can be laid over this file of the language"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, "").unwrap();
        let error = Sources::read(&own).unwrap_err().to_string();
        assert_eq!(error, format!("{}: {why}", path.display()));
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn no_list_of_the_phrasing_is_empty() {
    let Phrasing { things, before, how_much, pointers, measures, no_description, quantity, hollow, no_wish } =
        Texts::default().phrasing;
    assert!([things, before, how_much].iter().all(|list| !list.is_empty()));
    for set in [pointers, measures, no_description, quantity, hollow, no_wish, assistant()] {
        assert!(!set.is_empty() && set.chars().all(char::is_alphabetic), "{set}");
    }
}

/// What an owner says in place of what ships, whichever file it stands in.
#[test]
fn every_text_of_the_language_can_be_laid_over() {
    let folder = tempfile::tempdir().unwrap();
    let own = OwnFiles { folder: Some(folder.path().to_owned()), ..OwnFiles::default() };
    for (name, text) in [
        ("phrasing.yaml", "things: [铁疙瘩]"),
        ("failures.yaml", "timeout: 太慢了。"),
        ("models.yaml", "rooms: 屋"),
        ("tools.yaml", "tools: {home_command: {title: 发话}}"),
        ("hot_words.yaml", "[整一个]"),
        ("share.yaml", "room: 屋"),
        ("prompt.md", "<!-- 我的 -->\n只说命令。\n"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let texts = Texts::of(&Sources::read(&own).unwrap()).unwrap();
    assert!(texts.phrasing.things.len() > 1 && texts.phrasing.things.contains(&"铁疙瘩".to_owned()));
    assert_eq!((texts.failures.timeout.as_str(), texts.told.rooms.as_str()), ("太慢了。", "屋"));
    assert_eq!((texts.tools.tools["home_command"].title.as_str(), texts.share.room.as_str()), ("发话", "屋"));
    assert!(texts.hot_words.len() > 1 && texts.hot_words.contains(&"整一个".to_owned()));
    assert_eq!(texts.rules, "只说命令。\n");
    for (file, text, problem) in [
        (TOOLS, "tools: {home_commands: {title: 发话, description: 无}}", "tools: there is no tool `home_commands`"),
        (TOOLS, "tools: !replace {}", "tools: there must be a tool `home_command`"),
        (FAILURES, "too_late: 太慢了。", "too_late: unknown field"),
        (PROMPT, " \n", "the word is empty"),
    ] {
        let told = Sources::text(&file, text).and_then(|own| Texts::of(&own)).unwrap_err().to_string();
        assert!(told.starts_with(&format!("own {}: {problem}", file.name)), "{told}");
    }
}
