/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of a log that have nothing to do with the training. */
#include "schedmate/simulated/evidence/evidence_internal.h"

/* Arguments `what` of log_draw. They must differ from those in log_shape.c,
 * log_list.c, log_host.c and log_values.c, which use the same keys. */
enum log_chatter_draw {
    DRAW_CHANNEL = 400,
    DRAW_BULK_EVERY = 410,
    DRAW_BULK_MEAN
};

static void chatter_add(struct log_shape *s, enum log_chatter chatter,
                        uint64_t every, uint64_t mean)
{
    s->channels[s->n_channels++] = (struct log_channel){
        .chatter = chatter,
        .key = log_mix(s->attempt_key, DRAW_CHANNEL + chatter),
        .every = (uint32_t)every,
        .mean = (uint32_t)mean,
    };
}

/* Sets the channels of a log. The irrelevant stretches of a noisy log have 20
 * to 339 lines on average and come every 4 to 31 events, so they are about 40
 * to 99 % of the lines if an event prints one line. */
void log_chatter_init(struct log_shape *s)
{
    chatter_add(s, LOG_CHATTER_WARN, 40, 2);
    chatter_add(s, LOG_CHATTER_DECOY, 400, 6);
    if (s->source->kind.noise == LOG_NOISY)
        chatter_add(s, LOG_CHATTER_BULK,
                    4 + log_draw(s->key, DRAW_BULK_EVERY, 28),
                    20 + log_draw(s->key, DRAW_BULK_MEAN, 320));
    if (s->source->hostile)
        chatter_add(s, LOG_CHATTER_HOSTILE, 15, 1);
}

static const struct log_family *chatter_choose(enum log_chatter chatter,
                                               uint64_t key)
{
    size_t n = 0;
    for (size_t i = 0; i < log_n_families; i++)
        n += log_families[i].chatter == chatter;
    size_t wanted = (size_t)log_draw(key, 0, n ? n : 1);
    for (size_t i = 0; i < log_n_families; i++) {
        if (log_families[i].chatter == chatter && wanted-- == 0)
            return &log_families[i];
    }
    return &log_families[0];
}

/* Writes line i of a burst. A burst consists of stretches of 8 to 63 lines; the
 * last one may be shorter. The lines of a stretch are of one family. */
void log_chatter_line(struct out *out, const struct log_spot *spot,
                      const struct log_channel *channel, uint64_t burst,
                      uint64_t i)
{
    uint64_t key = log_mix(channel->key, burst);
    uint64_t length = 8 + log_draw(key, 0, 56);
    uint64_t stretch = log_mix(key, 1 + i / length);
    const struct log_family *family = chatter_choose(channel->chatter, stretch);
    uint64_t line = family->ordered ? i % length
                                    : log_draw(stretch, 1 + i, family->n_lines);
    struct log_spot here = *spot;
    here.rep = (uint32_t)(i % length);
    here.rank = (uint32_t)log_draw(stretch, 0, spot->shape->source->kind.gpus);
    log_write(out, &here, &family->lines[line % family->n_lines], false);
}
