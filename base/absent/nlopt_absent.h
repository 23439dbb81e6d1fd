/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declares the part of NLopt that schedsim uses, so that a build without NLopt
 * compiles. */
#ifndef SIM_ABSENT_NLOPT_H
#define SIM_ABSENT_NLOPT_H

typedef struct nlopt_opt_s *nlopt_opt;
typedef double (*nlopt_func)(unsigned n, const double *x, double *gradient,
                             void *self);
typedef enum { NLOPT_LD_LBFGS = 11 } nlopt_algorithm;
typedef enum { NLOPT_SUCCESS = 1 } nlopt_result;

nlopt_opt nlopt_create(nlopt_algorithm algorithm, unsigned n);
void nlopt_destroy(nlopt_opt opt);
nlopt_result nlopt_optimize(nlopt_opt opt, double *x, double *value);
nlopt_result nlopt_set_ftol_rel(nlopt_opt opt, double tolerance);
nlopt_result nlopt_set_lower_bounds(nlopt_opt opt, const double *low);
nlopt_result nlopt_set_maxeval(nlopt_opt opt, int n);
nlopt_result nlopt_set_min_objective(nlopt_opt opt, nlopt_func call,
                                     void *self);
nlopt_result nlopt_set_upper_bounds(nlopt_opt opt, const double *high);
nlopt_result nlopt_set_vector_storage(nlopt_opt opt, unsigned n);

#endif
