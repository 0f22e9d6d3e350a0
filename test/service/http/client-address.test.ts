import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientAddressBehind, countedAddress } from '../../../src/service/http/client-address.ts';
import { type Service, startService } from '../../../src/service/index.ts';
import { isAddressBlock } from '../../../src/service/support/network-address.ts';

const from = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: { ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }) },
  }) as IncomingMessage;

describe('where a request came from', () => {
  it('is the other end of the connection, whatever it says, where no proxy is trusted', () => {
    expect(clientAddressBehind([])(from('10.0.0.1', '1.2.3.4'))).toBe('10.0.0.1');
    expect(clientAddressBehind(['10.0.0.2'])(from('10.0.0.1', '1.2.3.4'))).toBe('10.0.0.1');
  });

  it('is what a trusted proxy says', () => {
    expect(clientAddressBehind(['10.0.0.1'])(from('10.0.0.1', '1.2.3.4'))).toBe('1.2.3.4');
    expect(clientAddressBehind(['10.0.0.1'])(from('10.0.0.1'))).toBe('10.0.0.1');
  });

  it('is the last address that no trusted proxy vouches for further', () => {
    const addressOf = clientAddressBehind(['10.0.0.0/8', 'fd00::/8']);
    expect(addressOf(from('10.0.0.1', '6.6.6.6, 1.2.3.4, 10.9.9.9'))).toBe('1.2.3.4');
    expect(addressOf(from('10.0.0.1', '6.6.6.6, 1.2.3.4,fd00::7 ,10.9.9.9'))).toBe('1.2.3.4');
    expect(addressOf(from('10.0.0.1', '10.0.0.3, 10.0.0.2'))).toBe('10.0.0.3');
  });

  it('stops at what is no address', () => {
    const addressOf = clientAddressBehind(['10.0.0.0/8']);
    expect(addressOf(from('10.0.0.1', '1.2.3.4, unknown'))).toBe('10.0.0.1');
    expect(addressOf(from('10.0.0.1', '1.2.3.4, _hidden, 10.0.0.2'))).toBe('10.0.0.2');
    expect(addressOf(from('10.0.0.1', '1.2.3.4,'))).toBe('10.0.0.1');
    expect(addressOf(from('10.0.0.1', '1.2.3.999'))).toBe('10.0.0.1');
  });

  it('comes in one spelling, without its port', () => {
    const addressOf = clientAddressBehind(['127.0.0.1', '::1']);
    expect(addressOf(from('::ffff:127.0.0.1', '1.2.3.4:5678'))).toBe('1.2.3.4');
    expect(addressOf(from('::1', '[2001:DB8::1]:5678'))).toBe('2001:db8::1');
    expect(addressOf(from('::1', '2001:db8::1'))).toBe('2001:db8::1');
    expect(addressOf(from('::1', '::FFFF:1.2.3.4'))).toBe('1.2.3.4');
    expect(clientAddressBehind([])(from('::ffff:1.2.3.4'))).toBe('1.2.3.4');
  });

  it('is found in time that is proportional to the header', () => {
    const startMs = performance.now();
    clientAddressBehind(['10.0.0.0/8'])(from('10.0.0.1', `1.2.3.4, a${' '.repeat(60_000)}:b:c`));
    expect(performance.now() - startMs).toBeLessThan(200);
  });

  it('is never made of anything but addresses', () => {
    const addressOf = clientAddressBehind(['10.0.0.0/8']);
    fc.assert(
      fc.property(fc.string(), header => {
        expect(addressOf(from('10.0.0.1', header))).toMatch(/^[0-9a-f.:%]+/);
      }),
    );
  });

  it('is configured by addresses and blocks only', () => {
    for (const block of ['10.0.0.1', '10.0.0.0/8', '0.0.0.0/0', '::1', 'fd00::/8', '::/128']) {
      expect(isAddressBlock(block)).toBe(true);
    }
    for (const block of [
      '',
      'proxy',
      '10.0.0',
      '10.0.0.0/33',
      '::/129',
      '10.0.0.0/',
      '/8',
      '1.2.3.4/8/8',
      'fe80::1%eth0',
    ]) {
      expect(isAddressBlock(block)).toBe(false);
    }
  });
});

describe('whom an address counts for', () => {
  it.each([
    ['1.2.3.4', '1.2.3.4'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::1:0:0:1', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1:2:3::4:5.6.7.8', '1:2:3:0::/64'],
    ['1:2:3:4:5:6:7.8.9.1', '1:2:3:4::/64'],
    ['', ''],
  ])('of %j is %j', (address, counted) => {
    expect(countedAddress(address)).toBe(counted);
  });

  it('is the same for every address of its /64', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const addresses = fc.array(group, { minLength: 8, maxLength: 8 });
    const short = (groups: readonly number[]) =>
      new URL(`http://[${groups.map(one => one.toString(16)).join(':')}]`).hostname.slice(1, -1);
    fc.assert(
      fc.property(addresses, addresses, (one, other) => {
        const neighbour = [...one.slice(0, 4), ...other.slice(4)];
        expect(countedAddress(short(neighbour))).toBe(countedAddress(short(one)));
        const elsewhere = [...other.slice(0, 4), ...one.slice(4)];
        fc.pre(one.slice(0, 4).join() !== other.slice(0, 4).join());
        expect(countedAddress(short(elsewhere))).not.toBe(countedAddress(short(one)));
      }),
    );
  });
});

describe('a service behind a proxy that it trusts', () => {
  it.each([
    [['127.0.0.1'], 200],
    [[], 429],
  ] as const)('counts by the address the proxy names (trusted: %j → %i)', async (trustedProxies, status) => {
    const service = await startService({ clock: 'virtual', trustedProxies });
    try {
      const answers = [];
      for (let call = 0; call <= 50; call++) answers.push(await askGateway(service, '198.51.100.1'));
      expect(answers.map(answer => answer.status)).toEqual([...Array(50).fill(200), 429]);
      expect((await askGateway(service, '198.51.100.2')).status).toBe(status);
    } finally {
      await service.close();
    }
  });

  it('counts all addresses of an IPv6 network together', async () => {
    const service = await startService({ clock: 'virtual', trustedProxies: ['127.0.0.1'] });
    const statuses: number[] = [];
    for (let call = 0; call <= 50; call++) {
      statuses.push((await askGateway(service, `2001:db8:1:2::${call.toString(16)}`)).status);
    }
    expect(statuses).toEqual([...Array(50).fill(200), 429]);
    expect((await askGateway(service, '2001:db8:1:3::1')).status).toBe(200);
    await service.close();
  });

  it('rejects a trusted proxy that is not an address', async () => {
    await expect(startService({ trustedProxies: ['proxy.example'] })).rejects.toMatchObject({
      code: 'invalid_trusted_proxy',
    });
  });
});

function askGateway({ apiBase }: Service, address: string): Promise<Response> {
  return fetch(`${apiBase}/v10/gateway`, { headers: { 'x-forwarded-for': address } });
}
