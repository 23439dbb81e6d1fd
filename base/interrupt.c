/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const int fatal[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                            SIGPIPE, SIGXCPU, SIGXFSZ, SIGABRT};

static struct interrupt_path *volatile first;

/* true if standard error is a terminal, whose line may have begun */
static bool says_on_terminal;

static void interrupt_write(const char *words)
{
    ssize_t n = write(STDERR_FILENO, words, strlen(words));
    (void)n; /* nothing can be done about it here */
}

/* A reader that went away (SIGPIPE) or a full disk has no reader of words. */
static bool is_asked_for(int signal)
{
    return signal != SIGPIPE && signal != SIGXFSZ && signal != SIGABRT;
}

static void remove_path(const struct interrupt_path *p)
{
    if (p->directory)
        rmdir(p->path);
    else
        unlink(p->path);
}

/* Calls only functions that POSIX allows in a signal handler. The signals
 * are blocked whenever the program changes the memory that this function
 * reads. */
static void remove_all(int signal)
{
    for (const struct interrupt_path *p = first; p; p = p->next) {
        remove_path(p);
        if (!p->becomes || !is_asked_for(signal))
            continue;
        interrupt_write(says_on_terminal ? "\nschedsim: stopped; "
                                         : "schedsim: stopped; ");
        interrupt_write(p->becomes);
        interrupt_write(" is unchanged\n");
    }
    raise(signal); /* takes its default action when this handler returns */
}

static sigset_t fatal_set(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        sigaddset(&set, fatal[i]);
    return set;
}

static void install(void)
{
    static bool installed;
    if (installed)
        return;
    installed = true;
    says_on_terminal = isatty(STDERR_FILENO);
    struct sigaction action = {.sa_handler = remove_all,
                               .sa_mask = fatal_set(),
                               .sa_flags = (int)SA_RESETHAND},
                     before;
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        if (sigaction(fatal[i], NULL, &before) == 0 &&
            before.sa_handler == SIG_DFL)
            sigaction(fatal[i], &action, NULL);
    }
}

/* The mask that interrupt_release restores, because the thread may have blocked
 * the signals before interrupt_hold. */
static _Thread_local sigset_t mask_before;
static _Thread_local unsigned n_holds;

void interrupt_hold(void)
{
    sigset_t set = fatal_set(), before;
    pthread_sigmask(SIG_BLOCK, &set, &before);
    if (n_holds++ == 0)
        mask_before = before;
}

void interrupt_release(void)
{
    if (--n_holds == 0)
        pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
}

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

void interrupt_clean(void)
{
    interrupt_hold();
    pthread_mutex_lock(&list_lock);
    for (const struct interrupt_path *p = first; p; p = p->next)
        remove_path(p);
}

/* Blocks the signals while the list changes, then restores the caller's mask,
 * because the caller may already have blocked them. If several threads write
 * files, all but one must have blocked the signals. The handler then runs in
 * that one thread, which must not receive a signal while another thread changes
 * the list; commands/study/runs.c therefore ends its threads before it unblocks
 * the signals. */
static void interrupt_change(struct interrupt_path *one, bool add)
{
    sigset_t set = fatal_set(), before;
    pthread_sigmask(SIG_BLOCK, &set, &before);
    pthread_mutex_lock(&list_lock);
    if (add)
        install();
    struct interrupt_path *head = first, **at = &head;
    while (*at && *at != one)
        at = &(*at)->next;
    if (*at)
        *at = one->next;
    if (add) {
        one->next = head;
        head = one;
    }
    first = head;
    pthread_mutex_unlock(&list_lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void interrupt_removes(struct interrupt_path *one)
{
    interrupt_change(one, true);
}

void interrupt_keeps(struct interrupt_path *one)
{
    interrupt_change(one, false);
}
