//! Whatever is strung together.

use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn no_sentence_breaks_the_grammar(sentence in ".{0,120}") {
        parse(&sentence, vocabulary(), &speaker());
    }

    #[test]
    fn whatever_words_are_strung_together_the_commands_read_back(words in proptest::collection::vec(
        prop_oneof![
            Just("打开"), Just("关闭"), Just("把"), Just("客厅"), Just("卧室"), Just("灯"), Just("空调"), Just("顶灯"),
            Just("和"), Just("都"), Just("，"), Just("调到"), Just("26度"), Just("50%"), Just("亮一点"), Just("除了"),
            Just("以外"), Just("所有"), Just("它"), Just("如果"), Just("就"), Just("吗"), Just("不"), Just("的"),
            Just("两盏"), Just("最"), Just("最热"), Just("房间"), Just("开着的"), Just("没"), Just("而且"), Just("有"), Just("哪个"), Just("温度"), Just("超过"), Just("再"), Just("也"), Just("回家模式"), Just("-"), Just("#"),
        ],
        0..12,
    )) {
        let sentence = words.concat();
        if let Parse::Orders(orders) | Parse::Unsure(orders, _) = parse(&sentence, vocabulary(), &speaker()) {
            let commands: Vec<_> = orders.iter().map(|o| encode(o, vocabulary())).collect();
            if commands.len() <= protocol::MAX_COMMANDS && !commands.is_empty() {
                let reading = protocol::parse_array(&protocol::print_array(&commands));
                prop_assert_eq!(reading.commands, commands);
            }
        }
    }
}
