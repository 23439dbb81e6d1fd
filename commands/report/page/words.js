/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes elements, and writes numbers as text. Texts from traces reach the page
 * through textContent only, never as HTML. */
const data = JSON.parse(document.getElementById("data").textContent);
const runs = data.runs;
const NONE = "\u2013";
const LINE = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value);
  }
  for (const child of children.flat(4))
    if (child !== null && child !== undefined) element.append(child);
  return element;
}
/* Makes an element; texts among the children become text nodes. */
function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}
function svg(name, attributes, ...children) {
  return fill(document.createElementNS(LINE, name), attributes, children);
}

/* Turns "1,2,,3" into numbers; nothing between two commas becomes null. */
function numbers(text) {
  return text === "" ? [] : text.split(",").map((n) => (n === "" ? null : +n));
}

const isNumber = (n) => typeof n === "number" && isFinite(n);
/* Writes a number with `count` significant digits, at most 6 decimals and no
 * exponent. */
function digits(n, count = 3) {
  if (n === 0) return "0";
  const whole = Math.floor(Math.log10(Math.abs(n))) + 1;
  return n.toFixed(Math.max(0, Math.min(6, count - whole)));
}
/* Writes a length of time with its unit. `like`: the value for which the unit
 * is chosen. */
function span(seconds, like = seconds) {
  if (!isNumber(seconds)) return NONE;
  const size = Math.abs(like);
  const [unit, word] = size < 120 ? [1, "s"] : size < 7200 ? [60, "min"]
    : size < 172800 ? [3600, "h"] : [86400, "d"];
  return `${digits(seconds / unit)}\u00a0${word}`;
}
function count(n) {
  if (!isNumber(n)) return NONE;
  return Number.isInteger(n) ? n.toLocaleString("en") : figure(n);
}
function figure(n) {
  if (!isNumber(n)) return NONE;
  if (Math.abs(n) >= 1000) return Math.round(n).toLocaleString("en");
  return digits(n, 4);
}
function percent(share) {
  if (!isNumber(share)) return NONE;
  return `${digits(100 * share)}\u00a0%`;
}
const signed = (text, n) => (n > 0 ? "+" : n < 0 ? "\u2212" : "") + text;
const hours = (n) => (isNumber(n) ? `${figure(n)}\u00a0GPU\u00a0h` : NONE);
const plural = (n, one, many = one + "s") => `${count(n)} ${n === 1 ? one : many}`;
const sum = (list) => list.reduce((a, b) => a + b, 0);

/* The unit of the axis of time, chosen by its length. */
const clock = data.end_s > 3 * 86400 ? { unit: 86400, word: "days" }
  : data.end_s > 3 * 3600 ? { unit: 3600, word: "hours" }
  : data.end_s > 300 ? { unit: 60, word: "minutes" } : { unit: 1, word: "seconds" };
const instant = (seconds) => `${clock.word.slice(0, -1)} ${digits(seconds / clock.unit)}`;

/* Makes a part of the page with its heading. */
function section(id, title, ...children) {
  return el("section", { id, "aria-labelledby": id + "-title" },
    el("h2", { id: id + "-title" }, title), ...children);
}
const note = (...children) => el("p", { class: "note" }, ...children);
