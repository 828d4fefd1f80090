mod failing;
mod memories;
mod seeded;
mod shared;
mod sql;
mod traffic;
mod traits;
