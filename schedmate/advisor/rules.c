/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Scheduling Advisor's rules: names and numbers of a job (batch size,
 * epochs, steps, rate, accumulation, sequence length) from its settings. */

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "schedmate/advisor/advisor_internal.h"
#include "schedmate/advisor/clues.h"
#include "schedmate/llm/llm_text.h"

static void rules_set_model(struct rules *rules);

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

/* True if the command names a configuration, by a name that is no file, of
 * which nothing was read: it may set what the code has a default for. */
static bool is_config_unread(const struct rules *rules)
{
    static const char *const keys[] = {"config", "cfg",    "config_name",
                                       "recipe", "preset", NULL};
    const struct settings *all = &rules->gather.settings;
    const struct setting *named = rules_find(rules, keys, NULL);
    if (!named || named->rank > SETTING_CARRIED)
        return false;
    for (size_t i = 0; i < all->n; i++) {
        if (strstr(all->at[i].where, named->value))
            return false;
    }
    return !conf_is_config(named->value);
}

/* True for a default that stands in another file than the script. */
static bool is_distant(const struct rules *rules, const struct setting *setting)
{
    const char *script = rules_where(rules);
    return setting->rank >= SETTING_DECLARED &&
           strncmp(setting->where, script, strlen(script)) != 0;
}

/* Sets batch size, learning rate, accumulation, sequence length, epochs and
 * steps. */
static void rules_set_numbers(struct rules *rules)
{
    static const enum metadata_field fields[] = {METADATA_BATCH_SIZE,
                                                 METADATA_LEARNING_RATE,
                                                 METADATA_GRADIENT_ACCUMULATION,
                                                 METADATA_SEQUENCE_LENGTH,
                                                 METADATA_EPOCHS,
                                                 METADATA_MAX_STEPS};
    static const char *const of_environment[] = {
        "num_env_steps", "total_env_steps", "total_timesteps", NULL};
    enum { N = sizeof fields / sizeof *fields };
    const struct setting *found[N];
    for (size_t i = 0; i < N; i++)
        found[i] = rules_find(rules, rules_options(rules, fields[i]),
                              setting_is_positive);
    /* A value set anywhere in the code, such as the maxlen of a deque, is not
     * that of the training unless a call of the training has it; nor is a value
     * of the command that the code merely passes on under such a name. */
    for (size_t i = 0; i < N; i++) {
        bool near = !found[i] || found[i]->trains ||
                    (found[i]->rank != SETTING_LOCAL &&
                     found[i]->rank != SETTING_CARRIED);
        if (!near && (fields[i] == METADATA_SEQUENCE_LENGTH ||
                      fields[i] == METADATA_MAX_STEPS))
            found[i] = NULL;
    }
    /* Beside these, a number of steps is that of one rollout. */
    const struct setting *all =
        rules_find(rules, of_environment, setting_is_positive);
    if (all) {
        found[N - 1] = all;
        found[N - 2] = NULL;
    }
    choose_length(&found[N - 2], &found[N - 1]);
    bool unread = is_config_unread(rules);
    for (size_t i = 0; i < N; i++) {
        double number;
        if (!found[i] || (unread && is_distant(rules, found[i])) ||
            !py_number(text_from(found[i]->value), &number))
            continue;
        struct out *text = out_to_memory();
        llm_json_number(text, number);
        metadata_set(rules->out, fields[i], out_memory(text), found[i]->where,
                     rules->arena);
        out_abandon(text);
    }
}

/* Finds metadata without a language model. Settings are found by the names that
 * are common in public projects; other fields come from imports, classes and
 * names in the code. The command overrides configuration files, which override
 * the defaults in the code. */

bool rules_has(const struct rules *rules, enum metadata_field field)
{
    return rules->out->fields[field].text != NULL;
}

void rules_set(struct rules *rules, enum metadata_field field,
               const char *value, const char *where)
{
    if (value && !rules_has(rules, field))
        metadata_set(rules->out, field, text_from(value), where, rules->arena);
}

const struct setting *rules_find(const struct rules *rules,
                                 const char *const *keys, setting_fits *fits)
{
    return settings_find(&rules->gather.settings, keys, fits);
}

const char *const *rules_options(const struct rules *rules,
                                 enum metadata_field field)
{
    return clue_options(rules->gather.clues, metadata_name(field),
                        rules->arena);
}

static void set_from(struct rules *rules, enum metadata_field field,
                     const char *const *keys, setting_fits *fits)
{
    const struct setting *setting = rules_find(rules, keys, fits);
    if (setting)
        rules_set(rules, field, setting->value, setting->where);
}

/* Smallest length of a word in the name of an option that counts as evidence of
 * the task. */
enum { LONG_WORD = 8 };

/* Returns the name of a model without words that say how it was trained before:
 * Qwen2-7B-Instruct may be trained for anything now. */
static const char *without_manner(const char *name, struct arena *arena)
{
    static const char *const words[] = {"instruct", "chat", "sft", "dpo",
                                        "rlhf"};
    if (!name)
        return NULL;
    size_t n = strlen(name);
    char *copy = arena_copy(arena, name, n);
    for (size_t i = 1; i < n; i++) {
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            size_t len = strlen(words[k]);
            if (i + len <= n && !ascii_is_alnum(copy[i - 1]) &&
                strncasecmp(copy + i, words[k], len) == 0)
                memset(copy + i, '-', len);
        }
    }
    return copy;
}

/* Returns the names that are evidence of the task or the kind of model: those
 * of the model, the dataset (if `with_dataset`), the script, the module, the
 * method and the settings in the command. */
static struct text evidence(struct rules *rules, bool with_dataset)
{
    static const char *const method_keys[] = {"algo", "task", "task_name",
                                              "method", NULL};
    const struct gather *gather = &rules->gather;
    const struct setting *method =
        rules_find(rules, method_keys, rules_is_name);
    const char *parts[] = {
        without_manner(rules->out->fields[METADATA_MODEL_NAME].text,
                       rules->arena),
        with_dataset ? rules->out->fields[METADATA_DATASET_NAME].text : NULL,
        gather->launch.script,
        gather->launch.module,
        method ? method->value : NULL,
        gather->n_sources ? gather->sources[0].path : NULL,
    };
    struct out *out = out_to_memory();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i])
            out_printf(out, "%s ", parts[i]);
    }
    /* A dataset of two words, such as "LJ Speech", is also added as one word.
     */
    for (const char *c = with_dataset && parts[1] ? parts[1] : ""; *c; c++) {
        if (*c != ' ' && *c != '-')
            out_char(out, *c);
    }
    out_char(out, ' ');
    /* Long words in names of settings are evidence, too: --diffusion_steps
     * hints at the task. A short one such as `clip` may mean something else. */
    for (size_t i = 0; i < gather->settings.n; i++) {
        struct text key = text_from(gather->settings.at[i].key), word;
        while (gather->settings.at[i].rank == SETTING_COMMAND && key.len) {
            word = text_split(key, '_', &key);
            if (word.len >= LONG_WORD)
                out_printf(out, "%.*s ", TEXT_ARGS(word));
        }
    }
    struct text t = out_memory(out);
    t.at = arena_copy(rules->arena, t.at, t.len);
    out_abandon(out);
    return t;
}

const char *rules_where(const struct rules *rules)
{
    return rules->gather.n_sources ? rules->gather.sources[0].path : "command";
}

bool rules_code_has(const struct rules *rules, const char *word)
{
    const struct gather *gather = &rules->gather;
    if (gather->machine && gather->calls.trains)
        return py_calls_have(gather->machine, word);
    for (size_t i = 0; i < gather->n_sources; i++) {
        if (clue_has_word(gather->sources[i].code, word))
            return true;
    }
    return false;
}

/* True if the code makes at least two optimizers, and a discriminator. */
static bool is_adversarial(const struct rules *rules)
{
    const struct py_machine *machine = rules->gather.machine;
    size_t optimizers = 0;
    bool discriminator = false;
    for (size_t i = 0; machine && i < machine->n_calls; i++) {
        const struct py_call *call = machine->calls[i];
        struct text name = py_last_name(call->name);
        optimizers += advisor_optimizer_name(rules->gather.clues, call,
                                             rules->arena) != NULL;
        discriminator |= name.len && memmem(name.at, name.len, "iscriminator",
                                            sizeof "iscriminator" - 1);
    }
    return optimizers >= 2 && discriminator;
}

/* True if the code makes an object of a diffusion process, such as its
 * schedule. */
static bool is_diffusion(const struct rules *rules)
{
    static const char *const parts[] = {"Diffusion", "DDPM", "DDIMScheduler",
                                        "FlowMatch", "EDMPrecond"};
    const struct py_machine *machine = rules->gather.machine;
    for (size_t i = 0; machine && i < machine->n_calls; i++) {
        const struct py_call *call = machine->calls[i];
        struct text name = py_last_name(call->name);
        for (size_t k = 0; !call->unsure && k < sizeof parts / sizeof *parts;
             k++) {
            if (name.len && ascii_is_upper(name.at[0]) &&
                memmem(name.at, name.len, parts[k], strlen(parts[k])))
                return true;
        }
    }
    return false;
}

/* Drops the epochs of reinforcement learning if there are steps, because
 * n_epochs of PPO counts passes over one batch of experience. */
static void drop_passes(struct rules *rules)
{
    struct metadata_value *fields = rules->out->fields;
    const char *task = fields[METADATA_TASK_TYPE].text;
    if (task && strstr(task, "reinforcement") &&
        fields[METADATA_MAX_STEPS].text)
        fields[METADATA_EPOCHS] = (struct metadata_value){0};
}

static void set_kinds(struct rules *rules)
{
    static const char *const task_keys[] = {"job/task_type", NULL};
    static const char *const type_keys[] = {"job/model_type", NULL};
    set_from(rules, METADATA_TASK_TYPE, task_keys, NULL);
    set_from(rules, METADATA_MODEL_TYPE, type_keys, NULL);
    static const char *const env_keys[] = {"env_name", "env_id", NULL};
    const struct gather *gather = &rules->gather;
    const char *model = rules->out->fields[METADATA_MODEL_NAME].text;
    const char *type = is_adversarial(rules) ? "GAN"
                       : is_diffusion(rules) ? "diffusion"
                                             : NULL;
    /* The name of the model counts more than its layers. */
    if (!type && model)
        type = clue_model_type(rules->gather.clues, text_from(model));
    const char *task = NULL;
    if (!type && gather->machine)
        type = advisor_kind_of_model(gather->clues, gather->machine,
                                     gather->calls.model);
    if (!type)
        type = clue_model_type(rules->gather.clues, evidence(rules, false));
    if (!type && rules_code_has(rules, "Conv2d"))
        type = "CNN";
    rules_set(rules, METADATA_MODEL_TYPE, type, rules_where(rules));
    if (rules_find(rules, env_keys, rules_is_name))
        rules_set(rules, METADATA_TASK_TYPE, "reinforcement learning",
                  rules_where(rules));
    if (rules_code_has(rules, "SFTTrainer"))
        task = "instruction tuning";
    else if (gather->machine)
        task = advisor_task_of_calls(gather->clues, gather->machine,
                                     gather->calls.model);
    /* A class for language models is used for several tasks. The names of the
     * dataset and the script tell the task better. */
    bool weak = task && strcmp(task, "language modelling") == 0;
    if (!weak)
        rules_set(rules, METADATA_TASK_TYPE, task, rules_where(rules));
    rules_set(rules, METADATA_TASK_TYPE,
              clue_task(rules->gather.clues, evidence(rules, true)),
              rules_where(rules));
    rules_set(rules, METADATA_TASK_TYPE, task, rules_where(rules));
}

static void set_from_code(struct rules *rules)
{
    const struct gather *gather = &rules->gather;
    char text[METADATA_VALUE_MAX] = "";
    size_t n = 0;
    if (gather->calls.optimizer)
        rules_set(rules, METADATA_OPTIMIZER,
                  advisor_optimizer_name(rules->gather.clues,
                                         gather->calls.optimizer, rules->arena),
                  gather->calls.optimizer->where);
    set_from(rules, METADATA_OPTIMIZER,
             rules_options(rules, METADATA_OPTIMIZER), rules_is_name);
    for (size_t i = 0; i < gather->n_sources && !gather->calls.trains; i++)
        rules_set(
            rules, METADATA_OPTIMIZER,
            clue_optimizer_in_code(gather->clues, gather->sources[i].code),
            gather->sources[i].path);
    const char *name;
    for (size_t i = 0; gather->n_sources && n < sizeof text - 40 &&
                       (name = clue_augmentation_in_code(
                            gather->clues, gather->sources[0].code, i)) != NULL;
         i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? "+" : "",
                              name);
    rules_set(rules, METADATA_AUGMENTATION, n ? text : NULL,
              rules_where(rules));
}

/* True for the key of a setting that does not distinguish what jobs train:
 * where the job runs, what it reads and writes, its name or seed; and for a key
 * of one or two letters. */
static bool is_of_the_place(const char *key)
{
    static const char *const parts[] = {
        "dir",   "path",   "file",   "port",  "url",     "rank",      "host",
        "addr",  "output", "log",    "save",  "name",    "seed",      "config",
        "wandb", "resume", "worker", "print", "verbose", "world_size"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strstr(key, parts[i]))
            return true;
    }
    return strlen(key) < 3;
}

/* True for a switch that a field covers already (precision, distribution). */
static bool rules_is_switch(const char *key)
{
    static const char *const keys[] = {"bf16",     "fp16",     "fp16_run",
                                       "use_fp16", "amp",      "use_amp",
                                       "fsdp",     "deepspeed"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(key, keys[i]) == 0)
            return true;
    }
    return false;
}

static bool equal_values(const char *a, const char *b)
{
    double x, y;
    return strcmp(a, b) == 0 || (py_number(text_from(a), &x) &&
                                 py_number(text_from(b), &y) && x == y);
}

/* True if a later word of the command sets the same option again. */
static bool is_superseded(const struct settings *settings, size_t number)
{
    for (size_t i = number + 1; i < settings->n; i++) {
        if (settings->at[i].rank == SETTING_COMMAND &&
            strcmp(settings->at[i].key, settings->at[number].key) == 0)
            return true;
    }
    return false;
}

static bool is_field(const struct rules *rules, const struct setting *setting)
{
    if (rules_is_switch(setting->key))
        return true;
    for (unsigned f = 0; f < METADATA_FIELDS; f++) {
        const struct metadata_value *value = &rules->out->fields[f];
        if (value->text && value->where == setting->where &&
            equal_values(value->text, setting->value))
            return true;
    }
    return false;
}

/* Adds the other settings of the command, which distinguish this job from
 * others of its project. */
static void set_others(struct rules *rules)
{
    const struct settings *settings = &rules->gather.settings;
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->at[i];
        if (setting->rank == SETTING_COMMAND && !is_superseded(settings, i) &&
            !is_of_the_place(setting->key) && !is_field(rules, setting) &&
            !strchr(setting->value, '/') && !strchr(setting->value, '='))
            metadata_add(rules->out, text_from(setting->key),
                         text_from(setting->value), rules->arena);
    }
}

/* Adds the name of the first configuration file of the command, because two
 * jobs of one project may differ in nothing else. Returns true if it leaves out
 * another name. */
static bool set_configs(struct rules *rules)
{
    const struct launch *launch = &rules->gather.launch;
    const char *first = NULL;
    bool others = false;
    for (size_t i = 0; i < launch->n_words; i++) {
        const char *word = launch->words[i], *equal = strchr(word, '=');
        const char *path = equal ? equal + 1 : word;
        const char *slash = strrchr(path, '/');
        if (!conf_is_config(path))
            continue;
        path = slash ? slash + 1 : path;
        metadata_add(rules->out, text_from("config"), text_from(path),
                     rules->arena);
        first = first ? first : path;
        others |= strcmp(path, first) != 0;
    }
    return others;
}

/* Returns what the answer leaves out: the note on the launch, and names of
 * configuration files if `others` is true. NULL: nothing. */
static const char *note_of(const struct rules *rules, bool others)
{
    const char *note = rules->gather.launch.note;
    char words[256];
    if (!others)
        return note;
    int n = snprintf(words, sizeof words,
                     "%s%sconfig is the first of several configuration files",
                     note ? note : "", note ? "; " : "");
    return arena_copy(rules->arena, words, (size_t)n);
}

void advisor_by_rules(const struct advisor_input *input,
                      struct advisor_result *out)
{
    struct rules rules = {.arena = input->arena, .out = &out->metadata};
    gather_init(&rules.gather, input, out);
    rules_set_numbers(&rules);
    rules_set_model(&rules);
    rules_set_dataset(&rules);
    set_kinds(&rules);
    drop_passes(&rules);
    rules_set_framework(&rules);
    rules_set_processes(&rules);
    rules_set_gpus(&rules);
    rules_set_precision(&rules);
    set_from_code(&rules);
    set_others(&rules);
    out->note = note_of(&rules, set_configs(&rules));
    if (!rules.gather.n_sources && !out->why)
        out->why = launch_why(&rules.gather.launch, input->arena);
    gather_fini(&rules.gather);
    out->method = LLM_BY_RULES;
    out->agreement = 1;
    out->metadata.command = launch_raw(text_from(input->command), input->arena);
    out->coverage = metadata_coverage(&out->metadata);
}

/* Finds the name of the model by the Scheduling Advisor's rules: from settings,
 * from what the code builds, and from names of files. */

static bool rules_ends_with(struct text t, const char *end)
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
        if (value.len > strlen(files[i]) && rules_ends_with(value, files[i]))
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
static bool rules_is_model_name(struct text value)
{
    char name[100];
    struct text last = rules_last_part(value);
    if (!rules_is_name(value) || last.len >= sizeof name)
        return false;
    memcpy(name, last.at, last.len);
    name[last.len] = '\0';
    return !advisor_is_plain_model(name) && !conf_is_config(name);
}

/* Clears the name of a model that is only the role of a part, such as
 * Generator. */
static void rules_drop_role(struct rules *rules)
{
    struct metadata_value *model = &rules->out->fields[METADATA_MODEL_NAME];
    if (model->text && advisor_is_plain_model(model->text) &&
        !rules_ends_with(text_from(model->text), "Net"))
        *model = (struct metadata_value){0};
}

/* Sets the model: the one that the code asks a library for, else a setting that
 * names a model, else the class that is trained, else what the name of a file
 * says. The class comes before a setting that is only assigned in the code; the
 * name of a file comes before a class with a general name. */
static void rules_set_model(struct rules *rules)
{
    const struct setting *setting = rules_find(
        rules, rules_options(rules, METADATA_MODEL_NAME), rules_is_model_name);
    bool called = set_model_from_calls(rules, true);
    if (setting && setting->rank >= SETTING_ASSIGNED && !called)
        called = set_model_from_calls(rules, false);
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
    set_model_from_files(rules);
    rules_drop_role(rules);
}
