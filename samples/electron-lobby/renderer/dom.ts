/** Elements by hand: text goes in as text, so nothing that a player wrote is ever read as markup. */

type Child = Node | string | false | undefined;
type Listener = (event: Event) => void;
/** Attributes by name, `on…` for listeners; false and undefined leave one out. */
type Props = Readonly<Record<string, string | number | boolean | undefined | Listener>>;

export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  apply(element, props);
  element.append(...children.filter(child => child !== false && child !== undefined));
  return element;
}

function apply(element: Element, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
}

/** Writes only what is different, so that screen readers hear changes and not repetitions. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setShown(element: HTMLElement, isShown: boolean): void {
  if (element.hidden === isShown) element.hidden = !isShown;
}

export function setAttribute(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** Puts these children in the place of those that are there, unless they are the same. */
export function setChildren(element: Element, ...children: readonly Node[]): void {
  const isSame =
    children.length === element.childNodes.length && children.every((one, at) => one === element.childNodes[at]);
  if (!isSame) element.replaceChildren(...children);
}

/** How one thing is shown, made once and changed as the thing changes. */
export interface Row<Item> {
  readonly element: HTMLElement;
  update(item: Item, before: Item | undefined): void;
}

/**
 * Keeps a list in step with its items by their ids. Rows that stay keep their element, and with it the focus.
 *
 * @returns what takes the items, in order
 */
export function keyedList<Item extends { readonly id: string | number }>(
  list: HTMLElement,
  createRow: (item: Item) => Row<Item>,
): (items: readonly Item[]) => void {
  const rows = new Map<Item['id'], Row<Item>>();
  return items => {
    const present = new Set<Item['id']>(items.map(({ id }) => id));
    for (const [id, { element }] of rows) {
      if (present.has(id)) continue;
      element.remove();
      rows.delete(id);
    }
    for (const [place, item] of items.entries()) {
      const row = rows.get(item.id) ?? createRow(item);
      rows.set(item.id, row);
      row.update(item, items[place - 1]);
      const there = list.children[place];
      if (there !== row.element) list.insertBefore(row.element, there ?? null);
    }
  };
}
