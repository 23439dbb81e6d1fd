/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the head of the page, a summary of the results in a few sentences, and
 * the table that compares the results. */
const at = (object, path) => path.split(".").reduce(
  (part, key) => (part === null || part === undefined ? null : part[key]), object) ?? null;

/* The metrics of the comparison: path in summary.json, name, the function that
 * writes the value, and an explanation. The first ones fit on a screen. */
const METRICS = [
  ["metrics.jct_s.mean", "JCT mean", span, "job completion time: end - submission, of finished jobs"],
  ["metrics.jct_s.p99", "JCT p99", span],
  ["metrics.queue_delay_s.mean", "queueing mean", span, "all time pending, of finished jobs"],
  ["metrics.queue_delay_s.p99", "queueing p99", span],
  ["metrics.slowdown.mean", "slowdown mean", figure, "JCT / recorded running time"],
  ["metrics.makespan_s", "makespan", span, "last end of an attempt - first submission"],
  ["metrics.allocation", "allocation", percent, "GPU time held by at least one job / GPU time of nodes in service"],
];
const MORE_METRICS = [
  ["metrics.jct_s.p50", "JCT p50", span],
  ["metrics.queue_delay_s.p95", "queueing p95", span],
  ["metrics.rho.mean", "rho mean", figure, "finish-time fairness: above 1 a job is worse off than on an equal share"],
  ["metrics.utilisation", "utilisation", percent, "allocation x share of the GPU time held that produced work that was kept"],
  ["metrics.fragmentation", "fragmentation", percent, "share of the free GPU time that is on nodes whose other GPUs are in use"],
  ["metrics.preemptions", "preemptions", count, "attempts ended by the policy"],
  ["failures.failures", "failures", count, "failures of jobs"],
  ["failures.lost_gpu_hours", "lost to failures", hours, "work undone by failures x GPUs asked for"],
  ["evictions.evictions", "evictions", count, "attempts that the monitor ended"],
  ["advice.questions", "questions", count, "questions to the language model"],
];

const jobsOf = (run) => run.summary.metrics.jobs;
const finishedOf = (run) => run.summary.metrics.jct_s.count;

function pageTitle() {
  if (data.title) return data.title;
  const s = runs[0].summary;
  const same = runs.every((run) => run.summary.cluster === s.cluster
    && run.summary.format === s.format);
  const of = same ? `${s.format}, ${plural(jobsOf(runs[0]), "job")} on ${s.cluster}`
    : "several traces or clusters";
  return `${plural(runs.length, "result")}: ${of}`;
}

function pageHead() {
  const first = runs[0], s = first.summary;
  const date = s.identity.first_submission;
  /* A trace without dates counts its seconds from a day of its own. */
  const from = date && date < "1990" ? `on day ${digits(Date.parse(date.replace(" ", "T")) / 864e5)} of the log, which has no dates`
    : date || "unknown";
  document.title = `${pageTitle()} \u2013 schedsim`;
  return [el("div", { class: "title" }, el("h1", null, pageTitle()), themeButton()),
    note(`${plural(first.n_nodes, "node")}, ${plural(first.gpus, "GPU")}, `
      + `${plural(first.vcs, "virtual cluster")}; first submission ${from}; `
      + `the runs last up to ${span(data.end_s)}. Written by schedsim ${data.program}.`)];
}

function contents() {
  const links = [...document.querySelectorAll("main > section")].map((part) =>
    el("li", null, el("a", { href: "#" + part.id }, part.querySelector("h2").textContent)));
  return el("nav", { "aria-label": "Contents" }, el("ul", null, links));
}

/* Writes a relative change in words, such as "81 % less" or "3.2 times as
 * much". */
function changeWords(change) {
  if (!isNumber(change)) return "";
  if (change > 1) return `${digits(1 + change)} times as much`;
  return `${percent(Math.abs(change))} ${change < 0 ? "less" : "more"}`;
}

/* Writes how many jobs of a run finished and, if not all did, their share of the
 * GPU time that all jobs ask for. */
function doneWords(run) {
  const share = run.summary.finished_share;
  return `${count(finishedOf(run))} of ${plural(jobsOf(run), "job")} finished`
    + (isNumber(share) ? `, with ${percent(share)} of the GPU time` : "");
}

/* The 95 % interval of a difference in words. Without an interval, how the
 * verdict was found (docs/statistics.md). */
function betweenWords(d) {
  if (isNumber(d.lo) && isNumber(d.hi))
    return `95\u00a0% interval ${signed(span(Math.abs(d.lo), d.mean), d.lo)} to `
      + `${signed(span(Math.abs(d.hi), d.mean), d.hi)}`;
  return d.by_parts ? "most parts of the jobs agree on the side; how large the difference is remains open"
    : "no interval: neighbouring jobs are too much alike";
}

function sentence(i, key, name) {
  const run = runs[i], d = run.differences[key], own = run.summary.metrics[key].mean;
  const start = [el("strong", null, run.label), `: ${name} ${span(own)}, `];
  const between = betweenWords(d);
  if (d.verdict === "not comparable")
    return [...start, `not comparable with ${runs[0].label}: ${doneWords(run)}, `
      + `${runs[0].label}: ${doneWords(runs[0])}`];
  if (d.verdict === "equal") return [...start, "the same for each job"];
  if (d.verdict === "unknown") return [...start, "too few jobs to say more"];
  if (d.verdict === "noise")
    return [...start, `no difference from ${runs[0].label} that chance does not explain (${between})`];
  return [...start, `${changeWords(d.change)} than under ${runs[0].label} `
    + `(${signed(span(Math.abs(d.mean)), d.mean)}, ${between})`];
}

/* True if the result may be ranked beside the first: it ran the same jobs and
 * finished the same ones. */
const isRanked = (i) => i === 0 || Boolean(runs[i].differences
  && runs[i].differences.jct_s.verdict !== "not comparable");

/* The results by mean JCT; those that cannot be ranked come last. */
function ranking() {
  const jct = (i) => runs[i].summary.metrics.jct_s.mean ?? Infinity;
  return runs.map((run, i) => i).sort((a, b) =>
    isRanked(b) - isRanked(a) || jct(a) - jct(b) || a - b);
}

/* Returns the end of the sentence on the best result, which is not the first. */
function againstFirst(d, first, jct) {
  if (d.verdict === "less") return `${changeWords(d.change)} than ${first}`;
  if (d.verdict === "equal") return `as that of ${first}`;
  if (d.verdict === "unknown")
    return `${first} has ${jct}, and the jobs are too few or too much alike to tell chance from policy`;
  return `which chance alone can make of the ${jct} of ${first}`;
}

/* Answers "which policy" in one sentence. */
function answer() {
  if (runs.length < 2 || !data.same_jobs) return null;
  const ranked = ranking().filter(isRanked), best = ranked[0], first = runs[0];
  const jct = (i) => span(runs[i].summary.metrics.jct_s.mean);
  const left = runs.length - ranked.length;
  const aside = left ? ` ${plural(left, "result")} finished other jobs and cannot be ranked.` : "";
  if (ranked.length < 2)
    return el("p", { class: "answer" }, "No two results finished the same jobs, so none is best.");
  const name = el("strong", null, runs[best].label);
  if (best === 0)
    return el("p", { class: "answer" }, name, `, the baseline, has the lowest mean JCT, ${jct(0)}; `
      + `next is ${runs[ranked[1]].label} with ${jct(ranked[1])}.${aside}`);
  const d = runs[best].differences.jct_s;
  return el("p", { class: "answer" }, name, ` has the lowest mean JCT: ${jct(best)}, `
    + `${againstFirst(d, first.label, jct(0))}.${aside}`);
}

function glance() {
  const first = runs[0], m = first.summary.metrics;
  const items = [el("li", null, el("strong", null, first.label),
    `: mean JCT ${span(m.jct_s.mean)}, mean queueing delay ${span(m.queue_delay_s.mean)}, `
    + `${percent(m.allocation)} of the GPU time held by jobs`)];
  for (const i of ranking().filter((n) => n > 0)) {
    if (runs[i].differences) {
      items.push(el("li", null, sentence(i, "jct_s", "mean JCT")));
    } else {
      const own = runs[i].summary.metrics;
      items.push(el("li", null, el("strong", null, runs[i].label),
        `: mean JCT ${span(own.jct_s.mean)}, mean queueing delay ${span(own.queue_delay_s.mean)}`));
    }
  }
  const parts = [answer(), folded("Each result in a sentence", el("ul", null, items))];
  const known = new Map();
  for (const run of runs) {
    const words = run.summary.knowledge && run.summary.knowledge.words;
    if (words) known.set(words, [...(known.get(words) || []), run.label]);
  }
  for (const [words, by] of known) parts.push(note(`${by.join(", ")}: ${words}.`));
  for (const run of runs) {
    if (run.summary.complete === false)
      parts.push(note(`${run.label}: ${run.summary.unfinished_why}.`));
  }
  for (const run of runs) {
    const c = run.counted;
    if (c) parts.push(note(`${run.label}: the means count the ${plural(c.jobs, "job")} submitted from `
      + `${instant(+c.from_s)} to ${instant(+c.to_s)} (--warmup, --cooldown).`));
  }
  if (data.differs)
    parts.push(el("p", { class: "warning" }, `The runs differ in more than the policy (${data.differs.replace("_", " ")})`
      + (data.same_jobs ? "." : ", so they are not compared job by job.")));
  return parts;
}

/* Puts what repeats for each result of many behind a line. */
function folded(words, ...parts) {
  return runs.length > 4 ? el("details", null, el("summary", null, words), parts) : parts;
}

function comparison() {
  const name = { head: "result", left: true, cell: (r) => ({ value: r.run.label, text: runName(r.i) }) };
  const done = { head: "finished jobs", cell: (r) => ({ value: finishedOf(r.run),
    text: count(finishedOf(r.run)) + (isNumber(r.run.summary.finished_share)
      ? ` (${percent(r.run.summary.finished_share)} of GPU time)` : ""), path: "metrics.jct_s.count", run: r.i }) };
  const columns = (metrics) => metrics.map(([path, head, words, about]) => ({ head, about, optional: true,
    cell: (r) => {
      const value = at(r.run.summary, path);
      return { value, text: words(value), path, run: r.i };
    } }));
  const rows = ranking().map((i) => ({ run: runs[i], i }));
  return [table([name, ...columns(METRICS), done], rows, { id: "comparison", sortable: true,
    caption: "Results side by side, by mean JCT. A button in the head sorts by its column." }),
  el("details", null, el("summary", null, "More metrics"),
    table([name, ...columns(MORE_METRICS)], rows, { id: "more-metrics", sortable: true,
      caption: "More metrics of the results, by mean JCT" }))];
}

function differences() {
  if (runs.length < 2 || !data.same_jobs) return [];
  /* The makespan is one number of a run: it has a difference and no interval. */
  const ends = (i) => runs[i].summary.metrics.makespan_s;
  const makespan = (i) => ({ mean: ends(i) - ends(0), change: ends(0) > 0 ? ends(i) / ends(0) - 1 : null,
    verdict: ends(i) === ends(0) ? "equal" : ends(i) < ends(0) ? "less" : "more" });
  const rows = ranking().filter((i) => i > 0).flatMap((i) => [
    ...[["jct_s", "JCT", span], ["queue_delay_s", "queueing delay", span], ["slowdown", "slowdown", figure]].map(
      ([key, name, words]) => ({ i, name, words, d: runs[i].differences[key] })),
    ...(isRanked(i) ? [{ i, name: "makespan", words: span, d: makespan(i) }] : [])]);
  const change = (r, key) => ({ value: r.d[key],
    text: isNumber(r.d[key]) ? signed(r.words(Math.abs(r.d[key]), Math.abs(r.d.mean)), r.d[key]) : NONE });
  const says = { less: "less", more: "more", equal: "equal", unknown: "too few jobs",
    noise: "noise", "not comparable": "not comparable" };
  return folded(`Differences to ${runs[0].label}, with intervals`, table([
    { head: "result", left: true, cell: (r) => ({ value: runs[r.i].label, text: runName(r.i) }) },
    { head: "metric", left: true, cell: (r) => r.name },
    { head: "jobs", cell: (r) => ({ value: r.d.jobs, text: count(r.d.jobs) }) },
    { head: "mean difference", cell: (r) => change(r, "mean") },
    { head: "from", cell: (r) => change(r, "lo") }, { head: "to", cell: (r) => change(r, "hi") },
    { head: "change", cell: (r) => ({ value: r.d.change, text: isNumber(r.d.change)
      ? signed(percent(Math.abs(r.d.change)), r.d.change) : NONE }) },
    { head: "jobs with less", cell: (r) => ({ value: r.d.less, text: percent(r.d.less) }) },
    { head: "jobs with more", cell: (r) => ({ value: r.d.more, text: percent(r.d.more) }) },
    { head: "Cohen's d", cell: (r) => ({ value: r.d.cohen_d, text: isNumber(r.d.cohen_d)
      ? signed(digits(Math.abs(r.d.cohen_d)), r.d.cohen_d) : NONE }) },
    { head: "verdict", left: true, cell: (r) => says[r.d.verdict] + (r.d.by_parts ? " by parts" : "") },
  ], rows, { id: "differences", sortable: true,
    caption: `Differences to ${runs[0].label}, job by job, with 95\u00a0% intervals` }),
  note("Noise: the interval contains 0. It is over the jobs of this one run and does not "
    + "say how the policies compare on other traces; sweep over seeds or blocks for that."));
}

function overview() {
  return section("overview", "At a glance", glance(), comparison(), differences());
}

/* Lists the remarks of all runs: one entry for each text, with the runs that
 * have it. */
function remarkList() {
  const texts = new Map();
  for (const run of runs)
    for (const text of run.remarks || [])
      texts.set(text, [...(texts.get(text) || []), run.label]);
  if (!texts.size) return note("The runs have no remarks.");
  return el("ul", null, [...texts].map(([text, by]) => el("li", null, text,
    by.length === runs.length && runs.length > 1 ? " (all results)" : runs.length > 1 ? ` (${by.join(", ")})` : "")));
}

function remarks() {
  return section("remarks", "Remarks", remarkList());
}
