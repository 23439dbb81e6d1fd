/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer target: damages a result and verifies it. The input is a list of
 * edits, so that it keeps its meaning when the files of results change: the
 * number of a file, a place in it (two bytes), how many bytes are taken out,
 * how many come in, and these. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "commands/cli.h"
#include "sim/verify/verify.h"
#include "tests/support/slurp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RESULT_FILES_MAX = 32 };
static struct result_text {
    char path[384];
    char *text; /* as the run has written it */
    size_t len;
} files[RESULT_FILES_MAX];
static size_t n_files;
static char place[64], folder[96];

static void write_bytes(const char *path, const char *text, size_t len)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(text, 1, len, file) == len);
    CHECK(fclose(file) == 0);
}

static void put_file(const struct result_text *file)
{
    write_bytes(file->path, file->text, file->len);
}

static void remove_result(void)
{
    char path[96];
    for (size_t i = 0; i < n_files; i++) {
        unlink(files[i].path);
        free(files[i].text);
    }
    rmdir(folder);
    snprintf(path, sizeof path, "%s/trace.csv", place);
    unlink(path);
    rmdir(place);
}

static void read_result(void)
{
    struct dirent **names;
    int n = scandir(folder, &names, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        struct result_text *file = &files[n_files];
        if (names[i]->d_name[0] != '.' && n_files < RESULT_FILES_MAX) {
            snprintf(file->path, sizeof file->path, "%s/%s", folder,
                     names[i]->d_name);
            file->text = slurp(file->path, &file->len);
            n_files += file->text != NULL;
        }
        free(names[i]);
    }
    free(names);
    CHECK(n_files > 5);
    atexit(remove_result);
}

/* Makes a result that has all files. */
static void make_result(void)
{
    static const char rows[] =
        "submitted_unix_s,duration_s,gpus,job_id,user,vc,end,deadline_s\n"
        "0,1000,4,j0,u,a,completed,1500\n10,50,2,j1,v,b,failed,\n"
        "20,100,4,j2,u,b,completed,100\n30,100,2,j3,v,a,cancelled,\n"
        "60,10,64,j4,u,a,completed,\n";
    char trace[96];
    struct error err = {0};
    snprintf(place, sizeof place, "/tmp/schedsim-fuzz-XXXXXX");
    CHECK(mkdtemp(place) != NULL);
    snprintf(trace, sizeof trace, "%s/trace.csv", place);
    snprintf(folder, sizeof folder, "%s/out", place);
    write_bytes(trace, rows, sizeof rows - 1);
    const char *words[] = {"run",
                           trace,
                           "--policy=srtf+schedmate+quota",
                           "--out",
                           folder,
                           "--cluster=a=2x4,b=1x4",
                           "--estimators=oracle",
                           "--attempts",
                           "--faults=once:node=1,at_s=60,repair_s=30",
                           "--decisions",
                           "--recovery=retry:delay_s=100",
                           "--series=by=vc",
                           "--series=by=type",
                           "--timeline",
                           "--quiet"};
    const int n = sizeof words / sizeof *words;
    char *argv[sizeof words / sizeof *words + 1];
    memcpy(argv, words, sizeof words);
    argv[n] = NULL;
    enum status st = cli_run(&command_run, "run", n, argv, &err);
    CHECK(st == STATUS_OK || st == STATUS_INCOMPLETE);
    read_result();
}

/* Applies one edit. Returns the number of bytes that it took from the input. */
static size_t edit(struct result_text *now, const uint8_t *data, size_t size)
{
    if (size < 5)
        return size;
    struct result_text *file = &now[data[0] % n_files];
    size_t at = ((size_t)data[1] << 8 | data[2]) % (file->len + 1);
    size_t out = data[3], in = data[4];
    in = in < size - 5 ? in : size - 5;
    out = out < file->len - at ? out : file->len - at;
    char *text = mem_alloc(file->len + in + 1);
    memcpy(text, file->text, at);
    memcpy(text + at, data + 5, in);
    memcpy(text + at + in, file->text + at + out, file->len - at - out);
    free(file->text);
    file->text = text;
    file->len += in - out;
    return 5 + in;
}

static void ignore_line(void *self, const char *words)
{
    (void)self, (void)words;
}

static void verify_now(void)
{
    static struct error err;
    struct verify_report report = {.line = ignore_line};
    enum status st = verify_dir(folder, &report, &err);
    CHECK(st == STATUS_OK || err.message[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct result_text now[RESULT_FILES_MAX];
    if (!n_files)
        make_result();
    for (size_t i = 0; i < n_files; i++) {
        now[i] = files[i];
        now[i].text = mem_alloc(files[i].len + 1);
        memcpy(now[i].text, files[i].text, files[i].len);
    }
    for (int n = 0; n < 16 && size > 0; n++) {
        size_t taken = edit(now, data, size);
        data += taken;
        size -= taken;
    }
    bool is_changed[RESULT_FILES_MAX];
    for (size_t i = 0; i < n_files; i++) {
        is_changed[i] = now[i].len != files[i].len ||
                        memcmp(now[i].text, files[i].text, files[i].len) != 0;
        if (is_changed[i])
            put_file(&now[i]);
    }
    verify_now();
    for (size_t i = 0; i < n_files; i++) {
        if (is_changed[i])
            put_file(&files[i]);
        free(now[i].text);
    }
    return 0;
}
