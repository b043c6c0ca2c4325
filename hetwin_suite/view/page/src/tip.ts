// Shows a description of what is under the pointer, without delay.

import { make } from "./elements";

/** A line of a tip; if it has a colour, a patch of this colour is shown. */
export interface TipLine {
  text: string;
  colour?: string;
}

const AWAY = 14;
const element = make("div", "hetwin-tip");
element.setAttribute("role", "tooltip");

/** Show a tip beside the pointer; the first line is the title. */
export function showTip({ clientX, clientY }: MouseEvent, lines: readonly TipLine[]): void {
  element.replaceChildren(
    ...lines.map(({ text, colour }) => {
      const line = make("div", "", text);
      if (colour) line.style.setProperty("--colour", colour);
      return line;
    }),
  );
  if (!element.isConnected) document.body.append(element);
  const { width, height } = element.getBoundingClientRect();
  const right = clientX + AWAY + width < innerWidth ? clientX + AWAY : clientX - AWAY - width;
  const top = Math.min(clientY + AWAY, innerHeight - height - 4);
  Object.assign(element.style, { left: `${Math.max(4, right)}px`, top: `${Math.max(4, top)}px` });
}

export function hideTip(): void {
  element.remove();
}
