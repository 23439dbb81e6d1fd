/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result directory: where it may be written, its digests, and the rename
 * that makes it appear whole. */
#include "sim/report.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/check.h"
#include "sim/base/digest.h"

const struct column result_files[] = {
#define RESULT_ROW(name, file, help) {file, "", help},
    RESULT_FILES(RESULT_ROW){NULL, NULL, NULL},
#undef RESULT_ROW
};

struct result_dir {
    char path[PATH_MAX], partial[PATH_MAX];
    struct out *streams[RESULT_N];
    bool written[RESULT_N];
    struct digest *digests[RESULT_N]; /* of the open streams */
    char digest[RESULT_N][DIGEST_HEX_MAX];
    bool replaces; /* there is an older result to remove */
};

static void join(char out[PATH_MAX], const char *dir, const char *name)
{
    int n = snprintf(out, PATH_MAX, "%s/%s", dir, name);
    CHECK(n > 0 && n < PATH_MAX); /* result_dir_open left room */
}

static bool is_ours(const char *name)
{
    for (size_t i = 0; i < RESULT_N; i++) {
        size_t len = strlen(result_files[i].name);
        if (strncmp(name, result_files[i].name, len) == 0 &&
            (name[len] == '\0' || strcmp(name + len, ".partial") == 0))
            return true;
    }
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* The first file that is not ours into `other`, if there is one. */
static enum status look_into(const char *path, char other[NAME_MAX + 1],
                             struct error *err)
{
    other[0] = '\0';
    DIR *dir = opendir(path);
    if (!dir)
        return error_set(err, STATUS_FAILED, "--out %s: %s", path,
                         strerror(errno));
    for (struct dirent *entry; (entry = readdir(dir)) && !other[0];) {
        if (!is_ours(entry->d_name))
            snprintf(other, NAME_MAX + 1, "%s", entry->d_name);
    }
    closedir(dir);
    return STATUS_OK;
}

static void remove_result(const char *path)
{
    char name[PATH_MAX];
    for (size_t i = 0; i < RESULT_N; i++) {
        join(name, path, result_files[i].name);
        unlink(name);
        size_t len = strlen(name);
        snprintf(name + len, sizeof name - len, ".partial");
        unlink(name);
    }
    rmdir(path);
}

static enum status check_place(struct result_dir *dir, struct error *err)
{
    char other[NAME_MAX + 1];
    struct stat st;
    if (stat(dir->path, &st) != 0)
        return STATUS_OK; /* mkdir says what is wrong with the parent */
    if (!S_ISDIR(st.st_mode))
        return error_set(err, STATUS_USAGE, "--out %s: is not a directory",
                         dir->path);
    enum status s = look_into(dir->path, other, err);
    if (s != STATUS_OK)
        return s;
    if (other[0])
        return error_set(err, STATUS_USAGE,
                         "--out %s: holds '%s', which is not a result of this "
                         "program; name a new directory",
                         dir->path, other);
    dir->replaces = true;
    return STATUS_OK;
}

enum status result_dir_open(const char *path, struct result_dir **out,
                            struct error *err)
{
    struct result_dir *dir = mem_zalloc(1, sizeof *dir);
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    enum status st = STATUS_OK;
    if (len == 0 || len + sizeof ".partial/timeline.json.partial" > PATH_MAX) {
        st =
            error_set(err, STATUS_USAGE, "--out: '%.100s' is not a path", path);
        goto out;
    }
    memcpy(dir->path, path, len);
    snprintf(dir->partial, PATH_MAX, "%.*s.partial", (int)len, path);
    st = check_place(dir, err);
    if (st != STATUS_OK)
        goto out;
    remove_result(dir->partial); /* of a run that was stopped */
    if (mkdir(dir->partial, 0777) != 0)
        st = error_set(err, STATUS_FAILED, "--out %s: cannot write: %s", path,
                       strerror(errno));
out:
    if (st != STATUS_OK)
        free(dir);
    else
        *out = dir;
    return st;
}

enum status result_dir_file(struct result_dir *dir, enum result_file file,
                            struct out **out, struct error *err)
{
    char name[PATH_MAX];
    join(name, dir->partial, result_files[file].name);
    enum status st = out_open(name, out, err);
    if (st == STATUS_OK) {
        dir->streams[file] = *out;
        dir->digests[file] = digest_new();
        out_digest(*out, dir->digests[file]);
        dir->written[file] = true;
    }
    return st;
}

enum status result_dir_seal(struct result_dir *dir, struct error *err)
{
    for (size_t i = 0; i < RESULT_N; i++) {
        if (!dir->streams[i])
            continue;
        enum status st = out_close(dir->streams[i], err);
        dir->streams[i] = NULL;
        digest_end(dir->digests[i], dir->digest[i]);
        dir->digests[i] = NULL;
        if (st != STATUS_OK)
            return st;
    }
    return STATUS_OK;
}

const char *result_dir_digest(const struct result_dir *dir,
                              enum result_file file)
{
    return dir->written[file] && dir->digest[file][0] ? dir->digest[file]
                                                      : NULL;
}

enum status result_dir_commit(struct result_dir *dir, struct error *err)
{
    enum status st = result_dir_seal(dir, err);
    if (st == STATUS_OK && dir->replaces)
        remove_result(dir->path);
    if (st == STATUS_OK && rename(dir->partial, dir->path) != 0)
        st = error_set(err, STATUS_FAILED, "--out %s: cannot write: %s",
                       dir->path, strerror(errno));
    if (st == STATUS_OK)
        free(dir);
    else
        result_dir_abandon(dir);
    return st;
}

void result_dir_abandon(struct result_dir *dir)
{
    if (!dir)
        return;
    for (size_t i = 0; i < RESULT_N; i++) {
        out_abandon(dir->streams[i]);
        digest_free(dir->digests[i]);
    }
    remove_result(dir->partial);
    free(dir);
}

enum status report_write(struct result_dir *dir, struct results results,
                         const struct summary *summary, bool timeline,
                         struct error *err)
{
    struct out *out;
    enum status st = result_dir_file(dir, RESULT_JOBS, &out, err);
    if (st != STATUS_OK)
        return st;
    report_jobs(out, results);
    st = result_dir_file(dir, RESULT_SUMMARY, &out, err);
    if (st != STATUS_OK)
        return st;
    report_summary(out, results, summary);
    if (results.run->first) {
        st = result_dir_file(dir, RESULT_FIRST_STAGE, &out, err);
        if (st != STATUS_OK)
            return st;
        report_first_stage(out, results.run);
    }
    if (timeline) {
        st = result_dir_file(dir, RESULT_TIMELINE, &out, err);
        if (st != STATUS_OK)
            return st;
        report_timeline(out, results);
    }
    st = result_dir_seal(dir, err);
    if (st != STATUS_OK)
        return st;
    st = result_dir_file(dir, RESULT_MANIFEST, &out, err);
    if (st != STATUS_OK)
        return st;
    report_manifest(out, results, dir);
    return STATUS_OK;
}
