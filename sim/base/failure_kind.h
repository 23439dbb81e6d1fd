/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of failures, by who has to act (Acme, NSDI'24, section 5). */
#ifndef MODELS_FAILURE_KIND_H
#define MODELS_FAILURE_KIND_H

enum failure_kind {
    FAILURE_INFRASTRUCTURE, /* hardware, network, storage; the operator acts */
    FAILURE_FRAMEWORK,      /* a library or its use; the user acts */
    FAILURE_SCRIPT,         /* own code, data or settings; the user acts */
    FAILURE_N_KINDS
};
/* Returns the word for the kind: "infrastructure", "framework", "script". */
const char *failure_kind_name(enum failure_kind kind);

#endif
