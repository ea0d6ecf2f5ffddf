import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { Service } from "#domain/service.ts";
import { describeError } from "#domain/error-fields.ts";

/** A part of the product, with its name for the log. */
export interface NamedService {
  readonly name: string;
  readonly service: Service;
}

/** All parts together must stop before a supervisor's timeout. */
const STOP_PATIENCE_MS = 1_500;

/**
 * Runs a part and registers its stop: parts stop in the reverse order of their start, each within a bounded time.
 */
export async function runPart(
  { name, service }: NamedService,
  stack: AsyncDisposableStack,
  deps: { readonly clock: Clock; readonly log: Log },
): Promise<void> {
  stack.defer(() => stopPart({ name, service }, deps));
  await service.run();
}

async function stopPart(
  { name, service }: NamedService,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<void> {
  const stopped = service.stop().then(
    () => true,
    (error: unknown) => {
      log.error({ part: name, ...describeError(error) }, "a part failed to stop");
      return true;
    },
  );
  const { promise: impatience, resolve } = Promise.withResolvers<false>();
  const calmDown = clock.schedule(STOP_PATIENCE_MS, () => resolve(false));
  const isStopped = await Promise.race([stopped, impatience]);
  calmDown();
  if (!isStopped) log.warn({ part: name }, "a part is too slow to stop: going on without it");
}
