import { type Service, type ServiceOptions, startService } from '../../../src/service/index.ts';
import { temporaryFolder } from '../runs/folder.ts';
import { needs } from '../runs/parts.ts';
import { TestCluster } from './test-cluster.ts';

/** Where a property of concurrent changes is tested: what users do is spread over two services, which may be one and the same. */
export interface ServicePlace {
  readonly place: string;
  /** How often the property runs there. */
  readonly runs: number;
  /** The system part that it needs and that is not here. */
  readonly missing: string | undefined;
  open(): Promise<{ readonly services: readonly [Service, Service]; close(): Promise<void> }>;
}

/** @param runs in each place; a place without is left out. The tests on shared engines in every run have one node: two take too long. */
export async function servicePlaces(
  options: ServiceOptions,
  runs: { readonly memory: number; readonly disk?: number; readonly nodes: number },
): Promise<readonly ServicePlace[]> {
  const engines = await needs('postgres', 'redis');
  const one = async (more: ServiceOptions, end = async () => {}) => {
    const service = await startService({ ...options, ...more });
    return { services: [service, service], close: () => service.close().then(end) } as const;
  };
  const onDisk = async () => {
    const folder = await temporaryFolder();
    return one({ data: folder.path }, () => folder.remove());
  };
  const onNodes = async () => {
    const cluster = await TestCluster.start(2, options);
    const [here, there] = cluster.nodes as [Service, Service];
    return { services: [here, there], close: () => cluster.close() } as const;
  };
  return [
    { place: 'in memory', runs: runs.memory, missing: undefined, open: () => one({}) },
    ...(runs.disk === undefined ? [] : [{ place: 'on disk', runs: runs.disk, missing: undefined, open: onDisk }]),
    { place: `on two nodes${engines.note}`, runs: runs.nodes, missing: engines.missing, open: onNodes },
  ];
}
