/** A row of a list that the service pages by id. */
interface Row {
  readonly id: string;
}

/** Rows between two ids: after `after`, up to `next`. */
export interface Page<T extends Row> {
  /** Undefined: from the beginning. */
  readonly after: string | undefined;
  /** Null: to the end. */
  readonly next: string | null;
  readonly rows: readonly T[];
}

/** What one call of the list answers. */
export interface PageAnswer<T extends Row> {
  readonly rows: readonly T[];
  readonly next: string | null;
}

/** All rows of the pages, in their order. */
export function rowsOfPages<T extends Row>(pages: readonly Page<T>[]): readonly T[] {
  return pages.flatMap(({ rows }) => rows as T[]);
}

/** The pages that hold the rows from `first` to `last`, by their places in the list of all rows. */
export function pagesAt<T extends Row>(pages: readonly Page<T>[], first: number, last: number): readonly Page<T>[] {
  const found: Page<T>[] = [];
  let start = 0;
  for (const [at, page] of pages.entries()) {
    const end = start + page.rows.length;
    // An empty page has no rows, but new ones may come to be there.
    const isLast = at === pages.length - 1;
    if ((start <= last && end > first) || (isLast && end <= last + 1)) found.push(page);
    start = end;
  }
  return found;
}

/**
 * The pages after one of them was read again. Between the former bounds of that page there may be more rows than one call answers now: they
 * become pages of their own, so that no row is missing.
 *
 * @param read answers the rows after an id; it is called until the former end of the page is reached
 * @returns the page's replacement
 */
export async function readAgain<T extends Row>(
  page: Page<T>,
  read: (after: string | undefined) => Promise<PageAnswer<T>>,
): Promise<readonly Page<T>[]> {
  const replacement: Page<T>[] = [];
  let after = page.after;
  for (;;) {
    const answer = await read(after);
    const end = page.next;
    if (end === null) return [...replacement, { after, ...answer }];
    // Ids are in the order of their text.
    const isReached = answer.next === null || answer.next >= end;
    const rows = isReached ? answer.rows.filter(({ id }) => id <= end) : answer.rows;
    replacement.push({ after, next: isReached ? end : answer.next, rows });
    if (isReached || answer.next === null) return replacement;
    after = answer.next;
  }
}

/** The pages with one replaced; unchanged when the page is no longer among them. */
export function replacePage<T extends Row>(
  pages: readonly Page<T>[],
  page: Page<T>,
  replacement: readonly Page<T>[],
): readonly Page<T>[] {
  const at = pages.indexOf(page);
  return at < 0 ? pages : pages.toSpliced(at, 1, ...replacement);
}
