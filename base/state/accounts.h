/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The accounts of a cluster and the shares of their users, as the cluster file
 * states them. A policy that shares out fairly reads them; a user or an account
 * that only the trace names has one share. */
#ifndef SIM_ACCOUNTS_H
#define SIM_ACCOUNTS_H

#include <stddef.h>
#include <stdint.h>

/* The account that all others are below, and that is always there. */
#define ACCOUNT_ROOT 0
#define ACCOUNT_ROOT_NAME "root"
#define ACCOUNTS_MAX 4096
#define ACCOUNT_SHARES_MAX 1e9

struct account {
    const char *name;
    uint32_t parent; /* lower than its own number, but ACCOUNT_ROOT's */
    double shares;   /* 0 .. ACCOUNT_SHARES_MAX */
};
struct account_user {
    uint32_t account;
    const char *name;
    double shares;
};
struct accounts {
    const struct account *at; /* at[ACCOUNT_ROOT] is the root; NULL: none */
    const struct account_user *users;
    size_t n, n_users;
};

#endif
