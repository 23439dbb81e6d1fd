/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
for (const run of data.runs) {
  const line = document.createElement("p");
  line.textContent = run.label;
  document.getElementById("main").append(line);
}
