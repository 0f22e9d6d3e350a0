import { el } from './dom.ts';

const hues = 12;

/** A person's sign: the first letter on a colour that is always the same for the same id. */
export function avatar(id: string, name: string): HTMLElement {
  const hue = Number(BigInt(/^\d+$/.test(id) ? id : 0) % BigInt(hues));
  return el('span', { class: 'avatar', 'data-hue': hue, 'aria-hidden': 'true' }, letterOf(name));
}

/** What stands on {@link avatar}. */
export function letterOf(name: string): string {
  const [first] = new Intl.Segmenter().segment(name.trim());
  return first?.segment.toLocaleUpperCase() ?? '?';
}
