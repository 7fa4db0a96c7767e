# make demo   everything set up, an island world mounted, edited and diffed
# make test   everything set up, every test run
# make bench  measures and writes docs/benchmarks.md

GO ?= go
BIN := bin/worldfs

.PHONY: build install demo test quick check race arm64 configurations crash powercut damage clones soak properties laws fuzz fuzz-c study bench clean

# Without the C library the program is one file for any Linux, and starts faster.
build: $(BIN)

$(BIN): FORCE
	@mkdir -p bin
	CGO_ENABLED=0 $(GO) build -o $(BIN) ./cmd/worldfs

FORCE:

# The program, its manual pages, completions, vim files and unit for systemd, and
# mount(8)'s helper (mount -t worldfs, /etc/fstab).
PREFIX ?= /usr/local
install: build
	scripts/stage.sh $(BIN) "$(DESTDIR)" $(PREFIX)
	install -d $(DESTDIR)/sbin
	ln -sf $(PREFIX)/bin/worldfs $(DESTDIR)/sbin/mount.worldfs

demo: build
	@scripts/setup.sh demo
	@scripts/demo.sh $(BIN)

# A commit passes or fails whenever it is tested: property tests draw the same each time.
# Others are for `make properties` and `make laws`.
test race: export RAPID_SEED ?= 1
test: check
	@scripts/setup.sh test
	scripts/platforms.sh
	$(GO) test -timeout 20m $$($(GO) list ./... | grep -vE '/test(/arm64)?$$' | grep -vxF "$$($(GO) list $(RACE))")
	@# These run the built program, of which go test's cache knows nothing. They wait
	@# for disks and other programs, mostly.
	$(GO) test -count=1 -parallel 4 -timeout 80m ./test
	WORLDFS_TEST_ALL=1 WORLDFS_TEST_CONFIG=kernel_cache=false $(GO) test -count=1 -timeout 20m -run '^Test(Git|Tools)$$/^(merge|stash_and_pop|copying|python)$$' ./test
	$(MAKE) race

# Data races, and locks taken against their order. The other packages are tested without:
# they have one goroutine, or hand out work that shares nothing.
RACE := ./cache/... ./fsnode/... ./internal/storage/... ./internal/mounting/... ./internal/support/...
race:
	$(GO) test -timeout 30m -race -tags lockorder $(RACE)

# What one runs on each save: the packages whose tests take no time.
QUICK := ./entity/... ./textcodec ./interchange ./packfile ./internal/compare/... ./internal/support/... ./internal/dev/measure \
	./internal/storage/boltfile ./internal/storage/disk ./internal/storage/groupcommit ./internal/storage/packstore \
	./internal/storage/plainfiles ./internal/storage/state ./internal/storage/table ./internal/storage/wal \
	./internal/worldtree/idrange ./internal/worldtree/layout ./internal/worldtree/worlddir
quick:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$unformatted" ] || { echo "gofmt: $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) test $(QUICK)

# The packages of formats, of calculating and of merging, and what the program makes, as they
# are for arm64.
arm64:
	@scripts/setup.sh arm64
	scripts/arm64.sh
	$(GO) test -count=1 -timeout 60m ./test/arm64

# What a reader should not have to look for.
check:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$unformatted" ] || { echo "gofmt: $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) tool errcheck -ignoretests -exclude scripts/errcheck.txt ./...
	$(GO) tool revive -config .revive.toml ./...
	@$(GO) tool misspell -error $$(git ls-files '*.go' '*.md' | grep -v testdata)
	@scripts/layers.sh
	$(GO) run ./internal/dev/measure/cmd -check

# What runs the built program, each case of it (test/turns_test.go), in each way that a
# world can be set up.
configurations:
	@for c in "" halt_polling=true kernel_cache=false shard=last-digit plain=false cover cover,kernel_cache=false; do \
		echo "== WORLDFS_TEST_CONFIG=$$c"; \
		WORLDFS_TEST_ALL=1 WORLDFS_TEST_CONFIG=$$c $(GO) test -count=1 -timeout 3h ./test || exit 1; \
	done

# The daemon killed ROUNDS times in either shape, each time at another moment.
ROUNDS ?= 300
SEED ?= $(shell date +%s)
crash:
	WORLDFS_CRASH_ROUNDS=$(ROUNDS) WORLDFS_CRASH_SEED=$(SEED) $(GO) test -count=1 -timeout 6h -v -run '^TestKilledAtAnyMoment$$' ./test

# The power cut after each of the operations on a disk, in each kind of world.
powercut:
	WORLDFS_TEST_ALL=1 WORLDFS_POWER_CUTS=all WORLDFS_CRASH_SEED=$(SEED) $(GO) test -count=1 -timeout 6h -v -run '^TestPowerCuts$$' ./test

# FAULTS random faults in each of state.db and its log.
FAULTS ?= 1000
damage:
	WORLDFS_FAULTS=$(FAULTS) WORLDFS_FAULTS_SEED=$(SEED) $(GO) test -count=1 -timeout 6h -v -run '^TestNoFaultInTheStateIsSilent$$' ./cache

# What people do in parallel at random, in clones of git and working copies of svn, and
# what a pull makes of it.
STEPS ?= 60
clones:
	WORLDFS_CLONES_ROUNDS=$(ROUNDS) WORLDFS_CLONES_STEPS=$(STEPS) WORLDFS_CLONES_SEED=$(SEED) $(GO) test -count=1 -timeout 24h -v -run '^Test(EightClones|FourWorkingCopies)AtRandom$$' ./test
	WORLDFS_PULLS=$(ROUNDS) WORLDFS_PULLS_SEED=$(SEED) $(GO) test -count=1 -timeout 24h -v -run '^TestPullOfRandomEdits$$' ./test

# A mount used hard for SOAK.
SOAK ?= 10m
soak:
	WORLDFS_SOAK=$(SOAK) $(GO) test -count=1 -timeout 24h -v -run '^TestSoak$$' ./test

# Each fuzz target for FUZZTIME.
FUZZTIME ?= 1m
fuzz:
	@scripts/fuzz.sh $(FUZZTIME)

# Each fuzz target of the headers for engines with so many inputs, and as many damaged
# packs as that allows. What is found stays in engine/testdata.
RUNS ?= 1000000
fuzz-c:
	WORLDFS_FUZZ_RUNS=$(RUNS) WORLDFS_DAMAGE_CASES=50 WORLDFS_DAMAGE_SEED=$(SEED) $(GO) test -count=1 -timeout 24h -v -run '^Test(Fuzzing|Damage|WhatIsWrong)' ./engine

# The property tests as `make test` has them, with TIMES other seeds. Those of ./test have clones.
TIMES ?= 10
properties:
	$(GO) test -count=$(TIMES) -timeout 24h $$($(GO) list -f '{{join .TestImports " "}} {{join .XTestImports " "}} {{.ImportPath}}' ./... | awk '/rapid/ && $$NF !~ /\/test$$/ {print $$NF}')

# LAWS random worlds for each law of merging, and for what one text makes, and as many of
# the study's cases.
LAWS ?= 10000
laws:
	$(GO) test -count=1 -timeout 24h ./merge -rapid.checks=$(LAWS)
	$(GO) test -count=1 -timeout 24h ./cache -run '^TestACloneMakesTheAuthorsPack$$' -rapid.checks=$$(( $(LAWS) / 10 ))
	WORLDFS_STUDY_CASES=$(LAWS) WORLDFS_STUDY_SEED=$(SEED) $(GO) test -count=1 -timeout 24h -v -run '^TestWorldfsDoesNoDamage$$' ./internal/dev/mergestudy

# CASES generated three-way merges by each of the ways that docs/merge-study.md compares.
CASES ?= 2000
study: build
	$(GO) run ./internal/dev/mergestudy/cmd -worldfs $(BIN) -cases $(CASES) -o docs/merge-study.md

# BENCH has further flags, such as -only mount; an hour without any.
BENCH ?=
bench: build
	@scripts/setup.sh bench
	$(GO) run ./internal/dev/bench -worldfs $(BIN) -o docs/benchmarks.md $(BENCH)

clean:
	rm -rf bin demo-world dist
