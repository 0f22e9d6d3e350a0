import type { Cancel } from '../../wire/clock/ports.ts';
import type { Bus } from '../bus/contract.ts';
import { topics } from '../events/announcement.ts';
import type { Store } from '../store/contract.ts';
import type { Cluster } from './contract.ts';

/** What one node tells all nodes of its cluster, itself included. */
export type Notice =
  /** The whole state was replaced: by a reset or a snapshot. */
  | { readonly kind: 'state_replaced' }
  /** Requests without a credential from this address are blocked. */
  | { readonly kind: 'blocked'; readonly address: string; readonly blockMs: number }
  /** Faults are armed on every node; the one that sends it has armed them already. */
  | {
      readonly kind: 'faults';
      readonly from: string;
      readonly faults: readonly { readonly id: string; readonly document: unknown }[];
    }
  | { readonly kind: 'faults_cleared'; readonly from: string };

type NoticeOf<Kind extends Notice['kind']> = Extract<Notice, { readonly kind: Kind }>;

/**
 * Notices are events: they are committed, every live node receives each once, in one order, and a node that was away receives them
 * when it is back.
 */
export interface Notices {
  /** Resolves when this node has received it. */
  send(notice: Notice): Promise<void>;
  on<Kind extends Notice['kind']>(kind: Kind, listener: (notice: NoticeOf<Kind>) => void): Cancel;
}

interface NoticeParts {
  readonly store: Store;
  readonly bus: Bus;
  readonly cluster: Cluster | undefined;
}

/** @returns undefined for a service on its own */
export function createNotices({ store, bus, cluster }: NoticeParts): Notices | undefined {
  if (!cluster) return undefined;
  return {
    async send(notice) {
      await store.transact(topics.nodes, transaction => transaction.announce({ to: topics.nodes, notice }));
      await cluster.caughtUp();
    },
    on(kind, listener) {
      return bus.subscribe(topics.nodes, ({ notice }) => {
        const given = notice as Notice | undefined;
        if (given?.kind === kind) listener(given as NoticeOf<typeof kind>);
      }) as Cancel;
    },
  };
}
