/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws box plots on a logarithmic axis: whiskers from the 5th to the 95th
 * percentile, a box from the 25th to the 75th, a bar at the median, a dot at
 * the mean. */
function drawBoxes(place, groups, about) {
  const width = place.clientWidth, left = 96, right = 12, thick = 11;
  const most = Math.max(10, ...groups.flatMap((g) => g.boxes.map((b) => b.box.p95)));
  const least = Math.min(...groups.flatMap((g) => g.boxes.map((b) => b.box.p5)));
  const from = least < 1 ? ZERO : toLog(least) - 0.1;
  const to = Math.max(toLog(most), from + 1) + 0.1;
  const x = (s) => left + (Math.max(from, toLog(s)) - from) / (to - from) * (width - left - right);
  const parts = [];
  let y = 6;
  for (const group of groups) {
    const height = group.boxes.length * thick;
    parts.push(svg("text", { x: left - 8, y: y + height / 2 + 4, "text-anchor": "end" },
      group.name));
    for (const { run, box } of group.boxes) {
      const middle = y + thick / 2;
      const line = (a, b, options) => svg("line", Object.assign({ x1: x(a), x2: x(b),
        y1: middle, y2: middle, class: `run-${run % COLOURS}` }, options));
      parts.push(line(box.p5, box.p95, { "stroke-width": 1.5 }),
        svg("rect", { x: x(box.p25), y: middle - 4, height: 8, rx: 1,
          width: Math.max(1, x(box.p75) - x(box.p25)), class: `box-run run-${run % COLOURS}` }),
        svg("line", { x1: x(box.p50), x2: x(box.p50), y1: middle - 5, y2: middle + 5,
          class: "median" }),
        svg("circle", { cx: x(box.mean), cy: middle, r: 3, class: `dot run-${run % COLOURS}` }));
      y += thick;
    }
    y += 10;
  }
  const grid = timeTicks(from, to, width - left - right, 56).flatMap((t) => {
    const at = left + (t.at - from) / (to - from) * (width - left - right);
    return [svg("line", { x1: at, x2: at, y1: 0, y2: y - 4, class: "grid" }),
      svg("text", { x: at, y: y + 10, "text-anchor": "middle" }, t.text)];
  });
  place.replaceChildren(svg("svg", { width, height: y + 16, viewBox: `0 0 ${width} ${y + 16}`, role: "img", "aria-label": about },
    grid, parts));
}

const BOX_COLUMNS = [
  { head: "class", left: true, cell: (r) => r.name },
  { head: "result", left: true, cell: (r) => runs[r.run].label },
  { head: "jobs", cell: (r) => ({ value: r.box.jobs, text: count(r.box.jobs) }) },
  ...["p5", "p25", "p50", "p75", "p95", "max", "mean"].map((key) => ({
    head: key, cell: (r) => ({ value: r.box[key], text: span(r.box[key]) }) })),
];

/* Makes the box plots of a metric with the jobs classed by `by`. */
function boxPlot(metric, by, title) {
  const classes = runs[0].boxes[metric][by].map((row, c) => ({ name: row.class,
    boxes: runs.map((run, i) => ({ run: i, box: run.boxes[metric][by][c] }))
      .filter((b) => b.box.jobs > 0) })).filter((g) => g.boxes.length);
  if (classes.length < 2)
    return note(`${title}: all finished jobs are of one class, ${classes.length ? classes[0].name : "none"}.`);
  const rows = classes.flatMap((g) => g.boxes.map((b) => ({ name: g.name, run: b.run, box: b.box })));
  const place = el("div", { class: "boxes" });
  redraws.push(() => {
    if (place.clientWidth) drawBoxes(place, classes, `${title}: box plots; the numbers follow as a table`);
  });
  return el("figure", null, el("figcaption", null, title), place,
    numbersOf(title, BOX_COLUMNS, rows));
}
