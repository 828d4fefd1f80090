use super::run::{again, first};
use super::setups::SETUPS;
use crate::crash::{FlashImage, FlashOperation, ImageId};
use crate::ftl::barrier::Barriers;
use crate::ftl::media::PageKind;
use crate::ftl::record::{Found, Role};
use crate::ftl::{FlashMedia, mount, recovery};

fn dump(setup: &super::setups::Setup, image: &FlashImage, watch: u32) {
    println!("image {} tear {:?}", image.id(), image.tear());
    let mut media: FlashMedia<FlashImage> =
        setup.media(image.clone(), Barriers::ALL).expect("media");
    let config = setup.config_of(&media);
    let logical = config
        .logical_pages(crate::ftl::Media::shape(&media), 0)
        .expect("c");
    let found = mount::find(&mut media, logical, mount::Copies::Needed).expect("find");
    for (b, block) in found.blocks.iter().enumerate() {
        let live = found
            .newest
            .iter()
            .flatten()
            .filter(|(p, _)| *p / setup.pages_per_block == b as u32)
            .count();
        print!(
            "{b}: {:?} live {live} w{:x} {:?} |",
            block.state, block.written, block.mode
        );
        let pages = media.survey_pages(b as u32).expect("pages");
        for p in pages {
            match p {
                Found::Whole(s) => {
                    let k = match s.role {
                        Role::Page(PageKind::Filler) => {
                            print!(" .");
                            continue;
                        }
                        Role::Page(PageKind::Data) => "",
                        Role::Page(PageKind::Recovered) => "R",
                        Role::Page(PageKind::Lost) => "LOST",
                        _ => "?",
                    };
                    print!(" {k}{}@{:x}", s.logical, s.sequence)
                }
                Found::Torn => print!(" T"),
                Found::Erased => print!(" _"),
            }
        }
        println!();
    }
    println!("watched {:?}", found.newest[watch as usize]);
    let r = recovery::recover(&mut media, found);
    match r {
        Ok(f) => println!("recovered, watched {:?}", f.newest[watch as usize]),
        Err(e) => println!("{e:?}"),
    }
}

#[test]
fn debug_one() {
    let var = |n: &str| std::env::var(n).ok();
    let Some(index) = var("SETUP") else { return };
    let setup = &SETUPS[index.parse::<usize>().expect("i")];
    let watch: u32 = var("WATCH").map_or(0, |w| w.parse().expect("w"));
    let run = first(
        setup,
        Barriers::ALL,
        var("SEED").map_or(1, |s| s.parse().expect("s")),
    )
    .map_err(|e| format!("{e:?}"))
    .expect("run");
    let id: ImageId = var("ONE").expect("ONE").parse().expect("id");
    let image = run.recording.image(id).expect("image");
    dump(setup, &image, watch);
    let Some(two) = var("TWO") else { return };
    let two: ImageId = two.parse().expect("id");
    let allowed = run.oracle.allowed(id.operation);
    let run = again(setup, Barriers::ALL, image, allowed, 12)
        .map_err(|e| format!("{e:?}"))
        .expect("again");
    let ppb = setup.pages_per_block;
    for (n, op) in run
        .recording
        .operations()
        .iter()
        .take(two.operation + 3)
        .enumerate()
    {
        match &op.operation {
            FlashOperation::Program { page, failed, .. } => print!(
                "{n}: p{}.{}{} ",
                page / ppb - 1,
                page % ppb,
                if *failed { "F" } else { "" }
            ),
            FlashOperation::Erase { block, .. } => print!("{n}: E{} ", block - 1),
            o => print!("{n} {o:?} "),
        }
    }
    println!();
    let image = run.recording.image(two).expect("image");
    let allowed = run.oracle.allowed(two.operation);
    let spp = setup.page_bytes as usize / 32;
    println!("allowed {:?}", &allowed[watch as usize * spp..][..spp]);
    dump(setup, &image, watch);
}
