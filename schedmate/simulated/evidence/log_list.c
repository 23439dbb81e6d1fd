/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of templates: which rank prints which line, and in which order the
 * lines of several ranks come. */
#include "schedmate/simulated/evidence/evidence_internal.h"

/* Argument `what` of the draw that chooses the mark of a job (log_draw). It
 * must differ from the values in log_shape.c, log_chatter.c and log_values.c,
 * which use the key of the job too. */
#define DRAW_PREFIX 100
/* Argument `what` of the draw that decides how the lines of several ranks mix
 * in an attempt. */
#define DRAW_WEAVE 200

/* The mark with which a launcher begins the lines of a rank. */
enum mark { MARK_NONE, MARK_SRUN, MARK_TORCHRUN };

static uint64_t log_list_shown(uint64_t n)
{
    return n < LOG_EACH_MAX ? n : LOG_EACH_MAX;
}

/* Returns the number of repetitions of a part. */
static uint64_t log_list_repeats(const struct log_shape *s,
                                 const struct log_part *part)
{
    const struct log_kind *kind = &s->source->kind;
    switch (part->repeat) {
    case LOG_EACH_RANK:
        return log_list_shown(kind->gpus);
    case LOG_EACH_OTHER:
        return log_list_shown(kind->gpus - UINT64_C(1));
    case LOG_EACH_NODE:
        return log_list_shown(kind->nodes);
    case LOG_TIMES:
        return part->times;
    case LOG_ONCE:
    case LOG_FAULTY:
        break;
    }
    return 1;
}

/* Returns the rank that prints repetition `rep` of a part. */
static uint32_t printer(const struct log_shape *s, const struct log_part *part,
                        uint64_t rep)
{
    uint32_t rank = (uint32_t)rep;
    switch (part->repeat) {
    case LOG_EACH_RANK:
        return rank;
    case LOG_EACH_OTHER:
        return rank + (rank >= s->faulty);
    case LOG_EACH_NODE:
        return rank * log_ranks_per_node(s);
    case LOG_FAULTY:
        return s->faulty;
    case LOG_ONCE:
    case LOG_TIMES:
        break;
    }
    return 0;
}

uint64_t log_list_count(const struct log_shape *shape,
                        const struct log_list *list)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < list->n_parts; i++)
        lines +=
            log_list_repeats(shape, &list->parts[i]) * list->parts[i].n_lines;
    return lines;
}

/* Splits line i of a part, which is printed n times, into *rep, the number of
 * the repetition, and *line, the number of the template. Programs that print at
 * the same time mix their lines: the ranks take turns in groups of 1, 2 or 4. A
 * launcher, and a rank that repeats itself, finish one repetition before the
 * next. */
static void weave(const struct log_spot *spot, const struct log_part *part,
                  uint64_t n, uint64_t i, uint64_t *rep, uint64_t *line)
{
    uint64_t width = UINT64_C(1)
                     << log_draw(spot->shape->attempt_key, DRAW_WEAVE, 3);
    if (part->launcher || part->repeat == LOG_TIMES)
        width = 1;
    uint64_t first = i / (width * part->n_lines) * width;
    width = n - first < width ? n - first : width;
    i -= first * part->n_lines;
    *rep = first + i % width;
    *line = i / width;
}

void log_list_line(struct out *out, const struct log_spot *spot,
                   const struct log_list *list, uint64_t i)
{
    for (size_t k = 0; k < list->n_parts; k++) {
        const struct log_part *part = &list->parts[k];
        uint64_t n = log_list_repeats(spot->shape, part), rep, line;
        if (i >= n * part->n_lines) {
            i -= n * part->n_lines;
            continue;
        }
        weave(spot, part, n, i, &rep, &line);
        struct log_spot here = *spot;
        here.rep = (uint32_t)rep;
        here.rank = printer(spot->shape, part, rep);
        log_write(out, &here, &part->lines[line], part->launcher);
        return;
    }
}

/* Writes the mark with which the launcher begins the line of a rank. The job's
 * key draws the kind of mark; most jobs have none. */
static void write_mark(struct out *out, const struct log_spot *spot)
{
    const struct log_shape *s = spot->shape;
    uint64_t draw = log_draw(s->key, DRAW_PREFIX, 100);
    enum mark mark = MARK_NONE;
    if (s->source->kind.nodes > 1)
        mark = draw < 15 ? MARK_SRUN : draw < 35 ? MARK_TORCHRUN : MARK_NONE;
    else if (s->source->kind.gpus > 1 && draw < 6)
        mark = MARK_TORCHRUN;
    if (mark == MARK_SRUN)
        out_printf(out, "%u: ", spot->rank);
    if (mark == MARK_TORCHRUN)
        out_printf(out, "[default%u]:", spot->rank % log_ranks_per_node(s));
}

void log_write(struct out *out, const struct log_spot *spot,
               const struct log_template *line, bool launcher)
{
    struct log_spot here = *spot;
    if (!launcher && !line->bar)
        write_mark(out, spot);
    for (size_t i = 0; i < line->n_pieces; i++) {
        const struct log_piece *piece = &line->pieces[i];
        here.key = log_mix(spot->key, i);
        if (piece->value == LOG_VALUE_TEXT)
            out_text(out, piece->text);
        else
            log_write_value(out, &here, piece);
    }
    out_char(out, line->bar ? '\r' : '\n');
}
