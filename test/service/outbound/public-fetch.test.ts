import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isPrivateAddress } from '../../../src/service/outbound/private-address.ts';
import {
  type AddressResolver,
  createPublicFetch,
  type PublicFetch,
} from '../../../src/service/outbound/public-fetch.ts';
import { silentLogger } from '../../../src/wire/clock/ports.ts';
import { type LoopbackServer, startLoopbackServer } from '../../support/http/loopback-server.ts';

type Resolve = AddressResolver['resolve'];

let inside: LoopbackServer;
let port: string;
let guarded: PublicFetch | undefined;

beforeAll(async () => {
  inside = await startLoopbackServer((_request, response) => response.writeHead(204).end());
  port = new URL(inside.baseUrl).port;
});
afterEach(async () => {
  await guarded?.close();
  inside.seen.length = 0;
});
afterAll(() => inside.close());

const ask = (url: string, resolve?: Resolve, isPrivate = isPrivateAddress) => {
  guarded = createPublicFetch(silentLogger, resolve && { resolve, isPrivate });
  const { signal } = new AbortController();
  return guarded.fetch(url, { method: 'POST', headers: {}, body: '{}', signal, redirect: 'manual' });
};

describe('what a public service asks at others’ word', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    'localhost',
  ])('is never %s', async host => {
    await expect(ask(`http://${host}:${port}/`)).rejects.toMatchObject({ name: 'PrivateAddressError' });
    await expect(ask(`https://${host}:${port}/`)).rejects.toMatchObject({ name: 'PrivateAddressError' });
    expect(inside.seen).toEqual([]);
  });

  it('is not behind a name that leads inside, though also elsewhere', async () => {
    const resolve: Resolve = async () => [
      { address: '203.0.113.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    await expect(ask(`http://game.example:${port}/`, resolve)).rejects.toMatchObject({ name: 'PrivateAddressError' });
    expect(inside.seen).toEqual([]);
  });

  it('is looked up once, so that a name cannot lead elsewhere after it was checked', async () => {
    const asked: string[] = [];
    const resolve: Resolve = async host => {
      asked.push(host);
      // A port that nobody answers at: documentation's own network leads nowhere.
      return [{ address: asked.length === 1 ? '127.0.0.1' : '203.0.113.1', family: 4 }];
    };
    await expect(ask(`http://game.example:${port}/`, resolve)).rejects.toMatchObject({ name: 'PrivateAddressError' });
    expect(asked).toEqual(['game.example']);
  });

  it('is any other server, by its name or address', async () => {
    const resolve: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const isPrivate = (address: string) => address !== '127.0.0.1';
    expect((await ask(`http://game.example:${port}/hook`, resolve, isPrivate)).status).toBe(204);
    await guarded?.close();
    expect((await ask(`http://127.0.0.1:${port}/hook`, resolve, isPrivate)).status).toBe(204);
    expect(inside.seen).toMatchObject([
      { method: 'POST', url: '/hook', body: '{}', headers: { host: `game.example:${port}` } },
      { method: 'POST', url: '/hook', body: '{}', headers: { host: `127.0.0.1:${port}` } },
    ]);
  });

  it('fails as ever where a name is unknown', async () => {
    const resolve: Resolve = () => Promise.reject(new Error('ENOTFOUND'));
    await expect(ask('http://game.example/', resolve)).rejects.not.toMatchObject({ name: 'PrivateAddressError' });
  });

  it.each([
    ...['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.1', '169.254.169.254', '100.64.0.1'],
    ...['100.100.100.200', '192.0.0.192', '198.19.255.255', '224.0.0.1', '255.255.255.255', '0.1.2.3'],
    ...['192.0.2.1', '198.51.100.1', '203.0.113.255', '192.88.99.1', '168.63.129.16', '240.0.0.1'],
    ...[
      '::ffff:7f00:1',
      '::ffff:0:127.0.0.1',
      '64:ff9b:1::1',
      '100::1',
      '100:0:0:1::1',
      '2001::1',
      '2001:2::1',
      '2001:1ff::1',
    ],
    ...['2001:db8::1', '3fff::1', '3fff:fff::1', '5f00::1', 'fec0::1', 'fdff::1', 'ffff::1', 'fe80::1%lo', '::2'],
    ...['fd00:ec2::254', 'fe80::1', 'ff02::1', '64:ff9b::7f00:1', '2002:7f00:1::', '::ffff:10.0.0.1', '::127.0.0.1'],
  ])('takes %s for private', address => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each([
    ...[
      '9.255.255.255',
      '11.0.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '192.167.255.255',
      '192.169.0.0',
      '100.63.255.255',
    ],
    ...[
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.0',
      '169.253.255.255',
      '198.17.255.255',
      '198.20.0.0',
      '223.255.255.255',
    ],
    ...['192.0.1.1', '192.0.3.1', '198.51.101.1', '203.0.114.1', '192.88.98.1', '223.255.255.255', '168.63.129.15'],
    ...[
      '2606:4700::1111',
      '2001:200::1',
      '2001:db7:ffff::1',
      '2001:db9::1',
      '3ffe::1',
      '4000::1',
      '5eff::1',
      '100:0:0:2::1',
      '2003::1',
      '::ffff:8.8.8.8',
      'fbff::1',
    ],
  ])('takes %s for public', address => {
    expect(isPrivateAddress(address)).toBe(false);
  });
});
