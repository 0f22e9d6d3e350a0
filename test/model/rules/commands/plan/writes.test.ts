import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Command, commandTypes } from '../../../../../src/model/command.ts';
import { limits } from '../../../../../src/model/limits/limits.ts';
import type { DesiredCommand } from '../../../../../src/model/rules/commands/plan/desired.ts';
import { makePlan } from '../../../../../src/model/rules/commands/plan/make-plan.ts';
import type { Plan, PlanItem } from '../../../../../src/model/rules/commands/plan/plan.ts';
import { fewestWrites, type Write, writesOneByOne } from '../../../../../src/model/rules/commands/plan/writes.ts';
import { times } from '../../../../support/commands/command-samples.ts';

const context = { scope: 'global', traits: {} } as const;

function stored(id: string, name: string, fields: Partial<Command> = {}): Command {
  const nothing = { name_localizations: null, description_localizations: null, default_member_permissions: null };
  return { ...nothing, id, application_id: '1', version: id, type: 1, name, description: 'x', nsfw: false, ...fields };
}

const wanted = (name: string, fields: Partial<DesiredCommand> = {}): DesiredCommand => ({
  name,
  description: 'x',
  ...fields,
});

function planOf(registered: readonly Command[], desired: readonly DesiredCommand[]): Plan {
  return makePlan(registered, desired, { ...context, place: { applicationId: '1' }, nowMs: 0 });
}

const told = (item: PlanItem) => `${item.action} ${item.name}`;
const steps = (writes: readonly Write[] | undefined) =>
  writes?.map(write => (write.kind === 'one' ? told(write.item) : 'all'));

describe('the fewest writes', () => {
  it('are none, the one, or all at once for two and more', () => {
    expect(fewestWrites(planOf([stored('1', 'a')], [wanted('a')]), context)).toEqual([]);
    expect(steps(fewestWrites(planOf([], [wanted('a')]), context))).toEqual(['create a']);
    expect(steps(fewestWrites(planOf([], [wanted('a'), wanted('b')]), context))).toEqual(['all']);
  });

  it('name by id what stays, and send back what does not change as it was read, unknown fields too', () => {
    const kept = stored('7', 'kept', { future: true } as object);
    const [write] = fewestWrites(
      planOf([kept, stored('8', 'b')], [wanted('kept'), wanted('b2', { formerName: 'b' }), wanted('c')]),
      context,
    );
    expect(write).toMatchObject({ kind: 'all', items: [kept, { id: '8', name: 'b2' }, { name: 'c' }] });
    expect(write?.kind === 'all' && write.items[2]).not.toHaveProperty('id');
  });

  it('send nothing the interface does not know', () => {
    const [write] = fewestWrites(
      planOf([], [wanted('a', { formerName: 'x' }), wanted('b', { use: () => {} } as object)]),
      context,
    );
    const sent = write?.kind === 'all' ? write.items : [];
    for (const item of sent) expect(Object.keys(item)).not.toEqual(expect.arrayContaining(['formerName']));
    expect(sent[1]).not.toHaveProperty('use');
  });
});

describe('writes one by one', () => {
  it('edit first, then create, and delete last', () => {
    const plan = planOf([stored('1', 'a'), stored('2', 'old')], [wanted('new'), wanted('a', { description: 'y' })]);
    expect(steps(writesOneByOne(plan))).toEqual(['edit a', 'create new', 'delete old']);
  });

  it('free a name before it is taken', () => {
    const rename = planOf(
      [stored('1', 'a'), stored('2', 'b')],
      [wanted('b', { id: '1' }), wanted('c', { id: '2' }), wanted('a')],
    );
    expect(steps(writesOneByOne(rename))).toEqual(['edit c', 'edit b', 'create a']);
    const replaced = planOf([stored('1', 'a'), stored('2', 'b')], [wanted('b', { id: '1' })]);
    expect(steps(writesOneByOne(replaced))).toEqual(['delete b', 'edit b']);
  });

  it('make room before the cap is passed, and only then', () => {
    const max = limits.commandsPerScope[commandTypes.CHAT_INPUT];
    const full = times(max, i => stored(String(i + 1), `c${i}`));
    const two = [...full.slice(2).map(({ name }) => wanted(name)), wanted('x'), wanted('y')];
    expect(steps(writesOneByOne(planOf(full, two)))).toEqual(['delete c0', 'create x', 'delete c1', 'create y']);
    const withRoom = planOf(full.slice(1), [...full.slice(2).map(({ name }) => wanted(name)), wanted('x')]);
    expect(steps(writesOneByOne(withRoom))).toEqual(['create x', 'delete c1']);
  });

  it('know no way around a circle of names', () => {
    const swap = planOf([stored('1', 'a'), stored('2', 'b')], [wanted('b', { id: '1' }), wanted('a', { id: '2' })]);
    expect(writesOneByOne(swap)).toBeUndefined();
  });

  it('never take a name twice, never pass a cap, and end with what is desired', () => {
    const name = fc.constantFrom(...'abcdefgh');
    const registered = fc
      .uniqueArray(name, { maxLength: 8 })
      .map(all => all.map((each, i) => stored(String(i + 1), each)));
    const desired = fc.uniqueArray(
      fc.record({
        name,
        description: fc.constantFrom('x', 'y'),
        id: fc.option(fc.constantFrom(...'123456789'), { nil: undefined }),
        formerName: fc.option(name, { nil: undefined }),
      }),
      { maxLength: 8, selector: ({ name }) => name },
    );
    fc.assert(
      fc.property(registered, desired, (before, after) => {
        const seen = new Set<string>();
        const unique = after.map(({ id, formerName, ...rest }) => {
          const isFree = id !== undefined && !seen.has(id);
          if (isFree) seen.add(id);
          return { ...rest, ...(isFree && { id }), ...(formerName && { formerName }) };
        });
        const plan = planOf(before, unique);
        const writes = writesOneByOne(plan);
        if (!writes) return;
        const names = new Map(before.map(command => [command.id, command.name]));
        for (const write of writes) {
          if (write.kind !== 'one') throw new Error('one by one');
          const { item } = write;
          if (item.action === 'delete' || item.action === 'edit') names.delete(item.stored.id);
          if (item.action !== 'delete') {
            expect([...names.values()]).not.toContain(item.name);
            names.set(
              item.action === 'create' ? `new ${item.name}` : item.action === 'edit' ? item.stored.id : '',
              item.name,
            );
          }
        }
        expect([...names.values()].sort()).toEqual(unique.map(command => command.name).sort());
      }),
      { numRuns: 500 },
    );
  });
});
