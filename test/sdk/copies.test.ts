import { afterEach, describe, expect, it, vi } from 'vitest';

/** Two copies of a module, as in a program that imports and requires this package. */
async function twice<Module extends object>(load: () => Promise<Module>): Promise<[Module, Module]> {
  const one = await load();
  vi.resetModules();
  return [one, await load()];
}

afterEach(() => vi.resetModules());

const isClass = (value: unknown): value is new () => object =>
  typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));

describe('objects that another copy of this package made', () => {
  it.each([
    ['the SDK', () => import('../../src/sdk/index.ts'), 12],
    ['the entry point for windows', () => import('../../src/sdk/bridge/renderer.ts'), 20],
    ['the backend module', () => import('../../src/backend/index.ts'), 8],
    ['the fleet module', () => import('../../src/backend/fleet/index.ts'), 1],
    ['the service', () => import('../../src/service/index.ts'), 3],
    ['the testing kit', () => import('../../src/testing/index.ts'), 4],
  ] as const)('are instances of the same class: every class of %s', async (_, load, count) => {
    const [one, other] = await twice<Record<string, unknown>>(load);
    const classes = Object.entries(one).filter(([, value]) => isClass(value));
    expect(classes.length).toBeGreaterThanOrEqual(count);
    for (const [name, made] of classes) {
      const copy = other[name];
      if (!isClass(made) || !isClass(copy)) throw new TypeError(`${name} is no class.`);
      expect(copy, name).not.toBe(made);
      expect(Object.create(made.prototype) instanceof copy, name).toBe(true);
      expect(Object.create(copy.prototype) instanceof made, name).toBe(true);
      for (const value of [undefined, null, 7, {}, copy, new Error('no')])
        expect(value instanceof made, name).toBe(false);
    }
  });

  it('are no instances of other classes', async () => {
    const [one, other] = await twice(() => import('../../src/sdk/index.ts'));
    const error = new one.ArgumentError('closed', 'closed');
    expect(error instanceof other.RallypointError).toBe(true);
    expect(other.isRallypointError(error)).toBe(true);
    expect(error instanceof other.ApiError).toBe(false);
    class OwnError extends one.ArgumentError {}
    expect(error instanceof OwnError).toBe(false);
    expect(new OwnError('closed', 'closed') instanceof OwnError).toBe(true);
    expect(new OwnError('closed', 'closed') instanceof other.ArgumentError).toBe(true);
  });

  it('keep every field: AuthorizationArgs', async () => {
    const [one, other] = await twice(() => import('../../src/sdk/index.ts'));
    const codeChallenge = { method: 'S256', challenge: 'c'.repeat(43) } as const;
    const fields = {
      clientId: '7',
      scopes: 'openid',
      state: 's',
      nonce: 'n',
      integrationType: 1,
      customSchemeParam: 'p',
    };
    const args = new one.AuthorizationArgs({ ...fields, codeChallenge } as never);
    const copy = new other.AuthorizationArgs(args as never);
    expect(copy).toMatchObject({ ...fields, codeChallenge });
    expect(new other.AuthorizationArgs().assign(args as never)).toMatchObject({ ...fields, codeChallenge });
    expect(copy.setState('t').state).toBe('t');
    expect(args.state).toBe('s');
    args.move();
    expect(new other.AuthorizationArgs(args as never).isValid).toBe(false);
  });
});
