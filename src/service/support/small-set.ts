/** A set that mostly holds one item: then it costs nothing but itself. */
export class SmallSet<Item extends object> {
  #items: Item | Set<Item> | undefined;

  get size(): number {
    if (this.#items === undefined) return 0;
    return this.#items instanceof Set ? this.#items.size : 1;
  }

  add(item: Item): void {
    if (this.#items instanceof Set) this.#items.add(item);
    else if (this.#items === undefined) this.#items = item;
    else if (this.#items !== item) this.#items = new Set([this.#items, item]);
  }

  /** @returns whether it was there */
  delete(item: Item): boolean {
    if (this.#items instanceof Set) return this.#items.delete(item);
    if (this.#items !== item) return false;
    this.#items = undefined;
    return true;
  }

  /** Calls `visit` for each; those added or taken away meanwhile are treated as a Set does. */
  each(visit: (item: Item) => void): void {
    const items = this.#items;
    if (items instanceof Set) {
      for (const item of items) visit(item);
    } else if (items !== undefined) {
      visit(items);
      this.#eachAdded(items, visit);
    }
  }

  some(isSo: (item: Item) => boolean): boolean {
    if (!(this.#items instanceof Set)) return this.#items !== undefined && isSo(this.#items);
    for (const item of this.#items) if (isSo(item)) return true;
    return false;
  }

  clear(): void {
    if (this.#items instanceof Set) this.#items.clear();
    else this.#items = undefined;
  }

  #eachAdded(first: Item, visit: (item: Item) => void): void {
    if (!(this.#items instanceof Set)) {
      if (this.#items !== undefined && this.#items !== first) visit(this.#items);
      return;
    }
    for (const item of this.#items) if (item !== first) visit(item);
  }
}
