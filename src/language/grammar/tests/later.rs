//! What is said of times, and of what is done then.

use super::*;

#[test]
fn what_is_for_later_is_never_done_at_once() {
    for sentence in ["待会儿关灯", "一会儿关灯", "到点关灯", "灯等会儿再关", "八点自动关灯"] {
        let Parse::Orders(orders) = parse(sentence, vocabulary(), &speaker()) else { panic!("{sentence}") };
        assert!(!orders.is_empty() && orders.iter().all(|order| order.when.is_some()), "{sentence}: {orders:?}");
    }
    // Ten minutes after what is done at seven is a time that is not kept.
    assert_eq!(rejection("明天七点开灯，再过十分钟关灯"), Rejection::Later);
    let Parse::Orders(now) = parse("把灯开一会儿", vocabulary(), &speaker()) else { panic!() };
    assert!(now[0].when.is_none(), "how long, not when");
}

#[test]
fn a_time_goes_with_its_command_and_never_leaves_it_behind() {
    let timed = |sentence: &str| match parse(sentence, vocabulary(), &speaker()) {
        Parse::Orders(orders) => orders
            .iter()
            .map(|o| (encode(o, vocabulary()).to_string(), o.when.as_ref().map(|when| format!("{when:?}"))))
            .collect::<Vec<_>>(),
        other => panic!("{sentence}: {other:?}"),
    };
    for (sentence, expected, now) in [
        ("十分钟后关灯", vec!["关闭-*-*#Light#all"], 0),
        ("关灯，十分钟后", vec!["关闭-*-*#Light#all"], 0),
        ("把灯十分钟后关了", vec!["关闭-*-*#Light#all"], 0),
        ("七点开灯八点关", vec!["打开-*-*#Light#all", "关闭-*-*#Light#all"], 0),
        ("开灯八点关灯九点", vec!["打开-*-*#Light#all", "关闭-*-*#Light#all"], 0),
        ("打开灯，十分钟后关掉", vec!["打开-*-*#Light#all", "关闭-*-*#Light#all"], 1),
        ("开半小时灯", vec!["打开-*-*#Light#all", "关闭-*-*#Light#all"], 1),
        ("灯开到十点", vec!["打开-*-*#Light#all", "关闭-*-*#Light#all"], 1),
        ("到十点把灯关了", vec!["关闭-*-*#Light#all"], 0),
        ("每隔两小时开一次灯", vec!["打开-*-*#Light#all"], 0),
        ("明天把灯七点半打开", vec!["打开-*-*#Light#all"], 0),
    ] {
        let orders = timed(sentence);
        assert_eq!(orders.iter().map(|o| o.0.as_str()).collect::<Vec<_>>(), expected, "{sentence}");
        assert_eq!(orders.iter().filter(|o| o.1.is_none()).count(), now, "{sentence}: {orders:?}");
    }
    for sentence in ["关半小时灯", "八点之前关灯", "十分钟后打开qwerty", "明天", "七点", "灯半小时"]
    {
        assert!(!matches!(parse(sentence, vocabulary(), &speaker()), Parse::Orders(_)), "{sentence}");
    }
}

#[test]
fn what_is_said_of_jobs_is_no_command() {
    let ask = |sentence: &str| match parse(sentence, vocabulary(), &speaker()) {
        Parse::Jobs(ask) => ask,
        other => panic!("{sentence}: {other:?}"),
    };
    assert_eq!(ask("还有哪些定时"), JobAsk::List);
    assert_eq!(ask("还有多久"), JobAsk::Of(Which { last: true, ..Which::default() }, Doing::Left));
    assert!(
        matches!(ask("取消刚才的定时"), JobAsk::Of(Which { all: false, last: true, at: None, about, .. }, Doing::Cancel) if about.is_empty())
    );
    assert!(matches!(ask("把所有定时都取消"), JobAsk::Of(Which { all: true, .. }, Doing::Cancel)));
    assert!(matches!(ask("取消八点的定时"), JobAsk::Of(Which { at: Some(_), .. }, Doing::Cancel)));
    assert!(matches!(ask("取消空调的定时"), JobAsk::Of(Which { about, .. }, Doing::Cancel) if about == "空调"));
    assert!(matches!(ask("改成八点"), JobAsk::Of(_, Doing::Change(_))));
}

#[test]
fn how_late_it_is_behind_what_is_told_is_no_time_of_it() {
    for late in ["顶灯关了吧都十一点了", "顶灯关了吧这都十一点多了", "顶灯关了吧现在都快十二点了"]
    {
        assert_eq!(commands(late), commands("顶灯关了吧"), "{late}");
    }
    let timed = |sentence: &str| match parse(sentence, vocabulary(), &speaker()) {
        Parse::Orders(orders) => orders.iter().any(|order| order.when.is_some()),
        other => panic!("{sentence}: {other:?}"),
    };
    assert!(timed("顶灯十一点关了") && !timed("顶灯关了吧都十一点了"));
}

#[test]
fn an_hour_before_which_nobody_came_is_not_when_it_shall_be() {
    let kept =
        |sentence: &str| matches!(at_home(sentence), Parse::Orders(orders) if orders.iter().any(|o| o.when.is_some()));
    assert!(kept("三点收摊天都要亮了窗帘全拉上"));
    assert!(!kept("三点过才收摊天都要亮了窗帘全拉上"));
}
