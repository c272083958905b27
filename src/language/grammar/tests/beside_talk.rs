//! What is told beside what is said to somebody, of how things are, of what stays, and of when something else is.

use super::*;

/// A kitchen whose hood has a lamp of its own, and a fan with a sound.
fn kitchen() -> Vocabulary {
    let power = json!({"type": "bool", "describe": "电源"});
    let document = json!({
        "layout": [{"name": "厨房"}, {"name": "客厅"}],
        "model": {
            "hood": {"name": "hood", "describe": "油烟机", "property": {
                "power": power, "light": {"type": "bool", "describe": "照明"},
                "speed": {"type": "uint", "min": 1, "max": 3, "unit": "档", "describe": "风速"}}},
            "lamp": {"name": "lamp", "describe": "灯", "property": {"power": power}},
            "tv": {"name": "television", "describe": "电视", "property": {
                "power": power, "volume": {"type": "uint", "min": 0, "max": 100, "unit": "%", "describe": "音量"}}},
            "washer": {"name": "washer", "describe": "洗衣机", "property": {
                "run": {"type": "enum", "describe": "运行", "range": ["start", "pause"]}}},
            "blind": {"name": "blind", "describe": "窗帘", "property": {
                "position": {"type": "uint", "min": 0, "max": 100, "unit": "%", "describe": "开合度"}}}
        },
        "devices": [
            {"id": "1", "name": "油烟机", "local": "厨房", "device": {"model": "hood", "state": {}}},
            {"id": "2", "name": "厨房灯", "local": "厨房", "device": {"model": "lamp", "state": {}}},
            {"id": "3", "name": "电视", "local": "客厅", "device": {"model": "tv", "state": {}}},
            {"id": "4", "name": "洗衣机", "local": "客厅", "device": {"model": "washer", "state": {}}},
            {"id": "5", "name": "窗帘", "local": "客厅", "device": {"model": "blind", "state": {}}}
        ]
    });
    let (home, report) = crate::home::parse(&document).unwrap();
    assert_eq!(report.rejected, []);
    Vocabulary::new(Arc::clone(&vocabulary().lexicon), Arc::new(home))
}

#[test]
fn the_lamp_of_a_thing_is_its_own_where_the_words_say_so() {
    let kitchen = kitchen();
    for (sentence, told) in [
        ("油烟机上头那个灯关了", "油烟机的照明关了"),
        ("油烟机太亮，只关灯", "油烟机的照明关了"),
        ("油烟机开二档，把里面的灯打开", "油烟机开二档，把油烟机的照明打开"),
        ("油烟机打开，灯也打开", "油烟机打开，油烟机的照明也打开"),
        ("电视打开，灯也打开", "电视打开，灯打开"),
        ("油烟机打开，厨房灯也打开", "油烟机打开，厨房灯打开"),
    ] {
        assert_eq!(said(sentence, &kitchen), said(told, &kitchen), "{sentence}");
    }
}

#[test]
fn what_goes_on_and_what_is_lowered_is_of_what_stands_beside_it() {
    let kitchen = kitchen();
    assert_eq!(said("洗衣机继续洗", &kitchen), ["继续洗-*-*#Washer#all"]);
    assert_eq!(said("把电视声音放低点", &kitchen), said("把电视声音调低点", &kitchen));
    assert_eq!(said("把窗帘放低", &kitchen), said("把窗帘放下", &kitchen));
}

#[test]
fn one_of_two_is_asked_for_and_not_set() {
    let kitchen = kitchen();
    assert_eq!(said("电视音量是六十还是八十", &kitchen), said("电视音量是多少", &kitchen));
    let asked = said("窗帘是拉上的还是拉开的", &kitchen);
    assert!(asked.iter().all(|command| command.starts_with("查询")), "{asked:?}");
}

#[test]
fn what_stays_and_is_not_understood_holds_back_what_all_are_told() {
    for sentence in ["灯都关了，那个叽里咕噜的留着", "灯都关了 叽里咕噜里头的别关我要用"]
    {
        let parse = parse(sentence, vocabulary(), &speaker());
        assert!(!matches!(parse, Parse::Orders(_)), "{sentence}: {parse:?}");
    }
    for sentence in ["灯都关了，卧室的留着等爸爸回来", "灯全关卧室的留着我还没睡"] {
        assert_eq!(commands(sentence), commands("灯都关了，卧室的留着"), "{sentence}");
    }
}

#[test]
fn behind_a_word_to_somebody_the_home_is_told_something_unless_they_are() {
    assert_eq!(commands("妈你这汤咸了，顶灯打开"), commands("顶灯打开"));
    for sentence in ["妈，顶灯打开", "妈你这汤咸了，你把顶灯打开"] {
        assert_eq!(parse(sentence, vocabulary(), &speaker()), Parse::Rejected(Rejection::OtherAddressee), "{sentence}");
    }
}

#[test]
fn when_somebody_else_does_something_is_not_when_it_is_done() {
    // Whoever looks for the command beside it finds one without a time.
    let sentence = "你五点就要出车还刷手机，顶灯关了";
    assert_eq!(parse(sentence, vocabulary(), &speaker()), Parse::Rejected(Rejection::Later));
    assert_eq!(commands("面膜要敷十五分钟，顶灯关了"), commands("顶灯关了"));
    assert_eq!(commands("八点半了，顶灯关了"), commands("顶灯关了"));
}

#[test]
fn what_comes_of_it_and_what_was_once_done_is_told_and_nothing_to_do() {
    for sentence in ["空调一开我就冷", "空调我开过一回", "空调打开过了", "顶灯关了，唉不用，下着雨呢"]
    {
        let parse = parse(sentence, vocabulary(), &speaker());
        assert!(matches!(parse, Parse::Rejected(_)), "{sentence}: {parse:?}");
    }
}

#[test]
fn in_a_home_on_one_floor_those_below_are_people() {
    let kitchen = kitchen();
    assert_eq!(said("电视关了吧楼下都来敲门了", &kitchen), said("电视关了", &kitchen));
}

#[test]
fn what_shall_not_come_of_it_is_nothing_to_do() {
    for (sentence, told) in [("顶灯关了，省得晃眼", "顶灯关了"), ("空调关了免得感冒", "空调关了")]
    {
        assert_eq!(commands(sentence), commands(told), "{sentence}");
    }
}

#[test]
fn one_thing_is_told_amid_talk_of_nothing_of_the_home() {
    assert_eq!(commands("豆角先焯水，藕莫切太小了，顶灯打开，蒜苗香得很"), commands("顶灯打开"));
    for sentence in [
        // Taken back, somebody's words, more that is not understood, and how it is.
        "豆角先焯水，藕莫切太小了，顶灯打开，不对，是那个叽里咕噜",
        "豆角先焯水，藕莫切太小了，歌里唱，顶灯打开",
        "豆角先焯水，藕莫切太小了，顶灯打开，把叽里咕噜也弄上",
        "豆角先焯水，藕莫切太小了，顶灯晃眼",
    ] {
        let parse = parse(sentence, vocabulary(), &speaker());
        assert!(!matches!(parse, Parse::Orders(_)), "{sentence}: {parse:?}");
    }
}
