/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses between light and dark, and gives runs their colours. */
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [14, 4]];
const COLOURS = 8;
const redraws = []; /* called when the colours or the widths change */

const style = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colour = (i) => style(`--run-${i % COLOURS}`);
/* Runs of one colour differ in their dashes; so do neighbours, for readers who
 * cannot tell colours apart. */
const dash = (i) => DASHES[(i + Math.floor(i / COLOURS)) % DASHES.length];

/* Draws a short line in the colour and with the dashes of a run. */
function swatch(i) {
  return svg("svg", { class: "swatch", width: 28, height: 10, "aria-hidden": "true" },
    svg("line", { x1: 1, y1: 5, x2: 27, y2: 5, class: `run-${i % COLOURS}`,
      "stroke-width": 3, "stroke-dasharray": dash(i).join(" ") }));
}
const runName = (i) => el("span", { class: "run" }, swatch(i), " ", runs[i].label);

function redraw() {
  for (const draw of redraws) draw();
}

function themeButton() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const now = () => document.documentElement.dataset.theme
    || (dark.matches ? "dark" : "light");
  const button = el("button", { type: "button", id: "theme" });
  const show = () => {
    button.textContent = now() === "dark" ? "Light colours" : "Dark colours";
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = now() === "dark" ? "light" : "dark";
    show();
    redraw();
  });
  dark.addEventListener("change", () => { show(); redraw(); });
  show();
  return button;
}

let width = 0;
addEventListener("resize", () => {
  if (width === innerWidth) return;
  width = innerWidth;
  requestAnimationFrame(redraw);
});
