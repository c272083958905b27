//! The guard between similarity and action: vectors hold 开 and 关 for nearly the same, so words decide which is meant.

use super::words::{Dimension, Pole};

/// How a phrase's directions stand to those of what it was found similar to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Both name the same end of something. Only this may open a lock on similarity.
    Same,
    /// Neither confirmed nor contradicted.
    Open,
    /// The phrase asks for the other end: never act on it.
    Opposite,
}

/// Compares the directions of a phrase with those of all texts of a document together.
///
/// A document that goes both ways (`调亮度`: 亮一点, 暗一点) contradicts nothing.
pub fn agreement(phrase: &[(Dimension, Pole)], document: &[(Dimension, Pole)]) -> Agreement {
    let mut agreement = Agreement::Open;
    for (dimension, pole) in phrase {
        let on_it = |other: &Dimension| match dimension {
            Dimension::AnyScale => matches!(other, Dimension::Scale(_) | Dimension::AnyScale),
            _ => other == dimension,
        };
        let same = document.iter().any(|(other, end)| on_it(other) && end == pole);
        let opposite = document.iter().any(|(other, end)| on_it(other) && end != pole);
        match (same, opposite) {
            (false, true) => return Agreement::Opposite,
            (true, _) => agreement = Agreement::Same,
            (false, false) => {}
        }
    }
    agreement
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::words::Words;

    fn between(phrase: &str, document: &[&str]) -> Agreement {
        let words = Words::chinese();
        let document: Vec<_> = document.iter().flat_map(|text| words.meaning(text).directions).collect();
        agreement(&words.meaning(phrase).directions, &document)
    }

    #[test]
    fn opposite_ends_never_pass() {
        for (phrase, document) in [
            ("开锁", "上锁"),
            ("锁门", "解锁"),
            ("把灯关了", "打开设备"),
            ("把帘子合上", "打开窗帘"),
            ("有点冷", "调低温度"),
            ("别那么亮", "调亮"),
            ("声音太大了", "调高音量"),
            ("不够亮", "调暗"),
            ("别开了", "打开设备"),
            ("取消静音", "静音"),
            ("大一点", "调低音量"),
            ("上一首", "下一首"),
        ] {
            assert_eq!(between(phrase, &[document]), Agreement::Opposite, "{phrase} / {document}");
            let own = Words::chinese().meaning(phrase).directions;
            assert_eq!(agreement(&own, &own), Agreement::Same, "{phrase}");
        }
    }

    #[test]
    fn what_goes_both_ways_contradicts_nothing() {
        assert_eq!(between("太暗了", &["亮一点", "暗一点"]), Agreement::Same);
        assert_eq!(between("来点音乐", &["打开设备"]), Agreement::Open);
        assert_eq!(between("灯开着吗", &["关闭设备"]), Agreement::Open, "a question moves nothing either way");
    }
}
