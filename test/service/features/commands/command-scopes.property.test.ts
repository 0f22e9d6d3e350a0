import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Command, CommandType } from '../../../../src/model/command.ts';
import { allChannelsId, type CommandOverwrite, everyoneId } from '../../../../src/model/overwrite.ts';
import { compareSnowflakes } from '../../../../src/model/snowflake.ts';
import { type Commands, createCommands } from '../../../../src/service/features/commands/commands.ts';
import {
  type CommandPermissions,
  createCommandPermissions,
} from '../../../../src/service/features/commands/permissions.ts';
import type { CommandPlace } from '../../../../src/service/features/commands/records.ts';
import { RequestError } from '../../../../src/service/support/request-error.ts';
import { patienceMs } from '../../../support/runs/soak.ts';
import { ada, applicationRecord, makeWorld, userRecord, worldRuns } from '../support.ts';

/**
 * The service's commands and their overwrites against a plain model of them: whatever is written, in whatever order and
 * to whichever scope, both hold the same afterwards and refuse the same.
 */

const game = applicationRecord('3', { embedded: true });
const guildIds = ['500', '600'] as const;
const places: readonly CommandPlace[] = [{}, ...guildIds.map(guildId => ({ guildId }))];

interface Draft {
  readonly type: CommandType;
  readonly name: string;
  readonly description: string;
}

interface Held extends Draft {
  readonly id: string;
  readonly version: string;
}

/** What the service should hold, written down as simply as it can be. */
class Model {
  readonly scopes: Held[][] = places.map(() => []);
  /** Guild and target → overwrites. */
  readonly overwrites = new Map<string, readonly CommandOverwrite[]>();
  readonly ids = new Set<string>();

  entryPoint(place: number): Held | undefined {
    return this.scopes[place]?.find(({ type }) => type === 4);
  }

  find(place: number, { type, name }: Pick<Draft, 'type' | 'name'>): Held | undefined {
    return this.scopes[place]?.find(held => held.type === type && held.name === name);
  }

  set(place: number, held: readonly Held[]): void {
    this.scopes[place] = [...held].sort((a, b) => compareSnowflakes(a.id, b.id));
  }

  dropOverwrites(id: string): void {
    for (const key of this.overwrites.keys()) if (key.endsWith(` ${id}`)) this.overwrites.delete(key);
  }
}

interface Real {
  readonly commands: Commands;
  readonly permissions: CommandPermissions;
}

type Step = (model: Model, real: Real) => Promise<void>;

async function outcome<T>(call: Promise<T>): Promise<{ readonly value?: T; readonly refused?: string }> {
  try {
    return { value: await call };
  } catch (error) {
    if (error instanceof RequestError) return { refused: error.reason };
    throw error;
  }
}

const shown = ({ id, version, type, name, description }: Command): Held => ({ id, version, type, name, description });
const content = ({ type, name, description }: Draft) => ({ type, name, description });
const isSame = (a: Draft, b: Draft) => JSON.stringify(content(a)) === JSON.stringify(content(b));
const isNewer = (after: Held, before: Held) => compareSnowflakes(after.version, before.version) > 0;

function expectNew(model: Model, command: Held): void {
  expect(model.ids.has(command.id)).toBe(false);
  expect(compareSnowflakes(command.version, command.id)).toBeGreaterThan(0);
  model.ids.add(command.id);
}

function create(place: number, draft: Draft): Step {
  return async (model, { commands }) => {
    const { value, refused } = await outcome(commands.create(game, places[place] ?? {}, draft));
    const existing = model.find(place, draft);
    if (draft.type === 4 && place > 0) return expect(refused).toBe('invalid_form_body');
    if (draft.type === 4 && !existing && model.entryPoint(place)) return expect(refused).toBe('too_many_commands');
    expect(refused).toBeUndefined();
    const made = shown(JSON.parse(value?.text ?? ''));
    expect(content(made)).toEqual(draft);
    expect(value?.created).toBe(!existing);
    if (existing) expect([made.id, isNewer(made, existing)]).toEqual([existing.id, true]);
    else expectNew(model, made);
    model.set(place, [...(model.scopes[place] ?? []).filter(held => held !== existing), made]);
  };
}

function edit(place: number, nth: number, change: { readonly name?: string; readonly description?: string }): Step {
  return async (model, { commands }) => {
    const scope = model.scopes[place] ?? [];
    const before = scope[nth % (scope.length + 1)];
    const { value, refused } = await outcome(commands.edit(game, places[place] ?? {}, before?.id ?? '1', change));
    if (!before) return expect(refused).toBe('unknown_command');
    const wanted = { ...content(before), ...change };
    const taken = model.find(place, wanted);
    if (taken && taken !== before) return expect(refused).toBe('command_name_taken');
    expect(refused).toBeUndefined();
    const after = shown(JSON.parse(value ?? ''));
    expect([after.id, content(after)]).toEqual([before.id, wanted]);
    if (isSame(before, wanted)) expect(after.version).toBe(before.version);
    else expect(isNewer(after, before)).toBe(true);
    if (after.name !== before.name) model.dropOverwrites(before.id);
    model.set(place, [...scope.filter(held => held !== before), after]);
  };
}

function remove(place: number, nth: number): Step {
  return async (model, { commands }) => {
    const scope = model.scopes[place] ?? [];
    const gone = scope[nth % (scope.length + 1)];
    const { refused } = await outcome(commands.remove(game, places[place] ?? {}, gone?.id ?? '1'));
    expect(refused).toBe(gone ? undefined : 'unknown_command');
    if (!gone) return;
    model.dropOverwrites(gone.id);
    model.set(
      place,
      scope.filter(held => held !== gone),
    );
  };
}

/** @param items each with the place in the scope of the command whose id it names, if any */
function replaceAll(place: number, items: readonly (Draft & { readonly of: number | null })[]): Step {
  return async (model, { commands }) => {
    const scope = model.scopes[place] ?? [];
    const named = items.map(({ of, ...draft }) => ({ draft, held: of === null ? undefined : scope[of] }));
    const body = named.map(({ draft, held }) => ({ ...draft, ...(held && { id: held.id }) }));
    const { value, refused } = await outcome(commands.replaceAll(game, places[place] ?? {}, body));
    const keys = body.map(({ type, name }) => `${type} ${name}`);
    const givenIds = body.flatMap(({ id }) => (id === undefined ? [] : [id]));
    const entryPoints = body.filter(({ type }) => type === 4).length;
    const isDoubled = new Set(keys).size < keys.length || new Set(givenIds).size < givenIds.length;
    if (isDoubled || (place > 0 && entryPoints > 0)) return expect(refused).toBe('invalid_form_body');
    if (entryPoints > 1) return expect(refused).toBe('too_many_commands');
    if (entryPoints === 0 && model.entryPoint(place)) return expect(refused).toBe('entry_point_missing');
    expect(refused).toBeUndefined();

    const byId = named.map(({ draft, held }) => (held?.type === draft.type ? held : undefined));
    const free = scope.filter(held => !byId.includes(held));
    const before = named.map(
      ({ draft }, i) => byId[i] ?? free.find(one => one.type === draft.type && one.name === draft.name),
    );
    const after: Held[] = (JSON.parse(value ?? '') as Command[]).map(shown);
    expect(after.map(content)).toEqual(named.map(({ draft }) => draft));
    for (const [i, command] of after.entries()) {
      const was = before[i];
      if (!was) expectNew(model, command);
      else if (isSame(was, command)) expect(command).toEqual(was);
      else expect([command.id, isNewer(command, was)]).toEqual([was.id, true]);
      if (was && was.name !== command.name) model.dropOverwrites(was.id);
    }
    for (const held of scope) if (!before.includes(held)) model.dropOverwrites(held.id);
    model.set(place, after);
  };
}

function overwrite(guild: number, place: number, nth: number, kinds: Kinds): Step {
  return async (model, { permissions: real }) => {
    const guildId = guildIds[guild] ?? '';
    const permissions = kinds.map(kind => entryOf(kind, guildId));
    const scope = model.scopes[place] ?? [];
    const target = nth === 0 ? game.id : scope[nth % (scope.length + 1)]?.id;
    const { refused } = await outcome(real.replace(game, guildId, target ?? '1', userRecord(ada), { permissions }));
    const isHere = target === game.id || place === 0 || place === guild + 1;
    if (target === undefined || !isHere) return expect(refused).toBe('unknown_command');
    expect(refused).toBeUndefined();
    if (permissions.length > 0) model.overwrites.set(`${guildId} ${target}`, permissions);
    else model.overwrites.delete(`${guildId} ${target}`);
  };
}

function entryOf(kind: Kinds[number], guildId: string): CommandOverwrite {
  if (kind === 'user') return { id: ada, type: 2, permission: false };
  if (kind === 'everyone') return { id: everyoneId(guildId), type: 1, permission: true };
  return { id: allChannelsId(guildId), type: 3, permission: false };
}

async function expectSame(model: Model, { commands, permissions }: Real): Promise<void> {
  for (const [i, place] of places.entries()) {
    const listed = JSON.parse(await commands.list(game, place, 'all')) as Command[];
    expect(listed.map(shown)).toEqual(model.scopes[i]);
    for (const held of model.scopes[i] ?? []) {
      expect(shown(JSON.parse(await commands.get(game, place, held.id)))).toEqual(held);
    }
  }
  for (const guildId of guildIds) {
    const listed = await permissions.list(game, guildId);
    const expected = [...model.overwrites].filter(([key]) => key.startsWith(`${guildId} `));
    expect(new Map(listed.map(one => [`${guildId} ${one.id}`, one.permissions]))).toEqual(new Map(expected));
  }
}

const place = fc.constantFrom(0, 0, 1, 2);
const nth = fc.nat({ max: 8 });
const name = fc.constantFrom('a', 'b', 'c', 'd');
const description = fc.constantFrom('one', 'two');
const draft: fc.Arbitrary<Draft> = fc
  .record({ type: fc.constantFrom<CommandType>(1, 1, 1, 2, 3, 4), name, description })
  .map(({ type, name, description }) => ({ type, name, description: type === 2 || type === 3 ? '' : description }));
const change = fc.record({ name }, { requiredKeys: [] });
const textChange = fc.record({ description }, { requiredKeys: [] });
const kinds = fc.subarray(['user', 'everyone', 'channels'] as const);
type Kinds = readonly ('user' | 'everyone' | 'channels')[];

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.tuple(place, draft).map(given => create(...given)), weight: 4 },
  { arbitrary: fc.tuple(place, nth, change).map(given => edit(...given)), weight: 2 },
  { arbitrary: fc.tuple(place, nth, textChange).map(given => editText(...given)), weight: 2 },
  { arbitrary: fc.tuple(place, nth).map(given => remove(...given)), weight: 1 },
  {
    arbitrary: fc
      .tuple(place, fc.array(fc.record({ draft, of: fc.option(nth, { nil: null }) }), { maxLength: 5 }))
      .map(([at, items]) =>
        replaceAll(
          at,
          items.map(({ draft, of }) => ({ ...draft, of })),
        ),
      ),
    weight: 3,
  },
  {
    arbitrary: fc.tuple(fc.nat({ max: 1 }), place, nth, kinds).map(given => overwrite(...given)),
    weight: 3,
  },
);

/** A description is for the kinds that have one. */
function editText(at: number, which: number, given: { readonly description?: string }): Step {
  return async (model, real) => {
    const scope = model.scopes[at] ?? [];
    const { type } = scope[which % (scope.length + 1)] ?? {};
    await edit(at, which, type === 2 || type === 3 ? {} : given)(model, real);
  };
}

it(
  'the service holds what the model holds after any writes to any scope, and rejects what it rejects',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30, size: 'max' }), async steps => {
        const real = await openReal();
        const model = new Model();
        for (const run of steps) {
          await run(model, real);
          await expectSame(model, real);
        }
      }),
      { numRuns: worldRuns(100) },
    );
  },
  patienceMs,
);

it(
  'a bulk write does what the same edits do one by one',
  async () => {
    const set = fc.uniqueArray(draft, {
      selector: ({ type, name }) => (type === 4 ? '4' : `${type} ${name}`),
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(set, set, async (first, second) => {
        const [atOnce, oneByOne] = [await openReal(), await openReal()];
        const wanted = keepEntryPoint(first, second);
        for (const { commands } of [atOnce, oneByOne]) await commands.replaceAll(game, {}, first);
        await atOnce.commands.replaceAll(game, {}, wanted);

        const before = await listed(oneByOne);
        for (const held of before) {
          if (!wanted.some(one => one.type === held.type && one.name === held.name)) {
            await oneByOne.commands.remove(game, {}, held.id);
          }
        }
        for (const one of wanted) {
          const held = before.find(({ type, name }) => type === one.type && name === one.name);
          if (held) await oneByOne.commands.edit(game, {}, held.id, content(one));
          else await oneByOne.commands.create(game, {}, one);
        }

        const kept = (commands: readonly Held[]) => commands.filter(({ id }) => before.some(held => held.id === id));
        const [a, b] = [await listed(atOnce), await listed(oneByOne)];
        expect(a.map(content)).toEqual(b.map(content));
        expect(kept(a).map(({ id }) => id)).toEqual(kept(b).map(({ id }) => id));
        const unchanged = (commands: readonly Held[]) =>
          before.map(({ id, version }) => commands.find(one => one.id === id)?.version === version);
        expect(unchanged(a)).toEqual(unchanged(b));
      }),
      { numRuns: worldRuns(100) },
    );
  },
  patienceMs,
);

it('a command that is deleted while its overwrites are set leaves no overwrites behind', async () => {
  for (let round = 0; round < worldRuns(20); round++) {
    const { commands, permissions } = await openReal();
    const { text } = await commands.create(game, {}, { name: 'a', description: 'one' });
    const { id } = JSON.parse(text) as Command;
    const body = { permissions: [entryOf('everyone', '500')] };
    const set = () => outcome(permissions.replace(game, '500', id, userRecord(ada), body));
    const drop = () => outcome(commands.remove(game, {}, id));
    await Promise.all(round % 2 === 0 ? [set(), drop()] : [drop(), set()]);
    expect(await permissions.list(game, '500')).toEqual([]);
  }
});

/** An entry point that is there must be in the list: under its name, for it cannot be created anew meanwhile. */
function keepEntryPoint(first: readonly Draft[], second: readonly Draft[]): readonly Draft[] {
  const entry = first.find(({ type }) => type === 4);
  return entry ? [...second.filter(({ type }) => type !== 4), entry] : second;
}

async function listed({ commands }: Real): Promise<readonly Held[]> {
  return (JSON.parse(await commands.list(game, {}, 'all')) as Command[]).map(shown);
}

async function openReal(): Promise<Real> {
  const { core } = await makeWorld();
  await core.store.transact('world', transaction => {
    transaction.put('applications', game);
    for (const id of guildIds) {
      const rest = { name: 'Guild', locale: 'de', roles: [], channels: [] };
      transaction.put('guilds', { id, owner_id: ada, applications: [game.id], ...rest });
      transaction.put('guild_members', { guild_id: id, user_id: ada, roles: [], nick: null, joined_at_ms: 0 });
    }
  });
  return { commands: createCommands(core), permissions: createCommandPermissions(core) };
}
