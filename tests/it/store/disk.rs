//! A disk that forgets: a file system in memory, below the database, that knows what was synced and what was not.

mod image;

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry,
    ReplyOpen, ReplyWrite, Request, TimeOrNow, WriteFlags, spawn_mount,
};

pub use image::Image;
use image::{Node, PAGE};

/// What the kernel may remember of what it was told: nothing.
const TTL: Duration = Duration::ZERO;

/// Numbers that look like chance, the same in every run.
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// One of `0..below`.
    pub fn roll(&mut self, below: u64) -> u64 {
        // Xorshift.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below.max(1)
    }
}

/// A disk, and when its power is cut.
#[derive(Debug)]
struct State<T> {
    image: Image,
    /// Whether what was synced stays.
    honest: bool,
    /// Writes until the power is cut; `None` when it is not going to be.
    writes_left: Option<u64>,
    dice: Dice,
    /// What was there at the cut, and what `witness` said then.
    cut: Option<(Image, T)>,
}

/// A mounted disk.
pub struct Disk<T> {
    state: Arc<Mutex<State<T>>>,
    _session: BackgroundSession,
}

struct Files<T> {
    state: Arc<Mutex<State<T>>>,
    /// Looks at the world at the moment of the cut.
    witness: Box<dyn Fn() -> T + Send + Sync>,
}

impl<T: Send + 'static> Disk<T> {
    /// Mounts an empty disk; `witness` is asked at the moment of a cut.
    pub fn mount(at: &Path, witness: impl Fn() -> T + Send + Sync + 'static) -> std::io::Result<Self> {
        let image = Image::empty();
        let state = Arc::new(Mutex::new(State { image, honest: true, writes_left: None, dice: Dice(1), cut: None }));
        let files = Files { state: Arc::clone(&state), witness: Box::new(witness) };
        Ok(Self { state, _session: spawn_mount(files, at, &Config::default())? })
    }

    /// Puts another image in; nobody may have a file open.
    pub fn load(&self, image: Image) {
        let mut state = self.state.lock().unwrap();
        (state.image, state.writes_left, state.cut) = (image, None, None);
    }

    /// From now on it says of what it was asked to sync that it did, and did not.
    pub fn lie(&self) {
        self.state.lock().unwrap().honest = false;
    }

    /// Cuts the power after so many writes.
    pub fn cut_after(&self, writes: u64, dice: Dice) {
        let mut state = self.state.lock().unwrap();
        (state.writes_left, state.dice) = (Some(writes), dice);
    }

    /// Whether the power was cut.
    pub fn is_cut(&self) -> bool {
        self.state.lock().unwrap().cut.is_some()
    }

    /// What the cut left, and what the witness said.
    pub fn take_cut(&self) -> Option<(Image, T)> {
        self.state.lock().unwrap().cut.take()
    }
}

impl<T> State<T> {
    /// Before every change: whether the power goes now.
    fn tick(&mut self, witness: &dyn Fn() -> T) {
        let Some(left) = self.writes_left.as_mut() else { return };
        if *left > 0 {
            *left -= 1;
            return;
        }
        self.writes_left = None;
        let image = self.image.left_by_a_cut(&mut self.dice);
        self.cut = Some((image, witness()));
    }

    fn attr(&self, ino: u64) -> Option<FileAttr> {
        let (kind, perm, size) = match self.image.nodes.get(&ino)? {
            Node::File { now, .. } => (FileType::RegularFile, 0o600, now.len() as u64),
            Node::Folder { .. } => (FileType::Directory, 0o700, 0),
        };
        let (atime, mtime, ctime, crtime) = (UNIX_EPOCH, UNIX_EPOCH, UNIX_EPOCH, UNIX_EPOCH);
        let (nlink, rdev, blksize, flags) = (1, 0, PAGE as u32, 0);
        let (uid, gid) = owner();
        let (ino, blocks) = (INodeNo(ino), size.div_ceil(512));
        Some(FileAttr {
            ino,
            size,
            blocks,
            atime,
            mtime,
            ctime,
            crtime,
            kind,
            perm,
            nlink,
            uid,
            gid,
            rdev,
            blksize,
            flags,
        })
    }
}

fn owner() -> (u32, u32) {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").map(|me| (me.uid(), me.gid())).unwrap_or_default()
}

impl<T> Files<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap()
    }

    /// The state for a change.
    fn changing(&self) -> MutexGuard<'_, State<T>> {
        let mut state = self.state();
        state.tick(&*self.witness);
        state
    }

    fn make(&self, parent: INodeNo, name: &OsStr, node: Node) -> Option<FileAttr> {
        let mut state = self.changing();
        let ino = state.image.make(parent.0, name, node);
        state.attr(ino)
    }

    fn sync(&self, ino: INodeNo) {
        let mut state = self.changing();
        if state.honest {
            state.image.sync(ino.0);
        }
    }
}

impl<T: Send + 'static> Filesystem for Files<T> {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let state = self.state();
        match state.image.child(parent.0, name).and_then(|ino| state.attr(ino)) {
            Some(attr) => reply.entry(&TTL, &attr, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.state().attr(ino.0) {
            Some(attr) => reply.attr(&TTL, &attr),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn setattr(
        &self,
        _: &Request,
        ino: INodeNo,
        _: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let mut state = self.changing();
        if let Some(size) = size {
            state.image.resize(ino.0, size as usize);
        }
        match state.attr(ino.0) {
            Some(attr) => reply.attr(&TTL, &attr),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, reply: ReplyEntry) {
        match self.make(parent, name, Node::folder()) {
            Some(attr) => reply.entry(&TTL, &attr, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn create(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, _: i32, reply: ReplyCreate) {
        match self.make(parent, name, Node::file()) {
            Some(attr) => reply.created(&TTL, &attr, Generation(0), FileHandle(0), FopenFlags::FOPEN_DIRECT_IO),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.changing().image.name(parent.0, vec![(name.to_owned(), None)]);
        reply.ok();
    }

    fn rmdir(&self, request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.unlink(request, parent, name, reply);
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        to_parent: INodeNo,
        to_name: &OsStr,
        _: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let mut state = self.changing();
        let Some(ino) = state.image.child(parent.0, name) else { return reply.error(Errno::ENOENT) };
        assert_eq!(parent, to_parent, "the store renames within a folder");
        state.image.name(parent.0, vec![(name.to_owned(), None), (to_name.to_owned(), Some(ino))]);
        reply.ok();
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO);
    }

    fn read(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.state().image.nodes.get(&ino.0) {
            Some(Node::File { now, .. }) => {
                let start = now.len().min(offset as usize);
                reply.data(&now[start..now.len().min(start + size as usize)]);
            }
            _ => reply.error(Errno::ENOENT),
        }
    }

    fn write(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        self.changing().image.write(ino.0, offset as usize, data);
        reply.written(data.len() as u32);
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, ino: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        self.sync(ino);
        reply.ok();
    }

    fn fsyncdir(&self, _: &Request, ino: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        self.sync(ino);
        reply.ok();
    }

    fn readdir(&self, _: &Request, ino: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let state = self.state();
        let Some(Node::Folder { now, .. }) = state.image.nodes.get(&ino.0) else { return reply.error(Errno::ENOENT) };
        for (at, (name, ino)) in (1..).zip(now).skip(offset as usize) {
            let kind = match state.image.nodes.get(ino) {
                Some(Node::Folder { .. }) => FileType::Directory,
                _ => FileType::RegularFile,
            };
            if reply.add(INodeNo(*ino), at, kind, name) {
                break;
            }
        }
        reply.ok();
    }
}
