/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declares the part of cJSON that schedsim uses, so that a build without cJSON
 * compiles. */
#ifndef SIM_ABSENT_CJSON_H
#define SIM_ABSENT_CJSON_H

#include <stddef.h>

typedef struct cJSON {
    struct cJSON *next, *prev, *child;
    int type;
    char *valuestring;
    int valueint;
    double valuedouble;
    char *string;
} cJSON;
typedef int cJSON_bool;

#define cJSON_ArrayForEach(element, array) \
    for (element = (array) ? (array)->child : NULL; element; \
         element = element->next)

cJSON *cJSON_AddArrayToObject(cJSON *object, const char *name);
cJSON_bool cJSON_AddItemToArray(cJSON *array, cJSON *item);
cJSON_bool cJSON_AddItemToObject(cJSON *object, const char *name, cJSON *item);
cJSON *cJSON_AddNumberToObject(cJSON *object, const char *name, double value);
cJSON *cJSON_AddObjectToObject(cJSON *object, const char *name);
cJSON *cJSON_AddStringToObject(cJSON *object, const char *name,
                               const char *value);
cJSON *cJSON_AddTrueToObject(cJSON *object, const char *name);
cJSON *cJSON_CreateObject(void);
cJSON *cJSON_CreateString(const char *value);
void cJSON_Delete(cJSON *item);
cJSON *cJSON_GetArrayItem(const cJSON *array, int i);
int cJSON_GetArraySize(const cJSON *array);
cJSON *cJSON_GetObjectItemCaseSensitive(const cJSON *object, const char *name);
cJSON_bool cJSON_IsArray(const cJSON *item);
cJSON_bool cJSON_IsBool(const cJSON *item);
cJSON_bool cJSON_IsNull(const cJSON *item);
cJSON_bool cJSON_IsNumber(const cJSON *item);
cJSON_bool cJSON_IsObject(const cJSON *item);
cJSON_bool cJSON_IsString(const cJSON *item);
cJSON_bool cJSON_IsTrue(const cJSON *item);
cJSON *cJSON_ParseWithLength(const char *text, size_t n);
char *cJSON_PrintUnformatted(const cJSON *item);

#endif
