# SPDX-License-Identifier: BSD-2-Clause
# Builds the kernel and the EFI application that carries it; `make help` lists the rest.

CC       ?= gcc
ifeq ($(origin CC),default)
CC       := gcc
endif
NASM     ?= nasm
LD       := ld
OBJCOPY  ?= objcopy
NM       ?= nm
PYTHON   ?= /usr/bin/python3
O        ?= build

# The screen's, from Debian's console-setup-linux (kernel/font.h).
FONT     ?= /usr/share/consolefonts/Lat15-VGA16.psf.gz

# V=1 shows the commands.
V        ?= 0
ifeq ($(V),0)
Q        := @
say       = @echo '  $(1) $@'
endif

COMMIT   := $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)

# General registers only (interrupt handlers save no others), no red zone (interrupts would write
# into it), frame pointers (backtraces), the top 2 GiB (mcmodel).
WARNINGS := -Wall -Wextra -Werror -Wmissing-prototypes -Wstrict-prototypes -Wvla
CFLAGS   := -std=gnu11 -O2 -g $(WARNINGS) -I. -ffile-prefix-map=$(CURDIR)=. \
            -ffreestanding -fno-stack-protector -fno-pic -fno-pie -mno-red-zone -mcmodel=kernel \
            -mgeneral-regs-only -fno-omit-frame-pointer -fno-strict-aliasing \
            -fno-asynchronous-unwind-tables -fcf-protection=none \
            -ffunction-sections -fdata-sections
LDFLAGS  := -nostdlib -static -no-pie --gc-sections --build-id=none -z max-page-size=4096 \
            -z noexecstack -z norelro --nmagic --fatal-warnings

KERNEL_DIRS := boot boot/multiboot2 arch/x86 mm kernel kernel/harness tests/bench tests/check
C_FILES     := $(filter-out arch/x86/asm_offsets.c,$(wildcard $(addsuffix /*.c,$(KERNEL_DIRS))))
ASM_FILES   := $(wildcard $(addsuffix /*.asm,$(KERNEL_DIRS)))
OBJECTS     := $(C_FILES:%.c=$(O)/%.o) $(ASM_FILES:%.asm=$(O)/%.asm.o)

# Compiled for size, as the whole kernel is to be below 256 KiB: all but what is timed, and what timed
# sections wait for. (What tests/bench/ times itself is assembly.)
TIMED_FILES := arch/x86/apic.c arch/x86/fence.c arch/x86/invlpgb.c arch/x86/tlb.c arch/x86/trap.c \
               kernel/smp.c kernel/harness/peer.c \
               mm/address_space.c mm/asid.c mm/broadcast.c mm/flush_request.c mm/global_asid.c mm/paging.c \
               mm/shootdown.c mm/space_users.c \
               tests/bench/shootdown_loop.c tests/bench/thread.c
SMALL_FILES := $(filter-out $(TIMED_FILES),$(C_FILES))

EFI_INCLUDE := /usr/include/efi
EFI_LIB     := /usr/lib
EFI_CFLAGS  := -std=gnu11 -O2 $(WARNINGS) -I. -isystem $(EFI_INCLUDE) -isystem $(EFI_INCLUDE)/x86_64 \
               -ffile-prefix-map=$(CURDIR)=. -DGNU_EFI_USE_MS_ABI -fpic -fshort-wchar -ffreestanding \
               -fno-stack-protector -mno-red-zone -mgeneral-regs-only \
               -fno-asynchronous-unwind-tables -fcf-protection=none
# Files of boot/ itself serve the kernel's own boot paths too, so the objects go to another folder.
EFI_FILES   := $(wildcard boot/*.c boot/efi/*.c)
EFI_OBJECTS := $(EFI_FILES:%.c=$(O)/efi/%.o) $(O)/efi/boot/efi/kernel_image.asm.o

.PHONY: all iso usb lab tools test setup-test test-host test-report report-golden test-boot fuzz test-fuzz setup-fuzz \
        lint setup-lint clean help FORCE
.DELETE_ON_ERROR:

all: $(O)/shootdown.elf $(O)/BOOTX64.EFI

help:
	@echo 'make                 kernel ($(O)/shootdown.elf) and EFI application ($(O)/BOOTX64.EFI)'
	@echo 'make iso             $(O)/shootdown.iso: GRUB2 with a menu, for BIOS and UEFI, CD and stick'
	@echo 'make usb             an image for a stick ($(O)/shootdown-usb.img), to be written with dd'
	@echo 'make lab             current QEMU, Bochs and OVMF in build/lab; takes root, once'
	@echo 'make tools           host tools ($(O)/shootdown-report)'
	@echo 'make test            everything: host tests, reports, fuzzing, boots; installs what it needs'
	@echo 'make test-host       only the host tests'
	@echo 'make test-report     only the tests of shootdown-report'
	@echo 'make report-golden   writes anew what shootdown-report should print: look at what changed'
	@echo 'make test-fuzz       only the short fuzzing, the same each time'
	@echo 'make fuzz            fuzzes each parser for FUZZ_SECONDS ($(FUZZ_SECONDS)); keeps $(O)/fuzz/corpus'
	@echo 'make test-boot       only the boot tests'
	@echo 'make lint            formatting, static analysis, shell scripts, a clang build'
	@echo 'make clean           removes what is in $(O)/, but for the lab'
	@echo 'CC=clang O=DIR       another compiler, another output directory'
	@echo './run.sh --help      builds, boots and shows the report'

# $(call remember,TEXT) rewrites the target only where TEXT is news: what depends on it is made again.
remember = @mkdir -p $(@D); echo '$(1)' | cmp -s - $@ || echo '$(1)' >$@

# Another compiler or other flags rebuild the objects, another set of objects the programs.
FLAGS := $(CC) $(CFLAGS) $(SMALL_FILES) $(EFI_CFLAGS) $(NASM)
$(O)/flags: FORCE
	$(call remember,$(FLAGS))

$(O)/link: FORCE
	$(call remember,$(LDFLAGS) $(OBJECTS) $(EFI_OBJECTS) $(REPORT_FILES) $(PURE_FILES))

$(O)/commit: FORCE
	$(call remember,$(COMMIT))

$(O)/asm_offsets.inc: arch/x86/asm_offsets.c $(O)/flags
	$(call say,GEN )
	$(Q)$(CC) $(CFLAGS) -MMD -MP -MT $@ -MF $(O)/asm_offsets.d -S -o $(O)/asm_offsets.s $<
	$(Q)sed -n 's/.*"->\([A-Z0-9_]*\) \(-*[0-9]*\)".*/%define \1 \2/p' $(O)/asm_offsets.s >$@
	@test -s $@

$(O)/efi/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(CC) $(EFI_CFLAGS) -MMD -MP -c -o $@ $<

$(O)/kernel/version.o: private CFLAGS += -DCOMMIT='"$(COMMIT)"'
$(O)/kernel/version.o: $(O)/commit

$(SMALL_FILES:%.c=$(O)/%.o): private CFLAGS += -Os

$(O)/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

# A PSF1 font with glyphs of 16 bytes: magic 36h 04h, any mode, 10h.
$(O)/font.psf: $(FONT)
	@mkdir -p $(@D)
	$(Q)gzip -dc $< >$@
	@od -An -tx1 -N4 $@ | grep -q '^ 36 04 .. 10$$' || { echo '$<: not an 8x16 PSF1 font' >&2; exit 1; }

$(O)/kernel/font.asm.o: $(O)/font.psf

$(O)/%.asm.o: %.asm $(O)/asm_offsets.inc
	@mkdir -p $(@D)
	$(call say,NASM)
	$(Q)$(NASM) -f elf64 -Werror -I$(O)/ -MD $(@:.o=.d) -o $@ $<

# Linked twice: first to learn where the functions are, then with their names. The names are in the
# last section before the data, so they move no function.
$(O)/symbols.empty.o: kernel/symbols.awk $(O)/flags
	@mkdir -p $(@D)
	$(Q)awk -f $< </dev/null >$(O)/symbols.empty.asm
	$(Q)$(NASM) -f elf64 -o $@ $(O)/symbols.empty.asm

$(O)/shootdown.first.elf: $(OBJECTS) $(O)/symbols.empty.o linker.ld $(O)/link
	$(call say,LD  )
	$(Q)$(LD) $(LDFLAGS) -T linker.ld -o $@ $(OBJECTS) $(O)/symbols.empty.o

$(O)/symbols.o: $(O)/shootdown.first.elf kernel/symbols.awk
	$(Q)$(NM) -n $< | awk -f kernel/symbols.awk >$(O)/symbols.asm
	$(Q)$(NASM) -f elf64 -o $@ $(O)/symbols.asm

$(O)/shootdown.elf: $(OBJECTS) $(O)/symbols.o linker.ld $(O)/link
	$(call say,LD  )
	$(Q)$(LD) $(LDFLAGS) -T linker.ld -o $@ $(OBJECTS) $(O)/symbols.o

$(O)/shootdown.stripped.elf: $(O)/shootdown.elf
	$(Q)$(OBJCOPY) --strip-all $< $@

$(O)/efi/boot/efi/kernel_image.asm.o: boot/efi/kernel_image.asm $(O)/shootdown.stripped.elf
	@mkdir -p $(@D)
	$(call say,NASM)
	$(Q)$(NASM) -f elf64 -Werror -I$(O)/ -o $@ $<

$(O)/BOOTX64.so: $(EFI_OBJECTS) $(O)/link
	$(call say,LD  )
	$(Q)$(LD) -nostdlib -znocombreloc -shared -Bsymbolic --no-undefined --build-id=none -z noexecstack \
	    -T $(EFI_LIB)/elf_x86_64_efi.lds -o $@ $(EFI_LIB)/crt0-efi-x86_64.o $(EFI_OBJECTS) \
	    -L$(EFI_LIB) -l:libefi.a -l:libgnuefi.a

# DllCharacteristics (offset 70 of the optional header) = NX_COMPAT: sections are W^X already.
$(O)/BOOTX64.EFI: $(O)/BOOTX64.so boot/efi/set_nx_compat.sh
	$(Q)$(OBJCOPY) -j .text -j .sdata -j .rodata -j .data -j .dynamic -j .dynsym -j .rel -j .rela -j .rel.* \
	    -j .rela.* -j .reloc --target efi-app-x86_64 $< $@
	$(Q)boot/efi/set_nx_compat.sh $@

# An empty command line is there to be edited.
usb: $(O)/shootdown-usb.img

$(O)/shootdown-usb.img: $(O)/BOOTX64.EFI tools/make-usb.sh
	@tools/setup.sh usb
	$(call say,USB )
	$(Q)tools/make-usb.sh $@ $< /dev/null

lab:
	tools/lab/setup.sh

# Host tools and tests. The tests link the kernel's pure files themselves, under both sanitizers;
# the headers in shim/ stand in for those whose instructions only a kernel may execute.
HOST_WARNINGS := -std=gnu11 -g $(WARNINGS) -I.
TEST_CFLAGS   := -Itests/host/shim $(HOST_WARNINGS) -O1 -fsanitize=address,undefined \
                 -fno-sanitize-recover=all
REPORT_FILES  := $(wildcard tools/report/*.c)
PURE_FILES    := kernel/format.c kernel/text.c kernel/cmdline.c kernel/inject.c kernel/screen.c \
                 kernel/smbios.c \
                 kernel/harness/axis.c kernel/harness/crc32c.c kernel/harness/crossover.c \
                 kernel/harness/errata.c kernel/harness/records.c kernel/harness/stats.c \
                 arch/x86/acpi.c arch/x86/fence_encode.c arch/x86/fence_variants.c \
                 arch/x86/invlpgb_encode.c arch/x86/pmu.c arch/x86/topology.c boot/multiboot2/tags.c \
                 mm/asid.c mm/flush_policy.c mm/flush_request.c mm/global_asid.c \
                 mm/frames.c mm/memory_map.c mm/paging.c mm/space_users.c boot/efi_map.c arch/x86/uart.c \
                 tests/check/invlpgb_rules.c tests/check/stale_rules.c \
                 $(filter-out tools/report/main.c,$(REPORT_FILES))
HOST_TESTS    := $(patsubst tests/host/%.c,$(O)/host/%,$(wildcard tests/host/test_*.c))
HEADERS       := $(wildcard boot/*.h boot/*/*.h arch/x86/*.h mm/*.h kernel/*.h kernel/harness/*.h tools/report/*.h tests/check/*.h \
                            tests/host/*.h tests/host/shim/arch/x86/*.h)

# CMDLINE=... makes an image that boots that at once; without it there is a menu.
ISO ?= $(O)/shootdown.iso

iso: $(O)/shootdown.stripped.elf
	@tools/setup.sh iso
	$(call say,ISO )
	$(Q)tools/make-iso.sh $< $(ISO) $(if $(filter-out undefined,$(origin CMDLINE)),'$(subst ','\'',$(CMDLINE))')

tools: $(O)/shootdown-report

$(O)/shootdown-report: $(REPORT_FILES) kernel/harness/crc32c.c $(HEADERS) $(O)/flags $(O)/link
	$(call say,CC  )
	$(Q)$(CC) $(HOST_WARNINGS) -O2 -o $@ $(REPORT_FILES) kernel/harness/crc32c.c -ljansson -lm

# One archive, so that a test links just what it uses.
$(O)/host/%.o: %.c $(HEADERS) $(O)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(TEST_CFLAGS) -c -o $@ $<

$(O)/host/pure.a: $(PURE_FILES:%.c=$(O)/host/%.o) $(O)/link
	$(call say,AR  )
	$(Q)rm -f $@ && ar rc $@ $(filter %.o,$^)

# The program as the tests of it use it.
$(O)/host/shootdown-report: tools/report/main.c $(O)/host/pure.a
	$(call say,CC  )
	$(Q)$(CC) $(TEST_CFLAGS) -o $@ $< $(O)/host/pure.a -ljansson -lm

$(O)/host/test_%: tests/host/test_%.c $(O)/host/pure.a
	$(call say,CC  )
	$(Q)$(CC) $(TEST_CFLAGS) -o $@ $< $(O)/host/pure.a -lcmocka -ljansson -lm

# The parsers of foreign data, fuzzed. A crashing input belongs into tests/fuzz/seeds/ once what it
# found is mended, for every run begins with those. The short run is the same each time: the layout
# of memory is part of what libFuzzer mutates by, so it is fixed where that is allowed.
FUZZ_CC      ?= clang
FUZZ_SECONDS ?= 600
FUZZ_RUNS    := 60000
FUZZ_RUNS_cmdline    := 4000
FUZZ_RUNS_report_log := 4000
FUZZ_RUNS_report_model := 3000
FUZZ_CFLAGS  := $(TEST_CFLAGS) -fsanitize=fuzzer-no-link
FUZZ_FLAGS   := -max_len=16384 -timeout=10 -rss_limit_mb=1024
FUZZ_NAMES   := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

$(O)/fuzz/%.o: %.c $(HEADERS) $(O)/flags
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(FUZZ_CFLAGS) -c -o $@ $<

$(O)/fuzz/pure.a: $(PURE_FILES:%.c=$(O)/fuzz/%.o) $(O)/link
	$(call say,AR  )
	$(Q)rm -f $@ && ar rc $@ $(filter %.o,$^)

$(O)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(O)/fuzz/pure.a $(wildcard tests/fuzz/*.h)
	$(call say,CC  )
	$(Q)$(FUZZ_CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer -o $@ $< $(O)/fuzz/pure.a -ljansson -lm

# $(call fuzz,NAME,CORPUS,FLAGS,PREFIX): from its corpus, which grows, and its seeds, which do not.
fuzz = mkdir -p $(2)/$(1) && \
       { $(4) $(O)/fuzz/fuzz_$(1) $(FUZZ_FLAGS) $(3) -artifact_prefix=$(O)/fuzz/$(1)- \
             $(2)/$(1) tests/fuzz/seeds/$(1) >$(O)/fuzz/$(1).log 2>&1 || \
         { tail -40 $(O)/fuzz/$(1).log; exit 1; }; } && tail -1 $(O)/fuzz/$(1).log

fuzz: setup-fuzz
	$(MAKE) $(FUZZ_NAMES:%=fuzz-%)

fuzz-%: $(O)/fuzz/fuzz_%
	@echo '  FUZZ $*'
	@$(call fuzz,$*,$(O)/fuzz/corpus,-max_total_time=$(FUZZ_SECONDS))

test-fuzz: $(FUZZ_NAMES:%=test-fuzz-%)

test-fuzz-%: $(O)/fuzz/fuzz_%
	@echo '  FUZZ $*'
	@rm -rf $(O)/fuzz/short/$*
	@$(call fuzz,$*,$(O)/fuzz/short,-seed=1 -reload=0 -runs=$(or $(FUZZ_RUNS_$*),$(FUZZ_RUNS)),\
	    $$(setarch -R true 2>/dev/null && echo setarch -R))

# Made by pattern rules on the way; make would remove them.
.SECONDARY: $(FUZZ_NAMES:%=$(O)/fuzz/fuzz_%) $(PURE_FILES:%.c=$(O)/fuzz/%.o)

setup-fuzz:
	tools/setup.sh build fuzz

test: setup-test
	$(MAKE) test-host
	$(MAKE) test-report
	$(MAKE) test-fuzz
	$(MAKE) test-boot

# Not every distribution that has the rest has Chromium as a package.
setup-test:
	tools/setup.sh build emulator firmware test fuzz usb iso html
	@tools/setup.sh browser || echo 'no browser: what is tested with one is skipped' >&2

test-host: $(HOST_TESTS)
	@for t in $(HOST_TESTS); do $$t || exit 1; done

# ARGS=-s shows the figures that the tests go by.
test-report: tools $(O)/host/shootdown-report
	SHOOTDOWN_BUILD=$(abspath $(O)) $(PYTHON) -m pytest -q $(ARGS) tests/report

report-golden: $(O)/host/shootdown-report
	SHOOTDOWN_BUILD=$(abspath $(O)) SHOOTDOWN_GOLDEN=write $(PYTHON) -m pytest -q tests/report/test_golden.py

test-boot: all tools
	$(PYTHON) -m pytest -q tests/boot

# cppcheck takes each linker symbol for an object of its own (comparePointers).
LINT_C := $(shell git ls-files '*.c' '*.h')

lint: setup-lint
	@clang-format --dry-run -Werror $(LINT_C)
	shellcheck run.sh tools/*.sh tools/lab/* tests/report/*.sh boot/efi/set_nx_compat.sh .ci/run
	mandoc -T lint -W style tools/report/*.1
	cppcheck --quiet --error-exitcode=1 --enable=warning,portability --inline-suppr \
	    --suppress=missingIncludeSystem --suppress=comparePointers --std=c11 --platform=unix64 -D__x86_64__ -DCOMMIT='""' -I. \
	    $(filter-out boot/efi/% tests/host/% tests/fuzz/%,$(filter %.c,$(LINT_C)))
	$(MAKE) CC=clang O=$(O)/clang all tools

setup-lint:
	tools/setup.sh build lint

# The lab took minutes and root to make: it stays.
clean:
	[ ! -d $(O) ] || find $(O) -mindepth 1 -maxdepth 1 ! -name lab -exec rm -rf {} +

-include $(OBJECTS:.o=.d) $(EFI_OBJECTS:.o=.d) $(O)/asm_offsets.d
