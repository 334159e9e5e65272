/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions and interrupts: one IDT for all CPUs, guarded faults, handlers by vector.
 * Source: Intel SDM vol. 3A, "Interrupt and Exception Handling".
 */
#ifndef ARCH_X86_TRAP_H
#define ARCH_X86_TRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the stubs in trap_entry.asm push, lowest address first. */
struct trap_frame {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
	uint64_t rbp, rdi, rsi, rdx, rcx, rbx, rax;
	uint64_t vector, error;
	uint64_t rip, cs, rflags, rsp, ss;
};
_Static_assert(sizeof(struct trap_frame) == 22 * 8, "pushed by trap_entry.asm");

struct idt_gate {
	uint16_t offset_low;
	uint16_t selector;
	uint8_t ist;
	uint8_t type;
	uint16_t offset_middle;
	uint32_t offset_high;
	uint32_t reserved;
};
_Static_assert(sizeof(struct idt_gate) == 16, "64-bit gate");

extern struct idt_gate trap_idt[256];
static const size_t trap_idt_bytes = sizeof(trap_idt);

/*
 * What every stub of trap_entry.asm calls. Nothing else but a check that passes one exception off for
 * another, in a frame of which it changed the vector.
 */
void trap_dispatch(struct trap_frame *frame);

/* Fills the IDT. Once, on the first CPU. */
void traps_init(void);

/*
 * Runs `handler` on `vector`, interrupts off; it acknowledges the APIC itself. Before anything can
 * raise the vector.
 */
void trap_set_handler(unsigned vector, void (*handler)(struct trap_frame *frame));

/* Takes every exception that nothing else does. It must not return. */
void trap_set_fatal(void (*handler)(struct trap_frame *frame));

/*
 * Shows every #UD to `emulate` before anything else takes it. True: it did what the instruction should
 * and moved on behind it. False: it is an exception after all, of `vector` and `error` in the frame,
 * which may have been changed.
 */
void trap_set_emulator(bool (*emulate)(struct trap_frame *frame));

/*
 * For handlers of NMIs, which STI's shadow does not hold off: moves on behind the HLT or MWAIT of an
 * STI; HLT or STI; MWAIT that the NMI came between. Its IRET has no shadow, so an interrupt that
 * waits would be taken before the HLT, which would then sleep through what it was to wake for (Intel
 * SDM vol. 2B, STI; vol. 3A, "Masking Maskable Hardware Interrupts"). Waits bear a wake too many.
 */
void trap_end_wait(struct trap_frame *frame);

/* "#GP general protection" and so on; "interrupt" for the others. */
const char *trap_name(unsigned vector);

/* Whether the CPU pushes an error code for `vector`. */
int trap_has_error(unsigned vector);

#endif
