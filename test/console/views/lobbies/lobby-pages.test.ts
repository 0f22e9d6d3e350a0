import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Page,
  pagesAt,
  readAgain,
  replacePage,
  rowsOfPages,
} from '../../../../src/console/views/lobbies/lobby-pages.ts';

const limit = 3;

/** The list as the service pages it: in the order of the ids' text. */
function readerOf(ids: readonly string[]) {
  const sorted = [...ids].sort();
  return async (after: string | undefined) => {
    const rest = sorted.filter(id => after === undefined || id > after);
    const page = rest.slice(0, limit);
    return { rows: page.map(id => ({ id })), next: rest.length > limit ? (page.at(-1) ?? null) : null };
  };
}

async function readAll(ids: readonly string[]): Promise<readonly Page<{ id: string }>[]> {
  const read = readerOf(ids);
  const pages: Page<{ id: string }>[] = [];
  let after: string | undefined;
  do {
    const answer = await read(after);
    pages.push({ after, ...answer });
    after = answer.next ?? undefined;
  } while (after !== undefined);
  return pages;
}

const ids = fc.uniqueArray(fc.integer({ min: 100, max: 999 }).map(String), { maxLength: 20 });

describe('The pages of a long list', () => {
  it('hold every row once after each of them was read again, whatever was added and removed', async () => {
    await fc.assert(
      fc.asyncProperty(ids, ids, async (before, after) => {
        let pages = await readAll(before);
        for (const page of pages) pages = replacePage(pages, page, await readAgain(page, readerOf(after)));
        // What came after the former end is read by scrolling on.
        for (let next = pages.at(-1)?.next; next; next = pages.at(-1)?.next) {
          pages = [...pages, { after: next, ...(await readerOf(after)(next)) }];
        }
        expect(rowsOfPages(pages).map(({ id }) => id)).toEqual([...after].sort());
      }),
      { numRuns: 100 },
    );
  });

  it('are found by the rows that are seen', async () => {
    const pages = await readAll(['1', '2', '3', '4', '5', '6', '7']);
    expect(pagesAt(pages, 0, 1)).toEqual([pages[0]]);
    expect(pagesAt(pages, 2, 3)).toEqual([pages[0], pages[1]]);
    expect(pagesAt(pages, 6, 6)).toEqual([pages[2]]);
    expect(pagesAt(await readAll([]), 0, 0)).toHaveLength(1);
  });

  it('stay as they are when the page that was read is no longer shown', async () => {
    const pages = await readAll(['1']);
    expect(replacePage(pages, { after: undefined, next: null, rows: [] }, [])).toBe(pages);
  });
});
