// Creates HTML elements.

/** An element with a class and its content. */
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

/** A button with a caption and an action. */
export function button(name: string, press: () => void): HTMLButtonElement {
  const node = make("button", "", name);
  node.type = "button";
  node.addEventListener("click", press);
  return node;
}
