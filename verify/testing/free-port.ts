import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems give to outgoing connections: one of those may be taken before it is listened on. */
const FIRST = 10_000;
const PORTS_PER_PROCESS = 100;
const PROCESSES = 200;

/** Processes that run side by side choose from ranges of their own, unless their ids differ by a multiple of 200. */
const range = FIRST + (process.pid % PROCESSES) * PORTS_PER_PROCESS;
let next = 0;

/**
 * A port of this machine that nobody listens on.
 * @throws Error when each port of this process's range is in use.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS_PER_PROCESS; tries += 1) {
    const port = range + (next++ % PORTS_PER_PROCESS);
    if (await isFree(port)) return port;
  }
  throw new Error("no port is free");
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port);
    await once(probe, "listening");
    probe.close();
    await once(probe, "close");
    return true;
  } catch {
    return false;
  }
}
