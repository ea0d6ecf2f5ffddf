import type { Clock } from "#domain/clock.ts";

const PATIENCE_MS = 2_000;

/** Whether the store answers while whoever asks for the health of a node still waits. Never throws. */
export async function isStoreAnswering(
  store: { readonly ping: () => Promise<unknown> },
  clock: Pick<Clock, "schedule">,
): Promise<boolean> {
  const ping = store.ping().then(
    () => true,
    () => false,
  );
  let forget = (): void => undefined;
  const patience = new Promise<boolean>((resolve) => {
    forget = clock.schedule(PATIENCE_MS, () => resolve(false));
  });
  const isAnswering = await Promise.race([ping, patience]);
  forget();
  return isAnswering;
}
