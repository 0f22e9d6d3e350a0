import { describe, expect, it } from 'vitest';
import { html, nameInText, shownName } from '../../../../../../src/service/features/oauth/pages/views/html.ts';

const override = '\u202E';
const endOfIsolate = '\u2069';

describe('a text on a page', () => {
  it.each(['\u200B', '\u200E', '\u200F', '\u061C', '\u202A', override, '\u2066', endOfIsolate, '\u3164', '\uFEFF'])(
    'loses %j, which has no place of its own',
    character => {
      expect(html`<p title="${character}a">${character}b${character}</p>`.text).toBe('<p title="a">b</p>');
    },
  );

  it.each(['Ada', 'Zoë', '星', '👩‍🚀', 'می‌خواهم', 'क्‍ष'])('keeps every character of %s', text => {
    expect(html`${text}`.text).toBe(text);
  });
});

describe('a name on a page', () => {
  it('is isolated from the sentence if it is written from right to left, and cannot end that', () => {
    expect(html`Let ${nameInText(`שלום${endOfIsolate}${override}`)} in?`.text).toBe('Let &#x2068;שלום&#x2069; in?');
    expect(html`Let ${nameInText('Ada <3')} in?`.text).toBe('Let Ada &lt;3 in?');
  });

  it.each(['', ' ', '\u200B', `${override}\u3164`, '\u200D\uFE0F', '\u034F', '\u2800', '\0'])(
    'is a question mark if it would be invisible, like %j',
    name => {
      expect(shownName(name)).toBe('?');
    },
  );
});
