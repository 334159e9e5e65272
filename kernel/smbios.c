/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks the SMBIOS structure table. */
#include "kernel/smbios.h"

#include "arch/x86/bytes.h"
#include "arch/x86/mem.h"
#include "kernel/format.h"

#define TYPE_BIOS   0
#define TYPE_SYSTEM 1
#define TYPE_END    127
#define TABLE_MAX   (1u << 20)

struct table {
	const uint8_t *at;
	size_t bytes;
};

static struct table find_table(uint64_t entry, const void *(*map)(uint64_t phys, size_t bytes))
{
	const uint8_t *e = entry ? map(entry, 24) : NULL;
	uint64_t phys = 0, bytes = 0;

	if (e && !memcmp(e, "_SM3_", 5) && sums_to_zero(e, 24)) {
		bytes = get32(e + 12);
		phys = get64(e + 16);
	} else if (e && !memcmp(e, "_SM_", 4)) {
		e = map(entry, 31);
		if (e && sums_to_zero(e + 16, 15)) {
			bytes = get16(e + 22);
			phys = get32(e + 24);
		}
	}
	if (!phys || !bytes || bytes > TABLE_MAX)
		return (struct table){NULL, 0};
	return (struct table){map(phys, bytes), bytes};
}

/* String number `n` (from 1) of the set at `strings`, printable, cut to fit. */
static void copy_string(struct table strings, unsigned n, char *out)
{
	size_t at = 0, length = 0;

	out[0] = 0;
	if (!n)
		return;
	while (--n) {
		while (at < strings.bytes && strings.at[at])
			at++;
		at++;
		if (at >= strings.bytes || !strings.at[at])
			return;
	}
	while (at < strings.bytes && strings.at[at] && length < SMBIOS_TEXT_MAX - 1) {
		uint8_t c = strings.at[at++];

		out[length++] = c >= ' ' && c <= '~' ? c : '?';
	}
	while (length && out[length - 1] == ' ')
		length--;
	out[length] = 0;
}

/* The string whose number stands at `offset` of the structure's formatted part. */
static void get_string(const uint8_t *s, struct table strings, unsigned offset, char *out)
{
	out[0] = 0;
	if (offset < s[1])
		copy_string(strings, s[offset], out);
}

static void take_structure(const uint8_t *s, struct table strings, struct smbios *out)
{
	char vendor[SMBIOS_TEXT_MAX], version[SMBIOS_TEXT_MAX];

	if (s[0] == TYPE_BIOS) {
		get_string(s, strings, 4, vendor);
		get_string(s, strings, 5, version);
		format(out->bios, sizeof(out->bios), "%s%s%s", vendor,
		       *vendor && *version ? " " : "", version);
	} else if (s[0] == TYPE_SYSTEM) {
		get_string(s, strings, 4, out->vendor);
		get_string(s, strings, 5, out->product);
	}
}

void smbios_read(uint64_t entry, const void *(*map)(uint64_t phys, size_t bytes),
		 struct smbios *out)
{
	struct table t = find_table(entry, map);
	size_t at = 0;

	memset(out, 0, sizeof(*out));
	if (!t.at)
		return;
	while (t.bytes - at >= 4) {
		const uint8_t *s = t.at + at;
		size_t end;

		if (s[1] < 4 || s[1] > t.bytes - at || s[0] == TYPE_END)
			return;
		at += s[1];
		end = at;
		while (end < t.bytes && (t.at[end] || (end + 1 < t.bytes && t.at[end + 1])))
			end++;
		take_structure(s, (struct table){t.at + at, end - at}, out);
		at = end + 2 < t.bytes ? end + 2 : t.bytes;
	}
}
