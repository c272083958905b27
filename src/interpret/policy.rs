//! Who reads an utterance, and when: from cheap to expensive, until one of them knows.

use std::sync::Arc;
use std::time::Instant;

use super::grammatical::Grammar;
use super::{By, HomeModel, Interpretation, Interpreter, Utterance};
use crate::dialogue::{Meant, Nothing};
use crate::language::grammar::Rejection;
use crate::llm::metrics::{End, MODEL, ParserMetrics};

/// The readers, the cheapest first: the grammar, and those who read again what it leaves in doubt.
#[derive(Debug)]
pub struct Interpreters {
    readers: Vec<Box<dyn Interpreter>>,
    ask_about_chatter: bool,
    /// What each parser did.
    parsers: ParserMetrics,
}

/// What was made of an utterance.
#[derive(Debug)]
pub struct Readings {
    /// By the grammar; what stands, where what was read again cannot.
    pub first: Interpretation,
    /// When that was known.
    pub parsed: Instant,
    /// By the first of the others that knows more.
    pub again: Option<Interpretation>,
}

impl Interpreters {
    /// The grammar alone. `ask_about_chatter`: whether language models are asked about that too, where it calls the assistant by name.
    pub fn new(ask_about_chatter: bool) -> Self {
        Self { readers: vec![Box::<Grammar>::default()], ask_about_chatter, parsers: ParserMetrics::default() }
    }

    /// The same, which count in `parsers`.
    pub fn count_in(&mut self, parsers: ParserMetrics) {
        self.add(Grammar(parsers.clone()));
        self.parsers = parsers;
    }

    /// One more reader, in its place; another of its sort goes.
    pub fn add(&mut self, reader: impl Interpreter + 'static) {
        self.readers.retain(|known| known.by() != reader.by());
        let place = self.readers.partition_point(|known| known.by() < reader.by());
        self.readers.insert(place, Box::new(reader));
    }

    /// Lets all of them get ready for a home.
    pub async fn prepare(&self, home: &Arc<HomeModel>) {
        for reader in &self.readers {
            reader.prepare(home).await;
        }
    }

    /// Reads an utterance, until one of them knows what it means.
    pub async fn read(&self, utterance: Utterance<'_>) -> Readings {
        let mut readings = Readings { first: Interpretation::none(), parsed: Instant::now(), again: None };
        let mut guess = None;
        for reader in &self.readers {
            if !self.may_read(reader.by(), utterance, &readings.first) {
                continue;
            }
            let started = Instant::now();
            // What was learned knows less than the lexicon of which way a word goes.
            let found = reader.read(utterance, &readings.first).await.filter(|found| !found.turns_against_its_words());
            self.count(reader.by(), found.as_ref(), started);
            match (reader.by(), found) {
                (By::Grammar, Some(first)) => (readings.first, readings.parsed) = (first, Instant::now()),
                (_, Some(found)) if found.forgets_a_part(utterance) => {}
                (_, Some(found)) if found.by == By::Guessed => guess = Some(found),
                (_, Some(found)) => {
                    readings.again = Some(found);
                    break;
                }
                _ => {}
            }
        }
        // It is asked about in place of what was meant, where nobody else can be asked.
        if readings.again.is_none() && !self.readers.iter().any(|reader| matches!(reader.by(), By::Models(_))) {
            readings.again = guess;
        }
        readings
    }

    /// Who may read what once more. Only what was learned from such looks for a command beside a report, a refusal, a time or a
    /// word to somebody else; nothing else is read into these: whoever is asked about it would find something.
    fn may_read(&self, reader: By, utterance: Utterance<'_>, first: &Interpretation) -> bool {
        let (unsure, chatter) = match &first.meant {
            Meant::Nothing(Nothing::Unsure(_)) => (true, false),
            Meant::Nothing(Nothing::Rejected(Rejection::Chatter)) => (false, true),
            _ => (false, false),
        };
        let told_of = match first.meant {
            Meant::Nothing(Nothing::Rejected(Rejection::Talk | Rejection::Negated | Rejection::Later)) => true,
            Meant::Nothing(Nothing::Rejected(Rejection::OtherAddressee)) => !utterance.calls_another(),
            _ => false,
        };
        let aside = matches!(first.meant, Meant::Nothing(Nothing::Rejected(Rejection::Aside)));
        match reader {
            By::Grammar => true,
            // There may be a command among comments; who says so of himself or of others tells besides.
            By::Learned => unsure || chatter || told_of || aside || first.is_in_part() || first.names_the_unfound(),
            // Of several orders one may have been cut wrong.
            By::Ranked => unsure || chatter || told_of || first.is_in_part() || first.is_several(),
            By::Similarity => first.doubt.is_some(),
            // Nobody of his own: whoever ranks asks.
            By::Guessed => false,
            // What a family says at home is nobody's business, and small models take talk for commands.
            By::Models(_) => {
                let told = unsure || chatter && self.ask_about_chatter && utterance.calls_us();
                told && first.doubt.is_some()
            }
        }
    }

    /// Counts a call that began at `started`. The grammar and language models count for themselves, and who would only be silent
    /// has not understood.
    fn count(&self, by: By, found: Option<&Interpretation>, started: Instant) {
        let end = match (by, found.map(|found| &found.meant)) {
            _ if found.is_some_and(|found| found.by == By::Guessed) => return,
            (By::Ranked | By::Learned | By::Similarity, Some(Meant::Nothing(_))) => return,
            (By::Ranked | By::Learned | By::Similarity, Some(_)) => End::Sure,
            (By::Similarity, None) => End::Unsure,
            _ => return,
        };
        if let Some(counters) = self.parsers.parser(MODEL) {
            counters.ended(end, started.elapsed());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use serde_json::json;
    use tokio::sync::mpsc;

    use super::*;
    use crate::dialogue::Page;
    use crate::home::Live;
    use crate::language::grammar::SpeakerContext;
    use crate::language::lexicon::Lexicon;
    use crate::resolve::Context;
    use crate::resolve::reply::Replies;
    use futures_util::future::BoxFuture;

    /// Who was asked, in order; the last of them knows.
    #[derive(Debug)]
    struct Asked(By, Arc<Mutex<Vec<By>>>, bool);

    impl Interpreter for Asked {
        fn by(&self) -> By {
            self.0
        }

        fn read<'a>(
            &'a self,
            _utterance: Utterance<'a>,
            first: &'a Interpretation,
        ) -> BoxFuture<'a, Option<Interpretation>> {
            self.1.lock().unwrap().push(self.0);
            let known = self.2.then(|| Interpretation::again(self.0, first.meant.clone(), None));
            Box::pin(std::future::ready(known))
        }
    }

    const MODELS: By = By::Models("");

    /// Who is asked about a sentence, if `knows` is the first that knows.
    async fn asked(sentence: &str, knows: By, ask_about_chatter: bool) -> Vec<By> {
        let document = json!({
            "layout": ["客厅"],
            "model": {"lamp": {"describe": "灯", "property": {"power": {"type": "bool"}}}},
            "devices": [{"id": "lamp", "name": "台灯", "local": "客厅", "device": {"model": "lamp"}}],
        });
        let (home, _) = crate::home::parse(&document).unwrap();
        let home = Arc::new(HomeModel::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home)));
        let speaker = SpeakerContext { local: Some(0), names: vec!["小牛".into()], ..SpeakerContext::default() };
        let (events, _heard) = mpsc::channel(1);
        let (rid, page, last) = ("r", Page::default(), []);
        let replies = Replies::built_in().unwrap();
        let live = Live::initial(home.world.home());
        let context = Context {
            world: &home.world,
            live: &live,
            local: speaker.local,
            last: &last,
            handful: 4,
            replies: &replies,
            asking: false,
            fresh_since_ms: 0,
            told: None,
            chosen: None,
            confirmed: false,
            usage: None,
        };
        let utterance = Utterance {
            rid,
            asker: &crate::frame::Origin::default(),
            sentence,
            home: &home,
            speaker: &speaker,
            page: &page,
            context,
            last: &last,
            now_ms: 1,
            events: &events,
        };
        let asked = Arc::default();
        let mut readers = Interpreters::new(ask_about_chatter);
        for by in [MODELS, By::Learned, By::Similarity] {
            readers.add(Asked(by, Arc::clone(&asked), by == knows));
        }
        readers.read(utterance).await;
        asked.lock().unwrap().clone()
    }

    #[tokio::test]
    async fn readers_are_asked_from_cheap_to_expensive_until_one_knows() {
        let sentence = "把台灯稀里糊涂打开";
        for (knows, order) in [
            (By::Learned, &[By::Learned][..]),
            (By::Similarity, &[By::Learned, By::Similarity]),
            (MODELS, &[By::Learned, By::Similarity, MODELS]),
        ] {
            assert_eq!(asked(sentence, knows, false).await, order);
        }
    }

    #[tokio::test]
    async fn language_models_hear_talk_only_where_the_owner_wants_it_and_they_are_called() {
        for (sentence, chatter, hears) in [
            ("今天股票又跌了", true, false),
            ("小牛，今天股票又跌了", false, false),
            ("小牛，今天股票又跌了", true, true),
        ] {
            let asked = asked(sentence, MODELS, chatter).await;
            assert!(asked.starts_with(&[By::Learned, By::Similarity]), "{sentence} {asked:?}");
            assert_eq!(asked.contains(&MODELS), hears, "{sentence}");
        }
    }

    #[tokio::test]
    async fn nobody_reads_anything_into_what_is_sure_taken_back_or_said_to_others() {
        for sentence in ["打开台灯", "打开台灯，算了", "小爱同学，打开台灯"] {
            assert_eq!(asked(sentence, MODELS, true).await, [], "{sentence}");
        }
    }

    #[tokio::test]
    async fn beside_a_report_a_refusal_or_a_remark_only_the_learned_reader_looks_for_a_command() {
        for sentence in ["先不要开台灯", "他说把台灯关了", "妈妈，你先坐，打开台灯", "懒得开台灯"]
        {
            assert_eq!(asked(sentence, MODELS, true).await, [By::Learned], "{sentence}");
        }
    }
}
