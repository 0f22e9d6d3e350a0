import { describe, expect, it } from 'vitest';
import { readGatewayAddress } from '../../../src/wire/gateway/gateway-address.ts';

const codeOf = (call: () => unknown) => {
  try {
    return call();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

describe('readGatewayAddress', () => {
  it.each(['wss://gateway.example', 'ws://127.0.0.1:5/gateway', 'ws://localhost', 'ws://[::1]:5'])('takes %s', url => {
    expect(readGatewayAddress({ url, shards: 1 })).toBe(url);
  });

  it.each(['https://gateway.example', 'no address', '', 5, undefined])('rejects %j, which is no address', url => {
    expect(codeOf(() => readGatewayAddress({ url }))).toBe('unreadable_answer');
    expect(codeOf(() => readGatewayAddress({ url }, { allowUnencrypted: true }))).toBe('unreadable_answer');
  });

  it.each([undefined, null, 'wss://gateway.example', []])('rejects the answer %j', body => {
    expect(codeOf(() => readGatewayAddress(body))).toBe('unreadable_answer');
  });

  it('does not send a token unencrypted beyond this machine, unless that is allowed', () => {
    expect(codeOf(() => readGatewayAddress({ url: 'ws://gateway.example' }))).toBe('insecure_address');
    expect(readGatewayAddress({ url: 'ws://gateway.example' }, { allowUnencrypted: true })).toBe(
      'ws://gateway.example',
    );
  });
});
