/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a corpus of generated logs (schedmate/simulated/evidence/log.h) with
 * an index as bench/modules.py reads it: generate_logs DIR speed|failure N SEED
 * [hostile].
 *
 * speed: logs of running jobs, half of them noisy, of all styles, with the true
 * time of a step at the end of the log. One in seven does not print times.
 * failure: logs of failed jobs. One in four failed because of the
 * infrastructure, as in SchedMate's Table 4; half of these have a cause of
 * Acme's table, half a fault of a fault model.
 * hostile: the logs also address their reader (log_source.hostile). */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/out.h"
#include "base/rng.h"
#include "models/failures/causes.h"
#include "schedmate/simulated/evidence/log.h"

struct corpus_plan {
    const char *dir;
    bool failures, hostile;
    uint32_t n;
    uint64_t stream;
};

/* Numbers that keep the random draws about one log apart. */
enum draw {
    DRAW_STEP,
    DRAW_EPOCH,
    DRAW_EVERY,
    DRAW_GPUS,
    DRAW_BATCH,
    DRAW_LINES,
    DRAW_SPEED,
    DRAW_NODE,
    DRAW_START,
    DRAW_MODEL,
    DRAW_CAUSE, /* the draws of the cause use this number and all above it */
};

/* A job with one attempt, and the answers that a reader of its log should give.
 */
struct made {
    struct log_source source;
    struct log_attempt attempt;
    struct log_segment segments[3];
    double seconds_per_step;
    enum failure_kind kind; /* kind of the failure, for a failed job */
};

static double uniform(const struct corpus_plan *p, uint32_t i, uint32_t what)
{
    return keyed_uniform(p->stream, i, what);
}

/* Draws a number whose logarithm is uniform. */
static double between(const struct corpus_plan *p, uint32_t i, enum draw what,
                      double low, double high)
{
    return low * pow(high / low, uniform(p, i, what));
}

static struct log_kind draw_kind(const struct corpus_plan *p, uint32_t i,
                                 const struct log_style *style)
{
    static const char *const models[] = {"resnet50", "bert-base",
                                         "vit_l_16", "llama3-8b",
                                         "unet2d",   "gpt2-medium"};
    static const char *const sets[] = {"imagenet", "squad", "imagenet21k",
                                       "alpaca",   "brats", "openwebtext"};
    size_t model = (size_t)(6 * uniform(p, i, DRAW_MODEL));
    uint32_t gpus = (uint32_t)between(p, i, DRAW_GPUS, 1, 65);
    return (struct log_kind){
        .style = style,
        .step_s = between(p, i, DRAW_STEP, 0.03, 20),
        .epoch_steps = (uint64_t)between(p, i, DRAW_EPOCH, 100, 5000),
        .log_every = (uint32_t)between(p, i, DRAW_EVERY, 1, 100),
        .gpus = gpus,
        .nodes = (gpus + 7) / 8,
        .batch = gpus * (uint32_t)between(p, i, DRAW_BATCH, 1, 64),
        .model = models[model],
        .dataset = sets[model],
        .prints_time = i % 7 != 6,
        .noise = i / 12 % 2 ? LOG_NOISY : LOG_STANDARD,
        .jitter = 0.03,
    };
}

static void draw_failure(const struct corpus_plan *p, uint32_t i,
                         struct made *m)
{
    static const char *const faults[] = {"node fault", "GPU fault",
                                         "NVLink fault", "NIC or link fault",
                                         "storage fault"};
    bool infra = i % 4 == 0;
    uint32_t gpus = m->source.kind.gpus;
    struct log_failure *f = &m->attempt.failure;
    m->attempt.end = LOG_FAILED;
    if (!infra && i % 16 == 1) {
        *f = (struct log_failure){.fault = LOG_FAULT_OTHER, .node = NODE_NONE};
        m->kind = FAILURE_N_SIMULATED;
        return;
    }
    /* Long runs are nearly always ended by infrastructure, so draw other causes
     * as for a run of at most an hour. */
    sim_span ran = m->attempt.until;
    if (!infra && ran > SPAN_HOUR)
        ran = SPAN_HOUR;
    const struct failure_cause *c;
    uint32_t k = DRAW_CAUSE;
    do {
        c = cause_draw(uniform(p, i, k++), ran, gpus);
    } while ((c->kind == FAILURE_INFRASTRUCTURE) != infra);
    m->kind = c->kind;
    f->cause = infra && i % 8 == 0 ? faults[i / 8 % 5] : c->name;
    f->fault = log_fault_of(f->cause, LOG_FAULT_OTHER);
    f->node = infra ? (node_id)(m->source.kind.nodes * uniform(p, i, DRAW_NODE))
                    : NODE_NONE;
}

static void draw_log(const struct corpus_plan *p, uint32_t i, struct made *m)
{
    const char *name = log_style_name(i % 12);
    const struct log_style *style = log_style_find(text_from(name));
    *m = (struct made){.source.kind = draw_kind(p, i, style)};
    struct log_kind *kind = &m->source.kind;
    bool epochs = strcmp(name, "plain-epoch") == 0;
    uint64_t lines = (uint64_t)between(p, i, DRAW_LINES, 12, 3000);
    double work = (double)lines * kind->step_s *
                  (double)(epochs ? kind->epoch_steps : kind->log_every);
    double speed = i % 3 ? 1 : 0.45 + 0.55 * uniform(p, i, DRAW_SPEED);
    sim_span start = span_from_seconds(20 + 200 * uniform(p, i, DRAW_START));
    sim_span half = span_from_seconds(work / 2);
    m->segments[0] = (struct log_segment){.at = 0, .speed = 0};
    m->segments[1] = (struct log_segment){.at = start, .speed = 1};
    m->segments[2] =
        (struct log_segment){.at = start + half, .work = half, .speed = speed};
    m->attempt = (struct log_attempt){
        .number = 1,
        .segments = m->segments,
        .n_segments = 3,
        .until = start + half + (sim_span)((double)half / speed),
    };
    kind->steps = (uint64_t)(work / kind->step_s * 1.5) + 1;
    m->seconds_per_step =
        kind->step_s / speed * (epochs ? (double)kind->epoch_steps : 1);
    m->source.key = p->stream + i;
    m->source.zero = civil_to_days(2023, 6, 1) * SPAN_DAY;
    m->source.attempts = &m->attempt;
    m->source.n_attempts = 1;
    m->source.hostile = p->hostile;
    if (p->failures)
        draw_failure(p, i, m);
}

static json_t *index_row(const char *file, struct made *m)
{
    static const char *const kinds[] = {"infrastructure", "framework",
                                        "user_script", "other"};
    static const char *const parts[] = {"gpu",  "nvlink",  "network",
                                        "node", "network", "other"};
    uint64_t lines = log_count(&m->source);
    json_t *row = json_pack("{s:s, s:{s:s}, s:I, s:[], s:s, s:b, s:b}", "file",
                            file, "source", "repo", file, "n_lines",
                            (json_int_t)lines, "labels", "style",
                            log_style_name((size_t)(m->source.key % 12)),
                            "noisy", m->source.kind.noise == LOG_NOISY,
                            "prints_time", m->source.kind.prints_time);
    if (m->attempt.end == LOG_FAILED) {
        m->attempt.end = LOG_RUNNING;
        uint64_t before = log_count(&m->source);
        m->attempt.end = LOG_FAILED;
        bool infra = m->kind == FAILURE_INFRASTRUCTURE;
        json_object_set_new(
            row, "failure",
            json_pack("{s:s, s:s}", "cls", kinds[m->kind], "sub",
                      infra ? parts[m->attempt.failure.fault] : "none"));
        json_object_set_new(row, "first_error_line",
                            json_integer((json_int_t)before + 1));
    } else {
        json_object_set_new(
            row, "step_time",
            json_pack("{s:f}", "seconds_per_step", m->seconds_per_step));
    }
    return row;
}

static enum status write_one(const struct corpus_plan *p, uint32_t i,
                             struct out *index, struct error *err)
{
    struct made m;
    struct arena arena;
    struct out *out = NULL;
    char file[64], path[4096];
    draw_log(p, i, &m);
    snprintf(file, sizeof file, "%04u.log", i);
    snprintf(path, sizeof path, "%s/%s", p->dir, file);
    enum status st = out_open(path, &out, err);
    if (st != STATUS_OK)
        return st;
    arena_init(&arena);
    for (uint64_t first = 0;; first += 1000) {
        struct text part = log_text(&m.source, first, 1000, &arena);
        if (part.len == 0)
            break;
        out_bytes(out, part.at, part.len);
        arena_reset(&arena);
    }
    arena_fini(&arena);
    json_t *row = index_row(file, &m);
    char *text = json_dumps(row, JSON_COMPACT | JSON_SORT_KEYS);
    out_text(index, text);
    out_char(index, '\n');
    free(text);
    json_decref(row);
    return out_close(out, err);
}

int main(int argc, char **argv)
{
    struct error err = {0};
    struct out *index = NULL;
    char path[4096];
    uint64_t seed;
    struct corpus_plan p = {0};
    if (argc < 5 || !text_to_u32(text_from(argv[3]), &p.n) ||
        !text_to_u64(text_from(argv[4]), &seed)) {
        fprintf(stderr, "usage: generate_logs DIR speed|failure N SEED "
                        "[hostile]\n");
        return 1;
    }
    p.dir = argv[1];
    p.failures = strcmp(argv[2], "failure") == 0;
    p.hostile = argc > 5;
    p.stream = rng_stream(seed, "generated logs") / 12 * 12;
    if (mkdir(p.dir, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "generate_logs: %s: cannot be made\n", p.dir);
        return 1;
    }
    snprintf(path, sizeof path, "%s/index.jsonl", p.dir);
    enum status st = out_open(path, &index, &err);
    for (uint32_t i = 0; i < p.n && st == STATUS_OK; i++)
        st = write_one(&p, i, index, &err);
    if (st == STATUS_OK)
        st = out_close(index, &err);
    if (st != STATUS_OK)
        fprintf(stderr, "generate_logs: %s\n", err.message);
    return st != STATUS_OK;
}
