# What people run. `make help` lists it.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

DEMO_REPORT := out/demo.html

# The command that the demo runs, without the file systems, which it does not need. `make test` has built it already.
WORDLINE := cargo run --locked --profile demo -p wordline --no-default-features --

# Where `make install` puts everything.
PREFIX ?= /usr/local
BUILT := $(or $(CARGO_TARGET_DIR),target)
RELEASE := $(BUILT)/release
INSTALLED := $(DESTDIR)$(PREFIX)
PACKAGE_PREFIX ?= $(PREFIX)
HEADERS := wordline_dram.h wordline_memory.h wordline_kv.h wordline_flat.h wordline_rtfs.h wordline_rtfs_lfs.h wordline.hpp
COMPLETIONS := bash-completion/completions/wordline zsh/site-functions/_wordline fish/vendor_completions.d/wordline.fish
PLUGIN := libwordline_apps_qemu.so
EXAMPLES := share/doc/wordline-c/examples
# What programs that link with libwordline_capi.so look for: the name in crates/capi/build.rs.
SHARED := libwordline_capi.so.1
LIBRARIES := libwordline_capi.a libwordline_kv_capi.a libwordline_flat_capi.a libwordline_rtfs_capi.a

.PHONY: help
help: ## this list
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

.PHONY: demo
demo: ## the data-logger study: every memory ranked; the answer and an HTML report, in 4 minutes of processor time from a clean clone
	mkdir -p out
	$(WORDLINE) compare data-logger --export $(DEMO_REPORT)
	@echo
	@echo "Report: $(CURDIR)/$(DEMO_REPORT)   (open it in a browser; it needs no network)"

.PHONY: quick
quick: ## formatting, lints and tests; the browser test runs where a Chromium is installed
	cargo fmt --all --check
	cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
	cargo test --quiet --locked --workspace

.PHONY: test
# What is built once and not debugged needs no incremental state, no line tables, few units of code generation, and no
# optimisation between these.
test: export CARGO_INCREMENTAL := 0
test: export CARGO_PROFILE_DEV_DEBUG := none
test: export CARGO_PROFILE_DEV_CODEGEN_UNITS := 4
test: export CARGO_PROFILE_DEV_LTO := off
# Property tests draw the same cases each time here; `cargo test` and `make nightly` draw new ones.
test: export PROPTEST_RNG_SEED := 1
test: ## everything that CI checks, in about 20 minutes on 2 cores
	scripts/need-chromium
# Where SystemC cannot be had, the one test of its adapter says that it is skipped; `make nightly` wants it.
	scripts/need-systemc || true
	scripts/need-python
	cargo fmt --all --check
# `make quick` and `make nightly` lint tests, benches and examples as well, and `make nightly` the documentation.
	cargo clippy --locked --workspace -- -D warnings
	WORDLINE_REQUIRE_BROWSER=1 WORDLINE_REQUIRE_PYTHON=1 scripts/run-tests
	cargo test --locked --workspace --doc
	scripts/aarch64 build
	scripts/playground check
	$(BUILT)/debug/wordline part check
	$(MAKE) --no-print-directory place-command RELEASE=$(BUILT)/debug DESTDIR=$(BUILT)/installed PREFIX=/usr
	cd $(BUILT)/installed/usr && for file in share/man/man1/wordline{,-compare,-kv-bench}.1 $(COMPLETIONS:%=share/%); do test -s $$file; done
	$(MAKE) --no-print-directory demo WORDLINE=$(BUILT)/debug/wordline

.PHONY: nightly
nightly: ## what takes longer: fuzzing, the site, the table and both kinds of files on an emulated Cortex-M, the report on memory modules, benchmarks; figures belong in docs/evidence/
	scripts/fuzz 300
	scripts/need-systemc
	WORDLINE_REQUIRE_SYSTEMC=1 cargo test --locked -p wordline-capi --test all simulators
	cargo clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps
	cargo build --locked --workspace --examples
	WORDLINE_CASES=1000000 cargo test --release --locked -p wordline-dram --test all against_oracle::engine_and -- --nocapture
	WORDLINE_COMMANDS=1000000000 cargo test --release --locked -p wordline-dram --test all checker::engine -- --nocapture
	WORDLINE_COMMANDS=1000000000 cargo test --release --locked -p wordline-catalog --test all dram_checker -- --nocapture
	WORDLINE_DAMAGES=3000 cargo test --release --locked -p wordline-catalog --lib sheets_never_panic
	WORDLINE_SPACES=10 cargo test --release --locked -p wordline-lab --test all -- explore::the_front --nocapture
	WORDLINE_CANDIDATES=1 cargo test --release --locked -p wordline-lab --test all -- explore::what_cannot --nocapture
	WORDLINE_KILLS=1000 cargo test --locked -p wordline --test all -- sweep::killed --nocapture
	WORDLINE_ALL_SEEDS=1 cargo test --release --locked -p wordline-host --lib memory:: -- --nocapture
	cargo test --release --locked -p wordline-dram --lib coverage:: -- --ignored --nocapture
	cargo test --release --locked -p wordline-lab --test all published:: -- --ignored
	cargo test --release --locked -p wordline-apps --test all programs:: -- --ignored --nocapture
	cargo test --release --locked -p wordline-lab --test all calibration:: -- --ignored --nocapture
	cargo test --release --locked -p wordline-lab --test all buffer:: -- --ignored --nocapture
	cargo test --release --locked -p wordline-lab --test all fit:: -- --ignored --nocapture
	cargo test --release --locked -p wordline-lab --test all compare:: -- --ignored --nocapture
	cargo test --release --locked -p wordline --test all guides:: -- --ignored --nocapture
	cargo test --release --locked -p wordline --test all reproduce:: -- --ignored --nocapture
	$(MAKE) --no-print-directory playground
	WORDLINE_REQUIRE_BROWSER=1 cargo test --release --locked -p wordline --test all browser:: -- --ignored --nocapture
	scripts/wheel
	scripts/notebooks check
	cargo test --release --locked -p wordline-crash --test ftl power_cuts -- --ignored --nocapture
	cargo test --release --locked -p wordline-kv --lib million_images -- --ignored --nocapture
	cargo test --release --locked -p wordline-kv --test all a_million_flipped_images -- --ignored --nocapture
	cargo test --release --locked -p wordline-host --lib swaps_ten_thousand_times -- --ignored --nocapture
	cargo test --release --locked -p wordline-flat --lib millions_of_images -- --ignored --nocapture
	cargo test --release --locked -p wordline-sqlite --test all crash:: -- --ignored --nocapture
	scripts/need-rocksdb
	cargo test --release --locked -p wordline-rocksdb --features rocksdb --test all -- --include-ignored --nocapture
	cargo test --release --locked -p wordline-lab --features rocksdb --test all kv::rocksdb
	cargo clippy --locked --workspace --all-targets --features wordline/rocksdb -- -D warnings
	WORDLINE_CALLS=340000 cargo test --release --locked -p wordline-rtfs --test all files::model
	cargo test --release --locked -p wordline-rtfs --tests -- --ignored --nocapture
	scripts/need-qemu --compare
	cargo build --release --locked -p wordline -p wordline-apps-qemu
	scripts/compare-cachegrind
	scripts/bench-playground
	scripts/bench-record
	scripts/compare-probe
# Exit code 2: this host mounts nothing, which it says.
	scripts/kill-mounts || [ $$? = 2 ]
	scripts/sanitize
	scripts/aarch64 test
	scripts/firmware kv thumbv7em-none-eabihf
	scripts/firmware flat thumbv7em-none-eabihf
	scripts/firmware rtfs thumbv7em-none-eabihf
	scripts/static-size
	$(MAKE) --no-print-directory dist
	scripts/dist again
	scripts/bare-container
	$(MAKE) --no-print-directory docs
	$(MAKE) --no-print-directory bench

.PHONY: bench
bench: ## speed of the simulation, with criterion
	cargo bench --locked --workspace --benches

.PHONY: bench-dram
bench-dram: ## speed of a DDR5 sub-channel, in requests per second of processor time, and of wordline_dram.h beside it
	cargo bench --locked -p wordline-dram --bench requests
	scripts/bench-dram-header

.PHONY: bench-capi
bench-capi: ## what the C interface costs beside a block device of plain memory
	scripts/bench-capi
	scripts/static-size

.PHONY: install
install: ## the command with man pages and completions, and the C interface, under PREFIX (/usr/local); DESTDIR is put in front
	$(MAKE) --no-print-directory build-command build-plugin build-libraries
	$(MAKE) --no-print-directory place-command place-plugin place-libraries

.PHONY: install-libraries
install-libraries: ## the C interface alone, under PREFIX
	$(MAKE) --no-print-directory build-libraries place-libraries

# What `make install` and `make dist` build; BUILD_FLAGS of the latter name a target. As libraries for C alone, and as a plugin
# alone: with the library for Rust beside them, nothing is optimised across crates.
.PHONY: build-command build-plugin build-libraries
build-command:
	cargo build --release --locked $(BUILD_FLAGS) -p wordline
build-plugin:
	cargo rustc --release --locked $(BUILD_FLAGS) -p wordline-apps-qemu --lib --crate-type cdylib
build-libraries:
	for library in '' kv- flat- rtfs-; do \
	  cargo rustc --release --locked $(BUILD_FLAGS) -p wordline-$${library}capi --lib --crate-type staticlib; \
	done

# The libraries that are in RELEASE, with headers and the adapters of file systems and simulators. PACKAGE_PREFIX is what the files of pkg-config call their prefix.
.PHONY: place-libraries
place-libraries:
	install -d "$(INSTALLED)/include" "$(INSTALLED)/lib/pkgconfig"
	install -m 644 crates/{capi,kv-capi,flat-capi,rtfs-capi}/include/*.h crates/capi/include/wordline.hpp "$(INSTALLED)/include"
	install -m 644 $(LIBRARIES:%=$(RELEASE)/%) "$(INSTALLED)/lib"
	scripts/shared-library $(RELEASE)/libwordline_capi.a "$(INSTALLED)/lib/$(SHARED)" $(SHARED)
	ln -sf $(SHARED) "$(INSTALLED)/lib/libwordline_capi.so"
	install -d "$(INSTALLED)/$(EXAMPLES)"
	cp -R --no-preserve=mode,ownership crates/capi/examples/. "$(INSTALLED)/$(EXAMPLES)"
	for package in capi/wordline kv-capi/wordline_kv flat-capi/wordline_flat rtfs-capi/wordline_rtfs; do \
	  sed -e 's|@PREFIX@|$(PACKAGE_PREFIX)|' -e "s|@VERSION@|$$(cargo pkgid -p wordline-capi | sed 's/.*[#@]//')|" \
	    crates/$$package.pc.in > "$(INSTALLED)/lib/pkgconfig/$${package#*/}.pc"; \
	done

# What `wordline app record` gives to QEMU.
.PHONY: place-plugin
place-plugin:
	install -d "$(INSTALLED)/lib"
	install -m 755 $(RELEASE)/$(PLUGIN) "$(INSTALLED)/lib"

# The command that is in RELEASE, with what it says of itself. EMULATOR runs it where it is for another machine.
.PHONY: place-command
place-command:
	install -d "$(INSTALLED)/bin" "$(INSTALLED)/share/man/man1" $(patsubst %,"$(INSTALLED)/share/%",$(dir $(COMPLETIONS)))
	install -m 755 $(RELEASE)/wordline "$(INSTALLED)/bin"
	$(EMULATOR) "$(INSTALLED)/bin/wordline" man "$(INSTALLED)/share/man/man1"
	for shell in bash zsh fish; do \
	  $(EMULATOR) "$(INSTALLED)/bin/wordline" completions $$shell > "$(INSTALLED)/share/$$(tr ' ' '\n' <<<'$(COMPLETIONS)' | grep $$shell)"; \
	done

.PHONY: dist
dist: ## a release of the last commit, in target/dist: command and C libraries for x86-64 and aarch64, wheels, SBOM, checksums
	scripts/dist

.PHONY: wheel
wheel: ## the package for Python, in target/wheels: for 3.10 and later, without engines in C
	scripts/wheel

.PHONY: kv-firmware
kv-firmware: ## wordline_kv.h for firmware: a static library for TARGET (of rustup), and of thumbv7em-none-eabihf an example, run
	scripts/firmware --library-suffices kv $(TARGET)

.PHONY: flat-firmware
flat-firmware: ## wordline_flat.h for firmware, likewise
	scripts/firmware --library-suffices flat $(TARGET)

.PHONY: rtfs-firmware
rtfs-firmware: ## wordline_rtfs.h for firmware, likewise
	scripts/firmware --library-suffices rtfs $(TARGET)

.PHONY: uninstall
uninstall: ## takes away what `make install` with the same PREFIX and DESTDIR put there
	rm -f $(HEADERS:%="$(INSTALLED)/include/%") $(LIBRARIES:%="$(INSTALLED)/lib/%") "$(INSTALLED)/lib/libwordline_capi.so" "$(INSTALLED)/lib/$(SHARED)" "$(INSTALLED)/lib/$(PLUGIN)"
	rm -f "$(INSTALLED)/bin/wordline" $(COMPLETIONS:%="$(INSTALLED)/share/%") "$(INSTALLED)"/share/man/man1/wordline{,-*}.1
	rm -f "$(INSTALLED)"/lib/pkgconfig/{wordline,wordline_kv,wordline_flat,wordline_rtfs}.pc
	rm -rf "$(INSTALLED)/$(EXAMPLES)"

.PHONY: pictures
pictures: ## the pictures of README and site, from pages of today
	scripts/need-chromium
	mkdir -p out
	$(WORDLINE) compare --rate 500KB/s --record 4KiB --keep 1h --duty 10% --max-ram 16KiB --min-life 10y --quiet --export out/compare.html >out/compare.txt
	$(WORDLINE) buffer --target mt29f1g01@stm32h755-qspi --rate 4096KB/s --record 4KiB --quiet --export out/buffer.html >out/buffer.txt
	scripts/plot out/compare.html plot-candidates docs/images/compare.svg
	scripts/plot out/buffer.html plot-ram-1 docs/images/buffer.svg
	scripts/screenshot out/compare.html docs/images/report.png 1280 800

.PHONY: docs
docs: ## the site of docs/, in target/book (mdBook; cargo installs it where it is not)
	scripts/need-mdbook
	mdbook build docs
	if [ -f $(BUILT)/playground/index.html ]; then install -D -m 644 $(BUILT)/playground/index.html $(BUILT)/book/playground/index.html; fi
	@echo "Site: $(CURDIR)/target/book/index.html"

.PHONY: playground
playground: ## the page that runs experiments in a browser, in target/playground (needs Rust's library for wasm32-unknown-unknown, which rustup adds)
	scripts/playground

.PHONY: notebooks
notebooks: ## run the notebooks of docs/notebooks/ with the wheel, and write their pages and pictures again
	scripts/wheel
	scripts/notebooks

.PHONY: reference
reference: ## write the generated pages under docs/reference/ again, and the distributions of the catalogue's figures
	UPDATE_REFERENCE=1 UPDATE_EVIDENCE=1 cargo test --quiet --locked -p wordline-catalog --lib estimate::
	UPDATE_REFERENCE=1 cargo test --quiet --locked -p wordline-core --test reference
	UPDATE_REFERENCE=1 cargo test --quiet --locked -p wordline-apps --lib schema::
	UPDATE_REFERENCE=1 cargo test --quiet --locked -p wordline --test all reference::
	python3 python/generate.py > $(BUILT)/experiment.py && cp $(BUILT)/experiment.py python/wordline/experiment.py
