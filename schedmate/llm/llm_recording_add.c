/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Appends records to the file of a recording. Other processes may append to
 * this file at the same time. */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedmate/llm/llm_recording_internal.h"
#include "schedmate/llm/llm_text.h"

static void put(struct out *out, const char *name, const char *value)
{
    out_printf(out, ",\"%s\":", name);
    llm_json_string(out, text_from(value));
}

static void put_vectors(struct out *out, const struct llm_reply *reply)
{
    out_text(out, "{\"embedding\":[");
    for (size_t i = 0; i < reply->n_vectors; i++) {
        out_text(out, i ? ",\"" : "\"");
        llm_floats_encode(out, reply->vectors + i * reply->width, reply->width);
        out_char(out, '"');
    }
    out_text(out, "]}");
}

static void put_record(struct out *out, const struct llm_request *request,
                       const char *key, const struct llm_reply *reply,
                       sim_time created, bool with_request)
{
    char when[TIME_TEXT_MAX];
    const struct llm_usage *usage = &reply->usage;
    out_printf(out, "{\"key\":\"%s\",\"kind\":\"%s\"", key,
               request->kind == LLM_CHAT ? "chat" : "embed");
    put(out, "model", reply->known ? reply->model : llm_request_model(request));
    if (reply->too_long) {
        put(out, "failed", reply->why);
        out_text(out, ",\"too_long\":true,\"reply\":null");
    } else if (request->kind == LLM_CHAT) {
        out_text(out, ",\"reply\":");
        out_text(out, "{\"content\":");
        llm_json_string(out, text_from(reply->text));
        put(out, "finish_reason", reply->finish_reason);
        out_char(out, '}');
    } else {
        out_text(out, ",\"reply\":");
        put_vectors(out, reply);
    }
    out_printf(out,
               ",\"usage\":{\"prompt\":%" PRIu64 ",\"completion\":%" PRIu64
               ",\"cached\":%" PRIu64 ",\"reasoning\":%" PRIu64
               ",\"estimated\":%s}",
               usage->prompt, usage->completion, usage->cached,
               usage->reasoning, usage->estimated ? "true" : "false");
    put(out, "system_fingerprint", reply->known ? reply->fingerprint : "");
    out_text(out, ",\"latency_ms\":");
    llm_json_number(out, (double)reply->latency / 1000);
    time_to_text(created, when);
    put(out, "created", when);
    put(out, "server", reply->server);
    out_printf(out, ",\"attempt\":%u", reply->attempts);
    if (with_request) {
        out_text(out, ",\"request\":");
        llm_request_json(request, out);
    }
    out_text(out, "}\n");
}

/* Removes a last line that was cut off, or adds the newline that a whole last
 * record lacks. Does nothing if the size of the file has changed since it was
 * read, because another process has then repaired it before it added a record.
 * Returns false if the file cannot be changed. */
static bool repair(struct recording *recording, int fd, off_t size)
{
    bool good = true;
    if (size == recording->size && recording->cut)
        good = ftruncate(fd, recording->whole) == 0;
    else if (size == recording->size && recording->unended)
        good = write(fd, "\n", 1) == 1;
    if (good)
        recording->cut = recording->unended = false;
    return good;
}

/* Repairs the end of the file and appends a line with one write, under a lock.
 * If the line is not written whole, for example because the disk is full, or
 * not synced, removes it; if that fails too, refuses further records. */
static enum status append(struct recording *recording, struct text line,
                          struct error *err)
{
    enum status st = STATUS_OK;
    struct stat about;
    int fd =
        open(recording->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return recording_cannot(recording, "write", err);
    if (flock(fd, LOCK_EX) != 0 || fstat(fd, &about) != 0 ||
        !repair(recording, fd, about.st_size) || fstat(fd, &about) != 0) {
        st = recording_cannot(recording, "write", err);
    } else if (write(fd, line.at, line.len) != (ssize_t)line.len ||
               fsync(fd) != 0) {
        st = recording_cannot(recording, "write", err);
        if (ftruncate(fd, about.st_size) != 0)
            recording->writable = false; /* never append to half a line */
    }
    close(fd);
    return st;
}

enum status recording_add(struct recording *recording,
                          const struct llm_request *request, const char *key,
                          const struct llm_reply *reply, sim_time created,
                          bool with_request, struct error *err)
{
    if (!recording->writable)
        return error_set(err, STATUS_FAILED, "%s: cannot be written",
                         recording->path);
    struct out *out = out_to_memory();
    put_record(out, request, key, reply, created, with_request);
    struct text line = out_memory(out);
    enum status st = append(recording, line, err);
    json_t *record =
        st == STATUS_OK ? json_loadb(line.at, line.len, 0, NULL) : NULL;
    if (record)
        recording_keep(recording, record);
    out_abandon(out);
    return st;
}
