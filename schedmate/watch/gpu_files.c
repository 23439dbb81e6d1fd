/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads GPU figures from a file or from the files of a directory and adds them
 * to the jobs that hold these GPUs. */
#include "schedmate/watch/watch_internal.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Number of bytes of one file after which one look reads no more, and largest
 * number of entries of the directory that are read. */
#define GPU_FILES_LOOK_BYTES (4u << 20)
#define GPU_FILES_MAX 10000
/* Prefix of the path of a file in the state, which distinguishes the file from
 * a log. */
#define GPU_FILES_STATE_PREFIX "gpu:"

struct gpu_files {
    char *path;
    /* Set while a file is read: */
    struct watch *w;
    struct gpu_format format;
    char node[256]; /* node that the name of the file gives, in a directory;
                     * else "" */
};

struct gpu_files *gpu_files_new(const char *path)
{
    struct gpu_files *g = mem_zalloc(1, sizeof *g);
    g->path = mem_text(path);
    return g;
}

void gpu_files_free(struct gpu_files *g)
{
    if (!g)
        return;
    free(g->path);
    free(g);
}

/* True if an entry of the job's `gpus` is this GPU: its UUID, or NODE:INDEX
 * with the node's full name or its name without the domain. Figures that name
 * no node match only an entry without a node. */
static bool is_gpu(const char *entry, const struct gpu_sample *s)
{
    if (s->uuid.len && text_is(s->uuid, entry))
        return true;
    const char *colon = strrchr(entry, ':');
    if (!colon || !s->index.len || !text_is(s->index, colon + 1))
        return false;
    struct text node = {entry, (size_t)(colon - entry)}, rest;
    return text_equal(node, s->node) ||
           text_equal(node, text_split(s->node, '.', &rest));
}

static bool has_gpu(const struct watch_job *job, const struct gpu_sample *s)
{
    size_t i;
    const json_t *entry;
    json_array_foreach(json_object_get(job->facts, "gpus"), i, entry)
    {
        if (json_is_string(entry) && is_gpu(json_string_value(entry), s))
            return true;
    }
    return false;
}

static struct watch_job *gpu_files_job_of(const struct watch *w,
                                          const struct gpu_sample *s)
{
    char id[256];
    if (s->job.len > 0 && s->job.len < sizeof id) {
        memcpy(id, s->job.at, s->job.len);
        id[s->job.len] = 0;
        struct watch_job *job = book_job(&w->book, id);
        if (job)
            return job->over ? NULL : job;
    }
    for (size_t i = 0; i < w->book.n_jobs; i++) {
        struct watch_job *job = w->book.jobs[i];
        if (!job->over && job->phase != WATCH_ENDED && has_gpu(job, s))
            return job;
    }
    return NULL;
}

static void gpu_files_count(struct gpu_use *use, const struct gpu_sample *s)
{
    if (s->util >= 0) {
        use->samples++;
        use->sum += s->util;
        use->max = s->util > use->max ? s->util : use->max;
    }
    if (s->mem_mib >= 0) {
        use->mem_samples++;
        use->mem_sum += s->mem_mib;
        use->mem_max = s->mem_mib > use->mem_max ? s->mem_mib : use->mem_max;
    }
}

static void gpu_files_take_line(void *self, struct watch_file *file,
                                struct text line)
{
    struct gpu_files *g = self;
    struct watch *w = g->w;
    struct gpu_sample s;
    (void)file;
    if (!gpu_text_line(&g->format, line, &s))
        return;
    if (!s.node.len)
        s.node = text_from(g->node);
    w->counts.gpu_samples++;
    struct watch_job *job = gpu_files_job_of(w, &s);
    if (!job) {
        w->counts.gpu_unknown++;
        return;
    }
    gpu_files_count(&job->gpu, &s);
    job->dirty = true;
}

/* Reads only the first lines of a file, for the header of a table, because the
 * rest of the file may be read from its middle. */
static void gpu_files_take_header(struct gpu_files *g, const char *path)
{
    char head[4096];
    FILE *file = fopen(path, "re");
    size_t n = file ? fread(head, 1, sizeof head, file) : 0;
    struct text rest = {head, n};
    struct gpu_sample ignored;
    for (int i = 0; i < 8 && rest.len > 0; i++)
        (void)gpu_text_line(&g->format, text_split(rest, '\n', &rest),
                            &ignored);
    if (file)
        fclose(file);
}

static void say_format(struct gpu_files *g, const char *path)
{
    struct watch *w = g->w;
    w->counts.bad_gpu += g->format.refused;
    if (g->format.refused)
        watch_say(w, "%s: values out of range are not used", path);
    if (g->format.kind == GPU_UNKNOWN || g->format.strange)
        watch_say(w,
                  "%s: expected text of dcgm-exporter, dcgmi or nvidia-smi "
                  "with a header that names the GPU and its utilisation or "
                  "memory",
                  path);
}

static void read_one(struct gpu_files *g, const char *path,
                     const struct stat *about)
{
    struct watch *w = g->w;
    char key[PATH_MAX + sizeof GPU_FILES_STATE_PREFIX];
    uint64_t bytes;
    snprintf(key, sizeof key, "%s%s", GPU_FILES_STATE_PREFIX, path);
    struct watch_file *f = book_file(&w->book, key);
    if (!f)
        f = book_add_file(&w->book, key, NULL);
    sim_time mtime = (sim_time)about->st_mtim.tv_sec * SPAN_SECOND +
                     about->st_mtim.tv_nsec / 1000;
    bool other = f->dev != about->st_dev || f->inode != about->st_ino;
    if (!other && f->mtime == mtime && f->size == (uint64_t)about->st_size)
        return;
    g->format = (struct gpu_format){0};
    gpu_files_take_header(g, path);
    /* A snapshot that was written again is read from its beginning. */
    if (other || g->format.kind == GPU_PROMETHEUS ||
        f->size == (uint64_t)about->st_size)
        follow_restart(f);
    f->dev = about->st_dev;
    f->inode = about->st_ino;
    f->mtime = mtime;
    f->dirty = true;
    g->format.refused = 0;
    const struct follow_request request = {.path = path,
                                           .limit = GPU_FILES_LOOK_BYTES,
                                           .line = gpu_files_take_line,
                                           .self = g};
    if (follow_read(f, &request, &bytes) == FOLLOW_TRUNCATED) {
        follow_restart(f);
        (void)follow_read(f, &request, &bytes);
    }
    say_format(g, path);
}

static void gpu_files_read_folder(struct gpu_files *g, DIR *dir)
{
    struct dirent *entry;
    struct stat about;
    char path[PATH_MAX];
    for (int n = 0; n < GPU_FILES_MAX && (entry = readdir(dir)); n++) {
        int len = snprintf(path, sizeof path, "%s/%s", g->path, entry->d_name);
        if (entry->d_name[0] == '.' || len < 0 || (size_t)len >= sizeof path ||
            stat(path, &about) != 0 || !S_ISREG(about.st_mode))
            continue;
        struct text end, node = text_split(text_from(entry->d_name), '.', &end);
        snprintf(g->node, sizeof g->node, "%.*s", (int)node.len, node.at);
        read_one(g, path, &about);
    }
}

void gpu_files_read(struct gpu_files *g, struct watch *w)
{
    struct stat about;
    if (w->clock.now - w->read_gpu < w->config->gpu)
        return;
    w->read_gpu = w->clock.now;
    g->w = w;
    g->node[0] = 0;
    DIR *dir = opendir(g->path);
    if (dir)
        gpu_files_read_folder(g, dir);
    else if (stat(g->path, &about) == 0 && S_ISREG(about.st_mode))
        read_one(g, g->path, &about);
    else
        watch_say(w, "%s: no GPU figures: %s", g->path, strerror(errno));
    if (dir)
        closedir(dir);
}
