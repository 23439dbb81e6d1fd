/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The policy `exec`: another program decides. At each instant at which a start
 * can have become possible or a wake comes (at each decision, if the program
 * asks for that), it gets one question, a line of JSON, and answers with a plan
 * (docs/policy-protocol.md). It sees what every policy sees, the view, and
 * nothing else.
 *
 * The program is started when the run is composed, because only its first
 * answer says what the policy needs. */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H

#include "policies/policy.h"

struct program_config {
    const char *command, *record, *replay, *pass, *reads;
    unsigned confine;
    sim_span answer, whole;
    uint32_t memory_mib;
    bool show_messages;
};

/* Descriptor before a program is open: name, summary and settings. */
extern const struct policy_ops policy_exec;

struct program;

/* Starts the program, or opens the record that replaces it, and asks for its
 * introduction. The caller frees *out with program_free. `config` is borrowed;
 * `arena` lives as long as the run. Returns STATUS_USAGE if there is neither a
 * program nor a record to replay, or both, or a record is to be replayed and
 * another written; STATUS_BAD_INPUT if the answer is not an introduction or the
 * record cannot be read; else the errors of child_start, child_ask and
 * record_write. */
enum status program_open(const struct program_config *config,
                         struct arena *arena, struct remarks *remarks,
                         struct program **out, struct error *err) MUST_USE;

/* Returns the descriptor for this program: "exec:NAME" with its needs. Its
 * config is the program. */
const struct policy_ops *program_policy(const struct program *program);

/* Ends the program after the run, and writes its record. Adds the remarks of
 * child_end, and one if a replayed record has answers left. Returns the error
 * of record_close. */
enum status program_end(struct program *program, struct remarks *remarks,
                        struct error *err) MUST_USE;

void program_free(struct program *program); /* accepts NULL */

/* Parses the name of a policy as a user gives it, also of one that is not
 * compiled in: "NAME[:key=value,...]", "exec:COMMAND[,key=value...]" or
 * "PATH.so[:key=value,...]", each with "+LAYER" before the first colon for each
 * layer. */

/* Parses the name of a policy. A command may contain blanks, colons, commas and
 * "=": it ends before the first ",KEY=" from which on only settings of `exec`
 * follow. The command becomes the setting `command`. The texts of *out are
 * views into `text`. Returns the errors of spec_parse. */
enum status outside_spec(struct text text, struct spec *out,
                         struct error *err) MUST_USE;

/* True if the name of a policy, with its layers or without, is the path of a
 * shared object: it contains a slash or ends in ".so". */
bool outside_is_path(struct text name);

/* True if a name ends as a source in C or C++ does, which must be compiled to
 * be a policy. */
bool outside_is_source(struct text name);

#endif
