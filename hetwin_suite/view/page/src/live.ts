// The page of a run in progress: the scene, the responsible models, the happenings, and the controls.

import { readBlock } from "./block";
import { interesting, type Cast } from "./cast";
import { check, follow, walls } from "./choices";
import { rowsOf } from "./course";
import { make } from "./elements";
import { Growing } from "./growing";
import { Holding, Owners, Raising, type Deed } from "./hands";
import { blockOf, kindOf, readState, SCENE, type LiveHeader, type Message, type State } from "./messages";
import { Numbers } from "./numbers";
import { POSE, type Scene } from "./scene";
import { Collisions } from "./sights/collisions";
import { Frames } from "./sights/frames";
import type { Sight } from "./sights/sight";
import { Stage } from "./stage";
import { Timeline } from "./timeline";
import { Words } from "./words";

const LINES_PERIOD_MS = 500;
/** Share of time used for drawing; the rest is for incoming messages and the user. */
const DRAWN_SHARE = 0.5;
const AGAIN_MS = 2000;
const TRIES = 30;
/** Distance from the initial position above which something counts as moved. */
const MOVED_M = 0.02;

/** Everything that belongs to one scene. */
interface Shown {
  scene: Scene;
  cast: Cast;
  stage: Stage;
  owners: Owners;
  raising: Raising;
  growing: Growing;
  line: Timeline;
  /** For each body, the index of the attribute that is its pose; -1 for none. */
  poses: number[];
  /** Names of objects, and the indices of the attributes that are their poses. */
  objects: [string, number][];
}

/** Show the run that the page belongs to; do nothing if it does not belong to a run. */
export function watchRun(): void {
  const root = document.getElementById("hetwin");
  if (root) new Live(root).connect();
}

class Live {
  readonly #title = make("h1", "", "hetwin");
  readonly #numbers = new Numbers((row) => this.#words.add([row]));
  readonly #said = make("div", "said");
  readonly #canvas = make("div", "hetwin-canvas");
  readonly #side = make("div", "side");
  readonly #lines = make("div", "card lanes");
  readonly #words = new Words();
  readonly #holding = new Holding((deed, what) => this.#ask(deed, what));
  readonly #asked = new Map<number, string>();
  #socket: WebSocket | undefined;
  #shown: Shown | undefined;
  #state: State | undefined;
  #first: State | undefined;
  readonly #sights: Sight[] = [];
  #number = 0;
  #handovers = 0;
  #over = false;
  #drawing = false;
  #linesDue = 0;
  #looked = false;

  constructor(readonly root: HTMLElement) {
    this.#said.setAttribute("role", "status");
    const bar = make("header", "top", this.#title, this.#holding.element, this.#numbers.element, this.#said);
    this.#side.append(this.#words.element);
    root.append(bar, make("div", "scene", this.#canvas), this.#side, this.#lines);
    this.#say("The models are made ready …");
  }

  connect(): void {
    const address = new URL(`live${location.search}`, location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = (this.#socket = new WebSocket(address));
    socket.binaryType = "arraybuffer";
    let last: Promise<void> = Promise.resolve();
    socket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
      last = last.then(() => this.#take(data)).catch((error: unknown) => console.error(error));
    });
    socket.addEventListener("close", ({ reason }) => void last.then(() => this.#lost(reason)));
  }

  async #take(data: string | ArrayBuffer): Promise<void> {
    if (typeof data === "string") this.#hear(JSON.parse(data) as Message);
    else if (kindOf(data) === SCENE) await this.#begin(data);
    else if (this.#shown) this.#reach(readState(data, this.#shown.scene.bodies.length));
  }

  async #begin(data: ArrayBuffer): Promise<void> {
    const block = await readBlock<LiveHeader>(blockOf(data));
    const { scene, duration, not_held, buttons } = block.header;
    const stage = new Stage(this.#canvas);
    const owners = new Owners(scene, (deed, what) => this.#ask(deed, what));
    const raising = new Raising(buttons, (deed, what) => this.#ask(deed, what));
    const growing = new Growing(scene, duration);
    const pose = (name: string): number =>
      scene.attributes.findIndex((a) => a.entity === name && a.attribute === "pose");
    this.#shown = {
      ...{ scene, owners, raising, growing, stage },
      cast: stage.add(scene, block),
      line: new Timeline(this.#lines, [0, growing.last], {
        seek: () => this.#say("Only what is now is shown while the run goes on."),
      }),
      poses: scene.bodies.map((body) => pose(body.name)),
      objects: scene.bodies
        .filter((body) => body.kind === "object")
        .map((body): [string, number] => [`${body.name}.pose`, pose(body.name)])
        .filter(([, attribute]) => attribute >= 0),
    };
    this.#side.prepend(raising.element, owners.element);
    this.#canvas.after(this.#choices(stage, scene, this.#shown.cast));
    this.#title.textContent = document.title = scene.name;
    this.#holding.notHeld = not_held;
    this.#say(not_held && `${not_held[0]!.toUpperCase()}${not_held.slice(1)}.`);
  }

  /** Options for the visible parts of the scene, and for what the camera follows. */
  #choices(stage: Stage, scene: Scene, cast: Cast): HTMLElement {
    const row = make("div", "hetwin-choices");
    for (const sight of [new Collisions(cast), new Frames(cast)]) {
      sight.object.visible = false;
      cast.group.add(sight.object);
      this.#sights.push(sight);
      const show = (on: boolean): void => {
        sight.object.visible = on;
        this.#drawSoon();
      };
      row.append(check(sight.name, false, show));
    }
    const followed = scene.bodies.filter((body) => body.kind === "object" || body.kind === "hand");
    row.append(follow(stage, followed.map((body) => body.name)), walls(stage, () => this.#moving()));
    return row;
  }

  /** Names of objects and hands that have moved; those handed over are first. */
  #moving(): string[] {
    const { scene, growing } = this.#shown!;
    const [first, now] = [this.#first, this.#state];
    if (!first || !now) return [];
    const over = growing.course.changes.map(([, attribute]) => scene.attributes[attribute]!.entity);
    const far = (i: number): number => Math.hypot(...[0, 1, 2].map((axis) => now.poses[i * POSE + axis]! - first.poses[i * POSE + axis]!));
    const moved = scene.bodies.filter(({ kind }, i) => (kind === "object" || kind === "hand") && far(i) > MOVED_M);
    return [...new Set([...over, ...moved.map((body) => body.name)])];
  }

  #reach(state: State): void {
    const { scene, owners, growing, objects } = this.#shown!;
    this.#state = state;
    this.#first ??= state;
    const named = objects.map(([name, attribute]) => [name, scene.models[state.owners[attribute]!]?.name]);
    this.#mark({
      ...{ state: this.#over ? "over" : state.phase, time: `${state.time}` },
      factor: Number.isNaN(state.factor) ? "0" : state.factor.toFixed(3),
      lag: Number.isNaN(state.lag) ? "" : state.lag.toFixed(3),
      owners: JSON.stringify(Object.fromEntries(named)),
    });
    this.#holding.show(this.#over ? "over" : state.phase, state.pace);
    owners.show(state);
    growing.reach(state);
    this.#numbers.show(state, this.#over);
    this.#drawSoon();
  }

  #hear(message: Message): void {
    if (message.kind === "happened") {
      this.#handovers += message.rows.filter((row) => row.kind === "handover").length;
      this.#mark({ handovers: `${this.#handovers}` });
      this.#words.add(message.rows);
      this.#shown?.growing.add(message.rows);
      this.#drawSoon();
    } else if (message.kind === "replied") {
      const what = this.#asked.get(message.id);
      this.#asked.delete(message.id);
      this.#say(message.refused === null ? "" : `${what ?? "That"} was refused: ${message.refused}`, true);
    } else {
      const repeat = message.deterministic ? "" : ` It says deterministic: false.`;
      const log = message.folder && ` Its log is in ${message.folder}.`;
      this.#end(`The run is over: ${message.text}.${repeat}${log}`, message.ended === "failed");
    }
  }

  #end(text: string, bad: boolean): void {
    this.#over = true;
    this.#mark({ state: "over", factor: "0" });
    this.#holding.show("over", this.#state?.pace ?? NaN);
    this.#shown?.owners.end();
    this.#shown?.raising.end();
    if (this.#state) this.#numbers.show(this.#state, true);
    this.#say(text, bad);
    this.#linesDue = 0;
    this.#drawSoon();
  }

  /** The connection has ended with the run, or was lost; in the second case, reload the page as soon as possible. */
  #lost(reason: string): void {
    if (this.#over) return;
    this.#end(reason || "The connection is lost: the run has ended, or cannot be reached.", true);
    let left = TRIES;
    const again = setInterval(() => {
      if (--left <= 0) clearInterval(again);
      fetch(location.href).then((found) => found.ok && location.reload(), () => undefined);
    }, AGAIN_MS);
  }

  #ask(deed: Deed, what: string): void {
    const id = ++this.#number;
    this.#asked.set(id, what);
    this.#socket?.send(JSON.stringify({ ...deed, id }));
  }

  #say(text: string, bad = false): void {
    this.#said.textContent = text;
    this.#said.classList.toggle("bad", bad && text !== "");
  }

  #mark(values: Record<string, string>): void {
    Object.assign(this.root.dataset, values);
  }

  /** Draw the newest state when there is time; slow drawing must leave time for messages and the user. */
  #drawSoon(): void {
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      const begun = performance.now();
      this.#draw(begun);
      requestAnimationFrame(() => {
        const lasted = performance.now() - begun;
        setTimeout(() => {
          this.#drawing = false;
          if (this.#drawn !== this.#state) this.#drawSoon();
        }, lasted / DRAWN_SHARE - lasted);
      });
    });
  }

  #drawn: State | undefined;

  #draw(now: number): void {
    const [state, shown] = [this.#state, this.#shown];
    if (!state || !shown) return;
    this.#drawn = state;
    this.#drawScene(shown, state);
    shown.line.show(state.time);
    if (now < this.#linesDue) return;
    this.#linesDue = now + LINES_PERIOD_MS;
    shown.line.draw(rowsOf(shown.growing.course));
    shown.line.zoom(0, shown.growing.last);
    // They are not controls while the run is in progress, because one cannot go to another time.
    for (const dot of this.#lines.querySelectorAll("button.dot")) dot.setAttribute("role", "img");
  }

  #drawScene({ stage, cast, poses }: Shown, state: State): void {
    cast.pose(state.poses);
    cast.own(Int16Array.from(poses, (attribute) => state.owners[attribute] ?? -1));
    for (const sight of this.#sights) sight.update(state.time);
    if (!this.#looked) {
      cast.group.updateMatrixWorld(true);
      stage.look(interesting([cast]));
    }
    this.#looked = true;
    stage.draw();
  }
}
