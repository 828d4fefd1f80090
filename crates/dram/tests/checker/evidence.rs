use crate::mutants::{FIELDS, matrix};

#[test]
fn explore() {
    let m = matrix();
    for (i, f) in FIELDS.iter().enumerate() {
        let [less, removed, more] = &m.fates[i];
        println!(
            "{}: -1 {:?} {:?}\n  surv {:?}; removed {:?} {:?}\n   +1 {:?} {:?} slack {:?}",
            f.0,
            less.tried,
            less.violated,
            m.survivors[i],
            removed.tried,
            removed.violated,
            more.tried,
            more.violated,
            more.slack
        );
    }
    for (r, n) in &m.decisive[0] {
        println!("{r}: {n} {}", m.decisive[1][r]);
    }
}
