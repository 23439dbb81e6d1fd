/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes of ranks and names of hosts in the logs. */
#include "schedmate/simulated/evidence/evidence_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"

#define HOST_STEM "gpunode"
/* Argument `what` of the draw that chooses the rank that fails first in an
 * attempt. */
#define DRAW_RANK 300

void log_host_name(node_id node, char out[MADE_HOST_MAX])
{
    snprintf(out, MADE_HOST_MAX, HOST_STEM "%04u", node);
}

bool log_host_find(struct text t, node_id *out)
{
    size_t stem = strlen(HOST_STEM);
    while (t.len > stem) {
        const char *at = memmem(t.at, t.len, HOST_STEM, stem);
        if (!at)
            return false;
        t = text_skip(t, (size_t)(at - t.at) + stem);
        struct text digits = t;
        digits.len = 0;
        while (digits.len < t.len && ascii_is_digit(t.at[digits.len]))
            digits.len++;
        if (text_to_u32(digits, out))
            return true;
    }
    return false;
}

uint32_t log_ranks_per_node(const struct log_shape *s)
{
    const struct log_kind *kind = &s->source->kind;
    return (kind->gpus + kind->nodes - 1) / kind->nodes;
}

node_id log_node_of(const struct log_shape *s, uint32_t rank)
{
    const node_id *hosts = s->attempt->hosts;
    uint32_t i = rank / log_ranks_per_node(s);
    i = i < s->source->kind.nodes ? i : s->source->kind.nodes - 1;
    return hosts ? hosts[i] : i;
}

uint32_t log_faulty_rank(const struct log_shape *s)
{
    const struct log_kind *kind = &s->source->kind;
    uint32_t per = log_ranks_per_node(s);
    uint32_t rank = (uint32_t)log_draw(s->attempt_key, DRAW_RANK, kind->gpus);
    for (uint32_t r = 0; r < kind->gpus; r += per) {
        uint32_t here = kind->gpus - r < per ? kind->gpus - r : per;
        if (log_node_of(s, r) == s->attempt->failure.node)
            return r + (uint32_t)log_draw(s->attempt_key, DRAW_RANK, here);
    }
    return rank;
}
