/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the values of templates that show neither speed nor time: progress,
 * settings, ranks and hosts, and random words and numbers. */
#include "schedmate/simulated/evidence/evidence_internal.h"

#include <math.h>
#include <string.h>

/* Arguments `what` of log_draw with the key of a job; for DRAW_PID, with a key
 * of an attempt and a node. */
enum log_values_draw {
    DRAW_LEVEL = 501, /* the curve of the loss */
    DRAW_FALL,
    DRAW_HALF,
    DRAW_RATE, /* the first learning rate */
    DRAW_PID,
    DRAW_JOB_ID,
};

typedef void (*write_value)(struct out *, const struct log_spot *,
                            const struct log_piece *);
#define LOG_VALUE(name) \
    static void write_##name(struct out *out, const struct log_spot *spot, \
                             const struct log_piece *piece)

static const struct log_kind *values_kind_of(const struct log_spot *spot)
{
    return &spot->shape->source->kind;
}

/* Writes one of the alternatives of "a|b|c". `draw`: any number. */
static void write_alternative(struct out *out, struct text all, uint64_t draw)
{
    uint64_t n = 1;
    struct text one = all;
    for (size_t i = 0; i < all.len; i++)
        n += all.at[i] == '|';
    for (draw %= n; draw < UINT64_MAX; draw--) {
        one = text_split(all, '|', &all);
        if (draw == 0)
            break;
    }
    out_bytes(out, one.at, one.len);
}

LOG_VALUE(PICK)
{
    write_alternative(out, text_from(piece->text), log_mix(spot->key, 0));
}

LOG_VALUE(PICKJOB)
{
    struct text all = text_from(piece->text);
    write_alternative(out, all, log_mix(spot->shape->key, text_hash(all)));
}

static int32_t values_between(const struct log_piece *piece, uint64_t key)
{
    uint64_t n = (uint64_t)(piece->b - piece->a) + 1;
    return piece->a + (int32_t)log_draw(key, (uint64_t)piece->a, n);
}

LOG_VALUE(INT)
{
    out_i64(out, values_between(piece, spot->key));
}

LOG_VALUE(INTJOB)
{
    out_i64(out, values_between(piece, spot->shape->key));
}

LOG_VALUE(FLOAT)
{
    out_printf(out, "%.2f", values_between(piece, spot->key) / 100.0);
}

static void write_hex(struct out *out, int32_t n, uint64_t key)
{
    for (int32_t i = 0; i < n; i++)
        out_char(out, "0123456789abcdef"[log_draw(key, (uint64_t)i, 16)]);
}

LOG_VALUE(HEX)
{
    write_hex(out, piece->a, spot->key);
}

LOG_VALUE(HEXJOB)
{
    write_hex(out, piece->a, spot->shape->key);
}

static void write_count(struct out *out, uint64_t value, int32_t width)
{
    out_printf(out, "%*llu", (int)width, (unsigned long long)value);
}

LOG_VALUE(STEP)
{
    write_count(out, spot->steps, piece->a);
}

LOG_VALUE(STEPS)
{
    write_count(out, values_kind_of(spot)->steps, piece->a);
}

/* Returns the number of steps of the current epoch that are done; 0 before the
 * first step of the job. */
static uint64_t in_epoch(const struct log_spot *spot)
{
    return spot->steps
               ? (spot->steps - 1) % values_kind_of(spot)->epoch_steps + 1
               : 0;
}

LOG_VALUE(EPOCH)
{
    uint64_t done = spot->steps ? spot->steps - 1 : 0;
    write_count(out,
                done / values_kind_of(spot)->epoch_steps + (uint64_t)piece->a,
                piece->b);
}

LOG_VALUE(EPOCHS)
{
    const struct log_kind *kind = values_kind_of(spot);
    write_count(out, (kind->steps + kind->epoch_steps - 1) / kind->epoch_steps,
                piece->a);
}

LOG_VALUE(I)
{
    uint64_t i = in_epoch(spot), less = (uint64_t)piece->a;
    write_count(out, i > less ? i - less : 0, piece->b);
}

LOG_VALUE(N)
{
    write_count(out, values_kind_of(spot)->epoch_steps, piece->a);
}

LOG_VALUE(EPOCHFRAC)
{
    (void)piece;
    out_printf(out, "%.2f",
               (double)spot->steps / (double)values_kind_of(spot)->epoch_steps);
}

LOG_VALUE(SAMPLES)
{
    write_count(out, spot->steps * values_kind_of(spot)->batch, piece->a);
}

LOG_VALUE(SAMPLEPCT)
{
    (void)piece;
    write_count(out, in_epoch(spot) * values_kind_of(spot)->batch, 0);
}

LOG_VALUE(DATASETSIZE)
{
    (void)piece;
    write_count(out,
                values_kind_of(spot)->epoch_steps * values_kind_of(spot)->batch,
                0);
}

LOG_VALUE(PCT)
{
    (void)piece;
    out_printf(out, "%.0f",
               100.0 * (double)in_epoch(spot) /
                   (double)values_kind_of(spot)->epoch_steps);
}

/* Returns a standard normal draw, cut to 3 standard deviations. */
static double values_normal(uint64_t key)
{
    double radius = sqrt(-2 * log(log_draw_real(key, 0)));
    double z = radius * cos(6.283185307179586 * log_draw_real(key, 1));
    return fmax(-3, fmin(3, z));
}

/* Returns a loss that falls with the steps, from 2.3..12.3 at the start to
 * 0.3..2.3, with 3 % of noise. The job's key draws the curve. */
static double loss(const struct log_spot *spot)
{
    double level = 0.3 + 2 * log_draw_real(spot->shape->key, DRAW_LEVEL);
    double from = 2 + 8 * log_draw_real(spot->shape->key, DRAW_FALL);
    double half = 50 + 2000 * log_draw_real(spot->shape->key, DRAW_HALF);
    double noise = values_normal(log_mix(spot->shape->key, spot->steps));
    double mean = level + from / (1 + (double)spot->steps / half);
    return mean * (1 + 0.03 * noise);
}

LOG_VALUE(LOSS)
{
    out_printf(out, "%.*f", (int)piece->a, loss(spot));
}

LOG_VALUE(LOSSE)
{
    out_printf(out, "%.*E", (int)piece->a, loss(spot));
}

LOG_VALUE(ACC)
{
    double noise = values_normal(log_mix(spot->shape->key, spot->steps));
    double acc = 88 - 80 / (1 + (double)spot->steps / 900) + 0.5 * noise;
    out_printf(out, "%.*f", (int)piece->a,
               fmax(0.1, acc) / (piece->b ? 100 : 1));
}

LOG_VALUE(LR)
{
    double done = (double)spot->steps / (double)values_kind_of(spot)->steps;
    double base =
        1e-5 * pow(10, 3 * log_draw_real(spot->shape->key, DRAW_RATE));
    double rate = base * (0.5 + 0.5 * cos(3.14159265 * fmin(1, done)));
    out_printf(out, "%.*e", (int)piece->a, rate + 1e-9);
}

LOG_VALUE(RANK)
{
    write_count(out, spot->rank, piece->a);
}

LOG_VALUE(LOCAL)
{
    write_count(out, spot->rank % log_ranks_per_node(spot->shape), piece->a);
}

static void values_write_host(struct out *out, node_id node)
{
    char name[MADE_HOST_MAX];
    log_host_name(node, name);
    out_text(out, name);
}

LOG_VALUE(HOST)
{
    (void)piece;
    values_write_host(out, log_node_of(spot->shape, spot->rank));
}

LOG_VALUE(MASTER)
{
    (void)piece;
    values_write_host(out, log_node_of(spot->shape, 0));
}

/* Writes the names of the job's hosts, at most the first 16. */
LOG_VALUE(HOSTS)
{
    (void)piece;
    uint32_t n = values_kind_of(spot)->nodes,
             per = log_ranks_per_node(spot->shape);
    for (uint32_t i = 0; i < n && i < 16; i++) {
        if (i)
            out_char(out, ',');
        values_write_host(out, log_node_of(spot->shape, i * per));
    }
}

static void write_pid(struct out *out, const struct log_spot *spot,
                      uint32_t rank)
{
    uint64_t node = log_node_of(spot->shape, rank);
    uint64_t base =
        log_draw(log_mix(spot->shape->attempt_key, node), DRAW_PID, 900000);
    write_count(out, 4000 + base + rank % log_ranks_per_node(spot->shape), 0);
}

LOG_VALUE(PID)
{
    (void)piece;
    write_pid(out, spot, spot->rank);
}

/* Writes the bus number of the rank's GPU, as in "0000:1b:00". */
LOG_VALUE(PCI)
{
    (void)piece;
    uint32_t local = spot->rank % log_ranks_per_node(spot->shape);
    out_printf(out, "0000:%02x:00", 0x0b + 0x1c * (local % 8));
}

LOG_VALUE(IP)
{
    (void)piece;
    node_id node = log_node_of(spot->shape, spot->rank);
    out_printf(out, "10.40.%u.%u", node / 250 % 250, node % 250 + 1);
}

LOG_VALUE(GPUS)
{
    write_count(out, values_kind_of(spot)->gpus, piece->a);
}

LOG_VALUE(NODES)
{
    write_count(out, values_kind_of(spot)->nodes, piece->a);
}

LOG_VALUE(PERNODE)
{
    write_count(out, log_ranks_per_node(spot->shape), piece->a);
}

LOG_VALUE(BATCH)
{
    write_count(out, values_kind_of(spot)->batch, piece->a);
}

LOG_VALUE(MICRO)
{
    uint64_t each = values_kind_of(spot)->batch / values_kind_of(spot)->gpus;
    write_count(out, each ? each : 1, piece->a);
}

LOG_VALUE(LOGEVERY)
{
    write_count(out, values_kind_of(spot)->log_every, piece->a);
}

LOG_VALUE(MODEL)
{
    (void)piece;
    out_text(out, values_kind_of(spot)->model);
}

LOG_VALUE(DATASET)
{
    (void)piece;
    out_text(out, values_kind_of(spot)->dataset);
}

LOG_VALUE(JOBID)
{
    write_count(out, 1000000 + log_draw(spot->shape->key, DRAW_JOB_ID, 8000000),
                piece->a);
}

LOG_VALUE(REP)
{
    write_count(out, spot->rep + (uint64_t)piece->a, piece->b);
}

LOG_VALUE(FAULTYRANK)
{
    write_count(out, spot->shape->faulty, piece->a);
}

LOG_VALUE(FAULTYLOCAL)
{
    write_count(out, spot->shape->faulty % log_ranks_per_node(spot->shape),
                piece->a);
}

LOG_VALUE(FAULTYHOST)
{
    (void)piece;
    values_write_host(out, log_node_of(spot->shape, spot->shape->faulty));
}

LOG_VALUE(FAULTYPID)
{
    (void)piece;
    write_pid(out, spot, spot->shape->faulty);
}

LOG_VALUE(ATTEMPT)
{
    write_count(out, spot->shape->attempt->number, piece->a);
}

void log_write_value(struct out *out, const struct log_spot *spot,
                     const struct log_piece *piece)
{
#define WRITER(name) [LOG_VALUE_##name] = write_##name,
    static const write_value writers[N_LOG_VALUES] = {LOG_STATE_VALUES(WRITER)};
#undef WRITER
    if (writers[piece->value])
        writers[piece->value](out, spot, piece);
    else
        log_write_time(out, spot, piece);
}
