import { once } from "node:events";
import { createServer, type Server } from "node:net";

/**
 * Below the ephemeral ports: one of those could be taken by an outgoing connection before it is listened on.
 */
const FIRST = 10_000;
const PORTS_PER_RANGE = 100;
const RANGES = 200;

let range: Promise<number> | undefined;
let next = 1;

/** A free local port. @throws Error when every port of this process's range is in use */
export async function freePort(): Promise<number> {
  range ??= takeRange();
  const first = await range;
  for (let tries = 1; tries < PORTS_PER_RANGE; tries += 1) {
    const port = first + next;
    next = (next % (PORTS_PER_RANGE - 1)) + 1;
    if (await isFree(port)) return port;
  }
  throw new Error("no port is free");
}

/**
 * Concurrent processes use separate ranges: each listens on the first port of its range until it ends.
 * @returns that port
 */
async function takeRange(): Promise<number> {
  for (let tries = 0; tries < RANGES; tries += 1) {
    const port = FIRST + ((process.pid + tries) % RANGES) * PORTS_PER_RANGE;
    const holder = createServer();
    if (await listens(holder, port)) {
      holder.unref();
      return port;
    }
  }
  throw new Error("no range of ports is free");
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  if (!(await listens(probe, port))) return false;
  probe.close();
  await once(probe, "close");
  return true;
}

async function listens(server: Server, port: number): Promise<boolean> {
  try {
    server.listen(port);
    await once(server, "listening");
    return true;
  } catch {
    return false;
  }
}
