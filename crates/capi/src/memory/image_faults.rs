//! The faults of an image in the second version of the format: several a block, with their counts, and of ranges.

use super::abi::Info;
use super::block_faults::{FaultRule, FaultSet, InjectedFault, Struck};
use super::image::{Entries, ImageError};

/// Whether faults are those that the first version has a place for: one a block, that strikes always.
pub(super) fn are_plain(faults: &FaultSet) -> bool {
    let is_plain = |(_, rules): (u32, &[FaultRule])| rules.len() == 1 && rules[0].is_plain();
    faults.of_ranges().is_empty() && faults.stale().is_empty() && faults.of_blocks().all(is_plain)
}

pub(super) fn write(out: &mut Vec<u8>, faults: &FaultSet, info: &Info) {
    let block = info.block_bytes;
    let of_blocks = faults.of_blocks().flat_map(|(number, rules)| {
        let at = u64::from(number) * block;
        rules.iter().map(move |rule| (at, at + block, *rule))
    });
    let all: Vec<_> = of_blocks
        .chain(faults.of_ranges().iter().copied())
        .collect();
    out.extend((all.len() as u32).to_le_bytes());
    for (at, end, rule) in all {
        out.extend(rule.kind.number().to_le_bytes());
        for number in [at, end - at, rule.after, rule.times, rule.one_in] {
            out.extend(number.to_le_bytes());
        }
        for number in [rule.seed, rule.seen, rule.struck] {
            out.extend(number.to_le_bytes());
        }
    }
    out.extend((faults.stale().len() as u32).to_le_bytes());
    for block in faults.stale() {
        out.extend(block.to_le_bytes());
    }
}

pub(super) fn read(all: &mut Entries<'_>, info: &Info) -> Result<FaultSet, ImageError> {
    let mut faults = FaultSet::default();
    for _ in 0..all.u32()? {
        let place = all.at;
        let number = u64::from(all.u32()?);
        let wrong = |what, found| ImageError::Value {
            at: place,
            what,
            found,
        };
        let Ok(Some(kind)) = InjectedFault::of(number) else {
            return Err(wrong("fault", number));
        };
        let (at, bytes) = (all.u64()?, all.u64()?);
        let rule = FaultRule {
            kind,
            after: all.u64()?,
            times: all.u64()?,
            one_in: all.u64()?.max(1),
            seed: all.u64()?,
            seen: all.u64()?,
            struck: all.u64()?,
        };
        let end = at.checked_add(bytes).filter(|end| *end <= info.bytes);
        let end = end.ok_or_else(|| wrong("address of a fault", at))?;
        match info.block_bytes {
            0 if kind.strikes() == Struck::Erase => return Err(wrong("fault", number)),
            0 => faults.add_to_range(at, end, rule),
            block if bytes == block && at.is_multiple_of(block) => {
                faults.add_to_block((at / block) as u32, rule);
            }
            _ => return Err(wrong("address of a fault", at)),
        }
    }
    for _ in 0..all.u32()? {
        let at = all.at;
        let block = all.u32()?;
        if u64::from(block) >= info.blocks {
            let (what, found) = ("block", u64::from(block));
            return Err(ImageError::Value { at, what, found });
        }
        faults.set_stale(block, true);
    }
    Ok(faults)
}
