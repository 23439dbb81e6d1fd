/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer target: reads any bytes as a file that a user gives beside the
 * trace. The first line names the reader; the rest is the file. It must be read
 * or refused with a message. What was read is written or used where that takes
 * one call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/json.h"
#include "commands/run_options.h"
#include "commands/study/gate_internal.h"
#include "commands/study/size.h"
#include "commands/study/sweep_internal.h"
#include "models/failures/fault_internal.h"
#include "sim/present/slurm_state.h"
#include "sim/results/difference.h"
#include "sim/run/describe.h"
#include "traces/shelf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char place[64], path[96];

static void write_input(const char *to, struct text text)
{
    FILE *file = fopen(to, "wb");
    CHECK(file && fwrite(text.at, 1, text.len, file) == text.len);
    CHECK(fclose(file) == 0);
}

static enum status try_cluster(struct text text, struct arena *arena,
                               struct error *err)
{
    struct cluster_spec cluster;
    (void)text;
    enum status st = describe_cluster(path, arena, &cluster, err);
    for (size_t i = 0; st == STATUS_OK && i < cluster.n_groups; i++)
        CHECK(cluster.groups[i].vc < cluster.n_vcs &&
              cluster.groups[i].type < cluster.n_types);
    return st;
}

/* A state that was read can be written and read again. */
static enum status try_state(struct text text, struct arena *arena,
                             struct error *err)
{
    struct state state;
    (void)text, (void)arena;
    enum status st = state_read(path, &state, err);
    if (st != STATUS_OK)
        return st;
    struct out *out;
    CHECK(out_open(path, &out, err) == STATUS_OK);
    state_write(&state, out);
    CHECK(out_close(out, err) == STATUS_OK);
    state_fini(&state);
    st = state_read(path, &state, err); /* what was written is read */
    if (st != STATUS_OK)
        fprintf(stderr, "%s\n", err->message);
    CHECK(st == STATUS_OK);
    state_fini(&state);
    return STATUS_OK;
}

/* The output of squeue, a form feed, that of sinfo or scontrol, and perhaps a
 * form feed and the reservations. */
static enum status try_slurm(struct text text, struct arena *arena,
                             struct error *err)
{
    char nodes[96], reservations[96];
    struct state state;
    struct text rest;
    (void)arena;
    snprintf(nodes, sizeof nodes, "%s/nodes.json", place);
    snprintf(reservations, sizeof reservations, "%s/reservations", place);
    write_input(path, text_split(text, '\f', &rest));
    write_input(nodes, text_split(rest, '\f', &rest));
    write_input(reservations, rest);
    struct slurm_answers answers;
    enum status st = slurm_answers_read(
        &(struct slurm_files){
            .squeue = path, .nodes = nodes, .reservations = reservations},
        &answers, err);
    unlink(nodes);
    unlink(reservations);
    if (st != STATUS_OK)
        return st;
    answers.at = TIME_NEVER;
    st = slurm_state_make(&answers, &state, err);
    slurm_answers_fini(&answers);
    if (st == STATUS_OK)
        state_fini(&state);
    return st;
}

static enum status try_gate(struct text text, struct arena *arena,
                            struct error *err)
{
    struct gate_file file = {0};
    char *copy = mem_alloc(text.len + 1);
    (void)arena;
    memcpy(copy, text.at, text.len);
    copy[text.len] = '\0';
    enum status st = gate_file_parse(path, copy, text.len, true, &file, err);
    gate_file_close(&file);
    return st;
}

static enum status try_grid(struct text text, struct arena *arena,
                            struct error *err)
{
    static struct grid grid;
    struct shelf *shelf = shelf_new(1 << 20);
    (void)text, (void)arena;
    enum status st = grid_read(&grid, path, true, shelf, err);
    shelf_free(shelf);
    grid_fini(&grid);
    return st;
}

static enum status try_options(struct text text, struct arena *arena,
                               struct error *err)
{
    static struct run_options options;
    struct arg_list policies = {0};
    (void)text;
    run_options_init(&options);
    options.trusts = true;
    return run_options_file(&options, path, &policies, arena, err);
}

static enum status try_prices(struct text text, struct arena *arena,
                              struct error *err)
{
    struct size_prices prices;
    (void)text;
    return size_prices_read(path, arena, &prices, err);
}

static enum status try_baseline(struct text text, struct arena *arena,
                                struct error *err)
{
    struct baseline baseline = {0};
    (void)text, (void)arena;
    enum status st = baseline_open(path, &baseline, err);
    baseline_close(&baseline);
    return st;
}

static enum status try_faults(struct text text, struct arena *arena,
                              struct error *err)
{
    struct fault_file file = {0};
    (void)text;
    enum status st = fault_file_read(path, "*", arena, &file, err);
    for (size_t i = 1; st == STATUS_OK && i < file.n; i++)
        CHECK(file.at[i - 1].start <= file.at[i].start);
    fault_file_fini(&file);
    return st;
}

static const struct file_reader {
    const char *name;
    enum status (*read)(struct text text, struct arena *arena,
                        struct error *err);
} readers[] = {
    {"cluster", try_cluster},   {"state", try_state},
    {"slurm", try_slurm},       {"gate", try_gate},
    {"grid", try_grid},         {"options", try_options},
    {"baseline", try_baseline}, {"faults", try_faults},
    {"prices", try_prices},
};

static void remove_place(void)
{
    rmdir(place);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct error err;
    struct arena arena;
    struct text rest, all = {(const char *)data, size};
    struct text name = text_split(all, '\n', &rest);
    if (!*place) {
        snprintf(place, sizeof place, "/tmp/schedsim-fuzz-XXXXXX");
        CHECK(mkdtemp(place) != NULL);
        snprintf(path, sizeof path, "%s/file.json", place);
        atexit(remove_place);
    }
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (!text_is(name, readers[i].name))
            continue;
        err = (struct error){0};
        arena_init(&arena);
        write_input(path, rest);
        if (readers[i].read(rest, &arena, &err) != STATUS_OK)
            CHECK(err.message[0] != '\0');
        arena_fini(&arena);
        unlink(path);
    }
    return 0;
}
