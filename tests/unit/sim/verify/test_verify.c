/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows that each check of `verify` can fail: runs it on a correct result, then
 * on copies with one error each. */
#include "sim/verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/cli.h"
#include "tests/support/slurp.h"
#include "tests/support/test.h"
#include "tests/unit/sim/verify/damages.h"

static const char trace[] =
    "submitted_unix_s,duration_s,gpus,job_id,name,vc,gpu_type,end\n"
    "0,1000,4,j0,train,a,A,completed\n"
    "10,50,2,j1,tune,a,A,failed\n"
    "20,100,4,j2,train,b,,completed\n"
    "30,100,2,j3,tune,b,,cancelled\n"
    "40,100,4,j4,train,a,B,completed\n"
    "50,10,1,j5,\"a, b\",a,A,completed\n"
    "60,10,64,j6,big,a,,completed\n"
    "70,300,2,j7,train,b,,completed\n";

struct world {
    char dir[64], trace[96], out[96];
    char lines[64][512];
    size_t n_lines;
};

static void collect(void *self, const char *words)
{
    struct world *w = self;
    if (w->n_lines < 64)
        snprintf(w->lines[w->n_lines++], sizeof w->lines[0], "%s", words);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

/* Writes the trace and runs it with these options, at most 20: the first is
 * "run", and NULL ends them. */
static struct world *run_world(const char *rows, const char *const options[],
                               enum status expected)
{
    struct world *w = mem_zalloc(1, sizeof *w);
    struct error err = {0};
    char *argv[24];
    int argc = 0;
    snprintf(w->dir, sizeof w->dir, "/tmp/schedsim-verify-XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    snprintf(w->trace, sizeof w->trace, "%s/trace.csv", w->dir);
    snprintf(w->out, sizeof w->out, "%s/out", w->dir);
    write_file(w->trace, rows);
    for (; options[argc]; argc++)
        argv[argc] = (char *)(uintptr_t)options[argc];
    argv[argc++] = w->trace;
    argv[argc++] = (char *)(uintptr_t) "--out";
    argv[argc++] = w->out;
    argv[argc] = NULL;
    enum status st = cli_run(&command_run, "run", argc, argv, &err);
    if (st != expected)
        fail_msg("%s", err.message);
    return w;
}

/* Makes a result with a stop, a failure that takes its node down for a time,
 * and a rejected job. */
static int make_result(void **state)
{
    static const char *const options[] = {
        "run",
        "--policy=srtf",
        "--estimators=oracle",
        "--cluster=a=1x4:A@1+1x4:B@1,b=1x4:A",
        "--faults=once:node=1,at_s=60,repair_s=30",
        "--recovery=retry:delay_s=100",
        "--series-interval=30",
        "--quiet",
        NULL};
    *state = run_world(trace, options, STATUS_INCOMPLETE);
    return 0;
}

static const char light_trace[] =
    "submitted_unix_s,duration_s,gpus,job_id,gpu_util_percent,end\n"
    "0,1000,1,j0,20,completed\n"
    "0,1000,1,j1,20,completed\n"
    "0,1000,1,j2,20,completed\n"
    "0,90,1,j3,20,completed\n"
    "0,1000,4,j4,90,completed\n";

/* Makes a result with profiling. Node 2, with one GPU, belongs to the profiler;
 * node 1 is lent to it from 0 to 100 s. Jobs j0 to j2 are profiled, j3 ends
 * while it is profiled, j4 is not profiled. Some jobs share GPUs. */
static int make_profiles(void **state)
{
    static const char *const options[] = {
        "run",
        "--policy=lucid:profile_max_gpus=2,profile_lend_nodes=1,"
        "profile_lend_above=2,profile_return_below=1,idle_first=false",
        "--cluster=2x2+1x1:profiler",
        "--interference=constant:slowdown=1.25",
        "--series-interval=50",
        "--quiet",
        NULL};
    *state = run_world(light_trace, options, STATUS_OK);
    return 0;
}

/* Makes a result in which the monitor evicts a job. */
static int make_evictions(void **state)
{
    static const char *const options[] = {"run",
                                          "--policy=random-pack",
                                          "--cluster=1x1:A",
                                          "--interference=constant:slowdown=2",
                                          "--overhead=none",
                                          "--monitor=perfect:look_s=50",
                                          "--quiet",
                                          NULL};
    *state = run_world("submitted_unix_s,duration_s,gpus,job_id,end\n"
                       "0,100,1,j0,completed\n"
                       "10,40,1,j1,completed\n",
                       options, STATUS_OK);
    return 0;
}

/* Makes a result in which each job has one attempt, so that there is no
 * attempts.csv. */
static int make_plain(void **state)
{
    static const char *const options[] = {"run", "--cluster=2x4", "--quiet",
                                          NULL};
    *state = run_world("submitted_unix_s,duration_s,gpus,job_id,end\n"
                       "0,1000,4,j0,completed\n"
                       "10,50,2,j1,failed\n",
                       options, STATUS_OK);
    return 0;
}

static int remove_result(void **state)
{
    static const char *const files[] = {"jobs.csv", "attempts.csv",
                                        "series.csv", "summary.json",
                                        "manifest.json"};
    struct world *w = *state;
    char path[128];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", w->out, files[i]);
        unlink(path);
    }
    rmdir(w->out);
    unlink(w->trace);
    rmdir(w->dir);
    free(w);
    return 0;
}

static enum status check(struct world *w, struct error *err)
{
    struct verify_report report = {.line = collect, .self = w};
    w->n_lines = 0;
    return verify_dir(w->out, &report, err);
}

static bool said(const struct world *w, const char *words)
{
    for (size_t i = 0; i < w->n_lines; i++) {
        if (strstr(w->lines[i], words))
            return true;
    }
    return false;
}

static void a_result_passes(void **state)
{
    struct world *w = *state;
    struct error err = {0};
    enum status st = check(w, &err);
    if (st != STATUS_OK)
        fail_msg("%s: %s", err.message, w->n_lines ? w->lines[0] : "");
}

/* Returns a copy of the text in which `from` is replaced by `to` at the first
 * place after the text `after`. */
static char *replace(const char *text, const char *after, const char *from,
                     const char *to)
{
    const char *at = strstr(text, after);
    assert_non_null(at);
    at = strstr(at, from);
    assert_non_null(at);
    char *out = NULL;
    assert_true(asprintf(&out, "%.*s%s%s", (int)(at - text), text, to,
                         at + strlen(from)) > 0);
    return out;
}

/* Returns a copy of a CSV file in which the cell of a column in the job's first
 * row is replaced. Commas inside quotes do not count. */
static char *replace_cell(const char *text, const char *job, const char *column,
                          const char *to)
{
    char key[32];
    size_t index = 0;
    const char *head = text;
    for (size_t len = strlen(column);; index++) {
        size_t n = strcspn(head, ",\n");
        if (n == len && memcmp(head, column, n) == 0)
            break;
        assert_int_equal(head[n], ',');
        head += n + 1;
    }
    snprintf(key, sizeof key, "\n%s,", job);
    const char *at = strstr(text, key);
    assert_non_null(at);
    at++;
    for (bool quoted = false; index > 0; at++) {
        quoted ^= *at == '"';
        index -= *at == ',' && !quoted;
    }
    char *out = NULL;
    assert_true(asprintf(&out, "%.*s%s%s", (int)(at - text), text, to,
                         at + strcspn(at, ",\n")) > 0);
    return out;
}

static void one(struct world *w, const struct damage *d)
{
    char path[128], job[8], column[32];
    size_t len;
    struct error err = {0};
    snprintf(path, sizeof path, "%s/%s", w->out, d->file);
    char *text = slurp(path, &len), *bad;
    assert_non_null(text);
    if (d->from) {
        bad = replace(text, d->where, d->from, d->to);
    } else {
        assert_int_equal(sscanf(d->where, "%7s %31s", job, column), 2);
        bad = replace_cell(text, job, column, d->to);
    }
    assert_string_not_equal(text, bad);
    write_file(path, bad);
    enum status st = check(w, &err);
    bool read = st != STATUS_BAD_INPUT;
    if (st == STATUS_OK ||
        (read ? !said(w, d->words) : !strstr(err.message, d->words)))
        fail_msg("%s, %s -> %s: expected '%s', heard '%s'", d->file, d->where,
                 d->to, d->words,
                 read && w->n_lines ? w->lines[w->n_lines - 1] : err.message);
    write_file(path, text);
    free(text);
    free(bad);
}

static void each_damage_is_told(void **state)
{
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++)
        one(*state, &damages[i]);
    a_result_passes(state);
}

static void each_damage_to_profiles_and_packing_is_told(void **state)
{
    a_result_passes(state);
    for (size_t i = 0; i < sizeof profile_damages / sizeof *profile_damages;
         i++)
        one(*state, &profile_damages[i]);
    a_result_passes(state);
}

static void each_damage_to_evictions_is_told(void **state)
{
    a_result_passes(state);
    for (size_t i = 0; i < sizeof eviction_damages / sizeof *eviction_damages;
         i++)
        one(*state, &eviction_damages[i]);
    a_result_passes(state);
}

static void each_damage_without_attempts_is_told(void **state)
{
    const struct world *w = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/attempts.csv", w->out);
    assert_int_not_equal(access(path, F_OK), 0);
    a_result_passes(state);
    for (size_t i = 0; i < sizeof plain_damages / sizeof *plain_damages; i++)
        one(*state, &plain_damages[i]);
    a_result_passes(state);
}

/* Two jobs on one GPU are allowed if the manifest has a share limit of 2 and
 * both jobs are marked as shared. */
static void sharing_must_be_declared(void **state)
{
    struct world *w = *state;
    struct error err = {0};
    char jobs[128], manifest[128];
    size_t len;
    snprintf(jobs, sizeof jobs, "%s/attempts.csv", w->out);
    snprintf(manifest, sizeof manifest, "%s/manifest.json", w->out);
    char *text = slurp(jobs, &len), *whole = slurp(manifest, &len);
    char *bad = replace_cell(text, "j5", "allocated_resources", "0");
    char *limit = replace(whole, "cluster\": {", "\"share_limit\": 1",
                          "\"share_limit\": 2");
    write_file(jobs, bad);
    write_file(manifest, limit);
    assert_int_equal(check(w, &err), STATUS_BROKEN);
    assert_true(said(w, "job j5, attempt at 50.000000 s: shares GPU 0 at "
                        "50.000000 s, but says"));
    assert_true(said(w, "shares GPU 0 at 50.000000 s, but says"));
    assert_false(said(w, "hold already"));
    write_file(jobs, text);
    write_file(manifest, whole);
    free(text);
    free(whole);
    free(bad);
    free(limit);
}

static void what_is_no_result_is_refused(void **state)
{
    struct world *w = *state;
    struct error err = {0};
    struct verify_report report = {.line = collect, .self = w};
    assert_int_equal(verify_dir("/nonexistent", &report, &err),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, "/nonexistent/manifest.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_passes),
        cmocka_unit_test(each_damage_is_told),
        cmocka_unit_test_setup_teardown(
            each_damage_to_profiles_and_packing_is_told, make_profiles,
            remove_result),
        cmocka_unit_test_setup_teardown(each_damage_without_attempts_is_told,
                                        make_plain, remove_result),
        cmocka_unit_test_setup_teardown(each_damage_to_evictions_is_told,
                                        make_evictions, remove_result),
        cmocka_unit_test(sharing_must_be_declared),
        cmocka_unit_test(what_is_no_result_is_refused),
    };
    return cmocka_run_group_tests_name("verify", tests, make_result,
                                       remove_result);
}
