/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/registry.h"

extern const struct trace_ops trace_native, trace_philly, trace_philly_flat,
    trace_helios, trace_acme, trace_kalos, trace_lucid, trace_sia, trace_muri,
    trace_tiresias, trace_itp, trace_alibaba_pai, trace_alibaba_spot,
    trace_gavel, trace_swf, trace_slurm, trace_slurm_json, trace_csv;

const struct trace_ops *const trace_formats[] = {
    &trace_native,
    &trace_philly,
    &trace_philly_flat,
    &trace_helios,
    &trace_acme,
    &trace_kalos,
    &trace_lucid,
    &trace_sia,
    &trace_muri,
    &trace_tiresias,
    &trace_itp,
    &trace_alibaba_pai,
    &trace_alibaba_spot,
    &trace_gavel,
    &trace_swf,
    &trace_slurm,
    &trace_slurm_json,
    &trace_csv,
    NULL,
};

const struct trace_ops *trace_find(struct text name)
{
    for (size_t i = 0; trace_formats[i]; i++) {
        if (text_is(name, trace_formats[i]->name))
            return trace_formats[i];
    }
    return NULL;
}
