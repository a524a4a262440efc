# c4w: `make` leaves ./c4w. Builds live apart: build/plain, build/san (address + undefined), build/tsan, build/fuzz.
# Source lists come from the folders: a new file in cmd/, lib/*/ or tests/unit/ is found by itself.

BUILD ?= plain
B := build/$(BUILD)
CC ?= gcc
PKGS := libzstd yaml-0.1 libcjson libdeflate
# opened at first use (base/dl.h): only their headers are needed
DL_PKGS := libzip cairo libpng
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) $(DL_PKGS))
PKG_LIBS := $(shell pkg-config --libs $(PKGS))
WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef -Wvla -Wformat=2
OPT ?= -O2 -g
CFLAGS ?=
BASE_CFLAGS = -std=gnu11 $(OPT) $(WARN) $(EXTRA_WARN) -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Ilib -pthread -fvisibility=hidden \
	-fno-math-errno -fno-trapping-math $(PKG_CFLAGS) $(SAN) $(CFLAGS)
# Linked the way compiler and distribution do it: at a random address, relocations read-only afterwards, libraries shared. A fixed address
# would save a twentieth of a start-up of a millisecond, archives of zstd, libyaml and libdeflate a sixth; a program that parses other
# people's files keeps the one for its safety and the other for the distribution's updates.
LDLIBS = $(PKG_LIBS) -ldl -lm -pthread

ifeq ($(BUILD),san)
SAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
OPT := -O1 -g
else ifeq ($(BUILD),tsan)
SAN := -fsanitize=thread
OPT := -O1 -g
else ifeq ($(BUILD),fuzz)
CC := clang
SAN := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
OPT := -O1 -g
else ifeq ($(BUILD),clang)
CC := clang
else ifeq ($(BUILD),cov)
SAN := --coverage
OPT := -O0 -g
endif

LIB_SRC := $(wildcard lib/*.c lib/*/*.c)
CMD_SRC := $(wildcard cmd/*.c cmd/support/*.c)
UNIT_SRC := $(wildcard tests/unit/test_*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o)
CMD_OBJ := $(CMD_SRC:%.c=$(B)/%.o) $(B)/cmd/commands.o
TOOL_SRC := $(wildcard tests/tools/*.c)
TOOL_BIN := $(TOOL_SRC:tests/tools/%.c=$(B)/tests/tools/%)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(B)/tests/unit/%)

.PHONY: all units tools lib clean replay fuzzers install uninstall check
all: lib $(if $(CMD_SRC),$(if $(filter plain,$(BUILD)),c4w,$(B)/c4w))

c4w: $(B)/c4w
	@ln -f $< $@ 2>/dev/null || cp -f $< $@

$(B)/c4w: $(CMD_OBJ) $(B)/libc4w.a
	$(CC) $(BASE_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/libc4w.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

lib: $(B)/libc4w.a

# For other programs: what lib/c4w.h marks with C4W_API, and nothing else. No promise about the ABI before 1.0.
SO := libc4w.so.0
$(B)/$(SO): $(LIB_OBJ) lib/c4w.map
	$(CC) $(BASE_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SO) -Wl,--version-script=lib/c4w.map -Wl,-z,defs -o $@ $(LIB_OBJ) $(LDLIBS)

$(B)/lib/%.o: lib/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) -include base/banned.h -fPIC -MMD -MP -c -o $@ $<

$(B)/cmd/%.o: cmd/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) -include base/banned.h -MMD -MP -c -o $@ $<

# The list of commands: made anew whenever a file in cmd/ changes, compiled again only when the list does.
$(B)/cmd/commands.c: $(wildcard cmd/*.c) scripts/gen-commands
	@mkdir -p $(@D)
	@scripts/gen-commands $(wildcard cmd/*.c) > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(B)/cmd/commands.o: $(B)/cmd/commands.c cmd/command.h lib/model/option.h
	$(CC) $(BASE_CFLAGS) -Icmd -c -o $@ $<

$(B)/tests/unit/%: tests/unit/%.c $(B)/libc4w.a Makefile
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) -Itests/unit -MMD -MP -o $@ $< $(B)/libc4w.a $(LDLIBS)

# Judges: another view of ZIP archives, another SHA-256.
$(B)/tests/unit/test_zip_libzip: LDLIBS += $(shell pkg-config --libs libzip)
$(B)/tests/unit/test_sha256: LDLIBS += -lmbedcrypto

units: $(UNIT_BIN)

# Drivers for tests and benchmarks, and the library of faults that crash tests preload.
tools: $(TOOL_BIN) $(B)/tests/io/faultlib.so

# Not with _FILE_OFFSET_BITS, which would give open and open64 one name.
$(B)/tests/io/faultlib.so: tests/io/faultlib.c Makefile
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O1 -g -Wall -Wextra -fPIC -shared -o $@ $< -ldl

$(B)/tests/tools/%: tests/tools/%.c $(B)/libc4w.a Makefile
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) -MMD -MP -o $@ $< $(B)/libc4w.a $(LDLIBS)

# A fuzz target is tests/fuzz/fuzz_<module>.c. `make BUILD=fuzz fuzzers` links libFuzzer; `make BUILD=san replay` links a
# driver that runs a corpus (tests/fuzz/corpus/<module>) without an engine.
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_BIN := $(FUZZ_SRC:%.c=$(B)/%)
replay: $(FUZZ_BIN)
fuzzers: $(FUZZ_BIN)
ifeq ($(BUILD),fuzz)
FUZZ_MAIN := -fsanitize=fuzzer
else
FUZZ_MAIN := tests/fuzz/driver.c
endif
$(B)/tests/fuzz/%: tests/fuzz/%.c tests/fuzz/driver.c $(B)/libc4w.a Makefile
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) -Itests/fuzz -MMD -MP -MF $@.d -o $@ $< $(FUZZ_MAIN) $(B)/libc4w.a $(LDLIBS)

# Small programs that tell the library's view of a file, for the scripts in tests/peers.
PEER_SRC := $(wildcard tests/peers/*.c)
PEER_BIN := $(PEER_SRC:%.c=$(B)/%)
.PHONY: peers
peers: $(PEER_BIN)
$(B)/tests/peers/%: tests/peers/%.c $(B)/libc4w.a Makefile
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(B)/libc4w.a $(LDLIBS)

# ---- installing ----
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
# Names of the commands and their aliases, as the built program tells them.
NAMES = $(shell ./c4w help --names)

VERSION = $(shell sed -n 's/^.define C4W_VERSION "\(.*\)"/\1/p' lib/base/version.h)

install: all $(B)/$(SO)
	install -d "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(BASHDIR)" "$(DESTDIR)$(ZSHDIR)" "$(DESTDIR)$(FISHDIR)"
	install -m 755 c4w "$(DESTDIR)$(BINDIR)/c4w"
	for n in $(NAMES); do ln -sf c4w "$(DESTDIR)$(BINDIR)/c4w-$$n" || exit 1; done
	./c4w help --complete bash > "$(DESTDIR)$(BASHDIR)/c4w"
	./c4w help --complete zsh > "$(DESTDIR)$(ZSHDIR)/_c4w"
	./c4w help --complete fish > "$(DESTDIR)$(FISHDIR)/c4w.fish"
	for f in man/*.[0-9]; do \
		install -d "$(DESTDIR)$(MANDIR)/man$${f##*.}" && install -m 644 "$$f" "$(DESTDIR)$(MANDIR)/man$${f##*.}/" || exit 1; \
	done
	install -d "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(DESTDIR)$(INCLUDEDIR)/c4w/base"
	install -m 644 lib/c4w.h "$(DESTDIR)$(INCLUDEDIR)/c4w/c4w.h"
	install -m 644 lib/base/error.h "$(DESTDIR)$(INCLUDEDIR)/c4w/base/error.h"
	install -m 644 $(B)/libc4w.a "$(DESTDIR)$(LIBDIR)/libc4w.a"
	install -m 755 $(B)/$(SO) "$(DESTDIR)$(LIBDIR)/$(SO)"
	ln -sf $(SO) "$(DESTDIR)$(LIBDIR)/libc4w.so"
	sed -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' lib/c4w.pc.in \
		> "$(DESTDIR)$(LIBDIR)/pkgconfig/c4w.pc"

uninstall: all
	rm -f "$(DESTDIR)$(BINDIR)/c4w" "$(DESTDIR)$(BASHDIR)/c4w" "$(DESTDIR)$(ZSHDIR)/_c4w" "$(DESTDIR)$(FISHDIR)/c4w.fish"
	for n in $(NAMES); do rm -f "$(DESTDIR)$(BINDIR)/c4w-$$n"; done
	rm -f "$(DESTDIR)$(LIBDIR)/libc4w.a" "$(DESTDIR)$(LIBDIR)/libc4w.so" "$(DESTDIR)$(LIBDIR)/$(SO)" "$(DESTDIR)$(LIBDIR)/pkgconfig/c4w.pc"
	rm -f "$(DESTDIR)$(INCLUDEDIR)/c4w/c4w.h" "$(DESTDIR)$(INCLUDEDIR)/c4w/base/error.h"
	-rmdir "$(DESTDIR)$(INCLUDEDIR)/c4w/base" "$(DESTDIR)$(INCLUDEDIR)/c4w" 2>/dev/null
	for f in man/*.[0-9]; do rm -f "$(DESTDIR)$(MANDIR)/man$${f##*.}/$${f##*/}"; done

check:
	scripts/check

clean:
	rm -rf build c4w

-include $(FUZZ_BIN:=.d) $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(UNIT_BIN:=.d) $(TOOL_BIN:=.d)

# 5,000 random Parquet files in both directions; the seed is printed. `make check-parquet SEED=n` repeats a run.
.PHONY: check-parquet
check-parquet: tools
	FILES=5000 tests/peers/parquet.sh
