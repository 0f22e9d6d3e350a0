import { el, setText } from './dom.ts';

/** Times as people say them, in the language of the system; the exact one shows on hovering. */
const language = navigator.language;
const ago = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
const clock = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' });
const dayAndClock = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'medium' });

const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const tickMs = 10_000;

/** `3 min. ago`, `in 6 days`; below a minute it says so without counting. */
export function relative(atMs: number): string {
  const distanceMs = atMs - Date.now();
  for (const [unit, ms] of steps) {
    if (Math.abs(distanceMs) >= ms) return ago.format(Math.trunc(distanceMs / ms), unit);
  }
  return distanceMs > 0 ? 'in a moment' : 'just now';
}

/** An element that goes on saying how long ago it was. */
export function agoElement(atMs: number, before = ''): HTMLTimeElement {
  const text = before + relative(atMs);
  return el('time', { datetime: iso(atMs), title: exact.format(atMs), 'data-at': atMs, 'data-before': before }, text);
}

/** The time of day; with the day when that is not today. */
export function clockElement(atMs: number): HTMLTimeElement {
  const isToday = new Date(atMs).toDateString() === new Date().toDateString();
  const shown = (isToday ? clock : dayAndClock).format(atMs);
  return el('time', { datetime: iso(atMs), title: exact.format(atMs) }, shown);
}

/** Keeps every {@link agoElement} of the page right. */
export function keepTimes(): void {
  setInterval(() => {
    for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-at]')) {
      setText(element, (element.dataset.before ?? '') + relative(Number(element.dataset.at)));
    }
  }, tickMs);
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
