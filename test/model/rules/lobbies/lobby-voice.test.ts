import { describe, expect, it } from 'vitest';
import { limits } from '../../../../src/model/limits/limits.ts';
import { checkLobbyVoicePing, checkLobbyVoiceStates } from '../../../../src/model/rules/lobbies/lobby-voice.ts';
import { snowflakeMax } from '../../../../src/model/snowflake.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { encodeFrame } from '../../../../src/wire/gateway/frames.ts';
import { faults } from '../../../support/commands/issues.ts';

const states = (d: unknown): string[] => faults(checkLobbyVoiceStates(d));
const ping = (d: unknown): string[] => faults(checkLobbyVoicePing(d));

const state = { lobby_id: '1', self_mute: false, self_deaf: true };

describe('the list of calls that a session is in', () => {
  it('may be empty, and its entries need a lobby and whether they are muted and deafened', () => {
    expect(states([])).toEqual([]);
    expect(states([state, { ...state, lobby_id: '2' }])).toEqual([]);
    expect(states([{}])).toEqual([
      '0.lobby_id BASE_TYPE_REQUIRED',
      '0.self_mute BOOLEAN_TYPE_CONVERT',
      '0.self_deaf BOOLEAN_TYPE_CONVERT',
    ]);
  });

  it.each([undefined, null, {}, state, 'x', 7])('is a list, not %j', d => {
    expect(states(d)).toEqual(['(body) LIST_TYPE_CONVERT']);
  });

  it('has entries that are objects', () => {
    expect(states([null, 'x', []])).toEqual([
      '0 LIST_ITEM_VALUE_REQUIRED',
      '1 MODEL_TYPE_CONVERT',
      '2 MODEL_TYPE_CONVERT',
    ]);
  });

  it.each([
    [{ lobby_id: 12 }, []],
    [{ lobby_id: 'x' }, ['0.lobby_id NUMBER_TYPE_COERCE']],
    [{ lobby_id: String(snowflakeMax + 1n) }, ['0.lobby_id NUMBER_TYPE_MAX']],
    [{ self_mute: 'true' }, ['0.self_mute BOOLEAN_TYPE_CONVERT']],
    [{ self_deaf: null }, ['0.self_deaf BOOLEAN_TYPE_CONVERT']],
    [{ self_video: true }, []],
    [{ self_video: null, preferred_region: null, preferred_regions: null }, []],
    [{ self_video: 1 }, ['0.self_video BOOLEAN_TYPE_CONVERT']],
    [{ preferred_region: 5 }, ['0.preferred_region STRING_TYPE_CONVERT']],
    [{ preferred_regions: 'newark' }, ['0.preferred_regions LIST_TYPE_CONVERT']],
    [{ preferred_regions: ['newark', 5] }, ['0.preferred_regions.1 STRING_TYPE_CONVERT']],
    [{ unknown: 'passed over' }, []],
  ])('with %j has the issues %j', (fields, issues) => {
    expect(states([{ ...state, ...fields }])).toEqual(issues);
  });

  it.each([-1, 0, 1])('has bounds of its own, at %i of them', by => {
    const length = limits.voiceRegionLengthMax + by;
    const count = limits.voiceRegionsMax + by;
    const tooLong = by > 0;
    expect(states([{ ...state, preferred_region: 'x'.repeat(length) }])).toEqual(
      tooLong ? ['0.preferred_region BASE_TYPE_MAX_LENGTH'] : [],
    );
    expect(states([{ ...state, preferred_regions: Array(count).fill('x') }])).toEqual(
      tooLong ? ['0.preferred_regions BASE_TYPE_MAX_LENGTH'] : [],
    );
    expect(states(Array(limits.lobbyCallsPerSessionMax + by).fill(state))).toEqual(
      tooLong ? ['(body) BASE_TYPE_MAX_LENGTH'] : [],
    );
  });

  it('has its regions looked at as far as there may be some', () => {
    const { voiceRegionsMax: max } = limits;
    const regions = (valid: number) => [...Array(valid).fill('x'), 5];
    const tooMany = '0.preferred_regions BASE_TYPE_MAX_LENGTH';
    expect(states([{ ...state, preferred_regions: regions(max - 1) }])).toEqual([
      `0.preferred_regions.${max - 1} STRING_TYPE_CONVERT`,
    ]);
    expect(states([{ ...state, preferred_regions: regions(max) }])).toEqual([tooMany]);
  });

  it('fits into a frame when it is as long as it may be', () => {
    const whole = { lobby_id: String(snowflakeMax), self_mute: false, self_deaf: false, self_video: false };
    const frame = encodeFrame({ op: 17, d: Array(limits.lobbyCallsPerSessionMax).fill(whole) });
    expect(frame.length).toBeLessThanOrEqual(serviceLimits.gatewayPayloadBytesMax);
  });
});

describe('the request for a voice server', () => {
  it.each([
    [{ lobby_id: '1' }, []],
    [{ lobby_id: 1 }, []],
    [{}, ['lobby_id BASE_TYPE_REQUIRED']],
    [{ lobby_id: null }, ['lobby_id BASE_TYPE_REQUIRED']],
    [{ lobby_id: '-1' }, ['lobby_id NUMBER_TYPE_COERCE']],
    [null, ['(body) DICT_TYPE_CONVERT']],
    [[], ['(body) DICT_TYPE_CONVERT']],
  ])('%j has the issues %j', (d, issues) => {
    expect(ping(d)).toEqual(issues);
  });
});
