const svg = 'http://www.w3.org/2000/svg';

/** Paths of 24 × 24 icons, drawn in strokes; `star` is the game's sign and is filled. */
const paths = {
  star: ['M12 1.5c.9 6.4 4.1 9.6 10.5 10.5-6.4.9-9.6 4.1-10.5 10.5-.9-6.4-4.1-9.6-10.5-10.5C7.9 11.1 11.1 7.9 12 1.5Z'],
  lobbies: ['M4 5h16v11H10l-4 4v-4H4Z'],
  launch: ['M5 19c1-3 2-4 4-5m1-3c2-5 5-7.5 10-8-.5 5-3 8-8 10l-4-4Zm-5 1H4l3-4h4m2 10v4l4-3v-4'],
  account: ['M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Z', 'M4 20.500c1-4 4-5.5 8-5.500s7 1.5 8 5.5'],
  activity: ['M3 12h4l3-8 4 16 3-8h4'],
  send: ['M4 12 20.5 4 16 20.500l-4-6.500Z', 'm12 14 4-4.5'],
  copy: ['M9 9h11v11H9Z', 'M5 15H4V4h11v1'],
  back: ['M15 5l-7 7 7 7'],
  plus: ['M12 5v14M5 12h14'],
  key: ['M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8Z', 'm11 12 9-8m-3 3 2.5 2.500M14 9.500l2 2'],
  people: [
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Z',
    'M2.5 20c.7-4 3-5.5 6.5-5.500s5.8 1.5 6.5 5.5',
    'M16 4.500a3.5 3.5 0 0 1 0 6.500M18 15c2 .6 3.2 2.2 3.6 5',
  ],
  shield: ['M12 3l8 3c0 7-2.5 12-8 15-5.5-3-8-8-8-15Z', 'm8.5 12 2.5 2.5 4.5-5'],
  browser: ['M3 5h18v14H3Z', 'M3 9h18M6 7h.01M8.5 7h.01'],
  leave: ['M10 4H4v16h6', 'M9 12h11m-4-4 4 4-4 4'],
  keyboard: [
    'M2.5 6h19v12h-19Z',
    'M6 9.500h.01M9 9.500h.01M12 9.500h.01M15 9.500h.01M18 9.500h.01M6 14.500h.01M9 14.500h6M18 14.500h.01',
  ],
  warning: ['M12 3.5 22 20H2Z', 'M12 10v4.500M12 17.300h.01'],
  check: ['m5 12.5 5 5L19.5 7'],
  plug: ['M8 3v5m8-5v5M5 8h14v3a7 7 0 0 1-14 0ZM12 18v3'],
  server: ['M4 4h16v6H4ZM4 14h16v6H4Z', 'M7.5 7h.01M7.5 17h.01'],
} as const;

export type IconName = keyof typeof paths;

/** A picture beside words that say the same; screen readers pass it by. */
export function icon(name: IconName): SVGSVGElement {
  const picture = document.createElementNS(svg, 'svg');
  picture.setAttribute('viewBox', '0 0 24 24');
  picture.setAttribute('aria-hidden', 'true');
  picture.setAttribute('class', name === 'star' ? 'icon star' : 'icon');
  for (const d of paths[name]) {
    const path = document.createElementNS(svg, 'path');
    path.setAttribute('d', d);
    picture.append(path);
  }
  return picture;
}
