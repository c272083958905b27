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
    assert!(OWNED.iter().all(|owned| FILES.iter().any(|file| file.name == owned.name)));
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
    std::fs::write(folder.path().join("notes.txt"), "anything").unwrap();
    std::fs::write(folder.path().join("replies.yaml"), "none: 啥？").unwrap();
    let sources = Sources::read(&own).unwrap();
    assert_eq!(tree(&sources.data(&REPLIES).unwrap())["none"], "啥？");
    for name in ["lexikon.yaml", "share.yaml"] {
        let path = folder.path().join(name);
        std::fs::write(&path, "").unwrap();
        let error = Sources::read(&own).unwrap_err().to_string();
        assert_eq!(error, format!("{}: no file of the language is called so", path.display()));
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn no_list_of_the_phrasing_is_empty() {
    let Phrasing { pointers, measures, no_description, quantity, hollow, no_wish, assistant, .. } = phrasing();
    let Phrasing { things, before, how_much, conditions, .. } = phrasing();
    assert!([things, before, how_much, conditions].iter().all(|list| !list.is_empty()));
    for set in [pointers, measures, no_description, quantity, hollow, no_wish, assistant] {
        assert!(!set.is_empty() && set.chars().all(char::is_alphabetic), "{set}");
    }
}
