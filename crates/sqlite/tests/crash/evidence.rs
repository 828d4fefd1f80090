use super::setups::*;
use wordline_crash::harness::Again;
use wordline_crash::Mode;
fn cpu() -> f64 {
    let t = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<_> = t.rsplit(')').next().unwrap().split_whitespace().collect();
    (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
}
#[test]
fn matrix() {
    for name in ["flat", "littlefs", "fat"] {
        for class in [BETWEEN, WITHIN, ANY_ORDER] {
            for journal in JOURNALS {
                let c = cpu();
                let case = ByteCase { journal, ..ByteCase::new(engine(name), class) };
                let v = case.check();
                println!("{name} {} {journal:?} ops {} images {} again {} distinct {} failures {} {:?} cpu {:.2}", class.name, v.operations, v.images, v.images_again, v.distinct, v.failures, v.kinds, cpu() - c);
                if v.failures > 0 && name != "fat" { println!("   {:?}", v.examples); }
            }
        }
    }
    for journal in JOURNALS {
        let c = cpu();
        let v = on_nand(Mode::Linear, Some(Again { every: 12, mode: Mode::Sample(3) })).check(&rtfs_subject(journal, PROMISED, None), &super::workload::workload());
        println!("rtfs {journal:?} ops {} images {} again {} distinct {} failures {} {:?} cpu {:.2}", v.operations, v.images, v.images_again, v.distinct, v.failures, v.kinds, cpu() - c);
    }
}
