/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result directory: where it may be written, its digests, and the exchange
 * of names that makes it appear whole. */
#include "sim/report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

/* A set of files: a bit for each name, and for each with SUFFIX behind it, as
 * programs that renamed every file by itself could leave it. */
#define SUFFIX ".partial"
enum { FILES_ALL = (1 << 2 * RESULT_N) - 1 };

struct result_dir {
    char path[PATH_MAX], partial[PATH_MAX];
    struct out *streams[RESULT_N];
    bool written[RESULT_N];
    struct digest *digests[RESULT_N]; /* of the open streams */
    char digest[RESULT_N][DIGEST_HEX_MAX];
    bool replaces;      /* there is an older result */
    unsigned old_files; /* which it consists of */
};

static void join(char out[PATH_MAX], const char *dir, unsigned file,
                 const char *suffix)
{
    int n = snprintf(out, PATH_MAX, "%s/%s%s", dir, result_files[file].name,
                     suffix);
    CHECK(n > 0 && n < PATH_MAX); /* result_dir_open left room */
}

/* A file of a result as a set; 0: it is not ours. */
static unsigned file_named(const char *name)
{
    for (unsigned i = 0; i < RESULT_N; i++) {
        size_t len = strlen(result_files[i].name);
        if (strncmp(name, result_files[i].name, len) != 0)
            continue;
        if (name[len] == '\0')
            return 1u << i;
        if (strcmp(name + len, SUFFIX) == 0)
            return 1u << (RESULT_N + i);
    }
    return 0;
}

/* A link to a directory is followed: what it names is replaced. */
static DIR *open_place(struct result_dir *dir)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    char real[PATH_MAX];
    int fd = open(dir->path, flags | O_NOFOLLOW);
    if (fd < 0 && (errno == ENOTDIR || errno == ELOOP) &&
        realpath(dir->path, real)) {
        fd = open(real, flags);
        if (fd >= 0)
            memcpy(dir->path, real, sizeof real);
    }
    return fd >= 0 ? fdopendir(fd) : NULL;
}

/* What cannot be opened: not there yet, for which mkdir says what is wrong with
 * the parent, or no directory. */
static enum status why_not_open(const char *path, struct error *err)
{
    struct stat st;
    int why = errno;
    if (stat(path, &st) != 0)
        return STATUS_OK;
    if (!S_ISDIR(st.st_mode))
        return error_set(err, STATUS_USAGE, "--out %s: is not a directory",
                         path);
    return error_set(err, STATUS_FAILED, "--out %s: %s", path, strerror(why));
}

static enum status check_place(struct result_dir *dir, struct error *err)
{
    enum status st = STATUS_OK;
    DIR *place = open_place(dir);
    if (!place)
        return why_not_open(dir->path, err);
    for (struct dirent *entry; st == STATUS_OK && (entry = readdir(place));) {
        const char *name = entry->d_name;
        unsigned file = file_named(name);
        dir->old_files |= file;
        if (!file && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
            st = error_set(err, STATUS_USAGE,
                           "--out %s: holds '%s', which is not a result of "
                           "this program; name a new directory",
                           dir->path, name);
    }
    closedir(place);
    dir->replaces = st == STATUS_OK;
    return st;
}

/* Of a directory those of these files that are there, and itself. */
static bool remove_result(const char *path, unsigned files)
{
    char name[PATH_MAX];
    for (unsigned bit = 0; bit < 2 * RESULT_N; bit++) {
        if (!(files & 1u << bit))
            continue;
        join(name, path, bit % RESULT_N, bit < RESULT_N ? "" : SUFFIX);
        unlink(name);
    }
    return rmdir(path) == 0;
}

static bool make_partial(const struct result_dir *dir)
{
    if (mkdir(dir->partial, 0777) == 0)
        return true;
    if (errno != EEXIST)
        return false;
    remove_result(dir->partial, FILES_ALL); /* of a run that was stopped */
    return mkdir(dir->partial, 0777) == 0;
}

enum status result_dir_open(const char *path, struct result_dir **out,
                            struct error *err)
{
    static const char longest[] = SUFFIX "/first_stage.csv" SUFFIX;
    struct result_dir *dir = mem_zalloc(1, sizeof *dir);
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    enum status st = STATUS_OK;
    if (len > 0 && len < PATH_MAX) {
        memcpy(dir->path, path, len);
        st = check_place(dir, err);
        len = strlen(dir->path);
    }
    if (st != STATUS_OK)
        goto out;
    if (len == 0 || len + sizeof longest > PATH_MAX) {
        st =
            error_set(err, STATUS_USAGE, "--out: '%.100s' is not a path", path);
        goto out;
    }
    memcpy(dir->partial, dir->path, len);
    memcpy(dir->partial + len, SUFFIX, sizeof SUFFIX);
    if (!make_partial(dir))
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
    join(name, dir->partial, file, "");
    enum status st = out_open_part(name, out, err);
    if (st == STATUS_OK) {
        dir->streams[file] = *out;
        dir->digests[file] = digest_new();
        out_digest(*out, dir->digests[file]);
        dir->written[file] = true;
    }
    return st;
}

/* The file is complete, and its digest known. */
static enum status seal_file(struct result_dir *dir, size_t file,
                             struct error *err)
{
    if (!dir->streams[file])
        return STATUS_OK;
    enum status st = out_close(dir->streams[file], err);
    dir->streams[file] = NULL;
    digest_end(dir->digests[file], dir->digest[file]);
    dir->digests[file] = NULL;
    return st;
}

static enum status seal_all(struct result_dir *dir, struct error *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; i < RESULT_N && st == STATUS_OK; i++)
        st = seal_file(dir, i, err);
    return st;
}

const char *result_dir_digest(const struct result_dir *dir,
                              enum result_file file)
{
    return dir->written[file] && dir->digest[file][0] ? dir->digest[file]
                                                      : NULL;
}

/* False: errno says why. */
static bool put_in_place(const struct result_dir *dir)
{
    if (!dir->replaces)
        return rename(dir->partial, dir->path) == 0;
    if (renameat2(AT_FDCWD, dir->partial, AT_FDCWD, dir->path,
                  RENAME_EXCHANGE) == 0) {
        if (!remove_result(dir->partial, dir->old_files))
            remove_result(dir->partial, FILES_ALL);
        return true;
    }
    /* Some file systems cannot exchange, or not with a lower layer (EXDEV), and
     * the place may have gone. */
    if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP &&
        errno != EXDEV && errno != ENOENT)
        return false;
    remove_result(dir->path, FILES_ALL);
    return rename(dir->partial, dir->path) == 0;
}

enum status result_dir_commit(struct result_dir *dir, struct error *err)
{
    enum status st = seal_all(dir, err);
    if (st == STATUS_OK && !put_in_place(dir))
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
    remove_result(dir->partial, FILES_ALL);
    free(dir);
}

/* Each file is closed before the next is opened, whose buffer is then the same
 * memory. */
static enum status write_file(struct result_dir *dir, enum result_file file,
                              struct results results, struct summary *summary,
                              struct error *err)
{
    struct out *out;
    enum status st = result_dir_file(dir, file, &out, err);
    if (st != STATUS_OK)
        return st;
    switch (file) {
    case RESULT_JOBS:
        report_jobs(out, results, summary);
        break;
    case RESULT_SUMMARY:
        report_summary(out, results, summary);
        break;
    case RESULT_FIRST_STAGE:
        report_first_stage(out, results.run);
        break;
    case RESULT_TIMELINE:
        report_timeline(out, results);
        break;
    case RESULT_MANIFEST:
        report_manifest(out, results, dir);
        break;
    case RESULT_SERIES: /* written while the simulation runs */
    case RESULT_DECISIONS:
    case RESULT_N:
        break;
    }
    return seal_file(dir, file, err);
}

enum status report_write(struct result_dir *dir, struct results results,
                         struct summary *summary, bool timeline,
                         struct error *err)
{
    const struct {
        enum result_file file;
        bool wanted;
    } files[] = {
        {RESULT_JOBS, true},
        {RESULT_SUMMARY, true},
        {RESULT_FIRST_STAGE, results.run->first},
        {RESULT_TIMELINE, timeline},
        {RESULT_MANIFEST, true},
    };
    /* The manifest has the digests of all others. */
    enum status st = seal_file(dir, RESULT_SERIES, err);
    if (st == STATUS_OK)
        st = seal_file(dir, RESULT_DECISIONS, err);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (st == STATUS_OK && files[i].wanted)
            st = write_file(dir, files[i].file, results, summary, err);
    }
    return st;
}
