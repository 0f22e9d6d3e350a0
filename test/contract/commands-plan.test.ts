import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Backend,
  type BackendOptions,
  type CommandInput,
  createBackend,
  type DeployProgress,
  type DesiredCommand,
  type Plan,
  type SyncState,
  TransportError,
  ValidationError,
} from '../../src/backend/index.ts';
import { commandKey, commandTypes } from '../../src/model/command.ts';
import { type LimitProfile, limitProfiles } from '../../src/model/limits/limit-profiles.ts';
import { limits } from '../../src/model/limits/limits.ts';
import { diffCommand } from '../../src/model/rules/commands/command-diff.ts';
import { type Service, startService } from '../../src/service/service.ts';
import { VirtualClock } from '../../src/wire/clock/virtual-clock.ts';
import { elapse } from '../support/clock/elapse.ts';
import { arbitraryCommand } from '../support/commands/arbitrary-command.ts';
import { times } from '../support/commands/command-samples.ts';
import { faults } from '../support/commands/issues.ts';
import { starfall } from '../support/service/starfall.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;
const { CHAT_INPUT, USER, PRIMARY_ENTRY_POINT } = commandTypes;

let service: Service;
let backend: Backend;

function backendOf({ apiBase }: Service, options: Partial<BackendOptions> = {}): Backend {
  return createBackend({
    applicationId: application.id,
    botToken: application.bot_token,
    baseUrl: apiBase,
    globalLimit: 'off',
    ...options,
  });
}

beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off' });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.reset();
  backend = backendOf(service);
  // The entry point that comes with an Activity has tests of its own.
  for (const { id } of await backend.commands.list()) await backend.commands.delete(id);
  return () => backend.close();
});

const chat = (name: string, description = name): DesiredCommand => ({ name, description });

/** `edit rally` lines, one for each command. */
const actions = ({ items }: Pick<Plan, 'items'>) => items.map(({ action, name }) => `${action} ${name}`);
const codes = ({ warnings }: Plan) => warnings.map(({ code, command }) => (command ? `${code} ${command.name}` : code));
const names = (commands: readonly { readonly name: string }[]) => commands.map(({ name }) => name).sort();

async function deployed(scope: Backend['commands'], desired: readonly DesiredCommand[]): Promise<Plan> {
  return scope.deploy(await scope.plan(desired));
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** What was sent to commands since this was called. */
async function watchWrites(of = service): Promise<() => Promise<string[]>> {
  const read = async (after: number) => {
    const headers = { authorization: `Bearer ${of.controlToken}` };
    const answer = await fetch(`${of.controlBase}/log?after=${after}`, { headers });
    return (await answer.json()) as { next: number; entries: { kind: string; route?: string; status?: number }[] };
  };
  const { next } = await read(0);
  return async () =>
    (await read(next)).entries
      .filter(({ kind, route }) => kind === 'request' && route !== undefined && !/^(list|get)/.test(route))
      .map(({ route, status }) => `${route} ${status}`);
}

/** Valid sets: no name twice, one entry point at most. */
const arbitrarySet = fc.uniqueArray(arbitraryCommand(), { selector: commandKey, maxLength: 5 }).map(commands => {
  const [, ...others] = commands.filter(({ type }) => type === PRIMARY_ENTRY_POINT);
  return commands.filter(command => !others.includes(command));
});

describe.each([
  ['global commands', () => backend.commands],
  ['commands of a guild', () => backend.commands.inGuild(guild.id)],
])('plans for %s', (title, scope) => {
  const isGlobal = title === 'global commands';
  const fits = ({ type }: CommandInput) => isGlobal || type !== PRIMARY_ENTRY_POINT;

  it('find nothing to do for any valid command the service has registered', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCommand().filter(fits), async input => {
        const { command } = await scope().create(input);
        const listed = await scope().list({ withLocalizations: true });
        const context = { scope: isGlobal ? 'global' : 'guild' } as const;
        for (const answer of [command, ...listed]) expect(diffCommand(answer, input, context)).toEqual([]);
        expect((await scope().plan([input])).isInSync).toBe(true);
        await scope().delete(command.id);
      }),
      { numRuns: 150 },
    );
  });

  it('make any valid set out of any other, keep the ids of what stays, and then find nothing to do', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySet, arbitrarySet, async (before, after) => {
        const kept = new Map<string, string>();
        for (const set of [before.filter(fits), after.filter(fits)]) {
          expect((await scope().deploy(await scope().plan(set))).isInSync).toBe(true);
          expect((await scope().plan(set)).isInSync).toBe(true);
          for (const command of await scope().list()) {
            expect(kept.get(commandKey(command)) ?? command.id).toBe(command.id);
            kept.set(commandKey(command), command.id);
          }
          for (const key of kept.keys()) if (!set.some(each => commandKey(each) === key)) kept.delete(key);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('say what is created, edited, left and deleted, field by field', async () => {
    await scope().deploy(await scope().plan([chat('a'), chat('b'), chat('c')]));
    const plan = await scope().plan([chat('a', 'New'), chat('b'), chat('d')]);
    expect(actions(plan)).toEqual(['edit a', 'leave b', 'create d', 'delete c']);
    expect(plan).toMatchObject({ creates: 1, isInSync: false, place: isGlobal ? {} : { guildId: guild.id } });
    expect(plan.items[0]).toMatchObject({ changes: [{ path: ['description'], before: 'a', after: 'New' }] });
  });

  it('name every fault of every definition by its index, and send nothing', async () => {
    const writes = await watchWrites();
    const error = await failureOf(scope().plan([chat('a'), chat('B'), { name: 'c', nsfw: 1 as never }]));
    expect(error).toBeInstanceOf(ValidationError);
    expect(faults((error as ValidationError).issues)).toEqual([
      '1.name APPLICATION_COMMAND_INVALID_NAME',
      '2.description BASE_TYPE_REQUIRED',
      '2.nsfw BOOLEAN_TYPE_CONVERT',
    ]);
    expect(await writes()).toEqual([]);
  });
});

describe('a deploy', () => {
  it('of an unchanged set sends no write', async () => {
    const set = [chat('a'), { ...chat('b'), contexts: [1, 0] as const, dm_permission: false }];
    await deployed(backend.commands, set);
    const writes = await watchWrites();
    expect((await deployed(backend.commands, set)).isInSync).toBe(true);
    expect(await writes()).toEqual([]);
  });

  it('sends one call for one change, of the kind it is', async () => {
    const writes = await watchWrites();
    await deployed(backend.commands, [chat('a')]);
    await deployed(backend.commands, [chat('a', 'New')]);
    await deployed(backend.commands, []);
    expect(await writes()).toEqual(['createGlobalCommand 201', 'editGlobalCommand 200', 'deleteGlobalCommand 204']);
  });

  it('sends one call for several changes', async () => {
    await deployed(backend.commands, [chat('a'), chat('b'), chat('c')]);
    const before = await backend.commands.list();
    const writes = await watchWrites();
    await deployed(backend.commands, [chat('a', 'New'), chat('b'), chat('d')]);
    expect(await writes()).toEqual(['replaceGlobalCommands 200']);
    const after = await backend.commands.list();
    expect(after.find(({ name }) => name === 'a')?.id).toBe(before.find(({ name }) => name === 'a')?.id);
    // What did not change was not touched.
    expect(after.find(({ name }) => name === 'b')).toEqual(before.find(({ name }) => name === 'b'));
  });

  it('renames by former name or id, and keeps the id', async () => {
    await deployed(backend.commands, [chat('a'), chat('b')]);
    const before = await backend.commands.list();
    const idOf = (name: string) => before.find(command => command.name === name)?.id ?? '';
    const desired = [
      { ...chat('x', 'a'), formerName: 'a' },
      { ...chat('y', 'b'), id: idOf('b') },
    ];
    const plan = await backend.commands.plan(desired);
    expect(actions(plan)).toEqual(['edit x', 'edit y']);
    expect(plan.creates).toBe(0);
    expect(codes(plan)).toEqual(['permissions_lost x', 'permissions_lost y']);
    await backend.commands.deploy(plan);
    const after = await backend.commands.list();
    expect(after.map(({ id, name }) => [id, name])).toEqual([
      [idOf('a'), 'x'],
      [idOf('b'), 'y'],
    ]);
    // The former name may stay in the definition.
    expect((await backend.commands.plan(desired)).isInSync).toBe(true);
  });

  it('swaps two names in one call', async () => {
    await deployed(backend.commands, [chat('a'), chat('b')]);
    const [a, b] = await backend.commands.list();
    await deployed(backend.commands, [
      { ...chat('b', 'a'), id: a?.id ?? '' },
      { ...chat('a', 'b'), id: b?.id ?? '' },
    ]);
    expect((await backend.commands.list()).map(({ id, name }) => [id, name])).toEqual([
      [a?.id, 'b'],
      [b?.id, 'a'],
    ]);
  });

  it('leaves an entry point alone that no definition mentions, and says so', async () => {
    await backend.commands.create({ type: PRIMARY_ENTRY_POINT, name: 'Launch', description: 'Play' });
    const plan = await backend.commands.plan([chat('a'), chat('b')]);
    expect(codes(plan)).toEqual(['entry_point_missing Launch']);
    await backend.commands.deploy(plan);
    expect(names(await backend.commands.list())).toEqual(['Launch', 'a', 'b']);
  });

  it('edits the entry point under any name, since there is one', async () => {
    await backend.commands.create({ type: PRIMARY_ENTRY_POINT, name: 'Launch', description: 'Play' });
    const plan = await backend.commands.plan([
      { type: PRIMARY_ENTRY_POINT, name: 'Play', description: 'Play', handler: 1 },
    ]);
    expect(actions(plan)).toEqual(['edit Play']);
    await backend.commands.deploy(plan);
    expect(await backend.commands.list()).toMatchObject([{ name: 'Play', handler: 1 }]);
  });

  it('fills a scope to its cap of 100 and 15, and replaces one there', async () => {
    const full = [
      ...times(limits.commandsPerScope[CHAT_INPUT], i => chat(`c${i}`)),
      ...times(limits.commandsPerScope[USER], i => ({ type: USER, name: `U ${i}` })),
    ];
    await deployed(backend.commands, full);
    const left = await deployed(backend.commands, [...full.slice(1), chat('another')]);
    expect(left).toMatchObject({ isInSync: true });
    expect(left.items).toHaveLength(full.length);
  });

  it('rejects the 101st command before it writes anything, as the plan has warned', async () => {
    const plan = await backend.commands.plan(times(limits.commandsPerScope[CHAT_INPUT] + 1, i => chat(`c${i}`)));
    expect(codes(plan)).toEqual(['too_many_commands']);
    expect(await failureOf(backend.commands.deploy(plan))).toMatchObject({ code: 'plan_blocked' });
    expect(await failureOf(backend.commands.deploy([] as never))).toMatchObject({
      code: 'invalid_argument',
      message: 'plan must be what plan() has resolved with. Pass definitions to plan() first.',
    });
    expect(await backend.commands.list()).toEqual([]);
  });

  it('rejects a plan that something else has overtaken, and writes nothing', async () => {
    const plan = await backend.commands.plan([chat('a')]);
    await backend.commands.create(chat('b'));
    expect(await failureOf(backend.commands.deploy(plan))).toMatchObject({
      code: 'plan_outdated',
      message: expect.stringContaining('delete b'),
    });
    expect(names(await backend.commands.list())).toEqual(['b']);
  });

  it('rejects a plan for another place', async () => {
    const plan = await backend.commands.inGuild(guild.id).plan([chat('a')]);
    expect(await failureOf(backend.commands.deploy(plan))).toMatchObject({ code: 'plan_elsewhere' });
    expect(await backend.commands.list()).toEqual([]);
  });

  it('continues where one broke off', async () => {
    const plan = await backend.commands.plan([chat('a'), chat('b'), chat('c')]);
    await backend.commands.create(chat('b'));
    expect((await backend.commands.deploy(plan)).isInSync).toBe(true);
    expect(names(await backend.commands.list())).toEqual(['a', 'b', 'c']);
  });

  it('resets contexts in a PATCH, also where a stored dm_permission is hidden behind them', async () => {
    await backend.commands.create({ ...chat('a'), dm_permission: false });
    await deployed(backend.commands, [{ ...chat('a'), contexts: [0, 1] }]);
    await deployed(backend.commands, [chat('a')]);
    expect(await backend.commands.list()).toMatchObject([{ contexts: null, dm_permission: true }]);
  });

  it('clears options, translations and permissions that the definition no longer has', async () => {
    const options = [{ type: 3 as const, name: 'map', description: 'Where' }];
    await deployed(backend.commands, [
      { ...chat('a'), options, name_localizations: { de: 'x' }, default_member_permissions: '8', nsfw: true },
    ]);
    await deployed(backend.commands, [chat('a')]);
    const [command] = await backend.commands.list({ withLocalizations: true });
    expect(command).toMatchObject({ name_localizations: null, default_member_permissions: null, nsfw: false });
    expect(command).not.toHaveProperty('options');
  });

  it('keeps the installation types of a command whose definition names none', async () => {
    await backend.commands.create({ ...chat('a'), integration_types: [1] });
    await deployed(backend.commands, [chat('a', 'New'), chat('b')]);
    await deployed(backend.commands, [chat('a', 'Newer'), chat('b')]);
    expect((await backend.commands.list())[0]).toMatchObject({ description: 'Newer', integration_types: [1] });
  });

  it('gives up when its signal says so', async () => {
    const plan = await backend.commands.plan([chat('a')]);
    const signal = AbortSignal.abort();
    expect(await failureOf(backend.commands.deploy(plan, { signal }))).toBeInstanceOf(TransportError);
    expect(await backend.commands.list()).toEqual([]);
  });
});

describe('warnings of a plan', () => {
  it('warn of a visible fallback, until the default is given under its own locale', async () => {
    const color = { name: 'color', description: 'Color', description_localizations: { 'en-GB': 'Colour' } };
    expect(codes(await backend.commands.plan([color]))).toEqual(['fallback_shows color']);
    const both = { ...color, description_localizations: { 'en-GB': 'Colour', 'en-US': 'Color' } };
    expect(codes(await backend.commands.plan([both]))).toEqual([]);
    expect((await deployed(backend.commands, [both])).isInSync).toBe(true);
    const spanish = { ...chat('a'), name_localizations: { 'es-ES': 'b' } };
    expect((await backend.commands.plan([spanish])).warnings[0]?.message).toContain('Readers of es-419 see the es-ES');
  });

  it('say nothing of a fallback equal to the default', async () => {
    expect(codes(await backend.commands.plan([{ ...chat('a'), name_localizations: { 'en-GB': 'a' } }]))).toEqual([]);
  });
});

describe('what is known of the commands, live', () => {
  it('begins with the first reading and follows every write', async () => {
    const seen: string[][] = [];
    const watching = backend.commands.commands$.subscribe(commands => seen.push(names(commands)));
    await backend.commands.create(chat('before'));
    expect(seen).toEqual([]);
    await backend.commands.list({ withLocalizations: true });
    const { command } = await backend.commands.create(chat('a'));
    await backend.commands.edit(command, { name: 'b' });
    await backend.commands.delete(command.id);
    await backend.commands.replaceAll([chat('c')]);
    await backend.commands.list({ withLocalizations: true });
    expect(seen).toEqual([['before'], ['a', 'before'], ['b', 'before'], ['before'], ['c']]);
    let late: string[] = [];
    backend.commands.commands$.subscribe(commands => (late = names(commands))).unsubscribe();
    expect(late).toEqual(['c']);
    watching.unsubscribe();
  });

  it('is idle, planning, drifted, applying and in sync in turn', async () => {
    const states: string[] = [];
    backend.commands.sync$.subscribe(state => states.push(describeState(state)));
    await backend.commands.deploy(await backend.commands.plan([chat('a')]));
    expect(states).toEqual(['idle', 'planning', 'drifted', 'applying 0/1 create a', 'applying 1/1', 'inSync']);
  });

  it('shows a failure and continues; the stream never errors and ends with the backend', async () => {
    const states: string[] = [];
    let ended = 0;
    const error = () => states.push('ERROR');
    backend.commands.sync$.subscribe({ next: state => states.push(state.state), error, complete: () => ended++ });
    await failureOf(backend.commands.plan([chat('A')]));
    await backend.commands.plan([]);
    const own = backendOf(service, { botToken: 'wrong' });
    own.commands.sync$.subscribe({ next: state => states.push(state.state), error, complete: () => ended++ });
    await failureOf(own.commands.plan([]));
    expect(states).toEqual(['idle', 'planning', 'failed', 'planning', 'inSync', 'idle', 'planning', 'failed']);
    backend.close();
    own.close();
    expect(ended).toBe(2);
  });

  it('is the same object for the same guild', () => {
    expect(backend.commands.inGuild(guild.id)).toBe(backend.commands.inGuild(guild.id));
  });
});

describe('what a locale sees of the registered commands', () => {
  it('names the reason for every text that is shown', async () => {
    await deployed(backend.commands, [{ ...chat('a', 'Color'), description_localizations: { 'en-GB': 'Colour' } }]);
    const [resolved] = await backend.commands.resolve('en-US');
    expect(resolved?.command.name).toBe('a');
    expect(resolved?.texts).toEqual([
      { path: ['name'], text: 'a', reason: 'default' },
      { path: ['description'], text: 'Colour', reason: 'fallback', from: 'en-GB' },
    ]);
  });
});

describe('a deploy against limits', () => {
  const tight = (buckets: LimitProfile['buckets']): LimitProfile => ({ ...limitProfiles.off, buckets });

  async function withLimits(
    profile: LimitProfile,
    work: (backend: Backend, clock: VirtualClock, own: Service) => Promise<void>,
  ) {
    const fixtures = { ...starfall, applications: [{ ...application, embedded: false }] };
    const own = await startService({ fixtures, limits: profile, clock: 'virtual' });
    const clock = new VirtualClock(own.clock.now());
    // One time for both sides: what moves the backend's clock moves the service's.
    const advance = clock.advance.bind(clock);
    clock.advance = async ms => {
      await own.clock.advance(ms);
      return advance(ms);
    };
    const limited = backendOf(own, { clock });
    try {
      await work(limited, clock, own);
    } finally {
      limited.close();
      await own.close();
    }
  }

  it('waits for a window to pass and says how long', async () => {
    await withLimits(tight({ 'command-bulk': { requests: 1, windowMs: 60_000 } }), async ({ commands }, clock) => {
      await commands.deploy(await commands.plan([chat('a'), chat('b')]));
      const told: DeployProgress[] = [];
      const plan = await commands.plan([chat('c'), chat('d')]);
      const left = commands.deploy(plan, { onProgress: progress => told.push(progress) });
      expect((await elapse(clock, left, 90_000, 1000)).isInSync).toBe(true);
      expect(told.some(({ waitingMs }) => waitingMs !== undefined && waitingMs > 30_000)).toBe(true);
      expect(told.at(-1)).toEqual({ done: 1, total: 1 });
    });
  });

  const oneBulkWrite = tight({ 'command-bulk': { requests: 1, windowMs: 60_000 } });

  /** Resolves with a deploy once it waits for a limit. */
  async function waitingDeploy({ commands }: Backend): Promise<{ readonly outcome: Promise<unknown> }> {
    await commands.deploy(await commands.plan([chat('a'), chat('b')]));
    const plan = await commands.plan([chat('c'), chat('d')]);
    return new Promise(resolve => {
      const onProgress = ({ waitingMs }: DeployProgress) => waitingMs && resolve({ outcome });
      const outcome = failureOf(commands.deploy(plan, { onProgress }));
    });
  }

  it('ends its wait when the backend is closed', async () => {
    await withLimits(oneBulkWrite, async limited => {
      const { outcome } = await waitingDeploy(limited);
      await limited.close();
      expect(await outcome).toMatchObject({ code: 'aborted' });
    });
  });

  it('holds up no other plan or deploy beyond its deadline or signal', async () => {
    await withLimits(oneBulkWrite, async (limited, clock) => {
      const { outcome } = await waitingDeploy(limited);
      const { commands } = limited;
      const leaving = new AbortController();
      const plan = await backend.commands.plan([]);
      const behind = [
        commands.plan([], { deadlineMs: 100 }),
        commands.plan([], { signal: leaving.signal }),
        commands.deploy(plan, { signal: leaving.signal }),
      ].map(failureOf);
      leaving.abort();
      await clock.advance(100);
      expect(await Promise.all(behind)).toMatchObject([
        { code: 'deadline_exceeded' },
        { code: 'aborted' },
        { code: 'aborted' },
      ]);
      expect(await elapse(clock, outcome, 90_000, 1000)).toBeUndefined();
      expect(names(await commands.list())).toEqual(['c', 'd']);
    });
  });

  it('throws a limit that outlasts its patience', async () => {
    await withLimits(tight({ 'command-bulk': { requests: 1, windowMs: 60_000 } }), async ({ commands }) => {
      await commands.deploy(await commands.plan([chat('a'), chat('b')]));
      const plan = await commands.plan([chat('c'), chat('d')]);
      expect(await failureOf(commands.deploy(plan, { rateLimitWaitMs: 10_000 }))).toMatchObject({
        code: 'rate_limited',
      });
    });
  });

  const fewCreates = tight({ 'command-create': { requests: 3, windowMs: 3 * 432_000 } });

  it('continues one by one while the day’s creates come back: edits first, deletes last', async () => {
    await withLimits(fewCreates, async ({ commands }, clock, own) => {
      await commands.deploy(await commands.plan([chat('a'), chat('b')]));
      const writes = await watchWrites(own);
      const plan = await commands.plan([chat('a', 'New'), chat('c'), chat('d')]);
      const steps: string[] = [];
      const onProgress = ({ current, waitingMs }: DeployProgress) =>
        steps.push(
          `${waitingMs ? 'wait ' : ''}${typeof current === 'object' ? `${current.action} ${current.name}` : current}`,
        );
      expect((await elapse(clock, commands.deploy(plan, { onProgress }), 900_000, 10_000)).isInSync).toBe(true);
      expect(steps).toEqual(['all', 'edit a', 'create c', 'create d', 'wait create d', 'delete b', 'undefined']);
      expect(await writes()).toContain('replaceGlobalCommands 429');
      expect(names(await commands.list())).toEqual(['a', 'c', 'd']);
    });
  });

  it('broken off in the middle, is finished by the same plan or by a new one', async () => {
    await withLimits(fewCreates, async ({ commands }, clock) => {
      await commands.deploy(await commands.plan([chat('a'), chat('b')]));
      const plan = await commands.plan([chat('a', 'New'), chat('c'), chat('d')]);
      const stop = new AbortController();
      const onProgress = ({ waitingMs }: DeployProgress) => waitingMs && stop.abort();
      const broken = await failureOf(elapse(clock, commands.deploy(plan, { signal: stop.signal, onProgress })));
      expect(broken).toMatchObject({ code: 'aborted' });
      expect(names(await commands.list())).toEqual(['a', 'b', 'c']);
      expect(actions(await commands.plan(plan.desired))).toEqual(['leave a', 'leave c', 'create d', 'delete b']);
      expect((await elapse(clock, commands.deploy(plan), 900_000, 10_000)).isInSync).toBe(true);
      expect(names(await commands.list())).toEqual(['a', 'c', 'd']);
    });
  });
});

function describeState(sync: SyncState): string {
  if (sync.state !== 'applying') return sync.state;
  const { done, total, current } = sync.progress;
  const what = typeof current === 'object' ? ` ${current.action} ${current.name}` : current ? ` ${current}` : '';
  return `applying ${done}/${total}${what}`;
}
