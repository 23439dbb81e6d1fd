/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the key "accounts" of a cluster file. */
#include "sim/run/describe.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* An account in the order of the file. */
struct account_row {
    const char *name, *parent; /* borrowed from the JSON value */
    double shares;
    json_t *users;                   /* NULL: none */
    const struct account_row *above; /* its parent; NULL: the root */
    uint32_t number; /* in the accounts that are made; ACCOUNT_NONE: not yet */
};
#define ACCOUNT_NONE UINT32_MAX

struct account_rows {
    const char *path;
    struct account_row *at;
    size_t n, n_users;
};

static bool account_shares(const json_t *value, double *out)
{
    const json_type type = value ? json_typeof(value) : JSON_REAL;
    *out = value ? json_number_value(value) : 1;
    return (type == JSON_INTEGER || type == JSON_REAL) && *out >= 0 &&
           *out <= ACCOUNT_SHARES_MAX;
}

static bool account_text(const json_t *item, const char *key, const char *deflt,
                         const char **out)
{
    const json_t *value = json_object_get(item, key);
    *out = value ? json_string_value(value) : deflt;
    return *out && **out;
}

/* The root is above all: it has neither a parent nor shares. */
static enum status account_root_check(const struct account_rows *rows, size_t i,
                                      const json_t *item, struct error *err)
{
    if (strcmp(rows->at[i].name, ACCOUNT_ROOT_NAME) == 0 &&
        (json_object_get(item, "parent") || json_object_get(item, "shares")))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: accounts[%zu]: the root has no parent and no "
                         "shares, only users",
                         rows->path, i);
    return STATUS_OK;
}

static enum status account_users_check(const struct account_rows *rows,
                                       size_t i, struct error *err)
{
    const char *user;
    json_t *value;
    double shares;
    json_object_foreach(rows->at[i].users, user, value)
    {
        if (!account_shares(value, &shares) || !*user)
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: accounts[%zu]: users: '%.60s': expected "
                             "shares of 0 to %g",
                             rows->path, i, user, ACCOUNT_SHARES_MAX);
    }
    return STATUS_OK;
}

static enum status account_row_read(struct account_rows *rows, size_t i,
                                    const json_t *item, struct error *err)
{
    const char *names[CLUSTER_KEYS_MAX];
    char place[64];
    struct account_row *row = &rows->at[i];
    row->number = ACCOUNT_NONE;
    describe_keys_of("accounts", names);
    snprintf(place, sizeof place, "accounts[%zu]", i);
    enum status st = json_keys_known(item, names, rows->path, place, err);
    if (st != STATUS_OK)
        return st;
    row->users = json_object_get(item, "users");
    if (!json_is_object(item) ||
        !account_text(item, "name", NULL, &row->name) ||
        !account_text(item, "parent", ACCOUNT_ROOT_NAME, &row->parent) ||
        !account_shares(json_object_get(item, "shares"), &row->shares) ||
        (row->users && !json_is_object(row->users)))
        return error_set(
            err, STATUS_BAD_INPUT,
            "%s: accounts[%zu]: expected {\"name\", \"parent\": "
            "text, \"shares\": 0 to %g, \"users\": {user: shares}}",
            rows->path, i, ACCOUNT_SHARES_MAX);
    for (size_t k = 0; k < i; k++) {
        if (strcmp(rows->at[k].name, row->name) == 0)
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: accounts[%zu]: '%.60s' is listed before",
                             rows->path, i, row->name);
    }
    if (row->users)
        rows->n_users += json_object_size(row->users);
    st = account_root_check(rows, i, item, err);
    return st == STATUS_OK ? account_users_check(rows, i, err) : st;
}

/* Returns the row of this name; NULL if there is none. */
static struct account_row *account_row_find(const struct account_rows *rows,
                                            const char *name)
{
    for (size_t i = 0; i < rows->n; i++) {
        if (strcmp(rows->at[i].name, name) == 0)
            return &rows->at[i];
    }
    return NULL;
}

static enum status account_no_parent(const struct account_rows *rows, size_t i,
                                     struct error *err)
{
    const char **names = mem_zalloc(rows->n, sizeof *names);
    for (size_t k = 0; k < rows->n; k++)
        names[k] = k == i ? ACCOUNT_ROOT_NAME : rows->at[k].name;
    const char *near =
        text_nearest(text_from(rows->at[i].parent), names, rows->n);
    error_set(err, STATUS_BAD_INPUT,
              "%s: accounts[%zu]: parent: no account is called '%.60s'%s",
              rows->path, i, rows->at[i].parent, text_suggest(near).words);
    free(names);
    return STATUS_BAD_INPUT;
}

static enum status account_parents_find(struct account_rows *rows,
                                        struct error *err)
{
    for (size_t i = 0; i < rows->n; i++) {
        struct account_row *row = &rows->at[i];
        row->above = account_row_find(rows, row->parent);
        if (strcmp(row->name, ACCOUNT_ROOT_NAME) == 0)
            row->number = ACCOUNT_ROOT;
        else if (!row->above && strcmp(row->parent, ACCOUNT_ROOT_NAME) != 0)
            return account_no_parent(rows, i, err);
    }
    return STATUS_OK;
}

/* Gives each account a number above that of its parent. An account that gets
 * none is below itself. */
static enum status account_rows_number(struct account_rows *rows,
                                       struct error *err)
{
    uint32_t before, n = 1; /* 0 is the root */
    do {
        before = n;
        for (size_t i = 0; i < rows->n; i++) {
            struct account_row *row = &rows->at[i];
            if (row->number == ACCOUNT_NONE &&
                (!row->above || row->above->number != ACCOUNT_NONE))
                row->number = n++;
        }
    } while (n > before);
    for (size_t i = 0; i < rows->n; i++) {
        if (rows->at[i].number == ACCOUNT_NONE)
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: accounts[%zu]: '%.60s' is below itself: its "
                             "parents form a cycle",
                             rows->path, i, rows->at[i].name);
    }
    return STATUS_OK;
}

/* Copies the rows to the arena. */
static void account_rows_copy(const struct account_rows *rows,
                              struct arena *arena, struct accounts *out)
{
    struct account *at = ARENA_ARRAY(arena, struct account, rows->n + 1);
    struct account_user *users =
        ARENA_ARRAY(arena, struct account_user, rows->n_users + 1);
    *out = (struct accounts){.at = at, .users = users, .n = 1};
    at[ACCOUNT_ROOT] = (struct account){.name = ACCOUNT_ROOT_NAME, .shares = 1};
    for (size_t i = 0; i < rows->n; i++) {
        const struct account_row *row = &rows->at[i];
        const char *user;
        json_t *value;
        if (row->number != ACCOUNT_ROOT) {
            at[row->number] = (struct account){
                .name = arena_copy(arena, row->name, strlen(row->name)),
                .parent = row->above ? row->above->number : ACCOUNT_ROOT,
                .shares = row->shares};
            out->n++;
        }
        json_object_foreach(row->users, user, value)
        {
            users[out->n_users++] = (struct account_user){
                .account = row->number,
                .name = arena_copy(arena, user, strlen(user)),
                .shares = json_number_value(value)};
        }
    }
}

enum status describe_accounts(const json_t *list, const char *path,
                              struct arena *arena, struct accounts *out,
                              struct error *err)
{
    struct account_rows rows = {.path = path, .n = json_array_size(list)};
    enum status st = STATUS_OK;
    size_t i;
    json_t *item;
    if (!list)
        return STATUS_OK;
    if (!json_is_array(list) || rows.n > ACCOUNTS_MAX)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: accounts: expected an array of at most %d "
                         "accounts",
                         path, ACCOUNTS_MAX);
    rows.at = mem_zalloc(rows.n + 1, sizeof *rows.at);
    json_array_foreach(list, i, item)
    {
        if (st == STATUS_OK)
            st = account_row_read(&rows, i, item, err);
    }
    if (st == STATUS_OK)
        st = account_parents_find(&rows, err);
    if (st == STATUS_OK)
        st = account_rows_number(&rows, err);
    if (st == STATUS_OK)
        account_rows_copy(&rows, arena, out);
    free(rows.at);
    return st;
}
