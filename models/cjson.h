/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cJSON reads what language models write. Few runs ask one, so it is loaded
 * when the first reply has to be read or the first request written. */
#ifndef MODELS_CJSON_H
#define MODELS_CJSON_H

#include <cjson/cJSON.h>

#include "sim/base/error.h"

/* The functions used, in one list: declared, named and looked up from it. */
#define CJSON(X) \
    X(AddArrayToObject) \
    X(AddItemToArray) \
    X(AddItemToObject) \
    X(AddNumberToObject) \
    X(AddObjectToObject) \
    X(AddStringToObject) \
    X(AddTrueToObject) \
    X(CreateObject) \
    X(CreateString) \
    X(Delete) \
    X(GetArrayItem) \
    X(GetArraySize) \
    X(GetObjectItemCaseSensitive) \
    X(IsArray) \
    X(IsBool) \
    X(IsNull) \
    X(IsNumber) \
    X(IsObject) \
    X(IsString) \
    X(IsTrue) \
    X(ParseWithLength) \
    X(PrintUnformatted)

struct cjson {
#define CJSON_MEMBER(name) __typeof__(cJSON_##name) *name;
    CJSON(CJSON_MEMBER)
#undef CJSON_MEMBER
};

/* STATUS_FAILED if the library is not there. Asking again is cheap. */
enum status cjson_load(struct cjson *out, struct error *err) MUST_USE;

#endif
