/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs Kueue's named test cases (../shared/golden/kueue, one JSON object a
 * line) through the rules of policies/quota and prints a table of the cases
 * that differ: case, expected, got. Skipped if the cases are absent. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

#include "base/arena.h"
#include "policies/quota/quota_fair.h"

enum { CASE_NODES = 64, CASE_HEADS = 64 };

/* What a case states, in the words of the module. */
struct quota_case {
    const json_t *row;
    struct quota_node nodes[CASE_NODES];
    struct quota_tree tree;
    const json_t **admitted; /* ordered by name, as loads is */
    struct quota_load *loads;
    size_t n;
    struct quota_fairness fairness;
};

static const char *case_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Returns an amount in thousandths of a unit. */
static int64_t case_amount(const json_t *object, const char *key, int64_t none)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? llround(json_number_value(value) * 1000)
                                 : none;
}

static enum quota_rule case_rule(const json_t *object, const char *key)
{
    static const char *const names[] = {
        [QUOTA_NEVER] = "Never",
        [QUOTA_LOWER] = "LowerPriority",
        [QUOTA_LOWER_OR_NEWER] = "LowerOrNewerEqualPriority",
        [QUOTA_ANY] = "Any",
    };
    const char *text = case_text(object, key);
    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i]) == 0)
            return (enum quota_rule)i;
    }
    if (text)
        fail_msg("no rule '%s'", text);
    return QUOTA_NEVER;
}

/* Returns the node of a name; QUOTA_NO_PARENT: there is none. */
static uint32_t case_find(const struct quota_tree *tree, const char *name,
                          bool is_queue)
{
    for (uint32_t i = 0; name && i < tree->n; i++) {
        if (tree->nodes[i].is_queue == is_queue &&
            strcmp(tree->nodes[i].name, name) == 0)
            return i;
    }
    return QUOTA_NO_PARENT;
}

static void case_add_node(struct quota_case *c, const json_t *item,
                          bool is_queue)
{
    const char *parent = case_text(item, is_queue ? "cohort" : "parent");
    const json_t *rules = json_object_get(item, "preemption");
    const json_t *lower = json_object_get(rules, "borrow_within");
    const json_t *most = json_object_get(lower, "max_priority");
    assert_true(c->tree.n < CASE_NODES);
    c->nodes[c->tree.n] = (struct quota_node){
        .name = case_text(item, "name"),
        .parent = case_find(&c->tree, parent, false),
        .is_queue = is_queue,
        .nominal = case_amount(item, "nominal", 0),
        .borrowing_limit = case_amount(item, "borrowing_limit", QUOTA_NO_LIMIT),
        .lending_limit = case_amount(item, "lending_limit", QUOTA_NO_LIMIT),
        .weight = json_number_value(json_object_get(item, "weight")),
        .within = case_rule(rules, "within"),
        .reclaim = case_rule(rules, "reclaim"),
        .borrow_within = case_rule(lower, "policy") != QUOTA_NEVER,
        .max_priority = json_is_integer(most)
                            ? (int32_t)json_integer_value(most)
                            : INT32_MAX,
    };
    if (parent && c->nodes[c->tree.n].parent == QUOTA_NO_PARENT)
        fail_msg("no cohort '%s'", parent);
    c->tree.n++;
}

/* Adds the cohorts, each after its parent, and then the queues. */
static void case_add_nodes(struct quota_case *c)
{
    const json_t *cohorts = json_object_get(c->row, "cohorts"), *item;
    size_t i, left = json_array_size(cohorts), before;
    do {
        before = left;
        json_array_foreach(cohorts, i, item)
        {
            const char *parent = case_text(item, "parent");
            if (case_find(&c->tree, case_text(item, "name"), false) !=
                    QUOTA_NO_PARENT ||
                (parent &&
                 case_find(&c->tree, parent, false) == QUOTA_NO_PARENT))
                continue;
            case_add_node(c, item, false);
            left--;
        }
    } while (left && left < before);
    assert_int_equal(left, 0);
    json_array_foreach(json_object_get(c->row, "queues"), i, item)
        case_add_node(c, item, true);
}

static int64_t case_time(const json_t *object, const char *key)
{
    return case_amount(object, key, INT64_MIN);
}

static struct quota_load case_load(const struct quota_case *c,
                                   const json_t *item, uint32_t id)
{
    const json_t *flags = json_object_get(item, "flags");
    const json_t *priority = json_object_get(item, "priority");
    return (struct quota_load){
        .id = id,
        .queue = case_find(&c->tree, case_text(item, "queue"), true),
        .amount = case_amount(item, "amount", 0),
        .priority = (int32_t)json_integer_value(priority),
        .created = case_time(item, "created_s"),
        .reserved = case_time(item, "reserved_s"),
        .evicted = json_is_true(json_object_get(flags, "evicted")),
    };
}

static int case_compare_names(const void *a, const void *b)
{
    return strcmp(case_text(*(const json_t *const *)a, "name"),
                  case_text(*(const json_t *const *)b, "name"));
}

static void case_read(struct quota_case *c, const json_t *row)
{
    const json_t *fair = json_object_get(row, "fair_sharing"), *item;
    const json_t *admitted = json_object_get(row, "admitted");
    size_t i;
    memset(c, 0, sizeof *c);
    c->row = row;
    c->tree.nodes = c->nodes;
    case_add_nodes(c);
    quota_tree_init(&c->tree);
    c->n = json_array_size(admitted);
    c->admitted = mem_alloc((c->n + 1) * sizeof *c->admitted);
    c->loads = mem_alloc((c->n + 1) * sizeof *c->loads);
    for (i = 0; i < c->n; i++)
        c->admitted[i] = json_array_get(admitted, i);
    qsort(c->admitted, c->n, sizeof *c->admitted, case_compare_names);
    for (i = 0; i < c->n; i++) {
        c->loads[i] = case_load(c, c->admitted[i], (uint32_t)i);
        quota_use(&c->tree, c->loads[i].queue, c->loads[i].amount);
    }
    c->fairness.enabled = json_is_true(json_object_get(fair, "enabled"));
    json_array_foreach(json_object_get(fair, "strategies"), i, item)
    {
        assert_true(i < 2);
        c->fairness.steps[i] =
            strcmp(json_string_value(item), "LessThanInitialShare") == 0
                ? QUOTA_INITIAL_SHARE
                : QUOTA_FINAL_SHARE;
    }
}

static void case_free(struct quota_case *c)
{
    free(c->admitted);
    free(c->loads);
}

/* Each of the following functions writes what `expected` of a kind holds. */

static void case_list_victims(const struct quota_case *c,
                              const struct quota_victim *victims, size_t n,
                              json_t *list)
{
    static const char *const reasons[] = {
        [QUOTA_IN_QUEUE] = "InClusterQueue",
        [QUOTA_RECLAIM] = "InCohortReclamation",
        [QUOTA_RECLAIM_BORROWING] = "InCohortReclaimWhileBorrowing",
        [QUOTA_FAIR] = "InCohortFairSharing",
    };
    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s}", "name",
                            case_text(c->admitted[victims[i].load], "name"),
                            "reason", reasons[victims[i].reason]));
}

static json_t *case_victims(struct quota_case *c)
{
    struct quota_load job =
        case_load(c, json_object_get(c->row, "incoming"), UINT32_MAX);
    struct quota_victim *out = mem_alloc((c->n + 1) * sizeof *out);
    json_t *list = json_array();
    size_t n = quota_victims(&c->tree, c->loads, c->n, &job, &c->fairness, out);
    case_list_victims(c, out, n, list);
    free(out);
    return json_pack("{s:o}", "preempted", list);
}

static json_t *case_shares(struct quota_case *c)
{
    const json_t *of =
        json_object_get(json_object_get(c->row, "expected"), "share");
    json_t *out = json_object(), *item;
    const char *name;
    json_object_foreach((json_t *)(uintptr_t)of, name, item)
    {
        const char *kind = case_text(item, "node");
        uint32_t node = case_find(&c->tree, name, strcmp(kind, "queue") == 0);
        struct quota_share share = quota_share_of(&c->tree, node);
        bool borrows = c->nodes[node].parent != QUOTA_NO_PARENT &&
                       quota_borrows(&c->tree, node, 0);
        json_t *value = share.infinite
                            ? json_string("max_int64")
                            : json_integer((json_int_t)ceil(share.weighted));
        json_t *resource = json_object_get(c->row, "resource");
        json_object_set_new(
            out, name,
            json_pack("{s:o, s:O, s:b, s:s}", "value", value, "dominant",
                      share.unweighted > 0 ? resource : json_null(),
                      "borrowing", (int)borrows, "node", kind));
    }
    return json_pack("{s:o}", "share", out);
}

static json_t *case_available(struct quota_case *c)
{
    const char *const keys[] = {"available", "potentially_available"};
    json_t *expected = json_object_get(c->row, "expected"), *item;
    json_t *out = json_object();
    const char *name;
    for (int k = 0; k < 2; k++) {
        json_t *amounts = json_object();
        json_object_foreach(json_object_get(expected, keys[k]), name, item)
        {
            uint32_t node = case_find(&c->tree, name, true);
            if (node == QUOTA_NO_PARENT)
                node = case_find(&c->tree, name, false);
            int64_t amount = k == 0 ? quota_available(&c->tree, node)
                                    : quota_potential(&c->tree, node);
            json_object_set_new(amounts, name,
                                json_real((double)amount / 1000));
        }
        json_object_set_new(out, keys[k], amounts);
    }
    return out;
}

static json_t *case_allowed(struct quota_case *c)
{
    struct quota_load job =
        case_load(c, json_object_get(c->row, "incoming"), 0);
    struct quota_load other =
        case_load(c, json_object_get(c->row, "candidate"), 1);
    return json_pack(
        "{s:b}", "allowed",
        (int)quota_rule_allows(case_rule(c->row, "policy"), &job, &other));
}

/* The heads of a case of admission, and the job of each. */
struct case_heads {
    struct quota_head heads[CASE_HEADS];
    const json_t *jobs[CASE_HEADS];
    uint32_t order[CASE_HEADS];
    size_t n;
};

static void case_push(json_t *by_queue, const json_t *job)
{
    const char *queue = case_text(job, "queue");
    json_t *list = json_object_get(by_queue, queue);
    if (!list) {
        list = json_array();
        json_object_set_new(by_queue, queue, list);
    }
    json_array_append(list, json_object_get(job, "name"));
}

/* Makes one head for each queue: the job of the highest priority, then the
 * oldest. The other jobs stay in their queues. */
static void case_pick_heads(const struct quota_case *c, struct case_heads *h,
                            json_t *left)
{
    const json_t *job;
    size_t i;
    json_array_foreach(json_object_get(c->row, "pending"), i, job)
    {
        struct quota_head head = {.job = case_load(c, job, (uint32_t)i)};
        size_t k = 0;
        while (k < h->n && h->heads[k].job.queue != head.job.queue)
            k++;
        assert_true(k < CASE_HEADS);
        if (k == h->n) {
            h->jobs[h->n++] = job;
            h->heads[k] = head;
        } else if (quota_head_goes_first(&head, &h->heads[k])) {
            case_push(left, h->jobs[k]);
            h->jobs[k] = job;
            h->heads[k] = head;
        } else {
            case_push(left, job);
        }
    }
}

/* One cycle. A head without an answer is set aside until something changes, or
 * stays if its queue is strict, which only the note of a case says. */
static json_t *case_cycle(struct quota_case *c)
{
    const char *note = case_text(c->row, "note");
    bool strict = note && strstr(note, "queue is StrictFIFO");
    json_t *admitted = json_array(), *preempted = json_array();
    json_t *left = json_object(), *aside = json_object();
    struct case_heads h = {.n = 0};
    case_pick_heads(c, &h, left);
    quota_cycle(&c->tree, c->loads, c->n, h.heads, h.n, &c->fairness, h.order);
    for (size_t i = 0; i < h.n; i++) {
        const struct quota_head *head = &h.heads[i];
        if (head->outcome == QUOTA_ADMIT)
            json_array_append(admitted, json_object_get(h.jobs[i], "name"));
        else if (head->outcome == QUOTA_PREEMPT ||
                 head->outcome == QUOTA_SKIP || strict)
            case_push(left, h.jobs[i]);
        else
            case_push(aside, h.jobs[i]);
        if (head->outcome == QUOTA_PREEMPT)
            case_list_victims(c, head->victims, head->n_victims, preempted);
        free(head->victims);
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "admitted", admitted, "preempted",
                     preempted, "left", left, "inadmissible", aside);
}

static int case_compare_loads(const void *a, const void *b, void *job)
{
    return quota_candidate_order(a, b, job);
}

static json_t *case_order_candidates(struct quota_case *c)
{
    struct quota_load job =
        case_load(c, json_object_get(c->row, "incoming"), UINT32_MAX);
    json_t *out = json_array();
    qsort_r(c->loads, c->n, sizeof *c->loads, case_compare_loads, &job);
    for (size_t i = 0; i < c->n; i++)
        json_array_append(out,
                          json_object_get(c->admitted[c->loads[i].id], "name"));
    return out;
}

/* Draws queues, while the usages stay as they are. */
static json_t *case_order_queues(struct quota_case *c)
{
    const json_t *actions = json_object_get(c->row, "actions"), *queue;
    struct quota_load job =
        case_load(c, json_object_get(c->row, "incoming"), UINT32_MAX);
    struct fair_search s = {
        .tree = &c->tree,
        .loads = c->loads,
        .job = &job,
        .candidates = mem_alloc((c->n + 1) * sizeof *s.candidates),
        .dropped = mem_zalloc(c->tree.n + 1, sizeof *s.dropped),
    };
    json_t *out = json_array();
    size_t k;
    qsort_r(c->loads, c->n, sizeof *c->loads, case_compare_loads, &job);
    for (uint32_t i = 0; i < c->n; i++) {
        const char *of = c->nodes[c->loads[i].queue].name;
        json_array_foreach(json_object_get(c->row, "candidate_queues"), k,
                           queue)
        {
            if (strcmp(json_string_value(queue), of) == 0)
                s.candidates[s.n++] = i;
        }
    }
    for (uint32_t at; (at = fair_next_queue(&s)) != QUOTA_NO_PARENT;) {
        const char *action =
            json_string_value(json_array_get(actions, json_array_size(out)));
        json_array_append_new(out, json_string(c->nodes[at].name));
        if (action && strcmp(action, "drop") == 0)
            s.dropped[at] = true;
        else
            fair_pop(&s, at);
    }
    free(s.candidates);
    free(s.dropped);
    return out;
}

/* Heads that compare equal may come in any order: they keep that of
 * `expected`. */
static json_t *case_order_entries(struct quota_case *c)
{
    const json_t *settings = json_object_get(c->row, "settings"), *name, *item;
    bool by_priority =
        json_is_true(json_object_get(settings, "priority_sorting"));
    bool by_stop = strcmp(case_text(settings, "timestamp"), "eviction") == 0;
    json_t *order =
        json_object_get(json_object_get(c->row, "expected"), "order");
    json_t *out = json_array();
    struct case_heads h = {.n = 0};
    size_t i, k;
    json_array_foreach(order, i, name)
    {
        json_array_foreach(json_object_get(c->row, "pending"), k, item)
        {
            if (!json_equal(name, json_object_get(item, "name")))
                continue;
            struct quota_load job = case_load(c, item, (uint32_t)h.n);
            if (!by_priority)
                job.priority = 0;
            if (by_stop && json_is_number(json_object_get(item, "evicted_s")))
                job.created = case_time(item, "evicted_s");
            assert_true(h.n < CASE_HEADS);
            h.heads[h.n++] =
                (struct quota_head){.job = job,
                                    .height = (uint32_t)json_integer_value(
                                        json_object_get(item, "borrow_level"))};
        }
    }
    for (i = 1; i < h.n; i++) {
        for (k = i;
             k > 0 && quota_head_goes_first(&h.heads[k], &h.heads[k - 1]);
             k--) {
            struct quota_head earlier = h.heads[k];
            h.heads[k] = h.heads[k - 1];
            h.heads[k - 1] = earlier;
        }
    }
    for (i = 0; i < h.n; i++)
        json_array_append(out, json_array_get(order, h.heads[i].job.id));
    return out;
}

static json_t *case_order(struct quota_case *c)
{
    const char *of = case_text(c->row, "order_of");
    json_t *order = strcmp(of, "candidates") == 0 ? case_order_candidates(c)
                    : strcmp(of, "queues") == 0   ? case_order_queues(c)
                                                  : case_order_entries(c);
    return json_pack("{s:o}", "order", order);
}

static const struct case_kind {
    const char *name;
    json_t *(*run)(struct quota_case *c);
} case_kinds[] = {
    {"preemption", case_victims},  {"fair_preemption", case_victims},
    {"admission", case_cycle},     {"share", case_shares},
    {"hierarchy", case_available}, {"order", case_order},
    {"policy", case_allowed},
};
enum { CASE_KINDS = sizeof case_kinds / sizeof *case_kinds };

/* Returns the value as text in one form: keys and lists are sorted, but for
 * lists that state an order, and all numbers are real. */
static int case_compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void case_write(FILE *out, const json_t *value, bool sorts);

static void case_write_list(FILE *out, const json_t *list, bool sorts)
{
    size_t n = json_array_size(list), len;
    char **texts = mem_alloc((n + 1) * sizeof *texts);
    for (size_t i = 0; i < n; i++) {
        FILE *one = open_memstream(&texts[i], &len);
        case_write(one, json_array_get(list, i), sorts);
        fclose(one);
    }
    if (sorts)
        qsort(texts, n, sizeof *texts, case_compare_texts);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "%s%s", i ? ", " : "[", texts[i]);
        free(texts[i]);
    }
    fputs(n ? "]" : "[]", out);
    free(texts);
}

static void case_write(FILE *out, const json_t *value, bool sorts)
{
    json_t *item;
    const char *key, *between = "{";
    if (json_is_number(value)) {
        fprintf(out, "%g", json_number_value(value));
    } else if (json_is_array(value)) {
        case_write_list(out, value, sorts);
    } else if (json_is_object(value)) {
        char *keys = json_dumps(value, JSON_SORT_KEYS | JSON_COMPACT);
        json_t *sorted = json_loads(keys, 0, NULL);
        json_object_foreach(sorted, key, item)
        {
            fprintf(out, "%s%s: ", between, key);
            case_write(out, item, sorts && strcmp(key, "order") != 0);
            between = ", ";
        }
        fputs(*between == '{' ? "{}" : "}", out);
        json_decref(sorted);
        free(keys);
    } else {
        char *text = json_dumps(value, JSON_ENCODE_ANY);
        fputs(text, out);
        free(text);
    }
}

static char *case_plain(const json_t *value)
{
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    case_write(out, value, true);
    fclose(out);
    return text;
}

/* Runs the case of a line. Returns the number of its kind; *differs: its
 * result is not the expected one. */
static size_t case_run(const char *line, bool *differs)
{
    json_error_t where;
    json_t *row = json_loads(line, 0, &where);
    const char *kind = case_text(row, "kind");
    struct quota_case *c = mem_alloc(sizeof *c);
    size_t k = 0;
    if (!kind)
        fail_msg("not a case: %s", where.text);
    while (k < CASE_KINDS && strcmp(case_kinds[k].name, kind) != 0)
        k++;
    if (k == CASE_KINDS)
        fail_msg("no kind '%s'", kind);
    case_read(c, row);
    json_t *result = case_kinds[k].run(c);
    char *got = case_plain(result);
    char *expected = case_plain(json_object_get(row, "expected"));
    *differs = strcmp(got, expected) != 0;
    if (*differs)
        print_message("%s: %s | expected %s | got %s\n", kind,
                      case_text(row, "case"), expected, got);
    case_free(c);
    free(c);
    free(got);
    free(expected);
    json_decref(result);
    json_decref(row);
    return k;
}

static void the_cases_of_kueue_come_out_equal(void **state)
{
    const char *shared = getenv("SCHEDSIM_SHARED");
    size_t n[CASE_KINDS] = {0}, equal[CASE_KINDS] = {0};
    size_t cap = 0, total = 0, wrong = 0;
    char path[512], *line = NULL;
    (void)state;
    snprintf(path, sizeof path, "%s/golden/kueue/kueue_cases.jsonl",
             shared ? shared : "../shared");
    FILE *file = fopen(path, "r");
    if (!file) {
        print_message("skipped: ../shared not present\n");
        skip();
    }
    while (getline(&line, &cap, file) > 0) {
        bool differs;
        size_t k = case_run(line, &differs);
        n[k]++;
        equal[k] += !differs;
        wrong += differs;
        total++;
    }
    free(line);
    fclose(file);
    for (size_t k = 0; k < CASE_KINDS; k++) {
        print_message("%s: %zu cases, %zu equal\n", case_kinds[k].name, n[k],
                      equal[k]);
    }
    assert_true(total > 0);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cases_of_kueue_come_out_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
