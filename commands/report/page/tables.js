/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes tables. A column: { head, unit, left, cell(row) }. A cell is a text, a
 * node or { value, text, path, run }: `value`, the exact number, is what the
 * column is sorted by and what data-value holds; `path`, if it is given, is the
 * place of the value in summary.json of a run. */
let tables = 0;

function cellOf(column, row) {
  const made = column.cell(row);
  const plain = made === null || typeof made !== "object" || made instanceof Node;
  return plain ? { value: made instanceof Node ? made.textContent : made, text: made }
    : made;
}

function tableCell(column, row, isHead) {
  const cell = cellOf(column, row);
  const empty = cell.value === null || cell.value === undefined;
  const td = el(isHead ? "th" : "td", {
    class: column.left ? "left" : null,
    scope: isHead ? "row" : null,
    "data-value": empty ? null : cell.value, "data-path": cell.path, "data-run": cell.run,
  }, cell.text === null || cell.text === undefined ? NONE : cell.text);
  td.sortValue = empty ? null : cell.value;
  return td;
}

/* Compares two cells: numbers by value, all else as texts; missing values come
 * last in both directions. */
function compareValues(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b), "en", { numeric: true });
}

function sortBy(table, index, button) {
  const head = button.closest("th");
  const down = head.getAttribute("aria-sort") === "ascending";
  for (const th of head.parentNode.children) th.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  rows.sort((a, b) => compareValues(a.cells[index].sortValue,
    b.cells[index].sortValue, down ? -1 : 1));
  body.append(...rows);
}

/* Makes a table. A column that is `optional` is left out if no row has a value
 * in it. options: { id, sortable, caption (visible), label } */
function table(columns, rows, options = {}) {
  const shown = columns.filter((c) => !c.optional || rows.some((row) => {
    const value = cellOf(c, row).value;
    return value !== null && value !== undefined && value !== "";
  }));
  const made = el("table", { id: options.id });
  const caption = el("caption", { class: options.hidden ? "unseen" : null },
    options.caption);
  const line = el("tr");
  shown.forEach((column, index) => {
    const words = column.unit ? `${column.head} (${column.unit})` : column.head;
    const th = el("th", { scope: "col", class: column.left ? "left" : null,
      title: column.about });
    if (options.sortable) {
      const button = el("button", { type: "button" }, words);
      button.addEventListener("click", () => sortBy(made, index, button));
      th.append(button);
    } else {
      th.append(words);
    }
    line.append(th);
  });
  const body = el("tbody");
  for (const row of rows)
    body.append(el("tr", { class: row.rowClass },
      shown.map((column, i) => tableCell(column, row, i === 0))));
  made.append(caption, el("thead", null, line), body);
  /* tabindex: a table that is wider than the page can be scrolled with the
   * keys */
  const label = options.label || options.caption;
  return el("div", { class: "scroll", tabindex: 0, role: "region",
    "aria-label": label }, made);
}

/* Makes the table of the numbers of a chart, closed at first. */
function numbersOf(caption, columns, rows) {
  tables++;
  return el("details", { class: "numbers" }, el("summary", null, "Numbers"),
    table(columns, rows, { caption, id: `numbers-${tables}` }));
}
