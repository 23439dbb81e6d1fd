/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the report that a program prints for a failure. */
#include "schedmate/simulated/evidence/evidence_internal.h"

#include <string.h>

enum log_fault log_fault_of(const char *cause, enum log_fault otherwise)
{
    /* causes of the fault models, which name the part of the machine */
    static const struct {
        const char *cause;
        enum log_fault fault;
    } parts[] = {
        {"node fault", LOG_FAULT_NODE},
        {"GPU fault", LOG_FAULT_GPU},
        {"NVLink fault", LOG_FAULT_NVLINK},
        {"NIC or link fault", LOG_FAULT_NETWORK},
        {"storage fault", LOG_FAULT_STORAGE},
        {"node failure (injected)", LOG_FAULT_NODE},
    };
    for (size_t i = 0; cause && i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(cause, parts[i].cause) == 0)
            return parts[i].fault;
    }
    for (size_t i = 0; cause && i < log_n_cascades; i++) {
        if (strcmp(cause, log_cascades[i].cause) == 0)
            return log_cascades[i].fault;
    }
    return otherwise;
}

static bool fault_fits(const struct log_cascade *c, const struct log_failure *f,
                       bool by_cause)
{
    return c->fault == f->fault &&
           (!by_cause || strcmp(c->cause, f->cause) == 0);
}

static size_t fault_count(const struct log_failure *f, bool by_cause)
{
    size_t n = 0;
    for (size_t i = 0; i < log_n_cascades; i++)
        n += fault_fits(&log_cascades[i], f, by_cause);
    return n;
}

const struct log_list *log_cascade_choose(const struct log_failure *f,
                                          uint64_t draw)
{
    static const struct log_list none = {0};
    bool by_cause = f->cause && fault_count(f, true) > 0;
    size_t n = fault_count(f, by_cause);
    size_t wanted = n ? (size_t)(draw % n) : 0;
    for (size_t i = 0; i < log_n_cascades; i++) {
        if (fault_fits(&log_cascades[i], f, by_cause) && wanted-- == 0)
            return &log_cascades[i].list;
    }
    return &none;
}
