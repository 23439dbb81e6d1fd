/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/logs/log_causes.h"

#include <string.h>

#include "models/logs/log_causes_internal.h"
#include "models/logs/log_marks.h"

const char *const failure_kinds[] = {"infrastructure", "framework",
                                     "user_script", "other", NULL};
const char *const failure_parts[] = {"gpu",   "nvlink", "network", "node",
                                     "other", "none",   NULL};

/* NVIDIA's catalogue of Xid errors (docs.nvidia.com/deploy/xid-errors). Errors
 * that an application can cause are attributed to the user's script, all others
 * to the hardware. */
static const struct xid {
    uint16_t codes[2]; /* first and last code of the row */
    struct log_cause cause;
} xids[] = {
    {.codes = {13, 13},
     .cause = {USER, 62, "Xid 13: graphics engine exception"}},
    {.codes = {31, 31}, .cause = {USER, 62, "Xid 31: memory page fault"}},
    {.codes = {32, 32},
     .cause = {INFRA(GPU), 80, "Xid 32: corrupted push buffer"}},
    {.codes = {38, 38}, .cause = {INFRA(GPU), 84, "Xid 38: driver firmware"}},
    {.codes = {43, 43}, .cause = {USER, 56, "Xid 43: stopped processing"}},
    {.codes = {45, 45}, .cause = {USER, 30, "Xid 45: preemptive cleanup"}},
    {.codes = {48, 48}, .cause = {INFRA(GPU), 97, "Xid 48: double-bit ECC"}},
    {.codes = {54, 54},
     .cause = {INFRA(GPU), 90, "Xid 54: power not connected"}},
    {.codes = {61, 62},
     .cause = {INFRA(GPU), 94, "Xid 61/62: micro-controller"}},
    {.codes = {63, 64}, .cause = {INFRA(GPU), 90, "Xid 63/64: row remapping"}},
    {.codes = {68, 69}, .cause = {USER, 55, "Xid 68/69: engine exception"}},
    {.codes = {74, 74}, .cause = {INFRA(NVLINK), 97, "Xid 74: NVLink"}},
    {.codes = {79, 79}, .cause = {INFRA(GPU), 98, "Xid 79: off the bus"}},
    {.codes = {92, 92},
     .cause = {INFRA(GPU), 84, "Xid 92: single-bit ECC rate"}},
    {.codes = {94, 95}, .cause = {INFRA(GPU), 96, "Xid 94/95: ECC"}},
    {.codes = {109, 110}, .cause = {INFRA(GPU), 84, "Xid 109/110: GPU fault"}},
    {.codes = {119, 120}, .cause = {INFRA(GPU), 94, "Xid 119/120: GSP"}},
    {.codes = {121, 121},
     .cause = {INFRA(NVLINK), 90, "Xid 121: chip-to-chip link"}},
    {.codes = {136, 136},
     .cause = {INFRA(NVLINK), 88, "Xid 136: NVLink training"}},
    {.codes = {137, 137},
     .cause = {INFRA(NVLINK), 84, "Xid 137: NVLink privilege"}},
    {.codes = {140, 140},
     .cause = {INFRA(GPU), 96, "Xid 140: unrecovered ECC"}},
    {.codes = {143, 143},
     .cause = {INFRA(GPU), 88, "Xid 143: GPU initialisation"}},
    {.codes = {144, 150},
     .cause = {INFRA(NVLINK), 94, "Xid 144 to 150: NVLink"}},
};

static struct log_cause xid_cause(uint32_t code)
{
    for (size_t i = 0; i < sizeof xids / sizeof *xids; i++) {
        if (code >= xids[i].codes[0] && code <= xids[i].codes[1])
            return xids[i].cause;
    }
    return (struct log_cause){INFRA(GPU), 70, "Xid"};
}

/* Reads the code of "NVRM: Xid (PCI:0000:03:00): 62, pid=..." and of "SXid
 * (PCI:...): 11004". */
static bool driver_code(struct text line, struct log_cause *out)
{
    const char *at = memmem(line.at, line.len, "Xid (", 5);
    if (!at)
        return false;
    if (at > line.at && at[-1] == 'S') {
        *out = (struct log_cause){INFRA(NVLINK), 90, "SXid: NVSwitch"};
        return true;
    }
    size_t left = line.len - (size_t)(at - line.at);
    const char *close = memchr(at, ')', left);
    struct text rest = {at, 0};
    uint32_t code;
    if (!close)
        return false;
    rest.at = close + 1;
    rest.len = left - (size_t)(rest.at - at);
    text_split(rest, ':', &rest);
    if (!text_to_u32(text_trim(text_split(rest, ',', &rest)), &code))
        return false;
    *out = xid_cause(code);
    return true;
}

struct log_cause log_cause_of(struct text line)
{
    struct log_cause best = {.kind = FAILURE_OTHER, .part = PART_NONE};
    struct text t = line;
    if (t.len > 4 * LOG_MARKS_BYTES)
        t.len = 4 * LOG_MARKS_BYTES;
    if (driver_code(t, &best))
        return best;
    for (const struct log_signature *s = log_signatures; s->text; s++) {
        if (s->cause.weight > best.weight &&
            memmem(t.at, t.len, s->text, strlen(s->text)) &&
            (!s->also || memmem(t.at, t.len, s->also, strlen(s->also))))
            best = s->cause;
    }
    return best;
}
