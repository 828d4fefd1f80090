//! A FAT file system on a simulated NAND, through the translation layer: files are written, the power is cut,
//! and they are read back.

#![allow(clippy::print_stdout)]

use std::error::Error;

use wordline_core::Timing;
use wordline_engines::{Fat, FatOptions, FileSystem, Open, Shared};
use wordline_nvm::ftl::{FlashMedia, Ftl, FtlConfig, Media};
use wordline_nvm::{Accounts, Board, Conditions, Named, Nand, NandSheet, Wired};

/// An invented chip of 512 blocks of 8 pages of 512 bytes, with an ECC on the die.
fn sheet() -> Result<NandSheet, Box<dyn Error>> {
    let text = include_str!("../tests/data/nand.toml");
    Ok(toml::from_str(&text.replace(
        "blocks = { value = 16,",
        "blocks = { value = 512,",
    ))?)
}

fn chip(sheet: &NandSheet) -> Result<Wired<Nand>, Box<dyn Error>> {
    let board: Board = toml::from_str(include_str!("../tests/data/board.toml"))?;
    let part = Named {
        id: "my-nand",
        sheet,
    };
    let board = Named {
        id: "my-board",
        sheet: &board,
    };
    let conditions = Conditions {
        timing: Timing::Typ,
        age: 0.0,
        seed: 0,
    };
    Ok(Wired::connect(part, board, conditions)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let sheet = sheet()?;
    let media = FlashMedia::of(chip(&sheet)?, &sheet)?;
    let config = FtlConfig::page_mapped(media.shape());
    // The file system has one handle of the layer, and we keep another.
    let layer = Shared::new(Ftl::format(media, config)?);

    Fat::format(layer.clone(), &FatOptions::default())?;
    let mut files = Fat::mount(layer.clone())?;
    let log = files.open("/log.txt", Open::Create)?;
    let mut end = 0;
    for line in 0..200 {
        let text = format!("line {line}\n");
        files.write(log, end, text.as_bytes())?;
        end += text.len() as u64;
    }
    // From here on the file survives a power cut.
    files.sync(log)?;
    report(&layer.borrow());

    // The power is cut: what RAM held is gone, and the flash is all that is left.
    drop(files);
    let layer = layer
        .into_inner()
        .map_err(|_| "the layer has another handle")?;
    let media = FlashMedia::of(layer.into_flash(), &sheet)?;
    let mut files = Fat::mount(Ftl::mount(media, config)?)?;
    let log = files.open("/log.txt", Open::Read)?;
    let mut text = vec![0; end as usize];
    assert_eq!(files.read(log, 0, &mut text)?, text.len());
    assert!(text.ends_with(b"line 199\n"));
    println!(
        "read back {} lines",
        text.split(|byte| *byte == b'\n').count() - 1
    );
    Ok(())
}

fn report(device: &Ftl<Wired<Nand>>) {
    let work = device.work();
    let amplification = work.write_amplification().unwrap_or(1.0);
    let now = device.layer().media().flash().clock().now();
    println!(
        "{} pages written, {} moved, write amplification {amplification:.2}, after {now}",
        work.written, work.cleaned
    );
}
