import { describe, expect, it } from 'vitest';
import type { Issue } from '../../../../src/model/errors/issue.ts';
import { externalAuthTypes } from '../../../../src/model/external-auth.ts';
import {
  checkAccountEdit,
  checkBotProvisionalToken,
  checkBotUnmerge,
  checkChildToken,
  checkProvisionalToken,
} from '../../../../src/model/rules/accounts/provisional.ts';

const told = (issues: readonly Issue[]) => issues.map(({ path, code }) => `${path.join('.')} ${code}`);
const long = (length: number) => 'ä'.repeat(length);

const proof = { client_id: '1', external_auth_type: 'OIDC', external_auth_token: 'x' };
const exchange = { parent_access_token: 'x', child_application_id: '1' };

describe('the body that proves who a player is elsewhere', () => {
  it.each([
    ['every type', externalAuthTypes.map(external_auth_type => ({ external_auth_type })), []],
    ['a token of 1 character', [{ external_auth_token: 'x' }], []],
    ['a token of 10,240', [{ external_auth_token: long(10_240) }], []],
    ['a token of 10,241', [{ external_auth_token: long(10_241) }], ['external_auth_token BASE_TYPE_BAD_LENGTH']],
    ['an empty token', [{ external_auth_token: '' }], ['external_auth_token BASE_TYPE_REQUIRED']],
    ['no token', [{ external_auth_token: null }], ['external_auth_token BASE_TYPE_REQUIRED']],
    ['a token that is no text', [{ external_auth_token: 7 }], ['external_auth_token STRING_TYPE_CONVERT']],
    ['another type', [{ external_auth_type: 'XBOX' }], ['external_auth_type BASE_TYPE_CHOICES']],
    ['a type in lower case', [{ external_auth_type: 'oidc' }], ['external_auth_type BASE_TYPE_CHOICES']],
    ['a type that is no text', [{ external_auth_type: 1 }], ['external_auth_type STRING_TYPE_CONVERT']],
    ['no type', [{ external_auth_type: undefined }], ['external_auth_type BASE_TYPE_REQUIRED']],
    ['a secret of 1,024 characters', [{ client_secret: long(1024) }], []],
    ['a secret of 1,025', [{ client_secret: long(1025) }], ['client_secret BASE_TYPE_MAX_LENGTH']],
    ['no secret', [{ client_secret: null }, { client_secret: undefined }], []],
    ['no client', [{ client_id: undefined }], ['client_id BASE_TYPE_REQUIRED']],
    ['a client that is no id', [{ client_id: 'x' }], ['client_id NUMBER_TYPE_COERCE']],
  ])('%s', (_, changes, issues) => {
    for (const change of changes) expect(told(checkProvisionalToken({ ...proof, ...change }))).toEqual(issues);
  });

  it('is an object', () => {
    for (const body of [null, [], 'x', 7]) expect(told(checkProvisionalToken(body))).toEqual([' DICT_TYPE_CONVERT']);
  });
});

describe('the body by which a bot names a player', () => {
  it.each([
    ['an id of 1,024 characters', { external_user_id: long(1024) }, []],
    ['an id of 1,025', { external_user_id: long(1025) }, ['external_user_id BASE_TYPE_BAD_LENGTH']],
    ['an empty id', { external_user_id: '' }, ['external_user_id BASE_TYPE_REQUIRED']],
    ['a name of 1 character', { preferred_global_name: 'x' }, []],
    ['a name of 32', { preferred_global_name: long(32) }, []],
    ['a name of 33', { preferred_global_name: long(33) }, ['preferred_global_name BASE_TYPE_BAD_LENGTH']],
    ['an empty name', { preferred_global_name: '' }, ['preferred_global_name BASE_TYPE_BAD_LENGTH']],
    ['no name', { preferred_global_name: null }, []],
    ['an account', { provisional_user_id: '9' }, []],
    ['an account that is no id', { provisional_user_id: 'x' }, ['provisional_user_id NUMBER_TYPE_COERCE']],
  ])('%s', (_, change, issues) => {
    expect(told(checkBotProvisionalToken({ external_user_id: 'x', ...change }))).toEqual(issues);
  });

  it('asks for the id where it unmerges, too', () => {
    expect(told(checkBotUnmerge({}))).toEqual(['external_user_id BASE_TYPE_REQUIRED']);
    expect(told(checkBotUnmerge({ external_user_id: long(1025) }))).toEqual(['external_user_id BASE_TYPE_BAD_LENGTH']);
    expect(told(checkBotUnmerge({ external_user_id: long(1024) }))).toEqual([]);
  });
});

describe('the body that exchanges a parent’s token', () => {
  it.each([
    ['a token of 10,240 characters', { parent_access_token: long(10_240) }, []],
    ['a token of 10,241', { parent_access_token: long(10_241) }, ['parent_access_token BASE_TYPE_BAD_LENGTH']],
    ['no token', { parent_access_token: undefined }, ['parent_access_token BASE_TYPE_REQUIRED']],
    ['no child', { child_application_id: undefined }, ['child_application_id BASE_TYPE_REQUIRED']],
    [
      'a secret of 1,025 characters',
      { parent_client_secret: long(1025) },
      ['parent_client_secret BASE_TYPE_MAX_LENGTH'],
    ],
    ['no secret', { parent_client_secret: null }, []],
  ])('%s', (_, change, issues) => {
    expect(told(checkChildToken({ ...exchange, ...change }))).toEqual(issues);
  });
});

describe('the body that renames a provisional account', () => {
  it.each([
    ['x', []],
    [long(32), []],
    [long(33), ['global_name BASE_TYPE_BAD_LENGTH']],
    ['', ['global_name BASE_TYPE_BAD_LENGTH']],
    [7, ['global_name STRING_TYPE_CONVERT']],
    [null, []],
  ])('%j', (global_name, issues) => {
    expect(told(checkAccountEdit({ global_name }))).toEqual(issues);
  });
});
