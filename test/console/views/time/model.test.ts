import { describe, expect, it } from 'vitest';
import { countSpans } from '../../../../src/console/views/time/due.ts';
import { parseDuration } from '../../../../src/console/views/time/duration.ts';
import { emptyFaultForm, faultKindNames, faultOf, formOf } from '../../../../src/console/views/time/fault-form.ts';
import { faultPresetNames, faultPresets, seedOf } from '../../../../src/console/views/time/fault-presets.ts';
import { checkFaults } from '../../../../src/service/testing/faults/fault-document.ts';

describe('A duration', () => {
  it.each([
    ['30', 30_000],
    ['250ms', 250],
    ['1.5 h', 5_400_000],
    ['1 h 30 min', 5_400_000],
    ['3 d', 259_200_000],
    ['0', 0],
  ])('"%s" is read as %i ms', (written, ms) => {
    expect(parseDuration(written)).toBe(ms);
  });

  it.each(['', 'soon', '-5', '5 weeks', '1e3', '5 constructor', '99999999999999 d'])('"%s" is none', written => {
    expect(parseDuration(written)).toBeUndefined();
  });
});

describe('The time line', () => {
  it('counts every deadline once, in the first span that it falls into', () => {
    const spans = countSpans(
      [-5, 3_000, 3_001, 60_000, 8 * 86_400_000].map(ms => ({ at_ms: 1_000 + ms })),
      1_000,
    );
    expect(spans.map(({ count }) => count)).toEqual([2, 1, 1, 0, 0, 0, 0, 0, 0, 1]);
  });
});

describe('The form of a fault', () => {
  it.each(faultKindNames)('makes a document of the kind %s that the service accepts', kind => {
    const form = {
      ...emptyFaultForm,
      kind,
      route: 'createLobby' as const,
      event: 'LOBBY_UPDATE',
      userId: '9',
      count: '',
      percent: '20',
      seed: '7',
    };
    const fault = faultOf(form);
    expect(checkFaults(fault)).toEqual([]);
    expect(fault).toMatchObject({ kind, count: null, percent: 20, seed: 7 });
    expect(faultOf(formOf(fault))).toEqual(fault);
  });

  it('leaves numbers that cannot be read to the service, which names them', () => {
    const fault = faultOf({ ...emptyFaultForm, ms: 'slow' });
    expect(checkFaults(fault).map(({ path }) => path)).toEqual([['ms']]);
  });
});

describe('A preset of faults', () => {
  it.each(faultPresetNames)('%s is accepted by the service, with every seed', name => {
    for (const seed of [0, 7, seedOf('4294967295'), seedOf('a word')]) {
      expect(checkFaults(faultPresets[name](seed))).toEqual([]);
    }
  });

  it('has a seed from a number or from words, the same each time', () => {
    expect(seedOf('42')).toBe(42);
    expect(seedOf('train 12')).toBe(seedOf(' train 12 '));
    expect(seedOf('train 12')).not.toBe(seedOf('train 13'));
  });
});
