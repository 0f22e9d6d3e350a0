import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readServeOptions, serveEnvironment } from '../../src/cli/serve-options.ts';
import { runtimeLimits } from '../../src/service/support/service-limits.ts';
import { metricTable } from '../../src/service/telemetry/metric-table.ts';
import { isOnPath } from '../support/runs/on-path.ts';

/** The templates of deploy/: their commands and settings are read by the command's own table. */

const folder = join(import.meta.dirname, '../../deploy');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

interface ComposeNode {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly stop_grace_period: string;
}
interface Compose {
  readonly services: Readonly<Record<string, ComposeNode & { readonly volumes?: readonly string[] }>>;
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
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
const { 'node-1': first, 'node-2': second } = compose.services as Record<'node-1' | 'node-2', ComposeNode>;

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

  it('balance over the nodes that compose starts', () => {
    const upstreams = [...read('nginx.conf').matchAll(/server (\S+):(\d+)/g)].map(([, name, port]) => [name, port]);
    expect(upstreams).toEqual([
      ['node-1', '8910'],
      ['node-2', '8910'],
    ]);
    const [, mounted] = /^\.\/([\w.]+):/.exec(compose.services.balancer?.volumes?.[0] ?? '') ?? [];
    expect(readdirSync(folder)).toContain(mounted);
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

  it.skipIf(!isOnPath('systemd-analyze'))('are a unit that systemd accepts', async () => {
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
