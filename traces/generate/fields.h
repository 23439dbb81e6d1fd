/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the values of a calibration file by their path, such as
 * "arrivals.hours.value". A value that is missing or of a wrong type is
 * recorded as a failure; the caller looks at `st` once, after it has read
 * everything. */
#ifndef TRACES_FIELDS_H
#define TRACES_FIELDS_H

#include <jansson.h>

#include "traces/generate/calibration.h"

struct fields {
    struct arena *arena; /* owns what is read */
    const char *file;    /* name of the file, for messages */
    enum status st;      /* the first failure */
    struct error *err;
};

/* Records that there is no `expected` at `path`, if nothing failed before. */
void fields_fail(struct fields *r, const char *path, const char *expected);

/* These functions return the value at `path`; fields_copy returns a copy of the
 * text `at`. If the value is missing or of a wrong type, they record a failure
 * and return something that the other functions accept. fields_count accepts 0
 * to 1e6. */
double fields_number(struct fields *r, json_t *root, const char *path);
uint32_t fields_count(struct fields *r, json_t *root, const char *path);
const char *fields_copy(struct fields *r, json_t *at, const char *path);
const char *fields_string(struct fields *r, json_t *root, const char *path);
json_t *fields_array(struct fields *r, json_t *root, const char *path,
                     size_t *n);
/* Returns element `i` of `list`. If it is missing or no number, records a
 * failure at `path` and returns 0. */
double fields_element(struct fields *r, json_t *list, size_t i,
                      const char *path);
/* Reads a list of exactly `want` numbers; another length is a failure. */
void fields_fixed(struct fields *r, json_t *root, const char *path, double *out,
                  size_t want);
double *fields_list(struct fields *r, json_t *root, const char *path,
                    size_t *n);
/* Reads a list of pairs [value, weight]. */
struct calibration_point *fields_points(struct fields *r, json_t *root,
                                        const char *path, size_t *n);
/* Records a failure if `value` is outside lo..hi. */
void fields_within(struct fields *r, const char *path, double value, double lo,
                   double hi);

#endif
