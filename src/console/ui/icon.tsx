/** Outlines on a grid of 16 by 16. */
const outlines = {
  overview: 'M2 9h3l2-5 3 9 2-4h2',
  traffic: 'M3 5h9l-3-3M13 11H4l3 3',
  lobbies:
    'M5.5 7a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1 14c0-3 2-4.5 4.5-4.5S10 11 10 14M10.5 7a2 2 0 1 0 0-4M12 9.7c1.8.5 3 1.900 3 4.300',
  commands: 'M10 2 6 14M3 5 1 8l2 3M13 5l2 3-2 3',
  stage: 'M2 3h12v8H8l-3 3v-3H2ZM5 6h6M5 8.500h4',
  'sign-in': 'M6 2h7v12H6M2 8h7M6.500 5 9.500 8l-3 3',
  world: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM2 8h12M8 2c4 4 4 8 0 12M8 2C4 6 4 10 8 14',
  time: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.500V8l2.500 2',
  menu: 'M2 4h12M2 8h12M2 12h12',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM11 11l3.500 3.500',
  close: 'M3 3l10 10M13 3 3 13',
  copy: 'M5 5V2h9v9h-3M2 5h9v9H2Z',
  right: 'M6 3l5 5-5 5',
  down: 'M3 6l5 5 5-5',
  check: 'M2 9l4 4 8-10',
  warning: 'M8 2 1 14h14ZM8 6.500v3.500M8 12v.5',
  pause: 'M5 3v10M11 3v10',
  play: 'M4 2.500v11l9-5.500Z',
  plus: 'M8 2v12M2 8h12',
  trash: 'M2 4h12M6 4V2h4v2M4 4l1 10h6l1-10',
  out: 'M8 10V2M4.500 5.500 8 2l3.500 3.500M2 11v3h12v-3',
  in: 'M8 2v8M4.500 6.500 8 10l3.500-3.500M2 11v3h12v-3',
} as const;

export type IconName = keyof typeof outlines;

/** A decoration beside words: screen readers do not see it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path
        d={outlines[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
