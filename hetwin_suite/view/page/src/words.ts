// The list of happenings in words; equal ones in a row are shown once, with their number.

import { make } from "./elements";
import type { Row } from "./messages";

const MAX_ITEMS = 500;
const NEAR_THE_END = 40;

/** A list that grows at its end. */
export class Words {
  readonly element = make("div", "card words", make("h2", "", "What happened"));
  readonly #list = make("ol");
  #last = "";
  #count = 0;

  constructor() {
    this.element.append(this.#list);
    this.#list.setAttribute("role", "log");
  }

  add(rows: Row[]): void {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    const atEnd = scrollHeight - scrollTop - clientHeight < NEAR_THE_END;
    for (const row of rows) this.#add(row);
    while (this.#list.children.length > MAX_ITEMS) this.#list.firstElementChild!.remove();
    if (atEnd) this.element.scrollTop = this.element.scrollHeight;
  }

  #add(row: Row): void {
    const same = row.kind === "handover" ? row.text : `${row.kind} ${row.name} ${row.more["phase"] ?? ""}`;
    const last = this.#list.lastElementChild;
    if (same === this.#last && last) {
      this.#count += 1;
      const said = last.querySelector(".count") ?? last.appendChild(make("span", "count"));
      said.textContent = ` and ${this.#count} more, the last at ${row.time.toFixed(2)} s`;
      return;
    }
    this.#last = same;
    this.#count = 0;
    this.#list.append(make("li", row.kind, make("time", "", `${row.time.toFixed(3)} s`), row.text));
  }
}
