/* Workloads: what fills a database, and the SQL of each transaction. */
#include <string.h>

#include "count.h"
#include "sqlite3.h"

/* Numbers that look drawn. */
static uint32_t drawn(uint32_t seed, uint32_t number)
{
    uint32_t x = number * 2654435761u + seed * 40503u + 12345u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    x *= 3266489917u;
    return x ^ (x >> 16);
}

static const char *const WORDS[10] = {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"};

static void spell(sqlite3_str *text, uint32_t number)
{
    char digits[11];
    char *at;
    sqlite3_snprintf(sizeof digits, digits, "%u", number);
    for (at = digits; *at != '\0'; ++at) {
        sqlite3_str_appendf(text, at == digits ? "%s" : " %s", WORDS[*at - '0']);
    }
}

static void sensor_rows(sqlite3_str *sql, uint32_t from, uint32_t rows)
{
    uint32_t i;
    sqlite3_str_appendf(sql, "INSERT INTO Sensor VALUES ");
    for (i = from; i < from + rows; ++i) {
        sqlite3_str_appendf(sql, "%s(%u,%u,%u,%u)", i == from ? "" : ",", i, drawn(1, i) % 255, drawn(2, i) % 255,
            drawn(3, i) % 255);
    }
}

static void many(sqlite3 *db, const char *first, const char *row, uint32_t rows)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    uint32_t i;
    char *text;
    sqlite3_str_appendall(sql, first);
    for (i = 0; i < rows; ++i) {
        sqlite3_str_appendall(sql, i == 0 ? " VALUES " : ",");
        sqlite3_str_appendf(sql, row, i, drawn(5, i) % 500000, drawn(6, i) % 1000);
    }
    text = sqlite3_str_finish(sql);
    run(db, text);
    sqlite3_free(text);
}

#define FILLER "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

void prepare(sqlite3 *db, const struct workload *w)
{
    uint32_t i;
    switch (w->work) {
    case ROWS:
    case RANGES:
        run(db, "CREATE TABLE Sensor(Timestamp INT, Device INT, Zone INT, Pressure INT)");
        for (i = 0; w->work == RANGES && i < w->transactions; ++i) {
            sqlite3_str *sql = sqlite3_str_new(db);
            char *text;
            sensor_rows(sql, i * w->rows, w->rows);
            text = sqlite3_str_finish(sql);
            run(db, text);
            sqlite3_free(text);
        }
        break;
    case KEYS:
    case SUMS:
    case UPDATES:
    case DELETES:
    case JOINS:
        run(db, "CREATE TABLE t(k INTEGER PRIMARY KEY, v INTEGER, s TEXT)");
        many(db, "INSERT INTO t", "(%u,%u,'some text of row %u')", 1000);
        break;
    case BLOBS:
    case TEXTS:
        run(db, "CREATE TABLE t(k INTEGER PRIMARY KEY, b BLOB)");
        break;
    case INDEXED:
    case HITS:
        run(db, "CREATE TABLE t(k INTEGER PRIMARY KEY, v INTEGER, s TEXT)");
        run(db, "CREATE INDEX tv ON t(v)");
        run(db, "CREATE INDEX ts ON t(s)");
        if (w->work == HITS) {
            many(db, "INSERT INTO t", "(%u,%u,'name %u')", 500);
        }
        break;
    case TPC_B:
        run(db, "BEGIN;"
                "CREATE TABLE branches(bid INTEGER PRIMARY KEY, bbalance INTEGER, filler TEXT);"
                "CREATE TABLE tellers(tid INTEGER PRIMARY KEY, bid INTEGER, tbalance INTEGER, filler TEXT);"
                "CREATE TABLE accounts(aid INTEGER PRIMARY KEY, bid INTEGER, abalance INTEGER, filler TEXT);"
                "CREATE TABLE history(tid INTEGER, bid INTEGER, aid INTEGER, delta INTEGER, mtime INTEGER, filler TEXT);"
                "INSERT INTO branches VALUES (0,0,'" FILLER "');");
        many(db, "INSERT INTO tellers", "(%u,0,0,'" FILLER "')", 10);
        many(db, "INSERT INTO accounts", "(%u,0,0,'" FILLER "')", 1000);
        run(db, "COMMIT");
        break;
    default:
        run(db, "CREATE TABLE z1(a INTEGER PRIMARY KEY, b INTEGER, c TEXT)");
        run(db, "CREATE INDEX z1b ON z1(b)");
        if (w->work != SPEED_INSERT) {
            for (i = 0; i < w->transactions; ++i) {
                sqlite3_str *sql = sqlite3_str_new(db);
                char *text;
                sqlite3_str_appendf(sql, "INSERT INTO z1 VALUES (%u,%u,'", i, drawn(7, i) % 500000);
                spell(sql, drawn(7, i) % 500000);
                sqlite3_str_appendall(sql, "')");
                text = sqlite3_str_finish(sql);
                run(db, text);
                sqlite3_free(text);
            }
        }
    }
}

char *transaction(sqlite3 *db, const struct workload *w, uint32_t n)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    uint32_t i, value;
    switch (w->work) {
    case ROWS:
        sensor_rows(sql, n * w->rows, w->rows);
        break;
    case RANGES:
        sqlite3_str_appendf(sql, "SELECT Pressure FROM Sensor WHERE %u <= Timestamp AND Timestamp < %u", n * w->rows,
            (n + 1) * w->rows);
        break;
    case KEYS:
        sqlite3_str_appendf(sql, "SELECT v, s FROM t WHERE k BETWEEN %u AND %u", drawn(8, n) % 1000,
            drawn(8, n) % 1000 + w->rows - 1);
        break;
    case UPDATES:
        sqlite3_str_appendall(sql, "BEGIN;");
        for (i = 0; i < w->rows; ++i) {
            sqlite3_str_appendf(sql, "UPDATE t SET v = v + %u WHERE k = %u;", i + 1, drawn(9 + i, n) % 1000);
        }
        sqlite3_str_appendall(sql, "COMMIT");
        break;
    case DELETES:
        sqlite3_str_appendf(sql, "DELETE FROM t WHERE k BETWEEN %u AND %u", n * w->rows, (n + 1) * w->rows - 1);
        break;
    case BLOBS:
        sqlite3_str_appendf(sql, "INSERT INTO t VALUES (%u, zeroblob(%u))", n, w->rows);
        break;
    case INDEXED:
        sqlite3_str_appendall(sql, "INSERT INTO t VALUES ");
        for (i = n * w->rows; i < (n + 1) * w->rows; ++i) {
            sqlite3_str_appendf(sql, "%s(%u,%u,'name %u')", i == n * w->rows ? "" : ",", i, drawn(20, i) % 100000,
                drawn(21, i) % 100000);
        }
        break;
    case HITS:
        sqlite3_str_appendf(sql, "SELECT s FROM t WHERE v = %u", drawn(5, drawn(24, n) % 500) % 500000);
        break;
    case SUMS:
        sqlite3_str_appendf(sql, "SELECT count(*), sum(v), max(k) FROM t WHERE k BETWEEN %u AND %u", drawn(25, n) % 1000,
            drawn(25, n) % 1000 + w->rows - 1);
        break;
    case TEXTS:
        sqlite3_str_appendall(sql, "INSERT INTO t VALUES ");
        for (i = n * w->rows; i < (n + 1) * w->rows; ++i) {
            sqlite3_str_appendf(sql, "%s(%u,'a text of a length that a log may have, with a number in it: %u')",
                i == n * w->rows ? "" : ",", i, drawn(23, i));
        }
        break;
    case JOINS:
        sqlite3_str_appendf(sql, "SELECT count(*), max(a.s) FROM t a JOIN t b ON b.k = a.v %% 1000 WHERE a.k BETWEEN %u AND %u",
            drawn(22, n) % 900, drawn(22, n) % 900 + w->rows);
        break;
    case TPC_B: {
        uint32_t account = drawn(30, n) % 1000, teller = drawn(31, n) % 10;
        int delta = (int)(drawn(32, n) % 1999999) - 999999;
        sqlite3_str_appendf(sql,
            "BEGIN;\n"
            "             UPDATE accounts SET abalance = abalance + %d WHERE aid = %u;\n"
            "             SELECT abalance FROM accounts WHERE aid = %u;\n"
            "             UPDATE tellers SET tbalance = tbalance + %d WHERE tid = %u;\n"
            "             UPDATE branches SET bbalance = bbalance + %d WHERE bid = 0;\n"
            "             INSERT INTO history VALUES (%u,0,%u,%d,%u,'xxxxxxxxxxxxxxxxxxxxxx');\n"
            "             COMMIT",
            delta, account, account, delta, teller, delta, teller, account, delta, n);
        break;
    }
    case SPEED_INSERT:
        value = drawn(7, n) % 500000;
        sqlite3_str_appendf(sql, "INSERT INTO z1 VALUES (%u,%u,'", n, value);
        spell(sql, value);
        sqlite3_str_appendall(sql, "')");
        break;
    case SPEED_HIT:
        sqlite3_str_appendf(sql, "SELECT c FROM z1 WHERE b = %u", drawn(7, drawn(33, n) % w->transactions) % 500000);
        break;
    case SPEED_RANGE:
        value = drawn(34, n) % 495000;
        sqlite3_str_appendf(sql, "SELECT count(*), avg(b), sum(length(c)) FROM z1 WHERE b BETWEEN %u AND %u", value,
            value + 5000);
        break;
    case SPEED_UPDATE:
        value = drawn(35, n) % 500000;
        sqlite3_str_appendf(sql, "UPDATE z1 SET b = %u, c = '", value);
        spell(sql, value);
        sqlite3_str_appendf(sql, "' WHERE a = %u", drawn(36, n) % w->transactions);
        break;
    }
    return sqlite3_str_finish(sql);
}

const struct workload WORKLOADS[] = {
    {"insert-1-wal-512", ROWS, 1, 60, "wal", 512, 100, 1},
    {"insert-10-wal-512", ROWS, 10, 40, "wal", 512, 100, 1},
    {"insert-100-wal-1024", ROWS, 100, 20, "wal", 1024, 50, 1},
    {"insert-2-delete-512", ROWS, 2, 40, "delete", 512, 0, 1},
    {"insert-50-delete-1024", ROWS, 50, 20, "delete", 1024, 0, 1},
    {"insert-5-truncate-2048", ROWS, 5, 30, "truncate", 2048, 0, 1},
    {"ranges-2-delete-512", RANGES, 2, 200, "delete", 512, 0, 1},
    {"ranges-20-delete-4096", RANGES, 20, 50, "delete", 4096, 0, 1},
    {"keys-1-wal-1024", KEYS, 1, 100, "wal", 1024, 100, 1},
    {"keys-50-delete-512", KEYS, 50, 50, "delete", 512, 0, 1},
    {"updates-1-wal-1024", UPDATES, 1, 30, "wal", 1024, 20, 1},
    {"updates-5-delete-512", UPDATES, 5, 15, "delete", 512, 0, 1},
    {"deletes-3-wal-512", DELETES, 3, 40, "wal", 512, 100, 1},
    {"blobs-100-wal-512", BLOBS, 100, 40, "wal", 512, 50, 1},
    {"blobs-2000-delete-1024", BLOBS, 2000, 20, "delete", 1024, 0, 1},
    {"indexed-4-wal-1024", INDEXED, 4, 40, "wal", 1024, 50, 1},
    {"indexed-1-persist-512", INDEXED, 1, 40, "persist", 512, 0, 1},
    {"joins-50-delete-1024", JOINS, 50, 20, "delete", 1024, 0, 1},
    {"text-3-wal-2048", TEXTS, 3, 40, "wal", 2048, 50, 1},
    {"text-1-delete-4096", TEXTS, 1, 40, "delete", 4096, 0, 1},
    {"keys-1-delete-4096", KEYS, 1, 100, "delete", 4096, 0, 1},
    {"updates-1-wal-4096", UPDATES, 1, 10, "wal", 4096, 20, 1},
    {"indexed-1-wal-4096", INDEXED, 1, 60, "wal", 4096, 1000, ONLY_SQLITE},
    {"indexed-1-delete-1024", INDEXED, 1, 60, "delete", 1024, 0, ONLY_SQLITE},
    {"indexed-20-wal-512", INDEXED, 20, 20, "wal", 512, 100, ONLY_SQLITE},
    {"hits-1-wal-512", HITS, 1, 100, "wal", 512, 100, ONLY_SQLITE},
    {"hits-1-delete-2048", HITS, 1, 100, "delete", 2048, 0, ONLY_SQLITE},
    {"sums-1-wal-1024", SUMS, 1, 100, "wal", 1024, 100, ONLY_SQLITE},
    {"sums-20-delete-1024", SUMS, 20, 100, "delete", 1024, 0, ONLY_SQLITE},
    {"text-1-wal-4096", TEXTS, 1, 60, "wal", 4096, 1000, ONLY_SQLITE},
    {"text-1-wal-512", TEXTS, 1, 60, "wal", 512, 100, ONLY_SQLITE},
    {"updates-1-truncate-1024", UPDATES, 1, 60, "truncate", 1024, 0, ONLY_SQLITE},
    {"updates-1-wal-8192", UPDATES, 1, 60, "wal", 8192, 1000, ONLY_SQLITE},
    {"keys-10-wal-512", KEYS, 10, 60, "wal", 512, 100, ONLY_SQLITE},
    {"insert-2-wal-512-published", ROWS, 2, 100, "wal", 512, 100, 0},
    {"insert-20-persist-4096", ROWS, 20, 30, "persist", 4096, 0, 0},
    {"tpc-b-wal-512", TPC_B, 1, 20, "wal", 512, 100, 0},
    {"tpc-b-delete-4096", TPC_B, 1, 15, "delete", 4096, 0, 0},
    {"speedtest-insert-wal-4096", SPEED_INSERT, 1, 30, "wal", 4096, 100, 0},
    {"speedtest-insert-delete-512", SPEED_INSERT, 1, 100, "delete", 512, 0, 0},
    {"speedtest-hit-wal-1024", SPEED_HIT, 1, 200, "wal", 1024, 100, 0},
    {"speedtest-range-delete-1024", SPEED_RANGE, 1, 200, "delete", 1024, 0, 0},
    {"speedtest-update-truncate-1024", SPEED_UPDATE, 1, 100, "truncate", 1024, 0, 0},
    /* Chosen before any of them was counted, and after the model was: other numbers of rows, widths and pages. */
    {"insert-3-wal-1024", ROWS, 3, 40, "wal", 1024, 60, UNSEEN},
    {"insert-30-wal-4096", ROWS, 30, 20, "wal", 4096, 40, UNSEEN},
    {"insert-7-delete-2048", ROWS, 7, 30, "delete", 2048, 0, UNSEEN},
    {"ranges-8-wal-1024", RANGES, 8, 100, "wal", 1024, 100, UNSEEN},
    {"keys-5-delete-2048", KEYS, 5, 80, "delete", 2048, 0, UNSEEN},
    {"updates-3-delete-1024", UPDATES, 3, 15, "delete", 1024, 0, UNSEEN},
    {"updates-2-wal-2048", UPDATES, 2, 15, "wal", 2048, 30, UNSEEN},
    {"deletes-1-truncate-1024", DELETES, 1, 30, "truncate", 1024, 0, UNSEEN},
    {"blobs-600-wal-1024", BLOBS, 600, 30, "wal", 1024, 40, UNSEEN},
    {"blobs-300-delete-512", BLOBS, 300, 25, "delete", 512, 0, UNSEEN},
    {"indexed-2-delete-2048", INDEXED, 2, 30, "delete", 2048, 0, UNSEEN},
    {"text-2-persist-1024", TEXTS, 2, 30, "persist", 1024, 0, UNSEEN},
    {"joins-20-wal-512", JOINS, 20, 20, "wal", 512, 100, UNSEEN},
    {"sums-7-wal-512", SUMS, 7, 60, "wal", 512, 100, UNSEEN},
    {"tpc-b-wal-2048", TPC_B, 1, 15, "wal", 2048, 80, UNSEEN},
    {"speedtest-update-delete-2048", SPEED_UPDATE, 1, 60, "delete", 2048, 0, UNSEEN},
};

const uint32_t WORKLOAD_COUNT = sizeof WORKLOADS / sizeof *WORKLOADS;
