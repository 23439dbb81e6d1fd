/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A person's verdict on a diagnosis. */
#include <string.h>

#include "schedmate/live/case_file.h"

static const char *const kinds[] = {"infrastructure", "framework",
                                    "user_script", "other", "none"};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static enum status name_in(const char *key, struct text value,
                           const char *const *names, size_t n, const char **out,
                           struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (text_is(value, names[i])) {
            *out = names[i];
            return STATUS_OK;
        }
    }
    const char *near = text_nearest(value, names, n);
    return error_set(err, STATUS_USAGE, "--feedback: %s: no '%.*s'%s%s%s", key,
                     TEXT_ARGS(value), near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : "");
}

static enum status read_pair(struct text pair, struct arena *arena,
                             struct case_answer *out, struct error *err)
{
    static const char *const keys[] = {"kind", "part", "cause", "action"};
    const char *key = NULL;
    struct text value = {0};
    struct text name = text_split(pair, '=', &value);
    enum status st = name_in("keys", name, keys, 4, &key, err);
    if (st != STATUS_OK)
        return st;
    if (key == keys[0])
        return name_in(key, value, kinds, N_KINDS, &out->kind, err);
    if (key == keys[1])
        return name_in(key, value, failure_parts, PART_NONE, &out->part, err);
    if (key == keys[3])
        return name_in(key, value, handler_actions, N_ACTIONS, &out->action,
                       err);
    if (!value.len)
        return error_set(err, STATUS_USAGE, "--feedback: cause: is empty");
    out->cause = arena_copy(arena, value.at, value.len);
    return STATUS_OK;
}

/* Fills in the kind, the part and the action of a known cause, unless they are
 * given. */
static void follow(const struct log_reason *reason, struct case_answer *out)
{
    if (!out->kind)
        out->kind = failure_kinds[reason->kind];
    if (!out->part && reason->part != PART_NONE)
        out->part = failure_parts[reason->part];
    if (!out->action)
        out->action = handler_actions[reason->action];
}

static enum status unknown_cause(const struct log_knowledge *k,
                                 const char *cause, struct error *err)
{
    const char *near = log_knowledge_near(k, cause);
    return error_set(err, STATUS_USAGE,
                     "--feedback: no cause '%.60s'%s%s%s; a new cause needs "
                     "kind=",
                     cause, near ? "; did you mean '" : "", near ? near : "",
                     near ? "'?" : "");
}

/* Fills in what follows from the words given, and refuses words that contradict
 * each other or that give a new cause without its kind. */
static enum status complete(const struct log_knowledge *k,
                            struct case_answer *out, struct error *err)
{
    const struct log_reason *reason =
        out->cause ? log_knowledge_reason(k, out->cause) : NULL;
    if (reason)
        follow(reason, out);
    else if (out->cause && !out->kind)
        return unknown_cause(k, out->cause, err);
    if (out->part && !out->kind)
        out->kind = kinds[FAILURE_INFRASTRUCTURE];
    if (out->part && strcmp(out->kind, kinds[FAILURE_INFRASTRUCTURE]) != 0)
        return error_set(err, STATUS_USAGE,
                         "--feedback: part: is for kind infrastructure");
    return STATUS_OK;
}

enum status case_verdict_read(const char *words, const struct log_knowledge *k,
                              struct arena *arena, struct case_verdict *out,
                              struct error *err)
{
    static const char *const verdicts[] = {"right", "wrong"};
    struct text rest = {0};
    struct text first = text_split(text_from(words), ',', &rest);
    const char *verdict = NULL;
    *out = (struct case_verdict){0};
    enum status st = name_in("verdict", first, verdicts, 2, &verdict, err);
    out->right = st == STATUS_OK && verdict == verdicts[0];
    if (st == STATUS_OK && out->right && rest.len)
        st = error_set(err, STATUS_USAGE,
                       "--feedback: right: takes no other words");
    while (st == STATUS_OK && rest.len) {
        struct text pair = text_split(rest, ',', &rest);
        st = read_pair(pair, arena, &out->truth, err);
    }
    return st == STATUS_OK ? complete(k, &out->truth, err) : st;
}

bool case_is_right(const struct case_answer *answer,
                   const struct case_answer *truth)
{
    const struct {
        const char *said, *is;
    } all[] = {{answer->kind, truth->kind},
               {answer->part, truth->part},
               {answer->cause, truth->cause},
               {answer->action, truth->action}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].is && (!all[i].said || strcmp(all[i].said, all[i].is) != 0))
            return false;
    }
    return true;
}

struct case_answer case_words(const struct diagnosis *d)
{
    if (!d->failed)
        return (struct case_answer){.kind = "none"};
    bool unknown = d->source == HANDLER_NOTHING;
    bool part = d->kind == FAILURE_INFRASTRUCTURE && !unknown;
    return (struct case_answer){.kind = unknown ? "unknown"
                                                : failure_kinds[d->kind],
                                .part = part ? failure_parts[d->part] : NULL,
                                .cause = d->reason[0] ? d->reason : NULL,
                                .action = handler_actions[d->action]};
}
