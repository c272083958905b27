//! Commands and what people say around them.

use super::*;
use crate::reader::Reader;

async fn moved(question: &str) -> Vec<String> {
    moved_by(Some(Arc::new(Reader::shipped().unwrap())), question).await
}

async fn moved_by(reader: Option<Arc<Reader>>, question: &str) -> Vec<String> {
    let (registry, service) = service(Duration::ZERO);
    let service = service.with_reader(reader);
    match say(&registry, &service, question, None).await.1 {
        Finish::Done { instructs, .. } => instructs.into_iter().map(|instruct| instruct.id).collect(),
        Finish::Failed { message, .. } => panic!("{message}"),
    }
}

#[tokio::test]
async fn a_command_is_done_whatever_is_said_around_it() {
    let question = "空调打开满屋子都是油烟";
    assert!(moved_by(None, question).await.is_empty(), "the grammar needs no reader for this");
    for question in [question, "空调启动一下屋头热得很"] {
        assert_eq!(moved(question).await, ["ac"], "{question}");
    }
}

#[tokio::test]
async fn what_others_do_moves_nothing() {
    for question in
        ["阿弟在学校把教室的灯关掉捉弄老师", "昨儿忘了关空调电费怕是又要多几十", "我闺女说打开台灯才睡得着觉"]
    {
        assert!(moved(question).await.is_empty(), "{question}");
    }
}

#[tokio::test]
async fn what_is_only_supposed_to_happen_is_not_done() {
    for question in ["明天会不会自动开空调", "空调不晓得今晚会不会自动关"] {
        assert!(moved(question).await.is_empty(), "{question}");
    }
}

#[tokio::test]
async fn what_is_risky_is_asked_about_whatever_is_said_around_it() {
    assert!(moved("大门锁打开吧快递小哥搁那儿候着").await.is_empty());
}

#[tokio::test]
async fn a_few_words_right_behind_a_turn_go_on_with_it() {
    let (registry, service) = service(Duration::ZERO);
    let service = service.with_reader(Some(Arc::new(Reader::shipped().unwrap())));
    let moved = |question: &'static str| {
        let (registry, service) = (&registry, &service);
        async move {
            match say(registry, service, question, None).await.1 {
                Finish::Done { instructs, .. } => instructs.len(),
                Finish::Failed { message, .. } => panic!("{message}"),
            }
        }
    };
    let question = "煮好了关掉吧";
    assert_eq!(moved(question).await, 0, "nothing was spoken of");
    assert_eq!(moved("打开空调").await, 1);
    assert_eq!(moved(question).await, 1);
}
