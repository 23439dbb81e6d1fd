/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases: diagnoses that a person called right or wrong, kept with their inputs,
 * so that a site can see whether a change to its signatures mends the wrong
 * ones. Each case is one JSON file. Only its owner can read it, because the
 * lines of the log in it may hold secrets that the job printed. */
#ifndef SIM_CASE_FILE_H
#define SIM_CASE_FILE_H

#include "base/json.h"
#include "schedmate/live/log_file.h"
#include "schedmate/logs/handler.h"

/* A diagnosis in words; NULL: unknown, or not given. */
struct case_answer {
    /* "none": the job did not fail; "unknown": it failed for no known cause */
    const char *kind;
    const char *part, *cause, *action;
};

/* A person's verdict on a diagnosis. */
struct case_verdict {
    bool right;
    /* what the answer should have been, as far as the person's words say or
     * imply it; all NULL if `right` is true */
    struct case_answer truth;
};

/* Reads "right" or "wrong[,kind=K][,part=P][,cause=C][,action=A]"; STATUS_USAGE
 * for anything else. The kind, the part and the action of a known cause need
 * not be given; an unknown cause needs a kind. A part implies the kind
 * "infrastructure", and no other kind has one. The texts of *out are names from
 * tables or copies in `arena`. */
enum status case_verdict_read(const char *words, const struct log_knowledge *k,
                              struct arena *arena, struct case_verdict *out,
                              struct error *err) MUST_USE;

/* What the scheduler reported, as the user gave it; NULL: not given. */
struct case_given {
    const char *state, *exit_code, *signal, *reason;
};

/* What a case is made from. All is borrowed. */
struct case_note {
    const char *log, *note; /* note: words of the person; NULL: none */
    const struct case_verdict *verdict;
    const struct diagnosis *diagnosis;
    const struct log_window *window;
    const struct log_knowledge *knowledge;
    struct case_given given;
};

/* Writes a case into a folder, which is made if it is absent. *path becomes the
 * path of its file, which belongs to `arena`; NULL if it is too long. */
enum status case_keep(const char *folder, const struct case_note *note,
                      struct arena *arena, const char **path,
                      struct error *err) MUST_USE;

/* A kept case. */
struct case_row {
    const char *name; /* name of its file, without ".json" */
    json_t *json;
    int64_t unix_s;
    const char *log, *note; /* note: NULL: none */
    bool right;             /* true if the person called the diagnosis right */
    /* False: the diagnosis comes from a model or rests on a line of the kernel
     * log. The case keeps neither of them. */
    bool by_rules;
    struct case_answer answer, truth;
};
/* Calls `see` with each case of a folder, in the order of their names, which
 * begin with the time. The case is valid during the call only. Stops at a
 * damaged file or at an error of `see`, and returns that error.
 * STATUS_BAD_INPUT if the folder cannot be read. */
typedef enum status (*case_see)(void *self, const struct case_row *row,
                                struct error *err);
enum status case_each(const char *folder, case_see see, void *self,
                      struct error *err) MUST_USE;

/* Returns what persons said of the kept cases whose lines are most like `text`,
 * in words for a question to a model; NULL: there are none, or the folder
 * cannot be read. The lines of the cases are not part of it. */
const char *case_similar(const char *folder, struct text text,
                         struct arena *arena);

struct log_classifier;
/* Diagnoses a kept case by the rules with the given knowledge. The texts of
 * *out belong to the knowledge, out->host to the case. */
enum status case_judge(const struct case_row *row,
                       const struct log_knowledge *knowledge,
                       struct log_classifier *classifier, struct diagnosis *out,
                       struct error *err) MUST_USE;
/* Returns a diagnosis in words, which belong to tables or to the diagnosis. */
struct case_answer case_words(const struct diagnosis *d);
/* Returns an answer as a JSON object, which the caller owns. */
json_t *case_answer_json(const struct case_answer *a);
/* True if the answer agrees with every member of the truth that is not NULL. */
bool case_is_right(const struct case_answer *answer,
                   const struct case_answer *truth);

#endif
