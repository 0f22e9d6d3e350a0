import { describe, expect, it } from 'vitest';
import { limits } from '../../../../src/model/limits/limits.ts';
import { checkApplicationEdit } from '../../../../src/model/rules/accounts/application.ts';
import { checkDirectChannel } from '../../../../src/model/rules/accounts/direct-channel.ts';
import { snowflakeMax } from '../../../../src/model/snowflake.ts';
import { faults } from '../../../support/commands/issues.ts';

const address = (length: number) => `https://a.example/${'x'.repeat(length - 18)}`;
const { applicationDescriptionLengthMax: textMax, interactionsEndpointUrlLengthMax: urlMax } = limits;

describe('the body that edits the application', () => {
  it.each<[unknown, string[]]>([
    [{}, []],
    [{ description: null, interactions_endpoint_url: null }, []],
    [{ description: '', interactions_endpoint_url: '' }, []],
    [{ description: 'x'.repeat(textMax), interactions_endpoint_url: address(urlMax) }, []],
    [{ description: 'x'.repeat(textMax + 1) }, ['description BASE_TYPE_MAX_LENGTH']],
    [{ description: 7 }, ['description STRING_TYPE_CONVERT']],
    [{ interactions_endpoint_url: address(urlMax + 1) }, ['interactions_endpoint_url BASE_TYPE_MAX_LENGTH']],
    [{ interactions_endpoint_url: 7 }, ['interactions_endpoint_url STRING_TYPE_CONVERT']],
    [{ interactions_endpoint_url: 'here' }, ['interactions_endpoint_url URL_TYPE_INVALID_URL']],
    [{ interactions_endpoint_url: 'ftp://a.example' }, ['interactions_endpoint_url URL_TYPE_INVALID_SCHEME']],
    [{ interactions_endpoint_url: 'about:https:' }, ['interactions_endpoint_url URL_TYPE_INVALID_SCHEME']],
    [{ interactions_endpoint_url: 'HTTPS://A.EXAMPLE' }, []],
    [null, ['(body) DICT_TYPE_CONVERT']],
    [[], ['(body) DICT_TYPE_CONVERT']],
  ])('%j has the issues %j', (body, issues) => {
    expect(faults(checkApplicationEdit(body))).toEqual(issues);
  });
});

describe("the body that asks for a bot's direct messages", () => {
  it.each<[unknown, string[]]>([
    [{ recipient_id: '9' }, []],
    [{}, ['recipient_id BASE_TYPE_REQUIRED']],
    [{ recipient_id: 'ada' }, ['recipient_id NUMBER_TYPE_COERCE']],
    [{ recipient_id: '9x' }, ['recipient_id NUMBER_TYPE_COERCE']],
    [{ recipient_id: `${snowflakeMax}` }, []],
    [{ recipient_id: `${snowflakeMax + 1n}` }, ['recipient_id NUMBER_TYPE_MAX']],
    [null, ['(body) DICT_TYPE_CONVERT']],
  ])('%j has the issues %j', (body, issues) => {
    expect(faults(checkDirectChannel(body))).toEqual(issues);
  });

  it.each([
    ['ada', 'Value "ada" is not snowflake.'],
    [`${snowflakeMax + 1n}`, `snowflake value should be less than or equal to ${snowflakeMax}.`],
  ])('says of the recipient %j that it is no id: %s', (recipient_id, message) => {
    expect(checkDirectChannel({ recipient_id }).map(issue => issue.message)).toEqual([message]);
  });
});
