//! What is done with a database: the statements of each workload.

use std::borrow::Cow;

use wordline_core::RowOperation::{
    self, Delete, Hit, Insert, Read, Statement, Transaction, Update,
};
use wordline_core::SqlWork;
use wordline_core::draw::{Purpose, draw};
use wordline_sqlite::ScriptStatement;

/// Accounts of a branch; TPC-B has 100,000, more than the smallest memories hold.
const ACCOUNTS: u64 = 1000;

/// Tellers of a branch, as TPC-B has them.
const TELLERS: u64 = 10;

/// Words of numbers, for text of a length that numbers have when they are spelt.
const WORDS: [&str; 10] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
];

/// One timed piece of work, which is there as a whole or not at all after a power cut.
pub(super) struct TimedStatement<'a> {
    pub(super) operation: RowOperation,
    pub(super) sql: Cow<'a, str>,
    /// The statement of a script that it is.
    pub(super) script: Option<&'a ScriptStatement>,
}

/// A workload on a database of its own.
pub(super) struct SqlWorkSteps<'a> {
    pub(super) work: SqlWork,
    pub(super) rows: u64,
    pub(super) transactions: u64,
    pub(super) seed: u64,
    pub(super) script: Option<&'a [ScriptStatement]>,
}

impl<'a> SqlWorkSteps<'a> {
    /// What makes and fills the database, when nothing is timed: each text is a transaction.
    pub(super) fn preparation(&self) -> Vec<String> {
        if self.script.is_some() {
            return Vec::new();
        }
        match self.work {
            SqlWork::Insert => vec![SENSOR.to_owned()],
            SqlWork::Read | SqlWork::ReadAsPublished => {
                let inserts = (0..self.transactions).map(|number| self.insert(number));
                std::iter::once(SENSOR.to_owned()).chain(inserts).collect()
            }
            SqlWork::TpcB => vec![self.branch()],
            SqlWork::Speedtest => vec![
                "CREATE TABLE z1(a INTEGER PRIMARY KEY, b INTEGER, c TEXT)".to_owned(),
                "CREATE INDEX z1b ON z1(b)".to_owned(),
            ],
        }
    }

    /// The operations that are told apart, in the order in which they are done.
    pub(super) fn operations(&self) -> Vec<RowOperation> {
        if self.script.is_some() {
            return vec![Statement];
        }
        match self.work {
            SqlWork::Insert => vec![Insert],
            SqlWork::Read | SqlWork::ReadAsPublished => vec![Read],
            SqlWork::TpcB => vec![Transaction],
            SqlWork::Speedtest => vec![Insert, Hit, Read, Update, Delete],
        }
    }

    /// Pieces of timed work.
    pub(super) fn count(&self) -> u64 {
        match self.script {
            Some(script) => script.len() as u64,
            None => self.transactions * self.operations().len() as u64,
        }
    }

    /// The piece of a number below [`count`](Self::count).
    pub(super) fn statement(&self, number: u64) -> TimedStatement<'a> {
        if let Some(script) = self.script {
            let statement = &script[number as usize];
            return TimedStatement {
                operation: Statement,
                sql: Cow::Borrowed(&statement.sql),
                script: Some(statement),
            };
        }
        let operations = self.operations();
        let operation = operations[(number / self.transactions) as usize];
        let number = number % self.transactions;
        let sql = match self.work {
            SqlWork::Insert => self.insert(number),
            SqlWork::Read => self.read(number, "<= Timestamp AND Timestamp <"),
            SqlWork::ReadAsPublished => self.read(number, "<= Timestamp <"),
            SqlWork::TpcB => self.booking(number),
            SqlWork::Speedtest => self.speedtest(operation, number),
        };
        TimedStatement {
            operation,
            sql: Cow::Owned(sql),
            script: None,
        }
    }

    fn draw(&self, number: u64, purpose: Purpose, below: u64) -> u64 {
        draw(self.seed, self.work as u64, number, purpose) % below
    }

    /// One statement of several rows, as the paper's authors have it: times that count up, and three bytes.
    fn insert(&self, number: u64) -> String {
        let rows = (number * self.rows..(number + 1) * self.rows).map(|time| {
            let byte = |column: u64| self.draw(3 * time + column, Purpose::Payload, 255);
            format!("({time},{},{},{})", byte(0), byte(1), byte(2))
        });
        let rows: Vec<_> = rows.collect();
        format!("INSERT INTO Sensor VALUES {}", rows.join(","))
    }

    /// The rows that one transaction inserted, in the paper's order of transactions: one after the other. `condition`
    /// stands between the first time and the one behind the last.
    fn read(&self, number: u64, condition: &str) -> String {
        let (from, to) = (number * self.rows, (number + 1) * self.rows);
        format!("SELECT Pressure FROM Sensor WHERE {from} {condition} {to}")
    }

    /// A branch with its tellers and accounts, all at nothing, in one transaction.
    fn branch(&self) -> String {
        let filler = "x".repeat(84);
        let accounts = (0..ACCOUNTS).map(|id| format!("({id},0,0,'{filler}')"));
        let accounts: Vec<_> = accounts.collect();
        let tellers = (0..TELLERS).map(|id| format!("({id},0,0,'{filler}')"));
        let tellers: Vec<_> = tellers.collect();
        format!(
            "BEGIN;
             CREATE TABLE branches(bid INTEGER PRIMARY KEY, bbalance INTEGER, filler TEXT);
             CREATE TABLE tellers(tid INTEGER PRIMARY KEY, bid INTEGER, tbalance INTEGER, filler TEXT);
             CREATE TABLE accounts(aid INTEGER PRIMARY KEY, bid INTEGER, abalance INTEGER, filler TEXT);
             CREATE TABLE history(tid INTEGER, bid INTEGER, aid INTEGER, delta INTEGER, mtime INTEGER, filler TEXT);
             INSERT INTO branches VALUES (0,0,'{filler}');
             INSERT INTO tellers VALUES {};
             INSERT INTO accounts VALUES {};
             COMMIT",
            tellers.join(","),
            accounts.join(",")
        )
    }

    /// One transaction of TPC-B: an account, its teller and its branch, and a line of history of 50 bytes.
    fn booking(&self, number: u64) -> String {
        let account = self.draw(number, Purpose::Address, ACCOUNTS);
        let teller = self.draw(number, Purpose::Mix, TELLERS);
        let delta = self.draw(number, Purpose::Payload, 1_999_999) as i64 - 999_999;
        let filler = "x".repeat(22);
        format!(
            "BEGIN;
             UPDATE accounts SET abalance = abalance + {delta} WHERE aid = {account};
             SELECT abalance FROM accounts WHERE aid = {account};
             UPDATE tellers SET tbalance = tbalance + {delta} WHERE tid = {teller};
             UPDATE branches SET bbalance = bbalance + {delta} WHERE bid = 0;
             INSERT INTO history VALUES ({teller},0,{account},{delta},{number},'{filler}');
             COMMIT"
        )
    }

    /// A transaction of one row, a look-up by an index, or a range of 1 % of the rows.
    fn speedtest(&self, operation: RowOperation, number: u64) -> String {
        let all = self.transactions;
        let random = |purpose| self.draw(number, purpose, all);
        let value = |number: u64| self.draw(number, Purpose::Payload, 500_000);
        match operation {
            Insert => {
                let value = value(number);
                format!(
                    "INSERT INTO z1 VALUES ({number},{value},'{}')",
                    spelt(value)
                )
            }
            Hit => {
                let value = value(random(Purpose::Address));
                format!("SELECT c FROM z1 WHERE b = {value}")
            }
            Read => {
                let from = self.draw(number, Purpose::Mix, 495_000);
                let to = from + 5000;
                format!(
                    "SELECT count(*), avg(b), sum(length(c)) FROM z1 WHERE b BETWEEN {from} AND {to}"
                )
            }
            Update => {
                let value = value(all + number);
                let row = random(Purpose::Address);
                format!(
                    "UPDATE z1 SET b = {value}, c = '{}' WHERE a = {row}",
                    spelt(value)
                )
            }
            _ => format!("DELETE FROM z1 WHERE a = {number}"),
        }
    }
}

/// The table of "Towards MRAM Byte-Addressable Persistent Memory in Edge Database Systems", as its authors' benchmark has
/// it.
const SENSOR: &str = "CREATE TABLE Sensor(Timestamp INT, Device INT, Zone INT, Pressure INT)";

/// A number in words, a word a digit.
fn spelt(number: u64) -> String {
    let text = number.to_string();
    let words = text.bytes().map(|digit| WORDS[usize::from(digit - b'0')]);
    words.collect::<Vec<_>>().join(" ")
}
