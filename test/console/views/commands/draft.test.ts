import { describe, expect, it } from 'vitest';
import { definitionOf, readDraft, setInText } from '../../../../src/console/views/commands/draft.ts';
import type { Command } from '../../../../src/model/command.ts';
import { checkCommand } from '../../../../src/model/rules/commands/command.ts';

const traits = { embedded: false, discoverable: false, integration_types: [0] } as const;
const context = { scope: 'global', traits } as const;
const stored: Command = {
  id: '11',
  application_id: '1',
  version: '12',
  default_member_permissions: null,
  type: 1,
  name: 'rally',
  name_localizations: { de: 'sammeln' },
  description: 'Calls your party',
  description_localizations: null,
  dm_permission: true,
  contexts: null,
  integration_types: [0],
  options: [{ type: 3, name: 'map', name_localizations: null, description: 'Where', description_localizations: null }],
  nsfw: false,
};

describe('readDraft', () => {
  it('reports what the rulebook finds, each issue at its line', () => {
    const draft = readDraft(
      '{\n  "name": "Rally!",\n  "description": "x",\n  "options": [\n    { "type": 3 }\n  ]\n}',
      context,
    );
    expect(draft.isValid).toBe(false);
    expect(draft.issues.map(({ path, code, place }) => [path.join('.'), code, place.line])).toEqual(
      expect.arrayContaining([
        ['name', 'APPLICATION_COMMAND_INVALID_NAME', 2],
        ['options.0.name', 'BASE_TYPE_REQUIRED', 5],
      ]),
    );
  });

  it('says where a text stops being JSON', () => {
    const draft = readDraft('{\n  "name": rally\n}', context);
    expect(draft.value).toBeUndefined();
    expect(draft.issues[0]).toMatchObject({ code: 'JSON', place: { line: 2 } });
  });

  it('rejects another type for a registered command', () => {
    const draft = readDraft('{"type": 2, "name": "Rally"}', { ...context, stored });
    expect(draft.issues.map(({ code }) => code)).toEqual(['TYPE_CHANGED']);
  });

  it('shows what it can of a command that is not valid yet', () => {
    expect(readDraft('{"name": "x", "options": [1, {"name": "a", "options": 5}]}', context).command).toMatchObject({
      name: 'x',
      options: [{ name: 'a' }],
    });
    expect(readDraft('[]', context).command).toBeUndefined();
  });
});

describe('definitionOf', () => {
  it('leaves out what only answers have, and defaults', () => {
    const definition = definitionOf(stored);
    expect(definition).toEqual({
      type: 1,
      name: 'rally',
      name_localizations: { de: 'sammeln' },
      description: 'Calls your party',
      integration_types: [0],
      options: [{ type: 3, name: 'map', description: 'Where' }],
    });
    expect(checkCommand(definition, context)).toEqual([]);
  });
});

describe('setInText', () => {
  it('sets, adds and removes fields, and keeps the order of the others', () => {
    const text = '{"name":"a","description":"b","options":[{"name":"x"},{"name":"y"}]}';
    expect(JSON.parse(setInText(text, ['name'], 'c'))).toMatchObject({ name: 'c', description: 'b' });
    expect(Object.keys(JSON.parse(setInText(text, ['name'], 'c')))).toEqual(['name', 'description', 'options']);
    expect(JSON.parse(setInText(text, ['options', 1, 'required'], true)).options[1]).toEqual({
      name: 'y',
      required: true,
    });
    expect(JSON.parse(setInText(text, ['options', 0], undefined)).options).toEqual([{ name: 'y' }]);
    expect(JSON.parse(setInText(text, ['description'], undefined))).not.toHaveProperty('description');
    expect(setInText('{"name"', ['name'], 'c')).toBe('{"name"');
  });
});
