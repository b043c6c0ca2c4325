// Makes the rows of bars and dots of a time line, from a film or from a run in progress.

import type { Attribute, Model } from "./scene";
import type { Bar, Dot, Row } from "./timeline";

/** The data for a time line; the header of a film contains all of it. */
export interface Course {
  scene: { models: Model[]; attributes: Attribute[] };
  start: number;
  end: number;
  owners: number[];
  changes: [number, number, number][];
  happenings: Said[];
  doings: Done[];
}

/** A happening; `kind` is the kind of an event, or `handover`. */
export interface Said {
  time: number;
  kind: string;
  name: string;
  text: string;
}

/** Something with a duration; `lane` is `actions` by default, `tone` is the severity. */
export interface Done {
  name: string;
  begin: number;
  end: number;
  text: string;
  lane?: string;
  tone?: string;
}

const GREY = "#a3acba";
const TONES: Record<string, string> = { note: "#8b97a8", warning: "#d9a13b", absurd: "#d65f5f" };
/** Actions on objects, and motions of objects that nothing holds; these get a name in the time line. */
const STRONG = new Set(
  "grasped picked_up released lost put_down dropped connected disconnected fell toppled flung spilled".split(" "),
);

/** All rows, from the top: events, things with a duration, attributes that were handed over; all others are folded. */
export function rowsOf(course: Course): Row[] {
  return [...events(course), ...actionRows(course), ...owners(course)];
}

function row(name: string, bars: Bar[] = [], dots: Dot[] = [], under: Row[] = []): Row {
  return { name, bars, dots, under };
}

function events(course: Course): Row[] {
  const dots = course.happenings
    .filter((said) => said.kind !== "action" && said.kind !== "handover")
    .map((said) => ({ time: said.time, text: said.text, strong: STRONG.has(said.name) }));
  return dots.length ? [row("events", [], dots)] : [];
}

/** The rows of each lane: one, and more where things of the lane overlap in time. */
function actionRows(course: Course): Row[] {
  const rows: Row[] = [];
  const lanes = [...new Set(course.doings.map((done) => done.lane ?? "actions"))];
  for (const lane of lanes) {
    const own: Row[] = [];
    for (const done of course.doings.filter((one) => (one.lane ?? "actions") === lane)) {
      let free = own.find((one) => one.bars.at(-1)!.end <= done.begin + 1e-9);
      if (!free) own.push((free = row(own.length ? `${lane} ${own.length + 1}` : lane)));
      const name = done.name.replaceAll("_", " ");
      const colour = TONES[done.tone ?? ""] ?? GREY;
      free.bars.push({ begin: done.begin, end: done.end, colour, text: name, detail: done.text });
    }
    rows.push(...own);
  }
  return rows;
}

function owners(course: Course): Row[] {
  const { models, attributes } = course.scene;
  const changes = new Map<number, [number, number][]>();
  for (const [time, attribute, model] of course.changes) {
    if (!changes.has(attribute)) changes.set(attribute, [[course.start, course.owners[attribute]!]]);
    changes.get(attribute)!.push([time, model]);
  }
  const moved = [...changes.keys()].sort((a, b) => a - b).map((slot) => {
    const { entity, attribute } = attributes[slot]!;
    return row(`${entity}.${attribute}`, spans(changes.get(slot)!, course.end, models));
  });
  const kept = models.flatMap((model, i) => {
    const own = attributes.filter((_, slot) => !changes.has(slot) && course.owners[slot] === i);
    const all = spans([[course.start, i]], course.end, models);
    const under = own.map((one) => row(`${one.entity}.${one.attribute}`, all));
    return own.length ? [row(`${model.name} · ${own.length}`, all, [], under)] : [];
  });
  const others = attributes.length - changes.size;
  return others ? [...moved, row(`other · ${others}`, [], [], kept)] : moved;
}

function spans(begins: [number, number][], end: number, models: Model[]): Bar[] {
  return begins.flatMap(([begin, model], i) => {
    const until = begins[i + 1]?.[0] ?? end;
    const { name, colour } = models[model] ?? { name: "nothing", colour: GREY };
    return until > begin || i === begins.length - 1
      ? [{ begin, end: until, colour, text: name, detail: `since ${begin.toFixed(3)} s` }]
      : [];
  });
}
