//! Questions about the home.

mod compared;
mod done;
mod how_long;
mod several;
mod supposed;
mod unfold;

pub(super) use compared::compared;
pub(super) use done::done;
pub(super) use how_long::how_long;
pub(super) use several::each;
pub(super) use supposed::supposed;
pub(super) use unfold::unfold;

use super::super::action::{Action, Ask, Status};
use super::super::lexicon::{Lexicon, Marks, PropertyId, Question, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{Head, Nominal};
use super::reading::Reading;
use super::{Parse, Rejection, SpeakerContext, order};

/// Words, and characters of each, that may be strange in a question that is clear without them.
const LITTLE: usize = 2;

/// Whether a sentence asks. A request in the form of a question (能不能打开灯, 关下灯好吗) does not.
pub fn is_question(tokens: &[Token], marks: &Marks) -> bool {
    let last = tokens.iter().rposition(|t| !t.has(&Sense::Punctuation) && !only_particle(t));
    let asks = |(at, t): (usize, &Token)| {
        // 空气好不好: of what is measured it asks how that is.
        let how = t.has(&Sense::Question(Question::State));
        let measured = how && at > 0 && super::nominal::property(&tokens[at - 1]).is_some();
        if t.is_entity() || t.has(&Sense::Polite) && !measured {
            return false;
        }
        t.senses.iter().any(|s| match s {
            Sense::Question(Question::YesNo) => !t.has(&Sense::Not) || Some(at) == last,
            // 开几盏灯: so many as it says, after a verb.
            Sense::Question(Question::HowMany) => !(t.has(&Sense::Some) && told(tokens, at, marks)),
            Sense::Question(Question::HowMuch) => !t.has(&Sense::Some) || at + 1 == tokens.len(),
            Sense::Question(Question::State) => true,
            Sense::Question(_) => true,
            _ => false,
        })
    };
    if offers(tokens, marks) || tag(tokens, marks) || perfect(tokens) {
        return true;
    }
    if !tokens.iter().enumerate().any(asks) {
        return false;
    }
    let polite = tokens.iter().position(|t| t.has(&Sense::Polite));
    let verb =
        tokens.iter().position(|t| t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Step { .. })));
    let request = tokens.iter().any(|t| t.has(&Sense::Disposal));
    let strong = tokens
        .iter()
        .any(|t| t.any(|s| matches!(s, Sense::Question(q) if *q != Question::YesNo)) && !t.has(&Sense::Polite));
    match (polite, verb) {
        // 大灯能关了不: 了 makes it a wish, and no question of what it can do.
        (Some(polite), Some(verb)) => {
            let changes = tokens[verb].text.ends_with(&marks.changed);
            strong || !(polite < verb && (request || polite == 0 || changes))
        }
        _ => true,
    }
}

/// Whether a sentence asks in the words of a value of the home and names nothing that could take it: `今天天气怎么样` of what a speaker can
/// be told to say.
pub fn asks_as_a_value(tokens: &[Token], vocabulary: &Vocabulary) -> bool {
    let asks = |word: &str| {
        let cuts: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        let parts =
            cuts.iter().enumerate().flat_map(|(first, from)| cuts[first + 1..].iter().map(|to| &word[*from..*to]));
        let question = |s: &Sense| matches!(s, Sense::Question(question) if *question != Question::YesNo);
        let long = |part: &&str| part.chars().count() > 1;
        parts.filter(long).any(|part| vocabulary.lexicon.senses(part).iter().any(question))
    };
    let value = |t: &Token| t.has(&Sense::Value) && asks(&t.text);
    let named = |t: &Token| super::nominal::is_thing(t) || t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare));
    tokens.iter().any(value) && !tokens.iter().any(named)
}

/// Whether a measured value is asked of a town: `上海湿度多少` is no question about the home.
pub fn asks_of_a_town(tokens: &[Token], vocabulary: &Vocabulary) -> bool {
    let measured = |t: &Token| {
        let property = super::nominal::property(t).filter(|_| !t.is_entity());
        property.is_some_and(|p| !vocabulary.lexicon.properties[p].flag)
    };
    let Some(at) = tokens.iter().position(measured) else { return false };
    let small = |t: &&Token| t.any(|s| matches!(s, Sense::Of | Sense::Filler)) && !t.is_entity();
    let of: String = tokens[..at].iter().filter(|t| !small(t)).map(|t| t.text.as_str()).collect();
    is_question(tokens, &vocabulary.lexicon.marks) && vocabulary.lexicon.asides.towns.contains(&of)
}

/// Whether a verb stands before a position and nothing but small words before that. `灯开了几盏` asks of the lamps.
fn told(tokens: &[Token], at: usize, marks: &Marks) -> bool {
    let thing = tokens[..at].iter().position(super::nominal::is_thing);
    let done = tokens[..at].last().is_some_and(|t| t.text.ends_with(&marks.changed) && !t.is_entity());
    // 灯开了几盏 关掉 asks before it tells.
    let clause = tokens[at + 1..].split(|t| t.has(&Sense::Punctuation)).next().unwrap_or_default();
    let ends = clause.iter().all(|t| t.has(&Sense::Particle));
    // 开了几盏灯
    let rest = |t: &Token| t.has(&Sense::Particle) || super::nominal::is_thing(t) && !t.any(Sense::is_action);
    if done && (thing.is_some() && ends || clause.iter().all(rest)) {
        return false;
    }
    let before: Vec<&Token> =
        tokens[..at].iter().filter(|t| !t.has(&Sense::Filler) && !t.has(&Sense::Particle)).collect();
    let ends =
        tokens.last().is_some_and(|t| t.any(|s| matches!(s, Sense::Question(Question::YesNo | Question::State))));
    before.last().is_some_and(|t| t.any(|s| matches!(s, Sense::Verb(_)))) && !ends
}

/// `是制冷还是制热`, `开着还是关着`: two states to choose from, not two things to do.
fn offers(tokens: &[Token], marks: &Marks) -> bool {
    let state = |t: &Token| t.any(|s| matches!(s, Sense::State(_) | Sense::Choice(_) | Sense::Value));
    // 是升上去的还是放下来的, 是六十还是八十
    let told = |t: &Token| state(t) || t.any(|s| matches!(s, Sense::Verb(_) | Sense::Number(_)));
    let Some(at) = tokens.iter().position(|t| t.has(&Sense::Alternative)) else { return false };
    let (before, after) = (&tokens[..at], &tokens[at + 1..]);
    let asked = before.iter().any(|t| t.has(&Sense::Is))
        || before.last().is_some_and(|t| t.any(|s| matches!(s, Sense::State(_))));
    let whole = !tokens.iter().any(|t| t.has(&Sense::Punctuation) || t.has(&Sense::Disposal));
    let is = before.iter().rposition(|t| t.has(&Sense::Is) && !t.is_entity());
    let said = before.iter().rfind(|t| !t.any(|s| matches!(s, Sense::Of | Sense::Particle | Sense::Unit(_))));
    let chosen = is.is_some_and(|is| before[is + 1..].iter().any(told)) && said.is_some_and(told);
    let stated = asked && before.last().is_some_and(state) && after.iter().any(state);
    whole && (stated || chosen && after.iter().any(told) || lies_between(before, after, marks))
}

/// `空调现在制冷还是制热`, `音量二十还是三十`, `窗帘拉开还是拉上`: of one thing, two that it may be. What is told before it
/// (`调到二十还是三十`) and what is wished for behind it (`还是制热吧`) is something else.
fn lies_between(before: &[Token], after: &[Token], marks: &Marks) -> bool {
    let small =
        |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler | Sense::Of | Sense::Unit(_) | Sense::Is));
    let sort = |t: &Token| {
        let of = |test: fn(&Sense) -> bool| t.any(test) && !t.is_entity();
        match () {
            () if of(|s| matches!(s, Sense::Number(_))) => Some(0),
            () if of(|s| matches!(s, Sense::Choice(_) | Sense::Value)) => Some(1),
            () if of(|s| matches!(s, Sense::State(_) | Sense::Verb(_))) => Some(2),
            () => None,
        }
    };
    let sets = |t: &Token| t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare)) && !t.is_entity();
    let thing = before.iter().rposition(|t| super::nominal::is_thing(t) || super::nominal::property(t).is_some());
    let Some(thing) = thing.filter(|_| !before.iter().any(sets)) else { return false };
    let wished = after.last().is_some_and(|t| t.has(&Sense::Particle) && t.text == marks.tag);
    let pick = |tokens: &[Token]| {
        let mut said = tokens.iter().filter(|t| !small(t) || sort(t).is_some());
        let one = said.next().and_then(sort);
        one.filter(|_| said.next().is_none())
    };
    let one = pick(&before[thing + 1..]);
    one.is_some() && one == pick(after) && !wished
}

/// `音量是六十还是八十`: how much it is.
pub(super) fn either(mut tokens: Vec<Token>, marks: &Marks) -> Vec<Token> {
    let Some(at) = tokens.iter().position(|t| t.has(&Sense::Alternative)) else { return tokens };
    let counts = |t: &Token| t.any(|s| matches!(s, Sense::Number(_) | Sense::Unit(_) | Sense::Particle));
    let is = tokens[..at].iter().rposition(|t| t.has(&Sense::Is) && !t.is_entity());
    // 音量二十还是三十
    let is =
        is.or_else(|| tokens[..at].iter().position(|t| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity()));
    let of = |is: &usize| tokens[is + 1..].iter().enumerate().all(|(i, t)| is + 1 + i == at || counts(t));
    if let Some(is) = is.filter(of).filter(|_| offers(&tokens, marks)) {
        let much = Token { senses: vec![Sense::Question(Question::HowMuch)], ..tokens[at].clone() };
        tokens.splice(is.., [much]);
    }
    tokens
}

/// `铁卷门有关好吗`: 有 before a verb asks whether it was done.
fn perfect(tokens: &[Token]) -> bool {
    let has = |t: &Token| t.has(&Sense::Exists) && t.text.chars().count() == 1 && !t.is_entity();
    let done = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_) | Sense::State(_)));
    let last = tokens.iter().rfind(|t| !t.has(&Sense::Punctuation));
    let asks = last.is_some_and(|t| t.any(|s| matches!(s, Sense::Question(Question::YesNo) | Sense::Polite)));
    asks && tokens.windows(2).any(|pair| has(&pair[0]) && done(&pair[1]))
}

/// `电热毯没关吧`: whoever says so wants to know.
fn tag(tokens: &[Token], marks: &Marks) -> bool {
    let said: Vec<&Token> = tokens.iter().filter(|t| !t.has(&Sense::Punctuation)).collect();
    let state = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_) | Sense::State(_)));
    match &said[..] {
        [.., not, verb, end] => {
            not.has(&Sense::Not)
                && marks.tells_undone(&not.text)
                && state(verb)
                && end.has(&Sense::Particle)
                && end.text == marks.tag
        }
        _ => false,
    }
}

fn only_particle(token: &Token) -> bool {
    token.has(&Sense::Particle) && !token.any(|s| matches!(s, Sense::Question(_)))
}

/// `哪个灯都行`: no question but any of them.
pub fn whichever(mut tokens: Vec<Token>) -> Vec<Token> {
    let which = |t: &Token| t.has(&Sense::Question(Question::Which)) && !t.is_entity();
    let Some(at) = tokens.iter().position(which) else { return tokens };
    let ends = |t: Option<&Token>| t.is_none_or(|t| t.has(&Sense::Punctuation));
    let agrees = |t: &Token| t.any(|s| matches!(s, Sense::Filler | Sense::Polite));
    let all = (at + 1..tokens.len())
        .take(3)
        .find(|i| tokens[*i].has(&Sense::Each) && tokens.get(i + 1).is_some_and(agrees) && ends(tokens.get(i + 2)));
    if let Some(all) = all {
        tokens[at].senses = vec![Sense::AnyOne];
        // What follows is said of it, as if nothing stood between.
        tokens.drain(all..(all + 3).min(tokens.len()));
    }
    tokens
}

/// `灯忘关了吗`: whoever asks whether something was forgotten asks whether it still is as before.
pub(super) fn forgotten(mut tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    if !is_question(&tokens, &lexicon.marks) {
        return tokens;
    }
    for at in 0..tokens.len().saturating_sub(1) {
        let verb = |s: &Sense| if let Sense::Verb(verb) = s { lexicon.verbs[*verb].opposite } else { None };
        let undone = tokens[at + 1].senses.iter().find_map(verb).filter(|_| !tokens[at + 1].is_entity());
        let forgot = !tokens[at].is_entity() && lexicon.marks.forgot.contains(&tokens[at].text);
        if let Some(undone) = undone.filter(|_| forgot) {
            tokens[at].senses = vec![Sense::Filler];
            tokens[at + 1].senses = vec![Sense::State(undone)];
            // Wherever whoever asks has gone: 我忘关灯了吗.
            if !tokens.iter().any(|t| super::nominal::place(t).is_some() || t.has(&Sense::WholeHome)) {
                tokens.insert(at, Token::unsaid(Sense::WholeHome));
                return tokens;
            }
        }
    }
    tokens
}

/// Reads a question.
pub fn question(tokens: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Parse {
    let mut reading = Reading::default();
    reading.read(tokens, vocabulary);
    let Some(ask) = reading.ask(vocabulary) else {
        return Parse::Rejected(Rejection::Chatter);
    };
    let ask = if ask == Ask::Where && lacks(tokens) { Ask::Lacking } else { ask };
    let ask = choices(ask, tokens, &reading.nominal, &vocabulary.lexicon.marks);
    let ask = how_far(ask, tokens, &reading.nominal, vocabulary);
    // 空调怎么了，一点都不凉: whoever says what is the matter does not ask for it.
    let wrong = tokens.iter().any(|t| t.has(&Sense::Question(Question::Wrong)) && !t.is_entity());
    let thing = matches!(reading.nominal.head, Some(Head::Named { .. } | Head::Kind(..) | Head::Sort(..)));
    if wrong && (ask != Ask::State || !thing || !reading.loose.is_empty()) {
        return Parse::Rejected(Rejection::Talk);
    }
    // 谁去开一下门, 谁让你关灯的: people are asked, and of people nobody here knows what they did.
    let who = tokens.iter().any(|t| t.has(&Sense::Question(Question::Who)) && !t.is_entity());
    // 谁开的灯
    let of = &vocabulary.lexicon.marks.of;
    let did = |t: &Token| t.any(|s| matches!(s, Sense::State(_))) && t.text.ends_with(of.as_str());
    let acts = |t: &Token| (t.any(|s| matches!(s, Sense::Verb(_) | Sense::Disposal)) || did(t)) && !t.is_entity();
    if who && (tokens.iter().any(acts) || matches!(reading.nominal.head, Some(Head::Reference(_)))) {
        return Parse::Rejected(Rejection::Chatter);
    }
    let asks_rooms = reading.rooms;
    let mut nominal = reading.nominal;
    lock_of_doors(&mut nominal, &ask, vocabulary);
    let several = matches!(ask, Ask::Which(_) | Ask::Count(_) | Ask::Most(..) | Ask::List | Ask::Number);
    // 谁在家: people are asked for, where the home knows any.
    let person = vocabulary.lexicon.kind("person").filter(|p| vocabulary.devices.iter().any(|d| d.is(*p)));
    if let Some(person) = person.filter(|_| nominal.head.is_none() && who) {
        nominal.head = Some(Head::Kind(person, vocabulary.lexicon.kinds[person].words[0].clone()));
    }
    // 有什么开着, 哪些灯: without a subject all devices are asked about.
    if nominal.head.is_none() && several {
        nominal.head = Some(Head::Everything);
    }
    // 哪几个房间有空调: the word for a kind is the name of each of them.
    let of_kind = match &nominal.head {
        Some(Head::Kind(..) | Head::Sort(..)) => true,
        Some(Head::Named { kind: Some(_), devices, .. }) => asks_rooms && devices.len() > 1,
        _ => false,
    };
    let rooms = matches!(ask, Ask::Where | Ask::Lacking) && of_kind;
    // 有没有门没锁
    let any = matches!(ask, Ask::Any(_)) && matches!(nominal.head, Some(Head::Kind(..)));
    nominal.all |= (several || rooms || any) && nominal.places.is_empty();
    let strange = matches!(nominal.head, Some(Head::Unknown(_) | Head::Strange(_)))
        || nominal.places.iter().any(|p| matches!(p, super::nominal::Place::Unknown(_)));
    if strange && nominal.head.as_ref().is_none_or(|h| !matches!(h, Head::Named { .. })) {
        return Parse::Rejected(Rejection::Chatter);
    }
    if nominal.head.is_none() && nominal.places.iter().any(|place| is_weather(place, vocabulary)) {
        return Parse::Rejected(Rejection::Talk);
    }
    // 电视这会儿接的是哪个信号源: what is measured or set is plainly asked for, whatever the short word before it.
    let plain =
        matches!(ask, Ask::Value(_)) && tells(&nominal, &ask, vocabulary) && is_little(&reading.loose, vocabulary);
    if reading.loose.is_empty() || plain {
        Parse::Orders(vec![order::order(&nominal, &Action::Ask(ask), vocabulary, speaker)])
    } else if nominal.places.is_empty()
        && matches!(nominal.head, None | Some(Head::Everything | Head::Rooms | Head::Reference(None)))
    {
        Parse::Rejected(Rejection::Chatter)
    } else {
        Parse::Unsure(vec![order::order(&nominal, &Action::Ask(ask), vocabulary, speaker)], reading.loose)
    }
}

/// `有没有门没锁`: whether doors are locked their locks tell.
fn lock_of_doors(nominal: &mut Nominal, ask: &Ask, vocabulary: &Vocabulary) {
    let lexicon = &vocabulary.lexicon;
    let (Ask::Is(status) | Ask::Any(status) | Ask::Which(status) | Ask::Count(status)) = ask else { return };
    let locks = ["lock", "unlock"].map(|id| lexicon.verb(id));
    let Status::Verb(verb) = status else { return };
    let doors = matches!(nominal.head, Some(Head::Kind(kind, _)) if Some(kind) == lexicon.kind("door"));
    if let Some(lock) = lexicon.kind("lock").filter(|_| doors && locks.contains(&Some(*verb))) {
        nominal.head = Some(Head::Kind(lock, lexicon.kinds[lock].words[1].clone()));
    }
}

/// `哪个房间没有空调`
fn lacks(tokens: &[Token]) -> bool {
    let asks_rooms = tokens.iter().any(|t| t.has(&Sense::AnyRoom) && t.has(&Sense::Question(Question::Which)));
    let none = |t: &Token| t.has(&Sense::Not) && t.has(&Sense::Question(Question::YesNo)) && !t.is_entity();
    asks_rooms && tokens.windows(2).any(|pair| none(&pair[0]) && super::nominal::is_thing(&pair[1]))
}

/// `空调有哪些模式`, `最高能调到几度`: what can be set is asked for, and not what is; of one thing so is what it has at most (`空调最高几度`).
fn choices(ask: Ask, tokens: &[Token], nominal: &Nominal, marks: &Marks) -> Ask {
    let (Ask::Value(property) | Ask::Most(property, _)) = ask else { return ask };
    let much = |t: &Token| t.any(|s| matches!(s, Sense::Question(Question::HowMuch | Question::HowMany)));
    // 哪个房间最热 compares rooms, whoever can say so.
    let which = |t: &Token| matches!(ask, Ask::Value(_)) && t.has(&Sense::Question(Question::Which));
    let able = tokens.iter().position(|t| t.has(&Sense::Polite) && !t.is_entity());
    // 能不能看看空调几度 asks to be told.
    let told = tokens.iter().any(|t| t.has(&Sense::AskFor));
    let can = able.is_some_and(|at| tokens[at + 1..].iter().any(|t| much(t) || which(t))) && !told;
    let thing = matches!(nominal.head, Some(Head::Named { .. } | Head::Kind(..) | Head::Sort(..)));
    let at_most = matches!(ask, Ask::Most(..)) && thing && tokens.iter().any(much);
    let one_of = tokens.iter().any(|t| marks.options.contains(&t.text)) && matches!(ask, Ask::Value(_));
    if can || at_most || one_of { Ask::Range(property) } else { ask }
}

/// `窗帘开了百分之几`, `通风口开到多少`: of what opens by degrees, how far.
fn how_far(ask: Ask, tokens: &[Token], nominal: &Nominal, vocabulary: &Vocabulary) -> Ask {
    let small = |t: &&Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)) && !is_how_much(t);
    let last = tokens.iter().rfind(|t| !small(t));
    let opens = |t: &Token| t.any(|s| matches!(s, Sense::State(_) | Sense::Set { open: true })) && !t.is_entity();
    let asked = last.is_some_and(is_how_much) && tokens.iter().any(opens);
    let counts = matches!(ask, Ask::Any(_) | Ask::Which(_) | Ask::Count(_) | Ask::Number);
    let position = vocabulary.lexicon.property("position").filter(|_| asked && counts);
    let devices = super::feature::meant(nominal, vocabulary).unwrap_or_default();
    let far =
        |p: &PropertyId| !devices.is_empty() && devices.iter().all(|d| vocabulary.devices[*d].about(*p).is_some());
    position.filter(far).map_or(ask, Ask::Value)
}

fn is_how_much(token: &Token) -> bool {
    token.has(&Sense::Question(Question::HowMuch))
}

/// `外面风大吗`: whether a place is all that is outdoors, where this home has no room that is.
fn is_weather(place: &super::nominal::Place, vocabulary: &Vocabulary) -> bool {
    let rooms = &vocabulary.lexicon.rooms;
    let outside = |name: &str| {
        let senses = vocabulary.lexicon.senses(&crate::text::normalize(name));
        senses.iter().any(|s| matches!(s, Sense::RoomClass(class) | Sense::RoomSort(class) if rooms[*class].outside))
    };
    let known = || vocabulary.home.rooms.iter().any(|room| outside(&room.name));
    matches!(place, super::nominal::Place::Class(class, _) if rooms[*class].whole && !known())
}

/// Whether what is named has what is asked for.
fn tells(nominal: &super::nominal::Nominal, ask: &Ask, vocabulary: &Vocabulary) -> bool {
    let Ask::Value(property) = ask else { return false };
    let devices = super::feature::meant(nominal, vocabulary);
    devices.is_some_and(|devices| devices.iter().any(|d| vocabulary.devices[*d].about(*property).is_some()))
}

/// Whether words that nobody knows are too little to be what is asked for.
fn is_little(loose: &[String], vocabulary: &Vocabulary) -> bool {
    let topic = |word: &String| vocabulary.lexicon.topics.iter().any(|topic| word.contains(topic));
    loose.len() <= LITTLE && loose.iter().all(|word| word.chars().count() <= LITTLE && !topic(word))
}
