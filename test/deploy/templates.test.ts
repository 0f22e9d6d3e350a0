import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readServeOptions, serveEnvironment } from '../../src/cli/serve-options.ts';
import { slowOpenMsMax } from '../../src/service/open-shared.ts';
import { startService } from '../../src/service/service.ts';
import { runtimeLimits } from '../../src/service/support/service-limits.ts';
import { metricTable } from '../../src/service/telemetry/metric-table.ts';
import type { Fixtures } from '../../src/service/testing/fixtures/document.ts';
import { needs } from '../support/runs/parts.ts';
import { callApi } from '../support/service/starfall.ts';

/** The templates of deploy/: their commands and settings are read by the command's own table. */

const folder = join(import.meta.dirname, '../../deploy');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

interface ComposeService {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly stop_grace_period: string;
  readonly networks: { readonly default: { readonly ipv4_address: string } };
  readonly restart: string;
  readonly volumes?: readonly string[];
}
interface Compose {
  readonly services: Readonly<Record<'balancer' | 'node-1' | 'node-2' | 'postgres' | 'redis', ComposeService>>;
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}
interface Container {
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}
interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly stringData: Readonly<Record<string, string>>;
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: { readonly containers: readonly Container[]; readonly terminationGracePeriodSeconds: number };
    };
    readonly selector: { readonly matchLabels: object };
    readonly maxUnavailable: number;
    readonly replicas: number;
  };
}

const compose = parse(read('compose.yaml'), { merge: true }) as Compose;
const objects = parseAllDocuments(read('kubernetes.yaml')).map(document => {
  expect(document.errors).toEqual([]);
  return document.toJS() as KubernetesObject;
});
const objectOf = (kind: string) => {
  const found = objects.find(object => object.kind === kind);
  if (!found) throw new Error(`There is no ${kind}.`);
  return found;
};
const unit = read('rallypoint.service');
const unitCommand = /^ExecStart=\S+ \S+ (.+)$/m.exec(unit)?.[1]?.split(' ') ?? [];
const environmentFile = Object.fromEntries(
  [...read('rallypoint.env').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
);
const dockerfile = read('Dockerfile');
const dockerJson = (instruction: string) =>
  JSON.parse(new RegExp(`^${instruction} (?:.* )?(\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? '[]') as string[];

const { template } = objectOf('Deployment').spec;
const [container] = template.spec.containers as [Container];
const { 'node-1': first, 'node-2': second, balancer } = compose.services;

const addressOf = (service: ComposeService) => service.networks.default.ipv4_address;

const systemd = await needs('systemd');

describe('the templates for a deployment', () => {
  it.each([
    ['compose.yaml, node-1', first.command, first.environment],
    ['compose.yaml, node-2', second.command, second.environment],
    ['kubernetes.yaml', container.args, objectOf('Secret').stringData],
    ['rallypoint.service', unitCommand, environmentFile],
    ['Dockerfile', dockerJson('CMD'), environmentFile],
  ])('%s starts a node with options and variables that exist', (_, [command, ...args], environment) => {
    expect(command).toBe('serve');
    expect(readServeOptions(args, environment)).toMatchObject({
      ...{ port: 8910, opsPort: 9464, host: '0.0.0.0', signIn: 'password' },
      shared: { secrets: [expect.stringMatching(/^.{32,}$/)] },
    });
    expect(Object.keys(environment).toSorted()).toEqual(Object.values(serveEnvironment).toSorted());
  });

  it('give a node the time to drain', () => {
    const drainS = runtimeLimits.drainTimeoutMs / 1000;
    const graces = [first, second].map(node => Number.parseInt(node.stop_grace_period, 10));
    graces.push(template.spec.terminationGracePeriodSeconds - 5, Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]));
    for (const grace of graces) expect(grace).toBeGreaterThan(drainS);
  });

  it('give a node the time to start, and try again when it could not', () => {
    const { periodSeconds, failureThreshold } = container.startupProbe;
    expect(periodSeconds * failureThreshold).toBeGreaterThan(slowOpenMsMax / 1000);
    // By default systemd gives up after five starts in ten seconds.
    expect(Number(/^RestartSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(2);
  });

  it('probe what the service answers, at the port where it does', () => {
    const ports = new Map(container.ports.map(({ name, containerPort }) => [name, containerPort]));
    expect(ports.get('ops')).toBe(9464);
    for (const probe of [container.startupProbe, container.readinessProbe, container.livenessProbe])
      expect(probe.httpGet.port).toBe('ops');
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
    expect(container.livenessProbe.httpGet.path).toBe('/healthz');
    expect(dockerJson('HEALTHCHECK').join(' ')).toContain('http://127.0.0.1:9464/readyz');
  });

  it('select the pods of the deployment, and disturb one at a time', () => {
    const { maxUnavailable, selector } = objectOf('PodDisruptionBudget').spec;
    expect([maxUnavailable, selector.matchLabels]).toEqual([1, template.metadata.labels]);
    expect(objectOf('Service').spec.selector).toEqual(template.metadata.labels);
    expect(objectOf('Deployment').spec.replicas).toBeGreaterThan(maxUnavailable);
  });

  // nginx looks names up only when it starts: a node that got another address would be lost to it.
  it('balance over the nodes that compose starts, by addresses that stay the same when a node is replaced', () => {
    const upstreams = [...read('nginx.conf').matchAll(/server (\S+):(\d+)/g)].map(([, name, port]) => [name, port]);
    expect(upstreams).toEqual([first, second].map(node => [addressOf(node), '8910']));
  });

  it('trust what the balancer of compose says of its clients', () => {
    for (const node of [first, second])
      expect(readServeOptions(node.command.slice(1), node.environment)?.trustedProxies).toEqual([addressOf(balancer)]);
  });

  it('start everything of compose again after the machine was restarted', () => {
    const policies = Object.entries(compose.services).map(([name, { restart }]) => [name, restart]);
    expect(policies).toEqual(Object.keys(compose.services).map(name => [name, 'unless-stopped']));
  });

  it('mount files that are there, and start with an application and users of which each has a password', async () => {
    const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) =>
      volumes.filter(volume => volume.startsWith('./')).map(volume => volume.slice(2).split(':')[0]),
    );
    expect(new Set(mounted)).toEqual(new Set(['fixtures.json', 'nginx.conf']));
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(mounted));

    const fixtures = JSON.parse(read('fixtures.json')) as Fixtures;
    const service = await startService({ fixtures, clock: 'virtual', port: 0, signIn: 'password' });
    onTestFinished(() => service.close());
    const [application] = fixtures.applications ?? [];
    expect(
      (
        await callApi(service, 'GET', '/applications/@me', undefined, {
          authorization: `Bot ${application?.bot_token}`,
        })
      ).status,
    ).toBe(200);
    expect(fixtures.users?.map(({ password }) => password)).toEqual([
      'change-me-password-of-ada',
      'change-me-password-of-grace',
    ]);
  });

  it('run as a user without rights', () => {
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(unit).toMatch(/^DynamicUser=yes$/m);
    expect(template.spec).toMatchObject({ securityContext: { runAsNonRoot: true } });
  });

  it('are monitored by metrics that exist', () => {
    const page = readFileSync(join(folder, '../docs/operations.md'), 'utf8');
    const named = [...page.matchAll(/\b(rallypoint_[a-z_]+?)(?:_bucket)?\b/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(name => name === undefined || !Object.hasOwn(metricTable, name))).toEqual([]);
  });

  it.skipIf(systemd.missing)(`are a unit that systemd accepts${systemd.note}`, async () => {
    const place = mkdtempSync(join(tmpdir(), 'rallypoint-unit-'));
    try {
      // The program must be there.
      writeFileSync(join(place, 'rallypoint.service'), unit.replace('/usr/bin/node', process.execPath));
      const { stdout, stderr } = await promisify(execFile)('systemd-analyze', [
        'verify',
        join(place, 'rallypoint.service'),
      ]);
      expect(`${stdout}${stderr}`.split('\n').filter(line => line.includes(place))).toEqual([]);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
});
