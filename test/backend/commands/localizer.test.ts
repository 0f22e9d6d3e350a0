import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defineCommand } from '../../../src/backend/commands/define.ts';
import { createLocalizer, loadLocalizations } from '../../../src/backend/commands/localizer.ts';
import { option } from '../../../src/backend/commands/option.ts';
import { ValidationError } from '../../../src/model/errors/errors.ts';
import { formatPath } from '../../../src/model/errors/issue.ts';
import type { DesiredCommand } from '../../../src/model/rules/commands/plan/desired.ts';

const rally = defineCommand(
  {
    name: 'rally',
    description: 'Calls your party together',
    options: [
      option.string('map', 'Where', {
        required: true,
        choices: [
          { name: 'Harbour', value: 'harbour' },
          { name: 'Keep', value: 'keep' },
        ],
      }),
      option.integer('size', 'How many', { choices: [{ name: 'Two', value: 2 }] }),
    ],
  },
  () => {},
);
const party = defineCommand({
  name: 'party',
  description: 'Your party',
  options: [option.subcommand('add', 'Add', [option.user('friend', 'Whom')])],
});
const invite = defineCommand({ type: 2, name: 'Invite' });

function faultsOf(texts: unknown): string[] {
  try {
    createLocalizer(texts)(all);
    return [];
  } catch (error) {
    return (error as ValidationError).issues.map(({ path, message }) => `${formatPath(path)}: ${message}`);
  }
}

const all: readonly DesiredCommand[] = [rally, party, invite];

function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'rallypoint-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('translations that live apart', () => {
  it('reach names and descriptions of commands, options on every level, and choices by their values', () => {
    const localize = createLocalizer({
      de: {
        rally: {
          name: 'sammeln',
          options: { map: { name: 'karte', choices: { harbour: 'Hafen' } }, size: { choices: { 2: 'Zwei' } } },
        },
        party: { options: { add: { description: 'Dazu', options: { friend: { name: 'freund' } } } } },
        Invite: { name: 'Einladen' },
      },
      fr: { rally: { description: 'Appelle' } },
    });
    const [one, two, three] = localize(all);
    expect(one).toMatchObject({
      name_localizations: { de: 'sammeln' },
      description_localizations: { fr: 'Appelle' },
      options: [
        { name_localizations: { de: 'karte' }, choices: [{ name_localizations: { de: 'Hafen' } }, { name: 'Keep' }] },
        { choices: [{ name_localizations: { de: 'Zwei' } }] },
      ],
    });
    expect(one?.options?.[0]?.choices?.[1]).toEqual({ name: 'Keep', value: 'keep' });
    expect(two?.options?.[0]).toMatchObject({
      description_localizations: { de: 'Dazu' },
      options: [{ name_localizations: { de: 'freund' } }],
    });
    expect(three).toMatchObject({ name_localizations: { de: 'Einladen' } });
  });

  it('leave handlers, what the definition says itself, and the definitions given as they are', () => {
    const own = { ...rally, name_localizations: { de: 'eigen' } };
    const [localized] = createLocalizer({ de: { rally: { name: 'sammeln' } }, fr: { rally: { name: 'rallier' } } })([
      own,
    ]);
    expect(localized?.name_localizations).toEqual({ de: 'eigen', fr: 'rallier' });
    expect(localized?.use).toBe(rally.use);
    expect(rally).not.toHaveProperty('name_localizations');
  });

  it('name every key that belongs to nothing', () => {
    expect(
      faultsOf({
        xx: {},
        de: {
          raly: {},
          rally: { nam: 'x', name: 7, options: { mapp: {}, map: { choices: { harbor: 'x' } } }, choices: { a: 'b' } },
          Invite: { description: 'x' },
        },
        fr: 'Bonjour',
      }),
    ).toEqual([
      'xx: There is no locale "xx"',
      'fr: The texts of a locale are an object: command → texts',
      'de.raly: There is no command "raly"',
      'de.rally.nam: "nam" is nothing to translate here',
      'de.rally.name: A translation is text',
      'de.rally.options.mapp: "rally" has no option "mapp"',
      'de.rally.options.map.choices.harbor: "map" has no choice of the value "harbor"',
      'de.rally.choices.a: "rally" has no choice of the value "a"',
      'de.Invite.description: "description" is nothing to translate here',
    ]);
    expect(faultsOf([])).toEqual(['(body): Translations are an object: locale → texts']);
  });

  it('take a name like "__proto__" for a name', () => {
    expect(faultsOf(JSON.parse('{"de":{"__proto__":{"name":"x"}}}'))).toEqual([
      'de.__proto__: There is no command "__proto__"',
    ]);
  });
});

describe('a folder of translations', () => {
  it('has a JSON file for each locale; others are passed over', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'de.json'), `\uFEFF${JSON.stringify({ rally: { name: 'sammeln' } })}`);
    writeFileSync(join(folder, 'README.md'), '');
    for (const source of [folder, pathToFileURL(folder)]) {
      expect((await loadLocalizations(source))(all)[0]?.name_localizations).toEqual({ de: 'sammeln' });
    }
  });

  it('names a file that is no locale’s when it is applied', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'pt_BR.json'), '{}');
    const localize = await loadLocalizations(folder);
    expect(() => localize([rally])).toThrow(ValidationError);
  });

  it('that cannot be read, or is not JSON, is an error that names the file', async () => {
    const folder = temporaryFolder();
    await expect(loadLocalizations(join(folder, 'none'))).rejects.toMatchObject({ code: 'unreadable_localizations' });
    writeFileSync(join(folder, 'de.json'), '{');
    await expect(loadLocalizations(folder)).rejects.toThrow('de.json is not JSON: line 1, column 2: ');
    mkdirSync(join(folder, 'fr.json'));
    await expect(loadLocalizations(folder)).rejects.toMatchObject({ code: 'unreadable_localizations' });
  });

  it('may be given as an object instead', async () => {
    expect((await loadLocalizations({ de: { rally: { name: 'x' } } }))(all)[0]?.name_localizations).toEqual({
      de: 'x',
    });
  });
});
