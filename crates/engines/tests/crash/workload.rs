//! The calls that are cut.

use wordline_core::draw::{Purpose, draw};
use wordline_engines::crash::{FileCall, FileNode, FileTree, StoredBytes};

/// Bytes that tell where they belong: no two places, files or versions of a file, which differ in `count`, are alike.
fn bytes(path: &str, from: u64, count: usize) -> StoredBytes {
    let name = path.bytes().fold(7u64, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    });
    let version = count as u64;
    let drawn = |at| draw(name, version, at, Purpose::Payload) as u8;
    StoredBytes((from..from + version).map(drawn).collect())
}

/// Calls, with what they make of the files.
#[derive(Default)]
struct Script {
    calls: Vec<FileCall>,
    tree: FileTree,
}

impl Script {
    fn call(&mut self, call: FileCall) {
        self.tree = call.next(&self.tree);
        self.calls.push(call);
    }

    fn create(&mut self, path: &'static str) {
        self.call(FileCall::Create(path));
    }

    fn replace(&mut self, path: &'static str, count: usize) {
        self.call(replace(path, count));
    }

    /// In two writes and one sync.
    fn append(&mut self, path: &'static str, count: usize) {
        let length = match self.tree.get(path) {
            Some(FileNode::File(bytes)) => bytes.0.len() as u64,
            _ => 0,
        };
        let data = bytes(path, length, count);
        let (one, other) = data.0.split_at(count / 2);
        let pieces = [one, other].map(|piece| StoredBytes(piece.to_vec()));
        self.call(FileCall::Append(path, pieces.to_vec()));
    }
}

fn replace(path: &'static str, count: usize) -> FileCall {
    FileCall::Replace(path, bytes(path, 0, count))
}

/// Calls on every file system that was mounted after a cut.
pub(crate) fn after() -> Vec<FileCall> {
    vec![FileCall::Create("/after"), replace("/after", 40)]
}

/// A bit of everything: small files that live in their directory, files of several blocks, a log that grows, a
/// configuration that is replaced by a rename, directories that come and go. Sizes are in bytes. Files are made before
/// they are written, because a file that is opened for the first time may be found empty.
pub(crate) fn workload() -> Vec<FileCall> {
    let mut script = Script::default();
    script.create("/config");
    script.replace("/config", 60);
    script.call(FileCall::CreateDir("/logs"));
    script.create("/logs/a");
    script.append("/logs/a", 30);
    script.create("/image");
    script.replace("/image", 1500);
    script.append("/logs/a", 200);
    script.create("/config.new");
    script.replace("/config.new", 64);
    script.call(FileCall::Rename("/config.new", "/config2"));
    script.call(FileCall::Overwrite(
        "/image",
        700,
        bytes("/image", 700 + 1, 90),
    ));
    script.append("/logs/a", 500);
    script.call(FileCall::CreateDir("/tmp"));
    script.create("/tmp/x");
    script.replace("/tmp/x", 10);
    script.create("/tmp/y");
    script.replace("/tmp/y", 900);
    script.call(FileCall::Remove("/tmp/x"));
    script.call(FileCall::Truncate("/image", 400));
    script.call(FileCall::Rename("/tmp/y", "/logs/y"));
    script.call(FileCall::Remove("/tmp"));
    script.replace("/config", 61);
    script.call(FileCall::Remove("/logs/y"));
    script.create("/logs/b");
    for step in 0..6 {
        script.append("/logs/b", 40 + step);
        script.replace("/config", 50 + step);
    }
    script.call(FileCall::Remove("/logs/a"));
    script.call(FileCall::Remove("/image"));
    script.calls
}
