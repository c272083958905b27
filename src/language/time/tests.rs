use jiff::Zoned;

use super::*;

/// A Sunday evening.
const NOW: &str = "2026-11-22T20:00:00+08:00[Asia/Shanghai]";

fn words() -> TimeWords {
    TimeWords::of(&crate::zh::Sources::default()).unwrap()
}

fn spans(text: &str) -> Vec<(String, Piece)> {
    let chars: Vec<char> = text.chars().collect();
    let found = read(&chars, |_| false, &words());
    found.into_iter().map(|s| (chars[s.start..s.end].iter().collect(), s.piece)).collect()
}

fn when(text: &str) -> When {
    let found = spans(text);
    let mut when = When::default();
    for (_, piece) in found {
        match piece {
            Piece::After { seconds, .. } => when.start = Some(Start::After(seconds)),
            Piece::For(seconds) => when.end = Some(End::For(seconds)),
            Piece::Every(seconds) => when.repeat = Some(Repeat::Every(seconds)),
            Piece::At(moment, repeat) => (when.start, when.repeat) = (Some(Start::At(moment)), repeat),
            Piece::To(moment) => when.end = Some(End::Until(moment)),
            Piece::Between(from, repeat, to) => {
                (when.start, when.repeat, when.end) = (Some(Start::At(from)), repeat, Some(End::Until(to)));
            }
            Piece::Deadline | Piece::Timer => {}
        }
    }
    when
}

fn start(text: &str) -> Result<String, TimeError> {
    let now: Zoned = NOW.parse().unwrap();
    let due = due(&when(text), &now)?;
    let repeat = due.repeat.map(|r| format!(" {r}")).unwrap_or_default();
    Ok(format!("{}{repeat}", due.start.map_or("now".into(), |p| p.at.strftime("%m-%d %H:%M:%S").to_string())))
}

#[test]
fn times_are_found_whole() {
    for text in [
        "十分钟后",
        "过半小时",
        "再过五分钟",
        "明早五点",
        "晚上八点半",
        "差一刻九点",
        "二十点",
        "今晚八点",
        "后天下午三点",
        "下周三早上七点",
        "周末上午十点",
        "工作日早上七点",
        "每天七点",
        "每周一三五晚上八点",
        "每月一号早上八点",
        "半小时",
        "每隔两小时",
        "8:30",
        "20:05",
        "一个半小时后",
        "1小时20分钟后",
        "两小时半以后",
        "三刻钟后",
        "周一到周五早上七点半",
        "每周六和周日早上九点",
        "明天早上七点十五分",
        "八点零五分",
        "八点一刻",
        "七点十五",
        "晚上十二点",
        "中午",
        "三月五号晚上八点",
        "下个月五号上午九点",
        "八点到十点",
        "从晚上八点到十点",
    ] {
        let found = spans(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].0, text, "{found:?}");
    }
}

#[test]
fn what_is_no_time_is_none() {
    for text in
        ["调到二十六度", "亮一点点", "打开灯", "二十点五度", "十分", "三号", "空调开到二十六点五度", "百分之三十"]
    {
        let chars: Vec<char> = text.chars().collect();
        let found = read(&chars, |_| false, &words());
        assert!(found.iter().all(|span| span.weak), "{text}: {found:?}");
    }
}

#[test]
fn the_rules_for_what_is_open() {
    for (text, expected) in [
        ("十分钟后", "11-22 20:10:00"),
        ("一个半小时后", "11-22 21:30:00"),
        ("七点", "11-23 07:00:00"),
        ("九点", "11-22 21:00:00"),
        ("十二点", "11-23 00:00:00"),
        ("二十点", "11-23 20:00:00"),
        ("明早五点", "11-23 05:00:00"),
        ("今晚十点", "11-22 22:00:00"),
        ("今晚十二点", "11-23 00:00:00"),
        ("今晚一点", "11-23 01:00:00"),
        ("明天两点", "11-23 14:00:00"),
        ("明天七点", "11-23 07:00:00"),
        ("后天下午三点", "11-24 15:00:00"),
        ("下周三早上七点", "11-25 07:00:00"),
        ("周三早上七点", "11-25 07:00:00"),
        ("周日早上七点", "11-29 07:00:00"),
        ("周末上午十点", "11-28 10:00:00"),
        ("半夜两点", "11-23 02:00:00"),
        ("凌晨十二点", "11-23 00:00:00"),
        ("中午", "11-23 12:00:00"),
        ("差一刻九点", "11-22 20:45:00"),
        ("每天七点", "11-23 07:00:00 FREQ=DAILY"),
        ("每晚十点", "11-22 22:00:00 FREQ=DAILY"),
        ("每周一三五晚上八点", "11-23 20:00:00 FREQ=WEEKLY;BYDAY=MO,WE,FR"),
        ("每周五晚上八点", "11-27 20:00:00 FREQ=WEEKLY;BYDAY=FR"),
        ("工作日早上七点", "11-23 07:00:00 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("每个周末早上九点", "11-28 09:00:00 FREQ=WEEKLY;BYDAY=SA,SU"),
        ("周一到周五早上七点", "11-23 07:00:00 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("每月一号早上八点", "12-01 08:00:00 FREQ=MONTHLY;BYMONTHDAY=1"),
        ("每隔两小时", "11-22 22:00:00 FREQ=HOURLY;INTERVAL=2"),
        ("每隔一天早上七点", "11-23 07:00:00 FREQ=DAILY;INTERVAL=2"),
        ("三月五号晚上八点", "03-05 20:00:00"),
        ("下个月五号上午九点", "12-05 09:00:00"),
        ("三十号早上八点", "11-30 08:00:00"),
    ] {
        assert_eq!(start(text), Ok(expected.to_owned()), "{text}");
    }
}

#[test]
fn what_cannot_be_kept_is_refused() {
    for (text, expected) in [
        ("二十五点", TimeError::BadClock),
        ("二月三十号早上八点", TimeError::BadDate),
        ("一万年后", TimeError::TooFar),
        ("每秒", TimeError::TooOften),
        ("今天早上七点", TimeError::Past),
        ("今晚七点", TimeError::Past),
        ("今天七点", TimeError::Past),
        ("明天", TimeError::NoHour),
        ("今晚", TimeError::NoHour),
        ("每天早上", TimeError::NoHour),
        ("早上二十点", TimeError::BadClock),
        ("八点七十分", TimeError::BadClock),
        ("十三月一号早上八点", TimeError::BadDate),
        ("零分钟后", TimeError::BadLength),
    ] {
        assert_eq!(start(text), Err(expected), "{text}");
    }
}

#[test]
fn an_end_follows_its_beginning() {
    let now: Zoned = NOW.parse().unwrap();
    let end = |text: &str| due(&when(text), &now).map(|d| d.end.unwrap().at.strftime("%m-%d %H:%M").to_string());
    assert_eq!(end("半小时"), Ok("11-22 20:30".to_owned()));
    assert_eq!(end("到十点"), Ok("11-22 22:00".to_owned()));
    assert_eq!(end("晚上九点到十一点"), Ok("11-22 23:00".to_owned()));
    assert_eq!(end("明天早上八点到十点"), Ok("11-23 10:00".to_owned()));
}

#[test]
fn rules_are_written_and_read() {
    for repeat in [
        Repeat::Every(7200),
        Repeat::Every(60),
        Repeat::Days(1),
        Repeat::Days(2),
        Repeat::WORKDAYS,
        Repeat::Week(4),
        Repeat::Month(31),
    ] {
        assert_eq!(repeat.to_string().parse::<Repeat>().unwrap(), repeat);
    }
    for bad in [
        "",
        "FREQ=YEARLY",
        "FREQ=SECONDLY",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=WEEKLY",
        "FREQ=WEEKLY;BYDAY=XX",
        "FREQ=MONTHLY;BYMONTHDAY=32",
    ] {
        assert!(bad.parse::<Repeat>().is_err(), "{bad}");
    }
}

#[test]
fn a_series_keeps_the_hour_of_the_wall() {
    let at: Zoned = "2026-03-28T02:30:00[Europe/Berlin]".parse().unwrap();
    let next = Repeat::Days(1).next(&at, &at).unwrap();
    assert_eq!(next.to_string(), "2026-03-29T03:30:00+02:00[Europe/Berlin]", "the hour that is left out");
    assert_eq!(
        Repeat::Month(31)
            .next(
                &"2026-01-31T08:00[Europe/Berlin]".parse().unwrap(),
                &"2026-01-31T08:00[Europe/Berlin]".parse().unwrap()
            )
            .unwrap()
            .date(),
        jiff::civil::date(2026, 3, 31)
    );
}

#[test]
fn times_are_said_back() {
    let now: Zoned = NOW.parse().unwrap();
    let said = |text: &str| {
        let due = due(&when(text), &now).unwrap();
        let start = due.start.unwrap();
        due.repeat.map_or_else(|| say(&start, &now, &words()), |r| say_repeat(r, &start.at, &words()))
    };
    for (text, expected) in [
        ("七点", "明天早上七点"),
        ("十分钟后", "十分钟后"),
        ("半小时后", "半小时后"),
        ("两小时后", "两小时后"),
        ("晚上十点半", "今天晚上十点半"),
        ("下周三早上七点零五分", "下周三早上七点零五分"),
        ("每周一三五晚上八点", "每周一三五晚上八点"),
        ("工作日早上七点", "每个工作日早上七点"),
        ("每月一号早上八点", "每月一号早上八点"),
        ("每隔两小时", "每隔两小时"),
        ("今晚十二点", "明天凌晨零点"),
        ("下个月五号下午两点", "十二月五号下午两点"),
        ("每隔一天早上七点", "每隔一天早上七点"),
    ] {
        assert_eq!(said(text), expected, "{text}");
    }
}
