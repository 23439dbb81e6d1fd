/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the precision of the training: from switches such as --bf16 and
 * settings that name a type of number, else from calls of libraries that lower
 * it, else from settings that are local in the code. */
#include <string.h>

#include "schedmate/advisor/schedmate_advisor_rules_internal.h"

/* Words, in lower case, that settings and code use for a precision, and the
 * precision that each means. */
static const struct {
    const char *word, *precision;
} words[] = {
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
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (text_is_nocase(rest, words[i].word))
            return words[i].precision;
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
struct candidate {
    const struct setting *setting;
    const char *precision;
};

/* Makes the setting the best candidate if there is none yet or if its rank is
 * smaller. Does nothing if the setting or its precision is NULL. */
static void consider(struct candidate *best, const struct setting *setting,
                     const char *precision)
{
    if (setting && precision &&
        (!best->setting || setting->rank < best->setting->rank))
        *best = (struct candidate){setting, precision};
}

/* Sets the precision from a setting of a rank up to `most`, if there is one. */
static void from_settings(struct rules *rules, enum setting_rank most)
{
    static const char *const bf16_keys[] = {
        "bf16", "bf16.enabled", "use_bf16", "bfloat16", "use_bfloat16", NULL};
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
    struct candidate best = {NULL, NULL};
    const struct setting *named = rules_find(rules, named_keys, is_precision);
    consider(&best, rules_find(rules, bf16_keys, is_on), "bf16");
    consider(&best, rules_find(rules, fp16_keys, is_on), "fp16");
    const struct setting *amp = rules_find(rules, amp_keys, is_on);
    if (named && !is_off(text_from(named->value)))
        consider(&best, named,
                 is_on(text_from(named->value))
                     ? "mixed"
                     : meaning(text_from(named->value)));
    consider(&best, amp, "amp");
    if (best.setting && best.setting->rank <= most)
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
