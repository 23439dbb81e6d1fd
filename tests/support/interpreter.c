/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/interpreter.h"

#include <stdio.h>

#include "tests/support/slurp.h"
#include "tests/support/temp_path.h"
#include "tests/support/test.h"

char *interpreter_run(const char *program, struct out *script)
{
    char command[128];
    size_t len;
    struct text text = out_memory(script);
    snprintf(command, sizeof command, "%s >%s", program, temp_path);
    FILE *pipe = popen(command, "w");
    assert_non_null(pipe);
    assert_int_equal(fwrite(text.at, 1, text.len, pipe), text.len);
    assert_int_equal(pclose(pipe), 0);
    out_abandon(script);
    char *values = slurp(temp_path, &len);
    assert_non_null(values);
    return values;
}

bool interpreter_agrees(const char *code, const char *want, struct text found,
                        struct text *rest)
{
    struct text real = want ? text_from(want) : text_split(*rest, '\x1e', rest);
    bool right = text_equal(found, real);
    if (!right)
        print_message("# %s\n#   found %.*s, want %.*s\n", code, (int)found.len,
                      found.at, (int)real.len, real.at);
    return right;
}
