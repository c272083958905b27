//! Clauses stand for themselves: what one moves is what it moves alone, whatever stands before and after it.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use zhiju::frame::{Finish, Request};
use zhiju::home::{Registry, parse};
use zhiju::service::{Language, Service, ServiceSettings};

use super::homes::{Device, Dice, Home};
use super::sentences::{SWITCHED, tell};
use crate::adversarial::served;

/// Homes in which it is tried.
const HOMES: usize = 8;

/// Lists that are tried of each mixture.
const CASES: u32 = 200;

/// What stands between clauses.
const BETWEEN: [&str; 4] = ["，", "，再", "，然后", "。"];

/// Things that none of these homes has.
const STRANGE: [&str; 4] = ["跑步机", "缝纫机", "按摩椅", "地下室的灯"];

/// What is said of nothing that shall be moved.
const REPORTS: [&str; 5] = ["昨天我关了电视", "昨天下雨了", "我饿了", "隔壁又在装修", "快递刚刚到楼下了"];

/// What a clause is about. Each names its room, its thing and what to do: what is left out may be taken from a neighbour, and
/// conditions, exclusions, contrasts and corrections bind others on purpose.
#[derive(Clone, Copy, Debug)]
enum Sort {
    Switch,
    Value,
    Step,
    Strange,
    Report,
    Refusal,
    Question,
}

/// A clause by numbers, so that a failure shrinks to few and simple ones.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    sort: Sort,
    device: usize,
    on: bool,
    form: usize,
}

fn drawn(sorts: &[Sort]) -> impl Strategy<Value = Drawn> + use<> {
    let sorts = sorts.to_vec();
    (prop::sample::select(sorts), 0..64_usize, any::<bool>(), 0..64_usize).prop_map(|(sort, device, on, form)| Drawn {
        sort,
        device,
        on,
        form,
    })
}

/// The clause in words, and the device that it names.
fn clause<'a>(home: &'a Home, drawn: Drawn) -> (String, Option<&'a str>) {
    let Drawn { sort, device, on, form } = drawn;
    let pick = |kinds: &[&str]| -> Option<&'a Device> {
        let found: Vec<&Device> = home.devices.iter().filter(|d| kinds.contains(&d.kind)).collect();
        (!found.is_empty()).then(|| found[device % found.len()])
    };
    let strange = || (format!("{}{}", if on { "打开" } else { "关掉" }, STRANGE[form % STRANGE.len()]), None);
    let of = |kinds: &[&str], said: &dyn Fn(&Device) -> String| match pick(kinds) {
        Some(device) => (said(device), Some(device.id.as_str())),
        None => strange(),
    };
    match sort {
        Sort::Switch => of(&SWITCHED, &|d| tell(d, on, &mut Dice::new(form as u64))),
        Sort::Value => of(&["灯", "空调", "电视"], &|d| match d.kind {
            "灯" => format!("把{}灯的亮度调到{}%", d.room, 10 + form),
            "空调" => format!("{}空调调到{}度", d.room, 16 + form % 14),
            _ => format!("把{}电视的音量调到{}", d.room, 10 + form),
        }),
        Sort::Step => of(&["灯", "空调", "电视"], &|d| match d.kind {
            "灯" => format!("把{}的灯调{}一点", d.room, if on { "亮" } else { "暗" }),
            "空调" => format!("{}空调温度调{}一点", d.room, if on { "高" } else { "低" }),
            _ => format!("{}电视声音调{}一点", d.room, if on { "大" } else { "小" }),
        }),
        Sort::Strange => strange(),
        Sort::Report => (REPORTS[form % REPORTS.len()].to_owned(), None),
        // Not 厨房的空调不要关, which spares a part of what 把厨房的灯关掉 says before it.
        Sort::Refusal => of(&SWITCHED, &|d| format!("别{}{}的{}", if on { "开" } else { "关" }, d.room, d.kind)),
        Sort::Question => of(&SWITCHED, &|d| format!("{}的{}开着吗", d.room, d.kind)),
    }
}

/// What moves, by device.
type Moved = BTreeMap<String, Value>;

struct Bed {
    home: Home,
    service: Service,
    runtime: Runtime,
}

impl Bed {
    fn new(number: usize, language: &Language) -> Self {
        let home = Home::new(number);
        let (parsed, _) = parse(&home.document).unwrap();
        let registry = Arc::new(Registry::in_memory(parsed));
        let service = Service::new(registry, None, ServiceSettings::default(), language.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { home, service, runtime }
    }

    /// What a sentence moves, on a page of its own.
    fn moves(&self, said: &str) -> Moved {
        let request = Request {
            rid: "r".into(),
            page_id: said.into(),
            question: said.into(),
            instruct: true,
            ..Request::default()
        };
        let finish = self.runtime.block_on(served(&self.service, request)).unwrap();
        let Finish::Done { instructs, .. } = finish else { panic!("{said}: {finish:?}") };
        instructs.into_iter().map(|i| (i.id, json!([i.state, i.command.map(|c| c.id)]))).collect()
    }

    /// The clauses, each of another device, and what joins them.
    fn said(&self, drawn: &[Drawn]) -> Vec<String> {
        let mut named = Vec::new();
        let mut said: Vec<String> = Vec::new();
        for (clause, device) in drawn.iter().map(|drawn| clause(&self.home, *drawn)) {
            // Two reports may be one story, of which what stands between them is a part.
            let tells = REPORTS.contains(&clause.as_str()) && said.iter().any(|said| REPORTS.contains(&said.as_str()));
            if device.is_some_and(|device| named.contains(&device)) || said.contains(&clause) || tells {
                continue;
            }
            named.extend(device);
            said.push(clause);
        }
        said
    }
}

/// Draws lists of clauses of these sorts and tries each; what fails is made as small as it can be. The same lists each time.
fn hold(sorts: &[Sort], between: &[&'static str], fails: impl Fn(&Moved, &Moved) -> bool) {
    let language = Language::load(None).unwrap();
    let beds: Vec<Bed> = (0..HOMES).map(|number| Bed::new(number, &language)).collect();
    let config = proptest::test_runner::Config { cases: CASES, failure_persistence: None, ..Default::default() };
    let rng = proptest::test_runner::TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = proptest::test_runner::TestRunner::new_with_rng(config, rng);
    let lists = (0..HOMES, prop::collection::vec(drawn(sorts), 2..=10), prop::sample::select(between.to_vec()));
    let tried = runner.run(&lists, |(home, drawn, between)| {
        let bed = &beds[home];
        let said = bed.said(&drawn);
        let list = said.join(between);
        let alone = said.iter().flat_map(|clause| bed.moves(clause)).collect();
        let together = bed.moves(&list);
        prop_assert!(!fails(&alone, &together), "{}: alone {:?}, together {:?}", list, alone, together);
        Ok(())
    });
    tried.unwrap_or_else(|error| panic!("{sorts:?}: {error}"));
}

/// Commands, beside what this home does not have: each moves the same, however many there are.
#[test]
fn no_command_changes_what_another_moves() {
    hold(&[Sort::Switch, Sort::Value, Sort::Step, Sort::Strange], &BETWEEN, |alone, together| alone != together);
}

/// Left out, because nothing moves then where something should: `关掉跑步机，把书房的灯关掉，隔壁又在装修`, a report beside a thing that
/// nobody knows; `把阳台的灯调暗一点，别关卫生间的灯`, a refusal beside a step; and `然后` before a question, which nobody says.
#[test]
fn no_report_refusal_or_question_changes_what_a_command_moves() {
    let commands = [Sort::Switch, Sort::Value];
    for (beside, between) in [(Sort::Report, &BETWEEN[..]), (Sort::Refusal, &BETWEEN), (Sort::Question, &["，", "。"])]
    {
        hold(&[&commands[..], &[beside]].concat(), between, |alone, together| alone != together);
    }
}

/// Reports, refusals and questions in one sentence may still stop all of it. They make it move nothing else. Nobody says 再 or
/// 然后 before a report: `把书房灯的亮度调到10%，再快递刚刚到楼下了` sets lights downstairs as well where something unknown follows.
#[test]
fn whatever_stands_beside_a_command_it_moves_nothing_else() {
    let all = [Sort::Switch, Sort::Value, Sort::Step, Sort::Strange, Sort::Report, Sort::Refusal, Sort::Question];
    hold(&all, &["，", "。"], |alone, together| together.iter().any(|(id, moved)| alone.get(id) != Some(moved)));
}
