/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/evidence/repositories.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "traces/evidence/evidence_log.h"

struct repositories_reader {
    const char *path;
    struct arena *arena;
    struct repositories *out;
    struct error *err;
    const char *place; /* place in the file for messages, such as the repository
                        * and the task that are being read */
};

static enum status repositories_bad(const struct repositories_reader *r,
                                    const char *key, const char *expected)
{
    return error_set(r->err, STATUS_BAD_INPUT, "%s: %s: %s: expected %s",
                     r->path, r->place, key, expected);
}

static enum status repositories_take_text(const struct repositories_reader *r,
                                          const json_t *object, const char *key,
                                          const char **out)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text || !*text)
        return repositories_bad(r, key, "a text");
    *out = arena_copy(r->arena, text, strlen(text));
    return STATUS_OK;
}

/* Reads a number in least .. most. If the key is missing, *out keeps its value,
 * which must lie in that range too. So a caller that requires the number sets
 * *out below `least` before. */
static enum status repositories_take_number(const struct repositories_reader *r,
                                            const json_t *object,
                                            const char *key, double least,
                                            double most, double *out)
{
    const json_t *value = json_object_get(object, key);
    char expected[64];
    if (json_is_number(value))
        *out = json_number_value(value);
    if ((!value || json_is_number(value)) && *out >= least && *out <= most)
        return STATUS_OK;
    snprintf(expected, sizeof expected, "a number in %g .. %g", least, most);
    return repositories_bad(r, key, expected);
}

static enum status take_whole(const struct repositories_reader *r,
                              const json_t *object, const char *key,
                              uint32_t least, uint32_t *out)
{
    double number = *out;
    enum status st =
        repositories_take_number(r, object, key, least, UINT32_MAX, &number);
    if (st == STATUS_OK && number != (double)(uint32_t)number)
        return repositories_bad(r, key, "a whole number");
    *out = st == STATUS_OK ? (uint32_t)number : 0;
    return st;
}

static enum status take_texts(const struct repositories_reader *r,
                              const json_t *list, const char *key,
                              const char ***out, uint32_t *n)
{
    size_t count = json_array_size(list);
    if (count == 0)
        return repositories_bad(r, key, "a list of texts");
    *out = ARENA_ARRAY(r->arena, const char *, count);
    *n = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text)
            return repositories_bad(r, key, "a list of texts");
        (*out)[i] = arena_copy(r->arena, text, strlen(text));
    }
    return STATUS_OK;
}

static enum status take_batches(const struct repositories_reader *r,
                                const json_t *list, struct repo_task *task)
{
    static const char *const keys[] = {"size", "step_s", NULL};
    size_t n = json_array_size(list);
    if (n == 0)
        return repositories_bad(r, "batches", "a list of objects");
    task->batches = ARENA_ARRAY(r->arena, struct repo_batch, n);
    task->n_batches = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        const json_t *at = json_array_get(list, i);
        struct repo_batch *batch = &task->batches[i];
        enum status st = json_keys_known(at, keys, r->path, r->place, r->err);
        if (st == STATUS_OK)
            st = take_whole(r, at, "size", 1, &batch->size);
        if (st == STATUS_OK)
            st = repositories_take_number(r, at, "step_s", 1e-6, 1e6,
                                          &batch->step_s);
        if (st != STATUS_OK)
            return st;
    }
    return STATUS_OK;
}

static enum status take_knobs(const struct repositories_reader *r,
                              json_t *object, struct repo_task *task)
{
    const char *name;
    json_t *list;
    if (json_object_size(object) > REPO_KNOBS_MAX)
        return repositories_bad(r, "knobs", "at most 8 knobs");
    task->knobs =
        ARENA_ARRAY(r->arena, struct repo_knob, json_object_size(object) + 1);
    json_object_foreach(object, name, list)
    {
        struct repo_knob *knob = &task->knobs[task->n_knobs++];
        knob->name = arena_copy(r->arena, name, strlen(name));
        enum status st = take_texts(r, list, name, &knob->values, &knob->n);
        if (st != STATUS_OK)
            return st;
    }
    return STATUS_OK;
}

/* Finds the knob that sets the length of a run, whose values must be numbers
 * above 0, and reads items_per_step. */
static enum status take_length(const struct repositories_reader *r,
                               const json_t *object, struct repo_task *task)
{
    const char *name = json_string_value(json_object_get(object, "length"));
    uint32_t i = 0;
    while (name && i < task->n_knobs && strcmp(task->knobs[i].name, name) != 0)
        i++;
    if (!name || i == task->n_knobs)
        return repositories_bad(r, "length", "the name of a knob");
    task->length = i;
    for (uint32_t k = 0; k < task->knobs[i].n; k++) {
        double number;
        if (!text_to_double(text_from(task->knobs[i].values[k]), &number) ||
            number <= 0)
            return repositories_bad(r, name, "numbers above 0");
    }
    return repositories_take_number(r, object, "items_per_step", 0, 1e9,
                                    &task->items_per_step);
}

static enum status take_log(const struct repositories_reader *r,
                            const json_t *object, struct repo_task *task)
{
    static const char *const keys[] = {"style", "every", "step_time", NULL};
    const char *word = json_string_value(json_object_get(object, "style"));
    task->style = evidence_style(text_from(word ? word : ""));
    if (!task->style) {
        const char *near = text_nearest(text_from(word ? word : ""),
                                        evidence_styles, EVIDENCE_STYLES);
        return error_set(r->err, STATUS_BAD_INPUT,
                         "%s: %s: no style of logs '%.60s'%s", r->path,
                         r->place, word ? word : "", text_suggest(near).words);
    }
    task->step_time = json_is_true(json_object_get(object, "step_time"));
    enum status st = json_keys_known(object, keys, r->path, r->place, r->err);
    return st == STATUS_OK ? take_whole(r, object, "every", 0, &task->log_every)
                           : st;
}

static enum status repositories_take_gpus(const struct repositories_reader *r,
                                          const json_t *list,
                                          struct repo_task *task)
{
    const json_t *from = json_array_get(list, 0), *to = json_array_get(list, 1);
    if (json_array_size(list) != 2 || json_integer_value(from) < 1 ||
        json_integer_value(to) < json_integer_value(from) ||
        json_integer_value(to) > UINT32_MAX)
        return repositories_bad(r, "gpus", "[least, most]");
    task->gpus_from = (uint32_t)json_integer_value(from);
    task->gpus_to = (uint32_t)json_integer_value(to);
    return STATUS_OK;
}

static enum status take_numbers(const struct repositories_reader *r,
                                const json_t *object, struct repo_task *task)
{
    const char *per = json_string_value(json_object_get(object, "batch_per"));
    task->gpus_per_rank = 1;
    task->amp = json_is_true(json_object_get(object, "amp"));
    task->batch_per_job = per && strcmp(per, "job") == 0;
    if (per && !task->batch_per_job && strcmp(per, "gpu") != 0)
        return repositories_bad(r, "batch_per", "\"gpu\" or \"job\"");
    enum status st =
        repositories_take_number(r, object, "samples", 1, 1e15, &task->samples);
    if (st == STATUS_OK)
        st = repositories_take_number(r, object, "start_s", 0, 1e6,
                                      &task->start_s);
    if (st == STATUS_OK)
        st = take_whole(r, object, "gpus_per_rank", 1, &task->gpus_per_rank);
    if (st == STATUS_OK)
        st = repositories_take_gpus(r, json_object_get(object, "gpus"), task);
    return st;
}

static enum status take_task(const struct repositories_reader *r,
                             const json_t *object, struct repo_task *task)
{
    static const char *const keys[] = {
        "name",           "family",  "model",       "dataset",   "amp",
        "gpus",           "samples", "length",      "batch_per", "batches",
        "items_per_step", "log",     "step_source", "start_s",   "commands",
        "gpus_per_rank",  "knobs",   "answers",     NULL};
    enum status st = json_keys_known(object, keys, r->path, r->place, r->err);
    if (st == STATUS_OK)
        st = repositories_take_text(r, object, "name", &task->name);
    if (st == STATUS_OK)
        st = repositories_take_text(r, object, "family", &task->family);
    if (st == STATUS_OK)
        st = repositories_take_text(r, object, "model", &task->model);
    if (st == STATUS_OK)
        st = repositories_take_text(r, object, "dataset", &task->dataset);
    if (st == STATUS_OK)
        st = take_numbers(r, object, task);
    if (st == STATUS_OK)
        st = take_batches(r, json_object_get(object, "batches"), task);
    if (st == STATUS_OK)
        st = take_knobs(r, json_object_get(object, "knobs"), task);
    if (st == STATUS_OK)
        st = take_length(r, object, task);
    if (st == STATUS_OK)
        st = take_log(r, json_object_get(object, "log"), task);
    if (st == STATUS_OK)
        st = take_texts(r, json_object_get(object, "commands"), "commands",
                        &task->commands, &task->n_commands);
    return st;
}

/* Returns true if the name has no '/' and no ',' and does not begin with '.',
 * so that it cannot lead out of the folder of the index. */
static bool is_folder_name(const char *name)
{
    return name[0] != '.' && !strchr(name, '/') && !strchr(name, ',');
}

static enum status take_repository(struct repositories_reader *r,
                                   const json_t *object, size_t number)
{
    static const char *const keys[] = {"directory", "about", "tasks", NULL};
    char place[128];
    const char *directory = "";
    const json_t *tasks = json_object_get(object, "tasks"), *task;
    size_t i;
    snprintf(place, sizeof place, "repositories[%zu]", number);
    r->place = place;
    enum status st = json_keys_known(object, keys, r->path, place, r->err);
    if (st == STATUS_OK)
        st = repositories_take_text(r, object, "directory", &directory);
    if (st == STATUS_OK && !is_folder_name(directory))
        st = repositories_bad(r, "directory",
                              "the name of a folder beside the index");
    json_array_foreach(tasks, i, task)
    {
        struct repo_task *out = &r->out->tasks[r->out->n_tasks];
        snprintf(place, sizeof place, "%.60s: tasks[%zu]", directory, i);
        out->directory = directory;
        if (st == STATUS_OK)
            st = take_task(r, task, out);
        r->out->n_tasks += st == STATUS_OK;
    }
    r->out->n_directories++;
    return st;
}

static enum status take_habits(struct repositories_reader *r,
                               const json_t *habits)
{
    static const char *const keys[] = {"repeat", "repositories",
                                       "communication", "spread", NULL};
    r->place = "habits";
    r->out->repeat = r->out->communication = r->out->spread = -1;
    enum status st = json_keys_known(habits, keys, r->path, "habits", r->err);
    if (st == STATUS_OK)
        st = repositories_take_number(r, habits, "repeat", 0, 1,
                                      &r->out->repeat);
    if (st == STATUS_OK)
        st = take_whole(r, habits, "repositories", 1, &r->out->per_user);
    if (st == STATUS_OK)
        st = repositories_take_number(r, habits, "communication", 0, 1,
                                      &r->out->communication);
    if (st == STATUS_OK)
        st = repositories_take_number(r, habits, "spread", 0, 1,
                                      &r->out->spread);
    return st;
}

static enum status take_root(struct repositories_reader *r, const json_t *root)
{
    static const char *const keys[] = {"about",    "sources",      "habits",
                                       "branches", "repositories", NULL};
    const json_t *list = json_object_get(root, "repositories"), *at;
    size_t i, n_tasks = 0;
    enum status st = json_keys_known(root, keys, r->path, "", r->err);
    if (st == STATUS_OK)
        st = take_habits(r, json_object_get(root, "habits"));
    r->place = "index";
    if (st == STATUS_OK)
        st = take_texts(r, json_object_get(root, "branches"), "branches",
                        &r->out->branches, &r->out->n_branches);
    json_array_foreach(list, i, at) n_tasks +=
        json_array_size(json_object_get(at, "tasks"));
    r->out->tasks = ARENA_ARRAY(r->arena, struct repo_task, n_tasks + 1);
    json_array_foreach(list, i, at)
    {
        if (st == STATUS_OK)
            st = take_repository(r, at, i);
    }
    if (st == STATUS_OK && r->out->n_tasks == 0)
        st = repositories_bad(r, "repositories", "at least one task");
    return st;
}

enum status repositories_read(const char *folder, struct arena *arena,
                              struct repositories *out, struct error *err)
{
    static const char name[] = "/index.json";
    size_t n = strlen(folder);
    char *path = arena_alloc(arena, n + sizeof name);
    memcpy(path, folder, n);
    memcpy(path + n, name, sizeof name);
    *out = (struct repositories){.folder = arena_copy(arena, folder, n)};
    struct repositories_reader r = {
        .path = path, .arena = arena, .out = out, .err = err};
    json_t *root = json_read_file(path, err);
    if (!root)
        return STATUS_BAD_INPUT;
    enum status st = take_root(&r, root);
    json_decref(root);
    return st;
}
