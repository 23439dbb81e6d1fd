/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds batch size, epochs, steps, rate, accumulation and sequence length among
 * the settings of a job. */
#include <string.h>

#include "schedmate/advisor/py_text.h"
#include "schedmate/advisor/schedmate_advisor_rules_internal.h"
#include "schedmate/llm/llm_text.h"

/* True for a value that the script declares or assigns, or that a library has
 * by default. */
static bool is_default(const struct setting *setting)
{
    return setting && (setting->rank >= SETTING_DECLARED ||
                       strncmp(setting->where, PY_LIBRARY_PATH,
                               sizeof PY_LIBRARY_PATH - 1) == 0);
}

/* True for a variable of the code that counts: `epoch = 1`. */
static bool is_counter(const struct setting *setting)
{
    static const char *const names[] = {"epoch", "iter", "iteration",
                                        "it",    "step", NULL};
    const char *dot = setting ? strrchr(setting->key, '.') : NULL;
    return setting && setting->rank >= SETTING_ASSIGNED &&
           py_is_one_of(text_from(dot ? dot + 1 : setting->key), names);
}

/* Only one of epochs and steps ends the training, so drops the other: a loop
 * counter always, a default if the other is not one, and a value in the code if
 * the other comes from the command or a configuration. */
static void choose_length(const struct setting **epochs,
                          const struct setting **steps)
{
    if (is_counter(*epochs))
        *epochs = NULL;
    if (is_counter(*steps))
        *steps = NULL;
    if (!*epochs || !*steps)
        return;
    if (is_default(*epochs) && !is_default(*steps))
        *epochs = NULL;
    else if (is_default(*steps) && !is_default(*epochs))
        *steps = NULL;
    else if ((*epochs)->rank <= SETTING_CONFIG &&
             (*steps)->rank >= SETTING_USED)
        *steps = NULL;
    else if ((*steps)->rank <= SETTING_CONFIG &&
             (*epochs)->rank >= SETTING_USED)
        *epochs = NULL;
}

void rules_set_numbers(struct rules *rules)
{
    static const enum metadata_field fields[] = {METADATA_BATCH_SIZE,
                                                 METADATA_LEARNING_RATE,
                                                 METADATA_GRADIENT_ACCUMULATION,
                                                 METADATA_SEQUENCE_LENGTH,
                                                 METADATA_EPOCHS,
                                                 METADATA_MAX_STEPS};
    enum { N = sizeof fields / sizeof *fields };
    const struct setting *found[N];
    for (size_t i = 0; i < N; i++)
        found[i] = rules_find(rules, rules_options(rules, fields[i]),
                              setting_is_positive);
    choose_length(&found[N - 2], &found[N - 1]);
    for (size_t i = 0; i < N; i++) {
        double number;
        if (!found[i] || !py_number(text_from(found[i]->value), &number))
            continue;
        struct out *text = out_to_memory();
        llm_json_number(text, number);
        metadata_set(rules->out, fields[i], out_memory(text), found[i]->where,
                     rules->arena);
        out_abandon(text);
    }
}
