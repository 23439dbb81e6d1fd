/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declares the part of libcurl that schedsim uses, so that a build without
 * libcurl compiles. */
#ifndef SIM_ABSENT_CURL_H
#define SIM_ABSENT_CURL_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef void CURL;
typedef int64_t curl_off_t;
typedef enum { CURLE_OK = 0 } CURLcode;
typedef enum { CURLINFO_RESPONSE_CODE = 0x200002 } CURLINFO;
typedef enum {
    CURLOPT_WRITEDATA = 10001,
    CURLOPT_URL = 10002,
    CURLOPT_POSTFIELDS = 10015,
    CURLOPT_HTTPHEADER = 10023,
    CURLOPT_HEADERDATA = 10029,
    CURLOPT_POST = 47,
    CURLOPT_NOSIGNAL = 99,
    CURLOPT_TIMEOUT_MS = 155,
    CURLOPT_CONNECTTIMEOUT_MS = 156,
    CURLOPT_PROTOCOLS_STR = 10318,
    CURLOPT_WRITEFUNCTION = 20011,
    CURLOPT_HEADERFUNCTION = 20079,
    CURLOPT_POSTFIELDSIZE_LARGE = 30120,
} CURLoption;
enum { CURL_GLOBAL_DEFAULT = 3 };
struct curl_slist;

void curl_easy_cleanup(CURL *handle);
CURLcode curl_easy_getinfo(CURL *handle, CURLINFO info, ...);
CURL *curl_easy_init(void);
CURLcode curl_easy_perform(CURL *handle);
CURLcode curl_easy_setopt(CURL *handle, CURLoption option, ...);
const char *curl_easy_strerror(CURLcode code);
time_t curl_getdate(const char *text, const time_t *unused);
CURLcode curl_global_init(long flags);
struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text);
void curl_slist_free_all(struct curl_slist *list);

#endif
