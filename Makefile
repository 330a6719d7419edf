# Every target does its own set-up: a bare Python >= 3.11, a C++ compiler and make are enough.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
comma := ,
# With COVERAGE set the tests also measure the lines and branches that run, in every process that a test
# starts; `make coverage` judges what has been measured.
PYTEST := $(BIN)/python $(if $(COVERAGE),-m coverage run) -m pytest

# Percent of the lines and branches of a package that tests have to reach.
FLOORS := rules:98 notation:98 protocol:98 referee:98 daemon:90

# The tests start hundreds of programs: without bytecode on disk each would compile the package.
unexport PYTHONDONTWRITEBYTECODE

# Where CMake has no Ninja it would compile one file at a time.
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc 2>/dev/null || echo 2)

# What outlives a clone; see .ci/cache.py.
CACHE := $(or $(YODDD_CI_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/yoddd-ci)

.PHONY: demo check flakes wasm wasm-again js site test test-changed test-contract test-page test-processes test-watch fuzz coverage test-browser test-firefox test-js types lint-js pictures snapshots boards sanitize sanitize-threads lint docs linkcheck bench package clean

INSTALL := $(BIN)/python .ci/install.py
KERNEL := yoddd/kernel/CMakeLists.txt $(wildcard yoddd/kernel/src/*)
WASM := yoddd/web/js/kernel/yoddd.wasm

demo: .venv/run
	$(BIN)/yoddd demo

# Three workers for two cores: while one starts, two others are busy. Measuring coverage keeps two
# busy.
PARALLEL := -n $(if $(COVERAGE),2,3) --dist worksteal

# What runs at each landing, in the tests' own process.
test: .venv/dev
	$(PYTEST) $(PARALLEL) -m "gate and not process and not browser"

# With real programs and sockets, one after the other; a worker that hangs is ended and replaced.
test-contract: .venv/dev
	$(PYTEST) -n 1 -m "gate and process and not browser"

# Needs Chromium on the PATH.
test-page: .venv/dev
	$(PYTEST) -n 2 -m "gate and browser"

# All that `make test` leaves out, without a browser.
test-processes: .venv/slow
	$(PYTEST) $(PARALLEL) -m "(whole or process) and not watch and not browser"

# Simulations and drawn games by the thousand, from another seed each day, and kill -9 by the hundred.
test-watch: .venv/slow
	$(BIN)/python -m tests.simulation --marks --seeds 20000 --first $$(date +%y%j)00000
	YODDD_TEST_SEED=$$(date +%y%j)0000 $(PYTEST) $(PARALLEL) -m whole tests/*/test_drawn.py
	YODDD_KILLS=200 $(PYTEST) -n 1 tests/daemon/test_kills.py

# The tests with real programs that are new or edited, twenty times while two loops keep the
# processors busy.
test-changed: .venv/dev
	$(BIN)/python -m tests.support.changes

# All there is, for an issue before it is called resolved: 90 minutes.
check: .venv/pip
	$(BIN)/python .ci/steps.py whole

# The tests that failed and passed when they ran alone, on this machine.
flakes: .venv/dev
	$(BIN)/python -m tests.support.second_look $(CACHE)/flaky

FUZZED := analysis sgf record abstractplay toml control http websocket
FUZZ_SECONDS := 60

# Each target from a small corpus of its own; libFuzzer prints the input that fails.
fuzz: .venv/slow
	$(BIN)/python tests/fuzz/grammar_target.py -max_total_time=$(FUZZ_SECONDS) -max_len=400
	@set -e; for target in $(FUZZED); do \
		$(BIN)/python -m tests.fuzz.input_targets $$target \
			-max_total_time=$(FUZZ_SECONDS) -max_len=4000; \
	done

coverage: .venv/dev
	$(BIN)/python -m coverage combine --quiet
	@rm -f .coverage.*  # of programs that were killed: each report would name them again
	@failed=; for floor in $(FLOORS); do \
		total=$$($(BIN)/python -m coverage report --format=total --precision=2 \
			--include="yoddd/$${floor%:*}/*" --fail-under="$${floor#*:}") || failed="$$failed $${floor%:*}"; \
		echo "coverage of yoddd/$${floor%:*}: $$total %, at least $${floor#*:} %"; \
	done; test -z "$$failed" || { echo "below its floor:$$failed" >&2; exit 1; }

# Need Chromium, or Firefox ESR, on the PATH; the tests that are marked `firefox` run in both.
test-browser: .venv/dev
	$(PYTEST) -n 2 -m "browser and not watch"

test-firefox: .venv/dev
	$(PYTEST) -n 2 -m "browser and firefox and not watch" --browser firefox

# The kernel as WebAssembly, for the JavaScript package and the wheel.
wasm: $(WASM)

$(WASM): .venv/pip .ci/wasm.py $(KERNEL) $(wildcard yoddd/kernel/c/*)
	$(BIN)/python .ci/wasm.py $@

# It is built a second time, and has to be the same.
wasm-again: $(WASM)
	$(BIN)/python .ci/wasm.py build/again.wasm --check

# Tools for the page, which itself needs no build step; they need npx and Node.js >= 18.18.
TYPESCRIPT := typescript@5.9.3
ESLINT := eslint@9.39.1 @eslint/js@9.39.1 eslint-plugin-import-x@4.16.2
PRETTIER := prettier@3.10.1
SCRIPTS := yoddd/web/js clients/js tests/web

# The JavaScript package, put together in build/js, and its types.
PACKAGED := node clients/js/pack.mjs build/js && $(BIN)/python .ci/js_facts.py build/js

types: .venv/run
	$(PACKAGED)
	.ci/again npx --yes --package $(TYPESCRIPT) -- tsc --version
	npx --yes --package $(TYPESCRIPT) -- tsc -p tests/web/jsconfig.json
	npx --yes --package $(TYPESCRIPT) -- tsc -p clients/js/tsconfig.json
	npx --yes --package $(TYPESCRIPT) -- tsc --noEmit --strict --target es2023 --module nodenext \
		build/js/types/index.d.ts

test-js: .venv/run $(WASM)
	$(PACKAGED)
	node --test --test-timeout=120000 clients/js/test/

# The site that needs no server, for any static host: .github/workflows/pages.yml publishes it.
SITE := build/site

site: .venv/dev $(WASM)
	$(BIN)/python .ci/site.py $(SITE)

# An archive of it in dist, as `npm publish` takes it.
js: $(WASM) types
	mkdir -p dist && npm pack --silent --pack-destination dist ./build/js

lint-js: types
	.ci/again npx --yes $(ESLINT:%=--package %) -- eslint --version
	.ci/again npx --yes --package $(PRETTIER) -- prettier --version
	npx --yes $(ESLINT:%=--package %) -- \
		eslint -c tests/web/eslint.config.mjs $(SCRIPTS)
	npx --yes --package $(PRETTIER) -- \
		prettier --config tests/web/prettier.json --check $(SCRIPTS)

# The pictures that tests/web/test_snapshots.py compares the page with; needs Chromium.
snapshots: .venv/dev
	YODDD_RENEW_SNAPSHOTS=1 $(BIN)/python -m pytest -q -m browser tests/web/test_snapshots.py

# Pictures for the documentation; needs Chromium.
pictures: .venv/dev
	$(BIN)/python -m tests.web.pictures docs/images

# The two boards of the documentation's first page and the README.
boards: .venv/dev
	for theme in light dark; do \
		$(BIN)/yoddd render docs/images/yodd-game.sgf --turn 18 --groups --theme $$theme --cell 36 \
			--out docs/images/yodd-board-$$theme.svg && \
		$(BIN)/yoddd render docs/images/yodd-game.sgf --groups --theme $$theme --cell 36 \
			--out docs/images/yodd-game-$$theme.svg || exit 1; \
	done

# A build of the kernel under sanitizers: $(call sanitized,folder,sanitizers).
define sanitized
	$(INSTALL) --group sanitize
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S yoddd/kernel -B $(1) -G Ninja \
		-DCMAKE_BUILD_TYPE=Debug -DYODDD_SANITIZE=$(2) \
		-DPython_EXECUTABLE="$(CURDIR)/$(BIN)/python" \
		-Dnanobind_DIR="$$($(BIN)/python -m nanobind --cmake_dir)" >/dev/null
	$(BIN)/cmake --build $(1)
endef

# The libraries that an unsanitised Python has to load first: $(call runtime,sanitizer).
runtime = $$($${CXX:-c++} -print-file-name=lib$(1).so) $$($${CXX:-c++} -print-file-name=libstdc++.so)

# The tests of the kernel and of reviews on a build under AddressSanitizer and
# UndefinedBehaviorSanitizer, in which nanobind checks who holds the GIL: with fewer random games, and
# without matches between searches, which run no other code.
sanitize: .venv/dev
	$(call sanitized,build/sanitize,address$(comma)undefined)
	YODDD_TEST_NATIVE="$(CURDIR)/build/sanitize" YODDD_TEST_GAMES=2 ASAN_OPTIONS=detect_leaks=0 \
		LD_PRELOAD="$(call runtime,asan)" \
		$(PYTEST) -n 2 -m "gate and not process" tests/kernel tests/rules tests/library/test_review.py \
		-k "(kernel or native or review) and not beats"

# Searches by two threads, read while they run, on a build under ThreadSanitizer. It cannot place
# its shadow memory where addresses are drawn from too wide a range, hence setarch where allowed.
sanitize-threads: .venv/dev
	$(call sanitized,build/sanitize-threads,thread)
	$$(setarch -R true 2>/dev/null && echo setarch -R) env \
		YODDD_TEST_NATIVE="$(CURDIR)/build/sanitize-threads" TSAN_OPTIONS=halt_on_error=1 \
		LD_PRELOAD="$(call runtime,tsan)" \
		$(PYTEST) -p no:xdist -s tests/kernel/test_races.py

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror yoddd/kernel/src/* yoddd/kernel/c/*
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/dev
	PATH="$(CURDIR)/$(BIN):$$PATH" sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "the documentation is in docs/_build/html/index.html"

# External links, which CI cannot reach; internal ones are checked by `docs` and the tests.
linkcheck: .venv/dev
	PATH="$(CURDIR)/$(BIN):$$PATH" sphinx-build -q -b linkcheck docs docs/_build/linkcheck

bench: .venv/run
	$(BIN)/yoddd bench

# The sdist and the wheel, built and tried in new environments.
package: .venv/pip
	.ci/package

clean:
	rm -rf .venv build dist docs/_build .coverage .coverage.*

# Stamps: the package is installed again only when pyproject.toml or the kernel's sources change.
.venv/pip:
	@test -n "$(PYTHON)" || { echo "yoddd needs Python 3.11 or newer on the PATH" >&2; exit 1; }
	@echo "making .venv, the environment of all targets"
	@$(PYTHON) -m venv .venv
	@touch $@

.venv/run: .venv/pip pyproject.toml $(KERNEL)
	@echo "installing yoddd in .venv and compiling its kernel, which takes up to a minute"
	@$(INSTALL) --editable .
	@ln -sf ../../../../../../yoddd/daemon/plugins/yoddd_plugin.py .venv/lib/*/site-packages/twisted/plugins/
	@$(BIN)/python -m yoddd.kernel
	@touch $@

.venv/wasm: .venv/pip pyproject.toml
	@echo "installing Zig's compiler in .venv"
	@$(INSTALL) --upgrade "pip>=25.1"
	@$(INSTALL) --group wasm
	@touch $@

# Dependency groups need a newer pip than Python 3.11 brings.
.venv/dev: .venv/run pyproject.toml
	@echo "installing the tools of the tests, of lint and of the documentation in .venv"
	@$(INSTALL) --upgrade "pip>=25.1"
	@$(INSTALL) --group test --group lint --group docs
	@touch $@

.venv/slow: .venv/dev pyproject.toml
	@echo "installing what only the slow tests need in .venv"
	@$(INSTALL) --group slow
	@touch $@
