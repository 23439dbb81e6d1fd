/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds how many GPUs a job gets. The first of these sources that gives the
 * number counts: the module that describes a library, the launch,
 * CUDA_VISIBLE_DEVICES in the code, the settings of a launcher or trainer, and,
 * as a lower bound, the degrees of parallelism. */

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/advisor_internal.h"

static void set_count(struct rules *rules, enum metadata_field field,
                      uint64_t count, const char *where)
{
    char text[U64_TEXT_MAX + 1];
    if (count && count <= 1000000 && !rules_has(rules, field))
        metadata_set(rules->out, field,
                     (struct text){text, u64_to_text(count, text)}, where,
                     rules->arena);
}

/* Returns the whole number that a setting gives, or the number of entries if it
 * is a list of device numbers; 0 if it gives neither or if there is no such
 * setting of a rank up to `most`. Sets *where if there is a setting of such a
 * rank. */
static uint32_t count_of(const struct rules *rules, const char *const *keys,
                         enum setting_rank most, const char **where)
{
    const struct setting *setting = rules_find(rules, keys, NULL);
    uint32_t n = 0, one;
    if (!setting || setting->rank > most)
        return 0;
    struct text value = text_trim(text_from(setting->value)), entry;
    *where = setting->where;
    if (text_to_u32(value, &n))
        return n;
    if (text_char(value, 0) == '[')
        value = (struct text){value.at + 1, value.len - 1};
    for (n = 0; value.len; n++) {
        entry = text_trim(text_split(value, ',', &value));
        if (entry.len && entry.at[entry.len - 1] == ']')
            entry.len--;
        if (!text_to_u32(entry, &one))
            return 0;
    }
    return n;
}

/* True if the code uses a Trainer of Lightning, to which settings such as
 * num_nodes then belong. In other code, the same names may mean something else,
 * such as the nodes of a graph. */
static bool has_trainer(const struct rules *rules)
{
    return rules_code_has(rules, "Trainer") &&
           (rules_imports(rules, "lightning") ||
            rules_imports(rules, "pytorch_lightning"));
}

/* Returns the number of nodes that the launch gives. Otherwise sets
 * METADATA_NODES to the number that a trainer or the configuration file of a
 * launcher gives, and returns this number; 0: not known. */
static uint32_t set_nodes(struct rules *rules, bool trainer)
{
    static const char *const of_trainer[] = {"num_nodes", "nnodes",
                                             "num_machines", NULL};
    static const char *const of_launcher[] = {"trainer.num_nodes", "nnodes",
                                              "num_machines", NULL};
    const char *where = NULL;
    uint32_t n = rules->gather.launch.counts.nodes;
    if (n)
        return n;
    n = trainer ? count_of(rules, of_trainer, SETTING_LOCAL, &where)
                : count_of(rules, of_launcher, SETTING_CONFIG, &where);
    set_count(rules, METADATA_NODES, n, where);
    return n;
}

/* Sets the numbers of nodes and GPUs that settings give, such as those of a
 * trainer or of the configuration file of a launcher. */
static void set_from_settings(struct rules *rules)
{
    static const char *const per_node[] = {"trainer.devices", "devices",
                                           "gpus_per_node",   "nproc_per_node",
                                           "n_gpus_per_node", NULL};
    static const char *const total[] = {
        "gpus", "num_gpus", "n_gpus", "ngpus", "trainer.gpus", "n_gpu", NULL};
    static const char *const processes[] = {"num_processes", NULL};
    bool trainer = has_trainer(rules);
    enum setting_rank of_code = trainer ? SETTING_LOCAL : SETTING_DECLARED;
    const char *where = NULL;
    uint32_t n_nodes = set_nodes(rules, trainer), n;
    if (rules_has(rules, METADATA_GPUS))
        return;
    const struct setting *started =
        rules_find(rules, processes, setting_is_positive);
    n = started && started->rank == SETTING_CONFIG
            ? count_of(rules, processes, SETTING_CONFIG, &where)
            : 0;
    if (n == 0 && (n = count_of(rules, per_node, of_code, &where)) > 0) {
        if (n_nodes)
            set_count(rules, METADATA_GPUS_PER_NODE, n, where);
        set_count(rules, METADATA_GPUS, (uint64_t)n * (n_nodes ? n_nodes : 1),
                  where);
        return;
    }
    n = n ? n : count_of(rules, total, of_code, &where);
    set_count(rules, METADATA_GPUS, n, where);
}

/* If the number of GPUs is not known, takes the number of GPUs over which
 * tensor, pipeline and context parallelism split one copy of the model, as a
 * lower bound. */
static void set_lower_bound(struct rules *rules)
{
    const struct launch *launch = &rules->gather.launch;
    char where[120];
    if (launch->counts.gpus_at_least < 2 || rules_has(rules, METADATA_GPUS))
        return;
    int n = snprintf(where, sizeof where, "at least, by parallelism in %.80s",
                     rules->gather.launch_where);
    set_count(rules, METADATA_GPUS, launch->counts.gpus_at_least,
              arena_copy(rules->arena, where, (size_t)n));
}

/* Counts the GPUs that a script leaves visible to itself:
 * os.environ["CUDA_VISIBLE_DEVICES"] = "0,1". */
static void set_visible(struct rules *rules)
{
    static const char name[] = "CUDA_VISIBLE_DEVICES";
    const struct gather *gather = &rules->gather;
    for (size_t i = 0; i < gather->n_sources; i++) {
        struct text code = gather->sources[i].code;
        const char *at =
            code.len ? memmem(code.at, code.len, name, strlen(name)) : NULL;
        if (!at || rules_has(rules, METADATA_GPUS))
            continue;
        struct text rest = text_skip(code, (size_t)(at - code.at)), line;
        line = text_split(rest, '\n', &rest);
        text_split(line, '=', &rest);
        rest = text_trim(rest);
        char quote = text_char(rest, 0);
        if ((quote != '"' && quote != '\'') ||
            !ascii_is_digit(text_char(rest, 1)))
            continue;
        uint32_t n = 1;
        for (size_t k = 1; k < rest.len && rest.at[k] != quote; k++)
            n += rest.at[k] == ',';
        set_count(rules, METADATA_GPUS, n, gather->sources[i].path);
    }
}

void rules_set_gpus(struct rules *rules)
{
    static const char *const of_job[] = {"job/gpus", NULL};
    const struct launch_counts *c = &rules->gather.launch.counts;
    const char *where = NULL;
    set_count(rules, METADATA_GPUS,
              count_of(rules, of_job, SETTING_LOCAL, &where), where);
    where = rules->gather.launch_where;
    set_count(rules, METADATA_GPUS, c->gpus, where);
    set_count(rules, METADATA_NODES, c->nodes, where);
    /* If the number of nodes is not known, the GPUs of a node may be those of
     * the whole job. */
    if (c->nodes)
        set_count(rules, METADATA_GPUS_PER_NODE, c->gpus_per_node, where);
    set_visible(rules);
    set_from_settings(rules);
    set_lower_bound(rules);
}

/* Finds the precision of the training: from switches such as --bf16 and
 * settings that name a type of number, else from calls of libraries that lower
 * it, else from settings that are local in the code. */

/* Words, in lower case, that settings and code use for a precision, and the
 * precision that each means. */
static const struct {
    const char *word, *precision;
} hardware_words[] = {
    {"bf16", "bf16"},
    {"bfloat16", "bfloat16"},
    {"bf16-mixed", "bf16-mixed"},
    {"bf16-true", "bf16-true"},
    {"mixed_bfloat16", "bf16-mixed"},
    {"fp16", "fp16"},
    {"float16", "float16"},
    {"half", "fp16"},
    {"16", "16"},
    {"16-mixed", "16-mixed"},
    {"16-true", "16-true"},
    {"mixed_float16", "fp16-mixed"},
    {"amp_fp16", "amp_fp16"},
    {"amp_bf16", "amp_bf16"},
    {"amp", "amp"},
    {"native", "amp"},
    {"apex", "amp"},
    {"mixed", "mixed"},
    {"o1", "amp O1"},
    {"o2", "amp O2"},
    {"fp8", "fp8"},
    {"fp32", "fp32"},
    {"float32", "float32"},
    {"tf32", "tf32"},
    {"full", "fp32"},
    {"32", "32"},
    {"32-true", "32-true"},
    {"64", "64"},
    {"64-true", "64-true"},
    {"fp64", "fp64"},
    {"float64", "float64"},
    {"double", "fp64"},
};

/* Returns the precision that a word means; NULL if it means none. */
static const char *meaning(struct text word)
{
    struct text rest = word;
    while (rest.len && memchr(rest.at, '.', rest.len))
        text_split(rest, '.', &rest); /* the last part of torch.bfloat16 */
    for (size_t i = 0; i < sizeof hardware_words / sizeof *hardware_words;
         i++) {
        if (text_is_nocase(rest, hardware_words[i].word))
            return hardware_words[i].precision;
    }
    return NULL;
}

static bool is_on(struct text value)
{
    bool on;
    return text_is(value, "auto") || (text_to_bool(value, &on) && on);
}

static bool is_off(struct text value)
{
    bool on;
    return text_is(value, "no") || (text_to_bool(value, &on) && !on);
}

/* True if the value names a precision or switches a lower one on or off. */
static bool is_precision(struct text value)
{
    return meaning(value) || is_on(value) || is_off(value);
}

/* A setting and the precision that it means. */
struct hardware_candidate {
    const struct setting *setting;
    const char *precision;
};

/* Makes the setting the best candidate if there is none yet or if its rank is
 * smaller. Does nothing if the setting or its precision is NULL. */
static void hardware_consider(struct hardware_candidate *best,
                              const struct setting *setting,
                              const char *precision)
{
    if (setting && precision &&
        (!best->setting || setting->rank < best->setting->rank))
        *best = (struct hardware_candidate){setting, precision};
}

/* Sets the precision from a setting of a rank up to `most`, if there is one. */
static void from_settings(struct rules *rules, enum setting_rank most)
{
    static const char *const bf16_keys[] = {
        "bf16", "bf16.enabled", "use_bf16", "bfloat16", "use_bfloat16", NULL};
    static const char *const fp8_keys[] = {"fp8", "use_fp8", "fp8.enabled",
                                           NULL};
    static const char *const fp16_keys[] = {"fp16",
                                            "fp16.enabled",
                                            "fp16_run",
                                            "use_fp16",
                                            "half",
                                            "use_half",
                                            "float16",
                                            "half_precision",
                                            "fp16_opt",
                                            "fp16.enable",
                                            "use_half_precision",
                                            NULL};
    static const char *const amp_keys[] = {
        "amp",        "use_amp",  "amp.enabled", "amp.enable",
        "enable_amp", "with_amp", "amp_enabled", "use_mixed_precision",
        NULL};
    static const char *const named_keys[] = {"mixed_precision",
                                             "precision",
                                             "amp_dtype",
                                             "torch_dtype",
                                             "dtype",
                                             "param_dtype",
                                             "train_dtype",
                                             "compute_dtype",
                                             "half_precision_dtype",
                                             "amp_level",
                                             "opt_level",
                                             "precision_type",
                                             NULL};
    struct hardware_candidate best = {NULL, NULL};
    const struct setting *named = rules_find(rules, named_keys, is_precision);
    hardware_consider(&best, rules_find(rules, fp8_keys, is_on), "fp8");
    hardware_consider(&best, rules_find(rules, bf16_keys, is_on), "bf16");
    hardware_consider(&best, rules_find(rules, fp16_keys, is_on), "fp16");
    const struct setting *amp = rules_find(rules, amp_keys, is_on);
    if (named && !is_off(text_from(named->value)))
        hardware_consider(&best, named,
                          is_on(text_from(named->value))
                              ? "mixed"
                              : meaning(text_from(named->value)));
    hardware_consider(&best, amp, "amp");
    /* The dtype of some tensor of full precision says nothing of the training.
     */
    bool full = best.precision && (strstr(best.precision, "float32") ||
                                   strstr(best.precision, "float64"));
    if (best.setting && best.setting->rank <= most &&
        !(full && best.setting->rank == SETTING_LOCAL))
        rules_set(rules, METADATA_PRECISION, best.precision,
                  best.setting->where);
}

/* False if the argument `enabled` of the call, or a truth value among its first
 * two arguments, is false or unknown. */
static bool is_enabled(const struct py_call *call)
{
    const struct py_value *enabled = py_argument(call, -1, "enabled");
    for (size_t i = 0; !enabled && i < call->arguments.n && i < 2; i++) {
        const struct py_value *value = call->arguments.at[i].value;
        if (!call->arguments.at[i].key.len && value->type == PYV_BOOL)
            enabled = value;
    }
    return !enabled || py_truth(enabled) == PY_YES;
}

/* Returns the precision that autocast(dtype=...), GradScaler(enabled=...) or a
 * similar call sets; NULL if the call is not one of these or it is not certain
 * what it sets. */
static const char *of_call(const struct py_call *call)
{
    static const char *const names[] = {"autocast",
                                        "GradScaler",
                                        "amp.initialize",
                                        "amp.auto_cast",
                                        "set_global_policy",
                                        "set_policy",
                                        NULL};
    const char *const *name = names;
    while (*name && !py_name_ends(call->name, *name))
        name++;
    if (!*name || call->unsure || !is_enabled(call))
        return NULL;
    for (size_t i = 0; i < call->arguments.n; i++) {
        const struct py_value *value = call->arguments.at[i].value;
        const char *found = value->type == PYV_LIBRARY || py_is_text(value)
                                ? meaning(value->text)
                                : NULL;
        if (found)
            return found;
    }
    /* a type that is given but unknown gives no precision */
    return py_argument(call, -1, "dtype") ? NULL : "amp";
}

static void from_calls(struct rules *rules)
{
    const struct py_machine *machine = rules->gather.machine;
    const struct py_call *best = NULL;
    const char *precision = NULL;
    for (size_t i = 0; machine && i < machine->n_calls; i++) {
        const char *found = of_call(machine->calls[i]);
        if (found && (!precision || strcmp(precision, "amp") == 0)) {
            precision = found;
            best = machine->calls[i];
        }
    }
    if (best)
        rules_set(rules, METADATA_PRECISION, precision, best->where);
}

void rules_set_precision(struct rules *rules)
{
    from_settings(rules, SETTING_ASSIGNED);
    from_calls(rules);
    from_settings(rules, SETTING_LOCAL);
}
