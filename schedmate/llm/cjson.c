/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/llm/cjson.h"

#include "base/library.h"

enum status cjson_load(struct cjson *out, struct error *err)
{
    static const char *const files[] = {"libcjson.so.1", "libcjson.so", NULL};
    static const char *const names[] = {
#define CJSON_NAME(name) "cJSON_" #name,
        CJSON(CJSON_NAME)
#undef CJSON_NAME
    };
    return library_load(files, "libcjson1", names, sizeof names / sizeof *names,
                        out, err);
}
