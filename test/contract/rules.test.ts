import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Command, CommandType } from '../../src/model/command.ts';
import { apiErrors } from '../../src/model/errors/errors.ts';
import { type Issue, treeToIssues } from '../../src/model/errors/issue.ts';
import { limitProfiles } from '../../src/model/limits/limit-profiles.ts';
import { checkCommand, checkCommandEdit, checkCommandList } from '../../src/model/rules/commands/command.ts';
import { chatCommand } from '../support/commands/command-samples.ts';
import { faults } from '../support/commands/issues.ts';
import { behaviorCases } from './rules/behavior-cases.ts';
import type { CreateCase, EditCase, ReplaceCase, RuleCase, StoryCase } from './rules/case.ts';
import { fieldCases } from './rules/field-cases.ts';
import { localizationCases } from './rules/localization-cases.ts';
import { namingCases } from './rules/naming-cases.ts';
import { optionCases } from './rules/option-cases.ts';
import { commandRules } from './rules/rules.ts';
import { guildId, RuleWorld, traits } from './rules/world.ts';
import { writeCases } from './rules/write-cases.ts';

const cases: readonly RuleCase[] = [
  ...fieldCases,
  ...optionCases,
  ...namingCases,
  ...behaviorCases,
  ...localizationCases,
  ...writeCases,
];

/** What has cases of its own below, because it needs limits. */
const limited = ['limit creates', 'limit global rate'];

const named = <Kind extends RuleCase['kind']>(kind: Kind) =>
  cases
    .filter((one): one is Extract<RuleCase, { kind: Kind }> => one.kind === kind)
    .map(one => [`${one.rule}: ${one.says}`, one] as const);

/** What the service found: the leaves of its answer, in any order; none when it took the body. */
function found({ status, body }: { readonly status: number; readonly body: unknown }): string[] {
  if (status < 300) return [];
  const { code, errors } = body as { code: number; errors?: unknown };
  if (code !== apiErrors.invalid_form_body.code) return [`${status} ${code}`];
  return faults(treeToIssues(errors)).sort();
}

const judged = (issues: readonly Issue[]) => [faults(issues), faults(issues).sort()];

describe('the rules of the interface for commands', () => {
  let world: RuleWorld;
  beforeAll(async () => {
    world = await RuleWorld.open();
  });
  afterAll(() => world.close());

  it('have a case each', () => {
    const covered = new Set<string>([...cases.map(({ rule }) => rule), ...limited]);
    expect(Object.keys(commandRules).filter(rule => !covered.has(rule))).toEqual([]);
  });

  describe('on a command', () => {
    it.each(named('create'))('%s', async (_, one: CreateCase) => {
      const { body, application = 'game', scope = 'global' } = one;
      const [inOrder, sorted] = judged(checkCommand(body, { scope, traits: traits[application] }));
      expect(inOrder).toEqual(one.faults);
      const path = scope === 'global' ? '/commands' : `/guilds/${guildId}/commands`;
      if ((body as { type?: number }).type === 4) await removeEntryPoint();
      const answer = await world.call('POST', path, body, application);
      expect(found(answer)).toEqual(sorted);
      if (answer.status < 300)
        await world.call('DELETE', `${path}/${(answer.body as Command).id}`, undefined, application);
    });

    async function removeEntryPoint(): Promise<void> {
      for (const { id, type } of await world.list()) if (type === 4) await world.call('DELETE', `/commands/${id}`);
    }
  });

  describe('on an edit', () => {
    const stored: Readonly<Record<CommandType, unknown>> = {
      1: chatCommand(),
      2: { type: 2, name: 'Inspect' },
      3: { type: 3, name: 'Report' },
      4: { type: 4, name: 'Launch', description: 'Play' },
    };

    it.each(named('edit'))('%s', async (_, { type, body, faults: expected }: EditCase) => {
      const [inOrder, sorted] = judged(checkCommandEdit(body, { scope: 'global', traits: traits.game, type }));
      expect(inOrder).toEqual(expected);
      const { id } = await world.create(stored[type]);
      expect(found(await world.call('PATCH', `/commands/${id}`, body))).toEqual(sorted);
      await world.call('DELETE', `/commands/${id}`);
    });
  });

  describe('on a whole list', () => {
    it.each(named('replace'))('%s', async (_, { body, faults: expected }: ReplaceCase) => {
      const [inOrder, sorted] = judged(checkCommandList(body, { scope: 'global', traits: traits.plain }));
      expect(inOrder).toEqual(expected);
      expect(found(await world.call('PUT', '/commands', body, 'plain'))).toEqual(sorted);
      await world.clear('plain');
    });
  });

  describe('beyond a body', () => {
    afterEach(async () => {
      for (const application of ['game', 'plain'] as const) await world.clear(application);
    });

    it.each(named('story'))('%s', async (_, { model, http, expected }: StoryCase) => {
      if (model) expect(model()).toEqual(expected);
      expect(await http(world)).toEqual(expected);
    });
  });
});

describe('the limits of the interface for commands', () => {
  const standard = limitProfiles.standard.buckets;

  it('limit creates: 199, 200 and 201 a day, for each guild', async () => {
    const world = await RuleWorld.open(['command-create']);
    const perDay = standard['command-create']?.requests ?? 0;
    const create = async (i: number, scope: string) => {
      const { status, body } = await world.call('POST', scope, chatCommand({ name: `n${i}` }), 'plain');
      if (status === 201) await world.call('DELETE', `${scope}/${(body as Command).id}`, undefined, 'plain');
      return status;
    };
    for (const scope of ['/commands', `/guilds/${guildId}/commands`]) {
      const statuses = [];
      for (let i = 1; i <= perDay + 1; i++) statuses.push(await create(i, scope));
      expect(statuses).toEqual([...Array(perDay).fill(201), 429]);
    }
    await world.close();
  });

  it('limit global rate: 49, 50 and 51 a second, for each application', async () => {
    const world = await RuleWorld.open(['global']);
    const perSecond = standard.global?.requests ?? 0;
    const statuses = [];
    for (let i = 1; i <= perSecond + 1; i++) statuses.push((await world.call('GET', '/commands')).status);
    expect(statuses).toEqual([...Array(perSecond).fill(200), 429]);
    expect((await world.call('GET', '/commands', undefined, 'plain')).status).toBe(200);
    await world.service.clock.advance(1000);
    expect((await world.call('GET', '/commands')).status).toBe(200);
    await world.close();
  });
});
