/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the page of `schedsim report`: one HTML file that needs no network. */
#include "commands/report/report_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

static struct text asset(const char *name)
{
    const struct page_asset *a = page_assets;
    while (a->name && strcmp(a->name, name) != 0)
        a++;
    CHECK(a->name);
    return (struct text){a->text, a->len};
}

/* Writes JSON into a script element. Each '<' is written as an escape, because
 * "</script>" in a text would end the element and "<!--" would change how it is
 * read. */
static void page_put_data(struct out *out, const json_t *data)
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

/* The scripts, in the order in which the browser reads them. */
static const char *const scripts[] = {
    "words",    "theme",  "tables", "axes",     "lines", "nodes", "boxes",
    "overview", "charts", "lists",  "settings", "main",  NULL};

static void put_asset(struct out *out, const char *name)
{
    struct text text = asset(name);
    out_bytes(out, text.at, text.len);
}

static void page_put_part(struct out *out, struct text name, const json_t *data)
{
    if (text_is(name, "data")) {
        page_put_data(out, data);
    } else if (text_is(name, "style")) {
        put_asset(out, "uplot_style");
        put_asset(out, "style");
    } else if (text_is(name, "uplot")) {
        put_asset(out, "uplot_code");
    } else if (text_is(name, "licence")) {
        put_asset(out, "uplot_licence");
    } else {
        CHECK(text_is(name, "script"));
        for (size_t i = 0; scripts[i]; i++)
            put_asset(out, scripts[i]);
    }
}

bool page_has_uplot(void)
{
    return asset("uplot_code").len > 0;
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
        page_put_part(out, name, data);
    }
    out_bytes(out, rest.at, rest.len);
}
