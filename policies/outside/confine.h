/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes from a program the access to files, by Landlock, a part of the kernel
 * (since 5.13) that needs no privileges. A confined program reads the system's
 * programs and libraries (/usr, /lib, /bin, /etc), the program and scripts of
 * its command, and what the caller names. It reads neither /proc nor /home nor
 * /tmp, so it finds neither the trace nor the arguments of this process. It
 * writes no file. From Linux 6.7 it opens no TCP connection, from 6.12 it sends
 * no signal to a process outside.
 *
 * Confining does not hide the name of a file whose folder may be listed, does
 * not stop UDP, and does not limit the use of the processor. Run hostile code
 * in a virtual machine. */
#ifndef OUTSIDE_CONFINE_H
#define OUTSIDE_CONFINE_H

#include "sim/base/error.h"

enum confine_choice {
    CONFINE_AUTO, /* confine if the kernel can */
    CONFINE_ON,   /* confine; an error if the kernel cannot */
    CONFINE_OFF,
};

/* Makes the rules for a command. *out is a descriptor for confine_self; -1 if
 * the kernel cannot confine and the choice allows that. `reads`: more paths,
 * separated by '+'. */
enum status confine_rules(enum confine_choice choice, char *const *words,
                          const char *reads, int *out,
                          struct error *err) MUST_USE;

/* Confines the calling process for good. Called between fork and exec: uses
 * only system calls. Returns 0, or -1 with errno set. */
int confine_self(int rules);

#endif
