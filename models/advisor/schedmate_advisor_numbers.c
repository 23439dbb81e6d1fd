/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds batch size, epochs, steps, rate, accumulation and sequence length among
 * the settings of a job. */
#include "models/advisor/py_text.h"
#include "models/advisor/schedmate_advisor_rules_internal.h"
#include "models/llm/llm_text.h"

/* Names of options in public training code, in order of preference: of several
 * settings of one rank, that whose name comes first counts (settings_find). */
static const char *const batch_keys[] = {"per_device_train_batch_size",
                                         "train_micro_batch_size_per_gpu",
                                         "micro_batch_size",
                                         "batch_size_per_gpu",
                                         "train_batch_size",
                                         "batch_size",
                                         "per_device_batch_size",
                                         "per_gpu_batch_size",
                                         "batch_size_per_device",
                                         "local_batch_size",
                                         "ims_per_batch",
                                         "samples_per_gpu",
                                         "batchsize",
                                         "batch",
                                         "bs",
                                         "global_batch_size",
                                         "total_batch_size",
                                         NULL};
static const char *const epoch_keys[] = {
    "num_train_epochs", "num_epochs", "max_epochs",   "epochs",
    "max_epoch",        "n_epochs",   "total_epochs", "train_epochs",
    "nepochs",          "nepoch",     "epoch",        NULL};
static const char *const step_keys[] = {"max_steps",
                                        "max_train_steps",
                                        "max_iters",
                                        "train_iters",
                                        "max_iter",
                                        "total_steps",
                                        "num_train_steps",
                                        "train_steps",
                                        "num_env_steps",
                                        "total_timesteps",
                                        "train_num_steps",
                                        "num_steps_total",
                                        "n_timesteps",
                                        "max_updates",
                                        "iterations",
                                        "iter",
                                        "training.steps",
                                        "train.steps",
                                        NULL};
static const char *const lr_keys[] = {
    "learning_rate",      "base_lr", "lr", "init_lr", "max_lr", "peak_lr",
    "base_learning_rate", NULL};
static const char *const accumulation_keys[] = {"gradient_accumulation_steps",
                                                "accumulate_grad_batches",
                                                "accum_iter",
                                                "grad_accum",
                                                "gradient_accumulation",
                                                NULL};
static const char *const length_keys[] = {
    "max_seq_length",    "max_seq_len",
    "seq_length",        "seq_len",
    "cutoff_len",        "max_sequence_length",
    "max_source_length", "max_len",
    "block_size",        "model_max_length",
    "context_length",    "max_length",
    "sequence_length",   NULL};
void rules_set_numbers(struct rules *rules)
{
    static const struct {
        enum metadata_field field;
        const char *const *keys;
    } rows[] = {
        {METADATA_BATCH_SIZE, batch_keys},
        {METADATA_EPOCHS, epoch_keys},
        {METADATA_MAX_STEPS, step_keys},
        {METADATA_LEARNING_RATE, lr_keys},
        {METADATA_GRADIENT_ACCUMULATION, accumulation_keys},
        {METADATA_SEQUENCE_LENGTH, length_keys},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct setting *setting =
            rules_find(rules, rows[i].keys, setting_is_positive);
        double number;
        if (!setting || !py_number(text_from(setting->value), &number))
            continue;
        struct out *text = out_to_memory();
        llm_json_number(text, number);
        metadata_set(rules->out, rows[i].field, out_memory(text),
                     setting->where, rules->arena);
        out_abandon(text);
    }
}
