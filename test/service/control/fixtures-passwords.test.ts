import { describe, expect, it, onTestFinished } from 'vitest';
import { ValidationError } from '../../../src/model/errors.ts';
import { createFixtures } from '../../../src/service/control/fixtures.ts';
import { matchesPassword } from '../../../src/service/oauth/password.ts';
import { serviceLimits } from '../../../src/service/service-limits.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { makeCore } from './support.ts';

async function furnish(location?: string) {
  const core = await makeCore(undefined, location);
  onTestFinished(() => core.store.close());
  const keeper = createFixtures(core, { ensureLaunch: async () => undefined }, { removeAll: async () => undefined });
  const isPassword = async (password: string, userId = '9') =>
    matchesPassword(password, (await core.store.get('passwords', userId))?.hash);
  return { core, keeper, isPassword };
}

async function faults(work: Promise<unknown>): Promise<string[]> {
  const error = await work.then(
    () => undefined,
    error => error,
  );
  expect(error).toBeInstanceOf(ValidationError);
  return (error as ValidationError).issues.map(({ path, code }) => `${path.join('.')} ${code}`);
}

const password = 'correct horse battery';
const ada = { id: '9', username: 'ada' } as const;
const ben = { id: '10', username: 'ben' } as const;

describe('a password in a fixtures document', () => {
  it('is stored as its slow hash, and is nowhere else: not in the answer, not in the state', async () => {
    const { core, keeper, isPassword } = await furnish();
    const filled = await keeper.begin({ users: [{ ...ada, password }] });
    expect(filled.users[0]).not.toHaveProperty('password');
    expect(JSON.stringify(filled)).not.toContain(password);
    const content = JSON.stringify(await core.store.dump());
    expect(content).not.toContain(password);
    expect(content).toContain('scrypt$');
    expect(await isPassword(password)).toBe(true);
  });

  it('stays when another document leaves it out, changes when it names another, ends with null', async () => {
    const { core, keeper, isPassword } = await furnish();
    await keeper.apply({ users: [{ ...ada, password }] });
    await keeper.apply({ users: [{ ...ada, global_name: 'Ada' }] });
    expect(await isPassword(password)).toBe(true);
    await keeper.apply({ users: [{ ...ada, password: 'another one' }] });
    expect(await isPassword(password)).toBe(false);
    expect(await isPassword('another one')).toBe(true);
    await keeper.apply({ users: [{ ...ada, password: null }] });
    expect(await core.store.list('passwords')).toEqual([]);
  });

  it('follows a user to another name', async () => {
    const { core, keeper } = await furnish();
    await keeper.apply({ users: [{ ...ada, password }] });
    await keeper.apply({ users: [{ id: '9', username: 'Countess' }] });
    expect(await core.store.list('passwords')).toMatchObject([{ user_id: '9', name: 'countess' }]);
  });

  it('comes back with a reset, as it was at the start', async () => {
    const { keeper, isPassword } = await furnish();
    await keeper.begin({ users: [{ ...ada, password }] });
    await keeper.apply({ users: [{ ...ada, password: 'another one' }] });
    await keeper.reset();
    expect(await isPassword(password)).toBe(true);
  });

  it('that alone changed does not make another document of it, and counts from then on', async () => {
    const folder = await temporaryFolder();
    onTestFinished(() => folder.remove());
    const location = `${folder.path}/store.db`;
    const first = await furnish(location);
    const begun = await first.keeper.begin({ users: [{ username: 'ada', password }] });
    await first.core.store.close();
    const again = await furnish(location);
    const renewed = await again.keeper.begin({ users: [{ username: 'ada', password: 'another one' }] });
    expect(renewed).toEqual(begun);
    await again.keeper.reset();
    expect(await again.isPassword('another one', begun.users[0]?.id)).toBe(true);
  });

  it.each([
    [serviceLimits.passwordLengthMin - 1, ['users.0.password bad_length']],
    [serviceLimits.passwordLengthMin, []],
    [serviceLimits.passwordLengthMax, []],
    [serviceLimits.passwordLengthMax + 1, ['users.0.password bad_length']],
  ])('of %i characters has the faults %j', async (length, expected) => {
    const { keeper } = await furnish();
    const work = keeper.apply({ users: [{ ...ada, password: '🂡'.repeat(length) }] });
    if (expected.length === 0) await work;
    else expect(await faults(work)).toEqual(expected);
  });
});

describe('the name to sign in with', () => {
  it('is taken once, within a document and beyond it, and free again when its owner has another', async () => {
    const { keeper } = await furnish();
    const both = [
      { ...ada, password },
      { ...ben, username: 'ADA', password },
    ];
    expect(await faults(keeper.apply({ users: both }))).toEqual(['users.1.username taken']);
    await keeper.apply({ users: [{ ...ada, password }] });
    expect(await faults(keeper.apply({ users: [{ ...ben, username: 'ADA', password }] }))).toEqual([
      'users.0.username taken',
    ]);
    await keeper.apply({
      users: [
        { id: '9', username: 'ben' },
        { ...ben, username: 'ada', password },
      ],
    });
  });

  it('may be shared by those who have no password', async () => {
    const { keeper } = await furnish();
    await keeper.apply({
      users: [
        { ...ada, password },
        { ...ben, username: 'ada' },
      ],
    });
  });
});
