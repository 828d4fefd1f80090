/* SQLite on a file system on a memory, on an emulated Cortex-M7: instructions by layer, and the counts that they are
   predicted from. scripts/count-instructions builds and runs it, and reads what it prints: a line a workload. */
#include <string.h>

#include "board.h"
#include "count.h"
#include "sqlite3.h"

uint8_t memory[MEMORY_BYTES] __attribute__((section(".far"), aligned(8)));
static uint8_t heap[8u << 20] __attribute__((section(".far"), aligned(8)));
struct traffic below;

/* The board's timer 0, which counts down at 25 MHz. Under -icount shift=7 an instruction takes 128 ns, 3.2 counts. */
#define TIMER ((volatile uint32_t *)0x40000000u)
#define COUNTS_OF_16_INSTRUCTIONS 51.2

static enum layer now;
static uint32_t last;
static uint64_t spent[LAYERS];
static uint32_t visits[LAYERS];

enum layer enter(enum layer next)
{
    enum layer before = now;
    uint32_t time = TIMER[1];
    spent[before] += (uint32_t)(last - time);
    last = time;
    visits[next] += 1;
    now = next;
    return before;
}

/* What a pair of calls of enter adds to a layer. */
static double pair_cost;

static void calibrate(void)
{
    uint32_t i;
    memset(spent, 0, sizeof spent);
    enter(HARNESS);
    for (i = 0; i < 1000; ++i) {
        enter(MEMORY_BELOW);
        enter(HARNESS);
    }
    pair_cost = (double)spent[MEMORY_BELOW] / 1000.0;
}

/* What SQLite did. */
static struct {
    uint64_t statements, queries, searches, tokens, sql_bytes, vm_steps, fullscan_steps, sorts, autoindex_rows;
    uint64_t cache_hits, cache_misses, cache_writes;
} engine;

/* Printing. */

static void print_number(uint64_t number)
{
    char text[21];
    char *at = text + sizeof text - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    board_print(at);
}

static void print_field(const char *name, uint64_t number)
{
    board_print(" ");
    board_print(name);
    board_print("=");
    print_number(number);
}

static void fail(const char *what, sqlite3 *db)
{
    board_print("failed: ");
    board_print(what);
    if (db != 0) {
        board_print(": ");
        board_print(sqlite3_errmsg(db));
    }
    board_print("\n");
    board_exit(1);
}

static int is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Counts words of SQL: names and numbers, texts in quotes, each other sign; and the words SELECT and WHERE. */
static void count_words(const char *sql)
{
    while (*sql != '\0') {
        const char *first = sql;
        if (*sql == ' ' || *sql == '\n') {
            ++sql;
            continue;
        }
        engine.tokens += 1;
        if (*sql == '\'') {
            do {
                ++sql;
            } while (*sql != '\0' && *sql != '\'');
        } else {
            while (is_word(sql[0]) && is_word(sql[1])) {
                ++sql;
            }
        }
        sql += *sql != '\0';
        engine.queries += sql - first == 6 && strncmp(first, "SELECT", 6) == 0;
        engine.searches += sql - first == 5 && strncmp(first, "WHERE", 5) == 0;
    }
}

/* Runs SQL as the laboratory does: statement by statement, each to its last row. */
void run(sqlite3 *db, const char *sql)
{
    const char *at = sql;
    enter(SQLITE);
    while (*at != '\0') {
        sqlite3_stmt *statement = 0;
        const char *rest = 0;
        int code = sqlite3_prepare_v2(db, at, -1, &statement, &rest);
        if (code == SQLITE_OK && statement != 0) {
            while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
            }
            code = code == SQLITE_DONE ? SQLITE_OK : code;
            enter(HARNESS);
            engine.statements += 1;
            engine.vm_steps += (uint32_t)sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
            engine.fullscan_steps += (uint32_t)sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0);
            engine.sorts += (uint32_t)sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_SORT, 0);
            engine.autoindex_rows += (uint32_t)sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_AUTOINDEX, 0);
            enter(SQLITE);
            sqlite3_finalize(statement);
        }
        if (code != SQLITE_OK) {
            enter(HARNESS);
            fail(sql, db);
        }
        at = rest;
    }
    enter(HARNESS);
    engine.sql_bytes += strlen(sql);
    count_words(sql);
}

static int status(sqlite3 *db, int what)
{
    int value = 0, peak = 0;
    sqlite3_db_status(db, what, &value, &peak, 0);
    return value;
}

static void clear(sqlite3 *db)
{
    memset(&engine, 0, sizeof engine);
    memset(asked, 0, sizeof asked);
    memset(&below, 0, sizeof below);
    memset(visits, 0, sizeof visits);
    lookups = 0;
    absent = 0;
    engine.cache_hits = 0u - (uint64_t)(unsigned)status(db, SQLITE_DBSTATUS_CACHE_HIT);
    engine.cache_misses = 0u - (uint64_t)(unsigned)status(db, SQLITE_DBSTATUS_CACHE_MISS);
    engine.cache_writes = 0u - (uint64_t)(unsigned)status(db, SQLITE_DBSTATUS_CACHE_WRITE);
    enter(HARNESS);
    memset(spent, 0, sizeof spent);
}

static uint64_t instructions(enum layer layer, uint32_t pairs)
{
    double counts = (double)spent[layer] - pair_cost * pairs;
    return counts < 0 ? 0 : (uint64_t)(counts / COUNTS_OF_16_INSTRUCTIONS * 16.0);
}

/* How the file system is set up. */
struct setup {
    const struct file_system *files;
    uint32_t block, cache, granule;
    const char *name;
    int fits;
};

static void measure(const struct setup *setup, const struct workload *w)
{
    sqlite3 *db = 0;
    uint32_t n, of_files;
    char pragmas[256];
    struct traffic sum;
    enum kind kind;
    static const char *const KIND_NAMES[KINDS] = {"db", "journal", "wal"};
    files = setup->files;
    vfs_clear();
    memset(memory, 0xFF, sizeof memory);
    if (files->begin(setup->block, setup->cache, setup->granule) < 0) {
        fail("begin", 0);
    }
    if (sqlite3_open("/db", &db) != SQLITE_OK) {
        fail("open", db);
    }
    sqlite3_snprintf(sizeof pragmas, pragmas,
        "PRAGMA cache_size=-500; PRAGMA temp_store=MEMORY; PRAGMA page_size=%u; PRAGMA journal_mode=%s;"
        "PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=%u", w->page, w->journal, w->checkpoint);
    run(db, pragmas);
    prepare(db, w);
    clear(db);
    for (n = 0; n < w->transactions; ++n) {
        char *sql = transaction(db, w, n);
        run(db, sql);
        sqlite3_free(sql);
    }
    enter(HARNESS);
    engine.cache_hits += (uint64_t)(unsigned)status(db, SQLITE_DBSTATUS_CACHE_HIT);
    engine.cache_misses += (uint64_t)(unsigned)status(db, SQLITE_DBSTATUS_CACHE_MISS);
    engine.cache_writes += (uint64_t)(unsigned)status(db, SQLITE_DBSTATUS_CACHE_WRITE);
    of_files = visits[FILES];
    board_print("workload=");
    board_print(w->name);
    board_print(" files=");
    board_print(setup->name);
    print_field("fits", (w->fits == 1 || w->fits == ONLY_SQLITE) && setup->fits);
    print_field("unseen", w->fits == UNSEEN);
    print_field("transactions", w->transactions);
    print_field("i_sqlite", instructions(SQLITE, visits[SQLITE]));
    print_field("i_files", instructions(FILES, of_files));
    print_field("statements", engine.statements);
    print_field("queries", engine.queries);
    print_field("searches", engine.searches);
    print_field("tokens", engine.tokens);
    print_field("sql_bytes", engine.sql_bytes);
    print_field("vm_steps", engine.vm_steps);
    print_field("fullscan_steps", engine.fullscan_steps);
    print_field("sorts", engine.sorts);
    print_field("cache_hits", engine.cache_hits);
    print_field("cache_misses", engine.cache_misses);
    print_field("cache_writes", engine.cache_writes);
    memset(&sum, 0, sizeof sum);
    for (kind = DATABASE; kind < KINDS; ++kind) {
        const struct traffic *of = &asked[kind];
        board_print(" ");
        board_print(KIND_NAMES[kind]);
        board_print("_bytes=");
        print_number(of->written_bytes);
        sum.reads += of->reads;
        sum.writes += of->writes;
        sum.syncs += of->syncs;
        sum.others += of->others;
        sum.opens += of->opens;
        sum.deletes += of->deletes;
        sum.read_bytes += of->read_bytes;
        sum.written_bytes += of->written_bytes;
    }
    print_field("reads", sum.reads);
    print_field("writes", sum.writes);
    print_field("syncs", sum.syncs);
    print_field("opens", sum.opens);
    print_field("deletes", sum.deletes);
    print_field("lookups", lookups);
    print_field("absent", absent);
    print_field("others", sum.others);
    print_field("read_bytes", sum.read_bytes);
    print_field("written_bytes", sum.written_bytes);
    print_field("memory_reads", below.reads);
    print_field("memory_read_bytes", below.read_bytes);
    print_field("memory_writes", below.writes);
    print_field("memory_written_bytes", below.written_bytes);
    print_field("granule", setup->granule);
    print_field("block", setup->block);
    print_field("records", files->records == 0 ? 0 : files->records());
    board_print("\n");
    sqlite3_close(db);
}

static const struct setup SETUPS[] = {
    {&flat_files, MEMORY_BYTES, 0, 0, "flat-4M", 1},
    {&flat_files, MEMORY_BYTES / 4, 0, 0, "flat-1M", 1},
    {&littlefs_files, 128, 64, 4, "littlefs-128-64-4", 1},
    {&littlefs_files, 4096, 256, 16, "littlefs-4096-256-16", 1},
    {&littlefs_files, 4096, 1024, 256, "littlefs-4096-1024-256", 1},
    {&littlefs_files, 512, 128, 8, "littlefs-512-128-8", 0},
};

int main(void)
{
    uint32_t s, w;
    TIMER[2] = 0xFFFFFFFFu;
    TIMER[1] = 0xFFFFFFFFu;
    TIMER[0] = 1;
    last = TIMER[1];
    calibrate();
    if (sqlite3_config(SQLITE_CONFIG_HEAP, heap, (int)sizeof heap, 32) != SQLITE_OK || sqlite3_initialize() != SQLITE_OK) {
        fail("start", 0);
    }
    for (s = 0; s < sizeof SETUPS / sizeof *SETUPS; ++s) {
        for (w = 0; w < WORKLOAD_COUNT; ++w) {
            /* Every other workload, so that the fit sees both. */
            tells_promise = w % 2 == 0;
            if (s > 0 && WORKLOADS[w].fits == ONLY_SQLITE) {
                continue;
            }
            measure(&SETUPS[s], &WORKLOADS[w]);
        }
    }
    return 0;
}
