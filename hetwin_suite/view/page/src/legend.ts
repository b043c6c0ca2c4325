// The legend of a figure; a click on a name hides or shows what it stands for.

import { button, make } from "./elements";

/** A drawn item; several items may have the same name. */
export interface Named {
  name: string;
  colour: string;
}

/** The legend; `changed` is called with the names that are hidden. */
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
