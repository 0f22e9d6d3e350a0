import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Column<Row> {
  readonly id: string;
  readonly label: string;
  /** The width as CSS grid has it: `8rem`, `1fr`, `minmax(6rem, 1fr)`. Default: `1fr`. */
  readonly width?: string;
  readonly isNumber?: boolean;
  /** Left out on small screens. */
  readonly isMinor?: boolean;
  cell(row: Row): ComponentChildren;
}

export interface TableProps<Row> {
  /** What the table is called, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  readonly selectedKey?: string | undefined;
  /** Enter or a click. */
  onOpen?(row: Row): void;
  /** Which rows are in the page: called whenever they change, the last one exclusive. */
  onSeen?(first: number, last: number): void;
  /** The end of the rows is near: more can be read. */
  onNearEnd?(): void;
  /** The start of the rows is near: older ones can be put before them. What is in sight then stays where it is. */
  onNearStart?(): void;
  /** Keeps the last row in sight while rows are added. */
  readonly isAtEnd?: boolean;
  /** The reader scrolled away from the end, or back to it. */
  onAtEnd?(isAtEnd: boolean): void;
  /** Shown behind the last row, such as that more are being read. */
  readonly footer?: ComponentChildren;
  /** In pixels; all rows have it. */
  readonly rowHeight?: number;
  /** Further classes of a row. */
  classOf?(row: Row): string | undefined;
}

const rowHeightDefault = 34;
const overscan = 8;

/**
 * A table of which only the rows in sight are in the page, so that 100,000 rows cost no more than 50. It fills the height that it is given.
 * Up, Down, Page Up, Page Down, Home and End move; Enter opens.
 */
export function Table<Row>(props: TableProps<Row>) {
  const {
    label,
    columns,
    rows,
    keyOf,
    selectedKey,
    onOpen,
    onNearEnd,
    onNearStart,
    isAtEnd,
    onAtEnd,
    footer,
    rowHeight = rowHeightDefault,
    classOf,
  } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState<readonly [first: number, last: number]>([0, 30]);
  /** The row that Tab leads to and the keys move: its key, because rows may come before it. */
  const [activeKey, setActiveKey] = useState<string>();
  const active = activeIndex();
  const isFocusWanted = useRef(false);

  function activeIndex(): number {
    const wanted = activeKey ?? selectedKey;
    if (wanted === undefined) return 0;
    const found = rows.findIndex(row => keyOf(row) === wanted);
    return Math.max(0, found);
  }

  const measure = () => {
    const element = scroller.current;
    if (!element) return;
    const top = Math.floor(element.scrollTop / rowHeight);
    const topRow = rows[top];
    if (topRow) anchor.current = { key: keyOf(topRow), index: top };
    const first = Math.max(0, top - overscan);
    const last = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + overscan;
    setRange(range => (range[0] === first && range[1] === last ? range : [first, last]));
    if (last >= rows.length) onNearEnd?.();
    if (first === 0) onNearStart?.();
  };
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  });
  /** The row at the upper edge, by which the scroll position is found again when rows come before it. */
  const anchor = useRef<{ readonly key: string; readonly index: number } | undefined>(undefined);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && isAtEnd) element.scrollTop = element.scrollHeight;
    else if (element && onNearStart && anchor.current) {
      const { key, index } = anchor.current;
      const moved = rows.findIndex(row => keyOf(row) === key) - index;
      if (moved > -index) element.scrollTop += moved * rowHeight;
    }
    measure();
  }, [rows, rowHeight, isAtEnd]);
  useEffect(
    () => props.onSeen?.(Math.min(range[0], rows.length), Math.min(range[1], rows.length)),
    [range, rows.length],
  );
  useLayoutEffect(() => {
    if (!isFocusWanted.current) return;
    const row = scroller.current?.querySelector<HTMLElement>('[role=row][tabindex="0"]');
    if (!row) return;
    isFocusWanted.current = false;
    row.focus({ preventScroll: true });
  });

  const onScroll = () => {
    measure();
    const element = scroller.current;
    if (!element || !onAtEnd) return;
    const isEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - rowHeight / 2;
    if (isEnd !== isAtEnd) onAtEnd(isEnd);
  };
  const moveTo = (index: number) => {
    const target = Math.max(0, Math.min(rows.length - 1, index));
    const row = rows[target];
    const element = scroller.current;
    if (!row || !element) return;
    const head = element.querySelector<HTMLElement>('.table-head')?.offsetHeight ?? 0;
    const top = target * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight - head) {
      element.scrollTop = top + rowHeight - element.clientHeight + head;
    }
    isFocusWanted.current = true;
    setActiveKey(keyOf(row));
    measure();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey || isInControl(event)) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2);
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    const row = rows[active];
    if (steps[event.key] !== undefined) moveTo(active + (steps[event.key] ?? 0));
    else if (event.key === 'Home') moveTo(0);
    else if (event.key === 'End') moveTo(rows.length - 1);
    else if ((event.key === 'Enter' || event.key === ' ') && row && onOpen) onOpen(row);
    else return;
    event.preventDefault();
  };

  const [first, last] = [Math.min(range[0], Math.max(0, rows.length - 1)), Math.min(range[1], rows.length)];
  const shown = rows.slice(first, last).map((row, index) => ({ row, index: first + index }));
  // The row with the focus stays in the page while it is scrolled out of sight.
  const activeRow = rows[active];
  if (activeRow && (active < first || active >= last)) shown.push({ row: activeRow, index: active });
  const small = columns.filter(({ isMinor }) => !isMinor);

  return (
    <div
      ref={scroller}
      class="table"
      style={{ '--columns': template(columns), '--columns-small': template(small), '--row': `${rowHeight}px` }}
      onScroll={onScroll}
    >
      <div
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length}
        onKeyDown={onKeyDown}
      >
        <div class="table-head" role="row" aria-rowindex={1}>
          {columns.map(({ id, label, isNumber, isMinor }) => (
            <span key={id} role="columnheader" class={cellClass(isNumber, isMinor)}>
              {label}
            </span>
          ))}
        </div>
        <div class="table-rows" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
          {shown.map(({ row, index }) => {
            const key = keyOf(row);
            return (
              <div
                key={key}
                data-key={key}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={onOpen && key === selectedKey}
                tabIndex={index === active ? 0 : -1}
                class={`table-row ${onOpen ? 'opens' : ''} ${classOf?.(row) ?? ''}`}
                style={{ transform: `translateY(${index * rowHeight}px)` }}
                onClick={event => {
                  setActiveKey(key);
                  if (!isInControl(event)) onOpen?.(row);
                }}
                onFocus={() => setActiveKey(key)}
              >
                {columns.map(column => (
                  <span key={column.id} role="gridcell" class={cellClass(column.isNumber, column.isMinor)}>
                    {column.cell(row)}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {footer !== undefined && <div class="table-foot">{footer}</div>}
    </div>
  );
}

function template(columns: readonly { readonly width?: string }[]): string {
  return columns.map(({ width = 'minmax(0, 1fr)' }) => width).join(' ');
}

function cellClass(isNumber = false, isMinor = false): string {
  return `cell${isNumber ? ' number' : ''}${isMinor ? ' minor' : ''}`;
}

/** Whether the event belongs to a control inside a row. */
export function isInControl(event: Event): boolean {
  return event.target instanceof Element && event.target.closest('a, button, input, select, textarea') !== null;
}
