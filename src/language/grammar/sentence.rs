//! A sentence, read step by step.

use super::super::lexicon::Sense;
use super::super::segment;
use super::super::vocabulary::Vocabulary;
use super::trace::{self, shortened};
use super::{
    Parse, Rejection, SpeakerContext, addressee, aside, caution, feature, heard, later, portions, pressed, query,
    shares,
};

/// Reads a sentence and notes every step.
pub(super) fn parse_noted(
    sentence: &str,
    vocabulary: &Vocabulary,
    speaker: &SpeakerContext,
    note: trace::Note,
) -> Parse {
    let said = vocabulary.utterance(sentence);
    if segment::is_story(&said) {
        return Parse::Rejected(Rejection::Chatter);
    }
    let tokens = match addressee::address(shares::words(&said, vocabulary, speaker.local), vocabulary, speaker) {
        Ok(tokens) => tokens,
        Err(rejection) => return Parse::Rejected(rejection),
    };
    let tokens = feature::without_pause(tokens, vocabulary);
    let tokens = pressed::how_hard(portions::each_time(tokens), vocabulary, speaker.local);
    let tokens = caution::without_echo(later::without_the_hour(tokens, vocabulary), vocabulary);
    let tokens = caution::without_purposes(tokens, vocabulary);
    // 把灯关了，她喊道: what was said before it is told of somebody.
    // What follows at once is what she says: 打开除湿，她说墙在冒水.
    let ends =
        |at: usize| tokens.get(at + 1).is_none_or(|t| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)));
    let attributed = |at: usize| vocabulary.lexicon.attributed.contains(&tokens[at].text);
    if (0..tokens.len()).any(|at| attributed(at) && ends(at)) {
        return Parse::Rejected(Rejection::Aside);
    }
    if aside::tells_nothing(&tokens, vocabulary)
        || aside::only_remarks(&tokens, vocabulary)
        || aside::is_over(&tokens, vocabulary)
        || aside::is_for_a_crowd(&tokens, vocabulary)
    {
        return Parse::Rejected(Rejection::Aside);
    }
    let told = aside::without_blame(tokens, vocabulary).and_then(|tokens| aside::without_outcome(tokens, vocabulary));
    let Some(tokens) = told else { return Parse::Rejected(Rejection::Aside) };
    let tokens = aside::without_remarks(aside::topics(tokens, vocabulary), vocabulary);
    let tokens = query::done(tokens, vocabulary);
    if let Some(parse) = query::how_long(&tokens, vocabulary, speaker) {
        return parse;
    }
    let tokens = later::without_reminder(tokens, vocabulary);
    let written: String = tokens.iter().map(|t| t.text.as_str()).collect();
    let times = later::times(&written, &tokens, vocabulary);
    let opaque = later::without_own_names(&tokens, vocabulary);
    if let Some(ask) =
        later::about_jobs(&opaque, times.as_ref(), vocabulary).or_else(|| later::when_due(&written, vocabulary))
    {
        return Parse::Jobs(ask);
    }
    if let Some(rejection) = later::reminder(&opaque, times.is_some(), vocabulary) {
        return Parse::Rejected(rejection);
    }
    let Some(times) = times else { return heard::spoken(tokens, written, vocabulary, speaker, note) };
    later::commands(&times, vocabulary, speaker, note).unwrap_or_else(|| {
        // Nothing that was said of a time is done at once. Of talk that names a time nobody asks when.
        match heard::spoken(tokens, written, vocabulary, speaker, note) {
            rejected @ Parse::Rejected(rejection) if rejection != Rejection::Later => rejected,
            _ if later::tells(&times, vocabulary, speaker) => Parse::Rejected(Rejection::Later),
            _ => Parse::Rejected(Rejection::Talk),
        }
    })
}

/// Characters of a step that are shown.
const MAX_STEP: usize = 400;

/// The steps of reading a sentence: its words and what each can mean, what was taken out and why, chunks, clauses, and
/// what it came to.
pub fn explain(sentence: &str, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Vec<String> {
    let mut steps = Vec::new();
    let parse = parse_noted(sentence, vocabulary, speaker, &mut |stage, step| {
        steps.push(format!("{stage}: {}", shortened(&step(), MAX_STEP)));
    });
    steps.push(match &parse {
        Parse::Orders(orders) => format!("sure: {} command(s)", orders.len()),
        Parse::Unsure(orders, loose) => {
            format!("unsure: {} command(s), not explained: {}", orders.len(), loose.join(" "))
        }
        Parse::Fragment(order) => format!("half a sentence: {:?} {:?}", order.scope.include, order.target),
        Parse::Situation { situation, .. } => {
            format!("situation: {}", vocabulary.lexicon.situations[*situation].id)
        }
        Parse::Jobs(ask) => format!("about jobs: {ask:?}"),
        Parse::Rejected(rejection) => format!("no command: {rejection:?}"),
    });
    steps
}
