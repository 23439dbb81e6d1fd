/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the name of the model by the Scheduling Advisor's rules: from settings,
 * from what the code builds, and from names of files. */
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/advisor_clues.h"
#include "schedmate/advisor/confscan.h"
#include "schedmate/advisor/schedmate_advisor_rules_internal.h"

static bool ends_with(struct text t, const char *end)
{
    size_t n = strlen(end);
    return t.len >= n && memcmp(t.at + t.len - n, end, n) == 0;
}

bool rules_is_name(struct text value)
{
    double number;
    bool flag;
    static const char *const files[] = {".pt", ".pth", ".ckpt", ".bin", ".md"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (value.len > strlen(files[i]) && ends_with(value, files[i]))
            return false;
    }
    return value.len > 1 && value.at[0] != '$' &&
           !text_to_double(value, &number) && !text_to_bool(value, &flag);
}

struct text rules_last_part(struct text path)
{
    while (path.len && path.at[path.len - 1] == '/')
        path.len--;
    const char *slash = path.len ? memrchr(path.at, '/', path.len) : NULL;
    return slash ? (struct text){slash + 1,
                                 path.len - (size_t)(slash + 1 - path.at)}
                 : path;
}

/* True for the name of a class that wraps a model. */
static bool is_wrapper(struct text name)
{
    static const char *const names[] = {
        "DataParallel", "DistributedDataParallel", "FullyShardedDataParallel",
        "DDP", "FSDP"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (text_is(name, names[i]))
            return true;
    }
    return false;
}

static bool is_plain(struct text name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (strchr(" '\"[]{},", name.at[i]))
            return false;
    }
    return true;
}

/* Returns the name of what an assignment calls if the name begins with a
 * capital, as in `net = SimpleDLA()`, or belongs to a model zoo, as in
 * `models.resnet50(`; else NULL. */
static const char *callee(struct text line, struct arena *arena)
{
    struct text rest;
    text_split(line, '=', &rest);
    rest = text_trim(rest);
    const char *open = rest.len ? memchr(rest.at, '(', rest.len) : NULL;
    if (!open)
        return NULL;
    struct text name = {rest.at, (size_t)(open - rest.at)}, owner = {0};
    const char *dot = name.len ? memrchr(name.at, '.', name.len) : NULL;
    if (dot) {
        owner = (struct text){name.at, (size_t)(dot - name.at)};
        name = text_skip(name, owner.len + 1);
    }
    bool named =
        ascii_is_upper(text_char(name, 0)) || ends_with(owner, "models");
    return name.len > 1 && named && is_plain(name) && !is_wrapper(name)
               ? arena_copy(arena, name.at, name.len)
               : NULL;
}

static bool assigns_model(struct text line)
{
    static const char *const names[] = {"model",     "net",   "network",
                                        "generator", "net_g", "actor_critic",
                                        "policy"};
    struct text rest, name = text_split(line, '=', &rest);
    name = text_trim(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (text_is(name, names[i]))
            return true;
    }
    return false;
}

const char *rules_literal(struct text code, const char *call,
                          struct arena *arena)
{
    size_t n = strlen(call);
    const char *hit = code.len ? memmem(code.at, code.len, call, n) : NULL;
    if (!hit)
        return NULL;
    struct text rest = text_skip(code, (size_t)(hit - code.at) + n);
    char quote = text_char(rest, 0);
    if (quote != '"' && quote != '\'')
        return NULL;
    rest = text_skip(rest, 1);
    const char *close = rest.len ? memchr(rest.at, quote, rest.len) : NULL;
    return close ? arena_copy(arena, rest.at, (size_t)(close - rest.at)) : NULL;
}

static void set_model_from_code(struct rules *rules)
{
    const struct gather *gather = &rules->gather;
    for (size_t i = 0; i < gather->n_sources; i++) {
        struct text rest = gather->sources[i].code;
        while (rest.len && !rules_has(rules, METADATA_MODEL_NAME)) {
            struct text line = text_split(rest, '\n', &rest);
            const char *name =
                rules_literal(line, "from_pretrained(", rules->arena);
            if (!name && assigns_model(line))
                name = callee(line, rules->arena);
            rules_set(rules, METADATA_MODEL_NAME, name,
                      gather->sources[i].path);
        }
    }
}

/* If the model is not set, sets it to the first part of a file's name that is
 * known as a model, as in resnet50_in1k.py. */
static void set_model_from_name(struct rules *rules, const char *path)
{
    struct text name = rules_last_part(text_from(path));
    for (size_t i = 0; i < name.len;) {
        size_t from = i;
        while (i < name.len && ascii_is_alnum(name.at[i]))
            i++;
        struct text part = {name.at + from, i - from};
        if (part.len && clue_model_type(rules->gather.clues, part) &&
            !rules_has(rules, METADATA_MODEL_NAME))
            metadata_set(rules->out, METADATA_MODEL_NAME, part,
                         rules->gather.launch_where, rules->arena);
        i += i == from;
    }
}

/* If the model is not set, sets it from the name of a configuration file in the
 * command or of the script. */
static void set_model_from_files(struct rules *rules)
{
    const struct launch *launch = &rules->gather.launch;
    for (size_t i = 0; i < launch->n_words; i++) {
        if (conf_is_config(launch->words[i]))
            set_model_from_name(rules, launch->words[i]);
    }
    if (launch->script)
        set_model_from_name(rules, launch->script);
}

/* Sets the model that the calls of the code train. If `only_asked` is true,
 * only a model that the code asks a library for counts. Returns true if such a
 * model has a name. */
static bool set_model_from_calls(struct rules *rules, bool only_asked)
{
    const struct gather *gather = &rules->gather;
    const struct py_value *model = gather->calls.model;
    bool asked = false;
    const char *name = model ? advisor_model_name(rules->gather.clues, model,
                                                  rules->arena, &asked)
                             : NULL;
    if (!name || (only_asked && !asked))
        return false;
    rules_set(rules, METADATA_MODEL_NAME, name,
              model->call    ? model->call->where
              : model->where ? model->where
                             : rules_where(rules));
    return true;
}

/* True if the value of a setting can be the name of a model, and is neither a
 * general name such as Net nor the name of a file. */
static bool is_model_name(struct text value)
{
    char name[100];
    struct text last = rules_last_part(value);
    if (!rules_is_name(value) || last.len >= sizeof name)
        return false;
    memcpy(name, last.at, last.len);
    name[last.len] = '\0';
    return !advisor_is_plain_model(name) && !conf_is_config(name);
}

/* Sets the model: the one that the code asks a library for, else a setting that
 * names a model, else the class that is trained, else what the name of a file
 * says. The class comes before a setting that is only assigned in the code; the
 * name of a file comes before a class with a general name. */
void rules_set_model(struct rules *rules)
{
    const struct setting *setting = rules_find(
        rules, rules_options(rules, METADATA_MODEL_NAME), is_model_name);
    bool called = set_model_from_calls(rules, true);
    if (setting && setting->rank >= SETTING_ASSIGNED && !called)
        called = set_model_from_calls(rules, false);
    if (setting && setting->rank == SETTING_LOCAL && !called)
        set_model_from_code(rules);
    if (setting && !rules_has(rules, METADATA_MODEL_NAME)) {
        struct text name = rules_last_part(text_from(setting->value));
        metadata_set(rules->out, METADATA_MODEL_NAME, name, setting->where,
                     rules->arena);
    }
    /* The name of a file says more than a class with a general name such as
     * Net. */
    bool ignored;
    const struct py_value *model = rules->gather.calls.model;
    const char *class = model ? advisor_model_name(rules->gather.clues, model,
                                                   rules->arena, &ignored)
                              : NULL;
    if (class && advisor_is_plain_model(class))
        set_model_from_files(rules);
    set_model_from_calls(rules, false);
    if (!rules_has(rules, METADATA_MODEL_NAME) && !rules->gather.calls.trains)
        set_model_from_code(rules);
    set_model_from_files(rules);
}
