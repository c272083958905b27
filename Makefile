# `make demo` shows the daemon at work; `make test` runs every check. The rest are their parts.

CARGO ?= cargo
# Seconds of each fuzz target.
FUZZ_SECONDS ?= 30
FUZZ_TARGETS := frame home_document protocol grammar

ARM := aarch64-unknown-linux-gnu
# The emulator as a Cortex-A53: its default processor has instructions that gateways lack.
ARM_RUNNER := qemu-aarch64 -cpu cortex-a53 -L /usr/aarch64-linux-gnu
# A broker to test against; a compiler, libraries and an emulator for the gateway; a C++ compiler for libFuzzer.
PACKAGES := mosquitto qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross g++
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

export CARGO_TERM_COLOR ?= auto

.PHONY: demo test setup fmt fmt-check clippy unit eval soak soak-short bars fuzz fuzz-build test-aarch64 build-aarch64 \
  bench deny clean

demo:
	$(CARGO) run --quiet -- demo

test: setup fmt-check clippy unit soak-short fuzz test-aarch64

# Installs what is missing and touches nothing that is there.
setup:
	@missing=""; \
	for package in $(PACKAGES); do \
	  dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'install ok installed' || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	  echo "installing$$missing"; \
	  $(SUDO) apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends $$missing; \
	fi
	rustup target add $(ARM)
	rustup component add clippy rustfmt
	$(CARGO) fuzz --version 2>/dev/null || $(CARGO) install cargo-fuzz --version '^0.13' --locked

fmt:
	$(CARGO) fmt

fmt-check:
	$(CARGO) fmt --check

clippy:
	$(CARGO) clippy --all-targets -- -D warnings

# Unit, property and integration tests, the accuracy floors of tests/eval among them.
unit:
	$(CARGO) test

# Mixed traffic, new homes, poison and a broker that is killed, for so many seconds: memory and store must not grow.
SOAK_SECONDS ?= 1200

soak:
	SOAK_SECONDS=$(SOAK_SECONDS) $(CARGO) test --test it -- --ignored --exact soak::soak --nocapture

soak-short:
	$(MAKE) soak SOAK_SECONDS=60

# The figures of docs/operations.md, on a release binary. BARS_AWAY_SECONDS=600 keeps the broker away for ten minutes.
bars:
	$(CARGO) build --release
	ZHIJU_TEST_BINARY=target/release/zhiju $(CARGO) test --test it -- --ignored bars:: --nocapture --test-threads 1

# The accuracy in full: by tag, with every miss.
eval:
	$(CARGO) run --quiet -- eval tests/eval/cases.jsonl tests/eval/ha-zh-CN.jsonl

# Coverage without a sanitizer, so that the stable toolchain will do: the crate forbids unsafe code.
fuzz-build:
	$(CARGO) fuzz build --sanitizer none

fuzz: fuzz-build
	@set -e; for target in $(FUZZ_TARGETS); do \
	  echo "fuzzing $$target for $(FUZZ_SECONDS) s"; \
	  mkdir -p fuzz/corpus/$$target; \
	  $(CARGO) fuzz run --sanitizer none $$target fuzz/corpus/$$target fuzz/seeds/$$target -- \
	    -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=1024 -max_len=8192 -verbosity=0 -print_final_stats=1; \
	done

# The gateway's build, its tests run by the emulator (.cargo/config.toml), and so are the programs they start.
# What measures the language with the model, over hundreds of sentences, and not the processor: it takes a quarter of
# an hour and more under the emulator and has run natively already (`unit`). The golden vectors run here too.
NATIVE_ONLY := --skip gist:: --skip embedding::colloquial_phrases --skip cli::eval_actions --skip cli::the_demonstration

test-aarch64:
	ZHIJU_TEST_RUNNER="$(ARM_RUNNER)" $(CARGO) test --target $(ARM) --lib --test it -- $(NATIVE_ONLY)

# What a gateway runs.
build-aarch64:
	$(CARGO) build --release --target $(ARM)

bench:
	$(CARGO) bench

deny:
	$(CARGO) deny --version 2>/dev/null || $(CARGO) install cargo-deny --locked
	$(CARGO) deny check

clean:
	$(CARGO) clean
	rm -rf fuzz/target fuzz/corpus fuzz/artifacts
