//! What people ask of homes that families named, and what they are told.

use super::everyday::home_of;
use super::speech::told_by;

/// What is moved by the last turn and what is said to it.
async fn said(home: &str, local: &str, turns: &[&str]) -> (usize, String) {
    let (moved, said) = told_by(None, &home_of(home), local, turns).await;
    (moved.len(), said)
}

/// Questions, and all that their answers hold. Nothing moves for a question.
async fn answered(cases: &[(&str, &str, &str, &[&str])]) {
    for (home, local, question, wanted) in cases {
        let (moved, said) = said(home, local, &[question]).await;
        assert_eq!(moved, 0, "{home}: {question}: {said}");
        assert!(wanted.iter().all(|part| said.contains(part)), "{home}: {question}: {said}");
    }
}

#[tokio::test]
async fn whether_it_has_come_to_so_much_is_asked_in_every_dialect() {
    answered(&[
        ("w20-c", "客厅", "鱼缸水温有没有到二十六度", &["没有", "24.5"]),
        ("w20-c", "卫生间", "热水器到没到五十度", &["是的", "50度"]),
        ("pa-2", "客厅", "灯熄咗未", &["没有", "开着"]),
        ("pa-2", "主卧", "香薰开紧未", &["没有", "关着"]),
        ("pa-2", "客厅", "盏灯有冇开", &["是的", "开着"]),
    ])
    .await;
}

#[tokio::test]
async fn what_a_thing_works_on_and_holds_is_asked_of_the_thing() {
    answered(&[
        ("kc-1", "客厅", "衣服洗完了没", &["洗衣机", "在运行"]),
        ("w26-a", "厨房", "碗洗好了没", &["洗碗机"]),
        ("qa", "厨房", "饭煮起没得", &["电饭煲"]),
        ("oa-1", "主卧", "除湿机水满了没", &["水箱已满"]),
        ("oa-1", "主卧", "除湿机该倒水了没", &["水箱已满"]),
        ("rb-1", "客厅", "猫砂盆满了没", &["已满"]),
        ("w22-a", "主卧", "加湿器还有水吗", &["35%"]),
        ("rb-1", "客厅", "滤芯还能用几天", &["12天"]),
        ("oa-1", "卫生间", "水够热不", &["48度"]),
        ("oa-1", "糯米屋", "空气好不好", &["41"]),
        ("kc-1", "阳台", "洗衣机在洗什么程序", &["标准洗"]),
        ("w22-a", "客厅", "电视是哪个频道", &["8频道"]),
    ])
    .await;
}

#[tokio::test]
async fn several_things_asked_in_one_breath_are_each_answered() {
    answered(&[
        ("family", "客厅", "空调多少度 啥模式", &["25度", "制冷"]),
        ("qa", "客厅", "热水器还有鱼缸多少度", &["48度", "26度"]),
        ("family", "客厅", "客厅灯和空调都关了吗", &["大灯", "空调"]),
    ])
    .await;
}

#[tokio::test]
async fn who_did_it_and_what_it_is_for_nobody_here_knows() {
    for (home, local, question) in [
        ("me-1", "客厅", "哪个喊你把空调开恁低的嘛"),
        ("w22-a", "客厅", "是谁把净化器关的"),
        ("kc-1", "阳台", "童锁是干嘛用的"),
        ("nd-1", "书房", "空调这个项目要关掉 太亏钱了"),
        ("nd-1", "书房", "把台灯的链接打开给我看看"),
        ("me-1", "客厅", "你们声音小点 奶奶在睡午觉"),
        ("me-1", "客厅", "帮我把充电宝拿来"),
    ] {
        let (moved, said) = said(home, local, &[question]).await;
        assert_eq!(moved, 0, "{question}");
        assert!(!said.contains('“') && !said.contains("没有找到") && !said.contains("开着"), "{question}: {said}");
    }
}

#[tokio::test]
async fn what_moves_is_called_as_its_home_calls_it() {
    for (home, local, sentence, name) in [
        ("w25-c", "客厅", "按摩椅慢一点", "速度"),
        ("w20-c", "卫生间", "洗衣机转速一千二", "脱水转速"),
        ("kc-1", "宝宝房", "哄睡机声音换成海浪", "的声音"),
        ("w26-a", "卫生间", "马桶座圈再热一点", "座圈温度"),
        ("w22-a", "客厅", "空调扫风打开", "摇头"),
        ("nb-2", "客厅", "南边那个窗帘拉上", "南窗帘"),
        ("la-1", "客厅", "把窗户帘拉上", "窗帘"),
        ("lf-2", "客厅", "小强回窝", "回去充电"),
        ("oa-1", "客厅", "看球模式打开 声音调到三十五", "35%"),
        ("ha-2", "客厅", "电影开始了 把灯带关了", "氛围灯。"),
    ] {
        let (moved, said) = said(home, local, &[sentence]).await;
        assert!(moved > 0 && said.contains(name) && !said.contains("没有找到"), "{home}: {sentence}: {said}");
    }
}

#[tokio::test]
async fn sound_that_is_switched_on_is_no_longer_mute() {
    let (_, said) = said("family", "客厅", &["电视静音", "把声音打开"]).await;
    assert!(said.contains("静音"), "{said}");
}

#[tokio::test]
async fn what_somebody_does_not_like_is_put_back() {
    let (moved, said) = said("nb-2", "小屋", &["月亮灯调成绿色", "不好看 换回来"]).await;
    assert!(moved > 0 && said.contains("暖黄"), "{said}");
}

#[tokio::test]
async fn who_wants_another_value_is_asked_for_it() {
    for (sentence, choice) in [("灯带换个颜色", "暖黄"), ("空调换个模式", "制热"), ("空调风速换一下", "低风")]
    {
        let (moved, said) = said("w22-a", "客厅", &[sentence]).await;
        assert!(moved == 0 && said.contains(choice), "{sentence}: {said}");
    }
}
