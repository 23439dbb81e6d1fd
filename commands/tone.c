/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/tone.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const tone_when_words[] = {
    [TONE_AUTO] = "auto",
    [TONE_ALWAYS] = "always",
    [TONE_NEVER] = "never",
    NULL,
};

static enum tone_when chosen = TONE_AUTO;

void tone_choose(enum tone_when when)
{
    chosen = when;
}

static bool is_colored(FILE *to)
{
    if (chosen != TONE_AUTO)
        return chosen == TONE_ALWAYS;
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fileno(to)) && !(no && no[0]) &&
           !(term && strcmp(term, "dumb") == 0);
}

const char *tone_on(FILE *to, enum tone tone)
{
    static const char *const codes[] = {
        [TONE_PLAIN] = "",           [TONE_HEADING] = "\033[1m",
        [TONE_BETTER] = "\033[32m",  [TONE_WORSE] = "\033[31m",
        [TONE_ERROR] = "\033[1;31m",
    };
    return is_colored(to) ? codes[tone] : "";
}

const char *tone_off(FILE *to, enum tone tone)
{
    return tone != TONE_PLAIN && is_colored(to) ? "\033[0m" : "";
}
