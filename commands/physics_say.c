/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Says, for `compare`, as text and as JSON, which rows differ in more than
 * their policy. */
#include "commands/physics.h"

struct sentence {
    FILE *to;
    size_t parts;
};

static void print_part(void *self, const struct physics_difference *d)
{
    struct sentence *s = self;
    fprintf(s->to, "%s%s %s (%s: %s)", s->parts++ ? "; " : "", d->what, d->here,
            d->row, d->there);
}

void physics_print(const struct physics *const *runs, size_t n, FILE *to)
{
    for (size_t i = 1; i < n; i++) {
        struct sentence sentence = {.to = to};
        if (physics_compare(runs, i, NULL, NULL) == 0)
            continue;
        fprintf(to, "* %s differs in more than the policy: ", runs[i]->row);
        physics_compare(runs, i, print_part, &sentence);
        fputc('\n', to);
    }
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
