/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `policy check SPEC`: judges a policy and prints the verdict. */
#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "commands/cli.h"
#include "commands/terminal.h"
#include "sim/judge/judge.h"

struct check_policy_input {
    struct cli_call call;
    struct judge_config judge;
    bool json;
};

static const char *policy_state_name(const struct judge_check *check)
{
    static const char *const names[] = {
        [JUDGE_OPEN] = "not reached",
        [JUDGE_PASSED] = "passed",
        [JUDGE_FAILED] = "failed",
        [JUDGE_SKIPPED] = "skipped",
    };
    return check->state == JUDGE_OPEN && check->n_done ? "not ended"
                                                       : names[check->state];
}

static void print_check(const struct judge_check *check)
{
    say(stdout, "%-12s %-11s %s", check->name, policy_state_name(check),
        check->about);
    if (check->state == JUDGE_FAILED)
        say(stdout, "%-12s %u of %u jobsets fail, jobset %u first: %s", "",
            check->n_failed, check->n_done, check->first, check->why);
    else if (check->state == JUDGE_SKIPPED)
        say(stdout, "%-12s %s", "", check->why);
}

static void policy_print(const struct judge_verdict *v)
{
    const struct judge_score *score = &v->score;
    for (uint32_t i = 0; i < v->n_checks; i++)
        print_check(&v->checks[i]);
    if (!score->known) {
        say(stdout, "%-12s %s", "score", "not known");
        return;
    }
    say(stdout, "%-12s %.3f  mean JCT of fifo / mean JCT, on %d workloads",
        "score", score->score, JUDGE_WORKLOADS);
    for (size_t i = 0; i < JUDGE_RIVALS; i++)
        say(stdout, "%-12s %.3f  %s", "", score->rival_scores[i],
            score->rivals[i]);
    say(stdout, "%-12s %.1f us  of %" PRIu64 " on these workloads", "decision",
        score->decision_us, score->n_decisions);
}

static json_t *score_json(const struct judge_score *score)
{
    json_t *root = json_object(), *jcts = json_array(), *rivals = json_object();
    if (!score->known) {
        json_decref(root);
        json_decref(jcts);
        json_decref(rivals);
        return json_null();
    }
    for (size_t i = 0; i < JUDGE_WORKLOADS; i++)
        json_array_append_new(jcts, json_number(score->jct_s[i]));
    for (size_t i = 0; i < JUDGE_RIVALS; i++)
        json_put(rivals, score->rivals[i], json_number(score->rival_scores[i]));
    json_put(root, "value", json_number(score->score));
    json_put(root, "others", rivals);
    json_put(root, "mean_jct_s", jcts);
    json_put(root, "decisions", json_number((double)score->n_decisions));
    json_put(root, "decision_us", json_number(score->decision_us));
    return root;
}

static enum status policy_print_json(const struct check_policy_input *input,
                                     const struct judge_verdict *v, bool passed,
                                     struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    json_t *root = json_object(), *checks = json_array();
    for (uint32_t i = 0; i < v->n_checks; i++) {
        const struct judge_check *check = &v->checks[i];
        json_t *one = json_object();
        json_put(one, "name", json_text(check->name));
        json_put(one, "about", json_text(check->about));
        json_put(one, "state", json_text(policy_state_name(check)));
        json_put(one, "jobsets", json_number(check->n_done));
        json_put(one, "failed", json_number(check->n_failed));
        json_put(one, "why", json_text(check->why[0] ? check->why : NULL));
        json_array_append_new(checks, one);
    }
    json_put(root, "policy", json_text(input->judge.policy));
    json_put(root, "passed", json_boolean(passed));
    json_put(root, "ended", json_text(v->ended[0] ? v->ended : NULL));
    json_put(root, "checks", checks);
    json_put(root, "score", score_json(&v->score));
    json_put(root, "seed", json_number((double)input->judge.seed));
    json_write(out, root);
    json_decref(root);
    return out_close(out, err);
}

static enum status policy_run(void *self, struct error *err)
{
    struct check_policy_input *input = self;
    struct judge_verdict verdict = {0};
    enum status st = judge_policy(&input->judge, &verdict, err);
    if (st != STATUS_OK && st != STATUS_BROKEN)
        return st;
    if (!input->json) {
        policy_print(&verdict);
        return st;
    }
    struct error broken = *err;
    enum status printed =
        policy_print_json(input, &verdict, st == STATUS_OK, err);
    if (printed != STATUS_OK)
        return printed;
    *err = broken;
    return st;
}

static const struct arg check_policy_args[] = {
    TAKE_WORD(struct check_policy_input, judge.policy, "SPEC", "policy"),
    TAKE_U32(struct check_policy_input, judge.n_jobsets, "jobsets", "N",
             "random jobsets of each check", .initial = "20", .lo = 1,
             .hi = 100000),
    TAKE_U64(struct check_policy_input, judge.seed, "seed", "N",
             "seed of the jobsets", .initial = "0"),
    TAKE_SPAN(struct check_policy_input, judge.limit, "timeout", "S",
              "longest time for everything; 0: no limit", .initial = "300"),
    TAKE_U32(struct check_policy_input, judge.memory_mib, "memory-mib", "MIB",
             "most memory, as address space; 0: no limit", .initial = "4096"),
    TAKE_FLAG(struct check_policy_input, json, "json", "print JSON",
              .letter = 'j'),
    {0},
};

const struct command command_check_policy = {
    .name = "check",
    .summary = "judge a policy of your own: laws, limits, a score",
    .about = "Runs a policy on random workloads and checks what must hold for "
             "every policy: that each job ends, that a second run is equal, "
             "that it plans nothing when it is asked again, that it does not "
             "know what is to come. Then measures a score: how many times "
             "shorter its mean JCT is than that of fifo. The policy is built "
             "in, a program (exec:COMMAND) or a shared object (PATH.so), and "
             "runs in a process of its own.",
    .notes = "docs/policy-tutorial.md shows how to write a policy.",
    .parts = {{.rows = check_policy_args}},
    .input_size = sizeof(struct check_policy_input),
    .run = policy_run,
    .examples = "policy check srtf\npolicy check ./mine.so:depth=3 --json\n"
                "policy check \"exec:python3 mine.py\" --jobsets 100",
    .ends = CLI_ENDS(BROKEN),
};
