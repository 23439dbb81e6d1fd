/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Colours of the output for people: headings, better and worse values, errors.
 * --color chooses when: `auto` colours a stream if it is a terminal, NO_COLOR
 * (no-color.org) is not set and TERM is not "dumb". The code is in terminal.c.
 */
#ifndef SIM_TONE_H
#define SIM_TONE_H

#include <stdio.h>

enum tone {
    TONE_PLAIN,
    TONE_HEADING, /* bold */
    TONE_BETTER,  /* green */
    TONE_WORSE,   /* red */
    TONE_ERROR,   /* bold red */
};

enum tone_when { TONE_AUTO, TONE_ALWAYS, TONE_NEVER };
/* Words of --color, by enum tone_when; ends with NULL. */
extern const char *const tone_when_words[];
/* Sets for the whole process when colours are used; at first TONE_AUTO. */
void tone_choose(enum tone_when when);

/* Return the escape codes that begin and end a tone on this stream: "" for
 * TONE_PLAIN or if the stream gets no colours. */
const char *tone_on(FILE *to, enum tone tone);
const char *tone_off(FILE *to, enum tone tone);

#endif
