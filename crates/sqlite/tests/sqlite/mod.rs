mod first;
mod memories;
