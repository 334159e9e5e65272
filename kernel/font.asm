; SPDX-License-Identifier: BSD-2-Clause
; The printable part of a PSF1 font of 16 bytes a glyph: 4 bytes of header, then glyphs by code.
; The Makefile checks the header.

%define GLYPH_BYTES 16
%define FIRST       ' '
%define COUNT       95

section .rodata

global font_glyphs
font_glyphs:
	incbin "font.psf", 4 + FIRST * GLYPH_BYTES, COUNT * GLYPH_BYTES
