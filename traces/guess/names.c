/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/guess/names.h"

#include <string.h>

#include "sim/base/ascii.h"

/* Names by key, separated by blanks, in lower case and without separators
 * between the words of a name. Earlier names tell more. A column fits a key if
 * its joined name equals one of the names or, less well, contains one of at
 * least four letters. */
static const char *const names[GUESS_N_KEYS] = {
    [CSV_SUBMIT] = "submit submitted submittime submittedat submissiontime "
                   "submission submitat submitdate arrival arrivaltime arrived "
                   "arrivedat created createdat createtime creationtime "
                   "creationtimestamp queuedat enqueued enqueuetime timestamp "
                   "time",
    [CSV_GPUS] = "gpus ngpus numgpus numgpu gpunum gpucount totalgpus gpu "
                 "gpusrequested requestedgpus gpurequest gpurequested reqgpus "
                 "allocgpus gpusallocated gpusused numaccelerators "
                 "accelerators gres alloctres reqtres",
    [GUESS_GPUS_EACH] = "gpuspernode gpupernode gpusperworker gpuperworker "
                        "gpusperreplica gpusperinstance gpusperpod gpuperpod "
                        "gpuseach",
    [CSV_DURATION] =
        "duration runtime elapsed elapsedtime runningtime exectime "
        "executiontime servicetime jobduration usage elapsedraw "
        "run length service lasted took",
    [CSV_START] = "start started starttime startedat startdate begin begintime "
                  "began launched launchtime scheduledtime scheduled "
                  "scheduledat runstart",
    [CSV_END] = "end ended endtime endedat enddate finish finished finishtime "
                "finishedat completiontime completedat stoptime stop stopped "
                "terminated deletiontime deleted deletedat",
    [CSV_WAIT] = "wait waittime waiting waitingtime queuetime queueingdelay "
                 "queuedelay queueing pendingtime delay",
    [CSV_LIMIT] = "limit timelimit walltime requestedtime requestedwalltime "
                  "timeout maxruntime estimate expectedruntime",
    [CSV_DUE] = "due duetime duedate",
    [CSV_DEADLINE] = "deadline slo",
    [CSV_ID] = "jobid id uuid jobuuid taskid jobidraw runid workloadid job",
    [CSV_USER] = "user username userid owner submitter uid submittedby",
    [CSV_VC] =
        "vc virtualcluster partition queue queuename pool tenant project "
        "projectid namespace team group account organization cluster",
    [CSV_NAME] = "name jobname taskname workload title",
    [CSV_MODEL] = "model modelname application app network architecture",
    [CSV_DATASET] = "dataset",
    [CSV_GPU_TYPE] = "gputype gpumodel gpuspec gpukind accelerator "
                     "acceleratortype device",
    [CSV_KIND] = "kind type jobtype tasktype category",
    [CSV_PRIORITY] = "priority prio priorityclass qos weight",
    [CSV_STATE] = "status state jobstatus jobstate finalstate finalstatus "
                  "exitstate result outcome phase podphase",
    [CSV_CPUS] = "cpus ncpus numcpus cpunum cpu cores ncores vcpus cpucount "
                 "cpurequest alloccpus reqcpus",
    [CSV_NODES] = "nodes nnodes numnodes nodenum nodecount workers nworkers "
                  "numworkers workernum replicas instnum instances pods "
                  "allocnodes",
    [CSV_BATCH_SIZE] = "batchsize totalbatchsize globalbatchsize bs",
    [CSV_ATTEMPTS] = "attempts nattempts tries",
    [CSV_MEM] = "mem memory ram reqmem memoryrequest memrequest",
    [CSV_GPU_MEM] = "gpumem gpumemory vram gmem",
    [CSV_GPU_UTIL] = "gpuutil gpuutilization gpuutilisation",
};

/* Units as they occur at the end of column names, and as column maps write
 * them. */
static const struct {
    const char *ending, *unit;
} units[] = {
    {"ms", "ms"},
    {"msec", "ms"},
    {"millis", "ms"},
    {"milliseconds", "ms"},
    {"us", "us"},
    {"micros", "us"},
    {"microseconds", "us"},
    {"ns", "ns"},
    {"nanoseconds", "ns"},
    {"s", "s"},
    {"sec", "s"},
    {"secs", "s"},
    {"seconds", "s"},
    {"min", "min"},
    {"mins", "min"},
    {"minutes", "min"},
    {"h", "h"},
    {"hr", "h"},
    {"hrs", "h"},
    {"hours", "h"},
    {"d", "d"},
    {"days", "d"},
    {"gb", "gib"},
    {"gib", "gib"},
    {"mb", "mib"},
    {"mib", "mib"},
    {"kb", "kib"},
    {"kib", "kib"},
    {"bytes", "b"},
    {"tb", "tib"},
};
/* Last words of names that say nothing about the unit. */
static const char *const empty[] = {"utc", "unix", "epoch",
                                    "ts",  "raw",  "local"};

#define WORDS_MAX 8
#define NAME_MAX_LEN 64

/* Splits a name into words in lower case: at characters that are neither
 * letters nor digits, and before a capital after a small letter. Keeps the
 * first WORDS_MAX words and returns their number. */
static size_t cut(struct text name, char words[WORDS_MAX][NAME_MAX_LEN])
{
    size_t n = 0, len = 0;
    for (size_t i = 0; i <= name.len; i++) {
        const char c = text_char(name, i);
        const bool letter = i < name.len && ascii_is_alnum(c);
        const bool hump = letter && i && ascii_is_upper(c) &&
                          ascii_is_letter(name.at[i - 1]) &&
                          !ascii_is_upper(name.at[i - 1]);
        if (len && (!letter || hump)) {
            words[n++][len] = '\0';
            len = 0;
        }
        if (n == WORDS_MAX)
            return n;
        if (letter && len + 1 < NAME_MAX_LEN)
            words[n][len++] = ascii_lower(c);
    }
    return n;
}

static const char *unit_of(const char *word)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(word, units[i].ending) == 0)
            return units[i].unit;
    }
    return NULL;
}

static bool says_nothing(const char *word)
{
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        if (strcmp(word, empty[i]) == 0)
            return true;
    }
    return false;
}

const char *names_unit(struct text name)
{
    char words[WORDS_MAX][NAME_MAX_LEN];
    size_t n = cut(name, words);
    while (n > 1 && says_nothing(words[n - 1]))
        n--;
    return n > 1 ? unit_of(words[n - 1]) : NULL;
}

bool names_say_utc(struct text name)
{
    char words[WORDS_MAX][NAME_MAX_LEN];
    const size_t n = cut(name, words);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(words[i], "utc") == 0)
            return true;
    }
    return false;
}

/* Joins the words of a name, except units and words of `empty` at its end.
 * Returns the length. */
static size_t join(struct text name, char out[WORDS_MAX * NAME_MAX_LEN])
{
    char words[WORDS_MAX][NAME_MAX_LEN];
    size_t n = cut(name, words), len = 0;
    while (n > 1 && (says_nothing(words[n - 1]) || unit_of(words[n - 1])))
        n--;
    for (size_t i = 0; i < n; i++) {
        const size_t k = strlen(words[i]);
        memcpy(out + len, words[i], k);
        len += k;
    }
    out[len] = '\0';
    return len;
}

int names_fit(struct text name, int key)
{
    char joined[WORDS_MAX * NAME_MAX_LEN];
    const size_t len = join(name, joined);
    struct text rest = text_from(names[key]);
    int rank = 0, best = 0;
    for (; rest.len && len; rank++) {
        struct text one = text_split(rest, ' ', &rest);
        if (text_is(one, joined))
            return 100 - rank;
        if (one.len >= 4 && memmem(joined, len, one.at, one.len) && best == 0)
            best = 40 - rank;
    }
    return best > 0 ? best : 0;
}
