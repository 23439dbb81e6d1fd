/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns the arguments of calls into settings. */

#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/advisor_internal.h"
#include "schedmate/advisor/clues.h"

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

/* Finds the name of the model that an evaluated script trains. */

static const char *last_part(struct text path, struct arena *arena)
{
    while (path.len && path.at[path.len - 1] == '/')
        path.len--;
    const char *slash = path.len ? memrchr(path.at, '/', path.len) : NULL;
    if (slash)
        path = text_skip(path, (size_t)(slash + 1 - path.at));
    return path.len ? arena_copy(arena, path.at, path.len) : NULL;
}

/* Returns the argument by which the code asks a library for a model; NULL if
 * the call does not ask for one. The argument may be of any type. */
static const struct py_value *asked_for(const struct py_call *call)
{
    static const struct {
        const char *call, *keyword;
        int place;
    } rows[] = {
        {"from_pretrained", "pretrained_model_name_or_path", 0},
        {"create_model", "model_name", 0},
        {"hub.load", "model", 1},
        {"get_model", "name", 0},
        {"get_peft_model", "name", 0},
        {"SentenceTransformer", "model_name_or_path", 0},
        {"CrossEncoder", "model_name", 0},
        {"FastLanguageModel.from_pretrained", "model_name", 0},
        {"from_name", "model_name", 0},
        {"create_model_and_transforms", "model_name", 0},
        {"load_model", "name", 0},
        {"HuggingFaceWav2Vec2", "source", 0},
        {"Wav2Vec2", "source", 0},
        {"HuggingFaceWhisper", "source", 0},
        {"SetFitModel.from_pretrained", "model_id", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (py_name_ends(call->name, rows[i].call))
            return py_argument(call, rows[i].place, rows[i].keyword);
    }
    return NULL;
}

/* Returns the name of the function of the project that makes the model, or the
 * name that is given as an argument, as in Model(name="X"); NULL if neither
 * tells the model. `plain` is true if the class of the model is a general one,
 * such as Model. */
static const char *made_name(const struct clues *clues,
                             const struct py_call *call, bool plain,
                             struct arena *arena)
{
    const struct py_value *named = call ? py_argument(call, -1, "name") : NULL;
    struct text builder = call ? call->builder : (struct text){"", 0};
    if (plain && py_is_text(named))
        return arena_copy(arena, named->text.at, named->text.len);
    /* A function with a size in its name, such as resnet50, says more than the
     * class of the model. */
    bool telling = builder.len &&
                   (plain || ascii_is_digit(builder.at[builder.len - 1])) &&
                   clue_model_type(clues, builder);
    return telling ? arena_copy(arena, builder.at, builder.len) : NULL;
}

/* Returns the name by which the code has asked a library for the configuration
 * that from_config(config) gets; NULL if there is none. */
static const char *name_of_config(const struct py_call *call,
                                  struct arena *arena)
{
    const struct py_value *config =
        call ? py_argument(call, 0, "config") : NULL;
    const struct py_value *name =
        config && config->call ? asked_for(config->call) : NULL;
    return py_is_text(name) ? last_part(name->text, arena) : NULL;
}

/* Returns the name of a model by its class or by the function that makes it;
 * NULL if neither says what the model is. */
static const char *class_name(const struct clues *clues,
                              const struct py_value *model, struct arena *arena)
{
    static const char *const plain[] = {
        "Sequential", "ModuleList", "Module", "Model", "Sequence", "open",
        "Trainer", "LightningCLI", "Estimator", "super",
        /* layers */
        "Linear", "Conv2d", "Embedding", "LayerNorm", "Dropout", "Parameter",
        /* functions that return a model and do not name it */
        "load", "restore", "get_cfg", "build_model", "get_model",
        /* a wrapper around a model that is not known */
        "DataParallel", "DistributedDataParallel", "FullyShardedDataParallel",
        NULL};
    static const char *const configured[] = {"from_config", "from_pretrained",
                                             NULL};
    struct text class =
        model->of ? py_last_name(model->of->text) : (struct text){"", 0};
    bool is_plain = py_is_one_of(class, plain);
    if (py_is_one_of(class, configured))
        return name_of_config(model->call, arena);
    const char *made = made_name(clues, model->call, is_plain, arena);
    if (made)
        return made;
    return class.len > 1 && class.at[0] != '_' && !is_plain
               ? arena_copy(arena, class.at, class.len)
               : NULL;
}

bool advisor_is_plain_model(const char *name)
{
    static const char *const words[] = {"Net",
                                        "Network",
                                        "Model",
                                        "MyModel",
                                        "BaseModel",
                                        "LitModel",
                                        "Classifier",
                                        "DetectionModel",
                                        "Encoder",
                                        "EncoderDecoder",
                                        "ImageClassifier",
                                        "Segmentor",
                                        "Detector",
                                        "Recognizer",
                                        "Recognizer2D",
                                        "Recognizer3D",
                                        "TopDown",
                                        "Generator",
                                        "DefaultSegmentor",
                                        "NeuralNet",
                                        "System",
                                        "Learner",
                                        "LightningModel",
                                        "Regressor",
                                        "DefaultClassifier",
                                        "DataPreprocessor",
                                        NULL};
    static const char *const ends[] = {"Module", "Wrapper", "Experiment",
                                       "Task",   "System",  "SegmentorV2"};
    struct text text = text_from(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (text.len > n && memcmp(text.at + text.len - n, ends[i], n) == 0)
            return true;
    }
    return py_is_one_of(text, words);
}

const char *advisor_model_name(const struct clues *clues,
                               const struct py_value *model,
                               struct arena *arena, bool *asked)
{
    *asked = true;
    if (py_is_text(model))
        return last_part(model->text, arena);
    if (model->type != PYV_OBJECT)
        return NULL;
    const struct py_value *name = model->call ? asked_for(model->call) : NULL;
    if (py_is_text(name))
        return last_part(name->text, arena);
    *asked = false;
    const char *class = name ? NULL : class_name(clues, model, arena);
    return class;
}

/* Finds the model if the code trains a wrapper of the model, a part of it or an
 * object that holds it. */

enum { OWNER_DEEP_MAX = 5 };

static bool calls_is_wrapper(struct text name)
{
    static const char *const names[] = {"DataParallel",
                                        "DistributedDataParallel",
                                        "FullyShardedDataParallel",
                                        "DDP",
                                        "FSDP",
                                        "prepare",
                                        "initialize",
                                        "convert_sync_batchnorm",
                                        "get_peft_model",
                                        "prepare_model",
                                        "setup",
                                        "wrap",
                                        "compile",
                                        "prepare_model_for_kbit_training"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (py_name_ends(name, names[i]))
            return true;
    }
    return false;
}

/* Returns the model inside wrappers such as
 * DistributedDataParallel, or inside a LightningModule that holds it; `model`
 * itself if it contains no other. Looks at most five levels deep. */
static const struct py_value *advisor_inner_model(const struct py_value *model)
{
    static const char *const names[] = {"model",    "net",     "network",
                                        "backbone", "encoder", "generator",
                                        "module"};
    for (int i = 0; i < OWNER_DEEP_MAX; i++) {
        const struct py_value *inner = NULL;
        if (model->type != PYV_OBJECT)
            return model;
        if (model->call && calls_is_wrapper(model->call->name))
            inner = py_argument(model->call, 0, "model");
        bool holder = model->of && model->of->type == PYV_CLASS &&
                      py_derives(model->of, "LightningModule");
        for (size_t k = 0; holder && !inner && k < sizeof names / sizeof *names;
             k++)
            inner = py_map_find(model->map, names[k]);
        if (!inner || inner->type != PYV_OBJECT)
            return model;
        model = inner;
    }
    return model;
}

/* True for an object whose class belongs to the project and is derived from a
 * class of models, so that it may hold layers. A LightningModule does not
 * count. */
static bool holds_layers(const struct py_value *whole)
{
    return whole && whole->type == PYV_OBJECT && whole->map && whole->of &&
           whole->of->type == PYV_CLASS &&
           !py_derives(whole->of, "LightningModule") &&
           (py_derives(whole->of, "Module") || py_derives(whole->of, "Model"));
}

/* Returns the object of a model class of the project that holds `part`, a layer
 * of a library; `part` itself if there is none. An optimizer may get the
 * parameters of each layer separately. */
static const struct py_value *advisor_holder_of(
    const struct py_machine *machine, const struct py_value *part)
{
    if (part->type != PYV_OBJECT || !part->of || part->of->type != PYV_LIBRARY)
        return part;
    for (size_t i = 0; i < machine->n_calls; i++) {
        const struct py_value *whole = machine->calls[i]->result;
        bool fits = holds_layers(whole);
        for (size_t k = 0; fits && k < whole->map->n; k++) {
            if (whole->map->at[k].value == part)
                return whole;
        }
    }
    return part;
}

/* If out->model is put together by keras.Model or Sequential, it has no name of
 * its own: replaces it by the first network of keras.applications that the code
 * makes, if there is one. */
static void advisor_find_base(const struct py_machine *machine,
                              struct advisor_calls *out)
{
    static const char part[] = "applications.";
    const struct py_call *made = out->model ? out->model->call : NULL;
    if (!made || !(py_name_ends(made->name, "keras.Model") ||
                   py_name_ends(made->name, "Sequential") ||
                   py_name_ends(made->name, "models.Model")))
        return;
    for (size_t i = 0; i < machine->n_calls; i++) {
        const struct py_call *call = machine->calls[i];
        if (call->result && call->result->type == PYV_OBJECT &&
            memmem(call->name.at, call->name.len, part, sizeof part - 1)) {
            out->model = call->result;
            return;
        }
    }
}

enum { ADVISOR_CALLS_DEEP_MAX = 5 };

static bool calls_holds(struct text t, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= t.len; i++) {
        if (text_is_nocase((struct text){t.at + i, n}, word))
            return true;
    }
    return false;
}

const char *advisor_optimizer_name(const struct clues *clues,
                                   const struct py_call *call,
                                   struct arena *arena)
{
    struct text name = py_last_name(call->name);
    if (calls_holds(call->name, "schedul") || !name.len)
        return NULL;
    /* create_optimizer(opt="adamw") of a library */
    const struct py_value *asked = py_argument(call, -1, "opt");
    if (py_is_text(asked) && calls_holds(name, "optimizer"))
        return clue_optimizer(clues, asked->text);
    const char *known = clue_optimizer(clues, name);
    /* a class of the project that is derived from an optimizer */
    bool derived = call->callee && call->callee->type == PYV_CLASS &&
                   py_derives(call->callee, "Optimizer");
    if (known || !derived)
        return known;
    return arena_copy(arena, name.at, name.len);
}

/* True if the name of a variable or a split contains a word for evaluation,
 * such as "val", and not "train". */
static bool calls_is_of_evaluation(struct text name)
{
    static const char *const words[] = {"val", "test", "eval",
                                        "dev", "pred", "infer"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (calls_holds(name, words[i]) && !calls_holds(name, "train"))
            return true;
    }
    return false;
}

/* Returns a score: the higher it is, the more likely the call prepares data for
 * training. Below 0, the call probably prepares data for an evaluation. */
static int training_score(const struct py_call *call, unsigned depth)
{
    int score = 0;
    const struct py_value *shuffle = py_argument(call, -1, "shuffle");
    const struct py_value *train = py_argument(call, -1, "train");
    const struct py_value *split = py_argument(call, -1, "split");
    const struct py_value *first = py_argument(call, 0, "dataset");
    if (calls_is_of_evaluation(call->target))
        score -= 4;
    score += 2 * (call->target.len && calls_holds(call->target, "train"));
    if (shuffle && py_truth(shuffle) != PY_PERHAPS)
        score += py_truth(shuffle) == PY_YES ? 1 : -1;
    if (train && py_truth(train) != PY_PERHAPS)
        score += py_truth(train) == PY_YES ? 3 : -3;
    if (py_is_text(split))
        score += calls_is_of_evaluation(split->text) ? -3 : 1;
    if (first && first->type == PYV_OBJECT && first->call && depth < 3)
        score += training_score(first->call, depth + 1);
    return score;
}

static bool is_loader(const struct py_call *call)
{
    struct text name = py_last_name(call->name);
    size_t n = sizeof "Loader" - 1;
    return name.len >= n && memcmp(name.at + name.len - n, "Loader", n) == 0 &&
           (py_argument(call, -1, "batch_size") || call->arguments.n > 1);
}

static bool is_trainer(const struct py_call *call)
{
    struct text name = py_last_name(call->name);
    size_t n = sizeof "Trainer" - 1;
    return name.len >= n && memcmp(name.at + name.len - n, "Trainer", n) == 0 &&
           py_argument(call, 0, "model");
}

/* Returns the object whose parameters a value holds; NULL if there is none. */
static const struct py_value *owner_of(const struct py_value *value,
                                       unsigned depth);

static const struct py_value *owner_in(const struct py_map *map, unsigned depth)
{
    const struct py_value *owner = NULL;
    for (size_t i = 0; map && !owner && i < map->n && i < 8; i++)
        owner = owner_of(map->at[i].value, depth + 1);
    return owner;
}

static bool gives_parameters(struct text name)
{
    static const char *const names[] = {
        "parameters",           "named_parameters", "trainable_variables",
        "trainable_weights",    "get_parameters",   "params",
        "trainable_parameters", "param_groups",     "collect_params"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (py_name_ends(name, names[i]))
            return true;
    }
    return false;
}

static const struct py_value *owner_of(const struct py_value *value,
                                       unsigned depth)
{
    const struct py_call *call = value->call;
    if (depth > ADVISOR_CALLS_DEEP_MAX)
        return NULL;
    if (value->type == PYV_METHOD && gives_parameters(value->text))
        return value->of;
    if (value->type == PYV_LIST || value->type == PYV_DICT)
        return owner_in(value->map, depth);
    if (!call)
        return NULL;
    if (call->self && gives_parameters(call->name))
        return call->self;
    return owner_in(&call->arguments, depth);
}

static bool calls_is_model_name(struct text name)
{
    static const char *const names[] = {"model",     "net",   "network",
                                        "generator", "net_g", "actor_critic",
                                        "policy",    "agent", "netg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (text_is_nocase(name, names[i]))
            return true;
    }
    return false;
}

/* How a call names the model that it trains. */
struct training {
    const char *name; /* end of the dotted name of the call */
    /* index of the argument that is the model; -1: only a keyword can be */
    int place;
    bool self; /* true if the call is a method of the model */
};

static const struct training trainings[] = {
    {.name = "Trainer.fit", .place = 0},
    {.name = "fit", .place = -1, .self = true},
    {.name = "compile", .place = -1, .self = true},
    {.name = "learn", .place = -1, .self = true},
    {.name = "initialize", .place = -1},
    {.name = "prepare", .place = -1}};

/* Returns the first argument that is a LightningModule; NULL if there is none.
 */
static const struct py_value *module_in(const struct py_call *call)
{
    for (size_t i = 0; i < call->arguments.n; i++) {
        const struct py_value *one = call->arguments.at[i].value;
        if (one->type == PYV_OBJECT && one->of &&
            py_derives(one->of, "LightningModule"))
            return one;
    }
    return NULL;
}

/* Returns the model that TrainState.create(apply_fn=model.apply) trains; NULL
 * for any other call, or if apply_fn is not a method. */
static const struct py_value *model_of_state(const struct py_call *call)
{
    const struct py_value *apply = py_name_ends(call->name, "TrainState.create")
                                       ? py_argument(call, -1, "apply_fn")
                                       : NULL;
    return apply && apply->type == PYV_METHOD ? apply->of : NULL;
}

/* Returns the model that a call trains: an argument, the owner of the
 * parameters that an optimizer gets, or the object whose method is called.
 * Returns NULL if there is none. `optimizer` is true if the call makes an
 * optimizer. */
static const struct py_value *model_of(const struct py_call *call,
                                       bool optimizer)
{
    const struct py_value *model = NULL;
    if (optimizer)
        model = owner_in(&call->arguments, 0);
    if (!model)
        model = module_in(call);
    for (size_t i = 0; !model && i < sizeof trainings / sizeof *trainings;
         i++) {
        const struct training *row = &trainings[i];
        if (!py_name_ends(call->name, row->name))
            continue;
        model = py_argument(call, row->place, "model");
        if (!model && row->self)
            model = call->self;
        break;
    }
    if (text_is(call->name, PY_MODEL))
        model = py_argument(call, 0, "model");
    if (!model)
        model = model_of_state(call);
    return model && (model->type == PYV_OBJECT || py_is_text(model)) ? model
                                                                     : NULL;
}

static bool text_ends_with(struct text t, const char *end)
{
    size_t n = strlen(end);
    return t.len >= n && memcmp(t.at + t.len - n, end, n) == 0;
}

static bool loads_data(const struct clues *clues, const struct py_call *call)
{
    static const char *const names[] = {"load_dataset",   "tfds.load",
                                        "load_from_disk", "load_data",
                                        "from_hub",       "fetch_openml"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (py_name_ends(call->name, names[i]))
            return true;
    }
    if (text_ends_with(py_last_name(call->name), "PredDataset"))
        return true;
    bool made = call->callee && (call->callee->type == PYV_CLASS ||
                                 call->callee->type == PYV_LIBRARY);
    if (made && clue_dataset_in_code(clues, py_last_name(call->name)))
        return true;
    return call->callee && call->callee->type == PYV_CLASS &&
           !py_derives(call->callee, "Module") &&
           clue_dataset(clues, py_last_name(call->name));
}

/* Takes the first optimizer that is made for certain, else the first that is
 * made under an unknown condition. If none is made for certain and two of them
 * have different names, advisor_calls_find takes none. */
static void take_optimizer(const struct py_call *call,
                           struct advisor_calls *out)
{
    const struct py_call *before = out->optimizer;
    if (!before || (before->unsure && !call->unsure))
        out->optimizer = call;
    else if (before->unsure &&
             !text_equal(py_last_name(before->name), py_last_name(call->name)))
        out->optimizer_unsure = true;
}

/* Scores of the best loader and of the best dataset so far (training_score). */
struct calls_scores {
    int loader, dataset;
};

static void calls_take_call(const struct clues *clues,
                            const struct py_machine *machine,
                            const struct py_call *call,
                            struct calls_scores *best,
                            struct advisor_calls *out)
{
    bool optimizer =
        advisor_optimizer_name(clues, call, machine->arena) != NULL;
    const struct py_value *model = model_of(call, optimizer);
    int score = training_score(call, 0);
    if (optimizer)
        take_optimizer(call, out);
    if (model && !out->model)
        out->model = advisor_inner_model(
            optimizer ? advisor_holder_of(machine, model) : model);
    if (is_loader(call) && score > best->loader)
        best->loader = score, out->loader = call;
    if (loads_data(clues, call) && score > best->dataset)
        best->dataset = score, out->dataset = call;
    out->trains |=
        text_is(call->name, PY_JOB) || optimizer || is_trainer(call) || model ||
        py_name_ends(call->name, "backward") || py_name_ends(call->name, "fit");
}

void advisor_calls_find(const struct clues *clues,
                        const struct py_machine *machine,
                        struct advisor_calls *out)
{
    struct calls_scores best = {-1, -1};
    *out = (struct advisor_calls){0};
    for (size_t i = 0; i < machine->n_calls; i++)
        calls_take_call(clues, machine, machine->calls[i], &best, out);
    if (out->optimizer && out->optimizer->unsure && out->optimizer_unsure)
        out->optimizer = NULL;
    advisor_find_base(machine, out);
    for (size_t i = 0; !out->model && i < machine->n_calls; i++) {
        const struct py_call *call = machine->calls[i];
        if (call->result && calls_is_model_name(call->target) &&
            call->result->type == PYV_OBJECT)
            out->model = advisor_inner_model(call->result);
    }
}
