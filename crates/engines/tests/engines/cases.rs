//! Every file system on the memories that it takes.

use wordline_engines::{FileSystem, FsError, Shared};

use crate::engines::memories::{Failing, Fails};

/// A mounted file system.
pub(crate) type Mounted = Box<dyn FileSystem + Send>;

/// A file system on a memory.
pub(crate) struct Case {
    pub name: &'static str,
    /// Whether a rename replaces what has the name.
    pub replaces: bool,
    pub format: Box<dyn Fn() -> Result<(), FsError>>,
    pub mount: Box<dyn Fn() -> Result<Mounted, FsError>>,
    /// Lets the memory fail from now on.
    pub fail: Box<dyn Fn(Fails)>,
    /// Accesses of the memory so far.
    pub accesses: Box<dyn Fn() -> u64>,
}

impl Case {
    /// Formats and mounts.
    pub(crate) fn fresh(&self) -> Mounted {
        (self.format)().unwrap_or_else(|error| panic!("{}: {error}", self.name));
        self.again()
    }

    /// Mounts.
    pub(crate) fn again(&self) -> Mounted {
        (self.mount)().unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

fn case<D: 'static, F: FileSystem + Send + 'static>(
    (name, replaces): (&'static str, bool),
    memory: Failing<D>,
    format: impl Fn(Shared<Failing<D>>) -> Result<(), FsError> + 'static,
    mount: impl Fn(Shared<Failing<D>>) -> Result<F, FsError> + 'static,
) -> Case {
    let memory = Shared::new(memory);
    let (a, b, c, d) = (memory.clone(), memory.clone(), memory.clone(), memory);
    Case {
        name,
        replaces,
        format: Box::new(move || format(a.clone())),
        mount: Box::new(move || Ok(Box::new(mount(b.clone())?))),
        fail: Box::new(move |fails| c.borrow().fails = fails),
        accesses: Box::new(move || d.borrow().accesses),
    }
}

/// All of them, each on a new memory.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    #[cfg(feature = "fat")]
    cases.extend(fat::cases());
    #[cfg(feature = "littlefs")]
    cases.extend(littlefs::cases());
    cases.push(rtfs::on_nand());
    cases.push(flat::on_bytes());
    cases
}

mod flat {
    use wordline_engines::{ByteBox, Flat, FlatOptions};

    use super::{Case, case};
    use crate::engines::memories::bytes;

    pub(super) fn on_bytes() -> Case {
        let options = FlatOptions::default();
        case(
            ("flat on bytes", true),
            bytes(),
            move |bytes| Flat::format(ByteBox::new(bytes), &options),
            move |bytes| Flat::mount(ByteBox::new(bytes), &options),
        )
    }
}

mod rtfs {
    use wordline_engines::{Rtfs, RtfsOptions};

    use super::{Case, case};
    use crate::engines::memories::{paged_nand, spare_flash};

    pub(super) fn on_nand() -> Case {
        // A chip of so few blocks leaves the layer less room than a whole one.
        let options = RtfsOptions {
            spare_percent: 60,
            ..RtfsOptions::default()
        };
        case(
            ("rtfs on NAND", true),
            paged_nand(),
            move |nand| Rtfs::format(spare_flash(nand), &options),
            move |nand| Rtfs::mount(spare_flash(nand), &options),
        )
    }
}

#[cfg(feature = "fat")]
mod fat {
    use wordline_engines::{Fat, FatOptions, RewrittenSectors, Sectors};

    use super::{Case, case};
    use crate::engines::memories::{bytes, disk, nor};

    pub(super) fn cases() -> [Case; 3] {
        let options = FatOptions::default();
        [
            case(
                ("fat on sectors", false),
                disk(),
                move |disk| Fat::format(disk, &options),
                Fat::mount,
            ),
            case(
                ("fat on bytes", false),
                bytes(),
                move |bytes| Fat::format(Sectors::new(bytes), &options),
                |bytes| Fat::mount(Sectors::new(bytes)),
            ),
            case(
                ("fat on NOR", false),
                nor(),
                move |nor| Fat::format(RewrittenSectors::new(nor)?, &options),
                |nor| Fat::mount(RewrittenSectors::new(nor)?),
            ),
        ]
    }
}

#[cfg(feature = "littlefs")]
mod littlefs {
    use wordline_engines::{ByteBlocks, FlashBlocks, LittleFs, LittleFsOptions};

    use super::{Case, case};
    use crate::engines::memories::{bytes, nand, nor};

    pub(super) fn cases() -> [Case; 3] {
        let options = LittleFsOptions::default();
        [
            case(
                ("littlefs on NOR", true),
                nor(),
                move |nor| LittleFs::format(FlashBlocks::new(nor)?, &options),
                move |nor| LittleFs::mount(FlashBlocks::new(nor)?, &options),
            ),
            case(
                ("littlefs on NAND", true),
                nand(),
                move |nand| LittleFs::format(FlashBlocks::new(nand)?, &options),
                move |nand| LittleFs::mount(FlashBlocks::new(nand)?, &options),
            ),
            case(
                ("littlefs on bytes", true),
                bytes(),
                move |bytes| LittleFs::format(ByteBlocks::new(bytes)?, &options),
                move |bytes| LittleFs::mount(ByteBlocks::new(bytes)?, &options),
            ),
        ]
    }
}
