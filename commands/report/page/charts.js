/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the sections with charts over jobs and over time. */
const shareTicks = (top, pixels) => roundTicks(0, top, pixels, 36,
  (n) => `${Math.round(100 * n)}\u00a0%`);

/* Makes the table of percentiles, which come from summary.json. */
function percentiles(key) {
  const names = ["count", "mean", "p50", "p90", "p95", "p99", "max"];
  const cell = (run, name) => {
    const value = run.summary.metrics[key][name] ?? null;
    return { value, text: name === "count" ? count(value) : span(value),
      path: `metrics.${key}.${name}`, run: runs.indexOf(run) };
  };
  return { columns: [{ head: "result", left: true, cell: (r) => r.label },
    ...names.map((name) => ({ head: name === "count" ? "jobs" : name, cell: (r) => cell(r, name) }))],
  rows: runs };
}

function cdf(key, title) {
  const grid = numbers(data.grids[key]);
  const lines = runs.map((run, i) => ({ run: i, values: numbers(run.cdfs[key]) }));
  /* leave out the times before the first job of any run has ended */
  let first = grid.findIndex((s, i) => lines.some((l) => l.values[i] > 0.001));
  first = Math.max(0, first - 1);
  const xs = grid.map(toLog).slice(first);
  for (const line of lines) line.values = line.values.slice(first);
  return lineChart({ id: `cdf-${key}`, title: `${title[0].toUpperCase()}${title.slice(1)}: share of finished jobs up to a time`,
    about: "Cumulative distribution on a logarithmic axis, one line for each result.",
    xs, lines, height: 300, top: 1, stepped: false,
    xTicks: (from, to, pixels) => timeTicks(from, to, pixels),
    xText: (i) => `up to ${span(grid[first + i])}`,
    yTicks: shareTicks, yText: percent, xLabel: `${title} (logarithmic)`,
    yLabel: "share of jobs", numbers: percentiles(key) });
}

function distributions() {
  return section("distributions", "Completion and waiting times",
    el("div", { class: "pair" }, cdf("jct_s", "JCT"), cdf("queue_delay_s", "queueing delay")));
}

/* Makes the table of a chart over time: means over 24 parts of the time. */
function loadNumbers(lines, xs, words) {
  const parts = 24, rows = [];
  for (let p = 0; p < parts; p++) {
    const from = Math.floor(p * xs.length / parts), to = Math.floor((p + 1) * xs.length / parts);
    rows.push({ from: xs[from], values: lines.map((line) => {
      const part = line.values.slice(from, to).filter((v) => v !== null);
      return part.length ? sum(part) / part.length : null;
    }) });
  }
  return { columns: [{ head: `from (${clock.word})`, cell: (r) => ({ value: r.from, text: digits(r.from) }) },
    ...lines.map((line, i) => ({ head: runs[line.run].label,
      cell: (r) => ({ value: r.values[i], text: words(r.values[i]) }) }))], rows };
}

const LOADS = [
  { key: "allocation", title: "Allocation", label: "GPUs held / in service", top: 1,
    of: (load) => { const up = numbers(load.up); return numbers(load.busy).map((b, i) =>
      (b === null ? null : up[i] > 0 ? Math.min(1, b / up[i]) : 0)); },
    words: percent, ticks: shareTicks },
  { key: "pending", title: "Queue", label: "jobs waiting", words: figure,
    of: (load) => numbers(load.pending) },
  { key: "pending_gpus", title: "GPUs that the queue asks for", label: "GPUs", words: figure,
    of: (load) => numbers(load.pending_gpus) },
  { key: "up", title: "GPUs in service", label: "GPUs", words: figure,
    of: (load) => numbers(load.up) },
];

function loadChart(kind, vc) {
  const lines = runs.map((run, i) => ({ run: i, load: run.loads.find((l) => l.vc === vc) }))
    .filter((line) => line.load).map((line) => ({ run: line.run, values: kind.of(line.load) }));
  const xs = lines[0].values.map((v, i) => i * data.bin_s / clock.unit);
  const most = Math.max(1, ...lines.flatMap((line) => line.values));
  const where = vc === null ? "whole cluster" : `virtual cluster ${vc}`;
  return lineChart({ id: `load-${kind.key}`, title: `${kind.title}, ${where}`,
    about: "Means over time, one line for each result.", xs, lines, height: 200,
    top: kind.top || most * 1.05, stepped: true,
    xTicks: (from, to, pixels) => roundTicks(from, to, pixels, 60, plainTick),
    xText: (i) => instant(i * data.bin_s),
    yTicks: kind.ticks || ((top, pixels) => roundTicks(0, top, pixels, 28, plainTick)),
    yText: kind.words, xLabel: `time since the first submission (${clock.word})`,
    yLabel: kind.label, numbers: loadNumbers(lines, xs, kind.words) });
}

/* Makes the table of means by virtual cluster, which come from summary.json. */
function byVc() {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run.summary.by_vc || {})))];
  if (names.length < 2) return [];
  const cell = (run, i, name, key) => {
    const group = (run.summary.by_vc || {})[name];
    return { value: group && group[key] ? group[key].mean ?? null : null,
      text: group && group[key] ? span(group[key].mean) : NONE };
  };
  const one = (key, words) => runs.map((run, i) => ({ head: `${words}, ${run.label}`,
    cell: (name) => cell(run, i, name, key) }));
  const jobs = { head: "jobs", cell: (name) => {
    const n = ((runs[0].summary.by_vc || {})[name] || {}).jobs ?? null;
    return { value: n, text: count(n) };
  } };
  return [el("details", null, el("summary", null, "Means by virtual cluster"),
    table([{ head: "virtual cluster", left: true, cell: (name) => name }, jobs,
      ...one("queue_delay_s", "queueing mean"), ...one("jct_s", "JCT mean")], names,
    { sortable: true, id: "by-vc", caption: "Means by virtual cluster, of finished jobs" }))];
}

function load() {
  const vcs = [...new Set(runs.flatMap((run) => run.loads.map((l) => l.vc)))];
  const in_all = Math.max(...runs.map((run) => run.vcs));
  const isDown = runs.some((run) => new Set(numbers(run.loads[0].up).filter((v) => v !== null)).size > 1);
  const kinds = LOADS.filter((kind) => kind.key !== "up" || isDown);
  const place = el("div", { class: kinds.length === 3 ? "pair trio" : "pair" });
  const show = (vc) => {
    const before = redraws.length;
    const charts = kinds.map((kind) => loadChart(kind, vc));
    place.drawers = redraws.slice(before);
    place.replaceChildren(...charts);
  };
  show(null);
  const choose = el("select", { id: "vc" }, vcs.map((vc, i) =>
    el("option", { value: i }, vc === null ? "whole cluster" : vc)));
  choose.addEventListener("change", () => {
    for (const draw of place.drawers) redraws.splice(redraws.indexOf(draw), 1);
    show(vcs[choose.value]);
    for (const draw of place.drawers) draw();
  });
  const parts = [];
  if (vcs.length > 1)
    parts.push(el("p", null, el("label", { for: "vc" }, "Virtual cluster: "), choose));
  else if (in_all <= 1)
    parts.push(note("The cluster is one virtual cluster."));
  if (vcs.length - 1 < in_all && in_all > 1)
    parts.push(note(`The first ${vcs.length - 1} of ${in_all} virtual clusters can be chosen.`));
  return section("load", "Load over time", ...parts, place, ...byVc());
}

function nodeTable() {
  const rows = runs.flatMap((run, i) => run.nodes.hours.map((h) => ({ i, h })));
  const share = (key) => (r) => ({ value: r.h.whole > 0 ? r.h[key] / r.h.whole : null,
    text: r.h.whole > 0 ? percent(r.h[key] / r.h.whole) : NONE });
  return numbersOf("GPU time by state until the end of each run", [
    { head: "result", left: true, cell: (r) => runs[r.i].label },
    { head: "virtual cluster", left: true, cell: (r) => r.h.vc },
    { head: "GPUs", cell: (r) => ({ value: r.h.gpus, text: count(r.h.gpus) }) },
    { head: "GPU time", cell: (r) => ({ value: r.h.whole, text: hours(r.h.whole) }) },
    { head: "held", cell: share("busy") }, { head: "of it shared", cell: share("shared") },
    { head: "of it profiling", cell: share("profiling") },
    { head: "out of service", cell: share("down") }], rows);
}

function nodes() {
  const maps = runs.map((run, i) => nodeMap(i));
  const parts = [mapLegend(), maps.length < 3 ? maps : maps.map((map, i) =>
    el("details", { open: runs.length === 1 }, el("summary", null, runs[i].label), map)), nodeTable(),
    note("A darker cell (in dark colours: a lighter one) means a larger share of the GPU time. A cell "
      + "shows out of service from an eighth of its time on, profiling from half of the time held, "
      + "shared from an eighth of the time held.")];
  const cut = runs.find((run) => run.nodes.servers_in_all > run.nodes.servers.length);
  if (cut) parts.push(note(`The first ${cut.nodes.servers.length} of ${cut.nodes.servers_in_all} servers of the language model are shown.`));
  if (runs.some((run) => run.nodes.rows.some((row) => row.last > row.first)))
    parts.push(note("Neighbouring nodes share a row, because there are more nodes than rows."));
  return section("nodes", "Nodes over time", ...parts);
}

function classes() {
  const titles = { gpus: "by GPUs asked for", duration: "by recorded running time",
    state: "by recorded end" };
  const figures = Object.entries(titles).flatMap(([by, title]) => [
    boxPlot("jct_s", by, `JCT ${title}`), boxPlot("queue_delay_s", by, `Queueing delay ${title}`)]);
  const names = el("ul", { class: "legend" }, runs.map((run, i) => el("li", null, runName(i))));
  return section("classes", "Classes of jobs", names,
    note("Whiskers: 5th to 95th percentile. Box: 25th to 75th. Bar: median. Dot: mean. Finished jobs."),
    el("div", { class: "pair" }, figures));
}
