/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `hello [NAME]`: greets. */
#include <stdio.h>

#include "commands/cli.h"

struct hello_input {
    struct cli_call call; /* first */
    const char *name;
    uint32_t times; /* 1 to 9 */
};

static enum status run(void *self, struct error *err)
{
    const struct hello_input *input = self;
    (void)err;
    for (uint32_t i = 0; i < input->times; i++)
        printf("hello %s\n", input->name ? input->name : "you");
    return STATUS_OK;
}

static const struct arg args[] = {
    TAKE_OPTIONAL_WORD(struct hello_input, name, "NAME", "name"),
    TAKE_U32(struct hello_input, times, "times", "N", "how often to greet",
             .initial = "1", .lo = 1, .hi = 9),
    {0},
};

extern const struct command command_hello;
const struct command command_hello = {
    .name = "hello",
    .summary = "greet",
    .about = "Greets.",
    .examples = "hello ann --times 2",
    .parts = {{.rows = args}},
    .input_size = sizeof(struct hello_input),
    .run = run,
};
