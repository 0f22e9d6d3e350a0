import { describe, expect, it } from 'vitest';
import type { Issue } from '../../../src/model/errors/issue.ts';
import { AuthorizationArgs } from '../../../src/sdk/auth/authorization-args.ts';
import { createAuthorizationCodeVerifier } from '../../../src/sdk/auth/code-verifier.ts';
import type { AuthorizationArgsFields } from '../../../src/wire/oauth/authorization-fields.ts';

const { challenge } = createAuthorizationCodeVerifier();

const full: Required<AuthorizationArgsFields> = {
  clientId: '1054951789318909972',
  scopes: 'identify guilds',
  state: 'a state',
  nonce: 'a nonce',
  codeChallenge: challenge,
  integrationType: 1,
  customSchemeParam: 'my-game',
};

const fieldsOf = (args: AuthorizationArgs) => ({
  clientId: args.clientId,
  scopes: args.scopes,
  state: args.state,
  nonce: args.nonce,
  codeChallenge: args.codeChallenge,
  integrationType: args.integrationType,
  customSchemeParam: args.customSchemeParam,
});

const found = (args: AuthorizationArgs) => args.check().map(({ path, code }: Issue) => [path.join('.'), code]);
const unchecked = (fields: Record<string, unknown>) => new AuthorizationArgs(fields as AuthorizationArgsFields);

describe('AuthorizationArgs: fields', () => {
  it('are unset at first, except the scopes, and valid', () => {
    const args = new AuthorizationArgs();
    expect(fieldsOf(args)).toEqual({ scopes: 'openid sdk.social_layer' });
    expect(args.isValid).toBe(true);
  });

  it('each have a setter that can be chained', () => {
    const args = new AuthorizationArgs()
      .setClientId(full.clientId)
      .setScopes(full.scopes)
      .setState(full.state)
      .setNonce(full.nonce)
      .setCodeChallenge(full.codeChallenge)
      .setIntegrationType(full.integrationType)
      .setCustomSchemeParam(full.customSchemeParam);
    expect(fieldsOf(args)).toEqual(full);
    expect(args.check()).toEqual([]);
  });

  it('are unset by undefined', () => {
    const args = new AuthorizationArgs(full)
      .setClientId(undefined)
      .setScopes(undefined)
      .setState(undefined)
      .setNonce(undefined)
      .setCodeChallenge(undefined)
      .setIntegrationType(undefined)
      .setCustomSchemeParam(undefined);
    expect(fieldsOf(args)).toEqual(fieldsOf(new AuthorizationArgs()));
  });

  it('accept a client id as bigint and return it as decimal text', () => {
    expect(new AuthorizationArgs().setClientId(2n ** 64n - 1n).clientId).toBe('18446744073709551615');
  });
});

describe('AuthorizationArgs: copying and moving', () => {
  it('copies every field, and changing one does not change the other', () => {
    const source = new AuthorizationArgs(full);
    const copy = new AuthorizationArgs(source);
    source.setState('changed');
    expect(fieldsOf(copy)).toEqual(full);
  });

  it('copies the challenge, and returns a frozen one', () => {
    const mine = { ...challenge };
    const args = new AuthorizationArgs({ codeChallenge: mine });
    const other = new AuthorizationArgs().setCodeChallenge(mine);
    mine.challenge = 'changed';
    const given = [args, other, new AuthorizationArgs(args)].map(({ codeChallenge }) => codeChallenge);
    for (const one of [...given, args.move().codeChallenge]) {
      expect(one).toEqual(challenge);
      expect(Object.isFrozen(one)).toBe(true);
    }
  });

  it('assigns a value to itself, and to one that was moved', () => {
    const args = new AuthorizationArgs(full);
    expect(fieldsOf(args.assign(args))).toEqual(full);
    expect(fieldsOf(new AuthorizationArgs().assign(args.move()))).toEqual(full);
    expect(args.isValid).toBe(false);
  });

  it('becomes invalid when an invalid value is assigned', () => {
    const moved = new AuthorizationArgs();
    moved.move();
    expect(new AuthorizationArgs(full).assign(moved).isValid).toBe(false);
  });

  it('assigns every field, including unset ones', () => {
    const target = new AuthorizationArgs(full);
    expect(target.assign(new AuthorizationArgs({ state: 's' }))).toBe(target);
    expect(fieldsOf(target)).toEqual({ scopes: 'openid sdk.social_layer', state: 's' });
  });

  it('is invalid after its fields were moved', () => {
    const source = new AuthorizationArgs(full);
    expect(fieldsOf(source.move())).toEqual(full);
    expect(source.isValid).toBe(false);
    expect(found(source)).toEqual([['', 'BASE_TYPE_REQUIRED']]);
    expect(source.state).toBeUndefined();
  });

  it('throws from setters after a move, until something is assigned', () => {
    const source = new AuthorizationArgs(full);
    source.move();
    expect(() => source.setState('s')).toThrow(expect.objectContaining({ code: 'moved_arguments' }));
    expect(source.assign({}).setState('s').isValid).toBe(true);
  });

  it('copies and moves an invalid value as an invalid one', () => {
    const source = new AuthorizationArgs();
    source.move();
    expect(new AuthorizationArgs(source).isValid).toBe(false);
    expect(source.move().isValid).toBe(false);
  });
});

describe('AuthorizationArgs: validity', () => {
  it.each([0n, 2n ** 64n - 1n, '0', '18446744073709551615'])('takes client id %s', clientId => {
    expect(new AuthorizationArgs({ clientId }).isValid).toBe(true);
  });

  it.each([-1n, 2n ** 64n, '18446744073709551616', '-1', '01', '1.5', '', ' 1', 'x', '9'.repeat(5000), 7, null, {}])(
    'refuses client id %s, which is no unsigned 64-bit number as bigint or decimal text',
    clientId => {
      expect(found(unchecked({ clientId }))).toEqual([['clientId', 'NUMBER_TYPE_COERCE']]);
    },
  );

  it.each(['identify', 'a b', 'openid sdk.social_layer'])('takes scopes %j', scopes => {
    expect(new AuthorizationArgs({ scopes }).isValid).toBe(true);
  });

  it.each(['', ' ', 'a  b', ' a', 'a ', 'a\nb', 'a"b', 'ä'])('rejects scopes %j', scopes => {
    expect(found(new AuthorizationArgs({ scopes }))).toEqual([['scopes', 'STRING_TYPE_REGEX']]);
  });

  it.each(['state', 'nonce'])('rejects a %s that is empty, not printable ASCII, or no text', field => {
    expect(found(unchecked({ [field]: '' }))).toEqual([[field, 'STRING_TYPE_REGEX']]);
    expect(found(unchecked({ [field]: 'a\u0000' }))).toEqual([[field, 'STRING_TYPE_REGEX']]);
    expect(found(unchecked({ [field]: 5 }))).toEqual([[field, 'STRING_TYPE_CONVERT']]);
  });

  it.each([null, 5, 'openid', true])('rejects %j in place of arguments', from => {
    const refused = expect.objectContaining({ name: 'ArgumentError', code: 'invalid_argument' });
    expect(() => new AuthorizationArgs(from as never)).toThrow(refused);
    expect(() => new AuthorizationArgs().assign(from as never)).toThrow(refused);
  });

  it('rejects a challenge that is not S256', () => {
    expect(found(unchecked({ codeChallenge: { method: 'plain', challenge: challenge.challenge } }))).toEqual([
      ['codeChallenge.method', 'BASE_TYPE_CHOICES'],
    ]);
    const short = challenge.challenge.slice(1);
    expect(found(unchecked({ codeChallenge: { method: 'S256', challenge: short } }))).toEqual([
      ['codeChallenge.challenge', 'STRING_TYPE_REGEX'],
    ]);
    expect(found(unchecked({ codeChallenge: null }))).toHaveLength(2);
  });

  it.each([2, -1, '0', null])('rejects integration type %j', integrationType => {
    expect(found(unchecked({ integrationType }))).toEqual([['integrationType', 'BASE_TYPE_CHOICES']]);
  });

  it.each(['g', 'my-game', 'My.Game+2'])('takes scheme %j', customSchemeParam => {
    expect(new AuthorizationArgs({ customSchemeParam }).isValid).toBe(true);
  });

  it.each(['', '1game', 'my game', 'game:', 'javascript', 'HTTPS', 'file'])('rejects scheme %j', customSchemeParam => {
    expect(found(new AuthorizationArgs({ customSchemeParam }))).toEqual([['customSchemeParam', 'STRING_TYPE_REGEX']]);
  });

  it('reports all issues together', () => {
    const args = unchecked({
      clientId: 1,
      scopes: '',
      state: '',
      nonce: '',
      integrationType: 9,
      customSchemeParam: '',
    });
    expect(found(args).map(([path]) => path)).toEqual([
      'clientId',
      'scopes',
      'state',
      'nonce',
      'integrationType',
      'customSchemeParam',
    ]);
  });
});
