/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First in, first out as a program in C, with jansson:
 *
 *     cc -O2 -o fifo fifo.c -ljansson
 *     schedsim run TRACE --policy exec:./fifo
 *
 * The program sends the front of each queue that changed; the simulator starts
 * these jobs in order until one does not fit. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The waiting jobs of a virtual cluster: at[first .. last-1]. */
struct queue {
    json_int_t *at;
    size_t first, last, room;
};

static struct queue *queues;
static json_int_t *gpus, *vcs; /* indexed by job */
static size_t room;

static void *grow(void *old, size_t n, size_t size)
{
    void *new = realloc(old, n * size);
    if (!new)
        exit(1);
    return new;
}

static json_int_t whole(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void wait(json_int_t job)
{
    struct queue *q = &queues[vcs[job]];
    if (q->last == q->room) {
        q->room = q->room ? 2 * q->room : 64;
        q->at = grow(q->at, q->room, sizeof *q->at);
    }
    q->at[q->last++] = job;
}

static void submitted(const json_t *job)
{
    json_int_t id = whole(job, "id");
    if ((size_t)id >= room) {
        room = 2 * (size_t)id + 64;
        gpus = grow(gpus, room, sizeof *gpus);
        vcs = grow(vcs, room, sizeof *vcs);
    }
    gpus[id] = whole(job, "gpus");
    vcs[id] = whole(job, "vc");
    wait(id);
}

static void update(const json_t *question)
{
    size_t i;
    const json_t *one;
    json_array_foreach (json_object_get(question, "moves"), i, one)
        queues[vcs[whole(one, "started")]].first++; /* the front is what starts */
    json_array_foreach (json_object_get(question, "events"), i, one) {
        const json_t *job = json_object_get(one, "job");
        const char *state = json_string_value(json_object_get(one, "state"));
        if (json_is_object(job))
            submitted(job);
        else if (state && strcmp(state, "waiting") == 0 &&
                 strcmp(json_string_value(json_object_get(one, "event")),
                        "belief") != 0)
            wait(json_integer_value(job));
    }
}

static void decide(const json_t *question)
{
    size_t i;
    const json_t *vc;
    int actions = 0;
    printf("{\"plan\":[");
    json_array_foreach (json_object_get(question, "vcs"), i, vc) {
        const struct queue *q = &queues[whole(vc, "vc")];
        json_int_t free = whole(vc, "free");
        size_t k = q->first;
        for (; k < q->last && gpus[q->at[k]] <= free; k++) {
            free -= gpus[q->at[k]];
            if (k == q->first)
                printf("%s{\"queue\":[", actions++ ? "," : "");
            printf("%s%lld", k > q->first ? "," : "", (long long)q->at[k]);
        }
        if (k > q->first)
            printf("]}");
    }
    printf("]}\n");
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        json_t *question = json_loads(line, 0, NULL);
        const char *say =
            json_string_value(json_object_get(question, "say"));
        if (!say)
            return 1;
        if (strcmp(say, "hello") == 0) {
            printf("{\"protocol\":1,\"name\":\"fifo-c\"}\n");
        } else if (strcmp(say, "begin") == 0) {
            size_t n = json_array_size(json_object_get(question, "vcs"));
            queues = calloc(n + 1, sizeof *queues);
            printf("{\"ready\":true}\n");
        } else {
            update(question);
            decide(question);
        }
        fflush(stdout);
        json_decref(question);
    }
    return 0;
}
