//! The stages that the words of a sentence pass, from what is taken back to the orders that are left.

use super::super::lexicon::Sense;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::tell::command_noted;
use super::trace::Note;
use super::{
    Parse, Rejection, SpeakerContext, act, aside, awaited, caution, cease, checked, condition, contrast, denial,
    exclusion, feature, guard, keep, lasting, likeness, others, query, reason, recut, remaining, scene, settled,
    situation, toggled, trace, undone, withdrawn,
};

/// Reads the words of a sentence, the assistant's name taken off.
pub(super) fn read(tokens: Vec<Token>, vocabulary: &Vocabulary, speaker: &SpeakerContext, note: Note) -> Parse {
    let tokens = recut::toward(recut::scenes(recut::today(tokens, vocabulary), vocabulary), vocabulary);
    let tokens = keep::refused_apart(tokens);
    let tokens = query::supposed(
        situation::without_weather(situation::without_reports(tokens, vocabulary), vocabulary),
        vocabulary,
    );
    let tokens = denial::wanted_is(reason::therefore(tokens, vocabulary), vocabulary);
    let tokens = denial::place_instead(tokens, vocabulary);
    let tokens = denial::not_that_one(denial::meant_instead(tokens, vocabulary), vocabulary);
    let tokens = denial::value_instead(denial::number_instead(denial::in_its_place(tokens, vocabulary)));
    let tokens = exclusion::without_only(exclusion::only_of(tokens, vocabulary), vocabulary);
    let tokens =
        others::everything_but(contrast::left_out(contrast::rather(tokens, vocabulary), vocabulary), vocabulary);
    let tokens = remaining::only_these(others::behind_the_spared(tokens, vocabulary), vocabulary, speaker);
    let tokens = scene::without_spared(tokens, vocabulary);
    let tokens = withdrawn::in_its_breath(withdrawn::instead(tokens, &vocabulary.lexicon), vocabulary);
    let tokens = likeness::as_another(checked::whether(tokens, &vocabulary.lexicon));
    note("words", &|| trace::words(&tokens));
    let words = tokens.clone();
    if withdrawn::is_taken_back(&tokens, vocabulary) {
        return Parse::Rejected(Rejection::Withdrawn);
    }
    if query::asks_as_a_value(&tokens, vocabulary) {
        return Parse::Rejected(Rejection::Talk);
    }
    let tokens = awaited::without_stop(tokens, vocabulary);
    if let Some(parse) = awaited::awaits(&tokens, vocabulary) {
        return parse;
    }
    let tokens = aside::without_theirs(aside::without_belongings(tokens, vocabulary), vocabulary);
    let said = tokens.len();
    let tokens = aside::without_hush(tokens, vocabulary);
    if tokens.len() < said && !act::tells(&tokens) {
        return Parse::Rejected(Rejection::Aside);
    }
    let tokens = withdrawn::without_taken_back(tokens, &vocabulary.lexicon);
    let tokens = withdrawn::when_over(withdrawn::enough(tokens, &vocabulary.lexicon), &vocabulary.lexicon);
    // 太吵了，她就给关了: before the reason is taken off, which says of what.
    let acts = |clause: &&[Token]| clause.iter().any(|t| t.any(Sense::is_action) && !t.is_entity());
    let done = tokens.split(|t| t.has(&Sense::Punctuation)).rfind(acts);
    if done.is_some_and(|clause| guard::is_own_action(clause, &vocabulary.lexicon)) {
        return Parse::Rejected(Rejection::Talk);
    }
    if let Some(parse) = situation::whole_utterance(&tokens, vocabulary) {
        return parse;
    }
    let tokens = situation::after_reason(&tokens, vocabulary).unwrap_or(tokens);
    let tokens = lasting::less(lasting::stopped(tokens, vocabulary), vocabulary);
    let tokens = cease::ceased(lasting::ended(tokens, vocabulary), vocabulary);
    let tokens = cease::once_paused(tokens, vocabulary);
    let tokens = lasting::featured(lasting::wished(tokens, vocabulary), vocabulary);
    let tokens = undone::to_be_done(undone::forgotten(tokens, vocabulary), vocabulary);
    let tokens = undone::whoever_did(tokens, vocabulary);
    let tokens = undone::undone(tokens, vocabulary);
    let tokens = keep::left_as_it_is(keep::stays_too(keep::without_others(tokens, vocabulary)), vocabulary);
    let tokens = keep::left_on(keep::kept_so(keep::staying(tokens, vocabulary), vocabulary), vocabulary);
    let tokens = keep::without_remark(caution::without_cautions(tokens, vocabulary), vocabulary);
    let tokens = reason::without_reasons(reason::without_looking(tokens), vocabulary);
    note("without reasons", &|| trace::words(&tokens));
    if let Some(parse) = situation::situation_of(&tokens, vocabulary, speaker) {
        return parse;
    }
    let said = tokens.len();
    let tokens = act::without_comments(feature::declined(tokens, vocabulary), vocabulary);
    if tokens.len() < said
        && let Some(parse @ Parse::Orders(_)) = situation::whole_utterance(&tokens, vocabulary)
    {
        return parse;
    }
    note("without comments", &|| trace::words(&tokens));
    let tokens = keep::without_kept(tokens, vocabulary, speaker);
    let tokens = feature::named_as_value(feature::counted_within(tokens, vocabulary), vocabulary);
    let tokens = feature::sound_switched(tokens, vocabulary);
    let tokens = feature::switched(feature::granted(tokens, vocabulary), vocabulary);
    let tokens = feature::locked(feature::on_in_row(tokens, vocabulary), vocabulary);
    let tokens = match guard::markers(tokens, &vocabulary.lexicon) {
        Ok(tokens) => tokens,
        Err(rejection) => return Parse::Rejected(rejection),
    };
    note("without negations", &|| trace::words(&tokens));
    let tokens = condition::or_else(settled::at_a_value(tokens, vocabulary));
    if let Some(parse) = condition::condition(&tokens, vocabulary, speaker) {
        note("condition", &|| format!("{parse:?}"));
        return parse;
    }
    let tokens = query::either(query::whichever(query::unfold(tokens, vocabulary)), &vocabulary.lexicon.marks);
    let tokens = query::compared(tokens);
    if query::is_question(&tokens, &vocabulary.lexicon.marks) {
        note("question", &|| trace::words(&tokens));
        return query::each(&tokens, vocabulary, speaker);
    }
    match command_noted(&tokens, vocabulary, speaker, note) {
        Parse::Orders(orders) => {
            let orders = match toggled::once(orders, &words, &vocabulary.lexicon) {
                Ok(orders) => orders,
                Err(rejection) => return Parse::Rejected(rejection),
            };
            // What shall be spared and is not understood could be anything.
            let unspared = exclusion::leaves_out(&tokens).filter(|_| !exclusion::spares(&orders));
            // 除了饭桌上那盏: nobody knows what that leaves out.
            let unknown = || keep::unknown(&words, &tokens, &orders, vocabulary);
            match unspared.or_else(|| exclusion::of_nowhere(&orders)).or_else(unknown) {
                Some(open) => Parse::Unsure(orders, vec![open]),
                None => Parse::Orders(orders),
            }
        }
        parse => parse,
    }
}
