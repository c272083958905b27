//! What is on a disk and what of it was synced, and what a power cut leaves of it.
//!
//! That is a file with all that was synced and of the rest any pages, in any order; and a folder with the names that were
//! synced and, of the later changes, the first so many, as a journal does it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};

use super::Dice;

/// Bytes that a disk writes as a whole.
pub(super) const PAGE: usize = 4096;

/// A file or folder.
#[derive(Clone, Debug)]
pub(super) enum Node {
    File { now: Vec<u8>, synced: Vec<u8>, dirty: BTreeSet<usize> },
    Folder { now: BTreeMap<OsString, u64>, synced: BTreeMap<OsString, u64>, changes: Vec<Change> },
}

/// Names in a folder that change at once; `None` removes one.
pub(super) type Change = Vec<(OsString, Option<u64>)>;

impl Node {
    pub(super) fn folder() -> Self {
        Self::Folder { now: BTreeMap::new(), synced: BTreeMap::new(), changes: Vec::new() }
    }

    pub(super) fn file() -> Self {
        Self::File { now: Vec::new(), synced: Vec::new(), dirty: BTreeSet::new() }
    }
}

/// What is on the disk.
#[derive(Clone, Debug)]
pub struct Image {
    pub(super) nodes: HashMap<u64, Node>,
    next: u64,
}

impl Image {
    /// An empty disk.
    pub(super) fn empty() -> Self {
        Self { nodes: [(1, Node::folder())].into(), next: 2 }
    }

    /// What a name in a folder stands for.
    pub(super) fn child(&self, parent: u64, name: &OsStr) -> Option<u64> {
        match self.nodes.get(&parent)? {
            Node::Folder { now, .. } => now.get(name).copied(),
            Node::File { .. } => None,
        }
    }

    /// Changes names in a folder.
    pub(super) fn name(&mut self, parent: u64, change: Change) {
        let Some(Node::Folder { now, changes, .. }) = self.nodes.get_mut(&parent) else { return };
        apply(now, &change);
        changes.push(change);
    }

    /// Makes a node and returns its number.
    pub(super) fn make(&mut self, parent: u64, name: &OsStr, node: Node) -> u64 {
        let ino = self.next;
        self.next += 1;
        self.nodes.insert(ino, node);
        self.name(parent, vec![(name.to_owned(), Some(ino))]);
        ino
    }

    pub(super) fn resize(&mut self, ino: u64, size: usize) {
        if let Some(Node::File { now, dirty, .. }) = self.nodes.get_mut(&ino) {
            let changed = now.len().min(size) / PAGE..=now.len().max(size) / PAGE;
            now.resize(size, 0);
            dirty.extend(changed);
        }
    }

    pub(super) fn write(&mut self, ino: u64, offset: usize, data: &[u8]) {
        let Some(Node::File { now, dirty, .. }) = self.nodes.get_mut(&ino) else { return };
        let end = offset + data.len();
        if now.len() < end {
            now.resize(end, 0);
        }
        now[offset..end].copy_from_slice(data);
        dirty.extend(offset / PAGE..=end.saturating_sub(1) / PAGE);
    }

    pub(super) fn sync(&mut self, ino: u64) {
        match self.nodes.get_mut(&ino) {
            Some(Node::File { now, synced, dirty }) => {
                synced.clone_from(now);
                dirty.clear();
            }
            Some(Node::Folder { now, synced, changes }) => {
                synced.clone_from(now);
                changes.clear();
            }
            None => {}
        }
    }

    /// What a power cut leaves now.
    pub(super) fn left_by_a_cut(&self, dice: &mut Dice) -> Self {
        let mut image = self.clone();
        let mut inos: Vec<u64> = image.nodes.keys().copied().collect();
        inos.sort_unstable();
        for ino in inos {
            match image.nodes.get_mut(&ino) {
                Some(Node::File { now, synced, dirty }) => {
                    // In one cut in three nothing reached the disk that was not asked to, in one in three everything did.
                    let chance = [0, 50, 100][dice.roll(3) as usize];
                    let mut left = synced.clone();
                    if dirty.iter().any(|page| page * PAGE >= synced.len().min(now.len())) && dice.roll(100) < chance {
                        left.resize(now.len(), 0);
                    }
                    for page in dirty.iter().filter(|_| dice.roll(100) < chance) {
                        let range = page * PAGE..((page + 1) * PAGE).min(now.len()).min(left.len());
                        if let (Some(new), Some(old)) = (now.get(range.clone()), left.get_mut(range)) {
                            old.copy_from_slice(new);
                        }
                    }
                    (*now, *synced) = (left.clone(), left);
                    dirty.clear();
                }
                Some(Node::Folder { now, synced, changes }) => {
                    let many = dice.roll(changes.len() as u64 + 1) as usize;
                    changes.drain(..).take(many).for_each(|change| apply(synced, &change));
                    now.clone_from(synced);
                }
                None => {}
            }
        }
        image
    }

    /// What can be reached, under new numbers, so that nothing that the kernel remembers is taken for it.
    pub fn renumbered(mut self) -> Self {
        let mut image = Self { nodes: HashMap::new(), next: self.next };
        image.adopt(1, 1, &mut self.nodes);
        image
    }

    fn adopt(&mut self, old: u64, new: u64, from: &mut HashMap<u64, Node>) {
        let Some(mut node) = from.remove(&old) else { return };
        if let Node::Folder { now, synced, changes } = &mut node {
            assert!(changes.is_empty(), "a cut leaves no change open");
            for ino in now.values_mut() {
                let child = self.next;
                self.next += 1;
                self.adopt(*ino, child, from);
                *ino = child;
            }
            synced.clone_from(now);
        }
        self.nodes.insert(new, node);
    }
}

fn apply(names: &mut BTreeMap<OsString, u64>, change: &Change) {
    for (name, ino) in change {
        match ino {
            Some(ino) => _ = names.insert(name.clone(), *ino),
            None => _ = names.remove(name),
        }
    }
}
