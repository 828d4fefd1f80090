//! The memories that the harness cuts.

use std::fmt::Debug;

use crate::{
    ByteImage, ByteOperation, ByteTearing, Content, FlashContent, FlashImage, FlashOperation,
    FlashTearing, ImageId, Recorder, Recording, Tearing,
};

/// A class of memories whose images the harness can name, hash, damage and put into words.
pub trait Medium: Tearing<Image: Clone + Debug> + Send + 'static {
    /// What records the operations of such a memory.
    type Recorder: MediumRecorder<Self>;

    /// What an image holds.
    fn content(image: &Self::Image) -> Self::Content;

    /// Which image it is.
    fn id(image: &Self::Image) -> ImageId;

    /// A hash of what an image holds: images of the same content share it.
    fn hash(image: &Self::Image) -> u64;

    /// How many stored bits can flip.
    fn bits(content: &Self::Content) -> u64;

    /// Flips one of these bits, counted from 0.
    fn flip(image: &mut Self::Image, bit: u64);

    /// An operation in words.
    fn describe(operation: &Self::Operation) -> String;

    /// What is left of the interrupted operation, in words.
    fn describe_cut(image: &Self::Image) -> String;
}

/// An image as a memory that keeps a record of what is done to it.
pub trait MediumRecorder<T: Medium>: Debug + Send {
    /// Records what is done to an image.
    fn of(image: T::Image, tearing: T) -> Self;

    /// How many operations were recorded so far.
    fn operations(&self) -> usize;

    /// What the memory holds now.
    fn content(&self) -> T::Content;

    /// The recording so far; what comes now is recorded anew.
    fn take_recording(&mut self) -> Recording<T>;
}

impl<T: Medium> MediumRecorder<T> for Recorder<T::Image, T>
where
    Self: Debug + Send,
{
    fn of(image: T::Image, tearing: T) -> Self {
        let content = T::content(&image);
        Self::new(image, content, tearing)
    }

    fn operations(&self) -> usize {
        self.operations()
    }

    fn content(&self) -> T::Content {
        T::content(self.device())
    }

    fn take_recording(&mut self) -> Recording<T> {
        self.take_recording()
    }
}

impl Medium for ByteTearing {
    type Recorder = Recorder<ByteImage, Self>;

    fn content(image: &ByteImage) -> Content {
        image.content().clone()
    }

    fn id(image: &ByteImage) -> ImageId {
        image.id()
    }

    fn hash(image: &ByteImage) -> u64 {
        image.hash()
    }

    fn bits(content: &Content) -> u64 {
        content.len() * 8
    }

    fn flip(image: &mut ByteImage, bit: u64) {
        image.flip(bit / 8, (bit % 8) as u8);
    }

    fn describe(operation: &ByteOperation) -> String {
        match operation {
            ByteOperation::Write { at, data } => format!("write {} B at {at}", data.len()),
            ByteOperation::Persist => "persist".to_owned(),
        }
    }

    fn describe_cut(image: &ByteImage) -> String {
        format!("of the pending stores landed: {}", image.cut())
    }
}

impl Medium for FlashTearing {
    type Recorder = Recorder<FlashImage, Self>;

    fn content(image: &FlashImage) -> FlashContent {
        image.content().clone()
    }

    fn id(image: &FlashImage) -> ImageId {
        image.id()
    }

    fn hash(image: &FlashImage) -> u64 {
        image.hash()
    }

    fn bits(content: &FlashContent) -> u64 {
        let geometry = content.geometry();
        geometry.pages() * geometry.columns() * 8
    }

    fn flip(image: &mut FlashImage, bit: u64) {
        let columns = image.content().geometry().columns();
        let (page, column) = (bit / 8 / columns, bit / 8 % columns);
        // A bit that the geometry does not have flips nothing.
        let _ = image.flip(page as u32, column as u32, (bit % 8) as u8);
    }

    fn describe(operation: &FlashOperation) -> String {
        let failing = |failed: &bool| if *failed { ", which fails" } else { "" };
        match operation {
            FlashOperation::Program {
                page,
                column,
                data,
                failed,
            } => format!(
                "program {} B of page {page} from column {column} on{}",
                data.len(),
                failing(failed)
            ),
            FlashOperation::Move {
                from, to, failed, ..
            } => format!("move page {from} to page {to}{}", failing(failed)),
            FlashOperation::BeginErase { block } => format!("begin to erase block {block}"),
            FlashOperation::Erase { block, failed } => {
                format!("erase block {block}{}", failing(failed))
            }
            FlashOperation::Mark { block } => format!("mark block {block} bad"),
        }
    }

    fn describe_cut(image: &FlashImage) -> String {
        format!("left of it: {}", image.tear())
    }
}
