// Makes elements.

/** An element with a class and what is in it. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = "",
  ...content: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name);
  if (className) node.className = className;
  node.append(...content);
  return node;
}

/** A button with a name and what it does. */
export function button(name: string, press: () => void): HTMLButtonElement {
  const node = make("button", "", name);
  node.type = "button";
  node.addEventListener("click", press);
  return node;
}
