import { readdirSync, readFileSync } from 'node:fs';

const variable = 'RALLYPOINT_TEST_RUN';

/** Makes every program that tests start from now on known as one of this run: it inherits a variable of the environment. */
export function markPrograms(): void {
  process.env[variable] = String(process.pid);
}

/**
 * Ends the programs that tests of this run have started and left running. A program that holds the output of a test's process keeps vitest
 * from ending. On systems without `/proc` nothing can be found.
 */
export function endLeftPrograms(): void {
  for (const pid of programsOfRun()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

function programsOfRun(): number[] {
  const mark = `${variable}=${process.pid}`;
  const pids = process.platform === 'linux' ? readdirSync('/proc').filter(name => /^\d+$/.test(name)) : [];
  return pids.filter(pid => isMarked(pid, mark)).map(Number);
}

/** The processes in which vitest runs tests are children of this one, which ends them itself. */
function isMarked(pid: string, mark: string): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark)) return false;
    return !readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nPPid:\t${process.pid}\n`);
  } catch {
    return false;
  }
}
