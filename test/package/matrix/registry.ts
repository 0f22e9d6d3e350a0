import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { manifest } from '../project.ts';

/**
 * A registry on loopback that has our package alone, as it would be published: what package managers do with a package
 * from a registry, its scripts above all, differs from what they do with a file. All else comes from the usual one.
 */
export async function serveRegistry(tarball: string) {
  const bytes = readFileSync(tarball);
  const server = createServer(({ url = '' }, response) => {
    const path = decodeURIComponent(url).replace(/\?.*$/, '');
    if (path === '/@rallypoint/sdk') response.setHeader('content-type', 'application/json').end(document());
    else if (path === '/@rallypoint/sdk/-/sdk.tgz') response.end(bytes);
    else response.writeHead(404).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function document(): string {
    const dist = {
      tarball: `${address}/@rallypoint/sdk/-/sdk.tgz`,
      shasum: createHash('sha1').update(bytes).digest('hex'),
      integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    };
    const { version } = manifest;
    const published = { ...manifest, _id: `@rallypoint/sdk@${version}`, dist };
    const time = { [version]: '2020-01-01T00:00:00.000Z', modified: '2020-01-01T00:00:00.000Z' };
    return JSON.stringify({
      name: '@rallypoint/sdk',
      'dist-tags': { latest: version },
      versions: { [version]: published },
      time,
    });
  }

  return {
    address,
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
