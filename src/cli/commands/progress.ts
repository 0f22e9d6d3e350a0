import type { DeployProgress } from '../../backend/index.ts';
import { printable } from '../paint.ts';
import type { Output } from '../terminal.ts';

/**
 * Tells how far a deploy is: on a terminal in one line that changes, else a line each.
 *
 * @returns what to call with each progress; at the end the changing line is gone
 */
export function showProgress(output: Output): (progress: DeployProgress) => void {
  const isTerminal = output.isTTY === true;
  return progress => {
    const text = describe(progress);
    if (isTerminal) output.write(`\r\x1b[2K${text}`);
    else if (text !== '') output.write(`${text}\n`);
  };
}

function describe({ done, total, current, waitingMs }: DeployProgress): string {
  if (current === undefined) return '';
  const what = current === 'all' ? 'all commands at once' : `${current.action} ${printable(current.name)}`;
  const waiting = waitingMs === undefined ? '' : `: a limit is used up, waiting ${Math.ceil(waitingMs / 1000)} s`;
  return `[${done + 1}/${total}] ${what}${waiting}`;
}
