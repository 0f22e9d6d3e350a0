import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** What the command palette can run. */
export interface Command {
  readonly id: string;
  readonly label: string;
  /** Further words by which it is found. */
  readonly keywords?: string;
  run(): void;
}

/** The commands of the present view. */
export const viewCommands = signal<readonly Command[]>([]);

/**
 * Offers commands in the palette while the component is shown.
 *
 * @param deps the commands are offered anew when one of these changes
 */
export function useCommands(commands: readonly Command[], deps: readonly unknown[]): void {
  useEffect(() => {
    viewCommands.value = [...viewCommands.peek(), ...commands];
    return () => {
      viewCommands.value = viewCommands.peek().filter(command => !commands.includes(command));
    };
  }, deps);
}
