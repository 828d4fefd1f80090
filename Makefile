# What people run. `make help` lists it.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

DEMO_REPORT := out/demo.html

# Where `make install` puts the C interface.
PREFIX ?= /usr/local
RELEASE := $(or $(CARGO_TARGET_DIR),target)/release
INSTALLED := $(DESTDIR)$(PREFIX)
HEADERS := wordline_dram.h wordline_memory.h wordline_kv.h
LIBRARIES := libwordline_capi.a libwordline_capi.so libwordline_kv_capi.a

.PHONY: help
help: ## this list
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

.PHONY: engines
engines:
	@scripts/need-libclang

.PHONY: demo
demo: engines ## the data-logger study: every memory ranked, to an HTML report, in under 3 minutes from a clean clone
	mkdir -p out
	cargo run --quiet --locked -p wordline -- compare data-logger --export $(DEMO_REPORT)
	@echo
	@echo "Report: $(CURDIR)/$(DEMO_REPORT)   (open it in a browser; it needs no network)"

.PHONY: quick
quick: engines ## formatting, lints and tests; the browser test runs where a Chromium is installed
	cargo fmt --all --check
	cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
	cargo test --quiet --locked --workspace

.PHONY: test
# Everything is built once, for one run: nothing is kept for the next build, and nobody debugs it.
test: export CARGO_INCREMENTAL := 0
test: export CARGO_PROFILE_DEV_DEBUG := none
test: engines ## everything that CI checks, in under 15 minutes on 2 cores
	scripts/need-chromium
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps
	WORDLINE_REQUIRE_BROWSER=1 cargo test --locked --workspace
	cargo run --quiet --locked -p wordline -- part check
	$(MAKE) --no-print-directory demo

.PHONY: nightly
nightly: ## what takes longer: fuzzing, the table on an emulated Cortex-M, the report on memory modules, benchmarks; figures belong in docs/evidence/
	scripts/fuzz 300
	WORDLINE_CASES=1000000 cargo test --release --locked -p wordline-dram --test against_oracle engine_and -- --nocapture
	WORDLINE_COMMANDS=1000000000 cargo test --release --locked -p wordline-dram --test checker engine -- --nocapture
	WORDLINE_COMMANDS=1000000000 cargo test --release --locked -p wordline-catalog --test dram_checker -- --nocapture
	cargo test --release --locked -p wordline-lab --test published -- --ignored
	cargo test --release --locked -p wordline-lab --test calibration -- --ignored --nocapture
	cargo test --release --locked -p wordline-lab --test fit -- --ignored --nocapture
	cargo test --release --locked -p wordline-nvm --lib power_cuts -- --ignored --nocapture
	cargo test --release --locked -p wordline-kv --lib million_images -- --ignored --nocapture
	scripts/sanitize
	scripts/kv-firmware thumbv7em-none-eabihf
	$(MAKE) --no-print-directory bench

.PHONY: bench
bench: ## speed of the simulation, with criterion
	cargo bench --locked --workspace --benches

.PHONY: bench-dram
bench-dram: ## speed of a DDR5 sub-channel, in requests per second of processor time
	cargo bench --locked -p wordline-dram --bench requests

.PHONY: bench-capi
bench-capi: ## what the C interface costs beside a block device of plain memory
	scripts/bench-capi

# As libraries for C alone: with the one for Rust beside them, nothing is optimised across crates.
.PHONY: install
install: ## the C interface: headers, libraries and files for pkg-config under PREFIX (/usr/local); DESTDIR is put in front
	cargo rustc --release --locked -p wordline-capi --lib --crate-type staticlib,cdylib
	cargo rustc --release --locked -p wordline-kv-capi --lib --crate-type staticlib
	install -d "$(INSTALLED)/include" "$(INSTALLED)/lib/pkgconfig"
	install -m 644 crates/{capi,kv-capi}/include/*.h "$(INSTALLED)/include"
	install -m 644 $(LIBRARIES:%=$(RELEASE)/%) "$(INSTALLED)/lib"
	for package in capi/wordline kv-capi/wordline_kv; do \
	  sed -e 's|@PREFIX@|$(PREFIX)|' -e "s|@VERSION@|$$(cargo pkgid -p wordline-capi | sed 's/.*[#@]//')|" \
	    crates/$$package.pc.in > "$(INSTALLED)/lib/pkgconfig/$${package#*/}.pc"; \
	done

.PHONY: kv-firmware
kv-firmware: ## wordline_kv.h for firmware: a static library for TARGET (of rustup), and of thumbv7em-none-eabihf an example, run
	scripts/kv-firmware --library-suffices $(TARGET)

.PHONY: uninstall
uninstall: ## takes away what `make install` with the same PREFIX and DESTDIR put there
	rm -f $(HEADERS:%="$(INSTALLED)/include/%") $(LIBRARIES:%="$(INSTALLED)/lib/%")
	rm -f "$(INSTALLED)"/lib/pkgconfig/{wordline,wordline_kv}.pc

.PHONY: reference
reference: ## write the generated pages under docs/reference/ again
	UPDATE_REFERENCE=1 cargo test --quiet --locked -p wordline-core --test reference
	UPDATE_REFERENCE=1 cargo test --quiet --locked -p wordline --test reference

.PHONY: picture
picture: ## take the README's picture again (needs Chromium)
	mkdir -p out
	cargo run --quiet --locked -p wordline -- compare data-logger --quiet \
	  --target mt29f1g01,w25n01gv,mt29f4g08aac,mt25ql128,em064lx --export out/picture.html >/dev/null
	scripts/screenshot out/picture.html docs/images/report.png 1280 1960
