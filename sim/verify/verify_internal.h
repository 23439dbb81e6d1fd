/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of verify share. */
#ifndef SIM_VERIFY_VERIFY_INTERNAL_H
#define SIM_VERIFY_VERIFY_INTERNAL_H

#include <stddef.h>

#include "sim/verify/verify.h"

/* == verify_manifest.c: Checks what manifest.json repeats. */
void verify_manifest(const struct verify_data *data,
                     struct verify_report *report);

/* Compares the files of the directory with those that the manifest
 * lists, and their digests. Returns STATUS_FAILED or STATUS_BAD_INPUT if a file
 * cannot be read. */
enum status verify_digests(const char *dir, const struct verify_data *data,
                           struct verify_report *report,
                           struct error *err) MUST_USE;

/* == verify_extras.c: The numbers of summary.json that exist on request
 * (--wait-over, --by), computed from the files. */

/* Some jobs, as indices in verify_data.jobs, in order of submission. */
struct verify_member_list {
    const uint32_t *at; /* NULL: all jobs */
    size_t n;
};

static inline const struct verify_job *verify_member(
    const struct verify_data *data, const struct verify_member_list *list,
    size_t i)
{
    return &data->jobs[list->at ? list->at[i] : i];
}

/* True if the manifest says that jobs are grouped by `what`: "user" or
 * "type". */
bool verify_groups_by(const struct verify_data *data, const char *what);
/* Adds to `object`, for each time of --wait-over, the share of the counted jobs
 * of the list that wait longer. Rejected jobs count as waiting longer. */
void verify_waits(const struct verify_data *data,
                  const struct verify_member_list *list, json_t *object);
/* Adds to `object` Jain's indices over the users and over the rho of the
 * counted jobs that finished. */
void verify_jain(const struct verify_data *data, json_t *object);
/* Returns the GPU type of the last attempt of a job, a symbol of
 * verify_data.types; UINT32_MAX: the job never ran, or the attempt lists no
 * GPU. */
uint32_t verify_type_of(const struct verify_data *data,
                        const struct verify_job *job);
/* Returns the indices of all jobs ordered by their keys, equal keys by
 * submission. The caller frees the array. */
uint32_t *verify_order(const struct verify_data *data, const uint32_t *keys);

/* == verify_quota.c: Checks a run with quotas that lend. */

/* Reads the quotas of the manifest, if there are any. */
enum status verify_quota_read(struct verify_data *data, const json_t *cluster,
                              struct error *err) MUST_USE;
/* Checks who was stopped, and the counts of the layer. */
void verify_quota_victims(const struct verify_data *data,
                          struct verify_report *report);
/* Checks at each instant that the quotas are kept. */
void verify_quota_check(const struct verify_data *data,
                        struct verify_report *report);

/* == verify_summary.c: Checks what summary.json repeats of manifest.json, and
 * whether the run is complete. */
void verify_summary(const struct verify_data *data,
                    struct verify_report *report);

/* == verify_sums.c: Sums over the jobs of groups; of GPU time in GPU-us. */

struct verify_sums {
    double jobs, attempts, preemptions;
    double held, useful, work, overhead, lost, profiling;
};

extern const char *const verify_sizes[]; /* names of the groups by size */

/* Returns the group of a job: a symbol, an index into verify_outcomes or
 * verify_sizes, 0 for all jobs; by type UINT32_MAX if it never ran. */
uint32_t verify_key_of(const struct verify_data *data,
                       const struct verify_job *job, enum verify_group by);
/* Adds a job, whose attempts were read, to the sums of its groups. */
void verify_sums_add(struct verify_data *data, const struct verify_job *job,
                     const struct verify_job_row *row);
const struct verify_sums *verify_sums_of(const struct verify_data *data,
                                         enum verify_group by, uint32_t key);

/* == verify_sort.c: Sorts numbers in ascending order. No number is NaN. */

void verify_sort(double *at, size_t n);

#endif
