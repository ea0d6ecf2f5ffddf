import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ephemeral ports: one of those could be taken by an outgoing connection before it is listened on.
 */
const FIRST = 10_000;
const PORTS_PER_PROCESS = 100;
const PROCESSES = 200;

/** Concurrent processes use separate ranges, unless their ids differ by a multiple of 200. */
const range = FIRST + (process.pid % PROCESSES) * PORTS_PER_PROCESS;
let next = 0;

/** A free local port. @throws Error when every port of this process's range is in use */
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
