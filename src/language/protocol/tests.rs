pub(crate) mod arbitrary;

use proptest::prelude::*;

use super::*;

fn one(text: &str) -> Command {
    let reading = parse_array(&serde_json::to_string(&[text]).unwrap());
    assert_eq!(reading.commands.len(), 1, "{reading:?}");
    reading.commands[0].clone()
}

#[test]
fn the_examples_of_seed_000_read_and_print_to_the_letter() {
    for text in [
        "打开-卧室-顶灯#Light#one",
        "打开-客厅-*#Light#all",
        "设置亮度=50%-卧室-顶灯#Light#one",
        "打开-*,!卧室-*#Light#except",
        "打开-*-@last#Unknown#one",
        "打开-*-*#Light#any#2",
        "打开-客厅,卧室-*#Light#all",
        "打开-*,!卧室,!书房-*#Light#except",
        "UNKNOWN-*-*#Unknown#one",
    ] {
        assert_eq!(one(text).to_string(), text);
    }
}

#[test]
fn a_scope_that_only_excludes_includes_everything() {
    assert_eq!(one("打开-!卧室-*#Light#except"), one("打开-*,!卧室-*#Light#except"));
}

#[test]
fn types_quantifiers_and_counts_are_mended() {
    let reading = parse_array(r#"["打开-客厅-*#Lamp#every#two"]"#);
    assert_eq!(reading.commands[0].to_string(), "打开-客厅-*#Unknown#one");
    assert_eq!(reading.problems.len(), 3);
}

#[test]
fn a_target_without_its_other_slots_is_a_name() {
    let reading = parse_array(r#"["打开-卧室-顶灯"]"#);
    assert_eq!(reading.commands[0].to_string(), "打开-卧室-顶灯#Unknown#one");
    assert_eq!(reading.problems, [ProtocolProblem::Mended { index: 0, what: "TARGET" }]);
    assert!(!reading.problems[0].is_fatal());
}

#[test]
fn what_bounded_a_command_is_not_mended_away_silently() {
    for (text, reasons) in [
        ("关闭-客厅-*#Lamp#all", &["widened"][..]),
        ("关闭-*-@last#Lamp#one", &["widened"]),
        ("打开-客厅-*#Light#any#两", &["widened"]),
        ("打开-客厅-*#Light#any#0", &["widened"]),
        ("打开-客厅-*#Light#every", &["mended"]),
        ("打开-客厅-台灯#Lamp#one", &["mended"]),
    ] {
        let problems = parse_array(&serde_json::to_string(&[text]).unwrap()).problems;
        assert_eq!(problems.iter().map(ProtocolProblem::reason).collect::<Vec<_>>(), reasons, "{text}");
        assert_eq!(problems[0].is_fatal(), reasons == ["widened"], "{text}");
    }
}

#[test]
fn a_condition_that_is_dropped_is_named_as_one() {
    for text in [
        "如果温度>26C，客厅",
        " 否则关闭-客厅",
        "或者-客厅",
        "“要是下雨”",
        "If temperature>26-客厅",
        "如\u{200b}果热-a-b#c",
    ] {
        let reading = parse_array(&serde_json::to_string(&[text, "打开-客厅-*#Light#all"]).unwrap());
        assert_eq!(reading.problems, [ProtocolProblem::Condition { index: 0 }], "{text}");
        assert!(reading.problems[0].is_fatal());
    }
}

#[test]
fn invalid_commands_are_dropped_and_the_valid_kept() {
    let reading = parse_array(r#"["打开-客厅", "关闭-*-@last#Unknown#one", "-*-*#Light#all", "开-*-灯#Light"]"#);
    assert_eq!(reading.commands.len(), 1);
    assert_eq!(reading.commands[0].to_string(), "关闭-*-@last#Unknown#one");
    assert_eq!(reading.problems.len(), 3);
}

#[test]
fn what_is_no_array_of_strings_degrades_to_unknown() {
    for text in ["", "好的", "{}", "[]", "[1]", r#"{"a":["打开-*-*#Light#all"]}"#, r#"好的：["打开-*-*#Light#all"]"#]
    {
        let reading = parse_array(text);
        assert_eq!(reading.commands, vec![Command::unknown()], "{text}");
        assert!(!reading.problems.is_empty());
    }
}

#[test]
fn separators_in_names_become_spaces_and_reserved_names_stay_names() {
    assert_eq!(Name::named("灯-2#a"), Name::Named("灯 2 a".into()));
    assert_eq!(Name::named("@last"), Name::Named("＠last".into()));
    assert_eq!(Name::named("*"), Name::Named("＊".into()));
}

fn any_command() -> impl Strategy<Value = Command> {
    let name = prop_oneof![Just(Name::Any), Just(Name::Last), ".{0,12}".prop_map(|s| Name::named(&s))];
    let slots = (".{0,12}", proptest::collection::vec(".{0,6}", 0..3), proptest::collection::vec(".{0,6}", 0..3));
    (slots, name, 0..12usize, 0..4usize, proptest::option::of(1..100u32)).prop_map(
        |((action, include, exclude), name, kind, quantifier, count)| {
            let scope = Scope::new(include.iter().map(String::as_str), exclude.iter().map(String::as_str));
            let quantifier = [Quantifier::One, Quantifier::All, Quantifier::Any, Quantifier::Except][quantifier];
            Command::new(&action, scope, Target { name, kind: Type::ALL[kind], quantifier, count })
        },
    )
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_the_same(command in any_command()) {
        let reading = parse_array(&print_array(std::slice::from_ref(&command)));
        prop_assert_eq!(reading.commands, vec![command]);
        prop_assert_eq!(reading.problems, vec![]);
    }

    #[test]
    fn no_text_breaks_the_parser(text in ".{0,200}") {
        prop_assert!(!parse_array(&text).commands.is_empty());
    }
}
