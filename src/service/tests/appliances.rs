//! What people say to appliances, in homes that families named.

use serde_json::json;

use super::everyday::{held, home_of};
use super::speech::told_by;

#[tokio::test]
async fn a_part_of_the_name_of_what_a_thing_has_will_do_in_its_room() {
    held(&[
        ("w26-a", "卫生间", &["水压大一点"], json!({"toilet": {"pressure": 4}})),
        ("w26-a", "卫生间", &["座圈热一点"], json!({"toilet": {"seat_heat": 3}})),
        ("w26-a", "卫生间", &["马桶座圈关了"], json!({"toilet": {"seat_heat": 0}})),
        ("w26-a", "姥爷屋", &["按摩椅滚轮打开气囊关掉"], json!({"chair": {"roller": true, "air": false}})),
        // Of another room nothing is told so.
        ("w26-a", "主卧", &["滚轮关了"], json!({})),
        ("w25-c", "客厅", &["水泵小一档"], json!({"fish": {"pump": 2}})),
        ("pa-2", "主卧", &["窗户雨感打开 童锁也打开"], json!({"e-win": {"rain": true, "child": true}})),
        ("pa-2", "客厅", &["雨感打开"], json!({})),
        ("ra-2", "卫生间", &["座圈调三档"], json!({"toilet": {"seat": 3}})),
        ("w22-a", "客厅", &["扫地机水量大点"], json!({"vac": {"water": "high"}})),
    ])
    .await;
}

#[tokio::test]
async fn the_lamp_of_a_thing_is_its_lamp_and_no_lamp_of_the_room() {
    held(&[
        ("w25-c", "客厅", &["鱼缸灯打开换成红色"], json!({"fish": {"light": true, "color": "red"}})),
        ("w25-c", "客厅", &["鱼缸的灯换绿色"], json!({"fish": {"color": "green"}})),
        ("w25-c", "客厅", &["鱼缸的灯关了"], json!({"fish": {"light": false}})),
    ])
    .await;
}

#[tokio::test]
async fn which_way_the_wind_swings_is_said_in_any_order() {
    held(&[
        (
            "oa-1",
            "客厅",
            &["柜机二十六 低风 扫上下"],
            json!({"w-ac1": {"fan": "low", "swing_v": true, "temperature": 26}}),
        ),
        ("oa-1", "客厅", &["空调扫左右"], json!({"w-ac1": {"swing_h": true}})),
        ("nb-2", "客厅", &["空调扫风 左右的"], json!({"b-ac": {"swing_h": true}})),
        ("w22-a", "客厅", &["空调扫风打开 上下的"], json!({"ac_lv": {"swing_v": true}})),
        ("w22-a", "客厅", &["空调上下左右都摆"], json!({"ac_lv": {"swing_h": true, "swing_v": true}})),
        ("w22-a", "客厅", &["空调左右扫风", "上下也扫"], json!({"ac_lv": {"swing_v": true}})),
        ("w22-a", "客厅", &["空调二十六度上下扫风"], json!({"ac_lv": {"swing_v": true, "temperature": 26}})),
        ("w22-a", "次卧", &["空调扫风关了 左右的别动"], json!({"ac_kid": {"swing_v": false}})),
        // The vacuum sweeps, and no way.
        ("w22-a", "客厅", &["扫上下"], json!({"ac_lv": {"swing_v": true}})),
    ])
    .await;
}

#[tokio::test]
async fn what_a_feature_does_ends_in_the_words_that_people_have_for_it() {
    held(&[
        ("w26-a", "客厅", &["大壮别说话了"], json!({"vac": {"voice": false}})),
        ("w26-a", "客厅", &["扫地机别播报了吵死了"], json!({"vac": {"voice": false}})),
        ("w26-a", "厨房", &["制冰别做了"], json!({"fri": {"ice": false}})),
        ("w26-a", "厨房", &["别让洗碗机烘干了"], json!({"dish": {"dry": false}})),
        ("w25-c", "小屋", &["摄像头别跟着人"], json!({"cam": {"track": false}})),
        ("w25-c", "厨房", &["养生壶调成花茶 别响"], json!({"kettle": {"mode": "tea", "beep": false}})),
        // What keeps it off is switched on.
        ("w25-c", "玄关", &["孩子睡了门铃别响"], json!({"bell": {"dnd": true}})),
        ("w22-a", "客厅", &["空调别对着人吹"], json!({"ac_lv": {"soft": true}})),
        ("w22-a", "次卧", &["不要扫风"], json!({"ac_kid": {"swing_v": false, "swing_h": false}})),
        ("oa-1", "厨房", &["电饭锅别保温了"], json!({"w-rc": {"run": "cancel"}})),
        // Of what it does not do it ends nothing.
        ("w26-a", "客厅", &["地暖别说话了"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn of_what_a_thing_does_only_the_one_is_done() {
    held(&[
        ("w22-a", "客厅", &["扫地机只扫不拖"], json!({"vac": {"mode": "sweep"}})),
        ("w22-a", "客厅", &["扫地机光拖不扫"], json!({"vac": {"mode": "mop"}})),
        ("w22-a", "客厅", &["别拖地 光扫"], json!({"vac": {"mode": "sweep"}})),
        ("w22-a", "客厅", &["让扫地机吸力大点 别拖地"], json!({"vac": {"suction": "strong", "mode": "sweep"}})),
        ("kc-1", "客厅", &["石头不拖地了只扫"], json!({"a-vac": {"mop": false}})),
        ("w22-a", "客厅", &["灯带不要蓝的要红的"], json!({"strip": {"color": "red"}})),
    ])
    .await;
}

#[tokio::test]
async fn how_hard_a_thing_presses_is_its_force() {
    held(&[
        ("w26-a", "姥爷屋", &["按摩椅重一点", "太重了"], json!({"chair": {"strength": 3}})),
        ("w26-a", "姥爷屋", &["劲儿大点"], json!({"chair": {"strength": 4}})),
        ("w26-a", "姥爷屋", &["按得太重了"], json!({"chair": {"strength": 2}})),
        ("w25-c", "客厅", &["按摩椅气囊松一点"], json!({"mass": {"air": 2}})),
        ("w26-a", "主卧", &["太重了"], json!({})),
        ("w14-c", "主卧", &["按摩轻柔"], json!({"bed": {"massage": "soft"}})),
    ])
    .await;
}

#[tokio::test]
async fn how_long_how_often_and_how_fast_are_of_the_thing_that_counts_so() {
    held(&[
        ("w26-a", "院子", &["喷灌四十分钟"], json!({"spr": {"minutes": 40}})),
        ("w26-a", "院子", &["喷灌再加十分钟"], json!({"spr": {"minutes": 30}})),
        // 时长 of a foot bath in another room is none of the irrigation's.
        ("pa-2", "院子", &["灌溉系统花圃开 时长20分钟"], json!({"e-irr": {"flower": true, "minutes": 20}})),
        (
            "w25-c",
            "阳台",
            &["洗衣机快洗 转速一千 漂两次"],
            json!({"wash": {"program": "quick", "spin": 1000, "rinse": 2}}),
        ),
        ("w25-c", "阳台", &["洗衣机一千转"], json!({"wash": {"spin": 1000}})),
    ])
    .await;
}

#[tokio::test]
async fn what_is_made_and_washed_is_a_program() {
    held(&[
        ("family", "厨房", &["电饭锅煮上粥"], json!({"cooker": {"program": "porridge", "run": "start"}})),
        ("family", "厨房", &["把粥熬上"], json!({"cooker": {"program": "porridge", "run": "start"}})),
        ("family", "厨房", &["电饭锅熬点粥"], json!({"cooker": {"program": "porridge"}})),
        ("nb-2", "阳台", &["洗衣机洗毛衣"], json!({"b-ws": {"program": "wool", "run": "start"}})),
        ("nf-1", "阳台", &["洗毛衣"], json!({"t-wash": {"program": "wool"}})),
        ("nb-2", "阳台", &["洗衣机甩干"], json!({"b-ws": {"program": "spin"}})),
        ("w26-a", "卫生间", &["屁股洗一下"], json!({"toilet": {"wash": "rear"}})),
        // Somebody tells what is done.
        ("family", "厨房", &["我在煮粥"], json!({})),
        ("nf-1", "阳台", &["洗毛衣了"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn each_side_and_each_outlet_is_told_by_itself() {
    for (home, local, sentence, wanted) in [
        ("ma-2", "主卧", "电热毯关掉左边的", "正在关闭主卧电热毯的左侧。"),
        ("ma-2", "主卧", "左边关掉", "正在关闭主卧电热毯的左侧。"),
        ("la-1", "主卧", "电热毯左边开三档 右边一档", "正在打开主卧电热毯的左侧，左侧档位调到3档，右侧档位调到1档。"),
        ("la-1", "主卧", "电热毯我这边开二档", "没听明白“我这边”，可以换个说法吗？"),
        ("ma-2", "书房", "打印机插座打开", "正在打开书房插线板的打印机插孔。"),
        ("ma-2", "主卧", "打印机插座打开", "没有找到打印机插座。"),
        ("ma-2", "书房", "插线板全关", "正在关闭书房插线板的电脑插孔，关闭打印机插孔，关闭充电插孔。"),
    ] {
        assert_eq!(told_by(None, &home_of(home), local, &[sentence]).await.1, wanted, "{home}: {sentence}");
    }
}

#[tokio::test]
async fn more_and_less_is_of_what_was_set_by_name() {
    held(&[("rb-1", "卫生间", &["浴霸弱暖", "强一点"], json!({"bath": {"heat": "high"}}))]).await;
}
