//! A FAT file system on a simulated NAND, through the translation layer: files are written, the power is cut,
//! and they are read back. The guide `docs/guides/fat-on-nand.md` walks through it.

mod disk;

use std::error::Error;
use std::io::{Read, Seek, Write};

use disk::Disk;
use fatfs::{FileSystem, FormatVolumeOptions, FsOptions};
use wordline_core::Timing;
use wordline_nvm::ftl::{FlashMedia, Ftl, FtlConfig, Media};
use wordline_nvm::{Accounts, Board, Conditions, Named, Nand, NandSheet, Wired};

/// An invented chip of 512 blocks of 8 pages of 512 bytes, with an ECC on the die.
fn sheet() -> Result<NandSheet, Box<dyn Error>> {
    let text = include_str!("../../tests/data/nand.toml");
    Ok(toml::from_str(&text.replace(
        "blocks = { value = 16,",
        "blocks = { value = 512,",
    ))?)
}

fn chip(sheet: &NandSheet) -> Result<Wired<Nand>, Box<dyn Error>> {
    let board: Board = toml::from_str(include_str!("../../tests/data/board.toml"))?;
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
    let mut disk = Disk::new(Ftl::format(media, config)?);

    fatfs::format_volume(&mut disk, FormatVolumeOptions::new())?;
    disk.rewind()?;
    let files = FileSystem::new(&mut disk, FsOptions::new())?;
    let mut log = files.root_dir().create_file("log.txt")?;
    for line in 0..200 {
        writeln!(log, "line {line}")?;
    }
    log.flush()?;
    drop(log);
    files.unmount()?;
    // From here on the file survives a power cut.
    disk.flush()?;
    report(&disk.device);

    // The power is cut: what RAM held is gone, and the flash is all that is left.
    let flash = disk.device.into_flash();
    let mut disk = Disk::new(Ftl::mount(FlashMedia::of(flash, &sheet)?, config)?);
    let files = FileSystem::new(&mut disk, FsOptions::new())?;
    let mut text = String::new();
    files
        .root_dir()
        .open_file("log.txt")?
        .read_to_string(&mut text)?;
    assert!(text.ends_with("line 199\n"));
    println!("read back {} lines", text.lines().count());
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
