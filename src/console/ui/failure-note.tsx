import type { Failure } from '../control/use-run.ts';
import { words } from '../words/en.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** What failed, in words, and every issue that no field of the form shows. */
export function FailureNote({
  failure,
  shown = [],
  onRetry,
}: {
  readonly failure: Failure | undefined;
  /** First steps of the paths whose issues stand at their fields. */
  readonly shown?: readonly string[];
  onRetry?(): void;
}) {
  if (!failure) return null;
  const rest = failure.issues.filter(({ path }) => !shown.includes(path[0] ?? ''));
  return (
    <div class="error-note" role="alert">
      <Icon name="warning" />
      <div>
        <p>{failure.message}</p>
        {rest.length > 0 && (
          <ul>
            {rest.map(({ path, message }) => (
              <li key={`${path.join('.')} ${message}`}>
                {path.length > 0 && <code>{path.join('.')}</code>} {message}
              </li>
            ))}
          </ul>
        )}
      </div>
      {onRetry && <Button onClick={onRetry}>{words.kit.retry}</Button>}
    </div>
  );
}
