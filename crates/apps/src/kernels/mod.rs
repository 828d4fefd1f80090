//! Programs that are known to ask much of memory, small enough to read, followed access by access.
//!
//! Each is generic over an [`AccessTracer`]. With [`NoTracer`] it is the plain program, and its tests hold its result against
//! another way to compute it. With a tracer that has caches, what is left are the lines that memory sees, each with the
//! line that it had to wait for.
//!
//! ```
//! use wordline_apps::kernels::{AppKernel, NoTracer};
//!
//! let run = AppKernel::Triangles.run(&mut NoTracer, 256 << 10, 1)?;
//! assert_eq!(run.size, "1,024 vertices, 10,439 edges");
//! # Ok::<(), wordline_apps::kernels::KernelSizeError>(())
//! ```

mod array;
mod conjugate_gradient;
mod csr;
mod decode;
pub mod graph;
mod hnsw;
mod ldu;
mod list;
mod random;
mod stencil;
mod svm;
mod tracer;

pub use array::{AddressSpace, TracedArray};
pub use conjugate_gradient::{ConjugateGradient, SymmetricOperator};
pub use csr::CsrMatrix;
pub use decode::DecodeModel;
pub use hnsw::HnswIndex;
pub use ldu::FaceMatrix;
pub use list::{AppKernel, KernelRun, KernelSizeError, UnknownAppKernel};
pub use stencil::CubeStencil;
pub use svm::SvmData;
pub use tracer::{AccessTracer, NoTracer};
