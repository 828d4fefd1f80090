mod failing;
mod hostile;
pub(crate) mod memories;
mod seeded;
mod shared;
pub(crate) mod sql;
mod traffic;
mod traits;
