/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the launch that trains, if a command starts several programs. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/launch_internal.h"

/* Words that begin a part of a program's name: `training`, if the program
 * trains; `other`, if it does something else. */
static const char *const training[] = {"train", "finetun", "pretrain", "sft",
                                       "dpo",   "ppo",     "grpo",     "rlhf",
                                       "learn", "fit",     "lora",     "tune"};
static const char *const other[] = {
    "eval",     "test",      "infer",   "generat", "predict", "preproc",
    "prepare",  "download",  "convert", "export",  "demo",    "serve",
    "server",   "plot",      "visual",  "tokeniz", "build",   "setup",
    "install",  "merge",     "extract", "collect", "analy",   "bench",
    "process",  "make",      "create",  "summar",  "average", "score",
    "decode",   "translate", "detect",  "split",   "check",   "upload",
    "validate", "report",    "clean",   "sample",  "compile", "average"};

/* True if a part of the name begins with one of the words. Any character other
 * than a letter or digit separates parts. */
static bool has_part(const char *name, const char *const *words, size_t n)
{
    for (size_t i = 0; name[i]; i++) {
        if (i > 0 && ascii_is_alnum(name[i - 1]))
            continue;
        for (size_t k = 0; k < n; k++) {
            size_t len = strlen(words[k]);
            if (strncasecmp(name + i, words[k], len) == 0)
                return true;
        }
    }
    return false;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int score_name(const char *name)
{
    if (!name)
        return 0;
    bool trains = has_part(name, training, COUNT(training));
    bool else_ = has_part(name, other, COUNT(other));
    return trains ? 40 : else_ ? -40 : 0;
}

static int score_words(const struct launch *launch)
{
    static const char on[] = "--do_train --do-train --train --mode=train "
                             "--is_training mode=train --is_train "
                             "+mode=train --train=True";
    static const char off[] =
        "--eval --evaluate --test --test_only --test-only "
        "--eval-only --eval_only --inference --generate "
        "--mode=test --mode=eval mode=test mode=eval "
        "--predict --validate --help --version";
    int score = 0;
    for (size_t i = 0; i < launch->n_words; i++) {
        const char *word = launch->words[i];
        if (launch_listed(on, word))
            score += 20;
        else if (launch_listed(off, word))
            score -= 30;
        else if (i == 0 && word[0] != '-' && !strpbrk(word, "/.="))
            score += score_name(word) / 2;
        if (word[0] == '-' &&
            (strstr(word, "epoch") || strstr(word, "lr") ||
             strstr(word, "learning") || strstr(word, "batch")))
            score += 3;
    }
    return score > 60 ? 60 : score;
}

int launch_score(const struct launch *launch)
{
    const char *name = launch->script   ? launch_base(launch->script)
                       : launch->module ? launch->module
                                        : launch->program;
    int score = score_name(name) + score_words(launch);
    if (launch->module && launch->script == NULL && strchr(launch->module, '.'))
        score = score_name(strrchr(launch->module, '.') + 1) ||
                        !score_name(launch->module)
                    ? score
                    : score + 10;
    if (launch->launcher && strcmp(launch->launcher, "python") != 0)
        score += 15;
    if (launch->is_shell)
        score -= 10;
    if (!launch->script && !launch->module)
        score -= 20;
    return score;
}

/* True if two launches start the same script or module with the same arguments.
 */
static bool equal(const struct launch *a, const struct launch *b)
{
    const char *x = a->script ? a->script : a->module;
    const char *y = b->script ? b->script : b->module;
    if (!x || !y || strcmp(x, y) != 0 || a->n_words != b->n_words)
        return false;
    for (size_t i = 0; i < a->n_words; i++) {
        if (strcmp(a->words[i], b->words[i]) != 0)
            return false;
    }
    return true;
}

static void set_note(struct launch *launch, size_t n, struct arena *arena)
{
    char note[160] = "";
    if (launch->runs == SHELL_RUNS_MANY)
        snprintf(note, sizeof note,
                 "the command starts several runs; values that differ are "
                 "left out");
    else if (launch->runs > 1)
        snprintf(note, sizeof note,
                 "the command starts %zu runs; values that differ are left out",
                 launch->runs);
    else if (n > 1)
        snprintf(note, sizeof note,
                 "the command starts %zu training runs; this is the first", n);
    if (note[0])
        launch->note = arena_copy(arena, note, strlen(note));
}

const struct launch *launch_choose(struct launch_finder *finder)
{
    struct launch *best = NULL;
    size_t n = 0;
    for (size_t i = 0; i < finder->n_found; i++) {
        struct launch *launch = &finder->found[i];
        if (!best || launch->score > best->score)
            best = launch;
    }
    if (!best)
        return NULL;
    for (size_t i = 0; i < finder->n_found; i++) {
        const struct launch *launch = &finder->found[i];
        bool trains = launch->score >= 30 || launch->score == best->score;
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again |= equal(launch, &finder->found[k]);
        n += trains && !again && (launch->script || launch->module);
    }
    set_note(best, n, finder->arena);
    return best;
}
