import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

export interface Tab<Id extends string = string> {
  readonly id: Id;
  readonly label: ComponentChildren;
  /** Shown beside the label, for example how many there are. */
  readonly count?: number;
}

/** Tabs with their panel. Left, Right, Home and End move. The caller keeps which one is open, most often in the hash. */
export function Tabs<Id extends string>({
  label,
  tabs,
  open,
  onOpen,
  children,
}: {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly open: Id;
  onOpen(id: Id): void;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const at = Math.max(
    0,
    tabs.findIndex(tab => tab.id === open),
  );
  const onKeyDown = (event: KeyboardEvent) => {
    const target = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const index = (target + tabs.length) % tabs.length;
    const tab = tabs[index];
    if (!tab) return;
    onOpen(tab.id);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[index]?.focus();
  };
  return (
    <div class="tabs">
      <div ref={list} class="tab-list" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab, index) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={index === at}
            aria-controls={`${id}-panel`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => onOpen(tab.id)}
          >
            {tab.label}
            {tab.count !== undefined && <span class="badge">{tab.count}</span>}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} class="tab-panel" role="tabpanel" aria-labelledby={`${id}-${tabs[at]?.id}`} tabIndex={0}>
        {children}
      </div>
    </div>
  );
}
