import { describe, expect, it } from 'vitest';
import { html } from '../../../../../src/service/oauth/pages/views/html.ts';

describe('a value in a page', () => {
  it('is escaped, but for HTML', () => {
    expect(html`<p title="${'"a"'}">${'<b>&'}${html`<b>ok</b>`}${[1, null, false, 'x']}</p>`.text).toBe(
      '<p title="&quot;a&quot;">&lt;b&gt;&amp;<b>ok</b>1x</p>',
    );
  });

  it('cannot turn around the words beside it', () => {
    const controls = ['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'];
    expect(html`Let ${`Star${controls.join('')}fall`} use it?`.text).toBe('Let Starfall use it?');
  });

  it('keeps names of every script, and the marks that they need', () => {
    const names = ['משחק', 'لعبة\u200f!', 'नमस्ते', '👩\u200d🚀', 'a\u200eb'];
    expect(html`${names.join(' ')}`.text).toBe(names.join(' '));
  });
});
