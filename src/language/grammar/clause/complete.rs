//! What clauses leave out, taken from their neighbours.

use super::super::super::deed::Amount;
use super::*;

/// The kind in general of something that was named.
pub(super) fn of_its_kind(head: &Head) -> Option<Head> {
    match head {
        Head::Named { kind: Some(kind), .. } | Head::Sort(kind, _) => Some(Head::Kind(*kind, String::new())),
        Head::In(_, head) => of_its_kind(head),
        _ => None,
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

/// Fills in what clauses leave out.
pub(super) fn fill(clauses: &mut Vec<Clause>) {
    // Nominals alone: the predicate of the clause before (打开客厅的灯，卧室的灯), else of the one after.
    refine(clauses);
    let mut at = 0;
    while at < clauses.len() {
        if clauses[at].predicates.is_empty() && clauses.len() > 1 {
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
        let last_property = earlier.and_then(|c| c.predicates.last()).and_then(|(_, property)| *property);
        let earlier = earlier.map(|c| (c.nominals.clone(), c.loose.clone()));
        let clause = &mut clauses[at];
        let Some((earlier, loose)) = earlier else { continue };
        if clause.nominals.is_empty() {
            // 音量三十，十五: the same property.
            for (predicate, own) in &mut clause.predicates {
                let bare = matches!(predicate.core, Core::Set(None, Amount::Number(_, None)));
                *own = own.or(last_property.filter(|_| bare));
            }
            // 把空调打开，制冷，24度: the same thing.
            clause.nominals = earlier;
            clause.loose.extend(loose);
            continue;
        }
        let plain = clause.predicates.iter().all(|(_, property)| property.is_none());
        for nominal in &mut clause.nominals {
            // 主卧开空调，客房也开: the same kind of thing elsewhere.
            if nominal.head.is_none() && !nominal.places.is_empty() && plain {
                clause.loose.extend(loose.iter().cloned());
                nominal.head = earlier.iter().rev().find_map(|n| n.head.clone());
            }
        }
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
