/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of each source of a build that counts branches. There a process that
 * leaves by _exit writes its counts first, as one that leaves by exit does. */
#ifndef TESTS_SUPPORT_COUNTED_H
#define TESTS_SUPPORT_COUNTED_H

#include <unistd.h>

void __gcov_dump(void);

__attribute__((noreturn)) static inline void counted_exit(int status)
{
    __gcov_dump();
    _exit(status);
}

#define _exit counted_exit

#endif
