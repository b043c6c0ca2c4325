"use strict";
// The table of a night: filters, sorts, and counts outcomes over what is known of the recordings. All texts stay text.
const told = JSON.parse(document.getElementById("rows").textContent);
const OUTCOMES = ["good", "bad", "not known", "fault"];
const classOf = (outcome) => outcome.replace(" ", "-");
const shownOutcomes = new Set(OUTCOMES);
let sorted = { column: "name", up: true };

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

const claim = (name) => ({
  name,
  value: (row) => (name in row.claims ? { true: "holds", false: "does not hold", null: "not known" }[row.claims[name]] : ""),
  tone: (row) => ({ true: "good", false: "bad", null: "not-known" })[row.claims[name]],
});
const columns = [
  { name: "name", value: (row) => row.name },
  { name: "outcome", value: (row) => row.outcome, tone: (row) => classOf(row.outcome) },
  { name: "verdict", value: (row) => row.verdict },
  ...told.claims.map(claim),
  { name: "first at [s]", value: (row) => row.first_at_s, number: true },
  { name: "what", value: (row) => row.first, link: (row) => row.page && row.page + (row.first_at_s === null ? "" : "#t=" + row.first_at_s) },
  { name: "not checked", value: (row) => row.unchecked.join(", ") },
  ...told.about.map((name) => ({ name, value: (row) => row.about[name] ?? "" })),
];

const words = (row) => columns.map((column) => column.value(row)).join(" ").toLowerCase();

function visible() {
  const wanted = document.getElementById("text").value.toLowerCase().split(/\s+/).filter(Boolean);
  return told.rows.filter((row) => shownOutcomes.has(row.outcome) && wanted.every((word) => words(row).includes(word)));
}

function inOrder(rows) {
  const column = columns.find((one) => one.name === sorted.column);
  const sign = sorted.up ? 1 : -1;
  return [...rows].sort((a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    if (x === y) return a.name < b.name ? -1 : 1;
    if (x === null || x === "") return 1;
    if (y === null || y === "") return -1;
    return (x < y ? -1 : 1) * sign;
  });
}

function cell(column, row) {
  const value = column.value(row);
  const made = element("td", undefined, [column.number ? "number" : "", column.tone ? column.tone(row) : ""].join(" ").trim());
  const text = value === null ? "" : String(value);
  const link = column.link ? column.link(row) : "";
  if (link) {
    const anchor = element("a", text || "page");
    anchor.href = link;
    made.append(anchor);
  } else {
    made.textContent = text;
  }
  return made;
}

function bars(title, keyOf, rows) {
  const groups = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === undefined || key === "") continue;
    if (!groups.has(key)) groups.set(key, new Map());
    groups.get(key).set(row.outcome, (groups.get(key).get(row.outcome) ?? 0) + 1);
  }
  if (!groups.size) return [];
  const place = element("div", undefined, "bars");
  const most = Math.max(...[...groups.values()].map((counts) => [...counts.values()].reduce((a, b) => a + b, 0)));
  for (const key of [...groups.keys()].sort()) {
    const counts = groups.get(key);
    const bar = element("div", undefined, "bar");
    for (const outcome of OUTCOMES) {
      const count = counts.get(outcome) ?? 0;
      if (!count) continue;
      const piece = element("span", undefined, classOf(outcome));
      piece.style.width = (100 * count) / most + "%";
      piece.title = count + " " + outcome;
      bar.append(piece);
    }
    const said = OUTCOMES.filter((one) => counts.get(one)).map((one) => counts.get(one) + " " + one);
    place.append(element("span", key), bar, element("span", said.join(", ")));
  }
  return [element("h2", title), place];
}

const hour = (row) => {
  const start = Number(row.start);
  return row.start === undefined || Number.isNaN(start) ? "" : new Date(start * 1000).toISOString().slice(11, 13) + " h UTC";
};

function draw() {
  const rows = visible();
  document.getElementById("shown").textContent = rows.length + " of " + told.rows.length;
  const table = document.getElementById("table");
  const head = element("tr");
  for (const column of columns) {
    const button = element("button", column.name + (sorted.column === column.name ? (sorted.up ? " ▲" : " ▼") : ""));
    button.type = "button";
    button.addEventListener("click", () => {
      sorted = { column: column.name, up: sorted.column === column.name ? !sorted.up : true };
      draw();
    });
    const header = element("th");
    header.append(button);
    head.append(header);
  }
  const body = element("tbody");
  for (const row of inOrder(rows)) {
    const line = element("tr");
    line.append(...columns.map((column) => cell(column, row)));
    body.append(line);
  }
  const top = element("thead");
  top.append(head);
  table.replaceChildren(top, body);
  const plots = [...bars("Over the time of day", hour, rows)];
  for (const name of told.about) plots.push(...bars("By " + name, (row) => row.about[name], rows));
  document.getElementById("plots").replaceChildren(...plots);
}

for (const outcome of OUTCOMES) {
  const label = element("label", undefined, classOf(outcome));
  const box = element("input");
  box.type = "checkbox";
  box.checked = true;
  box.addEventListener("change", () => {
    if (box.checked) shownOutcomes.add(outcome);
    else shownOutcomes.delete(outcome);
    draw();
  });
  label.append(box, " " + outcome);
  document.getElementById("outcomes").append(label, " ");
}
document.getElementById("text").addEventListener("input", draw);
document.getElementById("filter").addEventListener("submit", (event) => event.preventDefault());
draw();
