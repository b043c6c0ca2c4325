// The time line of a run that goes on.

import type { Course } from "./course";
import type { Row, State } from "./messages";
import type { Scene } from "./scene";

/** What has happened so far, as a time line takes it. */
export class Growing {
  readonly course: Course;
  /** Owners before the first change, by attribute: a page may open when some are past. */
  readonly #first = new Map<number, number>();
  readonly #open = new Map<string, Course["doings"][number]>();

  /** The owners at first are known only with the first state. */
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

  /** Go on to a state. */
  reach(state: State): void {
    const { course } = this;
    if (!course.owners.length) course.owners = [...state.owners];
    for (const [attribute, model] of this.#first) course.owners[attribute] = model;
    course.end = state.time;
    for (const doing of this.#open.values()) doing.end = state.time;
  }

  /** When the time line ends, in seconds. */
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
