import type { ComponentChildren } from 'preact';
import { words } from '../words/en.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** What stands where nothing is: it says what would be here, and how it comes to be. */
export function EmptyState({
  title,
  text,
  role,
  isWhole,
  children,
}: {
  readonly title: string;
  readonly text?: ComponentChildren;
  readonly role?: 'alert';
  /** It is the whole view, so its title is the page's. */
  readonly isWhole?: boolean;
  /** What one can do about it. */
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty" role={role}>
      {isWhole ? <h1>{title}</h1> : <h2>{title}</h2>}
      {text !== undefined && <p>{text}</p>}
      {children !== undefined && <div class="empty-acts">{children}</div>}
    </div>
  );
}

export function Loading() {
  return (
    <p class="loading" role="status">
      {words.kit.loading}
    </p>
  );
}

/** An error in its place, with a way to try again. */
export function ErrorNote({ error, onRetry }: { readonly error: { readonly message: string }; onRetry?(): void }) {
  return (
    <div class="error-note" role="alert">
      <Icon name="warning" />
      <span>{error.message}</span>
      {onRetry && <Button onClick={onRetry}>{words.kit.retry}</Button>}
    </div>
  );
}

/** A view that waits for what it needs, or that cannot have it. */
export function Unready({
  title,
  isAnswered,
  error,
  onRetry,
}: {
  readonly title: string;
  /** The service has answered: with something else than the view needs. */
  readonly isAnswered: boolean;
  readonly error: { readonly message: string } | undefined;
  onRetry(): void;
}) {
  const shown = error ?? (isAnswered ? { message: words.control.unlike } : undefined);
  return (
    <>
      <div class="view-head">
        <h1>{title}</h1>
      </div>
      {shown ? <ErrorNote error={shown} onRetry={onRetry} /> : <Loading />}
    </>
  );
}
