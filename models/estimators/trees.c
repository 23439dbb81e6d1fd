/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The only file that grows trees with XGBoost. The library is loaded when a run
 * needs trees: linking it would add 2 ms to each start of the program, which is
 * half the time of a small run. */
#include "models/estimators/trees.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/library.h"

#include <schedsim_features.h>
#ifdef SCHEDSIM_WITHOUT_XGBOOST
#include "base/absent/xgboost_absent.h"
#else
#include <xgboost/c_api.h>
#endif

/* The functions of XGBoost that are used. Pointers to them are declared and
 * looked up by this list. */
#define XGBOOST(X) \
    X(XGBGetLastError) \
    X(XGBoosterCreate) \
    X(XGBoosterFree) \
    X(XGBoosterPredict) \
    X(XGBoosterSaveModelToBuffer) \
    X(XGBoosterSetParam) \
    X(XGBoosterUpdateOneIter) \
    X(XGDMatrixCreateFromMat_omp) \
    X(XGDMatrixFree) \
    X(XGDMatrixSetFloatInfo)

struct xgboost {
#define XGBOOST_MEMBER(name) __typeof__(name) *name;
    XGBOOST(XGBOOST_MEMBER)
#undef XGBOOST_MEMBER
};

static enum status load(struct xgboost *xgb, struct error *err)
{
    static const char *const files[] = {"libxgboost.so.0", "libxgboost.so",
                                        NULL};
    static const char *const names[] = {
#define XGBOOST_NAME(name) #name,
        XGBOOST(XGBOOST_NAME)
#undef XGBOOST_NAME
    };
    return library_load(files, "libxgboost0", names,
                        sizeof names / sizeof *names, xgb, err);
}

enum status trees_load(struct error *err)
{
    struct xgboost functions;
    return load(&functions, err);
}

static enum status failed(const struct xgboost *xgb, const char *what,
                          struct error *err)
{
    return error_set(err, STATUS_FAILED, "XGBoost: %s: %.500s", what,
                     xgb->XGBGetLastError());
}

void trees_fini(struct trees *trees)
{
    free(trees->nodes);
    free(trees->roots);
    *trees = (struct trees){0};
}

float trees_predict(const struct trees *trees, const float *row)
{
    float sum = trees->base;
    for (size_t t = 0; t < trees->n_trees; t++) {
        const struct tree_node *node = &trees->nodes[trees->roots[t]];
        while (node->left >= 0) {
            float x = row[node->feature];
            bool left = isnan(x) ? node->missing_left : x < node->split;
            node = &trees->nodes[left ? node->left : node->right];
        }
        sum += node->split;
    }
    return sum;
}

static bool set_params(const struct xgboost *xgb, BoosterHandle booster,
                       const struct trees_params *params, float base)
{
    char text[4][32];
    snprintf(text[0], sizeof text[0], "%u", params->depth);
    snprintf(text[1], sizeof text[1], "%.9g", params->eta);
    snprintf(text[2], sizeof text[2], "%.9g", params->min_child_weight);
    snprintf(text[3], sizeof text[3], "%.9g", (double)base);
    const char *const pairs[][2] = {
        {"booster", "gbtree"},
        {"objective", "reg:squarederror"},
        {"tree_method", "hist"},
        {"nthread", "1"},
        {"seed", "0"},
        {"verbosity", "0"},
        {"max_depth", text[0]},
        {"eta", text[1]},
        {"min_child_weight", text[2]},
        {"base_score", text[3]},
        {"interaction_constraints", params->constraints},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (pairs[i][1] &&
            xgb->XGBoosterSetParam(booster, pairs[i][0], pairs[i][1]) != 0)
            return false;
    }
    return true;
}

/* Returns element i of an array of a tree; 0 if the array is too short:
 * compare() then finds that the predictions differ. */
static double number(const json_t *tree, const char *member, size_t i)
{
    return json_number_value(json_array_get(json_object_get(tree, member), i));
}

static void copy_tree(struct trees *trees, const json_t *tree)
{
    size_t n = json_array_size(json_object_get(tree, "left_children"));
    size_t first = trees->n_nodes;
    trees->nodes = mem_grow(trees->nodes, &trees->cap_nodes, first + n,
                            sizeof *trees->nodes);
    trees->roots = mem_grow(trees->roots, &trees->cap_trees, trees->n_trees + 1,
                            sizeof *trees->roots);
    trees->roots[trees->n_trees++] = (uint32_t)first;
    trees->n_nodes += n;
    for (size_t i = 0; i < n; i++) {
        int left = (int)number(tree, "left_children", i);
        int right = (int)number(tree, "right_children", i);
        trees->nodes[first + i] = (struct tree_node){
            .split = (float)number(tree, "split_conditions", i),
            .gain = (float)number(tree, "loss_changes", i),
            .left = left < 0 ? -1 : (int32_t)first + left,
            .right = left < 0 ? -1 : (int32_t)first + right,
            .feature = (uint16_t)number(tree, "split_indices", i),
            .missing_left = number(tree, "default_left", i) != 0,
        };
    }
}

static enum status copy_trees(const struct xgboost *xgb, struct trees *trees,
                              BoosterHandle booster, struct error *err)
{
    bst_ulong len;
    const char *text;
    if (xgb->XGBoosterSaveModelToBuffer(booster, "{\"format\": \"json\"}", &len,
                                        &text) != 0)
        return failed(xgb, "save", err);
    json_error_t where;
    json_t *root = json_loadb(text, len, 0, &where);
    const json_t *model = json_object_get(
        json_object_get(json_object_get(root, "learner"), "gradient_booster"),
        "model");
    const json_t *list = json_object_get(model, "trees");
    for (size_t i = 0; i < json_array_size(list); i++)
        copy_tree(trees, json_array_get(list, i));
    json_decref(root);
    return STATUS_OK;
}

/* Compares the predictions of the copied trees with those of the library, for
 * at most 64 rows. A difference is an error: this program then misreads the
 * models of the installed version of XGBoost. */
static enum status compare(const struct xgboost *xgb, const struct trees *trees,
                           BoosterHandle booster, const float *rows, size_t n,
                           size_t width, struct error *err)
{
    DMatrixHandle sample;
    bst_ulong count;
    const float *want;
    enum status st = STATUS_OK;
    size_t n_sample = n < 64 ? n : 64;
    if (xgb->XGDMatrixCreateFromMat_omp(rows, n_sample, width, NAN, &sample,
                                        1) != 0)
        return failed(xgb, "sample", err);
    if (xgb->XGBoosterPredict(booster, sample, 0, 0, 0, &count, &want) != 0)
        st = failed(xgb, "predict", err);
    for (size_t i = 0; i < n_sample && st == STATUS_OK; i++) {
        float got = trees_predict(trees, &rows[i * width]);
        if (fabsf(got - want[i]) > 1e-4f * (1 + fabsf(want[i])))
            st = error_set(err, STATUS_FAILED,
                           "XGBoost: this version's model is not understood");
    }
    xgb->XGDMatrixFree(sample);
    return st;
}

static enum status grow(const struct xgboost *xgb, struct trees *trees,
                        BoosterHandle booster, DMatrixHandle data,
                        const struct trees_params *params, struct error *err)
{
    if (!set_params(xgb, booster, params, trees->base))
        return failed(xgb, "parameters", err);
    for (uint32_t i = 0; i < params->rounds; i++) {
        if (xgb->XGBoosterUpdateOneIter(booster, (int)i, data) != 0)
            return failed(xgb, "train", err);
    }
    return copy_trees(xgb, trees, booster, err);
}

enum status trees_fit(struct trees *trees, const struct trees_params *params,
                      const float *rows, const float *targets, size_t n,
                      size_t width, struct error *err)
{
    struct xgboost functions;
    const struct xgboost *xgb = &functions;
    DMatrixHandle data = NULL;
    BoosterHandle booster = NULL;
    double sum = 0;
    enum status st = load(&functions, err);
    if (st != STATUS_OK)
        return st;
    for (size_t i = 0; i < n; i++)
        sum += (double)targets[i];
    trees_fini(trees);
    trees->base = n ? (float)(sum / (double)n) : 0;
    if (xgb->XGDMatrixCreateFromMat_omp(rows, n, width, NAN, &data, 1) != 0 ||
        xgb->XGDMatrixSetFloatInfo(data, "label", targets, n) != 0 ||
        xgb->XGBoosterCreate(&data, 1, &booster) != 0)
        st = failed(xgb, "data", err);
    if (st == STATUS_OK)
        st = grow(xgb, trees, booster, data, params, err);
    if (st == STATUS_OK)
        st = compare(xgb, trees, booster, rows, n, width, err);
    if (booster)
        xgb->XGBoosterFree(booster);
    if (data)
        xgb->XGDMatrixFree(data);
    if (st != STATUS_OK)
        trees_fini(trees);
    return st;
}
