/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `rerun DIR`: repeats the run of an older result and compares the files byte
 * by byte. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_out.h"
#include "commands/cli.h"
#include "commands/rerun.h"
#include "commands/run_report.h"

struct rerun_input {
    struct cli_call call;
    const char *dir, *out;
    bool quiet, json, trusts;
};

/* A temporary directory for a result that is only compared and then removed. */
struct scratch {
    char dir[PATH_MAX], result[PATH_MAX];
    char files[RESULT_N][PATH_MAX];
    struct interrupt_path at_end[RESULT_N + 2];
    size_t n;
};

static void removed_at_end(struct scratch *s, const char *path, bool directory)
{
    struct interrupt_path *one = &s->at_end[s->n++];
    *one = (struct interrupt_path){.path = path, .directory = directory};
    interrupt_removes(one);
}

static enum status scratch_make(struct scratch *s, struct error *err)
{
    const char *tmp = getenv("TMPDIR");
    if (!tmp || tmp[0] != '/' || strlen(tmp) > PATH_MAX / 2)
        tmp = "/tmp";
    snprintf(s->dir, sizeof s->dir, "%.*s/schedsim-rerun-XXXXXX", PATH_MAX / 2,
             tmp);
    if (!mkdtemp(s->dir))
        return error_set(err, STATUS_FAILED, "%s: cannot write: %s", s->dir,
                         strerror(errno));
    removed_at_end(s, s->dir, true);
    snprintf(s->result, sizeof s->result, "%.*s/result", PATH_MAX - 8, s->dir);
    removed_at_end(s, s->result, true);
    for (size_t i = 0; i < RESULT_N; i++) {
        snprintf(s->files[i], PATH_MAX, "%.*s/%s", PATH_MAX - 32, s->result,
                 result_files[i].name);
        removed_at_end(s, s->files[i], false);
    }
    return STATUS_OK;
}

static void scratch_remove(struct scratch *s)
{
    while (s->n) {
        struct interrupt_path *one = &s->at_end[--s->n];
        interrupt_keeps(one);
        if (one->directory)
            rmdir(one->path);
        else
            unlink(one->path);
    }
}

/* Repeats the run and writes its result to `new_dir`, an absolute path, because
 * rerun_enter has changed the working directory. */
static enum status run_again(struct rerun *rerun,
                             const struct rerun_input *input,
                             const char *new_dir, struct error *err)
{
    struct result_dir *dir;
    struct run_report report = {
        .options = &rerun->options,
        .provenance = {.argc = input->call.argc,
                       .argv = input->call.argv,
                       .interval = rerun->options.interval},
        .decisions = rerun->decisions,
        .series_by = {rerun->series_by[0], rerun->series_by[1]},
        .wishes = rerun->wishes,
        .progress = !input->quiet && cli_is_terminal(),
    };
    enum status st = result_dir_open(new_dir, &dir, err);
    if (st == STATUS_OK)
        st = run_report_make(&report, dir, err);
    run_report_fini(&report);
    return st == STATUS_INCOMPLETE ? STATUS_OK : st;
}

/* Makes a path absolute. Call it before the working directory changes. */
static enum status absolute(const char *path, const char *what,
                            char out[PATH_MAX], struct error *err)
{
    char here[PATH_MAX] = "";
    int n = -1;
    if (path[0] == '/')
        n = snprintf(out, PATH_MAX, "%s", path);
    else if (getcwd(here, sizeof here))
        n = snprintf(out, PATH_MAX, "%s/%s", here, path);
    if (n > 0 && n < PATH_MAX)
        return STATUS_OK;
    return error_set(err, STATUS_USAGE, "%s: '%.100s' is not a path", what,
                     path);
}

static bool is_same_place(const char *a, const char *b)
{
    char x[PATH_MAX], y[PATH_MAX];
    return realpath(a, x) && realpath(b, y) && strcmp(x, y) == 0;
}

/* Finds the absolute paths of both results. Without --out the new one is
 * temporary. */
static enum status find_places(const struct rerun_input *input,
                               struct scratch *scratch, char old_dir[PATH_MAX],
                               char new_dir[PATH_MAX], struct error *err)
{
    enum status st = absolute(input->dir, "rerun", old_dir, err);
    if (st != STATUS_OK)
        return st;
    st = input->out ? absolute(input->out, "--out", new_dir, err)
                    : scratch_make(scratch, err);
    if (st == STATUS_OK && !input->out)
        memcpy(new_dir, scratch->result, PATH_MAX);
    if (st == STATUS_OK && is_same_place(old_dir, new_dir))
        st = error_set(err, STATUS_USAGE,
                       "--out: %s would be replaced; name another directory",
                       input->out);
    return st;
}

/* Prints {"result": DIR, "same": false, "file": NAME, "line": 7}. If nothing
 * differs, "same" is true, and file and line are null. */
static enum status print_json(const char *dir,
                              const struct rerun_difference *difference,
                              struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    json_t *root = json_object();
    json_put(root, "result", json_text(dir));
    json_put(root, "same", json_boolean(!difference->file));
    json_put(root, "file", json_text(difference->file));
    json_put(root, "line",
             difference->line ? json_integer((json_int_t)difference->line)
                              : json_null());
    json_write(out, root);
    json_decref(root);
    return out_close(out, err);
}

static enum status say_result(const struct rerun_input *input, enum status st,
                              const struct rerun_difference *difference,
                              struct error *err)
{
    bool is_compared = st == STATUS_OK || st == STATUS_TOLERANCE;
    if (input->json && is_compared) {
        enum status printed =
            print_json(input->dir, difference, st == STATUS_OK ? err : NULL);
        return st == STATUS_OK ? printed : st;
    }
    if (st == STATUS_OK && !input->quiet)
        printf("%s: run again, every file has the same bytes\n", input->dir);
    return st;
}

static enum status rerun_all(const struct rerun_input *input,
                             struct scratch *scratch, struct error *err)
{
    struct rerun rerun;
    struct rerun_difference difference;
    char old_dir[PATH_MAX], new_dir[PATH_MAX];
    enum status st = rerun_open(&rerun, input->dir, input->trusts, err);
    if (st == STATUS_OK)
        st = find_places(input, scratch, old_dir, new_dir, err);
    if (st == STATUS_OK)
        st = rerun_enter(&rerun, err);
    if (st == STATUS_OK)
        st = run_again(&rerun, input, new_dir, err);
    if (st == STATUS_OK) {
        st = rerun_compare(&rerun, old_dir, new_dir, &difference, err);
        st = say_result(input, st, &difference, err);
    }
    rerun_close(&rerun);
    return st;
}

static enum status run(void *self, struct error *err)
{
    struct scratch *scratch = mem_zalloc(1, sizeof *scratch);
    enum status st = rerun_all(self, scratch, err);
    scratch_remove(scratch);
    free(scratch);
    return st;
}

static const struct arg args[] = {
    TAKE_WORD(struct rerun_input, dir, "DIR", "result directory"),
    TAKE_TEXT(struct rerun_input, out, "out", "DIR",
              "keep the new result in this directory", .letter = 'o'),
    TAKE_FLAG(struct rerun_input, json, "json",
              "print whether the results are the same as JSON"),
    TAKE_FLAG(struct rerun_input, trusts, "trust", TRUST_HELP),
    TAKE_FLAG(struct rerun_input, quiet, "quiet",
              "print no result line and draw no progress line", .letter = 'q'),
    {0},
};

const struct command command_rerun = {
    .name = "rerun",
    .summary = "repeat the run of a result and compare the bytes",
    .about = "Repeats the run of a result, with the options in its "
             "manifest.json, and compares the bytes of all files.",
    .notes =
        "The object \"provenance\" of manifest.json is not compared, because "
        "it names paths, program and libraries. Relative paths are relative to "
        "the directory in which the run was started or, if its inputs are not "
        "there, to the current directory. The exit status is 3 if an input "
        "file is missing or has changed, and 6 if the results differ.",
    .parts = {{.rows = args}},
    .input_size = sizeof(struct rerun_input),
    .run = run,
    .is_simulation = true,
    .examples = "rerun results\n"
                "rerun results --json\n"
                "rerun results --out again",
    .ends = CLI_ENDS(TOLERANCE) | CLI_ENDS(BAD_PLAN),
};
