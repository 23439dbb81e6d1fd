/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of signatures. Weights order what stands together in one report: a
 * hardware code ranks above the exception that it leads to, a reason given by
 * the scheduler above the signals that it sends, a named exception above a bare
 * abort. The weights are judgements; bench/README.md says how well they do. */
#include "models/logs/log_causes.h"

#include <string.h>

#include "models/logs/log_marks.h"

const char *const failure_kinds[] = {"infrastructure", "framework",
                                     "user_script", "other", NULL};
const char *const failure_parts[] = {"gpu",   "nvlink", "network", "node",
                                     "other", "none",   NULL};

#define INFRA(part) FAILURE_INFRASTRUCTURE, PART_##part
#define FRAME FAILURE_FRAMEWORK, PART_NONE
#define USER FAILURE_USER_SCRIPT, PART_NONE
#define OTHER FAILURE_OTHER, PART_NONE

struct signature {
    const char *text, *also; /* both must be in the line; `also` may be NULL */
    struct log_cause cause;
};

/* Case counts, because most of these texts are written by programs in one way.
 * If several match, the one with the largest weight counts. */
static const struct signature signatures[] = {
    /* CUDA runtime and driver errors: CUDA runtime API, cudaError_t */
    {"uncorrectable ECC", NULL, {INFRA(GPU), 96, "ECC error"}},
    {"ECCUncorrectable", NULL, {INFRA(GPU), 96, "ECC error"}},
    {"double bit ECC", NULL, {INFRA(GPU), 96, "ECC error"}},
    {"ouble-bit", "ECC", {INFRA(GPU), 96, "ECC error"}},
    {"fallen off the bus", NULL, {INFRA(GPU), 96, "GPU off the bus"}},
    {"GPU is lost", NULL, {INFRA(GPU), 96, "GPU lost"}},
    {"Unable to determine the device handle",
     NULL,
     {INFRA(GPU), 92, "GPU lost"}},
    {"CUDA error: unknown error", NULL, {INFRA(GPU), 80, "CUDA error"}},
    {"CUDA_ERROR_UNKNOWN", NULL, {INFRA(GPU), 75, "CUDA error"}},
    {"hardware stack error", NULL, {INFRA(GPU), 90, "GPU hardware"}},
    {"devices are busy or unavailable",
     NULL,
     {INFRA(GPU), 86, "GPU unavailable"}},
    {"no CUDA-capable device", NULL, {INFRA(GPU), 78, "GPU unavailable"}},
    {"nvidia-smi has failed", NULL, {INFRA(GPU), 86, "driver not running"}},
    {"NVIDIA-SMI has failed", NULL, {INFRA(GPU), 86, "driver not running"}},
    {"river/library version mismatch",
     NULL,
     {INFRA(NODE), 86, "driver mismatch"}},
    {"CUDA driver initialization failed",
     NULL,
     {INFRA(GPU), 78, "driver not running"}},
    {"RmInitAdapter failed", NULL, {INFRA(GPU), 92, "GPU hardware"}},
    {"GPU Board Serial", "error", {INFRA(GPU), 60, "GPU hardware"}},
    {"system not yet initialized", NULL, {INFRA(NVLINK), 92, "fabric manager"}},
    {"SystemNotReady", NULL, {INFRA(NVLINK), 92, "fabric manager"}},
    {"NvlinkUncorrectable", NULL, {INFRA(NVLINK), 96, "NVLink error"}},
    {"uncorrectable NVLink", NULL, {INFRA(NVLINK), 96, "NVLink error"}},
    {"Link", "<inactive>", {INFRA(NVLINK), 88, "NVLink down"}},
    {"NVLink", "rror", {INFRA(NVLINK), 84, "NVLink error"}},
    {"NVLINK", "rror", {INFRA(NVLINK), 84, "NVLink error"}},
    {"nvlink", "fail", {INFRA(NVLINK), 84, "NVLink error"}},
    {"NVLink", "fail", {INFRA(NVLINK), 84, "NVLink error"}},
    {"NVSwitch", "rror", {INFRA(NVLINK), 88, "NVSwitch error"}},
    {"nvswitch", "rror", {INFRA(NVLINK), 88, "NVSwitch error"}},
    {"NVSwitch", "fatal", {INFRA(NVLINK), 88, "NVSwitch error"}},
    {"abric manager", "rror", {INFRA(NVLINK), 84, "fabric manager"}},
    {"abric Manager", "rror", {INFRA(NVLINK), 84, "fabric manager"}},
    {"abricmanager", "rror", {INFRA(NVLINK), 84, "fabric manager"}},
    {"illegal memory access", NULL, {USER, 76, "illegal memory access"}},
    {"device-side assert", NULL, {USER, 84, "device-side assert"}},
    {"misaligned address", NULL, {USER, 76, "illegal memory access"}},
    {"unspecified launch failure", NULL, {USER, 60, "kernel failed"}},
    {"invalid device ordinal", NULL, {USER, 76, "no such GPU"}},
    {"no kernel image is available", NULL, {FRAME, 84, "binary mismatch"}},
    {"invalid device function", NULL, {FRAME, 76, "binary mismatch"}},
    {"CUDA out of memory", NULL, {FRAME, 86, "GPU out of memory"}},
    {"CUDA error: out of memory", NULL, {FRAME, 84, "GPU out of memory"}},
    {"OutOfMemoryError", NULL, {FRAME, 84, "GPU out of memory"}},
    {"RESOURCE_EXHAUSTED", NULL, {FRAME, 80, "GPU out of memory"}},
    {"OOM when allocating", NULL, {FRAME, 84, "GPU out of memory"}},
    {"CUBLAS_STATUS", NULL, {FRAME, 60, "library error"}},
    {"CUDNN_STATUS", NULL, {FRAME, 60, "library error"}},
    /* NCCL: ncclResult_t and its network plug-ins */
    {"ncclSystemError", NULL, {INFRA(NETWORK), 80, "NCCL system error"}},
    {"ncclRemoteError", NULL, {INFRA(NETWORK), 84, "NCCL remote error"}},
    {"ncclInternalError", NULL, {INFRA(NETWORK), 66, "NCCL internal error"}},
    {"ncclUnhandledCudaError", NULL, {INFRA(GPU), 55, "NCCL CUDA error"}},
    {"unhandled cuda error", NULL, {INFRA(GPU), 55, "NCCL CUDA error"}},
    {"unhandled system error", NULL, {INFRA(NETWORK), 78, "NCCL system error"}},
    {"ncclInvalidUsage", NULL, {USER, 72, "NCCL invalid usage"}},
    {"Duplicate GPU detected", NULL, {USER, 78, "NCCL invalid usage"}},
    {"Watchdog caught collective", NULL, {INFRA(NETWORK), 76, "NCCL timeout"}},
    {"ollective operation timeout", NULL, {INFRA(NETWORK), 76, "NCCL timeout"}},
    {"NCCL operations have failed or timed out",
     NULL,
     {INFRA(NETWORK), 68, "NCCL timeout"}},
    {"Timed out waiting", "clients", {INFRA(NETWORK), 70, "rendezvous"}},
    {"NET/IB", "rror", {INFRA(NETWORK), 88, "InfiniBand error"}},
    {"NET/IB", "WARN", {INFRA(NETWORK), 80, "InfiniBand error"}},
    {"NET/Socket", "WARN", {INFRA(NETWORK), 70, "socket error"}},
    {"Got completion", "status", {INFRA(NETWORK), 88, "InfiniBand error"}},
    {"Got completion", "error", {INFRA(NETWORK), 88, "InfiniBand error"}},
    {"ibv_", "fail", {INFRA(NETWORK), 84, "InfiniBand error"}},
    {"mlx5", "rror", {INFRA(NETWORK), 82, "InfiniBand error"}},
    {"IBV_WC", NULL, {INFRA(NETWORK), 84, "InfiniBand error"}},
    {"transport retry counter exceeded",
     NULL,
     {INFRA(NETWORK), 90, "InfiniBand error"}},
    {"Link is Down", NULL, {INFRA(NETWORK), 80, "link down"}},
    {"link is down", NULL, {INFRA(NETWORK), 80, "link down"}},
    {"UCX", "ERROR", {INFRA(NETWORK), 45, "UCX error"}},
    /* errno names and words: errno(3) */
    {"onnection refused", NULL, {INFRA(NETWORK), 74, "connection refused"}},
    {"ECONNREFUSED", NULL, {INFRA(NETWORK), 74, "connection refused"}},
    {"onnection reset by", NULL, {INFRA(NETWORK), 66, "connection reset"}},
    {"ECONNRESET", NULL, {INFRA(NETWORK), 66, "connection reset"}},
    {"onnection timed out", NULL, {INFRA(NETWORK), 74, "connection timeout"}},
    {"ETIMEDOUT", NULL, {INFRA(NETWORK), 74, "connection timeout"}},
    {"onnection closed by remote",
     NULL,
     {INFRA(NETWORK), 70, "connection closed"}},
    {"onnection closed by peer",
     NULL,
     {INFRA(NETWORK), 50, "connection closed"}},
    {"o route to host", NULL, {INFRA(NETWORK), 84, "no route"}},
    {"EHOSTUNREACH", NULL, {INFRA(NETWORK), 84, "no route"}},
    {"etwork is unreachable", NULL, {INFRA(NETWORK), 84, "no route"}},
    {"ENETUNREACH", NULL, {INFRA(NETWORK), 84, "no route"}},
    {"ailure in name resolution", NULL, {INFRA(NETWORK), 80, "name lookup"}},
    {"Name or service not known", NULL, {INFRA(NETWORK), 78, "name lookup"}},
    {"ssh_exchange_identification", NULL, {INFRA(NETWORK), 80, "ssh refused"}},
    {"Max retries exceeded", NULL, {INFRA(NETWORK), 70, "remote service"}},
    {"ConnectionError", NULL, {INFRA(NETWORK), 66, "remote service"}},
    {"ReadTimeout", NULL, {INFRA(NETWORK), 64, "remote service"}},
    {"SSLError", NULL, {INFRA(NETWORK), 60, "remote service"}},
    {"Socket Timeout", NULL, {INFRA(NETWORK), 68, "rendezvous"}},
    {"ddress already in use", NULL, {FRAME, 72, "port in use"}},
    {"EADDRINUSE", NULL, {FRAME, 72, "port in use"}},
    {"ORTE was unable", NULL, {INFRA(NETWORK), 66, "launcher"}},
    {"ORTE does not know", NULL, {INFRA(NETWORK), 66, "launcher"}},
    {"roken pipe", NULL, {INFRA(NETWORK), 40, "connection closed"}},
    {"nput/output error", NULL, {INFRA(OTHER), 86, "storage"}},
    {"emote I/O error", NULL, {INFRA(OTHER), 86, "storage"}},
    {"Stale file handle", NULL, {INFRA(OTHER), 88, "storage"}},
    {"Stale NFS", NULL, {INFRA(OTHER), 88, "storage"}},
    {"o space left on device", NULL, {INFRA(OTHER), 84, "storage full"}},
    {"ENOSPC", NULL, {INFRA(OTHER), 84, "storage full"}},
    {"isk quota exceeded", NULL, {INFRA(OTHER), 84, "storage quota"}},
    {"QuotaExceeded", NULL, {INFRA(OTHER), 84, "storage quota"}},
    {"EDQUOT", NULL, {INFRA(OTHER), 84, "storage quota"}},
    {"ead-only file system", NULL, {INFRA(OTHER), 86, "storage"}},
    {"ransport endpoint", "not connected", {INFRA(OTHER), 86, "storage"}},
    {"shutdown", "transport endpoint", {INFRA(OTHER), 80, "storage"}},
    {"LustreError", NULL, {INFRA(OTHER), 86, "storage"}},
    {"nfs: server", "not responding", {INFRA(OTHER), 88, "storage"}},
    {"botocore", "rror", {INFRA(OTHER), 74, "object storage"}},
    {"SlowDown", NULL, {INFRA(OTHER), 74, "object storage"}},
    /* kernel and RAS */
    {"Kernel panic", NULL, {INFRA(NODE), 96, "kernel panic"}},
    {"achine check", NULL, {INFRA(NODE), 90, "machine check"}},
    {"mce: ", NULL, {INFRA(NODE), 84, "machine check"}},
    {"[Hardware Error]", NULL, {INFRA(NODE), 92, "machine check"}},
    {"EDAC ", NULL, {INFRA(NODE), 80, "memory error"}},
    {"soft lockup", NULL, {INFRA(NODE), 88, "kernel lockup"}},
    {"hard LOCKUP", NULL, {INFRA(NODE), 90, "kernel lockup"}},
    {"blocked for more than", NULL, {INFRA(NODE), 78, "kernel lockup"}},
    {"RAS ", " FATAL ", {INFRA(NODE), 74, "fatal RAS event"}},
    {"PCIe Bus Error", NULL, {INFRA(NODE), 82, "PCIe error"}},
    {"AER: ", "rror", {INFRA(NODE), 76, "PCIe error"}},
    {"hermal", "shut", {INFRA(NODE), 86, "overheated"}},
    /* Slurm: job states and reasons */
    {"NODE_FAIL", NULL, {INFRA(NODE), 96, "node failure"}},
    {"NODE FAILURE", NULL, {INFRA(NODE), 96, "node failure"}},
    {"NODE FAIL", NULL, {INFRA(NODE), 96, "node failure"}},
    {"ode failure", NULL, {INFRA(NODE), 92, "node failure"}},
    {"ode fail", "job", {INFRA(NODE), 88, "node failure"}},
    {"not responding", "ode", {INFRA(NODE), 84, "node failure"}},
    {"Zero Bytes were transmitted", NULL, {INFRA(NODE), 84, "node failure"}},
    {"Socket timed out on send/recv",
     NULL,
     {INFRA(NETWORK), 78, "scheduler out of reach"}},
    {"Unable to contact slurm controller",
     NULL,
     {INFRA(NETWORK), 78, "scheduler out of reach"}},
    {"rolog", "fail", {INFRA(NODE), 84, "node failure"}},
    {"ask launch", "fail", {INFRA(NODE), 74, "launch failed"}},
    {"DUE TO TIME LIMIT", NULL, {OTHER, 94, "time limit"}},
    {"DUE TO time limit", NULL, {OTHER, 94, "time limit"}},
    {"DUE TO PREEMPTION", NULL, {OTHER, 94, "preempted"}},
    {"CANCELLED AT", NULL, {OTHER, 78, "cancelled"}},
    {"oom-kill", NULL, {FRAME, 84, "out of memory"}},
    {"oom_kill", NULL, {FRAME, 84, "out of memory"}},
    {"OOM Killed", NULL, {FRAME, 84, "out of memory"}},
    {"ut of memory: Kill", NULL, {FRAME, 84, "out of memory"}},
    {"xceeded", "memory limit", {FRAME, 84, "out of memory"}},
    {"got signal: 15", NULL, {OTHER, 72, "terminated"}},
    {"SIGTERM", NULL, {OTHER, 50, "terminated"}},
    {"got signal: 2", NULL, {OTHER, 76, "cancelled"}},
    {"KeyboardInterrupt", NULL, {OTHER, 80, "cancelled"}},
    /* Python and PyTorch */
    {"ModuleNotFoundError", NULL, {FRAME, 76, "import"}},
    {"ImportError", NULL, {FRAME, 76, "import"}},
    {"undefined symbol", NULL, {FRAME, 76, "import"}},
    {"cannot open shared object", NULL, {FRAME, 76, "import"}},
    {"loading state_dict", NULL, {FRAME, 80, "model loading"}},
    {"size mismatch for", NULL, {FRAME, 78, "model loading"}},
    {"UnpicklingError", NULL, {FRAME, 78, "model loading"}},
    {"DataLoader worker", "killed", {FRAME, 88, "data loader killed"}},
    {"DataLoader worker", "exited", {FRAME, 82, "data loader killed"}},
    {"bus error", "worker", {FRAME, 86, "data loader killed"}},
    {"Fatal Python error", NULL, {FRAME, 64, "crash"}},
    {"Bus error", NULL, {FRAME, 61, "crash"}},
    {"version `GLIBC", NULL, {FRAME, 78, "import"}},
    {"Segmentation fault", NULL, {FRAME, 62, "crash"}},
    {"exit code: -11", NULL, {FRAME, 50, "crash"}},
    {"Aborted", "core dumped", {FRAME, 56, "abort"}},
    {"FileNotFoundError", NULL, {USER, 74, "file not found"}},
    {"No such file or directory", NULL, {USER, 66, "file not found"}},
    {"PermissionError", NULL, {USER, 68, "permission denied"}},
    {"ermission denied", NULL, {USER, 60, "permission denied"}},
    {"KeyError", NULL, {USER, 72, "key error"}},
    {"AttributeError", NULL, {USER, 72, "attribute error"}},
    {"TypeError", NULL, {USER, 72, "type error"}},
    {"ValueError", NULL, {USER, 70, "value error"}},
    {"NameError", NULL, {USER, 74, "name error"}},
    {"SyntaxError", NULL, {USER, 78, "syntax error"}},
    {"IndentationError", NULL, {USER, 78, "syntax error"}},
    {"IndexError", NULL, {USER, 72, "index error"}},
    {"UnboundLocalError", NULL, {USER, 74, "name error"}},
    {"ZeroDivisionError", NULL, {USER, 72, "arithmetic error"}},
    {"FloatingPointError", NULL, {USER, 70, "arithmetic error"}},
    {"AssertionError", NULL, {USER, 64, "assertion"}},
    {"NotImplementedError", NULL, {USER, 72, "not implemented"}},
    {"JSONDecodeError", NULL, {USER, 72, "bad data"}},
    {"shapes cannot be multiplied", NULL, {USER, 76, "shape mismatch"}},
    {"must match the size of tensor", NULL, {USER, 76, "shape mismatch"}},
    {"on the same device", NULL, {USER, 74, "device mismatch"}},
    {"unrecognized arguments", NULL, {USER, 80, "arguments"}},
    {"arguments are required", NULL, {USER, 80, "arguments"}},
    {"command not found", NULL, {USER, 78, "command not found"}},
    {"can't open file", NULL, {USER, 78, "file not found"}},
    {"RuntimeError", NULL, {FRAME, 30, "runtime error"}},
    {"terminate called", NULL, {FRAME, 25, "abort"}},
};

/* NVIDIA's catalogue of Xid errors (docs.nvidia.com/deploy/xid-errors). Errors
 * that an application can cause count as the user's, the others as the
 * hardware's. */
static struct log_cause xid_cause(uint32_t code)
{
    static const struct {
        uint16_t first, last;
        struct log_cause cause;
    } codes[] = {
        {13, 13, {USER, 62, "Xid 13: graphics engine exception"}},
        {31, 31, {USER, 62, "Xid 31: memory page fault"}},
        {32, 32, {INFRA(GPU), 80, "Xid 32: corrupted push buffer"}},
        {38, 38, {INFRA(GPU), 84, "Xid 38: driver firmware"}},
        {43, 43, {USER, 56, "Xid 43: stopped processing"}},
        {45, 45, {USER, 30, "Xid 45: preemptive cleanup"}},
        {48, 48, {INFRA(GPU), 97, "Xid 48: double-bit ECC"}},
        {54, 54, {INFRA(GPU), 90, "Xid 54: power not connected"}},
        {61, 62, {INFRA(GPU), 94, "Xid 61/62: micro-controller"}},
        {63, 64, {INFRA(GPU), 90, "Xid 63/64: row remapping"}},
        {68, 69, {USER, 55, "Xid 68/69: engine exception"}},
        {74, 74, {INFRA(NVLINK), 97, "Xid 74: NVLink"}},
        {79, 79, {INFRA(GPU), 98, "Xid 79: off the bus"}},
        {92, 92, {INFRA(GPU), 84, "Xid 92: single-bit ECC rate"}},
        {94, 95, {INFRA(GPU), 96, "Xid 94/95: ECC"}},
        {109, 110, {INFRA(GPU), 84, "Xid 109/110: GPU fault"}},
        {119, 120, {INFRA(GPU), 94, "Xid 119/120: GSP"}},
        {121, 121, {INFRA(NVLINK), 90, "Xid 121: chip-to-chip link"}},
        {136, 136, {INFRA(NVLINK), 88, "Xid 136: NVLink training"}},
        {137, 137, {INFRA(NVLINK), 84, "Xid 137: NVLink privilege"}},
        {140, 140, {INFRA(GPU), 96, "Xid 140: unrecovered ECC"}},
        {143, 143, {INFRA(GPU), 88, "Xid 143: GPU initialisation"}},
        {144, 150, {INFRA(NVLINK), 94, "Xid 144 to 150: NVLink"}},
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (code >= codes[i].first && code <= codes[i].last)
            return codes[i].cause;
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
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const struct signature *s = &signatures[i];
        if (s->cause.weight > best.weight &&
            memmem(t.at, t.len, s->text, strlen(s->text)) &&
            (!s->also || memmem(t.at, t.len, s->also, strlen(s->also))))
            best = s->cause;
    }
    return best;
}
