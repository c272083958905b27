# Binaries and packages for gateways, and what checks them.

ARM := aarch64-unknown-linux-gnu
INTEL := x86_64-unknown-linux-gnu
# Debian 10's, the oldest that a gateway may have.
GLIBC := 2.28
# Without the model; in MiB.
BINARY_MAX := 25

TOOLS := $(CURDIR)/target/tools
ZIG := $(TOOLS)/zig
# `cargo zigbuild` links against any glibc, with a C compiler for every target: no cross compiler, no container.
ZIGBUILD := PATH="$(ZIG)/bin:$$PATH" $(CARGO) zigbuild --locked
# Programs of cargo's, each once: built without optimisation, which takes a third of the time and is fast enough.
CARGO_DEB := $(TOOLS)/bin/cargo-deb
CARGO_FUZZ := $(TOOLS)/bin/cargo-fuzz
CARGO_DENY := $(TOOLS)/bin/cargo-deny
INSTALL := CARGO_TARGET_DIR=$(TOOLS)/build CARGO_PROFILE_DEV_DEBUG=0 $(CARGO) install --debug --locked --root $(TOOLS)
DEBIAN := target/debian-guest

.PHONY: build-aarch64 build-x86_64 deb unit-check package-check

$(ZIG)/bin/cargo-zigbuild: | build-packages
	python3 -m venv $(ZIG)
	$(ZIG)/bin/pip install --quiet ziglang==0.13.0.post1 cargo-zigbuild==0.24.0

$(CARGO_DEB): | build-packages
	$(INSTALL) cargo-deb --version '^3.8' --no-default-features

$(CARGO_FUZZ): | build-packages
	$(INSTALL) cargo-fuzz --version '^0.13'

$(CARGO_DENY): | build-packages
	$(INSTALL) cargo-deny --version '^0.20'

# What a gateway runs.
build-aarch64: build-packages $(ZIG)/bin/cargo-zigbuild
	rustup target add $(ARM)
	$(ZIGBUILD) --release --bin zhiju --target $(ARM).$(GLIBC)
	deploy/tests/binary.sh target/$(ARM)/release/zhiju $(BINARY_MAX)

build-x86_64: build-packages $(ZIG)/bin/cargo-zigbuild
	rustup target add $(INTEL)
	$(ZIGBUILD) --release --bin zhiju --target $(INTEL).$(GLIBC)
	deploy/tests/binary.sh target/$(INTEL)/release/zhiju $(BINARY_MAX)

# target/debian/*.deb
deb: build-aarch64 build-x86_64 $(CARGO_DEB)
	$(CARGO_DEB) --no-build --no-strip --target $(ARM)
	$(CARGO_DEB) --no-build --no-strip --target $(INTEL)

unit-check: packages
	deploy/tests/unit.sh
	shellcheck --severity=warning .ci/run deploy/*.sh deploy/zhiju-store deploy/debian/* deploy/tests/*.sh

# The packages, from the binaries that the tests built: the release's take a quarter of an hour on two cores and differ
# in nothing that is looked at here.
CHECKED := target/package-check

package-check: gateway-packages $(CARGO_DEB) $(DEBIAN)
	rustup target add $(ARM)
	$(CARGO) test --locked --no-run --test it
	$(CARGO) test --locked --no-run --test it --target $(ARM)
	mkdir -p $(CHECKED)/$(ARM)/release $(CHECKED)/$(INTEL)/release
	aarch64-linux-gnu-strip -o $(CHECKED)/$(ARM)/release/zhiju target/$(ARM)/debug/zhiju
	strip -o $(CHECKED)/$(INTEL)/release/zhiju target/debug/zhiju
	for target in $(ARM) $(INTEL); do \
	  CARGO_TARGET_DIR=$(CHECKED) $(CARGO_DEB) --quiet --no-build --no-strip --fast --compress-type gz --compress-system \
	    --target $$target --output $(CHECKED)/$$target.deb || exit 1; \
	done
	$(SUDO) deploy/tests/package.sh $(CHECKED)/$(INTEL).deb $(DEBIAN)
	$(SUDO) deploy/tests/boot.sh $(CHECKED)/$(INTEL).deb $(DEBIAN)
	deploy/tests/gateway.sh $(CHECKED)/$(ARM).deb target/gateway-root

# A Debian to install the package in; made once.
$(DEBIAN): | gateway-packages
	$(SUDO) rm -rf $@.new
	$(SUDO) debootstrap --variant=minbase --include=systemd,dbus,mosquitto,mosquitto-clients $$(. /etc/os-release && echo $$VERSION_CODENAME) $@.new
	$(SUDO) mv $@.new $@
