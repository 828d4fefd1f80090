//! temporary
#[path = "../src/fixture.rs"]
#[allow(dead_code, unreachable_pub)]
mod fixture;
use std::io::Write;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let d = match a[1].as_str() {
        "mram" => fixture::mram(),
        "two" => fixture::document(&[fixture::MRAM, fixture::NAND]),
        "hostile" => fixture::hostile(),
        "one" => {
            let mut d = fixture::mram();
            d.rows.retain(|r| r.count("access_bytes") == Some(2048));
            d
        }
        _ => {
            let mut d = fixture::mram();
            d.rows.clear();
            d
        }
    };
    let f = a[2].parse().unwrap();
    let style = wordline_report::Style {
        color: a.get(3).is_some_and(|s| s == "color"),
        width: a.get(4).and_then(|s| s.parse().ok()),
    };
    std::io::stdout()
        .write_all(wordline_report::render(&d, f, &style).as_bytes())
        .unwrap();
}
