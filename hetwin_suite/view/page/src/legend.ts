// Names of what is drawn, with its colours; a click leaves one out or shows it again.

import { button, make } from "./elements";

/** Something that is drawn, under a name that several may share. */
export interface Named {
  name: string;
  colour: string;
}

/** The legend; `changed` gets the names that are left out. */
export function legend(drawn: readonly Named[], changed: (hidden: ReadonlySet<string>) => void): HTMLElement {
  const hidden = new Set<string>();
  const colours = new Map(drawn.map(({ name, colour }) => [name, colour]));
  const buttons = [...colours].map(([name, colour]) => {
    const one = button(name, () => {
      if (!hidden.delete(name)) hidden.add(name);
      one.setAttribute("aria-pressed", `${!hidden.has(name)}`);
      changed(hidden);
    });
    one.setAttribute("aria-pressed", "true");
    one.style.setProperty("--colour", colour);
    return one;
  });
  return make("div", "hetwin-legend", ...buttons);
}
