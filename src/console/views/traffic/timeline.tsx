import { useEffect, useMemo, useState } from 'preact/hooks';
import type { TrafficEntry } from '../../../wire/control/traffic.ts';
import { isClockVirtual } from '../../control/clock.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { eventTimeText } from '../../ui/text/time.ts';
import { words } from '../../words/en/traffic.ts';
import { type Description, describe, type Names } from './describe.ts';
import type { TrafficFeed } from './feed.ts';

const rowHeight = 30;

/**
 * The list. It follows the newest entry at its end; it stands still while it is paused, while the pointer or the focus is in it, and
 * while somebody reads further up: nothing moves under the pointer.
 */
export function Timeline({
  feed,
  names,
  isPaused,
  openedId,
  onOpen,
}: {
  readonly feed: TrafficFeed;
  readonly names: Names;
  readonly isPaused: boolean;
  readonly openedId: string | undefined;
  onOpen(entry: TrafficEntry): void;
}) {
  const [isAtEnd, setAtEnd] = useState(true);
  const [isPointed, setPointed] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const isHeld = isPaused || isPointed || hasFocus || !isAtEnd;
  useEffect(() => feed.hold(isHeld), [feed, isHeld]);
  const isVirtual = isClockVirtual.value;
  const columns = useMemo(() => columnsOf(names, isVirtual), [names, isVirtual]);
  const pending = feed.pendingCount.value;
  const show = () => {
    feed.release();
    setAtEnd(true);
  };
  return (
    <div
      class="traffic-list"
      onPointerEnter={event => setPointed(event.pointerType === 'mouse')}
      onPointerLeave={() => setPointed(false)}
      onFocusIn={event => setFocus(event.target instanceof Element && event.target.matches('[role=row]'))}
      onFocusOut={() => setFocus(false)}
    >
      <Table
        label={words.list}
        columns={columns}
        rows={feed.entries.value}
        keyOf={keyOf}
        selectedKey={openedId}
        rowHeight={rowHeight}
        classOf={classOf}
        onOpen={onOpen}
        isAtEnd={isAtEnd}
        onAtEnd={setAtEnd}
        onNearStart={() => void feed.loadOlder()}
      />
      {isHeld && pending > 0 && (
        <div class="traffic-pending">
          <Button kind="primary" icon="down" title={words.held} onClick={show}>
            {isPaused ? words.pendingOnly(pending) : words.showPending(pending)}
          </Button>
        </div>
      )}
      {!isAtEnd && pending === 0 && (
        <div class="traffic-pending">
          <Button icon="down" onClick={() => setAtEnd(true)}>
            {words.toNewest}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Colours tell kinds apart where there is no room for their column; what was caused is set in. */
function classOf({ kind, cause }: TrafficEntry): string {
  return cause === null ? `traffic-row-${kind}` : `traffic-row-${kind} caused`;
}

function keyOf({ id }: TrafficEntry): string {
  return String(id);
}

function columnsOf(names: Names, isVirtual: boolean): readonly Column<TrafficEntry>[] {
  const { columns } = words;
  const described = new WeakMap<TrafficEntry, Description>();
  const read = (entry: TrafficEntry) => {
    const known = described.get(entry) ?? describe(entry, names);
    described.set(entry, known);
    return known;
  };
  return [
    {
      id: 'time',
      label: columns.time,
      width: isVirtual ? '9.25rem' : '6.5rem',
      cell: ({ at_ms, id }) => <span class="mono">{eventTimeText(at_ms, id)}</span>,
    },
    {
      id: 'kind',
      label: columns.kind,
      width: '5.25rem',
      isMinor: true,
      cell: ({ kind, cause }) => (
        <span class={`traffic-kind ${kind}${cause === null ? '' : ' caused'}`}>{words.kinds[kind] ?? kind}</span>
      ),
    },
    {
      id: 'what',
      label: columns.what,
      width: 'minmax(0, 3fr)',
      cell: entry => {
        const { what, more } = read(entry);
        return (
          <>
            <span class="mono traffic-what">{what}</span> <span class="soft small">{more}</span>
          </>
        );
      },
    },
    {
      id: 'who',
      label: columns.who,
      width: 'minmax(0, 1fr)',
      isMinor: true,
      cell: entry => read(entry).who,
    },
    {
      id: 'result',
      label: columns.result,
      width: 'minmax(3rem, .6fr)',
      cell: entry => {
        const { result, tone } = read(entry);
        return <span class={`traffic-result ${tone}`}>{result}</span>;
      },
    },
    {
      id: 'took',
      label: columns.took,
      width: '4.5rem',
      isMinor: true,
      isNumber: true,
      cell: entry => read(entry).took,
    },
  ];
}
