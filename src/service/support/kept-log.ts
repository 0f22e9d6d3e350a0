import type { Logger } from '../../wire/clock/ports.ts';

/** Keeps what is logged until it is released. What is not released was not worth a line. */
export function keptLog(log: Logger): { readonly log: Logger; readonly lastError: unknown; release(): void } {
  let kept: (() => void)[] | undefined = [];
  let lastError: unknown;
  const when = (level: keyof Logger) => (fields: Parameters<Logger['info']>[0], message: string) => {
    lastError = fields.error ?? lastError;
    const write = () => log[level](fields, message);
    if (kept) kept.push(write);
    else write();
  };
  return {
    log: { debug: when('debug'), info: when('info'), warn: when('warn'), error: when('error') },
    get lastError() {
      return lastError;
    },
    release() {
      const lines = kept ?? [];
      kept = undefined;
      for (const write of lines) write();
    },
  };
}
