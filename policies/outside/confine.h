/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Denies a program access to files, by Landlock, a part of the kernel (since
 * 5.13) that needs no privileges. A confined program reads the system's folders
 * (such as /usr, /lib, /bin and /etc), the files that its command names, the
 * code beside its scripts, what was installed with its program, and what the
 * caller names. It reads nothing else, such as /proc or the rest of /home and
 * /tmp, so it finds neither the trace nor the arguments of this process. It
 * writes no file but /dev/null. From Linux 6.7 it opens no TCP connection, from
 * 6.12 it sends no signal to a process outside.
 *
 * Confining does not hide the name of a file whose folder may be listed, does
 * not stop UDP, and does not limit the use of the processor. Run hostile code
 * in a virtual machine. */
#ifndef OUTSIDE_CONFINE_H
#define OUTSIDE_CONFINE_H

#include "base/error.h"

enum confine_choice {
    CONFINE_AUTO, /* confine if the kernel can */
    CONFINE_ON,   /* confine; an error if the kernel cannot */
    CONFINE_OFF,
};

/* Makes the rules for a command. *out is a descriptor for confine_self, which
 * the caller closes; -1 for CONFINE_OFF, and for CONFINE_AUTO if the kernel
 * cannot confine. `words`: the command, NULL after the last word. `reads`: more
 * paths, separated by '+'; those that do not exist are ignored. Returns
 * STATUS_FAILED for CONFINE_ON if the kernel cannot confine. */
enum status confine_rules(enum confine_choice choice, char *const *words,
                          const char *reads, int *out,
                          struct error *err) MUST_USE;

/* Confines the calling process for good. Called between fork and exec: uses
 * only system calls. Returns 0, or -1 with errno set. */
int confine_self(int rules);

#endif
