import { describe, expect, it } from 'vitest';
import { shownFallbacks, shownText, shownTexts } from '../../../../src/model/rules/locales/shown-texts.ts';

describe('the text a reader sees', () => {
  it('is the own one, else the fallback’s, else the default', () => {
    const texts = { 'en-GB': 'colour', de: 'farbe' };
    expect(shownText('color', texts, 'de')).toEqual({ text: 'farbe', reason: 'own', from: 'de' });
    expect(shownText('color', texts, 'en-US')).toEqual({ text: 'colour', reason: 'fallback', from: 'en-GB' });
    expect(shownText('color', texts, 'fr')).toEqual({ text: 'color', reason: 'default' });
    expect(shownText('color', null, 'en-GB')).toEqual({ text: 'color', reason: 'default' });
  });

  it('falls back from en-GB to en-US and from es-419 to es-ES, but not from es-ES', () => {
    expect(shownText('x', { 'en-US': 'y' }, 'en-GB').text).toBe('y');
    expect(shownText('x', { 'es-ES': 'y' }, 'es-419').text).toBe('y');
    expect(shownText('x', { 'es-419': 'y' }, 'es-ES').text).toBe('x');
  });
});

describe('the texts of a command', () => {
  it('are named by where they stand, on every level', () => {
    const command = {
      name: 'party',
      description: 'Your party',
      options: [
        {
          type: 1,
          name: 'add',
          description: 'Add',
          name_localizations: { de: 'dazu' },
          options: [
            {
              type: 3,
              name: 'rank',
              description: 'Rank',
              choices: [{ name: 'Chief', value: 'c', name_localizations: { de: 'Chef' } }],
            },
          ],
        },
      ],
    } as const;
    expect(shownTexts(command, 'de').map(({ path, text, reason }) => `${path.join('.')} ${text} ${reason}`)).toEqual([
      'name party default',
      'description Your party default',
      'options.0.name dazu own',
      'options.0.description Add default',
      'options.0.options.0.name rank default',
      'options.0.options.0.description Rank default',
      'options.0.options.0.choices.0.name Chef own',
    ]);
  });

  it('leave out a description that is empty', () => {
    expect(shownTexts({ type: 2, name: 'Invite', description: '' }, 'de').map(({ path }) => path)).toEqual([['name']]);
  });
});

describe('the fallbacks of a command', () => {
  const options = [{ type: 3, name: 'rank', description: 'Rank', name_localizations: { 'en-GB': 'grade' } }] as const;

  it('are the texts that readers see in another locale than their own and than the default', () => {
    const command = { name: 'color', description: 'x', name_localizations: { 'en-GB': 'colour' }, options } as const;
    expect(shownFallbacks(command, 'en-US')).toEqual([
      { path: ['name'], text: 'colour', reason: 'fallback', from: 'en-GB' },
      { path: ['options', '0', 'name'], text: 'grade', reason: 'fallback', from: 'en-GB' },
    ]);
  });

  it('leave out texts in the reader’s own locale, defaults, and fallbacks that say the same as the default', () => {
    const same = { name: 'color', description: 'x', name_localizations: { 'en-GB': 'color' } };
    const own = { name: 'color', description: 'x', name_localizations: { 'en-GB': 'colour', 'en-US': 'shade' } };
    for (const command of [same, own]) expect(shownFallbacks(command, 'en-US')).toEqual([]);
    expect(shownFallbacks({ name: 'color', description: 'x' }, 'en-US')).toEqual([]);
  });
});
