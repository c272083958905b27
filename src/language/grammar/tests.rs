//! The scenarios of seeds 000 and 001, and the ways people say the same.

mod apart;
mod awaited;
mod beside;
mod beside_talk;
mod ceases;
mod evidence;
mod later;
mod leave;
mod left_out;
mod meant;
mod named;
mod others;
mod paused;
mod regions;
mod spoken_of;
mod strung;
mod unseen;
mod wrapped;
mod wrong_moves;

use std::sync::{Arc, LazyLock};

use serde_json::json;

use super::{Doing, JobAsk, Parse, Rejection, SpeakerContext, Which, parse};
use crate::language::lexicon::Lexicon;
use crate::language::protocol::{self, encode};
use crate::language::vocabulary::Vocabulary;

/// The words of a family's home.
pub(super) static FAMILY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let document = include_str!("../../../tests/homes/family.json");
    let (home, _) = crate::home::parse(&serde_json::from_str(document).unwrap()).unwrap();
    Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home))
});

/// What a sentence is in the living room of a family.
pub(super) fn at_home(sentence: &str) -> Parse {
    parse(sentence, &FAMILY, &SpeakerContext { local: Some(0), ..SpeakerContext::default() })
}

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(build);

fn vocabulary() -> &'static Vocabulary {
    &VOCABULARY
}

fn build() -> Vocabulary {
    let dimmer = json!({"power": {"type": "bool"}, "level": {"type": "uint", "min": 0, "max": 100, "unit": "%"}});
    let document = json!({
        "layout": [
            {"name": "客厅", "floor": "一楼"}, {"name": "卧室", "floor": "二楼"}, {"name": "书房", "floor": "二楼"},
            {"name": "餐厅", "floor": "一楼"}
        ],
        "model": {
            "lamp": {"name": "lamp", "describe": "调光灯", "property": dimmer},
            "ac": {"name": "ac", "describe": "空调", "property": {
                "power": {"type": "bool"},
                "temperature": {"type": "uint", "min": 16, "max": 30, "unit": "C"},
                "mode": {"type": "enum", "range": [{"value": "cool", "describe": "制冷"}, {"value": "heat", "describe": "制热"}]}
            }}
        },
        "devices": [
            {"id": "1", "name": "顶灯", "local": "卧室", "device": {"model": "lamp", "state": {}}},
            {"id": "2", "name": "床头灯", "local": "卧室", "device": {"model": "lamp", "state": {}}},
            {"id": "3", "name": "老伙计", "local": "客厅", "aliases": ["老台灯"], "device": {"model": "lamp", "state": {}}},
            {"id": "4", "name": "空调", "local": "客厅", "device": {"model": "ac", "state": {}}}
        ],
        "scenes": [{"id": "s", "name": "回家模式", "actions": [{"id": "1", "state": {"power": true}}]}]
    });
    let (home, report) = crate::home::parse(&document).unwrap();
    assert_eq!(report.rejected, []);
    Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home))
}

fn speaker() -> SpeakerContext {
    SpeakerContext { local: Some(0), names: vec!["小牛".into()], others: vec![] }
}

fn commands(sentence: &str) -> Vec<String> {
    said(sentence, vocabulary())
}

/// The commands of a sentence that is understood.
fn said(sentence: &str, vocabulary: &Vocabulary) -> Vec<String> {
    match parse(sentence, vocabulary, &speaker()) {
        Parse::Orders(orders) => orders.iter().map(|o| encode(o, vocabulary).to_string()).collect(),
        other => panic!("{sentence}: {other:?}"),
    }
}

fn rejection(sentence: &str) -> Rejection {
    match parse(sentence, vocabulary(), &speaker()) {
        Parse::Rejected(rejection) => rejection,
        other => panic!("{sentence}: {other:?}"),
    }
}

#[test]
fn a_named_device_of_a_room_is_one_command() {
    assert_eq!(commands("打开卧室的顶灯"), ["打开-卧室-顶灯#Light#one"]);
    assert_eq!(commands("小牛，麻烦你帮我把卧室的顶灯打开一下吧"), ["打开-卧室-顶灯#Light#one"]);
}

#[test]
fn a_type_without_a_quantifier_means_all() {
    assert_eq!(commands("打开客厅的灯"), ["打开-客厅-*#Light#all"]);
    assert_eq!(commands("打开灯"), ["打开-*-*#Light#all"]);
}

#[test]
fn two_actions_on_one_target_are_two_commands() {
    assert_eq!(commands("打开卧室顶灯调到50%"), ["打开-卧室-顶灯#Light#one", "设置亮度=50%-卧室-顶灯#Light#one"]);
}

#[test]
fn two_targets_are_two_commands_of_the_same_action() {
    assert_eq!(commands("打开卧室顶灯和床头灯"), ["打开-卧室-顶灯#Light#one", "打开-卧室-床头灯#Light#one"]);
}

#[test]
fn steps_come_out_in_the_order_of_the_sentence() {
    let expected = ["打开-卧室-顶灯#Light#one", "关闭-客厅-*#Light#all"];
    assert_eq!(commands("打开卧室顶灯然后关闭客厅灯"), expected);
    assert_eq!(commands("先打开卧室顶灯，再把客厅的灯关了"), expected);
    assert_eq!(commands("卧室开顶灯客厅关灯"), expected);
}

#[test]
fn what_is_left_out_is_in_scope_and_quantifier() {
    assert_eq!(commands("打开除卧室以外的灯"), ["打开-*,!卧室-*#Light#except"]);
    assert_eq!(commands("除了卧室，其他灯都打开"), ["打开-*,!卧室-*#Light#except"]);
    assert_eq!(commands("除了卧室和书房之外所有的灯都打开"), ["打开-*,!卧室,!书房-*#Light#except"]);
}

#[test]
fn references_are_last() {
    assert_eq!(commands("打开它"), ["打开-*-@last#Unknown#one"]);
    assert_eq!(commands("把那个关了"), ["关闭-*-@last#Unknown#one"]);
}

#[test]
fn a_number_of_devices_is_any_of_so_many() {
    assert_eq!(commands("打开两盏灯"), ["打开-*-*#Light#any#2"]);
    assert_eq!(commands("随便打开一盏灯"), ["打开-*-*#Light#any#1"]);
}

#[test]
fn a_few_are_any_without_a_number() {
    assert_eq!(commands("打开几盏灯"), ["打开-*-*#Light#any"]);
    assert_eq!(commands("随便打开几盏灯"), ["打开-*-*#Light#any"]);
    assert_eq!(commands("打开俩灯"), ["打开-*-*#Light#any#2"]);
    assert_eq!(commands("哪个灯都行，打开一个"), ["打开-*-*#Light#any#1"]);
}

#[test]
fn the_one_before_is_what_was_mentioned_last() {
    assert_eq!(commands("打开上一个"), ["打开-*-@last#Unknown#one"]);
    assert_eq!(commands("关闭上一个"), ["关闭-*-@last#Unknown#one"]);
    assert_eq!(commands("打开那个东西"), ["打开-*-@last#Unknown#one"]);
}

#[test]
fn several_rooms_are_left_out_by_what_stands_behind_them() {
    for sentence in ["打开卧室和客厅以外的灯", "打开除了卧室和客厅以外的灯"] {
        assert_eq!(commands(sentence), ["打开-*,!卧室,!客厅-*#Light#except"], "{sentence}");
    }
}

#[test]
fn several_rooms_share_what_follows_them() {
    assert_eq!(commands("打开客厅和卧室的灯"), ["打开-客厅,卧室-*#Light#all"]);
    assert_eq!(commands("把二楼的灯都关掉"), ["关闭-二楼-*#Light#all"]);
}

#[test]
fn values_are_written_with_their_units() {
    assert_eq!(commands("空调调到二十六度"), ["设置温度=26C-*-*#AirConditioner#all"]);
    assert_eq!(commands("卧室顶灯亮度百分之三十"), ["设置亮度=30%-卧室-顶灯#Light#one"]);
    assert_eq!(commands("老伙计调到八成"), ["设置亮度=80%-*-老伙计#Light#one"]);
    assert_eq!(commands("空调调高两度"), ["调高温度=2C-*-*#AirConditioner#all"]);
    assert_eq!(commands("把老伙计调暗一点"), ["调低亮度=一点-*-老伙计#Light#one"]);
}

#[test]
fn later_clauses_are_about_what_came_before() {
    assert_eq!(
        commands("把空调打开，制冷，24度"),
        ["打开-*-*#AirConditioner#all", "设置=制冷-*-*#AirConditioner#all", "设置温度=24C-*-*#AirConditioner#all"]
    );
    assert_eq!(commands("客厅开灯，卧室也开"), ["打开-客厅-*#Light#all", "打开-卧室-*#Light#all"]);
}

#[test]
fn a_correction_replaces_what_it_corrects() {
    assert_eq!(commands("先把灯打开，不，还是关掉"), ["关闭-*-*#Light#all"]);
    assert_eq!(commands("打开客厅的灯，不对，卧室的"), ["打开-卧室-*#Light#all"]);
    assert_eq!(commands("打开灯，啊不是，打开空调"), ["打开-*-*#AirConditioner#all"]);
    assert_eq!(commands("打开客厅的灯，不是，卧室的灯"), ["打开-卧室-*#Light#all"]);
}

#[test]
fn what_is_denied_by_name_is_taken_back() {
    assert_eq!(commands("顶灯关了，不是顶灯，是空调关了"), ["关闭-*-*#AirConditioner#all"]);
    assert_eq!(commands("把客厅，不对，把卧室的空调关了"), ["关闭-卧室-*#AirConditioner#all"]);
    assert_eq!(commands("灯，说错了，空调打开"), ["打开-*-*#AirConditioner#all"]);
}

#[test]
fn whether_a_denial_corrects_or_sets_a_contrast_is_asked() {
    for sentence in ["打开客厅的灯，不是卧室的灯", "打开客厅的灯不是卧室的灯", "打开空调，不是打开灯"]
    {
        assert!(matches!(parse(sentence, vocabulary(), &speaker()), Parse::Unsure(..)), "{sentence}");
    }
}

#[test]
fn a_condition_is_a_command_of_its_own_before_what_it_guards() {
    assert_eq!(
        commands("如果客厅温度超过26度就打开空调"),
        ["如果温度>26C-客厅-*#Unknown#one", "打开-*-*#AirConditioner#all"]
    );
}

#[test]
fn questions_ask_and_move_nothing() {
    assert_eq!(commands("卧室的顶灯开着吗"), ["查询状态=开着-卧室-顶灯#Light#one"]);
    assert_eq!(commands("客厅现在多少度"), ["查询温度-客厅-*#Unknown#all"]);
    assert_eq!(commands("哪些灯开着"), ["查询哪些=开着-*-*#Light#all"]);
}

#[test]
fn homophones_of_names_are_heard() {
    assert_eq!(commands("打开老火计"), ["打开-*-老伙计#Light#one"]);
    assert_eq!(commands("打开空条"), ["打开-*-*#AirConditioner#all"]);
}

#[test]
fn talk_is_heard_as_a_question_at_most() {
    assert_eq!(commands("有夺少灯是开着的"), commands("有多少灯是开着的"));
    assert_eq!(rejection("卧室的登是开着的"), Rejection::Talk);
}

#[test]
fn plain_talk_is_not_heard_as_a_command() {
    assert_eq!(rejection("床头灯太高了"), Rejection::Chatter);
    assert!(!matches!(parse("给我来个自懂的", vocabulary(), &speaker()), Parse::Orders(_)), "自动, of what?");
}

#[test]
fn speech_that_tells_nothing_is_silent() {
    for sentence in ["昨天我打开了客厅的灯", "他说把灯关了", "我打开了灯", "空调一直开着费电吗", "灯打开就好了"]
    {
        assert_eq!(rejection(sentence), Rejection::Talk, "{sentence}");
    }
    for sentence in ["先不要开空调", "别关灯", "千万别打开空调"] {
        assert_eq!(rejection(sentence), Rejection::Negated, "{sentence}");
    }
    for sentence in ["小爱，开灯", "妈妈，帮我开灯", "天猫精灵打开空调"] {
        assert_eq!(rejection(sentence), Rejection::OtherAddressee, "{sentence}");
    }
    for sentence in ["天黑了以后开灯", "十分钟以内关灯"] {
        assert_eq!(rejection(sentence), Rejection::Later, "{sentence}");
    }
    for sentence in ["提醒我八点关灯", "七点叫我起床"] {
        assert_eq!(rejection(sentence), Rejection::Chatter, "{sentence}");
    }
    for sentence in ["", "今天天气不错", "给我讲个笑话", "嗯嗯那个什么", "……"] {
        assert_eq!(rejection(sentence), Rejection::Chatter, "{sentence}");
    }
}

#[test]
fn who_ends_a_silence_does_not_ask_for_it() {
    for sentence in ["取消电视静音", "把电视的静音取消", "关掉电视静音", "停止电视的静音", "把电视的静音关掉"]
    {
        assert_eq!(commands(sentence), ["取消静音-*-*#Television#all"], "{sentence}");
    }
    assert_eq!(commands("关掉静音的电视").len(), 1);
    assert_eq!(commands("关掉电视，静音").len(), 2);
    assert_eq!(commands("电视静音"), ["静音-*-*#Television#all"]);
}

#[test]
fn what_no_word_explains_makes_the_grammar_unsure() {
    assert!(matches!(parse("xyz打开qwerty的灯吧", vocabulary(), &speaker()), Parse::Unsure(..)));
}

#[test]
fn every_action_the_grammar_writes_reads_back_and_writes_the_same() {
    let vocabulary = vocabulary();
    let sentences = [
        "打开灯",
        "空调调到26度",
        "灯调到一半",
        "调高音量",
        "灯调暖一点",
        "空调调成制热",
        "灯调到最亮",
        "哪些灯开着",
        "有几盏灯开着",
        "客厅温度多少",
        "如果客厅温度低于18度就打开空调",
        "如果客厅没人就关灯",
        "如果客厅超过26度或者书房不到20度就关灯",
        "哪个房间最热",
        "客厅比书房热吗",
        "有几个房间超过26度",
        "有没有灯亮着",
        "有哪些场景",
        "风扇摇头",
    ];
    for sentence in sentences {
        for command in commands(sentence) {
            let action = command.split('-').next().unwrap().to_owned();
            let read = protocol::read_action(&action, &vocabulary.lexicon);
            let read = read.unwrap_or_else(|| panic!("{sentence}: {action} means nothing"));
            assert_eq!(protocol::write_action(&read, &vocabulary.lexicon), action, "{sentence}");
        }
    }
}

#[test]
fn a_relative_clause_says_which_of_them() {
    let only = |sentence: &str| match parse(sentence, vocabulary(), &speaker()) {
        Parse::Orders(orders) => {
            orders[0].filter.as_ref().map(|only| protocol::write_condition(only, &vocabulary().lexicon))
        }
        other => panic!("{sentence}: {other:?}"),
    };
    assert_eq!(only("把亮着的灯关掉").as_deref(), Some("状态=开着"));
    assert_eq!(only("没关的灯都关上").as_deref(), Some("状态≠关着"));
    assert_eq!(only("最亮的那盏灯关了").as_deref(), Some("亮度=最大"));
    assert_eq!(only("打开客厅的灯"), None);
    assert_eq!(commands("最热的房间开空调"), ["打开-温度=最大的房间-*#AirConditioner#all"]);
    assert_eq!(commands("温度超过26度的房间把空调打开"), ["打开-温度>26C的房间-*#AirConditioner#all"]);
    assert_eq!(commands("有人的房间开灯"), ["打开-状态=有人的房间-*#Light#all"]);
}

#[test]
fn questions_ask_for_rooms_counts_and_comparisons() {
    assert_eq!(commands("哪个房间最热"), ["查询温度=最大-*-房间#Unknown#all"]);
    assert_eq!(commands("卧室和书房哪个更热"), ["查询温度=最大-卧室,书房-*#Unknown#all"]);
    assert_eq!(commands("卧室比书房热吗"), ["查询温度=更高-卧室,书房-*#Unknown#all"]);
    assert_eq!(commands("卧室有几盏灯"), ["查询个数-卧室-*#Light#all"]);
    assert_eq!(commands("家里一共几台空调"), ["查询个数-*-*#AirConditioner#all"]);
    assert_eq!(commands("有哪些场景"), ["查询列表-*-场景#Unknown#all"]);
    assert_eq!(commands("有没有灯没关"), ["查询有无=开着-*-*#Light#all"]);
    assert_eq!(commands("客厅热不热"), ["查询温度-客厅-*#Unknown#all"]);
    assert_eq!(commands("客厅到26度了吗"), ["查询状态=温度≥26C-客厅-*#Unknown#all"]);
}

#[test]
fn conditions_join_and_turn_around() {
    assert_eq!(
        commands("如果客厅超过26度而且书房没人就关灯"),
        ["如果温度>26C-客厅-*#Unknown#one", "如果状态≠有人-书房-*#Unknown#one", "关闭-*-*#Light#all"]
    );
    assert_eq!(commands("如果客厅超过26度或者书房有人就关灯")[1], "或者状态=有人-书房-*#Unknown#one");
    // Not both is one of them not.
    assert_eq!(
        commands("如果客厅超过26度而且书房有人就关灯，否则开灯")[3..],
        ["如果温度≤26C-客厅-*#Unknown#one", "或者状态≠有人-书房-*#Unknown#one", "打开-*-*#Light#all"]
    );
    for sentence in ["除非书房有人，否则把顶灯关掉", "把顶灯关掉，除非书房有人"] {
        assert_eq!(commands(sentence), ["如果状态≠有人-书房-*#Unknown#one", "关闭-*-顶灯#Light#one"], "{sentence}");
    }
    for sentence in ["每次有人就开灯", "有人的时候开灯", "一有人就开灯", "一旦客厅超过26度就打开空调"]
    {
        assert!(matches!(rejection(sentence), Rejection::Standing | Rejection::Later), "{sentence}");
    }
}

#[test]
fn reasons_tell_nothing_but_what_they_are_about() {
    assert_eq!(commands("太暗了，把顶灯打开"), ["打开-*-顶灯#Light#one"]);
    assert_eq!(commands("把顶灯打开，我要看书"), ["打开-*-顶灯#Light#one"]);
    assert_eq!(commands("卧室没人，把灯关了"), ["关闭-卧室-*#Light#all"]);
    assert_eq!(commands("空调还开着呢，关了吧"), ["关闭-*-*#AirConditioner#all"]);
    // A reason alone tells nothing to do.
    assert!(!matches!(parse("孩子睡了", vocabulary(), &speaker()), Parse::Orders(_)));
}

#[test]
fn a_place_said_after_the_verb_is_where() {
    for sentence in ["打开灯在书房里", "把灯打开，在书房里", "灯在书房打开", "书房把灯打开"]
    {
        assert_eq!(commands(sentence), ["打开-书房-*#Light#all"], "{sentence}");
    }
}

#[test]
fn the_trace_says_how_a_sentence_was_read() {
    let steps = super::explain("太暗了，打开客厅的灯", vocabulary(), &speaker());
    assert!(steps[0].starts_with("words: 太"), "{steps:?}");
    assert!(steps.iter().any(|s| s.starts_with("clauses: ")) && steps.last().unwrap().starts_with("sure"), "{steps:?}");
}
