//! Opening on simulated parts: how long after a power cut a table is there again.

#![allow(
    clippy::print_stdout,
    reason = "the figures are what one runs this for"
)]

use std::error::Error;

use wordline_catalog::Catalog;
use wordline_core::Timing;
use wordline_kv::{Options, RamDirectory, Table, format};
use wordline_memory::{ByteMemory, Clock};
use wordline_nvm::{Conditions, Memory};

/// Seconds to open a table that is nine tenths full, with a scratch buffer of 32 KiB.
fn opening(target: &str, key_bytes: usize) -> Result<f64, Box<dyn Error>> {
    let catalog = Catalog::load(&[])?;
    let conditions = Conditions {
        timing: Timing::Typ,
        age: 0.0,
        seed: 0,
    };
    let Memory::Bytes(mut memory) = catalog.part_on_board(target)?.memory(conditions)? else {
        return Err("a memory of bytes".into());
    };
    let clock = memory.clock().clone();
    let options = Options::for_records(key_bytes, key_bytes, memory.atom());
    let geometry = format(&mut memory, &options)?;
    let directory = || RamDirectory::new(vec![0; geometry.directory_words()]);
    let mut table = Table::open(memory, directory(), vec![0; 32 << 10])?;
    for number in 0..u64::from(geometry.slots()) * 9 / 10 {
        let mut key = vec![0; key_bytes];
        key[..4].copy_from_slice(&(number as u32).to_le_bytes());
        table.put(&key, &key)?;
    }
    let memory = table.into_memory();
    let before = clock.now_ps();
    let table = Table::open(memory, directory(), vec![0; 32 << 10])?;
    let seconds = (clock.now_ps() - before) as f64 * 1e-12;
    println!(
        "{target}: {} records in {:.2} ms",
        table.len(),
        seconds * 1e3
    );
    Ok(seconds)
}

#[test]
fn eight_mebibytes_at_400_mb_per_second_open_in_30_ms() -> Result<(), Box<dyn Error>> {
    // The part's slots have at least 32 bytes: its atom.
    for key_bytes in [4, 256] {
        assert!(opening("em064lx@stm32h7s78-xspi", key_bytes)? <= 0.030);
    }
    Ok(())
}

#[test]
fn fram_on_a_serial_bus_is_a_home_and_opens_at_the_speed_of_its_bus() -> Result<(), Box<dyn Error>>
{
    // 512 KiB over one line at 40 MHz take 0.105 s; opcodes, addresses and the driver come on top.
    let seconds = opening("cy15b104q@stm32h755-qspi", 4)?;
    assert!((0.105..0.112).contains(&seconds), "{seconds} s");
    Ok(())
}
