/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows the settings of the results side by side, and the files and commands
 * from which the results were made. */
const asText = (value) => (value === null || value === undefined ? null
  : typeof value === "object" ? JSON.stringify(value) : String(value));

function settingRows() {
  const rows = new Map();
  const put = (owner, key, i, value) => {
    const name = `${owner}\n${key}`;
    if (!rows.has(name)) rows.set(name, { owner, key, values: runs.map(() => null) });
    rows.get(name).values[i] = asText(value);
  };
  runs.forEach((run, i) => {
    put("run", "seed", i, run.seed);
    put("run", "cluster", i, run.summary.cluster);
    put("run", "rules", i, run.rules);
    for (const [owner, settings] of Object.entries(run.configuration))
      for (const [key, value] of Object.entries(settings)) put(owner, key, i, value);
  });
  /* A setting that only some results have is compared only among these
   * results. */
  return [...rows.values()].map((row) => {
    const having = row.values.filter((v) => v !== null);
    return Object.assign(row, { differs: having.some((v) => v !== having[0]),
      partly: having.length < runs.length });
  });
}

const FILTERS = { differ: "that differ", some: "that differ or that only some results have", all: "all" };

function settings() {
  const all = settingRows(), several = runs.length > 1;
  for (const row of all)
    row.rowClass = row.differs ? "differs" : row.partly ? "partly" : "equal";
  const differ = all.filter((row) => row.differs).length;
  const some = all.filter((row) => row.differs || row.partly).length;
  const counts = { differ, some, all: all.length };
  const list = table([{ head: "of", left: true, cell: (r) => r.owner },
    { head: "setting", left: true, cell: (r) => r.key },
    ...(several ? [{ head: "differs", left: true, cell: (r) =>
      (r.differs ? "\u2260 differs" : r.partly ? "only some have it" : "") }] : []),
    ...runs.map((run, i) => ({ head: run.label, left: true, cell: (r) => r.values[i] }))], all,
  { id: "settings-table", caption: "Settings in force, defaults included" });
  const choose = el("select", { id: "settings-shown" }, Object.entries(FILTERS).map(
    ([value, words]) => el("option", { value }, `${words} (${counts[value]})`)));
  choose.value = several && differ ? "differ" : "all";
  const show = () => { list.dataset.shown = choose.value; };
  choose.addEventListener("change", show);
  show();
  return section("settings", "Settings", el("details", null,
    el("summary", null, `${count(all.length)} settings${several ? `, ${count(differ)} differ` : ""}`),
    several ? el("p", null, el("label", { for: "settings-shown" }, "Show settings "), choose) : null, list));
}

/* Quotes an argument so that a shell reads it as one word. */
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word
  : `'${word.replaceAll("'", "'\\''")}'`);

function notesOf(run, i) {
  return el("details", null, el("summary", null, runName(i), `: ${plural((run.notes || []).length, "source")} of numbers that were not measured on this cluster`),
    el("dl", null, (run.notes || []).flatMap((n) => [el("dt", null, n.about), el("dd", null, n.source)])));
}

function origin() {
  const rows = runs.flatMap((run, i) => [
    ...(run.files || []).map((f) => ({ i, what: `read: ${f.what}`, digest: f.sha256 })),
    ...Object.entries(run.outputs || {}).map(([name, digest]) => ({ i, what: name, digest }))]);
  const commands = runs.map((run, i) => [el("h3", null, runName(i)),
    el("pre", { tabindex: 0, role: "region", "aria-label": `command of ${run.label}` },
      `schedsim ${(run.arguments || []).map(quoted).join(" ")}`),
    note(`Directory ${run.dir}; schedsim ${run.schedsim}, commit ${run.commit || "unknown"}, ${run.compiler || "unknown compiler"}.`)]);
  return section("origin", "How the results were made", commands,
    el("details", null, el("summary", null, "Digests (SHA-256)"),
      table([{ head: "result", left: true, cell: (r) => runs[r.i].label },
        { head: "file", left: true, cell: (r) => r.what },
        { head: "SHA-256", left: true, cell: (r) => el("code", null, r.digest) }], rows,
      { id: "digests", caption: "Digests of what was read and written" })), runs.map(notesOf));
}
