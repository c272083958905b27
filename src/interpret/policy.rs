//! Who reads an utterance, and when: from cheap to expensive, until one of them knows.

use std::sync::Arc;
use std::time::Instant;

use super::{By, Doubt, HomeModel, Interpretation, Interpreter, Utterance};
use crate::dialogue::{Meant, Nothing};
use crate::language::grammar::{self, Parse, Silence};
use crate::llm::metrics::{End, GRAMMAR, MODEL, ParserMetrics};

/// The readers after the grammar, the cheapest first.
#[derive(Debug, Default)]
pub struct Interpreters {
    readers: Vec<Box<dyn Interpreter>>,
    ask_about_chatter: bool,
    /// What each parser did.
    parsers: ParserMetrics,
}

impl Interpreters {
    /// None yet. `ask_about_chatter`: whether language models are asked about that too, where it calls the assistant by name.
    pub fn new(ask_about_chatter: bool) -> Self {
        Self { ask_about_chatter, ..Self::default() }
    }

    /// The same, which count in `parsers`.
    pub fn count_in(&mut self, parsers: ParserMetrics) {
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

    /// What the grammar makes of an utterance.
    pub fn first(&self, utterance: Utterance<'_>) -> Interpretation {
        let started = Instant::now();
        let parse = grammar::parse(utterance.sentence, &utterance.home.world.vocabulary, utterance.hearing);
        self.count(GRAMMAR, if matches!(parse, Parse::Unsure(..)) { End::Unsure } else { End::Sure }, started);
        let doubt = Doubt::of(&parse);
        let meant = utterance.in_its_light(utterance.sentence, parse);
        let doubt = doubt.filter(|doubt| doubt.stands(&meant));
        Interpretation { meant, by: By::Grammar, doubt, evidence: None, vector: 0.0 }
    }

    /// What the first of the others that knows makes of what the grammar made `first` of; `None` when that stands.
    pub async fn again(&self, utterance: Utterance<'_>, first: &Interpretation) -> Option<Interpretation> {
        for reader in self.readers.iter().filter(|reader| self.may_read(reader.by(), utterance, first)) {
            let started = Instant::now();
            let found = reader.read(utterance, first).await;
            match (reader.by(), &found) {
                (By::Learned | By::Similarity, Some(found)) if !matches!(found.meant, Meant::Nothing(_)) => {
                    self.count(MODEL, End::Sure, started);
                }
                (By::Similarity, None) => self.count(MODEL, End::Unsure, started),
                // Who would only be silent has not understood; language models count for themselves.
                _ => {}
            }
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Who may read what once more. Nothing is read into a report, a refusal, a wish for later or a word to somebody else:
    /// whoever is asked about it would find something.
    fn may_read(&self, reader: By, utterance: Utterance<'_>, first: &Interpretation) -> bool {
        let (unsure, chatter) = match &first.meant {
            Meant::Nothing(Nothing::Unsure(_)) => (true, false),
            Meant::Nothing(Nothing::Silent(Silence::Chatter)) => (false, true),
            _ => (false, false),
        };
        match reader {
            By::Grammar => false,
            // There may be a command among comments.
            By::Learned => unsure || chatter,
            By::Similarity => first.doubt.is_some(),
            // What a family says at home is nobody's business, and small models take talk for commands.
            By::Models(_) => {
                let told = unsure || chatter && self.ask_about_chatter && utterance.calls_us();
                told && first.doubt.is_some()
            }
        }
    }

    /// Counts a call of a parser that began at `started`.
    fn count(&self, parser: &str, end: End, started: Instant) {
        if let Some(counters) = self.parsers.parser(parser) {
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
    use crate::interpret::Reading;
    use crate::language::grammar::Hearing;
    use crate::language::lexicon::Lexicon;

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
        ) -> Reading<'a, Option<Interpretation>> {
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
        let hearing = Hearing { local: Some(0), names: vec!["小牛".into()], ..Hearing::default() };
        let (events, _heard) = mpsc::channel(1);
        let (rid, page, last) = ("r", Page::default(), []);
        let utterance = Utterance {
            rid,
            sentence,
            home: &home,
            hearing: &hearing,
            page: &page,
            last: &last,
            now_ms: 1,
            events: &events,
        };
        let asked = Arc::default();
        let mut readers = Interpreters::new(ask_about_chatter);
        for by in [MODELS, By::Learned, By::Similarity] {
            readers.add(Asked(by, Arc::clone(&asked), by == knows));
        }
        let first = readers.first(utterance);
        readers.again(utterance, &first).await;
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
    async fn nobody_reads_anything_into_what_is_sure_refused_or_said_to_others() {
        for sentence in ["打开台灯", "先不要开台灯", "小爱同学，打开台灯", "他说把台灯关了"] {
            assert_eq!(asked(sentence, MODELS, true).await, [], "{sentence}");
        }
    }
}
