use crate::sqlite::memories::Bytes;
use wordline_engines::{ByteBlocks, LittleFs, LittleFsOptions};
use wordline_sqlite::{DeviceTraits, SqliteSettings, SqliteVfs};

#[test]
fn traffic_of_a_transaction_of_two_rows() {
    for (mode, page, psow) in [
        ("delete", 4096, true),
        ("delete", 4096, false),
        ("wal", 4096, true),
        ("wal", 512, true),
        ("wal", 4096, false),
        ("wal", 512, false),
    ] {
        let memory = Bytes::shared(8 << 20);
        let blocks = || Box::new(ByteBlocks::of_bytes(memory.clone(), 4096).expect("size"));
        LittleFs::format(blocks(), &LittleFsOptions::default()).expect("format");
        let fs = LittleFs::mount(blocks(), &LittleFsOptions::default()).expect("mount");
        let vfs = SqliteVfs::new(
            Box::new(fs),
            SqliteSettings {
                traits: DeviceTraits {
                    powersafe_overwrite: psow,
                    ..DeviceTraits::USUAL
                },
                ..SqliteSettings::default()
            },
        )
        .expect("vfs");
        let db = vfs.open("/db").expect("open");
        db.execute_batch(&format!(
            "PRAGMA page_size={page}; PRAGMA journal_mode={mode};
             CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB);"
        ))
        .expect("schema");
        let before = vfs.counts();
        for n in 0..200 {
            let db = &db;
            db.execute_batch(&format!(
                "BEGIN; INSERT INTO t(b) VALUES(randomblob(50)); INSERT INTO t(b) VALUES('x{n}'); COMMIT"
            ))
            .expect("insert");
        }
        let c = vfs.counts().since(before).stored();
        println!(
            "{mode} {page} {psow}: {:.2} writes {} B {:.2} syncs",
            c.writes as f64 / 200.0,
            c.written_bytes / 200,
            c.syncs as f64 / 200.0
        );
        drop(db);
        vfs.into_files().expect("files");
    }
}
