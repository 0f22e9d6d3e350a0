import type { ComponentChildren } from 'preact';
import { navigate } from '../router.ts';
import { words } from '../words/en.ts';
import { CopyButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { Split } from './split.tsx';
import { ErrorNote, Loading } from './states.tsx';

/** A list, and the details of what is open in it. Escape closes them and leads back to the row, unless it belongs to a field or a dialog. */
export function ListWithDetail({
  storageKey,
  list,
  detail,
  closeHref,
}: {
  readonly storageKey: string;
  readonly list: ComponentChildren;
  /** Undefined: nothing is open. */
  readonly detail: ComponentChildren;
  /** The address of the list alone. */
  readonly closeHref: string;
}) {
  const isOpen = detail !== undefined && detail !== false;
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
    const isElsewhere = event.target instanceof Element && event.target.closest('dialog, input, textarea, select');
    if (event.key !== 'Escape' || event.defaultPrevented || !isOpen || isElsewhere) return;
    event.preventDefault();
    const frame = event.currentTarget;
    navigate(closeHref);
    requestAnimationFrame(() => frame.querySelector<HTMLElement>('[role=row][tabindex="0"]')?.focus());
  };
  return (
    <div class="list-with-detail" onKeyDown={onKeyDown}>
      <Split storageKey={storageKey} main={list} side={detail} />
    </div>
  );
}

/** The details of one thing, with its id to copy and a way to close them. */
export function Detail({
  title,
  id,
  closeHref,
  children,
}: {
  readonly title: ComponentChildren;
  readonly id: string;
  readonly closeHref: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="detail stack" aria-label={typeof title === 'string' ? title : id}>
      <div class="detail-head">
        <h2>{title}</h2>
        <CopyButton text={id} label={words.kit.copy} isBare />
        <a class="button quiet" href={closeHref} aria-label={words.kit.close} title={words.kit.close}>
          <Icon name="close" />
        </a>
      </div>
      {children}
    </section>
  );
}

/** Stands in place of details that are being read, or cannot be. */
export function PendingDetail({
  id,
  closeHref,
  error,
  onRetry,
}: {
  readonly id: string;
  readonly closeHref: string;
  readonly error: { readonly message: string } | undefined;
  onRetry(): void;
}) {
  return (
    <Detail title={id} id={id} closeHref={closeHref}>
      {error ? <ErrorNote error={error} onRetry={onRetry} /> : <Loading />}
    </Detail>
  );
}
