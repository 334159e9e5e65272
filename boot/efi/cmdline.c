/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line: LoadOptions where they are text, else the file \shootdown.cfg. */
#include <efi.h>
#include <efilib.h>

#include "boot/efi/loader.h"

#define CONFIG_NAME L"\\shootdown.cfg"

/* What people's editors write: ASCII or UTF-8, or UTF-16 with a byte-order mark. */
#define BOM_UTF16LE 0xfeff

static BOOLEAN is_text(const CHAR16 *s, UINTN n)
{
	for (UINTN i = 0; i < n; i++) {
		if (s[i] != '\t' && s[i] != '\r' && s[i] != '\n' && (s[i] < ' ' || s[i] > '~'))
			return FALSE;
	}
	return n > 0;
}

static BOOLEAN ends_in_efi(const CHAR16 *s, UINTN n)
{
	return n >= 4 && s[n - 4] == '.' && (s[n - 3] | 32) == 'e' && (s[n - 2] | 32) == 'f' &&
	       (s[n - 1] | 32) == 'i';
}

/* A shell puts the program's own name first, a boot manager does not. */
static UINTN skip_program(const CHAR16 *s, UINTN n)
{
	UINTN word = 0;

	while (word < n && s[word] > ' ')
		word++;
	return ends_in_efi(s, word) ? word : 0;
}

static void set(struct boot_info *info, const CHAR16 *wide, const UINT8 *bytes, UINTN n)
{
	char *out;

	if (n > BOOT_CMDLINE_MAX) {
		loader_note("command line: longer than 64 KiB, the rest is ignored");
		n = BOOT_CMDLINE_MAX;
	}
	out = (char *)loader_pages(n + 1);
	if (!out) {
		loader_note("command line: no memory for it, all of it is ignored");
		return;
	}
	for (UINTN i = 0; i < n; i++) {
		if (wide)
			out[i] = wide[i] < 0x80 ? (char)wide[i] : '?';
		else
			out[i] = (char)bytes[i];
	}
	info->cmdline = (UINT64)out;
	info->cmdline_bytes = n;
}

static BOOLEAN read_load_options(EFI_LOADED_IMAGE *loaded, struct boot_info *info)
{
	const CHAR16 *s = loaded->LoadOptions;
	UINTN n = loaded->LoadOptionsSize / sizeof(*s), skip;

	if (!s || !n || loaded->LoadOptionsSize % sizeof(*s))
		return FALSE;
	while (n && !s[n - 1])
		n--;
	/* Boot managers keep binary data of their own there. */
	if (!is_text(s, n))
		return FALSE;
	skip = skip_program(s, n);
	while (skip < n && s[skip] <= ' ')
		skip++;
	if (skip == n)
		return FALSE;
	set(info, s + skip, NULL, n - skip);
	return TRUE;
}

static UINTN read_all(EFI_FILE_HANDLE file, UINT8 *buffer, UINTN size)
{
	UINTN n = size;

	return EFI_ERROR(file->Read(file, &n, buffer)) ? 0 : n;
}

static void read_file(EFI_FILE_HANDLE file, struct boot_info *info)
{
	UINTN size = 2 * BOOT_CMDLINE_MAX + 4, n;
	UINT8 *buffer = AllocatePool(size);

	if (!buffer)
		return;
	n = read_all(file, buffer, size);
	if (n >= 2 && *(UINT16 *)buffer == BOM_UTF16LE)
		set(info, (CHAR16 *)buffer + 1, NULL, n / 2 - 1);
	else if (n >= 3 && buffer[0] == 0xef && buffer[1] == 0xbb && buffer[2] == 0xbf)
		set(info, NULL, buffer + 3, n - 3);
	else
		set(info, NULL, buffer, n);
	FreePool(buffer);
}

void loader_read_cmdline(EFI_HANDLE image, struct boot_info *info)
{
	EFI_GUID guid = LOADED_IMAGE_PROTOCOL;
	EFI_LOADED_IMAGE *loaded;
	EFI_FILE_HANDLE root, file;

	if (EFI_ERROR(BS->HandleProtocol(image, &guid, (void **)&loaded)))
		return;
	if (read_load_options(loaded, info))
		return;
	root = LibOpenRoot(loaded->DeviceHandle);
	if (!root)
		return;
	if (!EFI_ERROR(root->Open(root, &file, CONFIG_NAME, EFI_FILE_MODE_READ, 0))) {
		read_file(file, info);
		file->Close(file);
	}
	root->Close(root);
}
