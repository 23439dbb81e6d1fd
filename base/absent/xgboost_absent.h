/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declares the part of XGBoost that schedsim uses, so that a build without
 * XGBoost compiles. */
#ifndef SIM_ABSENT_XGBOOST_H
#define SIM_ABSENT_XGBOOST_H

#include <stdint.h>

typedef void *BoosterHandle;
typedef void *DMatrixHandle;
typedef uint64_t bst_ulong;

const char *XGBGetLastError(void);
int XGBoosterCreate(const DMatrixHandle data[], bst_ulong n,
                    BoosterHandle *out);
int XGBoosterFree(BoosterHandle booster);
int XGBoosterPredict(BoosterHandle booster, DMatrixHandle data, int options,
                     unsigned trees, int training, bst_ulong *n,
                     float const **out);
int XGBoosterSaveModelToBuffer(BoosterHandle booster, char const *config,
                               bst_ulong *n, char const **out);
int XGBoosterSetParam(BoosterHandle booster, const char *name,
                      const char *value);
int XGBoosterUpdateOneIter(BoosterHandle booster, int round,
                           DMatrixHandle data);
int XGDMatrixCreateFromMat_omp(const float *rows, bst_ulong n,
                               bst_ulong columns, float missing,
                               DMatrixHandle *out, int threads);
int XGDMatrixFree(DMatrixHandle data);
int XGDMatrixSetFloatInfo(DMatrixHandle data, const char *field,
                          const float *values, bst_ulong n);

#endif
