import type { TrafficDetails, TrafficEntry, TrafficPage } from '../../../wire/control/traffic.ts';
import { useControl } from '../../control/use-control.ts';
import { hrefOf, type RouteQuery } from '../../router.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { words } from '../../words/en/traffic.ts';
import { describe, type Names } from './describe.ts';

const entriesShownMax = 200;

interface TreeNode {
  readonly entry: TrafficEntry;
  readonly effects: TreeNode[];
}

/** What caused the entry, from the first cause on, and all that this caused. */
export function CauseTree({
  details,
  names,
  query,
}: {
  readonly details: TrafficDetails;
  readonly names: Names;
  readonly query: RouteQuery;
}) {
  const { entry, causes, effects } = details;
  const root = causes[0] ?? entry;
  const { data, error, reload } = useControl<TrafficPage>('/traffic', {
    query: { chain: root.id, limit: entriesShownMax },
  });
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  const all = [...causes, entry, ...effects, ...(data?.entries ?? [])];
  const tree = treeOf(root, all);
  if (tree.effects.length === 0) return <p class="hint">{words.detail.alone}</p>;
  return (
    <>
      <ul class="traffic-tree">
        <Branch node={tree} openedId={entry.id} names={names} query={query} />
      </ul>
      {(data?.entries.length ?? 0) >= entriesShownMax && <p class="hint">{words.detail.treeCut}</p>}
      {data?.truncated && <p class="hint">{words.detail.truncated}</p>}
    </>
  );
}

function Branch({
  node,
  openedId,
  names,
  query,
}: {
  readonly node: TreeNode;
  readonly openedId: number;
  readonly names: Names;
  readonly query: RouteQuery;
}) {
  const { entry, effects } = node;
  const { what, more, result, tone } = describe(entry, names);
  return (
    <li>
      <a
        class="traffic-node"
        href={hrefOf('traffic', [String(entry.id)], query)}
        aria-current={entry.id === openedId ? 'true' : undefined}
      >
        <span class={`traffic-kind ${entry.kind}`}>{words.kinds[entry.kind] ?? entry.kind}</span>
        <span class="mono">{what}</span>
        <span class="soft small">{more}</span>
        <span class={`traffic-result ${tone}`}>{result}</span>
      </a>
      {effects.length > 0 && (
        <ul>
          {effects.map(effect => (
            <Branch key={effect.entry.id} node={effect} openedId={openedId} names={names} query={query} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** Entries as a tree below `root`. Causes have lower ids than effects, so that no entry can be below itself. */
export function treeOf(root: TrafficEntry, entries: readonly TrafficEntry[]): TreeNode {
  const nodes = new Map<number, TreeNode>([[root.id, { entry: root, effects: [] }]]);
  const rest = new Map(entries.map(entry => [entry.id, entry]));
  rest.delete(root.id);
  for (const entry of [...rest.values()].sort((a, b) => a.id - b.id)) {
    const cause = entry.cause === null ? undefined : nodes.get(entry.cause);
    if (!cause) continue;
    const node = { entry, effects: [] };
    nodes.set(entry.id, node);
    cause.effects.push(node);
  }
  return nodes.get(root.id) ?? { entry: root, effects: [] };
}
