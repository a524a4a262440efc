# c4w: `make` leaves ./c4w. Builds live apart: build/plain, build/san (address + undefined), build/tsan, build/fuzz.
# Source lists come from the folders: a new file in cmd/, lib/*/ or tests/unit/ is found by itself.

BUILD ?= plain
B := build/$(BUILD)
CC ?= gcc
PKGS := libzip libzstd yaml-0.1 libcjson libdeflate
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS))
PKG_LIBS := $(shell pkg-config --libs $(PKGS)) -lmbedcrypto
WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef -Wvla -Wformat=2
OPT ?= -O2 -g
CFLAGS ?=
BASE_CFLAGS = -std=gnu11 $(OPT) $(WARN) $(EXTRA_WARN) -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Ilib -pthread -fno-math-errno \
	-fno-trapping-math $(PKG_CFLAGS) $(SAN) $(CFLAGS)
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
else ifeq ($(BUILD),cov)
SAN := --coverage
OPT := -O0 -g
endif

LIB_SRC := $(wildcard lib/*.c lib/*/*.c)
CMD_SRC := $(wildcard cmd/*.c cmd/support/*.c)
UNIT_SRC := $(wildcard tests/unit/test_*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o)
CMD_OBJ := $(CMD_SRC:%.c=$(B)/%.o) $(B)/cmd/commands.o
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(B)/tests/unit/%)

.PHONY: all units lib clean check check-unit
all: lib $(if $(CMD_SRC),$(if $(filter plain,$(BUILD)),c4w,$(B)/c4w))

c4w: $(B)/c4w
	@ln -f $< $@ 2>/dev/null || cp -f $< $@

$(B)/c4w: $(CMD_OBJ) $(B)/libc4w.a
	$(CC) $(BASE_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/libc4w.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

lib: $(B)/libc4w.a

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

units: $(UNIT_BIN)

clean:
	rm -rf build c4w

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(UNIT_BIN:=.d)
