/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/temp_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char temp_path[64];

int temp_path_make(void **state)
{
    (void)state;
    snprintf(temp_path, sizeof temp_path, "/tmp/schedsim-test-XXXXXX");
    int fd = mkstemp(temp_path);
    return fd < 0 || close(fd) != 0;
}

int temp_path_remove(void **state)
{
    (void)state;
    return unlink(temp_path);
}
