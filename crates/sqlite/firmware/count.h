/* Counts instructions by layer on an emulated board, whose clock advances by a fixed time with each instruction. */
#ifndef COUNT_H
#define COUNT_H

#include <stdint.h>

/* Who computes. */
enum layer { HARNESS, SQLITE, FILES, MEMORY_BELOW, LAYERS };

/* What a layer asked of the one below it. */
struct traffic {
    uint32_t reads, writes, syncs, others, erases;
    uint32_t opens, deletes;
    uint64_t read_bytes, written_bytes;
};

/* Gives the processor to a layer; returns the one that had it. */
enum layer enter(enum layer next);

/* A memory of bytes. */
extern uint8_t memory[];
extern struct traffic below;

/* A file system: what the VFS calls. Files are numbered. Codes below 0 are errors. */
struct file_system {
    const char *name;
    /* Makes it anew and mounts it. */
    int (*begin)(uint32_t block_bytes, uint32_t cache_bytes, uint32_t granule_bytes);
    int (*open)(uint32_t file, const char *name, int creates);
    int (*close)(uint32_t file);
    int32_t (*read)(uint32_t file, uint32_t at, void *out, uint32_t bytes);
    int (*write)(uint32_t file, uint32_t at, const void *data, uint32_t bytes);
    int (*truncate)(uint32_t file, uint32_t bytes);
    int (*sync)(uint32_t file);
    int (*remove)(const char *name);
    /* Bytes of a file that is there, else below 0. */
    int32_t (*length)(const char *name);
    /* Records that a name is looked for in; absent where it has none. */
    uint32_t (*records)(void);
};

#define FILES_MAX 4u
#define MEMORY_BYTES (4u << 20)

extern const struct file_system littlefs_files;
extern const struct file_system flat_files;

/* What SQLite asked of its files, by kind: database, journal, log; and questions whether there is a file. */
enum kind { DATABASE, JOURNAL, LOG, KINDS };
extern struct traffic asked[KINDS];
extern uint32_t lookups;
/* Of these and of the files that were opened, those that were not there. */
extern uint32_t absent;

/* Below the VFS, and whether SQLite is told what a file system that survives power cuts promises. */
extern const struct file_system *files;
extern int tells_promise;

/* Forgets the files of the database before. */
void vfs_clear(void);

/* What transactions do. */
enum work {
    ROWS, RANGES, KEYS, UPDATES, DELETES, BLOBS, INDEXED, HITS, SUMS, TEXTS, JOINS, TPC_B, SPEED_INSERT, SPEED_HIT, SPEED_RANGE, SPEED_UPDATE
};

struct workload {
    const char *name;
    enum work work;
    uint32_t rows, transactions;
    const char *journal;
    uint32_t page, checkpoint;
    /* 1 where it is used to fit; ONLY_SQLITE where it is, of SQLite, and runs on the first file system alone; 0 where it is
       held out; UNSEEN where it is, and was chosen after the features of the model. */
    int fits;
};

#define ONLY_SQLITE 2
#define UNSEEN 3

extern const struct workload WORKLOADS[];
extern const uint32_t WORKLOAD_COUNT;

struct sqlite3;

/* Runs SQL as the laboratory does: statement by statement, each to its last row. */
void run(struct sqlite3 *db, const char *sql);

/* Fills the database of a workload. */
void prepare(struct sqlite3 *db, const struct workload *w);

/* The SQL of its transaction of a number, for sqlite3_free. */
char *transaction(struct sqlite3 *db, const struct workload *w, uint32_t number);

#endif
