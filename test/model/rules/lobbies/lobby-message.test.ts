import { describe, expect, it } from 'vitest';
import { messageFlags } from '../../../../src/model/message.ts';
import {
  checkLobbyMessage,
  checkModerationMetadata,
  isSilent,
} from '../../../../src/model/rules/lobbies/lobby-message.ts';
import { times } from '../../../support/commands/command-samples.ts';
import { faults } from '../../../support/commands/issues.ts';

const message = (body: unknown): string[] => faults(checkLobbyMessage(body));
const moderation = (body: unknown): string[] => faults(checkModerationMetadata(body));
const entries = (count: number) => Object.fromEntries(times(count, i => [`k${i}`, 'v']));

describe('the body of a message', () => {
  it.each([
    [1999, []],
    [2000, []],
    [2001, ['content BASE_TYPE_MAX_LENGTH']],
  ])('with %i characters has the issues %j', (length, issues) => {
    expect(message({ content: '🎲'.repeat(length) })).toEqual(issues);
  });

  it('is an object whose content is text', () => {
    for (const body of [undefined, null, [], 'x', 7]) expect(message(body)).toEqual(['(body) DICT_TYPE_CONVERT']);
    expect(message({ content: 7 })).toEqual(['content STRING_TYPE_CONVERT']);
  });

  it.each([
    [24, []],
    [25, []],
    [26, ['metadata BASE_TYPE_MAX_LENGTH']],
  ])('with %i entries of metadata has the issues %j', (count, issues) => {
    expect(message({ content: 'x', metadata: entries(count) })).toEqual(issues);
  });

  it('bounds each key and each value of its metadata to 1024 characters', () => {
    const [fits, tooLong] = ['🎲'.repeat(1024), '🎲'.repeat(1025)];
    expect(message({ content: 'x', metadata: { [fits]: fits } })).toEqual([]);
    expect(message({ content: 'x', metadata: { a: tooLong } })).toEqual(['metadata.a BASE_TYPE_MAX_LENGTH']);
    expect(message({ content: 'x', metadata: { [tooLong]: 'a' } })).toEqual([
      `metadata.${tooLong} BASE_TYPE_MAX_LENGTH`,
    ]);
    expect(message({ content: 'x', metadata: { a: 1 } })).toEqual(['metadata.a STRING_TYPE_CONVERT']);
    expect(message({ content: 'x', metadata: 'a' })).toEqual(['metadata DICT_TYPE_CONVERT']);
    expect(message({ content: 'x', metadata: null })).toEqual([]);
  });

  it('takes the flags that anybody may set, alone or together', () => {
    const { SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS, EPHEMERAL, SENT_BY_SOCIAL_LAYER_INTEGRATION } = messageFlags;
    for (const flags of [null, 0, SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS, SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS]) {
      expect(message({ content: 'x', flags })).toEqual([]);
    }
    for (const flags of [1, EPHEMERAL, SENT_BY_SOCIAL_LAYER_INTEGRATION, -1]) {
      expect(message({ content: 'x', flags })).toEqual(['flags BASE_TYPE_CHOICES']);
    }
    expect(message({ content: 'x', flags: '4' })).toEqual(['flags NUMBER_TYPE_COERCE']);
  });
});

describe('a message', () => {
  it('is silent without content, and with blanks alone', () => {
    for (const body of [undefined, null, {}, { content: null }, { content: '' }, { content: ' \n\t' }]) {
      expect(isSilent(body)).toBe(true);
    }
    expect(isSilent({ content: ' . ' })).toBe(false);
  });
});

describe('moderation metadata of a message', () => {
  it.each([
    [0, []],
    [4, []],
    [5, []],
    [6, ['(body) BASE_TYPE_MAX_LENGTH']],
  ])('with %i entries has the issues %j', (count, issues) => {
    expect(moderation(entries(count))).toEqual(issues);
  });

  it('has keys of at most 1024 characters and values of at most 2000', () => {
    expect(moderation({ ['k'.repeat(1024)]: '🎲'.repeat(2000), empty: '', '': 'x' })).toEqual([]);
    expect(moderation({ ['k'.repeat(1025)]: 'x' })).toEqual([`${'k'.repeat(1025)} BASE_TYPE_MAX_LENGTH`]);
    expect(moderation({ a: '🎲'.repeat(2001) })).toEqual(['a BASE_TYPE_MAX_LENGTH']);
    expect(moderation({ a: 1, b: null })).toEqual(['a STRING_TYPE_CONVERT', 'b STRING_TYPE_CONVERT']);
    for (const body of [null, [], 'x', 7]) expect(moderation(body)).toEqual(['(body) DICT_TYPE_CONVERT']);
  });
});
