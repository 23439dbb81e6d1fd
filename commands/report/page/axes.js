/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scales of the charts. Lengths of time are drawn on a logarithmic scale from
 * 1 s on; 0 stands apart at the left end. */
const ZERO = -0.3;
const toLog = (seconds) => (seconds < 1 ? ZERO * (1 - seconds) : Math.log10(seconds));
const TIMES = [[0, "0"], [1, "1\u00a0s"], [10, "10\u00a0s"], [60, "1\u00a0min"],
  [600, "10\u00a0min"], [3600, "1\u00a0h"], [6 * 3600, "6\u00a0h"],
  [86400, "1\u00a0d"], [7 * 86400, "7\u00a0d"], [30 * 86400, "30\u00a0d"],
  [100 * 86400, "100\u00a0d"], [1000 * 86400, "1,000\u00a0d"],
  [10000 * 86400, "10,000\u00a0d"]];

/* Returns the ticks of lengths of time between two places of the scale, at
 * least `apart` pixels from each other. */
function timeTicks(from, to, pixels, apart = 52) {
  const all = TIMES.map(([s, text]) => ({ at: toLog(s), text }))
    .filter((t) => t.at >= from - 1e-9 && t.at <= to + 1e-9);
  const kept = [];
  for (const tick of all)
    if (!kept.length || (tick.at - kept[kept.length - 1].at) * pixels / (to - from) >= apart)
      kept.push(tick);
  return kept;
}

/* Returns ticks at round numbers between two ends, about `apart` pixels from
 * each other. */
function roundTicks(from, to, pixels, apart, text = (n) => String(n)) {
  const rough = (to - from) / Math.max(1, Math.floor(pixels / apart));
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough * 0.999);
  const ticks = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i++)
    ticks.push({ at: i * step, text: text(+(i * step).toPrecision(12)) });
  return ticks;
}
const plainTick = (n) => n.toLocaleString("en", { maximumFractionDigits: 6 });
