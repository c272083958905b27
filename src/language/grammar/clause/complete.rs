//! What clauses leave out, taken from their neighbours.

use super::super::super::action::Amount;
use super::super::super::lexicon::Sense;
use super::super::feature::meant;
use super::super::nominal::Place;
use super::super::word::without_room;
use super::placed::{room_in_name, stands};
use super::*;

/// Properties that only things of their own kind have, beside those that a home has words of its own for: the brightness that
/// follows a television is its own, whatever lamps there are.
const OF_ITS_KIND: [&str; 2] = ["portions", "water_temperature"];

/// The kind in general of something that was named.
pub(super) fn of_its_kind(head: &Head) -> Option<Head> {
    match head {
        Head::Named { kind: Some(kind), .. } | Head::Sort(kind, _) => Some(Head::Kind(*kind, String::new())),
        Head::In(_, head) => of_its_kind(head),
        _ => None,
    }
}

/// `除了阳台灯其它的都关了`: the others are those of the kind of what is left out.
pub(super) fn others_of_kind(chunk: &mut Chunk, vocabulary: &Vocabulary) {
    let Chunk::Nominal(nominal) = chunk else { return };
    for head in &mut nominal.except_heads {
        let Head::Named { devices, kind: kind @ None, scene: false, .. } = head else { continue };
        let mut kinds = devices.iter().map(|d| vocabulary.devices[*d].kinds.first().copied());
        let first = kinds.next().flatten();
        *kind = first.filter(|_| kinds.all(|of| of == first));
    }
    if nominal.other && nominal.head.is_none() {
        let [Place::Room(room)] = &nominal.places[..] else {
            nominal.head = nominal.except_heads.iter().find_map(of_its_kind);
            return;
        };
        // 堂屋除了吊扇都关掉: where no other of its kind stands there, all that stands there.
        let home = &vocabulary.home;
        let there = |kind: usize| {
            (0..home.devices.len())
                .filter(|d| home.devices[*d].room == Some(*room) && vocabulary.devices[*d].is(kind))
                .count()
        };
        let several = |head: &Head| matches!(head, Head::Kind(kind, _) if there(*kind) > 1);
        let of_kind = nominal.except_heads.iter().find_map(of_its_kind).filter(several);
        nominal.head = of_kind.or_else(|| (!nominal.except_heads.is_empty()).then_some(Head::Everything));
    }
}

/// `打开热水器，主卫那个`: a place said afterwards says which was meant.
fn refine(clauses: &mut Vec<Clause>) {
    let pointing = |n: &Nominal| !n.places.is_empty() && matches!(n.head, None | Some(Head::Reference(None)));
    let mut at = 1;
    while at < clauses.len() {
        let afterthought = clauses[at].predicates.is_empty()
            && !clauses[at].also
            && !clauses[at].nominals.is_empty()
            && clauses[at].nominals.iter().all(pointing);
        let open = !clauses[at - 1].predicates.is_empty()
            && !clauses[at - 1].nominals.is_empty()
            && clauses[at - 1].nominals.iter().all(|n| n.places.is_empty());
        let last = at + 1 == clauses.len();
        if afterthought && open && last {
            let places: Vec<_> = clauses.remove(at).nominals.into_iter().flat_map(|n| n.places).collect();
            clauses[at - 1].nominals.iter_mut().for_each(|n| n.places.clone_from(&places));
            continue;
        }
        at += 1;
    }
}

impl Clause {
    /// Whether all that it does is about properties that its things have.
    fn says_what_of_it(&self, vocabulary: &Vocabulary) -> bool {
        let devices: Option<Vec<Vec<usize>>> = self.nominals.iter().map(|n| meant(n, vocabulary)).collect();
        let devices = devices.unwrap_or_default().concat();
        let has = |p: PropertyId| devices.iter().any(|d| vocabulary.devices[*d].about(p).is_some_and(|a| a.writable));
        !self.predicates.is_empty() && self.predicates.iter().all(|(_, own)| own.is_some_and(has))
    }

    /// `洗衣机选羊毛，再来三份粮`: it names what the thing before it has nothing of, and one other thing has.
    fn is_of_another(&self, earlier: &[Nominal], vocabulary: &Vocabulary) -> bool {
        let [(predicate, own)] = &self.predicates[..] else { return false };
        let Core::Set(of_amount, _) = &predicate.core else { return false };
        let Some(property) = own.or(*of_amount) else { return false };
        let entry = &vocabulary.lexicon.properties[property];
        let of = |device: usize, property: PropertyId| {
            vocabulary.devices[device].about(property).is_some_and(|a| a.writable)
        };
        let has = |device: usize| {
            of(device, property)
                || entry.like.is_some_and(|like| of(device, like))
                || entry.covers.iter().any(|covered| of(device, *covered))
        };
        let of_earlier: Option<Vec<usize>> =
            earlier.iter().map(|n| meant(n, vocabulary)).collect::<Option<Vec<_>>>().map(|all| all.concat());
        let particular = entry.own || OF_ITS_KIND.contains(&entry.id.as_str());
        let lack = of_earlier.is_some_and(|devices| !devices.is_empty() && !devices.iter().any(|d| has(*d)));
        particular && lack && (0..vocabulary.devices.len()).any(has)
    }
}

/// `包间二的空调关了，灯打开`: things in general are those of the rooms that were said before, if they have any; also of the one in the name of
/// what was said before (`洱海房空调关掉，窗帘拉开`), unless they are told the same where the speaker is (`云房主灯关掉，电热毯也关了`).
pub(super) fn stay_in_room(clauses: &mut [Clause], vocabulary: &Vocabulary, local: Option<usize>) {
    let mut rooms: Vec<usize> = Vec::new();
    let mut by_name = false;
    for clause in clauses {
        let said = clause.nominals.iter().any(|n| !n.places.is_empty());
        match &clause.nominals[..] {
            [Nominal { head: Some(Head::Named { text, devices, scene: false, .. }), .. }]
                if !said && room_in_name(text, devices, vocabulary).is_some() =>
            {
                rooms = room_in_name(text, devices, vocabulary).into_iter().collect();
                by_name = true;
            }
            [only] if said => {
                by_name = false;
                let named = only.head.is_some() && !only.errand;
                rooms = match &only.places[..] {
                    [Place::Class(class, _)] if named => only_of_class(*class, vocabulary, None).into_iter().collect(),
                    places if named && only.except_places.is_empty() => {
                        places.iter().map(of_room).collect::<Option<_>>().unwrap_or_default()
                    }
                    _ => Vec::new(),
                }
            }
            [only] => {
                let general =
                    !(only.all || only.other || only.any) && only.only.is_none() && only.except_places.is_empty();
                let called: Vec<usize> = match &only.head {
                    Some(Head::Kind(kind, _)) => {
                        (0..vocabulary.devices.len()).filter(|d| vocabulary.devices[*d].is(*kind)).collect()
                    }
                    // 电热毯 of which each room has one.
                    Some(Head::Named { devices, scene: false, .. }) if devices.len() > 1 => devices.clone(),
                    _ => continue,
                };
                let has = |room: &&usize| called.iter().any(|d| vocabulary.home.devices[*d].room == Some(**room));
                let near = by_name && local.is_some() && clause.also;
                if general && !near {
                    clause.nominals[0].places.extend(rooms.iter().filter(has).map(|room| Place::Room(*room)));
                }
            }
            // 主卧的灯和空调关了，窗帘拉上
            several => {
                let one = |n: &Nominal| match &n.places[..] {
                    [Place::Room(room)] if n.head.is_some() && n.except_places.is_empty() && !n.errand => Some(*room),
                    _ => None,
                };
                let first = several.first().and_then(one);
                rooms = first.filter(|_| several.iter().all(|n| one(n) == first)).into_iter().collect();
            }
        }
    }
}

fn of_room(place: &Place) -> Option<usize> {
    if let Place::Room(room) = place { Some(*room) } else { None }
}

/// Fills in what clauses leave out.
pub(super) fn fill(clauses: &mut Vec<Clause>, vocabulary: &Vocabulary, local: Option<usize>) {
    // Nominals alone: the predicate of the clause before (打开客厅的灯，卧室的灯), else of the one after.
    refine(clauses);
    // 打开阿强的空调，不是阿强，是雯雯的
    for clause in clauses.iter_mut().filter(|clause| clause.amended) {
        for nominal in &mut clause.nominals {
            nominal.head = nominal.head.take().map(|head| elsewhere(head, &nominal.places, vocabulary));
        }
    }
    let mut at = 0;
    while at < clauses.len() {
        let open = clauses[at].nominals.iter().any(|n| n.head.is_some()) && !clauses[at].loose.is_empty();
        if clauses[at].predicates.is_empty() && clauses.len() > 1 && !(open && at + 1 < clauses.len()) {
            let takes_next = clauses.get(at + 1).is_some_and(|next| next.nominals.is_empty());
            if takes_next || at == 0 {
                if at + 1 < clauses.len() {
                    let Clause { mut nominals, property, loose, .. } = clauses.remove(at);
                    let next = &mut clauses[at];
                    next.loose.extend(loose);
                    nominals.append(&mut next.nominals);
                    next.nominals = nominals;
                    if next.each {
                        next.nominals.iter_mut().for_each(|n| n.each = true);
                    }
                    if let (Some(p), Some((_, own @ None))) = (property, next.predicates.first_mut()) {
                        *own = Some(p);
                    }
                    continue;
                }
            } else {
                // 热水器五十度，净水器冲洗一下: the number is none of what it names.
                if clauses[at - 1].predicates.iter().all(|(p, _)| matches!(p.core, Core::Set(..))) {
                    clauses[at].switch_feature_on(vocabulary);
                }
                if !clauses[at].predicates.is_empty() {
                    at += 1;
                    continue;
                }
                clauses[at].predicates = clauses[at - 1].predicates.clone();
                let loose = clauses[at - 1].loose.clone();
                clauses[at].loose.extend(loose);
            }
        }
        at += 1;
    }
    for at in 0..clauses.len() {
        inherit_heads_in_list(&mut clauses[at].nominals);
        let earlier = clauses[..at].iter().rev().find(|c| !c.nominals.is_empty());
        let earlier_verbs: Vec<Core> = earlier
            .iter()
            .flat_map(|c| &c.predicates)
            .map(|(p, _)| p.core.clone())
            .filter(|core| matches!(core, Core::Verb(_)))
            .collect();
        let last_property = earlier.and_then(|c| c.predicates.last()).and_then(|(_, property)| *property);
        let earlier = earlier.map(|c| (c.nominals.clone(), c.loose.clone()));
        let clause = &mut clauses[at];
        let Some((earlier, loose)) = earlier else { continue };
        // 风扇转起来，三档，灯别动: what is spared is no new subject.
        let spared: Vec<Nominal> = match clause.nominals.iter().all(Nominal::only_excludes) {
            true => std::mem::take(&mut clause.nominals),
            false => Vec::new(),
        };
        if clause.nominals.is_empty() && clause.is_of_another(&earlier, vocabulary) {
            continue;
        }
        if clause.nominals.is_empty() {
            // 音量三十，十五: the same property.
            for (predicate, own) in &mut clause.predicates {
                let bare = matches!(predicate.core, Core::Set(None, Amount::Number(_, None)));
                *own = own.or(last_property.filter(|_| bare));
                // 净化不用了，关掉吧: the same action once more is of the same feature.
                let again = earlier_verbs.contains(&predicate.core);
                *own = own.or(last_property.filter(|_| again));
            }
            // 主卧扫一下，吸力大点: of what goes there, and of nothing that stands there.
            let clean = vocabulary.lexicon.verb("clean");
            let works = |core: &Core| matches!(core, Core::Verb(verb) if Some(*verb) == clean);
            let there = earlier.iter().all(|n| n.head.is_none() && !n.places.is_empty());
            let goes = vocabulary.lexicon.kinds.iter().position(|kind| kind.mobile);
            if let Some(kind) = goes.filter(|_| there && earlier_verbs.iter().any(works)) {
                let word = vocabulary.lexicon.kinds[kind].words[0].clone();
                clause.nominals = vec![Nominal { head: Some(Head::Kind(kind, word)), ..Nominal::default() }];
                continue;
            }
            // 看球模式打开，声音三十五: a scene has no values of its own.
            let scene = |n: &Nominal| matches!(n.head, Some(Head::Named { scene: true, .. }));
            let valued = |core: &Core| !matches!(core, Core::Verb(_));
            if earlier.iter().all(scene) && clause.predicates.iter().all(|(p, _)| valued(&p.core)) {
                continue;
            }
            // 把空调打开，制冷，24度: the same thing.
            clause.nominals = earlier;
            for nominal in &mut clause.nominals {
                spared.iter().for_each(|excluded| nominal.leave_out(excluded));
            }
            // 旺财去打扫餐厅，吸力最大: where it was sent is said of that alone.
            clause.nominals.iter_mut().filter(|n| n.errand).for_each(|n| n.places.clear());
            // 香薰换成黑色，雾量最大: who says what of it says enough.
            if !clause.says_what_of_it(vocabulary) {
                clause.loose.extend(loose);
            }
            continue;
        }
        let plain = clause.predicates.iter().all(|(_, property)| property.is_none());
        for nominal in &mut clause.nominals {
            // 主灯打开，其他的关掉: the others of its kind where it stands.
            if nominal.other
                && nominal.head.is_none()
                && nominal.places.is_empty()
                && nominal.except_is_empty()
                && plain
            {
                others_of(nominal, &earlier, vocabulary, local);
            }
            // 主卧开空调，客房也开: the same kind of thing elsewhere.
            if nominal.head.is_none() && !nominal.places.is_empty() && plain {
                clause.loose.extend(loose.iter().cloned());
                let head = earlier.iter().rev().find_map(|n| n.head.clone());
                nominal.head = head.map(|head| elsewhere(head, &nominal.places, vocabulary));
            }
        }
    }
}

/// Of what the others are that nothing says, and where.
fn others_of(nominal: &mut Nominal, earlier: &[Nominal], vocabulary: &Vocabulary, local: Option<usize>) {
    let [one] = earlier else { return };
    let Some(Head::Named { devices, scene: false, .. }) = &one.head else { return };
    let Some(head) = one.head.as_ref().and_then(of_its_kind) else { return };
    let room = |d: &usize| vocabulary.home.devices[*d].room;
    let near = devices.iter().map(room).find(|room| room.is_some() && *room == local);
    let of_one = || devices.iter().map(room).next().filter(|_| devices.len() == 1);
    let place = match &one.places[..] {
        [] => near.or_else(of_one).flatten().map(Place::Room),
        [place] => Some(place.clone()),
        _ => None,
    };
    if let Some(place) = place {
        nominal.head = Some(head);
        nominal.places = vec![place];
    }
}

/// `客厅空调开一下，卧室的关了`: what a thing is called where it stands is not what its like is called elsewhere.
fn elsewhere(head: Head, places: &[Place], vocabulary: &Vocabulary) -> Head {
    let Head::Named { text, devices, scene: false, .. } = &head else { return head };
    if places.iter().any(|place| devices.iter().any(|d| stands(*d, place, vocabulary))) {
        return head;
    }
    let called = without_room(text, vocabulary).find_map(|rest| {
        let text = rest.to_owned();
        let senses = vocabulary.senses(rest);
        let kind = senses.iter().find_map(|s| match s {
            Sense::Kind(kind) => Some(Head::Kind(*kind, text.clone())),
            Sense::Sort(kind) => Some(Head::Sort(*kind, text.clone())),
            _ => None,
        });
        let named = senses.iter().find_map(|s| match s {
            Sense::Devices(devices) => {
                Some(Head::Named { text: text.clone(), devices: devices.clone(), kind: None, scene: false })
            }
            _ => None,
        });
        kind.or(named)
    });
    called.unwrap_or_else(|| of_its_kind_there(head, places, vocabulary))
}

/// `客厅空调开一下，我这屋的关了`: of another room a thing that is not there is one of its kind.
fn of_its_kind_there(head: Head, places: &[Place], vocabulary: &Vocabulary) -> Head {
    let (Head::Named { devices, scene: false, .. }, [Place::Room(room)]) = (&head, places) else { return head };
    let home = &vocabulary.home;
    let there = |device: &usize| home.devices[*device].room == Some(*room);
    let kind = devices.first().and_then(|d| vocabulary.devices[*d].kinds.first().copied());
    let has = |kind: usize| (0..home.devices.len()).any(|d| there(&d) && vocabulary.devices[d].is(kind));
    let usual = |kind: &usize| !vocabulary.lexicon.kinds[*kind].collective;
    match kind.filter(|kind| usual(kind) && !devices.iter().any(there) && has(*kind)) {
        Some(kind) => Head::Kind(kind, vocabulary.lexicon.kinds[kind].words[0].clone()),
        None => head,
    }
}

/// `客厅的灯和卧室的`, `客厅和卧室的灯`: within a list a place without a head takes its neighbour's.
pub(super) fn inherit_heads_in_list(nominals: &mut [Nominal]) {
    let inheritable = |n: &Nominal| n.head.clone().filter(|h| !matches!(h, Head::Reference(None)));
    for at in 0..nominals.len() {
        if nominals[at].head.is_some() || nominals[at].places.is_empty() || nominals.len() == 1 {
            continue;
        }
        let before = nominals[..at].iter().rev().find_map(inheritable);
        let after = || nominals[at + 1..].iter().find_map(inheritable);
        nominals[at].head = before.or_else(after);
    }
}
