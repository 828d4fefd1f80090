//! With the feature `rocksdb`: compiles the link to RocksDB, and links the machine's library.

fn main() {
    println!("cargo::rerun-if-changed=src/shim.cc");
    #[cfg(feature = "rocksdb")]
    {
        let mut build = cc::Build::new();
        build.cpp(true).std("c++17").file("src/shim.cc");
        if let Err(error) = build.try_compile("wordline_rocksdb") {
            println!(
                "cargo::error=the feature `rocksdb` needs a C++ compiler and RocksDB's headers and library"
            );
            println!(
                "cargo::error=(Debian: apt-get install g++ librocksdb-dev, or scripts/need-rocksdb): {error}"
            );
            return;
        }
        println!("cargo::rustc-link-lib=dylib=rocksdb");
    }
}
