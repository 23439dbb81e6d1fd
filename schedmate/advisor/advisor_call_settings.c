/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns the arguments of calls into settings. */
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/advisor_calls.h"

static void add_used(const struct py_machine *machine, const char *key,
                     const struct py_value *value, const char *where,
                     struct settings *out)
{
    if (!py_is_scalar(value))
        return;
    enum setting_rank rank = value->rank == SETTING_COMMAND ? SETTING_CARRIED
                             : value->rank <= SETTING_CONFIG
                                 ? (enum setting_rank)value->rank
                                 : SETTING_USED;
    size_t n = out->n;
    settings_add(out, rank, text_from(key),
                 py_value_text(value, machine->arena),
                 value->where ? value->where : where, 0);
    if (out->n > n)
        out->at[n].used = out->at[n].trains = true;
}

/* Adds what the module of a library says of the job: schedsim.job(x=y) sets x.
 * The fields in `kinds` get the key "job/FIELD" instead, so that they are not
 * taken for options of the same names. */
static void add_job(const struct py_machine *machine,
                    const struct py_call *call, struct settings *out)
{
    static const char *const kinds[] = {
        "framework", "task_type", "model_type", "distributed", "gpus", NULL};
    for (size_t i = 0; i < call->arguments.n; i++) {
        const struct py_item *item = &call->arguments.at[i];
        struct text key = item->key;
        if (py_is_one_of(key, kinds))
            key = py_join(machine->arena, text_from("job"), "/", key);
        add_used(machine, arena_copy(machine->arena, key.at, key.len),
                 item->value, call->where, out);
    }
}

static void add_rate(const struct py_machine *machine,
                     const struct py_call *call, struct settings *out)
{
    const struct py_value *rate = py_argument(call, -1, "lr");
    bool first = memmem(call->name.at, call->name.len, "optax", 5) ||
                 memmem(call->name.at, call->name.len, "keras", 5);
    if (!rate)
        rate = py_argument(call, first ? 0 : 1, "learning_rate");
    /* the first of several groups of parameters gives the rate */
    const struct py_value *groups = py_argument(call, 0, "params");
    if (!rate && groups && groups->type == PYV_LIST && groups->map->n &&
        groups->map->at[0].value->type == PYV_DICT)
        rate = py_map_find(groups->map->at[0].value->map, "lr");
    /* a schedule of the rate: its peak counts, else its initial value */
    if (rate && rate->type == PYV_OBJECT && rate->call) {
        const struct py_value *peak = py_argument(rate->call, -1, "peak_value");
        if (!peak)
            peak = py_argument(rate->call, 0, "init_value");
        if (!peak)
            peak = py_argument(rate->call, 0, "initial_learning_rate");
        rate = peak;
    }
    add_used(machine, "learning_rate", rate, call->where, out);
}

/* True if the name is one of the words, whatever the case of its letters. */
static bool counts(struct text name, const char *const *words)
{
    for (; *words; words++) {
        if (text_is_nocase(name, *words))
            return true;
    }
    return false;
}

/* Returns the number of rounds of a loop: n for range(n) and trange(n), n - a
 * for range(a, n), or n if either is unknown. Returns NULL for any other loop.
 */
static const struct py_value *rounds(const struct py_machine *machine,
                                     const struct py_value *range)
{
    const struct py_call *call = range->call;
    if (range->type != PYV_OBJECT || !call)
        return NULL;
    if (py_name_ends(call->name, "trange"))
        return py_argument(call, 0, "\1");
    if (!py_name_ends(call->name, "range"))
        return NULL;
    struct py_value *first = py_argument(call, 0, "\1");
    struct py_value *last = py_argument(call, 1, "\1");
    if (!last || !first)
        return first;
    if (last->type != PYV_NUMBER || first->type != PYV_NUMBER ||
        first->number == 0)
        return last;
    struct py_value *copy = ARENA_NEW(machine->arena, struct py_value);
    *copy = *last;
    copy->number -= first->number;
    return copy;
}

/* Names of variables that count steps. */
static const char *const steps[] = {
    "step",     "iteration", "it",          "iter",   "itr",
    "n_iter",   "iter_num",  "global_step", "update", "current_iter",
    "step_num", "i_iter",    "train_step",  NULL};

static void add_loop(const struct py_machine *machine,
                     const struct py_call *call, bool within,
                     struct settings *out)
{
    static const char *const epochs[] = {"epoch",     "ep",      "e",
                                         "epoch_idx", "n_epoch", "i_epoch",
                                         "epoch_num", "epoch_i", NULL};
    const struct py_value *count =
        call->arguments.n ? call->arguments.at[0].value : NULL;
    if (count && text_is(call->name, "for"))
        count = rounds(machine, count);
    if (!count || count->type != PYV_NUMBER)
        return;
    if (counts(call->target, epochs) && !within)
        add_used(machine, "epochs", count, call->where, out);
    else if (counts(call->target, steps))
        add_used(machine, "max_steps", count, call->where, out);
}

static bool is_other(const struct py_call *call)
{
    static const char *const names[] = {
        "add_argument", "option", "argument",  "field",  "Field",
        "dict",         "Option", "Argument",  "print",  "ArgumentParser",
        "init",         "log",    "Namespace", "Config", "SimpleNamespace",
        "update"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (py_name_ends(call->name, names[i]))
            return true;
    }
    return false;
}

static bool is_evaluation(struct text name)
{
    static const char *const words[] = {"val", "test", "eval", "dev"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        for (size_t k = 0; k + n <= name.len; k++) {
            if (text_is_nocase((struct text){name.at + k, n}, words[i]))
                return true;
        }
    }
    return false;
}

/* Adds the keyword arguments of a call as settings: scalars that come from a
 * known place, and number types such as torch.bfloat16. Leaves out calls of an
 * evaluation, loaders other than that of the training data, and calls such as
 * print or add_argument, whose keywords are not settings. */
static void add_keywords(const struct py_machine *machine,
                         const struct py_call *call,
                         const struct advisor_calls *calls,
                         struct settings *out)
{
    struct text name = py_last_name(call->name);
    bool loader =
        name.len >= 6 && memcmp(name.at + name.len - 6, "Loader", 6) == 0;
    if (is_other(call) || (loader && call != calls->loader) ||
        is_evaluation(call->target) || is_evaluation(name))
        return;
    for (size_t i = 0; i < call->arguments.n; i++) {
        const struct py_item *item = &call->arguments.at[i];
        const struct py_value *value = item->value;
        bool type = item->key.len >= 5 && value->type == PYV_LIBRARY &&
                    memcmp(item->key.at + item->key.len - 5, "dtype", 5) == 0;
        /* as in dtype=torch.bfloat16 */
        if (type)
            settings_add(out, SETTING_LOCAL, text_from("dtype"),
                         py_last_name(value->text), call->where, 0);
        if (!item->key.len || !py_is_scalar(value) || !value->where)
            continue;
        enum setting_rank rank = value->rank == SETTING_COMMAND
                                     ? SETTING_CARRIED
                                     : (enum setting_rank)value->rank;
        settings_add(out, rank, item->key, py_value_text(value, machine->arena),
                     value->where, 0);
    }
}

void advisor_calls_settings(const struct py_machine *machine,
                            const struct advisor_calls *calls,
                            struct settings *out)
{
    if (calls->optimizer)
        add_rate(machine, calls->optimizer, out);
    if (calls->loader)
        add_used(machine, "batch_size",
                 py_argument(calls->loader, 1, "batch_size"),
                 calls->loader->where, out);
    /* True if the last outermost loop so far counts steps. A loop over epochs
     * inside it goes over the samples of one step, not over the dataset. */
    bool stepping = false;
    for (size_t i = 0; i < machine->n_calls; i++) {
        const struct py_call *call = machine->calls[i];
        if (text_is(call->name, "for") && call->first == 0)
            stepping = counts(call->target, steps);
        if (text_is(call->name, PY_JOB))
            add_job(machine, call, out);
        else if (text_is(call->name, "for") || text_is(call->name, "while"))
            add_loop(machine, call, call->first > 0 && stepping, out);
        else
            add_keywords(machine, call, calls, out);
        if (py_name_ends(call->name, "batch") && call->self && !calls->loader &&
            !is_evaluation(call->target))
            add_used(machine, "batch_size", py_argument(call, 0, "batch_size"),
                     call->where, out);
    }
}
