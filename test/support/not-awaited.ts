/** An async function where a boolean is expected, as a program without types can pass it. */
export function notAwaited(decide: () => Promise<boolean>): () => boolean {
  return decide as unknown as () => boolean;
}
