import { describe, expect, it } from 'vitest';
import { style } from '../../../../../../src/service/features/oauth/pages/views/style.ts';

const blocks = [...style.matchAll(/:root \{([^}]*)\}/g)].map(([, inside = '']) => inside);
const schemes = blocks.map(
  inside => new Map([...inside.matchAll(/--([\w-]+): (#\w+)/g)].map(([, name, colour]) => [name, colour])),
);

/** @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(colour: string): number {
  const digits = colour.length === 4 ? [...colour.slice(1)].map(digit => digit + digit) : colour.slice(1).match(/../g);
  const [red = 0, green = 0, blue = 0] = (digits ?? []).map(pair => {
    const share = Number.parseInt(pair, 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

describe.each([
  ['light', schemes[0]],
  ['dark', schemes[1]],
])('in the %s scheme', (_, colours) => {
  it.each([
    ['text', 'card'],
    ['text', 'tint'],
    ['soft', 'card'],
    ['soft', 'tint'],
    ['fault', 'card'],
    ['fault', 'tint'],
    ['accent-text', 'card'],
    ['accent-text', 'tint'],
    ['white', 'accent'],
    ['white', 'accent-strong'],
  ])('%s on %s has a contrast of 4.5 : 1 at least', (text, ground) => {
    expect(contrast(colours?.get(text) ?? '#fff', colours?.get(ground) ?? '')).toBeGreaterThanOrEqual(4.5);
  });
});
