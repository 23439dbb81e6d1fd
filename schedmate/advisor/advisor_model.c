/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the name of the model that an evaluated script trains. */
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/advisor_calls.h"
#include "schedmate/advisor/advisor_clues.h"

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

/* Returns the name by which the code asked a library for a part of the model,
 * such as the encoder of a classifier; NULL if there is no such part. */
static const char *name_of_part(const struct py_value *model,
                                struct arena *arena)
{
    for (size_t i = 0; model->map && i < model->map->n && i < 64; i++) {
        const struct py_value *part = model->map->at[i].value;
        const struct py_value *name = part->type == PYV_OBJECT && part->call
                                          ? asked_for(part->call)
                                          : NULL;
        if (py_is_text(name))
            return last_part(name->text, arena);
    }
    return NULL;
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
    if (class && !advisor_is_plain_model(class))
        return class;
    const char *part = name_of_part(model, arena);
    *asked = part != NULL;
    return part ? part : class;
}
