/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows that each check of `verify` can fail: runs it on a correct result, then
 * on copies with one error each. */
#include "sim/verify/verify.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/cli.h"
#include "tests/support/slurp.h"
#include "tests/support/test.h"
#include "tests/unit/sim/verify/damages.h"

struct world {
    const struct verify_world *of;
    char dir[64], trace[96], cluster[128], out[96];
    char lines[256][512];
    size_t n_lines;
};

static void collect(void *self, const char *words)
{
    struct world *w = self;
    if (w->n_lines < 256)
        snprintf(w->lines[w->n_lines++], sizeof w->lines[0], "%s", words);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

/* Writes the files of a world, and runs its trace. */
static int make_result(void **state)
{
    const struct verify_world *of = *state;
    struct world *w = *state = mem_zalloc(1, sizeof *w);
    struct error err = {0};
    char *argv[24];
    int argc = 1;
    argv[0] = (char *)(uintptr_t) "run";
    w->of = of;
    snprintf(w->dir, sizeof w->dir, "/tmp/schedsim-verify-XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    snprintf(w->trace, sizeof w->trace, "%s/trace.csv", w->dir);
    snprintf(w->cluster, sizeof w->cluster, "--cluster=%s/cluster.json",
             w->dir);
    snprintf(w->out, sizeof w->out, "%s/out", w->dir);
    write_file(w->trace, of->rows);
    for (size_t i = 0; of->options[i]; i++)
        argv[argc++] = (char *)(uintptr_t)of->options[i];
    if (of->cluster) {
        write_file(strchr(w->cluster, '/'), of->cluster);
        argv[argc++] = w->cluster;
    }
    argv[argc++] = w->trace;
    argv[argc++] = (char *)(uintptr_t) "--quiet";
    argv[argc++] = (char *)(uintptr_t) "--out";
    argv[argc++] = w->out;
    argv[argc] = NULL;
    enum status st = cli_run(&command_run, "run", argc, argv, &err);
    if (st != STATUS_OK && st != STATUS_INCOMPLETE)
        fail_msg("%s: %s", of->name, err.message);
    return 0;
}

static void remove_files(const char *dir)
{
    DIR *files = opendir(dir);
    assert_non_null(files);
    for (struct dirent *file = readdir(files); file; file = readdir(files))
        (void)unlinkat(dirfd(files), file->d_name, 0);
    closedir(files);
    assert_int_equal(rmdir(dir), 0);
}

static int remove_result(void **state)
{
    struct world *w = *state;
    remove_files(w->out);
    remove_files(w->dir);
    free(w);
    return 0;
}

static enum status check(struct world *w, struct error *err)
{
    struct verify_report report = {.line = collect, .self = w};
    w->n_lines = 0;
    return verify_dir(w->out, &report, err);
}

/* Reads a result as a command does that does not check it. */
static enum status check_nothing(struct world *w, struct error *err)
{
    struct verify_data data;
    enum status st =
        verify_read(w->out, VERIFY_COLUMNS_OF_WAITS, NULL, &data, err);
    w->n_lines = 0;
    if (st == STATUS_OK)
        verify_data_fini(&data);
    return st;
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
    at = at ? strstr(at, from) : NULL;
    if (!at)
        fail_msg("no '%s' after '%s'", from, after);
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

/* Returns the damaged text of a file. */
static char *damaged(const char *text, const struct damage *d)
{
    char job[8], column[32];
    if (!d->where)
        return strdup(d->to);
    if (d->from)
        return replace(text, d->where, d->from, d->to);
    assert_int_equal(sscanf(d->where, "%7s %31s", job, column), 2);
    return replace_cell(text, job, column, d->to);
}

/* Returns false, after a message, if verify does not tell the damage. */
static bool damage_is_told(struct world *w, const struct damage *d,
                           enum status (*by)(struct world *w,
                                             struct error *err))
{
    char path[128];
    size_t len;
    struct error err = {0};
    snprintf(path, sizeof path, "%s/%s", w->out, d->file);
    char *text = slurp(path, &len);
    assert_non_null(text);
    char *bad = damaged(text, d);
    assert_string_not_equal(text, bad);
    write_file(path, bad);
    enum status st = by(w, &err);
    bool read = st != STATUS_BAD_INPUT;
    const char *heard =
        read ? w->n_lines ? w->lines[w->n_lines - 1] : "nothing" : err.message;
    const bool told = !d->words ? st == STATUS_OK
                      : read    ? st != STATUS_OK && said(w, d->words)
                                : strstr(heard, d->words) != NULL;
    if (!told)
        print_error("%s: %s, %s -> %s: expected '%s', heard '%s'\n",
                    w->of->name, d->file, d->where ? d->where : "all", d->to,
                    d->words ? d->words : "nothing", heard);
    write_file(path, text);
    free(text);
    free(bad);
    return told;
}

static void each_damage_is_told(void **state)
{
    struct world *w = *state;
    size_t missed = 0;
    a_result_passes(state);
    for (size_t i = 0; i < w->of->n; i++)
        missed += !damage_is_told(w, &w->of->damages[i], check);
    assert_int_equal(missed, 0);
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

static void each_damage_is_refused_without_rules(void **state)
{
    size_t missed = 0;
    for (size_t i = 0; i < sizeof unruled_damages / sizeof *unruled_damages;
         i++)
        missed += !damage_is_told(*state, &unruled_damages[i], check_nothing);
    assert_int_equal(missed, 0);
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

static void *world_at(size_t i)
{
    return (void *)(uintptr_t)&worlds[i];
}

int main(void)
{
    enum { WORLDS = sizeof worlds / sizeof *worlds };
    struct CMUnitTest tests[WORLDS + 3] = {
        {"sharing_must_be_declared", sharing_must_be_declared, make_result,
         remove_result, world_at(0)},
        {"what_is_no_result_is_refused", what_is_no_result_is_refused,
         make_result, remove_result, world_at(0)},
        {"each_damage_is_refused_without_rules",
         each_damage_is_refused_without_rules, make_result, remove_result,
         world_at(0)}};
    for (size_t i = 0; i < WORLDS; i++)
        tests[3 + i] =
            (struct CMUnitTest){worlds[i].name, each_damage_is_told,
                                make_result, remove_result, world_at(i)};
    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
