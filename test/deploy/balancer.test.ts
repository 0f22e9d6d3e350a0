import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { intents } from '../../src/model/gateway.ts';
import { TestCluster } from '../support/cluster/test-cluster.ts';
import { startServer } from '../support/engines/process.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { temporaryFolder } from '../support/runs/folder.ts';
import { freePort } from '../support/runs/free-port.ts';
import { needs } from '../support/runs/parts.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const parts = await needs('postgres', 'redis', 'nginx');
const [ada] = starfall.users;

it.skipIf(parts.missing)(
  `the balancer of deploy/ passes calls and sockets to nodes, and goes on with one of them${parts.note}`,
  async () => {
    const folder = await temporaryFolder();
    onTestFinished(() => folder.remove());
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const cluster = await TestCluster.start(2, {
      ...{ fixtures: starfall, limits: 'off', publicUrl: url, trustedProxies: ['127.0.0.1'], drainTimeoutMs: 1000 },
    });
    onTestFinished(() => cluster.close());

    // Other ports and paths; everything else is what is deployed.
    const portOf = (at: number) => new URL(cluster.node(at).controlBase).port;
    const template = readFileSync(join(import.meta.dirname, '../../deploy/nginx.conf'), 'utf8')
      .replace('172.30.89.11:8910', `127.0.0.1:${portOf(0)}`)
      .replace('172.30.89.12:8910', `127.0.0.1:${portOf(1)}`)
      .replace('listen 80;', `listen 127.0.0.1:${port};`);
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      name => `${name}_temp_path ${folder.path}/${name};`,
    );
    const user = process.geteuid?.() === 0 ? 'user root;' : '';
    const config = join(folder.path, 'whole.conf');
    writeFileSync(
      config,
      `${user} daemon off; pid ${folder.path}/pid; error_log stderr notice; worker_processes 1; events {}
     http { access_log off; ${places.join(' ')} ${template} }`,
    );
    const nginx = await startServer('nginx', ['-c', config, '-e', 'stderr'], /start worker process/);
    onTestFinished(() => nginx.end());

    const balanced = { apiBase: `${url}/api`, webBase: url, gateway: `${url.replace('http', 'ws')}/gateway` };
    const token = `Bearer ${await playerToken({ ...cluster.node(0), ...balanced }, ada.id)}`;
    const client = await GatewayClient.identified(balanced.gateway, { token, intents: intents.LOBBIES });
    const { id } = (await callApi(balanced, 'POST', '/lobbies', {})).body as { id: string };
    await callApi(balanced, 'PUT', `/lobbies/${id}/members/${ada.id}`, {});
    await client.dispatch('LOBBY_CREATE');

    // The session continues at the other node.
    const metrics = await Promise.all([0, 1].map(at => cluster.node(at).metrics()));
    const at = metrics.findIndex(text => text.includes('rallypoint_gateway_sessions{state="connected"} 1'));
    await Promise.all([client.closed, cluster.node(at).close()]);
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async () => (await callApi(balanced, 'GET', `/lobbies/${id}`)).status),
    );
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 200));
    const resumed = await GatewayClient.resumed(balanced.gateway, token, client);
    await resumed.dispatch('RESUMED');
    await resumed.end();
  },
);
