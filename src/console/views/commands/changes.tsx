import { formatPath } from '../../../model/errors/issue.ts';
import type { CommandChange } from '../../../model/rules/commands/command-diff.ts';
import { commandWords as words } from '../../words/en/commands.ts';

/** The fields in which two commands differ. */
export function Changes({ changes, label }: { readonly changes: readonly CommandChange[]; readonly label: string }) {
  return (
    <table class="commands-changes" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{words.diff.path}</th>
          <th scope="col">{words.diff.before}</th>
          <th scope="col">{words.diff.after}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ path, before, after }) => (
          <tr key={path.join('\n')}>
            <th scope="row" class="mono">
              {formatPath(path)}
            </th>
            <td>
              <Value value={before} kind="del" />
            </td>
            <td>
              <Value value={after} kind="ins" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ value, kind: Kind }: { readonly value: unknown; readonly kind: 'ins' | 'del' }) {
  if (value === undefined || value === null) return <span class="soft">{words.diff.nothing}</span>;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return <Kind class="mono">{text}</Kind>;
}
