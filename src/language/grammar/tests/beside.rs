//! What stands side by side without a pause.

use super::*;

#[test]
fn behind_a_thing_that_has_modes_a_scene_s_name_is_a_mode_and_no_scene() {
    // It does not have this one, and nothing is switched on for it.
    assert_eq!(commands("打开空调回家模式"), ["设置=回家模式-*-*#AirConditioner#all"]);
    let expected = ["打开-*-*#AirConditioner#all", "设置=回家模式-*-*#AirConditioner#all"];
    assert_eq!(commands("把空调打开回家模式"), expected);
    assert_eq!(commands("打开空调，回家模式"), ["打开-*-*#AirConditioner#all", "打开-*-回家模式#Unknown#one"]);
    assert_eq!(commands("打开空调和回家模式").len(), 2);
}

#[test]
fn what_is_only_on_or_off_takes_no_number() {
    let fan =
        json!({"power": {"type": "bool"}, "swing": {"type": "bool"}, "level": {"type": "uint", "min": 1, "max": 3}});
    let document = json!({
        "layout": [{"name": "客厅"}],
        "model": {"fan": {"name": "fan", "describe": "风扇", "property": fan}},
        "devices": [{"id": "1", "name": "风扇", "local": "客厅", "device": {"model": "fan", "state": {}}}]
    });
    let (home, _) = crate::home::parse(&document).unwrap();
    let vocabulary = Vocabulary::new(Arc::clone(&vocabulary().lexicon), Arc::new(home));
    for sentence in ["风扇摇头，二档", "风扇摇头二档"] {
        let Parse::Orders(orders) = parse(sentence, &vocabulary, &speaker()) else { panic!("{sentence}") };
        let commands: Vec<_> = orders.iter().map(|o| encode(o, &vocabulary).to_string()).collect();
        assert_eq!(commands, ["设置摇头=打开-*-*#Fan#all", "设置=2档-*-*#Fan#all"], "{sentence}");
    }
}

#[test]
fn a_property_that_is_stepped_behind_a_verb_is_not_what_the_verb_does() {
    let expected = ["打开-*-*#AirConditioner#all", "调高风速=一点-*-*#AirConditioner#all"];
    assert_eq!(commands("空调开起来风大点"), expected);
    assert_eq!(commands("空调打开，风大一点"), expected);
}

#[test]
fn a_part_that_nobody_knows_is_not_the_thing_that_it_is_of() {
    for sentence in ["空调面板灯光关掉", "关闭空调面板灯光", "把客厅空调的面板灯光关了", "关闭空调显示灯"]
    {
        let parse = parse(sentence, vocabulary(), &speaker());
        let Parse::Orders(orders) = &parse else { continue };
        let commands: Vec<_> = orders.iter().map(|o| encode(o, vocabulary()).to_string()).collect();
        assert!(commands.iter().all(|c| !c.contains("AirConditioner")), "{sentence}: {commands:?}");
    }
}
