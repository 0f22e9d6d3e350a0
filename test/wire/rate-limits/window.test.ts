import { describe, expect, it } from 'vitest';
import type { LimitReport } from '../../../src/wire/rate-limits/headers.ts';
import { BucketWindow } from '../../../src/wire/rate-limits/window.ts';

/** An answer that arrives at `nowMs` and speaks of the window that ends at `resetMs`. */
function report(limit: number, remaining: number, resetMs: number, nowMs: number): LimitReport {
  return { bucket: { id: 'b', limit, remaining, resetMs, resetAfterMs: resetMs - nowMs } };
}

/** A window of `limit` until `resetMs`, of which one call has been answered. */
function opened(limit: number, resetMs: number): BucketWindow {
  const window = new BucketWindow();
  window.take(0);
  window.settle(report(limit, limit - 1, resetMs, 0), 0);
  return window;
}

/** How many calls go at once. */
function room(window: BucketWindow, nowMs: number): number {
  let places = 0;
  while (places < 100 && window.take(nowMs)) places++;
  return places;
}

describe('BucketWindow', () => {
  it('counts a call under way when the window ends in the next one too', () => {
    const window = opened(3, 1_000);
    window.take(900);
    expect(room(window, 1_000)).toBe(2);
  });

  it('gives that place back when the answer says it belonged to the window that is over', () => {
    const window = opened(3, 1_000);
    window.take(900);
    expect(room(window, 1_000)).toBe(2);
    window.settle(report(3, 1, 1_000, 1_000), 1_100);
    expect(room(window, 1_100)).toBe(1);
  });

  it('does so also when another answer has spoken of the next window before', () => {
    const window = opened(3, 1_000);
    window.take(900);
    expect(window.take(1_000)).toBe(true);
    window.settle(report(3, 2, 2_000, 1_100), 1_100);
    expect(room(window, 1_200)).toBe(1);
    window.settle(report(3, 1, 1_000, 1_000), 1_200);
    expect(room(window, 1_200)).toBe(1);
  });

  it('does not take the end of an old window for the end of the current one', () => {
    const window = opened(1, 1_000);
    window.take(1_000);
    window.settle(report(1, 0, 2_000, 1_100), 1_100);
    expect(window.freeAtMs(1_100)).toBe(2_000);
  });

  it('follows a service that went on to its next window first: this call and those under way count there', () => {
    const window = opened(5, 1_500); // ends at 1000 there; the report was long on its way
    for (let i = 0; i < 3; i++) window.take(1_200);
    window.settle(report(5, 4, 2_200, 1_300), 1_300);
    expect(room(window, 1_300)).toBe(2);
  });

  it('believes a service that has counted more than we know of', () => {
    const window = opened(5, 1_000);
    window.take(100);
    window.settle(report(5, 0, 1_000, 100), 100);
    expect(room(window, 100)).toBe(0);
  });

  it('takes back what certainly was not sent', () => {
    const window = opened(2, 1_000);
    window.take(100);
    window.settle('unsent', 100);
    expect(room(window, 100)).toBe(1);
  });

  it('keeps counting what was lost until the window ends', () => {
    const window = opened(2, 1_000);
    window.take(100);
    window.settle('lost', 100);
    expect(room(window, 999)).toBe(0);
    expect(room(window, 1_000)).toBe(2);
  });

  it('lets one call find out when every answer of a window was lost', () => {
    const window = opened(2, 1_000);
    expect(room(window, 1_000)).toBe(2);
    window.settle('lost', 1_100);
    expect(room(window, 1_100)).toBe(0);
    window.settle('lost', 1_200);
    expect(room(window, 1_200)).toBe(1);
  });

  it('follows a limit that shrinks and one that grows', () => {
    const window = opened(5, 1_000);
    expect(window.take(1_000)).toBe(true);
    window.settle(report(2, 1, 2_000, 1_000), 1_000);
    expect(room(window, 1_000)).toBe(1);
    window.settle(report(9, 7, 2_000, 1_000), 1_000);
    expect(room(window, 1_000)).toBe(7);
  });

  it('becomes limited when a route that named no bucket names one', () => {
    const window = new BucketWindow();
    window.take(0);
    window.settle({}, 0);
    expect(room(window, 0)).toBe(100);
    for (let i = 0; i < 99; i++) window.settle({}, 0);
    window.settle(report(3, 2, 1_000, 0), 0);
    expect(room(window, 0)).toBe(2);
  });

  it('is idle once its window is over and nothing is under way', () => {
    const window = opened(2, 1_000);
    expect(window.isIdle(999)).toBe(false);
    expect(window.isIdle(1_000)).toBe(true);
    window.take(1_000);
    expect(window.isIdle(1_000)).toBe(false);
  });
});
