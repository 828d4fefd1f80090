//! What stands between a block device and a file system: a stream of bytes over sectors.

use std::io::{Error, Read, Result, Seek, SeekFrom, Write};

use wordline_memory::BlockDevice;

/// A block device as a stream of bytes. A part of a sector is read, changed and written back.
pub struct Disk<D> {
    /// The device.
    pub device: D,
    at: u64,
}

impl<D: BlockDevice<Error: std::error::Error>> Disk<D> {
    /// At the first byte of a device.
    pub fn new(device: D) -> Self {
        Self { device, at: 0 }
    }

    /// The sector and the byte within it where the stream is, and how many of `bytes` bytes fit in there.
    fn place(&self, bytes: usize) -> (u64, usize, usize) {
        let sector_bytes = self.device.sector_bytes();
        let first = (self.at % sector_bytes as u64) as usize;
        let left = self.device.capacity_bytes().saturating_sub(self.at);
        let most = (sector_bytes - first).min(bytes).min(left as usize);
        (self.at / sector_bytes as u64, first, most)
    }
}

fn failed(error: impl std::error::Error) -> Error {
    Error::other(error.to_string())
}

impl<D: BlockDevice<Error: std::error::Error>> Read for Disk<D> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let (sector, first, count) = self.place(out.len());
        if count > 0 {
            let mut bytes = vec![0; self.device.sector_bytes()];
            self.device.read(sector, &mut bytes).map_err(failed)?;
            out[..count].copy_from_slice(&bytes[first..first + count]);
        }
        self.at += count as u64;
        Ok(count)
    }
}

impl<D: BlockDevice<Error: std::error::Error>> Write for Disk<D> {
    fn write(&mut self, data: &[u8]) -> Result<usize> {
        let (sector, first, count) = self.place(data.len());
        if count > 0 {
            let mut bytes = vec![0; self.device.sector_bytes()];
            if count < bytes.len() {
                self.device.read(sector, &mut bytes).map_err(failed)?;
            }
            bytes[first..first + count].copy_from_slice(&data[..count]);
            self.device.write(sector, &bytes).map_err(failed)?;
        }
        self.at += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> Result<()> {
        self.device.flush().map_err(failed)
    }
}

impl<D: BlockDevice<Error: std::error::Error>> Seek for Disk<D> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let (base, offset) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::Current(offset) => (self.at, offset),
            SeekFrom::End(offset) => (self.device.capacity_bytes(), offset),
        };
        let at = base.checked_add_signed(offset);
        self.at = at.ok_or_else(|| Error::other("a seek before the first byte"))?;
        Ok(self.at)
    }
}
