/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the map of nodes over time. A character of a row is a state and a level
 * of eighths: its code less that of A is 9 times the index in STATES, plus the
 * level 0 to 8 (commands/report/page_nodes.c). */
const LEVELS = 8;
const STATES = [
  { name: "busy", words: "busy", verb: "busy" },
  { name: "shared", words: "busy, some GPUs shared", verb: "busy, with shared GPUs," },
  { name: "profiling", words: "profiling", verb: "profiling" },
  { name: "down", words: "out of service", verb: "out of service" },
  { name: "model", words: "language model", verb: "answering" },
];

function decode(letter) {
  if (letter === " ") return null;
  const code = letter.charCodeAt(0) - 65;
  return { state: Math.floor(code / (LEVELS + 1)), level: code % (LEVELS + 1) };
}

/* rgb turns "#rrggbb" into numbers; mix returns a mixture of two colours. */
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const mix = (a, b, share) => a.map((v, i) => Math.round(v + (b[i] - v) * share));

/* Returns the colours of cells by code. The colour of a level above 0 differs
 * clearly from that of idle. */
function mapColours() {
  const idle = rgb(style("--idle"));
  const colours = [];
  for (const state of STATES) {
    const low = rgb(style(`--${state.name}-low`)), high = rgb(style(`--${state.name}-high`));
    for (let level = 0; level <= LEVELS; level++)
      colours.push(level === 0 ? idle : mix(low, high, (level - 1) / (LEVELS - 1)));
  }
  return colours;
}

function mapLegend() {
  const box = (name, words) => el("li", null,
    el("span", { class: `box box-${name}`, "aria-hidden": "true" }), " ", words);
  const shown = new Set();
  for (const run of runs) {
    for (const cells of [...run.nodes.rows.map((r) => r.cells), ...run.nodes.servers])
      for (const letter of cells) {
        const cell = decode(letter);
        if (cell && cell.level > 0) shown.add(cell.state);
      }
  }
  return el("ul", { class: "legend" }, box("idle", "idle"),
    STATES.filter((s, i) => shown.has(i)).map((s) => box(s.name, s.words)));
}

/* Returns the rows of the map of a run: nodes, then servers of the language
 * model. */
function mapRows(run) {
  const nodes = run.nodes.rows.map((row) => ({
    cells: row.cells, vc: row.vc,
    group: row.vc + (row.profiler ? ", profiling" : ""),
    name: row.first === row.last ? `node ${row.first}` : `nodes ${row.first}\u2013${row.last}`,
    about: `${row.vc}, ${row.type}${row.profiler ? ", set aside for profiling" : ""}`,
  }));
  const servers = run.nodes.servers.map((cells, i) => ({
    cells, vc: null, group: "language model", name: `server ${i}`,
    about: "of the language model" }));
  return [...nodes, ...servers];
}

function drawMap(canvas, rows, rowHeight, colours) {
  const bins = rows[0].cells.length;
  const small = document.createElement("canvas");
  small.width = bins;
  small.height = rows.length;
  const picture = small.getContext("2d");
  const pixels = picture.createImageData(bins, rows.length);
  rows.forEach((row, r) => {
    for (let b = 0; b < bins; b++) {
      if (row.cells[b] === " ") continue;
      const at = 4 * (r * bins + b);
      const [red, green, blue] = colours[row.cells.charCodeAt(b) - 65];
      pixels.data.set([red, green, blue, 255], at);
    }
  });
  picture.putImageData(pixels, 0, 0);
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(canvas.clientWidth * ratio);
  canvas.height = Math.round(rows.length * rowHeight * ratio);
  const to = canvas.getContext("2d");
  to.imageSmoothingEnabled = false;
  to.drawImage(small, 0, 0, canvas.width, canvas.height);
  to.fillStyle = style("--page");
  for (let r = 1; r < rows.length; r++)
    if (rowHeight >= 10 || rows[r].group !== rows[r - 1].group)
      to.fillRect(0, Math.round(r * rowHeight * ratio), canvas.width, Math.max(1, ratio));
}

/* Makes the names at the left: of each row if there is room, otherwise of
 * groups. */
function mapNames(rows, rowHeight) {
  const names = [];
  let below = -99;
  rows.forEach((row, r) => {
    const isFirst = r === 0 || row.group !== rows[r - 1].group;
    const y = r * rowHeight;
    if (rowHeight < 12 && (!isFirst || y < below + 13)) return;
    below = y;
    names.push(el("span", { style: `top:${y}px` }, rowHeight < 12 ? row.group : row.name));
  });
  return el("div", { class: "names", "aria-hidden": "true",
    style: `height:${rows.length * rowHeight}px` }, names);
}

function cellWords(rows, r, b) {
  const row = rows[r];
  const when = `${row.name} (${row.about}), ${instant(b * data.bin_s)}`;
  const cell = decode(row.cells[b]);
  if (!cell) return `${when}: the run is over`;
  if (cell.level === 0) return `${when}: idle`;
  return `${when}: ${STATES[cell.state].verb} for about ${Math.round(100 * cell.level / LEVELS)}\u00a0% of the GPU time`;
}

function mapCursor(box, rows, readout) {
  const at = { r: 0, b: 0 };
  const show = () => {
    readout.textContent = cellWords(rows, at.r, at.b);
    fill(box, { "aria-valuenow": at.b, "aria-valuetext": readout.textContent }, []);
  };
  box.addEventListener("keydown", (event) => {
    const jump = event.shiftKey ? 20 : 1;
    const [dr, db] = { ArrowLeft: [0, -jump], ArrowRight: [0, jump], ArrowUp: [-1, 0],
      ArrowDown: [1, 0], Home: [0, -1e6], End: [0, 1e6] }[event.key] || [0, 0];
    if (!dr && !db) return;
    event.preventDefault();
    at.r = Math.max(0, Math.min(rows.length - 1, at.r + dr));
    at.b = Math.max(0, Math.min(rows[0].cells.length - 1, at.b + db));
    show();
  });
  box.addEventListener("mousemove", (event) => {
    const place = box.getBoundingClientRect();
    at.b = Math.max(0, Math.min(rows[0].cells.length - 1,
      Math.floor((event.clientX - place.left) / place.width * rows[0].cells.length)));
    at.r = Math.max(0, Math.min(rows.length - 1,
      Math.floor((event.clientY - place.top) / place.height * rows.length)));
    show();
  });
}

function nodeMap(i) {
  const run = runs[i], rows = mapRows(run);
  const rowHeight = Math.max(2, Math.min(16, Math.floor(320 / rows.length)));
  const canvas = el("canvas", { class: "map", tabindex: 0, role: "slider", id: `map-${i}`,
    style: `height:${rows.length * rowHeight}px`, "aria-valuemin": 0,
    "aria-valuemax": rows[0].cells.length - 1, "aria-valuenow": 0,
    "aria-valuetext": cellWords(rows, 0, 0),
    "aria-label": `Nodes over time under ${run.label}: ${rows.length} rows. Arrow keys read the cells.` });
  const readout = el("p", { class: "readout" }, "Arrow keys read the cells.");
  const ticks = el("div", { class: "map-ticks", "aria-hidden": "true" });
  mapCursor(canvas, rows, readout);
  redraws.push(() => {
    if (!canvas.clientWidth) return;
    drawMap(canvas, rows, rowHeight, mapColours());
    const wide = canvas.clientWidth, last = data.end_s / clock.unit;
    ticks.replaceChildren(...roundTicks(0, last, wide, 60, plainTick).map((t) =>
      el("span", { style: `left:${100 * t.at / last}%`,
        class: t.at > 0.98 * last ? "last" : null }, t.text)));
  });
  return el("figure", null, el("figcaption", null, runName(i)),
    el("div", { class: "map-frame" }, mapNames(rows, rowHeight), canvas,
      ticks, el("div", { class: "map-label" }, `time since the first submission (${clock.word})`)),
    readout);
}
