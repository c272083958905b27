//! Numbers as they are said and written: 26, 二十六, 两, 百分之三十, 八成, 三分之一, 第二.

/// A number read from the beginning of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// Its value; for a share of a whole, in per cent.
    pub value: f64,
    /// Whether it is a share of a whole (百分之三十, 八成).
    pub percent: bool,
}

/// The numerals that number things by themselves: 灯一.
pub const TO_TEN: &str = "一二三四五六七八九十";

/// Digits that are looked at; longer ones are noise.
const MAX_DIGITS: usize = 9;

/// Digits of the shortest number that is a room's name by itself.
pub const ROOM_DIGITS: usize = 3;

/// Whether a number says how many and never which one: `两` beside `二`.
pub fn counts(chars: &[char]) -> bool {
    matches!(chars, ['两' | '俩' | '仨'])
}

/// Whether a number is said digit by digit, as rooms are: `202`, `二零二`, `幺零一`.
pub fn is_spelled(chars: &[char]) -> bool {
    chars.len() >= ROOM_DIGITS && chars.iter().all(|c| c.is_ascii_digit() || digit(*c).is_some())
}

/// Reads the number at the beginning of `chars`: the number and how many characters it takes.
pub fn read(chars: &[char]) -> Option<(Number, usize)> {
    let share = read_share(chars);
    if share.is_some() {
        return share;
    }
    // 七八成: between both.
    if let [low, high, '成', ..] = chars
        && next_of(*low, *high)
    {
        return Some((Number { value: digit(*low)? * 10.0 + 5.0, percent: true }, 3));
    }
    let (value, used) = read_plain(chars)?;
    // 八成: tenths. 三分之一: a fraction.
    if chars.get(used) == Some(&'成') && (0.0..=10.0).contains(&value) && chars.get(used + 1) != Some(&'为') {
        // 六成半
        let half = chars.get(used + 1) == Some(&'半');
        let value = value * 10.0 + if half { 5.0 } else { 0.0 };
        return Some((Number { value, percent: true }, used + 1 + usize::from(half)));
    }
    if chars[used..].starts_with(&['分', '之']) && value > 0.0 {
        let (part, more) = read_plain(&chars[used + 2..])?;
        let value = (part / value * 1000.0).round() / 10.0;
        return Some((Number { value, percent: true }, used + 2 + more));
    }
    // 一米一, 一米二五: a height, in the centimetres that furniture is set by.
    if let ['米', tens, rest @ ..] = &chars[used..]
        && let Some(tens) = digit(*tens).filter(|_| (1.0..=9.0).contains(&value))
    {
        let ones = rest.first().and_then(|c| digit(*c));
        let value = value * 100.0 + tens * 10.0 + ones.unwrap_or_default();
        return Some((Number { value, percent: false }, used + 2 + usize::from(ones.is_some())));
    }
    // 二十六度半 is rare; 两点五 is read by the plain reader.
    Some((Number { value, percent: false }, used))
}

/// 百分之三十, 百分之20.
fn read_share(chars: &[char]) -> Option<(Number, usize)> {
    // 百分百
    if chars.starts_with(&['百', '分', '百']) {
        return Some((Number { value: 100.0, percent: true }, 3));
    }
    if !chars.starts_with(&['百', '分', '之']) {
        return None;
    }
    let rest = &chars[3..];
    let (value, used) = if rest.first() == Some(&'百') { (100.0, 1) } else { read_plain(rest)? };
    Some((Number { value, percent: true }, used + 3))
}

/// Digits or Chinese numerals; 零下 or 负 for negative ones.
fn read_plain(chars: &[char]) -> Option<(f64, usize)> {
    let below = [&['零', '下'][..], &['负']].iter().find(|said| chars.starts_with(said)).map_or(0, |said| said.len());
    let number = &chars[below..];
    let (value, used) = if number.first()?.is_ascii_digit() { read_digits(number) } else { read_han(number) }?;
    Some((if below > 0 { -value } else { value }, used + below))
}

fn read_digits(chars: &[char]) -> Option<(f64, usize)> {
    let whole = chars.iter().take_while(|c| c.is_ascii_digit()).count();
    if whole > MAX_DIGITS {
        return None;
    }
    let mut used = whole;
    if matches!(chars.get(used), Some('.' | '点')) {
        let decimals = chars[used + 1..].iter().take_while(|c| c.is_ascii_digit()).count();
        if (1..=MAX_DIGITS).contains(&decimals) {
            used += 1 + decimals;
        }
    }
    let text: String = chars[..used].iter().map(|c| if *c == '点' { '.' } else { *c }).collect();
    let value: f64 = text.parse().ok()?;
    // 2万 does not occur in a home; 50度 is a number and a unit.
    Some((value, used))
}

fn digit(c: char) -> Option<f64> {
    Some(match c {
        '零' | '〇' => 0.0,
        '一' | '幺' => 1.0,
        '二' | '两' | '俩' => 2.0,
        '三' | '仨' => 3.0,
        '四' => 4.0,
        '五' => 5.0,
        '六' => 6.0,
        '七' => 7.0,
        '八' => 8.0,
        '九' => 9.0,
        _ => return None,
    })
}

/// Whether a digit is one more than another.
fn next_of(low: char, high: char) -> bool {
    matches!((digit(low), digit(high)), (Some(low), Some(high)) if low > 0.0 && high == low + 1.0)
}

fn tens(c: char) -> Option<f64> {
    Some(match c {
        '廿' => 20.0,
        '卅' => 30.0,
        _ => return None,
    })
}

fn magnitude(c: char) -> Option<f64> {
    Some(match c {
        '十' => 10.0,
        '百' => 100.0,
        '千' => 1000.0,
        '万' => 10_000.0,
        _ => return None,
    })
}

fn read_han(chars: &[char]) -> Option<(f64, usize)> {
    // 廿四, as some say twenty-four.
    if let Some(tens) = chars.first().and_then(|c| tens(*c)) {
        let ones = chars.get(1).and_then(|c| digit(*c)).filter(|d| *d > 0.0);
        return Some((tens + ones.unwrap_or_default(), 1 + usize::from(ones.is_some())));
    }
    let run = chars.iter().take(MAX_DIGITS).take_while(|c| digit(**c).is_some() || magnitude(**c).is_some()).count();
    // 十 begins a number by itself; 百 and 千 do not.
    if run == 0 || matches!(chars[0], '百' | '千' | '万') {
        return None;
    }
    // 二十五六: the one or the other.
    let about = match chars[..run] {
        [.., magnitude_before, low, high] => magnitude(magnitude_before).is_some() && next_of(low, high),
        _ => false,
    };
    let numeral = &chars[..run - usize::from(about)];
    let mut value = if numeral.iter().any(|c| magnitude(*c).is_some()) {
        read_positional(numeral)?
    } else if run == 2 && numeral.contains(&'两') {
        // 一两度, 两三度: about as many; no digit is said 两.
        digit(numeral[0])?
    } else {
        // 二六, 四零零零: digits one by one, as recognisers write room and channel numbers.
        numeral.iter().try_fold(0.0, |sum, c| digit(*c).map(|d| sum * 10.0 + d))?
    };
    let mut used = run;
    if chars.get(used) == Some(&'点') {
        let decimals = chars[used + 1..].iter().take(3).take_while(|c| digit(**c).is_some()).count();
        // 三点 is a time; 三点五 a decimal.
        if decimals > 0 {
            let tenths = chars[used + 1..=used + decimals]
                .iter()
                .rev()
                .try_fold(0.0, |sum, c| digit(*c).map(|d| (sum + d) / 10.0))?;
            value += tenths;
            used += 1 + decimals;
        }
    }
    Some((value, used))
}

/// 二十六, 一百零五, 两百五 (250), 四千五 (4500).
fn read_positional(numeral: &[char]) -> Option<f64> {
    let mut total = 0.0;
    let mut pending: Option<f64> = None;
    let mut last_magnitude = 1.0;
    let mut after_zero = false;
    for c in numeral {
        if let Some(m) = magnitude(*c) {
            total += pending.take().unwrap_or(1.0) * m;
            last_magnitude = m;
            after_zero = false;
        } else {
            let d = digit(*c)?;
            if pending.is_some_and(|p| p != 0.0) {
                return None;
            }
            after_zero |= d == 0.0;
            pending = Some(d);
        }
    }
    if let Some(rest) = pending {
        let short_form = last_magnitude >= 100.0 && !after_zero;
        total += if short_form { rest * last_magnitude / 10.0 } else { rest };
    }
    Some(total)
}

/// Reads a whole number at the beginning of `chars`, whatever follows it: `八点五` begins with 8.
pub fn read_whole(chars: &[char]) -> Option<(u32, usize)> {
    let digits = chars.iter().take_while(|c| c.is_ascii_digit()).count();
    let run = if digits > 0 {
        digits
    } else {
        chars.iter().take(MAX_DIGITS).take_while(|c| digit(**c).is_some() || magnitude(**c).is_some()).count()
    };
    let (value, used) = read_plain(&chars[..run])?;
    (used == run && value.fract() == 0.0 && (0.0..=1e9).contains(&value)).then_some((value as u32, used))
}

/// Reads 第二 and the like: which one and how many characters it takes.
pub fn read_ordinal(chars: &[char]) -> Option<(u32, usize)> {
    if chars.first() != Some(&'第') {
        return None;
    }
    let (value, used) = read_plain(&chars[1..])?;
    (value.fract() == 0.0 && (1.0..=99.0).contains(&value)).then_some((value as u32, used + 1))
}

/// What stands between the whole and its share: 百分之三十.
pub const SHARE_OF: [char; 2] = ['分', '之'];
/// A hundred.
pub const HUNDRED: char = '百';
/// A tenth, behind how many: 三成.
pub const TENTH: char = '成';
/// Ten, and how it sounds.
pub const TEN: char = '十';
/// Toneless pinyin.
pub const TEN_SOUND: &str = "shi";

/// Whether a character that sounds like ten stands where ten is said: `二时二度`, `四石档`.
pub fn stands_for_ten(chars: &[char], at: usize) -> bool {
    let digit = |at: usize| chars.get(at).is_some_and(|c| "一二三四五六七八九".contains(*c));
    let counted = |at: usize| chars.get(at).is_some_and(|c| "度档".contains(*c));
    let behind = at.checked_sub(1).is_some_and(digit) && !digit(at) && chars.get(at) != Some(&TEN);
    behind && (counted(at + 1) || digit(at + 1) && counted(at + 2))
}

/// A small whole number in Chinese: 1 to 99.
pub fn han(number: usize) -> Option<String> {
    const DIGITS: [&str; 10] = ["", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
    let (tens, ones) = (number / 10, number % 10);
    match tens {
        _ if number == 0 || number > 99 => None,
        0 => Some(DIGITS[ones].to_owned()),
        1 => Some(format!("十{}", DIGITS[ones])),
        _ => Some(format!("{}十{}", DIGITS[tens], DIGITS[ones])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> (f64, bool) {
        let chars: Vec<char> = text.chars().collect();
        let (number, used) = read(&chars).unwrap_or_else(|| panic!("{text} is no number"));
        assert_eq!(used, chars.len(), "{text}");
        (number.value, number.percent)
    }

    #[test]
    fn numbers_read_as_people_say_them() {
        for (text, expected) in [
            ("26", 26.0),
            ("二十六", 26.0),
            ("二十五六", 25.0),
            ("十", 10.0),
            ("两", 2.0),
            ("一百零五", 105.0),
            ("廿四", 24.0),
            ("两百五", 250.0),
            ("四千五", 4500.0),
            ("四零零零", 4000.0),
            ("26.5", 26.5),
            ("二十六点五", 26.5),
            ("零下五", -5.0),
            ("零下零点五", -0.5),
            ("负三", -3.0),
            ("负12", -12.0),
            ("三百", 300.0),
            ("一米一", 110.0),
            ("一米二五", 125.0),
        ] {
            assert_eq!(value(text), (expected, false), "{text}");
        }
    }

    #[test]
    fn shares_read_as_per_cent() {
        for (text, expected) in [
            ("百分之三十", 30.0),
            ("百分之20", 20.0),
            ("百分之百", 100.0),
            ("百分百", 100.0),
            ("八成", 80.0),
            ("七八成", 75.0),
            ("三分之一", 33.3),
        ] {
            assert_eq!(value(text), (expected, true), "{text}");
        }
    }

    #[test]
    fn the_number_ends_where_the_unit_begins() {
        let chars: Vec<char> = "三点".chars().collect();
        assert_eq!(read(&chars).unwrap().1, 1);
        assert_eq!(read(&"五成为".chars().collect::<Vec<_>>()).unwrap().1, 1);
        assert!(read(&"灯".chars().collect::<Vec<_>>()).is_none());
        assert!(read(&"9".repeat(40).chars().collect::<Vec<_>>()).is_none());
    }

    #[test]
    fn ordinals_are_bounded() {
        assert_eq!(read_ordinal(&"第二个".chars().collect::<Vec<_>>()), Some((2, 2)));
        assert_eq!(read_ordinal(&"第零个".chars().collect::<Vec<_>>()), None);
    }
}
