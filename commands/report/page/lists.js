/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the lists of the page: longest waits, failures, sharing, advice, and
 * where the GPU time went. */
function reason(w) {
  const parts = Object.entries(w.reasons).sort((a, b) => b[1] - a[1])
    .map(([code, s]) => `${code} ${span(s)}`);
  if (w.ahead) parts.push(`${plural(w.ahead, "earlier job")} waiting already`);
  if (w.later_starts)
    parts.push(`${plural(w.later_starts, "start")} of later jobs meanwhile, which held ${figure(w.later_gpu_h)} GPU h`);
  if (!w.started) parts.push("it never started again");
  return parts.join("; ");
}

function waitersOf(run, i) {
  if (!run.waiters.length) return note(`Under ${run.label} no job waited.`);
  const text = (head, key, optional) => ({ head, left: true, optional, cell: (w) => w[key] });
  const time = (head, key) => ({ head, cell: (w) => ({ value: w[key], text: span(w[key]) }) });
  const list = table([text("job", "job"), text("name", "name", true), text("user", "user", true),
    ...(run.vcs > 1 ? [text("virtual cluster", "vc")] : []), { head: "GPUs", cell: (w) => ({ value: w.gpus, text: count(w.gpus) }) },
    { head: "submitted", cell: (w) => ({ value: w.submitted_s, text: instant(w.submitted_s) }) },
    time("running time", "duration_s"), time("queueing delay", "queue_delay_s"),
    ...(run.waiters.some((w) => w.waits > 1) ? [{ head: "waits",
      cell: (w) => ({ value: w.waits, text: count(w.waits) }) }, time("longest wait", "longest_s")] : []), { head: "mainly", left: true, cell: (w) => w.reason },
    { head: "longest wait, in words", left: true, cell: reason }], run.waiters,
  { sortable: true, id: `waiters-${i}`, caption: `Jobs that waited longest under ${run.label}` });
  return el("details", { open: runs.length === 1 }, el("summary", null, runName(i)), list);
}

function waiters() {
  return section("waiters", "Longest waits", note("schedsim explain DIR --job ID "
    + "names who held the GPUs and which jobs stood in front; schedsim explain --help defines the reasons."), runs.map(waitersOf));
}

/* Makes a table of a part of summary.json, with a column for each result that
 * has the part. */
function partTable(id, caption, part, rows) {
  const has = runs.map((run, i) => ({ run, i })).filter(({ run }) => run.summary[part]);
  const columns = [{ head: "metric", left: true, cell: (r) => r[1] },
    ...has.map(({ run, i }) => ({ head: run.label, cell: (r) => {
      const value = at(run.summary[part], r[0]);
      return { value, text: r[2](value), path: `${part}.${r[0]}`, run: i };
    } }))];
  return table(columns, rows.filter((r) => has.some(({ run }) => at(run.summary[part], r[0]) !== null)),
    { id, caption });
}

function failureList(run, i) {
  if (!run.failures.length) return null;
  return el("details", null, el("summary", null, runName(i), ": failures that cost most"),
    table([{ head: "time", cell: (f) => ({ value: f.at_s, text: instant(f.at_s) }) },
      { head: "job", left: true, cell: (f) => f.job },
      { head: "node", cell: (f) => ({ value: f.node, text: f.node === null ? NONE : String(f.node) }) },
      { head: "cause", left: true, cell: (f) => f.cause }, { head: "of", left: true, cell: (f) => f.kind },
      { head: "lost", cell: (f) => ({ value: f.lost_gpu_s, text: hours(f.lost_gpu_s / 3600) }) },
      { head: "noticed after", cell: (f) => ({ value: f.detected_s, text: span(f.detected_s) }) },
      { head: "verdict", left: true, cell: (f) => `${f.verdict} (${f.by})` },
      { head: "restarted after", cell: (f) => ({ value: f.restarted_s, text: span(f.restarted_s) }) }],
    run.failures, { sortable: true, id: `failures-${i}`,
      caption: `Failures under ${run.label} that undid most GPU time` }));
}

function causes() {
  const rows = runs.flatMap((run, i) => Object.entries(at(run.summary, "failures.by_cause") || {})
    .map(([name, c]) => ({ i, name, c })));
  if (!rows.length) return null;
  const most = Math.max(1e-9, ...rows.map((r) => r.c.lost_gpu_hours));
  return table([{ head: "cause", left: true, cell: (r) => r.name },
    { head: "result", left: true, cell: (r) => runs[r.i].label },
    { head: "faults", cell: (r) => ({ value: r.c.faults, text: count(r.c.faults) }) },
    { head: "failures", cell: (r) => ({ value: r.c.failures, text: count(r.c.failures) }) },
    { head: "lost", cell: (r) => ({ value: r.c.lost_gpu_hours, text: el("span", { class: "bar",
      style: `--share:${r.c.lost_gpu_hours / most}` }, hours(r.c.lost_gpu_hours)) }) }],
  rows.sort((a, b) => b.c.lost_gpu_hours - a.c.lost_gpu_hours || a.name.localeCompare(b.name, "en") || a.i - b.i),
  { sortable: true, id: "causes", caption: "Failures by cause" });
}

function failures() {
  if (!runs.some((run) => run.summary.failures)) return null;
  return section("failures", "Failures", partTable("failures-table", "Failures and their cost", "failures", [
    ["faults", "faults of hardware", count], ["missed", "of them on nodes out of service already", count],
    ["failures", "failures of jobs", count], ["jobs", "jobs that failed", count],
    ["given_up", "given up after a failure", count], ["lost_gpu_hours", "work lost", hours],
    ["held_gpu_hours", "held back until pending again", hours],
    ["waiting_gpu_hours", "waiting until the next start", hours],
    ["ettr", "effective training time ratio", percent], ["availability", "availability of nodes", percent],
    ["outages", "outages of nodes", count], ["detect_s.mean", "failure until noticed, mean", span],
    ["restart_s.mean", "failure until started again, mean", span]]), causes(), runs.map(failureList));
}

function sharing() {
  const parts = [];
  if (runs.some((run) => run.summary.packing))
    parts.push(partTable("packing-table", "GPUs that jobs share", "packing", [
      ["jobs", "jobs that shared a GPU", count], ["attempts_share", "attempts that shared a GPU", percent],
      ["busy_share", "GPU time held by two jobs or more", percent],
      ["pace_mean", "relative speed of jobs that share, mean", figure]]));
  if (runs.some((run) => run.summary.evictions))
    parts.push(partTable("evictions-table", "Evictions by the monitor", "evictions", [
      ["evictions", "evictions", count], ["jobs", "jobs evicted", count], ["hosts", "jobs beside them", count],
      ["lost_gpu_hours", "work lost", hours], ["held_gpu_hours", "GPU time of evicted attempts", hours]]));
  if (!parts.length) return null;
  return section("sharing", "Sharing and evictions", parts);
}

function advice() {
  if (!runs.some((run) => run.summary.advice)) return null;
  return section("advice", "Advice and its cost", partTable("advice-table",
    "Questions of SchedMate's modules to the language model", "advice", [
      ["questions", "questions", count], ["by_module.advisor", "of the advisor", count],
      ["by_module.tracker", "of the tracker", count], ["by_module.handler", "of the handler", count],
      ["resubmission_share", "jobs known from earlier runs of the user", percent],
      ["similar_share", "jobs known from similar jobs", percent], ["law_share", "jobs answered by a law of errors", percent],
      ["nothing_share", "jobs about which nothing was found", percent],
      ["wait_mean_s", "wait for a server, mean", span], ["delay_mean_s", "question until answer, mean", span],
      ["delay_p99_s", "question until answer, p99", span], ["tokens_in", "tokens read", count],
      ["tokens_out", "tokens written", count], ["counted", "questions with counted tokens (others: assumed)", count],
      ["servers", "servers, one GPU each", count], ["cluster_gpus", "of them GPUs of the cluster", count],
      ["busy_gpu_hours", "work of the servers", hours], ["idle_gpu_hours", "servers without a question", hours],
      ["utilisation", "utilisation of the servers", percent]]));
}

const SPENT = [["useful_gpu_hours", "useful", "useful"], ["lost_gpu_hours", "lost", "lost"],
  ["overhead_gpu_hours", "overhead", "overhead"], ["slowed_gpu_hours", "slowed by sharing", "slowed"],
  ["down_gpu_hours", "out of service", "down"], ["idle_gpu_hours", "idle", "idle"],
  ["llm_busy_gpu_hours", "language model, busy", "model-busy"], ["llm_idle_gpu_hours", "language model, idle", "model-idle"]];

function gpuTime() {
  const has = runs.map((run, i) => ({ run, i })).filter(({ run }) => run.summary.gpu_time);
  if (!has.length) return null;
  const bars = has.map(({ run, i }) => {
    const parts = SPENT.map(([key, , look]) => [run.summary.gpu_time[key] || 0, look]);
    const whole = sum(parts.map(([n]) => n)) || 1;
    return el("div", { class: "stack-row" }, runName(i), el("div", { class: "stack", "aria-hidden": "true" },
      parts.map(([n, look]) => el("span", { class: `box-${look}`, style: `width:${100 * n / whole}%` }))));
  });
  const names = SPENT.filter(([key]) => has.some(({ run }) => run.summary.gpu_time[key]));
  return section("gpu-time", "Where the GPU time went",
    el("ul", { class: "legend" }, names.map(([, words, look]) => el("li", null,
      el("span", { class: `box box-${look}`, "aria-hidden": "true" }), " ", words))), bars,
    partTable("gpu-time-table", "GPU time of jobs and of the cluster", "gpu_time",
      [...SPENT.map(([key, words]) => [key, words, hours]), ["profiling_gpu_hours", "of it profiling", hours],
        ["held_gpu_hours", "held by jobs, shared GPUs once for each", hours],
        ["described_gpu_hours", "all GPUs of the cluster", hours]]));
}
