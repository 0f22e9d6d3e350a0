import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { hrefOf, navigate } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { ListWithDetail } from '../../ui/detail.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { worldWords } from '../../words/en/world.ts';
import type { Part } from './parts.ts';
import type { Pages } from './use-pages.ts';

/** A part of the world as a list, one of its entries open beside it, and a form that adds one. */
export function WorldList<Row extends { readonly id: string }>({
  part,
  pages,
  columns,
  openId,
  search = '',
  filters,
  addLabel,
  empty,
  emptyHint,
  detail,
  form,
}: {
  readonly part: Part;
  readonly pages: Pages<Row>;
  readonly columns: readonly Column<Row>[];
  readonly openId: string | undefined;
  /** Stays in the address. */
  readonly search?: string;
  /** Shown before the button that adds one. */
  readonly filters?: ComponentChildren;
  /** Undefined: nothing can be added. */
  readonly addLabel?: string;
  readonly empty: string;
  readonly emptyHint: string;
  detail(id: string, closeHref: string): ComponentChildren;
  /** @param onSaved with the new entry's id */
  form?(onSaved: (id: string) => void, onClose: () => void): ComponentChildren;
}) {
  const [isCreating, setCreating] = useState(false);
  const closeHref = hrefOf('world', [part], { search });
  const add = addLabel !== undefined && (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      {addLabel}
    </Button>
  );
  return (
    <div class="world-part">
      <ListWithDetail
        storageKey={`world-${part}`}
        closeHref={closeHref}
        list={
          <div class="world-list">
            {(filters || add) && (
              <div class={filters ? 'world-filters' : 'row'}>
                {filters}
                {add}
              </div>
            )}
            <FailureNote failure={pages.failure} onRetry={pages.reload} />
            {pages.rows.length === 0 && !pages.hasMore ? (
              <EmptyState title={empty} text={emptyHint} />
            ) : (
              <Table
                label={worldWords.tabs[part]}
                rows={pages.rows}
                keyOf={({ id }) => id}
                selectedKey={openId}
                onOpen={({ id }) => navigate(hrefOf('world', [part, id], { search }))}
                onNearEnd={pages.loadMore}
                {...(pages.isLoading && { footer: <Loading /> })}
                columns={columns}
              />
            )}
          </div>
        }
        detail={openId !== undefined && detail(openId, closeHref)}
      />
      {isCreating &&
        form?.(
          id => {
            setCreating(false);
            pages.reload();
            navigate(hrefOf('world', [part, id]));
          },
          () => setCreating(false),
        )}
    </div>
  );
}
