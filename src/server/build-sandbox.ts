import { join } from "node:path";
import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { Config, SandboxConfig } from "./config.ts";
import { isLoopbackHost } from "./loopback.ts";

interface RunningSandbox {
  stop(): Promise<void>;
}

/**
 * Starts the marketplace in a box. Its code is loaded only where it is used: with an outside marketplace no
 * line of it is in the process.
 */
export async function buildSandbox(
  config: Config,
  { host, port, publicUrl, seed, listingsPerSecond }: SandboxConfig,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<RunningSandbox> {
  const { startSandbox } = await import("#simulator/sandbox.ts");
  return startSandbox({
    host,
    port,
    publicUrl,
    dataDir: join(config.dataDir, "sandbox"),
    seed,
    listingsPerSecond,
    allowedRedirects: (redirectUri) =>
      redirectUri.origin === config.publicUrl || isLoopbackHost(redirectUri.hostname),
    log,
    clock,
  });
}
