//! A sentence as it is written and, where that leaves something open, as it may have been said.

use super::super::action::{Action, Amount};
use super::super::order::{Order, Target};
use super::super::segment::{self, Token, stutter};
use super::super::sense::Sense;
use super::super::vocabulary::Vocabulary;
use super::trace::Note;
use super::{
    Parse, Rejection, SpeakerContext, again, channel, checked, denial, drawn, exclusion, fitted, going, guard,
    just_done, keep, lasting, listed, measured, only_that, parts, pointed, portions, read, reason, recut, rounds,
    shares, sides, strength, swing, tasks, uncounted, whose,
};

/// Reads a sentence that names no time, as it is written and as it may have been said.
pub(super) fn spoken(
    tokens: Vec<Token>,
    written: String,
    vocabulary: &Vocabulary,
    speaker: &SpeakerContext,
    note: Note,
) -> Parse {
    let marks = &vocabulary.lexicon.marks;
    let tokens = tasks::as_programs(tokens, vocabulary, speaker.local);
    let tokens = rounds::counted(tokens, vocabulary, speaker.local);
    let tokens = sides::by_itself(tokens, vocabulary, speaker.local);
    let tokens = only_that::done(swing::which_way(tokens, vocabulary), vocabulary, speaker.local);
    let tokens = recut::washed_fast(recut::joined_by_and(stutter::once(tokens), vocabulary), vocabulary);
    let tokens = just_done::without_what_was_done(tokens, vocabulary);
    let tokens = checked::still(
        uncounted::uncounted(
            drawn::drawn(strength::of_the_wind(channel::changed(tokens, vocabulary), vocabulary), vocabulary),
            vocabulary,
        ),
        vocabulary,
    );
    let tokens = recut::opened(recut::unlocked(tokens, vocabulary), vocabulary);
    let tokens = denial::changed_from(reason::some_of_it(reason::enough(tokens), vocabulary), vocabulary);
    let tokens = reason::so_much(tokens, vocabulary);
    let said = tokens.len();
    let tokens = lasting::lasted(tokens, vocabulary);
    // 电视开了好久了
    let more = |t: &Token| t.has(&Sense::Punctuation) || t.any(Sense::is_action) && !t.is_entity();
    if tokens.len() < said && !tokens.iter().any(more) {
        return Parse::Rejected(Rejection::Aside);
    }
    let tokens = recut::manner(fitted::without_shine(tokens, vocabulary), vocabulary);
    let tokens = keep::after_all(tokens, vocabulary);
    let tokens = reason::complained(reason::too_much(tokens), &vocabulary.lexicon.marks.changed);
    let tokens = guard::without_hurry(recut::lit(reason::grown(tokens, vocabulary), vocabulary));
    let tokens = portions::given(tokens, vocabulary);
    let tokens = recut::alike_here(recut::of_speaker(tokens, vocabulary, speaker.local), vocabulary, speaker.local);
    let tokens = recut::as_many_as_called(tokens, vocabulary, speaker.local);
    let tokens = recut::hers(recut::of_others(tokens, vocabulary), vocabulary);
    let tokens = recut::pointed_values(recut::offered(tokens, vocabulary), vocabulary);
    let tokens = pointed::joined(recut::counted(tokens, vocabulary), vocabulary);
    let tokens = again::named_again(listed::in_full(tokens, vocabulary), vocabulary);
    let tokens = measured::pointed_part(measured::told_by_property(tokens, vocabulary));
    let tokens = recut::beside(parts::of_a_thing(fitted::lamp_of_it(tokens, vocabulary), vocabulary), vocabulary);
    let tokens = recut::of_its_extreme(exclusion::with_what_it_has(exclusion::closed(exclusion::led(
        keep::the_only_one(tokens),
    ))));
    let tokens = recut::at_its_end(fitted::by_its_name(tokens, vocabulary), vocabulary);
    let tokens = whose::told_by_its_words(tokens, vocabulary);
    let tokens = guard::without_hesitation(tokens, &vocabulary.lexicon);
    let tokens = going::without_going(tokens, vocabulary);
    let explained = !tokens.iter().any(Token::is_residue);
    let supposes = tokens.iter().any(|t| t.has(&Sense::If) || t.has(&Sense::IfClose));
    let refuses = guard::refuses_unheard(&tokens, marks);
    let plain = read(tokens, vocabulary, speaker, note);
    if refuses && !matches!(plain, Parse::Orders(_) | Parse::Rejected(Rejection::Withdrawn)) {
        return Parse::Rejected(Rejection::Negated);
    }
    let open = match &plain {
        // Talk in plain words is talk: in 落地灯太高了 nobody says 抬高.
        Parse::Orders(_) | Parse::Situation { .. } | Parse::Rejected(Rejection::Chatter) => !explained,
        Parse::Unsure(orders, _) if orders.is_empty() => !explained,
        Parse::Fragment(_) | Parse::Unsure(..) => true,
        // A condition that was not understood, a question (有夺少灯是开着的), a time that may be a share (三分制一).
        Parse::Rejected(Rejection::Talk | Rejection::Later) => !explained,
        Parse::Rejected(_) | Parse::Jobs(_) => false,
    };
    let heard = if open {
        segment::heard(&written, &segment::plain(&written, vocabulary), vocabulary).map(|tokens| {
            let tokens = uncounted::uncounted(stutter::once(tokens), vocabulary);
            guard::without_hesitation(portions::given(tokens, vocabulary), &vocabulary.lexicon)
        })
    } else {
        None
    };
    let heard = heard.map(|tokens| (tokens.iter().any(Token::is_residue), read(tokens, vocabulary, speaker, note)));
    let heard = heard.filter(|(_, heard)| !hangs_in_the_air(heard));
    // Talk is heard as a question at most, which moves nothing.
    if matches!(plain, Parse::Rejected(Rejection::Talk)) && !supposes {
        let asked = heard.filter(|(residue, heard)| !residue && asks(heard));
        return asked.map_or(plain, |(_, heard)| heard);
    }
    match heard {
        Some((_, Parse::Unsure(..) | Parse::Rejected(Rejection::Chatter))) | Some((true, _)) | None => plain,
        // 玄关的留着等爸爸回来: what was clear as it is written is not heard as something that is not.
        Some((false, heard)) if is_clear(&plain) && !is_clear(&heard) => plain,
        Some((false, heard)) if matches!(heard, Parse::Orders(_)) || !explained => heard,
        Some(_) if matches!(plain, Parse::Fragment(_)) => plain,
        Some((false, heard)) => heard,
    }
}

/// Whether nothing but a value by word was heard, of nothing that was named: 来个大份的 is not 来个大风的.
fn hangs_in_the_air(parse: &Parse) -> bool {
    let hangs = |order: &Order| {
        let named = order.target != Target::Anything || !order.scope.include.is_empty();
        // 捡完了 is no 减.
        !named
            && match &order.action {
                Action::Set { property: None, to: Amount::Word(_) } => true,
                Action::Step { ways, by: None } => ways.iter().all(|(property, _)| property.is_none()),
                _ => false,
            }
    };
    matches!(parse, Parse::Orders(orders) if orders.iter().any(hangs))
}

/// Whether every part of a sentence was understood.
pub(super) fn is_clear(parse: &Parse) -> bool {
    matches!(parse, Parse::Orders(orders) if !orders.iter().any(|order| matches!(order.action, Action::Unclear(_))))
}

/// Whether a sentence only asks.
fn asks(parse: &Parse) -> bool {
    let asks = |order: &Order| matches!(order.action, Action::Ask(_));
    matches!(parse, Parse::Orders(orders) if !orders.is_empty() && orders.iter().all(asks))
}

/// Reads what is left of a sentence when its times are cut out.
pub(super) fn untimed(text: &str, vocabulary: &Vocabulary, speaker: &SpeakerContext, note: Note) -> Parse {
    spoken(shares::words(text, vocabulary, speaker.local), text.to_owned(), vocabulary, speaker, note)
}
