/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Says, for `compare`, as text and as JSON, which rows differ in more than
 * their policy. */
#include "commands/physics.h"

#include "base/out.h"
#include "commands/table.h"

struct sentence {
    struct out *words;
    size_t parts;
};

static void print_part(void *self, const struct physics_difference *d)
{
    struct sentence *s = self;
    out_printf(s->words, "%s%s %s (%s: %s)", s->parts++ ? "; " : "", d->what,
               d->here, d->row, d->there);
}

void physics_print(const struct physics *const *runs, size_t n, FILE *to)
{
    struct out *words = out_to_memory();
    for (size_t i = 1; i < n; i++) {
        struct sentence sentence = {.words = words};
        if (physics_compare(runs, i, NULL, NULL) == 0)
            continue;
        out_clear(words);
        physics_compare(runs, i, print_part, &sentence);
        out_char(words, '\0');
        say_prose(to, "* %s differs in more than the policy: %s", runs[i]->row,
                  out_memory(words).at);
    }
    out_abandon(words);
}

void physics_write_difference(struct json_stream *js,
                              const struct physics_difference *d)
{
    json_stream_object(js, NULL);
    json_stream_text(js, "what", d->what);
    json_stream_text(js, "here", d->here);
    json_stream_text(js, "there", d->there);
    json_stream_text(js, "row", d->row);
    json_stream_object_end(js);
}

static void write_part(void *self, const struct physics_difference *d)
{
    physics_write_difference(self, d);
}

void physics_write(struct json_stream *js, const char *key,
                   const struct physics *const *runs, size_t at)
{
    json_stream_array(js, key);
    physics_compare(runs, at, write_part, js);
    json_stream_array_end(js);
}
