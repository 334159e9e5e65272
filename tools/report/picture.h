/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws plots as SVG: by gnuplot, but for matrices. */
#ifndef TOOLS_REPORT_PICTURE_H
#define TOOLS_REPORT_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/report/plots.h"

/* Whether a picture stands in a page, which has a style sheet and says what is in it, or alone. */
enum picture_place { PICTURE_IN_PAGE, PICTURE_ALONE };

/*
 * An <svg> element. `number` is another for each picture of a page and makes its ids its own. False
 * where it can't be drawn: `why` has a clause without a full stop then, and `to` got nothing.
 */
bool picture_draw(FILE *to, const struct plot *plot, unsigned number, enum picture_place place,
		  char *why, size_t why_size);

/* The style sheet of all pictures, for light and dark screens and for paper. */
void picture_style(FILE *to);

/* For the files that draw. What an <svg> element begins with; the sizes are of its own units. */
void picture_begin(FILE *to, const struct plot *plot, double width, double height,
		   enum picture_place place);

void heat_draw(FILE *to, const struct plot *plot, enum picture_place place);
void heat_style(FILE *to);

#endif
