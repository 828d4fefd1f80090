mod crash;
mod recordings;
mod records;
