// The time line of a run in progress.

import type { Course } from "./course";
import type { Row, State } from "./messages";
import type { Scene } from "./scene";

/** Everything so far, in the form needed for a time line. */
export class Growing {
  readonly course: Course;
  /** Models responsible before the first change, by attribute; the page may be opened after some changes. */
  readonly #first = new Map<number, number>();
  readonly #open = new Map<string, Course["doings"][number]>();

  /** Set the initially responsible models, which are known from the first state on. */
  constructor(
    scene: Scene,
    readonly duration: number | null,
  ) {
    this.course = {
      scene,
      ...{ start: 0, end: 0, owners: [], changes: [], happenings: [], doings: [] },
    };
  }

  add(rows: Row[]): void {
    for (const row of rows) {
      if (row.kind === "handover") this.#moved(row);
      else if (row.kind === "action") this.#done(row);
      else this.course.happenings.push(row);
    }
  }

  /** Extend the time line to a new state. */
  reach(state: State): void {
    const { course } = this;
    if (!course.owners.length) course.owners = [...state.owners];
    for (const [attribute, model] of this.#first) course.owners[attribute] = model;
    course.end = state.time;
    for (const doing of this.#open.values()) doing.end = state.time;
  }

  /** End of the time line [s]. */
  get last(): number {
    return Math.max(this.duration ?? 1, this.course.end);
  }

  #moved(row: Row): void {
    const { attributes, models } = this.course.scene;
    const attribute = attributes.findIndex((a) => `${a.entity}.${a.attribute}` === row.name);
    const [from, to] = [row.more["from"], row.more["to"]].map((name) => models.findIndex((m) => m.name === name));
    if (attribute < 0) return;
    if (!this.#first.has(attribute)) this.#first.set(attribute, from!);
    this.course.changes.push([row.time, attribute, to!]);
  }

  #done(row: Row): void {
    const key = `${row.name} ${row.entity}`;
    const open = this.#open.get(key);
    if (open) {
      open.end = row.time;
      this.#open.delete(key);
    }
    if (row.more["phase"] === "end") return;
    const doing = { name: row.name, begin: row.time, end: row.time, text: row.text };
    this.course.doings.push(doing);
    if (row.more["phase"] === "begin") this.#open.set(key, doing);
  }
}
