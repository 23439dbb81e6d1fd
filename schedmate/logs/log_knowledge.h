/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knowledge about failures, as data: the causes, the signatures by which a
 * line of a log shows a cause, and the words of the actions. The built-in data
 * are the files of schedmate/logs/knowledge, which knowledge.schema.json
 * describes; files of a site add to them or replace rows of the same name. All
 * strings belong to the knowledge.
 *
 * Signatures of a file that was read later stand before those of an earlier
 * file, so those of a site come before the built-in ones. The signatures of one
 * file keep their order. */
#ifndef MODELS_LOG_KNOWLEDGE_H
#define MODELS_LOG_KNOWLEDGE_H

#include "base/digest.h"
#include "base/failure_kind.h"
#include "base/text.h"
#include "schedmate/logs/handler_action.h"

/* Names by enum failure_kind; ends with NULL. */
extern const char *const failure_kinds[];

/* The part of the infrastructure that failed; PART_NONE for all kinds but
 * FAILURE_INFRASTRUCTURE. */
enum failure_part {
    PART_GPU,
    PART_NVLINK,
    PART_NETWORK,
    PART_NODE,
    PART_OTHER, /* storage, power, ... */
    PART_NONE,
    N_FAILURE_PARTS,
};
/* Names by enum failure_part; ends with NULL. */
extern const char *const failure_parts[];

struct log_reason {
    const char *name;  /* a few words, shown as the reason */
    const char *means; /* the meaning, in one sentence */
    const char *file;  /* file from which the cause was read */
    enum failure_kind kind;
    enum failure_part part;
    enum handler_action action;
};

/* What a line with the signature tells. */
enum log_role {
    LOG_ROLE_CAUSE, /* the cause of a failure */
    /* a consequence, which counts only if no specific cause is found */
    LOG_ROLE_FALLOUT,
    LOG_ROLE_WRAPPER,  /* that a process failed; other lines tell why */
    LOG_ROLE_HARMLESS, /* nothing: the line is no error */
    LOG_ROLE_OFF,      /* the signature is not used */
    N_LOG_ROLES,
};

/* Where the text of a signature has to stand in a line. */
enum log_anchor {
    LOG_ANCHOR_ANY,
    /* at the start, after the prefix of a launcher and blanks */
    LOG_ANCHOR_START,
    LOG_ANCHOR_END,  /* at the end, apart from blanks */
    LOG_ANCHOR_WORD, /* no letter, digit or '_' on either side */
    /* the whole name of the exception class with which the line begins, perhaps
     * after that of its module, such as "torch.cuda." */
    LOG_ANCHOR_CLASS,
    LOG_ANCHOR_CLASS_END, /* the end of that name */
    /* as a word, perhaps with a number after it ("gpu3"), in a line that
     * reports a fault (log_severity.h) */
    LOG_ANCHOR_REPORT,
    N_LOG_ANCHORS,
};

#define LOG_TEXTS_MAX 16 /* largest number of texts in a list */

struct log_texts {
    const struct text *at;
    size_t n;
};

struct log_signature {
    const char *name, *file;
    /* NULL for LOG_ROLE_WRAPPER (unless the file names a cause),
     * LOG_ROLE_HARMLESS and LOG_ROLE_OFF */
    const struct log_reason *reason;
    /* strength of the evidence, 1 to 100; 0: `reason` is NULL */
    unsigned weight;
    enum log_role role;
    enum log_anchor anchor;
    bool any_case;
    bool decides; /* true if no other signature of the line counts */
    /* True if the kernel or a driver prints the line. Without a code, each of
     * `texts` is longer than the name of a process, which the kernel prints too
     * and any user can choose. */
    bool kernel;
    /* The line has one of `texts`, all of `also` and none of `none`. */
    struct log_texts texts, also, none;
    /* If not NULL: this text stands somewhere after one of `texts`, and a
     * number from code_from to code_to follows it. */
    const char *code_after;
    uint32_t code_from, code_to;
    /* If not NULL: a host's name follows this text; if host_before is not NULL,
     * that text follows the host's name. */
    const char *host_after, *host_before;
};

struct log_action {
    const char *words;
    /* True if the action takes a node from other jobs or ends work that may be
     * healthy. */
    bool disruptive;
};

struct log_knowledge; /* opaque */

/* Returns the built-in data. The caller frees it with log_knowledge_free. */
struct log_knowledge *log_knowledge_new(void);
/* Adds a file of a site: its name and its content. Invalid content is
 * STATUS_BAD_INPUT, and the error begins with FILE:LINE:COLUMN. */
enum status log_knowledge_add(struct log_knowledge *k, const char *file,
                              struct text json, struct error *err) MUST_USE;
/* Orders the signatures and makes the table that is searched. Call it once,
 * after the last file and before any search. Returns STATUS_BAD_INPUT if there
 * are too many signatures or their texts are too long together. */
enum status log_knowledge_ready(struct log_knowledge *k,
                                struct error *err) MUST_USE;
void log_knowledge_free(struct log_knowledge *k); /* accepts NULL */

/* True if a row with this `file` is part of the built-in data. Compares the
 * pointer, not the name. */
bool log_knowledge_is_ours(const struct log_knowledge *k, const char *file);
/* Returns the name of file i of a site, in the order in which they were read,
 * from 0; NULL after the last. */
const char *log_knowledge_file(const struct log_knowledge *k, size_t i);
/* Returns 64 hexadecimal digits: the SHA-256 of the content of all files, in
 * the order in which they were read; "" before log_knowledge_ready. */
const char *log_knowledge_digest(const struct log_knowledge *k);
const struct log_action *log_knowledge_action(const struct log_knowledge *k,
                                              enum handler_action action);
/* Returns the name of the cause that is nearest to `name`; NULL if none is
 * near. */
const char *log_knowledge_near(const struct log_knowledge *k, const char *name);
/* Returns the cause of this name, or NULL. */
const struct log_reason *log_knowledge_reason(const struct log_knowledge *k,
                                              const char *name);

/* An iterator over the signatures of the first 2 KiB of a line, in the order in
 * which the knowledge has them. Knowledge and line are borrowed. */
#define LOG_SIGNATURES_MAX 4096
struct log_matches {
    const struct log_knowledge *knowledge;
    struct text line;
    size_t next;
    uint64_t may[LOG_SIGNATURES_MAX / 64]; /* bit i: signature i may match */
};
void log_matches_begin(const struct log_knowledge *k, struct text line,
                       struct log_matches *out);
/* Returns the next signature that the line has, of any role but LOG_ROLE_OFF;
 * NULL after the last. */
const struct log_signature *log_matches_next(struct log_matches *m);

/* True if the line has a signature of this role. */
bool log_has_role(const struct log_knowledge *k, struct text line,
                  enum log_role role);

/* Finds the name of the host to which the signature points. Returns false if
 * there is none. *out is part of the line: letters, digits, '.', '_' and '-',
 * at most 253 bytes. */
bool log_signature_host(const struct log_signature *s, struct text line,
                        struct text *out);

#endif
