/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws line charts, by uPlot or, in a page without uPlot, as SVG. A chart: {
 * id, title, about, xs, lines: [{ run, values }], height, stepped, top (end of
 * the y axis), xTicks(from, to, pixels), xText(index), yTicks(top, pixels),
 * yText(value), xLabel, yLabel, numbers (columns and rows of the table) }. */
const hasUplot = typeof uPlot === "function";

function legend(lines) {
  return el("ul", { class: "legend" },
    lines.map((line) => el("li", null, runName(line.run))));
}

/* Returns the values of all lines at an index, in words. */
function reading(chart, index) {
  const parts = chart.lines.map((line) => {
    const value = line.values[index];
    return `${runs[line.run].label} ${value === null ? NONE : chart.yText(value)}`;
  });
  return `${chart.xText(index)}: ${parts.join(", ")}`;
}

/* Describes an axis for uPlot. `pixels`: length of the axis. uPlot calls
 * `ticks` again after a zoom. */
function uplotAxis(label, size, pixels, ticks) {
  return {
    label, size, labelSize: 18, labelGap: 0, gap: 4,
    font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
    stroke: style("--soft"), grid: { stroke: style("--grid"), width: 1 },
    ticks: { stroke: style("--grid"), width: 1, size: 4 },
    splits: (u, axis, from, to) => ticks(from, to, pixels).map((t) => t.at),
    values: (u, splits, axis) => {
      const scale = u.scales[axis ? "y" : "x"];
      const made = ticks(scale.min, scale.max, pixels);
      return splits.map((at) => {
        const near = made.find((t) => Math.abs(t.at - at) < 1e-9 + 1e-6 * Math.abs(at));
        return near ? near.text : "";
      });
    },
  };
}

function drawUplot(chart, box, onIndex) {
  const paths = chart.stepped ? uPlot.paths.stepped({ align: 1 }) : undefined;
  const drawn = new uPlot({
    width: box.clientWidth, height: chart.height, legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false }, points: { size: 6 } },
    scales: { x: { time: false }, y: { range: () => [0, chart.top] } },
    axes: [uplotAxis(chart.xLabel, 26, box.clientWidth - 76, chart.xTicks),
      uplotAxis(chart.yLabel, 50, chart.height - 52, (from, to, pixels) => chart.yTicks(to, pixels))],
    series: [{}, ...chart.lines.map((line) => ({
      label: runs[line.run].label, stroke: colour(line.run), width: 2, paths,
      dash: dash(line.run), points: { show: false } }))],
    hooks: { setCursor: [(u) => {
      if (u.cursor.idx !== null && u.cursor.idx !== undefined) onIndex(u.cursor.idx);
    }] },
  }, [chart.xs, ...chart.lines.map((line) => line.values)], box);
  return {
    move(index) {
      drawn.setCursor({ left: drawn.valToPos(chart.xs[index], "x"), top: 10 }, false);
    },
    zoom(factor, index) {
      const { min, max } = drawn.scales.x;
      const ends = [chart.xs[0], chart.xs[chart.xs.length - 1]];
      const half = (max - min) * factor / 2;
      const from = factor === 0 ? ends[0] : Math.max(ends[0], chart.xs[index] - half);
      const to = factor === 0 ? ends[1] : Math.min(ends[1], chart.xs[index] + half);
      if (to > from) drawn.setScale("x", { min: from, max: to });
    },
    end: () => drawn.destroy(),
  };
}

function svgPath(chart, values, x, y) {
  let path = "", before = null;
  values.forEach((value, i) => {
    if (value === null) { before = null; return; }
    if (before !== null && chart.stepped) path += `H${x(chart.xs[i]).toFixed(1)}`;
    path += `${before === null ? "M" : "L"}${x(chart.xs[i]).toFixed(1)} ${y(value).toFixed(1)}`;
    before = value;
  });
  return path;
}

function drawSvg(chart, box, onIndex) {
  const width = box.clientWidth, height = chart.height;
  const left = 54, bottom = 44, right = 8, top = 8;
  const [from, to] = [chart.xs[0], chart.xs[chart.xs.length - 1]];
  const x = (v) => left + (v - from) / (to - from) * (width - left - right);
  const y = (v) => height - bottom - v / chart.top * (height - top - bottom);
  const parts = [];
  for (const t of chart.xTicks(from, to, width - left - right))
    parts.push(svg("line", { x1: x(t.at), x2: x(t.at), y1: top, y2: y(0), class: "grid" }),
      svg("text", { x: x(t.at), y: y(0) + 16, "text-anchor": "middle" }, t.text));
  for (const t of chart.yTicks(chart.top, height - top - bottom))
    parts.push(svg("line", { x1: left, x2: width - right, y1: y(t.at), y2: y(t.at), class: "grid" }),
      svg("text", { x: left - 6, y: y(t.at) + 4, "text-anchor": "end" }, t.text));
  parts.push(svg("text", { x: (left + width) / 2, y: height - 6, "text-anchor": "middle" },
    chart.xLabel), svg("text", { transform: `translate(12 ${height / 2 - 20}) rotate(-90)`,
    "text-anchor": "middle" }, chart.yLabel));
  for (const line of chart.lines)
    parts.push(svg("path", { d: svgPath(chart, line.values, x, y), fill: "none",
      class: `run-${line.run % COLOURS}`, "stroke-width": 2,
      "stroke-dasharray": dash(line.run).join(" ") }));
  const cursor = svg("line", { y1: top, y2: y(0), class: "cursor", visibility: "hidden" });
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, parts, cursor);
  const move = (index) => {
    fill(cursor, { x1: x(chart.xs[index]), x2: x(chart.xs[index]), visibility: "visible" }, []);
  };
  picture.addEventListener("mousemove", (event) => {
    const at = from + (event.offsetX - left) / (width - left - right) * (to - from);
    let near = 0;
    chart.xs.forEach((v, i) => { if (Math.abs(v - at) < Math.abs(chart.xs[near] - at)) near = i; });
    move(near);
    onIndex(near);
  });
  box.append(picture);
  return { move, zoom() {}, end: () => picture.remove() };
}

/* Arrow keys move the cursor of a chart, + and - zoom, 0 shows all. */
function chartKeys(box, chart, state) {
  const last = chart.xs.length - 1;
  box.addEventListener("keydown", (event) => {
    const jump = event.shiftKey ? 20 : 1;
    const to = { ArrowLeft: state.index - jump, ArrowRight: state.index + jump,
      Home: 0, End: last }[event.key];
    const zoom = { "+": 0.5, "-": 2, 0: 0 }[event.key];
    if (to !== undefined) {
      state.index = Math.max(0, Math.min(last, to));
      state.drawn.move(state.index);
      state.show(state.index);
    } else if (zoom !== undefined) {
      state.drawn.zoom(zoom, state.index);
    } else {
      return;
    }
    event.preventDefault();
  });
}

function lineChart(chart) {
  const words = hasUplot ? "Arrow keys read the lines, + and - zoom, 0 shows all."
    : "Arrow keys read the lines.";
  const box = el("div", { class: "plot", tabindex: 0, role: "slider", id: chart.id,
    "aria-label": `${chart.title}. ${chart.about} ${words}`, "aria-valuemin": 0,
    "aria-valuemax": chart.xs.length - 1, "aria-valuenow": 0,
    "aria-valuetext": reading(chart, 0) });
  const readout = el("p", { class: "readout" }, words);
  const state = { index: 0, drawn: null, show(index) {
    state.index = index;
    readout.textContent = reading(chart, index);
    fill(box, { "aria-valuenow": index, "aria-valuetext": readout.textContent }, []);
  } };
  const draw = () => {
    if (state.drawn) state.drawn.end();
    state.drawn = null;
    if (box.clientWidth > 0)
      state.drawn = (hasUplot ? drawUplot : drawSvg)(chart, box, state.show);
  };
  chartKeys(box, chart, state);
  redraws.push(draw);
  return el("figure", null, el("figcaption", null, chart.title), legend(chart.lines),
    box, readout, numbersOf(chart.title, chart.numbers.columns, chart.numbers.rows));
}
