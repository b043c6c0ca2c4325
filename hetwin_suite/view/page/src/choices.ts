// The row of options below the scene: which sights are shown, and what the camera follows.

import { Following, Walls } from "./camera";
import type { Cast } from "./cast";
import { make } from "./elements";
import type { Film } from "./film";
import type { Player } from "./player";
import type { Stage } from "./stage";
import { Believed } from "./sights/believed";
import { Collisions } from "./sights/collisions";
import { Contacts } from "./sights/contacts";
import { Covariances } from "./sights/covariances";
import { Frames } from "./sights/frames";
import { Futures } from "./sights/futures";
import { Paths } from "./sights/paths";
import type { Sight } from "./sights/sight";

/** The row for a player; an option for a sight applies to all runs that the player shows. */
export function choices(player: Player): HTMLElement {
  const moving = movingOf(player);
  return make("div", "hetwin-choices", whatToSee(player), follow(player.stage, moving), walls(player.stage, () => moving));
}

/** Names of moving objects and hands; those whose poses were handed over are first. */
export function movingOf(player: Player): string[] {
  const found = new Set<string>();
  for (const film of player.films) {
    const { bodies, attributes } = film.scene;
    for (const [, attribute] of film.header.changes) {
      const { entity = "", attribute: name = "" } = attributes[attribute] ?? {};
      if (name === "pose") found.add(entity);
    }
    for (const kind of ["object", "hand"]) {
      for (const body of film.header.moving) if (bodies[body]!.kind === kind) found.add(bodies[body]!.name);
    }
  }
  return [...found];
}

function whatToSee(player: Player): HTMLElement {
  const sights = player.films.map((film, run) => sightsOf(film, player.casts[run]!)).flat();
  const list = make("div");
  const place = make("details", "hetwin-see", make("summary", "", "What to see"), list);
  for (const name of new Set(sights.map((sight) => sight.name))) {
    const same = sights.filter((sight) => sight.name === name);
    list.append(
      check(name, same.some(({ shown }) => shown), (on) => {
        for (const sight of same) sight.object.visible = on;
        player.show(player.time);
      }),
    );
  }
  player.onTime.push((time) => {
    for (const sight of sights) sight.update(time);
  });
  return place;
}

function sightsOf(film: Film, cast: Cast): Sight[] {
  const layer = (name: string) => film.layers.find(({ header }) => header.name === name);
  const [contacts, covariances, believed, futures] = ["contacts", "covariances", "believed", "futures"].map(layer);
  const paths = new Paths(film);
  const found: Sight[] = [new Collisions(cast), new Frames(cast)];
  if (!paths.empty) found.push(paths);
  if (contacts) found.push(new Contacts(contacts));
  if (covariances) found.push(new Covariances(covariances, cast));
  if (believed) found.push(new Believed(believed, cast));
  if (futures) found.push(new Futures(futures));
  for (const { object, shown } of found) {
    object.visible = shown ?? false;
    cast.group.add(object);
  }
  return found;
}

/** Selection of the entity that the camera follows. */
export function follow(stage: Stage, moving: string[]): HTMLElement {
  const following = new Following(stage);
  const select = make("select");
  select.add(new Option("nothing", ""));
  for (const name of moving) select.add(new Option(name, name));
  select.addEventListener("change", () => {
    following.follow(select.value);
    stage.draw();
  });
  const label = make("label", "", "Follow ", select);
  label.hidden = !moving.length;
  return label;
}

/** Option to hide walls in front of moving things; `moving` is called whenever the scene is drawn. */
export function walls(stage: Stage, moving: () => string[]): HTMLElement {
  const all = new Walls(stage, moving);
  const stands = stage.casts.some((cast) => cast.figures.some(({ body }) => body.kind === "static"));
  const row = check("Hide walls in front", false, (on) => {
    all.hidden = on;
    stage.draw();
  });
  row.hidden = !stands;
  // A page should show moving things as soon as it is opened.
  requestAnimationFrame(() => row.hidden || !all.hideMost() || row.querySelector("input")!.click());
  return row;
}

/** A checkbox. */
export function check(name: string, on: boolean, changed: (on: boolean) => void): HTMLElement {
  const box = make("input");
  box.type = "checkbox";
  box.checked = on;
  box.addEventListener("change", () => changed(box.checked));
  return make("label", "", box, ` ${name}`);
}
