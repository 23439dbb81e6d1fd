/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/shares/share_owners.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/state/accounts.h"

const char *const share_by_names[] = {"tree", "user", "account", NULL};

/* The names that are in the tree so far. */
struct owner_names {
    struct share_owners *owners;
    struct interner accounts, users; /* symbol 0: no name */
    struct interner leaves;          /* account and user symbol, as bytes */
    uint32_t *account_nodes;         /* by symbol of `accounts` */
    uint32_t *leaf_nodes;            /* by symbol of `leaves` */
    size_t cap_accounts, cap_leaves;
    enum share_by by;
};

/* Returns the node of an account, which is made below `parent` if it is new.
 */
static uint32_t owner_account(struct owner_names *names, struct text name,
                              uint32_t parent, double shares)
{
    const size_t before = names->accounts.n_strings;
    const uint32_t symbol = interner_add(&names->accounts, name);
    if (names->accounts.n_strings > before) {
        names->account_nodes =
            mem_grow(names->account_nodes, &names->cap_accounts, symbol + 1,
                     sizeof *names->account_nodes);
        names->account_nodes[symbol] =
            share_tree_add(&names->owners->tree, parent, shares, false);
    }
    return names->account_nodes[symbol];
}

/* Returns the leaf of a user in an account; makes it if it is new. */
static uint32_t owner_leaf(struct owner_names *names, uint32_t account,
                           struct text user, double shares)
{
    const uint32_t key[2] = {account, interner_add(&names->users, user)};
    const size_t before = names->leaves.n_strings;
    const uint32_t symbol = interner_add(
        &names->leaves, (struct text){(const char *)key, sizeof key});
    if (names->leaves.n_strings > before) {
        names->leaf_nodes = mem_grow(names->leaf_nodes, &names->cap_leaves,
                                     symbol + 1, sizeof *names->leaf_nodes);
        names->leaf_nodes[symbol] =
            share_tree_add(&names->owners->tree, account, shares, true);
    }
    return names->leaf_nodes[symbol];
}

static void owner_names_init(struct owner_names *names,
                             struct share_owners *owners, enum share_by by)
{
    *names = (struct owner_names){.owners = owners, .by = by};
    interner_init(&names->accounts);
    interner_init(&names->users);
    interner_init(&names->leaves);
    share_tree_init(&owners->tree);
    names->account_nodes =
        mem_grow(NULL, &names->cap_accounts, 1, sizeof *names->account_nodes);
    names->account_nodes[0] = SHARE_ROOT; /* of jobs without an account */
}

static void owner_names_fini(struct owner_names *names)
{
    interner_fini(&names->accounts);
    interner_fini(&names->users);
    interner_fini(&names->leaves);
    free(names->account_nodes);
    free(names->leaf_nodes);
}

/* Adds what the cluster file states. */
static void owner_names_read(struct owner_names *names,
                             const struct accounts *accounts)
{
    uint32_t *nodes = mem_zalloc(accounts->n + 1, sizeof *nodes);
    for (size_t i = 1; i < accounts->n && names->by != SHARE_BY_USER; i++) {
        const struct account *a = &accounts->at[i];
        nodes[i] = owner_account(names, text_from(a->name), nodes[a->parent],
                                 a->shares);
    }
    for (size_t i = 0; i < accounts->n_users; i++) {
        const struct account_user *u = &accounts->users[i];
        const bool in_root = u->account == ACCOUNT_ROOT;
        if (names->by == SHARE_BY_TREE ||
            (names->by == SHARE_BY_USER && in_root))
            owner_leaf(names, nodes[u->account], text_from(u->name), u->shares);
    }
    free(nodes);
}

static struct text owner_text(const struct run_env *env, uint32_t symbol)
{
    return symbol ? text_from(env->string(env->strings, symbol))
                  : (struct text){0};
}

/* Finds the leaf of a job, and adds it and its account if they are new. */
static uint32_t owner_of(struct owner_names *names, const struct run_env *env,
                         const struct job *job)
{
    uint32_t account = SHARE_ROOT;
    struct text user = {0};
    if (env->extras && names->by != SHARE_BY_USER)
        account =
            owner_account(names, owner_text(env, env->extras[job->id].account),
                          SHARE_ROOT, 1);
    if (names->by != SHARE_BY_ACCOUNT)
        user = owner_text(env, job->user);
    return owner_leaf(names, account, user, 1);
}

void share_owners_init(struct share_owners *owners, const struct run_env *env,
                       enum share_by by)
{
    struct owner_names names;
    *owners = (struct share_owners){0};
    owner_names_init(&names, owners, by);
    if (env->accounts)
        owner_names_read(&names, env->accounts);
    const size_t known = names.accounts.n_strings;
    owners->leaf = mem_zalloc(env->n_jobs, sizeof *owners->leaf);
    for (uint32_t i = 0; i < env->n_jobs; i++)
        owners->leaf[i] = owner_of(&names, env, &env->jobs[i]);
    const size_t n = names.accounts.n_strings;
    if (known > 1 && n > known)
        remarks_add(env->remarks, REMARK_CONCLUSION,
                    "the cluster file lacks %zu account%s of the trace, which "
                    "get%s one share each; the first is '%.60s'",
                    n - known, n == known + 1 ? "" : "s",
                    n == known + 1 ? "s" : "",
                    interner_string(&names.accounts, (uint32_t)known));
    if (owners->tree.n_leaves <= 1)
        remarks_add(env->remarks, REMARK_CONCLUSION,
                    "the trace does not tell several users or accounts apart, "
                    "so all jobs have the same fair share");
    owner_names_fini(&names);
}

void share_owners_fini(struct share_owners *owners)
{
    share_tree_fini(&owners->tree);
    free(owners->leaf);
    *owners = (struct share_owners){0};
}
