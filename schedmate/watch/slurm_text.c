/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the output of Slurm's commands. */
#include "schedmate/watch/watch_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json.h"

/* LIST_MAX: largest number of names to which one list of nodes or of GPUs is
 * expanded. NAME_MAX_: bytes of one name. */
enum { LIST_MAX = 4096, NAME_MAX_ = 256 };

bool slurm_queue_line(struct text line, struct slurm_row *out)
{
    struct text uid, id;
    out->id = id = text_split(line, '|', &line);
    out->shown = text_split(line, '|', &line);
    out->state = text_split(line, '|', &line);
    uid = text_split(line, '|', &line);
    out->user = text_split(line, '|', &line);
    out->nodes = text_split(line, '|', &out->reason);
    uint32_t number;
    return text_to_u32(id, &number) && text_to_u32(uid, &out->uid) &&
           out->state.len > 0;
}

/* Returns the offset of the first " Key=" in a text, or the length of the text
 * if there is none. */
static size_t next_key(struct text t)
{
    for (size_t at = 0; at + 1 < t.len; at++) {
        if (t.at[at] != ' ')
            continue;
        size_t end = at + 1;
        while (end < t.len && (ascii_is_name(t.at[end]) || t.at[end] == ':' ||
                               t.at[end] == '/'))
            end++;
        if (end > at + 1 && text_char(t, end) == '=' && t.at[at + 1] >= 'A' &&
            t.at[at + 1] <= 'Z')
            return at;
    }
    return t.len;
}

struct text slurm_value(struct text line, const char *key)
{
    size_t n = strlen(key);
    for (size_t at = line.len; at-- > 0;) {
        if ((at > 0 && line.at[at - 1] != ' ') || line.len - at <= n ||
            memcmp(line.at + at, key, n) != 0 || line.at[at + n] != '=')
            continue;
        struct text value = text_skip(line, at + n + 1);
        value.len = next_key(value);
        value = text_trim(value);
        return text_is(value, "(null)") ? (struct text){0} : value;
    }
    return (struct text){0};
}

double slurm_time(struct text date)
{
    sim_time at;
    bool zoned;
    return text_to_time(date, &at, &zoned) ? span_seconds(at) : -1;
}

/* Receives each name of a list such as "n[1-3,07]" or "0-1,3". */
typedef void show_name(void *self, const char *name);

static size_t show_range(struct text range, struct text prefix, show_name *show,
                         void *self, size_t room)
{
    struct text high, low = text_split(range, '-', &high);
    uint32_t from, to;
    char name[NAME_MAX_];
    size_t n = 0;
    if (!text_to_u32(low, &from) || !text_to_u32(high.len ? high : low, &to) ||
        to < from)
        return 0;
    for (uint32_t i = from; i <= to && n < room; i++, n++) {
        snprintf(name, sizeof name, "%.*s%0*u", TEXT_ARGS(prefix),
                 (int)(low.len > 9 ? 9 : low.len), i);
        show(self, name);
        if (i == UINT32_MAX)
            break;
    }
    return n;
}

static void show_list(struct text list, show_name *show, void *self)
{
    size_t room = LIST_MAX;
    char name[NAME_MAX_];
    while (list.len > 0 && room > 0) {
        size_t at = 0, depth = 0;
        while (at < list.len && (list.at[at] != ',' || depth > 0)) {
            depth += list.at[at] == '[';
            depth -= depth > 0 && list.at[at] == ']';
            at++;
        }
        struct text ranges, one = {list.at, at};
        list = text_skip(list, at < list.len ? at + 1 : at);
        struct text prefix = text_split(one, '[', &ranges);
        if (!ranges.len) {
            snprintf(name, sizeof name, "%.*s", TEXT_ARGS(one));
            show(self, name);
            room--;
            continue;
        }
        ranges.len -= ranges.at[ranges.len - 1] == ']';
        while (ranges.len > 0 && room > 0)
            room -= show_range(text_split(ranges, ',', &ranges), prefix, show,
                               self, room);
    }
}

static void slurm_text_add_name(void *self, const char *node)
{
    json_array_append_new(self, json_text(node));
}

json_t *slurm_nodes(struct text nodes)
{
    json_t *list = json_array();
    show_list(nodes, slurm_text_add_name, list);
    return list;
}

struct gpu_list {
    json_t *list;
    struct text gpus; /* indices of GPUs on the node, such as "0-1,3" */
    const char *node;
};

static void slurm_text_add_gpu(void *self, const char *gpu)
{
    struct gpu_list *to = self;
    char name[2 * NAME_MAX_];
    snprintf(name, sizeof name, "%s:%s", to->node, gpu);
    json_array_append_new(to->list, json_text(name));
}

static void show_gpu_list(struct gpu_list *to)
{
    struct text list = to->gpus, rest;
    while (list.len > 0) {
        struct text one = text_split(list, ',', &rest);
        size_t room = LIST_MAX - json_array_size(to->list);
        if (!show_range(one, (struct text){"", 0}, slurm_text_add_gpu, to,
                        room))
            break;
        list = rest;
    }
}

static void add_node(void *self, const char *node)
{
    struct gpu_list *to = self;
    to->node = node;
    show_gpu_list(to);
}

json_t *slurm_gpus(struct text line)
{
    struct gpu_list to = {.list = json_array()};
    static const char begin[] = " Nodes=", index[] = "(IDX:";
    /* "Nodes=n1 ... GRES=gpu:2(IDX:0-1) ..." for each group of nodes */
    while (line.len > 0) {
        const char *at = memmem(line.at, line.len, begin, sizeof begin - 1);
        if (!at)
            break;
        line = text_skip(line, (size_t)(at - line.at) + sizeof begin - 1);
        struct text group = line, rest;
        const char *next = memmem(line.at, line.len, begin, sizeof begin - 1);
        if (next)
            group.len = (size_t)(next - line.at);
        struct text nodes = text_split(group, ' ', &rest);
        struct text gres = slurm_value(rest, "GRES");
        const char *open =
            memmem(gres.at ? gres.at : "", gres.len, index, sizeof index - 1);
        if (!open || !text_starts(gres, "gpu"))
            continue;
        to.gpus = text_split(
            text_skip(gres, (size_t)(open - gres.at) + sizeof index - 1), ')',
            &rest);
        show_list(nodes, add_node, &to);
    }
    return to.list;
}
