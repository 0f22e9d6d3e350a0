import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEtf } from '../../../../../src/service/gateway/connection/etf/decode.ts';
import { Atom, encodeEtf } from '../../../../../src/service/gateway/connection/etf/encode.ts';
import { asJson, packTerm, unpackTerm } from '../../../../support/gateway/etf-client.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** Without `-0`, which JSON's readers take for 0 as well. */
const json = fc.jsonValue().map(value => JSON.parse(JSON.stringify(value)) as unknown);

describe('what is written', () => {
  it.each([
    [null, '83 64 0003 6e696c'],
    [true, '83 64 0004 74727565'],
    [255, '83 61 ff'],
    [256, '83 62 00000100'],
    [-1, '83 62 ffffffff'],
    [2 ** 31 - 1, '83 62 7fffffff'],
    [2 ** 31, '83 6e 04 00 00000080'],
    [-(2 ** 31), '83 62 80000000'],
    [-(2 ** 31) - 1, '83 6e 04 01 01000080'],
    [0.5, '83 46 3fe0000000000000'],
    ['é', '83 6d 00000002 c3a9'],
    [[], '83 6a'],
    [[1], '83 6c 00000001 6101 6a'],
    [{}, '83 74 00000000'],
    [{ op: 1 }, '83 74 00000001 64 0002 6f70 61 01'],
    [new Atom('READY'), '83 64 0005 5245414459'],
  ])('%j is %s', (value, bytes) => {
    expect(encodeEtf(value).toString('hex')).toBe(hex(bytes).toString('hex'));
  });

  it('is, for every value of JSON, the same again for a client', () => {
    fc.assert(
      fc.property(json, value => {
        expect(asJson(unpackTerm(encodeEtf({ metadata: { value } })))).toEqual({ metadata: { value } });
      }),
    );
  });

  const id = '100000000000000001';
  const read = (value: unknown) => unpackTerm(encodeEtf(value)) as Map<unknown, unknown>;
  const valuesOf = (value: unknown) => [...read(value).values()];

  it('has ids as integers: by the name of the field, and in lists of ids', () => {
    expect(valuesOf({ id, guild_id: id, parent_id: null })).toEqual([BigInt(id), BigInt(id), null]);
    expect(valuesOf({ id: '5', user_ids: [id], roles: [id] })).toEqual([5, [BigInt(id)], [BigInt(id)]]);
    expect([...read({ [id]: 1 }).keys()]).toEqual([BigInt(id)]);
  });

  it('has as integers the ids among names that do not end in id', () => {
    expect(valuesOf({ not_found: [id, '5'], linked_by: id })).toEqual([[BigInt(id), 5], BigInt(id)]);
    const [owners] = valuesOf({ authorizing_integration_owners: { 0: id, 1: '0' } }) as Map<unknown, unknown>[];
    expect([...(owners?.values() ?? [])]).toEqual([BigInt(id), 0]);
  });

  it.each([
    [6, BigInt(id)],
    [7, BigInt(id)],
    [8, BigInt(id)],
    [9, BigInt(id)],
    [11, BigInt(id)],
    [3, id],
    [10, id],
  ])('has the value of an option of type %i as %s', (type, expected) => {
    const [options] = valuesOf({ options: [{ type, value: id }] }) as Map<unknown, unknown>[][];
    expect([...(options?.[0]?.values() ?? [])]).toEqual([type, expected]);
  });

  it.each([
    [3, id],
    [5, BigInt(id)],
    [6, BigInt(id)],
    [7, BigInt(id)],
    [8, BigInt(id)],
    [19, BigInt(id)],
    [22, id],
  ])('has what was selected in a component of type %i as %s', (type, expected) => {
    expect(valuesOf({ component_type: type, values: [id] })).toEqual([type, [expected]]);
    expect(valuesOf({ type, values: [id] })).toEqual([type, [expected]]);
    expect(valuesOf({ type, value: id })).toEqual([type, id]);
  });

  it('leaves other digits the texts they are', () => {
    expect(valuesOf({ content: '5', session_id: '5', permissions: '8', nonce: id })).toEqual(['5', '5', '8', id]);
  });

  it('leaves ids that games and identity providers choose the texts they are', () => {
    const inside = (value: unknown) => [...(valuesOf(value).flat()[0] as Map<unknown, unknown>).values()];
    expect(inside({ party: { id: '5', size: [1, 2] } })).toEqual(['5', [1, 2]]);
    expect(inside({ activities: [{ id: '7', application_id: '5' }] })).toEqual(['7', 5]);
    expect(inside({ hidden_activities: [{ id: '7', application_id: '5' }] })).toEqual(['7', 5]);
    expect(valuesOf({ party_id: '5', provider_id: '6', provider_issued_user_id: '7' })).toEqual(['5', '6', '7']);
  });

  it('leaves the words of a game as they are, names of their own included', () => {
    const words = { id: '5', '7': 'x', true: 'y' };
    expect([...read({ metadata: words }).values()]).toEqual([new Map(Object.entries(words))]);
  });
});

describe('what is read', () => {
  it('is, of every value of JSON, what the client wrote', () => {
    fc.assert(
      fc.property(json, value => {
        const integers = JSON.stringify(value, (_, one) => (typeof one === 'number' ? Math.trunc(one) % 2 ** 31 : one));
        expect(decodeEtf(packTerm(JSON.parse(integers)))).toEqual(JSON.parse(integers));
      }),
    );
  });

  it.each([
    ['a list of bytes, as Erlang writes short lists', '83 6b 0002 00 01', [0, 1]],
    ['a tuple', '83 68 02 6100 6101', [0, 1]],
    ['a float', '83 46 3fe0000000000000', 0.5],
    ['an atom of each kind', '83 68 04 64 0002 6f6b 73 02 6f6b 76 0002 6f6b 77 02 6f6b', ['ok', 'ok', 'ok', 'ok']],
    ['an atom of Latin-1 and one of UTF-8', '83 68 02 64 0001 e9 77 02 c3a9', ['é', 'é']],
    ['the words for nothing', '83 68 03 77 03 6e696c 77 04 6e756c6c 77 09 756e646566696e6564', [null, null, null]],
    ['an id', '83 6e 08 00 01008a5d78456301', '100000000000000001'],
    ['a small number written large', '83 6e 01 00 05', 5],
    ['a negative one', '83 6e 01 01 05', -5],
  ])('may be %s', (_, bytes, value) => {
    expect(decodeEtf(hex(bytes))).toEqual(value);
  });

  it.each([
    ['nothing', ''],
    ['another version', '82 6a'],
    ['no term', '83'],
    ['two terms', '83 6a 6a'],
    ['an unknown tag', '83 ff'],
    ['a compressed term', '83 50 00000001 789c'],
    ['a binary that ends too early', '83 6d 00000005 6162'],
    ['a binary that is not UTF-8', '83 6d 00000002 61ff'],
    ['a binary with a surrogate', '83 6d 00000003 eda080'],
    ['a name of a field that is not UTF-8', '83 74 00000001 6d 00000001 ff 6101'],
    ['an atom that is not UTF-8', '83 77 01 ff'],
    ['a list longer than the message', '83 6c ffffffff 6a'],
    ['a map larger than the message', '83 74 ffffffff'],
    ['a list that does not end with nil', '83 6c 00000001 6101 6101'],
    ['an atom for the name of a field', '83 74 00000001 77 02 6f70 6101'],
    ['a number for the name of a field', '83 74 00000001 6101 6101'],
  ])('cannot be %s', (_, bytes) => {
    expect(decodeEtf(hex(bytes))).toBeUndefined();
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), bytes => void decodeEtf(Buffer.from([131, ...bytes]))));
  });

  it('may be as deep as a message is long', () => {
    const deep = Buffer.concat([hex('83'), Buffer.from('6801'.repeat(2000), 'hex'), hex('6a')]);
    expect(decodeEtf(deep)).toHaveLength(1);
  });
});
