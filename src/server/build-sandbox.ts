import { join } from "node:path";
import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { Config, SandboxConfig } from "./config.ts";
import { isLoopbackHost } from "./loopback.ts";
import { StartRefused } from "./start-refused.ts";

const SQLITE_BUSY = 5;

interface RunningSandbox {
  stop(): Promise<void>;
}

/**
 * Starts the sandbox. Its code is loaded on demand: with an outside marketplace none of it is in the process.
 */
export async function buildSandbox(
  config: Config,
  { host, port, publicUrl, seed, listingsPerSecond }: SandboxConfig,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<RunningSandbox> {
  const { startSandbox } = await import("#sandbox/sandbox.ts");
  const dataDir = join(config.dataDir, "sandbox");
  const starting = startSandbox({
    host,
    port,
    publicUrl,
    dataDir,
    seed,
    listingsPerSecond,
    allowedRedirects: (redirectUri) =>
      redirectUri.origin === config.publicUrl || isLoopbackHost(redirectUri.hostname),
    log,
    clock,
  });
  return starting.catch((error: unknown) => {
    throw isHeldByAnother(error)
      ? new StartRefused(`another process uses the sandbox's books in ${dataDir}`)
      : error;
  });
}

function isHeldByAnother(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("errcode" in error && error.errcode === SQLITE_BUSY) || isHeldByAnother(error.cause);
}
