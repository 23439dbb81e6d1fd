/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/page.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

static struct text asset(const char *name)
{
    const struct page_asset *a = page_assets;
    while (a->name && strcmp(a->name, name) != 0)
        a++;
    CHECK(a->name);
    return (struct text){a->text, a->len};
}

/* Writes JSON into a script element, which "</script>" or "<!--" in a text
 * would end: each '<' is written as an escape. */
static void put_data(struct out *out, const json_t *data)
{
    char *text = json_dumps(data, JSON_COMPACT | JSON_REAL_PRECISION(17));
    CHECK(text);
    for (const char *at = text; *at;) {
        size_t len = strcspn(at, "<");
        out_bytes(out, at, len);
        at += len;
        if (*at) {
            out_text(out, "\\u003c");
            at++;
        }
    }
    free(text);
}

/* Writes the frame of the page, with the parts in place of its marks, which
 * have the form <!--NAME-->. */
void page_write(struct out *out, const json_t *data)
{
    struct text rest = asset("frame");
    const char *mark;
    while ((mark = memmem(rest.at, rest.len, "<!--", 4))) {
        size_t before = (size_t)(mark - rest.at);
        out_bytes(out, rest.at, before);
        rest = text_skip(rest, before + 4);
        const char *end = memmem(rest.at, rest.len, "-->", 3);
        CHECK(end);
        struct text name = {rest.at, (size_t)(end - rest.at)};
        rest = text_skip(rest, name.len + 3);
        if (text_is(name, "data"))
            put_data(out, data);
        else if (text_is(name, "style"))
            out_bytes(out, asset("style").at, asset("style").len);
        else if (text_is(name, "script"))
            out_bytes(out, asset("script").at, asset("script").len);
    }
    out_bytes(out, rest.at, rest.len);
}
