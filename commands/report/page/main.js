/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts the page together and draws it. */
function foot() {
  const licence = document.getElementById("licence").content.textContent;
  return [licence ? el("details", null, el("summary", null, "Licence of uPlot, which draws the lines"),
    el("pre", null, licence)) : note("This page was written without uPlot, so its lines cannot be zoomed. "
    + "Install npm, then run: meson setup --reconfigure build"),
  note("The numbers are those of summary.json, jobs.csv, attempts.csv, series.csv, failures.csv and "
    + "advice.csv of each result; docs/results.md defines them.")];
}

/* Makes a part of the page. If this fails, because a result is not as it should
 * be, returns a message in its place, so that the other parts are still
 * shown. */
function guarded(make) {
  try {
    return make();
  } catch (error) {
    console.error(error);
    return section(`failed-${make.name}`, make.name,
      el("p", { class: "warning" }, `This part cannot be shown: ${error.message}`));
  }
}

document.getElementById("head").append(...pageHead());
const main = document.getElementById("main");
main.replaceChildren(
  ...[overview, remarks, distributions, load, nodes, classes, waiters, failures, sharing,
    advice, gpuTime, settings, origin].map(guarded).filter(Boolean));
document.getElementById("head").append(contents());
document.getElementById("foot").append(...foot());
/* Closed parts have no width, so they are drawn when they open. */
document.addEventListener("toggle", (event) => { if (event.target.open) redraw(); }, true);
let before = null;
addEventListener("beforeprint", () => {
  before = document.documentElement.dataset.theme || "";
  document.documentElement.dataset.theme = "light";
  redraw();
});
addEventListener("afterprint", () => {
  if (before) document.documentElement.dataset.theme = before;
  else delete document.documentElement.dataset.theme;
  redraw();
});
redraw();
document.documentElement.dataset.ready = "yes";
